/**
 * PostgreSQL: a pool of connections, and transactions on them.
 *
 *   query ──▶ inside a transaction? ── yes ──▶ its connection
 *                                  └── no ───▶ any connection of the pool
 *
 * Bound as a class: it is a driver, and devtools show its statements under the bean that called it.
 */
import type { Pool, PoolClient, PoolConfig } from "pg";
import { ContextPool } from "./context-pool.ts";
import { savepoint, Scope } from "./transactions.ts";

/** The database. The container closes it with the beans. */
export class Postgres {
  static readonly stereotype = "component";
  readonly #scope = new Scope<PoolClient>();
  /** The connections; Drizzle, Kysely and Prisma use them too. */
  readonly pool: Pool;

  constructor(config: PoolConfig, warn: (line: string) => void = console.warn) {
    this.pool = new ContextPool({ max: 10, connectionTimeoutMillis: 2_000, ...config });
    this.pool.on("error", (error) => warn(`an idle connection broke: ${error.message}`)); // else the process ends
  }

  /** The rows. `Row` names what the statement returns, unchecked. */
  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const { rows } = await (this.#scope.current ?? this.pool).query<Row>(text, [...values]);
    return rows;
  }

  /** Commits when `work` is done, rolls back when it throws. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    const outer = this.#scope.current;
    if (outer !== undefined) return savepoint((sql) => outer.query(sql), work);
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      await client.query("begin");
      const result = await this.#scope.run(client, work);
      const { command } = await client.query("commit");
      if (command !== "COMMIT") throw new Error("a statement had failed, so PostgreSQL rolled back");
      return result;
    } catch (error) {
      await client.query("rollback").catch((failure: Error) => (broken = failure));
      throw error;
    } finally {
      client.release(broken); // the pool drops a broken connection
    }
  }

  /** Waits for the connections in use, then closes all. */
  close(): Promise<void> {
    return this.pool.end();
  }
}
