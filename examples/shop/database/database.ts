/**
 * The shop's database, as repositories see it.
 *
 *   repository ──▶ query ──▶ inside `transaction`? ── yes ──▶ that transaction
 *                                                └── no ───▶ a statement of its own
 *
 * Bound as an interface, so each statement and its values are visible in a run.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { Interface } from "framework";
import type { OpenTransaction, Postgres } from "./postgres.ts";
import type { Sql } from "./sql.ts";

export interface Database {
  /** The rows, one object each, by column. `Row` declares their type, unchecked. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** The number of rows that a statement changed. */
  change(text: string, values?: readonly unknown[]): Promise<number>;
  /**
   * Every statement of `work` takes effect, or none does. Nested transactions join the outer one. `work` gets the driver's
   * transaction, for a library that writes in it too, such as the engine of jobs.
   */
  transaction<T>(work: (tx: object) => Promise<T>): Promise<T>;
  ping(): Promise<void>;
}
export const Database: Interface<Database> = Interface("Database", { stereotype: "component" });

export class PostgresDatabase implements Database {
  readonly #postgres: Postgres;
  readonly #open: AsyncLocalStorage<OpenTransaction> = new AsyncLocalStorage();

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
  }

  async query<Row>(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return (await this.#sql(sql, values)).rows as readonly Row[];
  }

  async change(sql: string, values: readonly unknown[] = []): Promise<number> {
    return (await this.#sql(sql, values)).changed;
  }

  async transaction<T>(work: (tx: object) => Promise<T>): Promise<T> {
    const outer = this.#open.getStore();
    if (outer !== undefined) return work(outer.tx);
    return this.#postgres.transaction((open) => this.#open.run(open, () => work(open.tx)));
  }

  async ping(): Promise<void> {
    await this.#postgres.sql("select 1");
  }

  get #sql(): Sql {
    return this.#open.getStore()?.sql ?? this.#postgres.sql;
  }
}
