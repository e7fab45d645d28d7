/**
 * The function that runs a statement, and the channel on which each statement is published.
 *
 *   published(run) ──▶ run(text, values) ──▶ tracing channel shop.sql ──▶ subscribers: devtools, in development
 */
import { tracingChannel } from "node:diagnostics_channel";

/** Runs one statement and returns its rows, or the number of changed rows. */
export type Sql = (text: string, values?: readonly unknown[]) => Promise<SqlResult>;

/** The result of a statement. */
export interface SqlResult {
  readonly rows: readonly Record<string, unknown>[];
  readonly changed: number;
}

/** The message of the channel for a statement; `result` if it has one. */
export interface PublishedStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly result?: SqlResult | undefined;
}

/** The channel's name. */
export const SQL_CHANNEL = "shop.sql";

const channel = tracingChannel<unknown, PublishedStatement>(SQL_CHANNEL);

/** The same function, which publishes each statement. Costs nothing without a subscriber. */
export const published =
  (run: Sql): Sql =>
  (text, values = []) =>
    channel.start.hasSubscribers ? channel.tracePromise(() => run(text, values), { text, values }) : run(text, values);
