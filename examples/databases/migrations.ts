/**
 * The migrations: each runs once, in order, all in one transaction. Processes that start together wait for each other.
 */
import type { Postgres } from "./postgres.ts";

/** Append only: a migration that has run is never changed. */
const migrations: readonly string[] = [
  `create table accounts (
     owner text primary key,
     cents integer not null constraint accounts_covered check (cents >= 0)
   )`,
];

/** Brings the database to the newest version, or closes it. */
export async function migrated(postgres: Postgres): Promise<Postgres> {
  try {
    await postgres.transaction(() => migrate(postgres));
    return postgres;
  } catch (error) {
    await postgres.close();
    throw error;
  }
}

async function migrate(postgres: Postgres): Promise<void> {
  await postgres.query("select pg_advisory_xact_lock(4711)"); // one process at a time, until the commit
  await postgres.query("create table if not exists migrations (version integer primary key)");
  const applied = await postgres.query("select version from migrations");
  for (const [at, statement] of migrations.entries()) {
    if (at < applied.length) continue;
    await postgres.query(statement);
    await postgres.query("insert into migrations values ($1)", [at + 1]);
  }
}
