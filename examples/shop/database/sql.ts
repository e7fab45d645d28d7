/**
 * Statements, as the database and the code that fills it see them, and the channel on which each is published.
 *
 *   published(run) ──▶ run(text, values) ──▶ tracing channel shop.sql ──▶ whoever subscribes: devtools, in development
 */
import { tracingChannel } from "node:diagnostics_channel";

/** Runs one statement and returns its rows, or how many rows it changed. */
export type Sql = (text: string, values?: readonly unknown[]) => Promise<SqlResult>;

/** What a statement brought. */
export interface SqlResult {
  readonly rows: readonly Record<string, unknown>[];
  readonly changed: number;
}

/** What the channel publishes of a statement; `result` when it has one. */
export interface PublishedStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly result?: SqlResult | undefined;
}

/** The channel's name. */
export const SQL_CHANNEL = "shop.sql";

const channel = tracingChannel<unknown, PublishedStatement>(SQL_CHANNEL);

/** The same, and each statement is published. Costs nothing while nobody subscribes. */
export const published =
  (run: Sql): Sql =>
  (text, values = []) =>
    channel.start.hasSubscribers ? channel.tracePromise(() => run(text, values), { text, values }) : run(text, values);
