/**
 * PostgreSQL. Its tables are made at the start, so that the project runs on an empty database: replace that by your migrations.
 */
import { Pool, type QueryResultRow } from "pg";

/** Runs a statement. */
export interface Sql {
  query<T extends QueryResultRow>(text: string, values?: unknown[]): Promise<{ readonly rows: T[] }>;
}

/** Runs statements, and transactions of several. */
export interface Database extends Sql {
  /** Commits when `work` resolves, and rolls back when it rejects. */
  transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
}

/** Connects, and makes the tables. */
export async function openDatabase(url: string): Promise<{ readonly pool: Pool; readonly database: Database }> {
  const pool = new Pool({ connectionString: url, connectionTimeoutMillis: 5_000 });
  pool.on("error", () => undefined); // An idle connection that was lost. The next statement makes another.
  const database: Database = {
    query: (text, values) => pool.query(text, values),
    transaction: (work) => inTransaction(pool, work),
  };
  try {
    await makeTables(database);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return { pool, database };
}

/** Replicas that start together make them one after the other. */
export async function makeTables(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.query("select pg_advisory_xact_lock(1)");
    await tx.query(
      "create table if not exists tasks (id text primary key, title text not null, done boolean not null, place serial)",
    );
  });
}

async function inTransaction<T>(pool: Pool, work: (tx: Sql) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const result = await work(client);
    await client.query("commit");
    client.release();
    return result;
  } catch (error) {
    // Where the connection is lost, the server rolls back.
    await client.query("rollback").then(
      () => client.release(),
      () => client.release(true),
    );
    throw error;
  }
}
