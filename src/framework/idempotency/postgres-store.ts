/**
 * Keys in PostgreSQL, shared by every process that uses it.
 *
 *   begin ──▶ insert … on conflict update, if the lease is over     renew, finish ──▶ the same, if the owner is the same
 *   commit ──▶ update in the caller's transaction: the effect and its outcome are there together, or neither is
 *
 * Each step is one statement, so it is atomic across processes. Times are the server's. A new key deletes two expired ones.
 *
 * Spec: spec/idempotency.md
 */
import { type PostgresClient, PostgresTable, sweep } from "../internal/postgres.ts";
import { sqlOf } from "../internal/sql.ts";
import type { Attempt, Begun, IdempotencyStore } from "./store.ts";

/** Options of {@link PostgresIdempotencyStore}. */
export interface PostgresIdempotencyOptions {
  /** The table, with or without its schema. Created when it is missing. Default `framework_idempotency`. */
  readonly table?: string | undefined;
  /** The time limit of a reply. Default 1,000. */
  readonly timeoutMs?: number | undefined;
}

/** Keeps keys in PostgreSQL. */
export class PostgresIdempotencyStore implements IdempotencyStore {
  readonly #table: PostgresTable;
  readonly #begin: string;
  readonly #put: string;
  readonly #release: string;
  readonly #commit: string;

  /** @throws TypeError when it is not such a client, or an option is invalid. */
  constructor(
    client: PostgresClient,
    { table = "framework_idempotency", timeoutMs = 1_000 }: PostgresIdempotencyOptions = {},
  ) {
    const made = new PostgresTable(client, {
      owner: "PostgresIdempotencyStore",
      table,
      timeoutMs,
      kind: "table",
      columns:
        "key text primary key, owner text not null, fingerprint text not null, outcome text, ends_at timestamptz not null",
      endsAt: "ends_at",
    });
    this.#table = made;
    const { name } = made;
    const ends = (parameter: string): string => `now() + ${parameter}::float8 * interval '1 millisecond'`;
    const insert = (outcome: string, ms: string): string =>
      `insert into ${name} as kept (key, owner, fingerprint, outcome, ends_at) values ($1, $2, $3, ${outcome}, ${ends(ms)})
       on conflict (key) do update set owner = excluded.owner, fingerprint = excluded.fingerprint,
         outcome = excluded.outcome, ends_at = excluded.ends_at`;
    this.#begin = `with ${sweep(name, "ends_at <= now()", "ends_at")},
      begun as (${insert("null", "$4")} where kept.ends_at <= now() returning 1)
      select true as first, null as fingerprint, null as outcome from begun
      union all
      select false, fingerprint, outcome from ${name} where key = $1 and not exists (select from begun)`;
    // After a commit the owner may still replace the outcome by the whole response. A lease never replaces an outcome.
    this.#put = `${insert("$4::text", "$5")}
      where kept.owner = excluded.owner and (kept.outcome is null or excluded.outcome is not null) returning 1 as done`;
    this.#release = `delete from ${name} where key = $1 and owner = $2 and outcome is null`;
    this.#commit = `update ${name} set outcome = $3, ends_at = ${ends("$4")} where key = $1 and owner = $2 returning 1 as done`;
  }

  async begin({ key, owner, fingerprint }: Attempt, leaseMs: number): Promise<Begun> {
    // Without a row, another statement has begun since this one did.
    for (let left = 5; left > 0; left -= 1) {
      const [row] = await this.#table.run(this.#begin, [key, owner, fingerprint, leaseMs]);
      if (row === undefined) continue;
      if (row["first"] === true) return { state: "first" };
      const [kept, outcome] = [String(row["fingerprint"]), row["outcome"]];
      return typeof outcome === "string"
        ? { state: "done", fingerprint: kept, outcome }
        : { state: "running", fingerprint: kept };
    }
    throw new Error("too many statements want the key at the same time");
  }

  renew(attempt: Attempt, leaseMs: number): Promise<boolean> {
    return this.#written(attempt, null, leaseMs);
  }

  finish(attempt: Attempt, outcome: string, ttlMs: number): Promise<boolean> {
    return this.#written(attempt, outcome, ttlMs);
  }

  async release({ key, owner }: Attempt): Promise<void> {
    await this.#table.run(this.#release, [key, owner]);
  }

  /** @throws TypeError (`POSTGRES_CLIENT`) when `tx` is no transaction that the framework knows. */
  async commit(tx: object, { key, owner }: Attempt, outcome: string, ttlMs: number): Promise<boolean> {
    const sql = sqlOf("the transaction of commit()", tx, "POSTGRES_CLIENT");
    return (await sql.executeSql(this.#commit, [key, owner, outcome, ttlMs])).rows.length > 0;
  }

  async #written({ key, owner, fingerprint }: Attempt, outcome: string | null, ms: number): Promise<boolean> {
    return (await this.#table.run(this.#put, [key, owner, fingerprint, outcome, ms])).length > 0;
  }
}
