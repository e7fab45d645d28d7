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
import type { Postgres } from "./postgres.ts";
import type { Sql } from "./sql.ts";

export interface Database {
  /** The rows, one object each, by column. `Row` declares their type, unchecked. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** The number of rows that a statement changed. */
  change(text: string, values?: readonly unknown[]): Promise<number>;
  /** Every statement of `work` takes effect, or none does. Nested transactions join the outer one. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  ping(): Promise<void>;
}
export const Database: Interface<Database> = Interface("Database", { stereotype: "component" });

export class PostgresDatabase implements Database {
  readonly #postgres: Postgres;
  readonly #transaction: AsyncLocalStorage<Sql> = new AsyncLocalStorage();

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
  }

  async query<Row>(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return (await this.#sql(sql, values)).rows as readonly Row[];
  }

  async change(sql: string, values: readonly unknown[] = []): Promise<number> {
    return (await this.#sql(sql, values)).changed;
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.#transaction.getStore() !== undefined) return work();
    return this.#postgres.transaction((sql) => this.#transaction.run(sql, work));
  }

  async ping(): Promise<void> {
    await this.#postgres.sql("select 1");
  }

  get #sql(): Sql {
    return this.#transaction.getStore() ?? this.#postgres.sql;
  }
}
