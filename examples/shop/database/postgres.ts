/**
 * The shop's PostgreSQL: opened, and filled the first time.
 *
 * Bound as a class on purpose: it is a driver, not a part of the shop, and the dashboard shows how a bean looks that is not
 * traceable.
 */
import type { PGlite } from "@electric-sql/pglite";
import { openPostgres } from "../../postgres.ts";
import { schema } from "./schema.ts";
import { seed } from "./seed.ts";
import { published, type Sql } from "./sql.ts";

/** A transaction that is open. */
export interface OpenTransaction {
  readonly sql: Sql;
  /** The driver's own. */
  readonly tx: object;
}

export class Postgres {
  static readonly stereotype = "component";
  readonly #pglite: PGlite;
  /** Runs one statement. */
  readonly sql: Sql;

  private constructor(pglite: PGlite) {
    this.#pglite = pglite;
    this.sql = statements(pglite);
  }

  /** Opens it. The first time, creates and fills the tables, in one transaction. */
  static async open(folder?: string): Promise<Postgres> {
    const pglite = await openPostgres(folder);
    await pglite.transaction(async (tx) => {
      const { rows } = await tx.query<{ made: boolean }>("select to_regclass('products') is not null as made");
      if (rows[0]?.made === true) return;
      await tx.exec(schema);
      await seed(statements(tx));
    });
    return new Postgres(pglite);
  }

  /** The driver, for the engine of jobs. */
  get driver(): PGlite {
    return this.#pglite;
  }

  /** Every statement of `work` takes effect, or none does. */
  transaction<T>(work: (open: OpenTransaction) => Promise<T>): Promise<T> {
    return this.#pglite.transaction((tx) => work({ sql: statements(tx), tx }));
  }

  /** May be called twice. */
  async close(): Promise<void> {
    if (!this.#pglite.closed) await this.#pglite.close();
  }
}

/** The used part of PGlite and of its transactions. */
interface Connection {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[]; affectedRows?: number | undefined }>;
}

function statements(connection: Connection): Sql {
  return published(async (text, values = []) => {
    const { rows, affectedRows } = await connection.query(text, [...values]);
    return { rows: rows as Record<string, unknown>[], changed: affectedRows ?? 0 };
  });
}
