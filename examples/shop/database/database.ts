/**
 * The shop's database: PostgreSQL inside the process (PGlite), so nothing has to be installed.
 *
 *   repository ──▶ query ──▶ inside `transaction`? ── yes ──▶ that transaction
 *                                                └── no ───▶ a statement of its own
 *
 * Bound as a class on purpose: the dashboard lists it as "unspied", and shows how an unspied bean looks.
 * In memory, or in the folder it is given; there its content survives a restart.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { mkdir } from "node:fs/promises";
import { PGlite } from "@electric-sql/pglite";
import { schema } from "./schema.ts";
import { seed } from "./seed.ts";
import type { Sql, SqlResult } from "./sql.ts";

export class Database {
  static readonly stereotype = "component";
  readonly #postgres: PGlite;
  readonly #transaction: AsyncLocalStorage<Sql> = new AsyncLocalStorage();

  private constructor(postgres: PGlite) {
    this.#postgres = postgres;
  }

  /** Opens it; the first time, makes and fills the tables: all of it or nothing. */
  static async open(folder?: string): Promise<Database> {
    if (folder !== undefined) await mkdir(folder, { recursive: true });
    const postgres = await PGlite.create(folder === undefined ? {} : { dataDir: folder });
    await postgres.transaction(async (tx) => {
      const { rows } = await tx.query<{ made: boolean }>("select to_regclass('products') is not null as made");
      if (rows[0]?.made === true) return;
      await tx.exec(schema);
      await seed(statements(tx));
    });
    return new Database(postgres);
  }

  /** The rows, one object each, named by column. `Row` names what it returns, unchecked. */
  async query<Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const result = await this.#run(text, values);
    return result.rows as readonly Row[];
  }

  /** How many rows a statement changed. */
  async change(text: string, values: readonly unknown[] = []): Promise<number> {
    return (await this.#run(text, values)).changed;
  }

  /** Every statement that `work` causes happens, or none does. Nested ones join the outer. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.#transaction.getStore() !== undefined) return work();
    return this.#postgres.transaction((tx) => this.#transaction.run(statements(tx), work));
  }

  async ping(): Promise<void> {
    await this.#postgres.query("select 1");
  }

  /** May be called twice. */
  async close(): Promise<void> {
    if (!this.#postgres.closed) await this.#postgres.close();
  }

  #run(text: string, values: readonly unknown[]): Promise<SqlResult> {
    const sql = this.#transaction.getStore() ?? statements(this.#postgres);
    return sql(text, values);
  }
}

/** The part of PGlite and of its transactions that is used. */
interface Connection {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[]; affectedRows?: number | undefined }>;
}

function statements(connection: Connection): Sql {
  return async (text, values = []) => {
    const { rows, affectedRows } = await connection.query(text, [...values]);
    return { rows: rows as Record<string, unknown>[], changed: affectedRows ?? 0 };
  };
}
