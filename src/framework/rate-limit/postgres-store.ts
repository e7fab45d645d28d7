/**
 * Buckets in PostgreSQL, shared by every process that uses it.
 *
 *   take ──▶ insert … on conflict update, if the bucket has the tokens ──▶ the row, as it is now
 *              └─ it lacks them: nothing is written                    ──▶ the row, as it was
 *
 * A statement locks its row, so no two processes can take the same token. The time is the server's, so the clocks of the
 * processes do not matter. If the server's clock is set back, a bucket is empty at most. The table is not in PostgreSQL's log:
 * that is faster, and after a crash of the server every bucket is full. A statement deletes two buckets that are full.
 *
 * Spec: spec/rate-limit.md
 */
import { hashOf } from "../internal/hash.ts";
import { type PostgresClient, PostgresTable, sweep } from "../internal/postgres.ts";
import { type Bucket, type RateLimitStore, type Taken, takeFrom } from "./bucket.ts";

/** Options of {@link PostgresRateLimitStore}. */
export interface PostgresRateLimitOptions {
  /** The table, with or without its schema. Created when it is missing. Default `framework_rate_limits`. */
  readonly table?: string | undefined;
}

/** A late reply leaves its request to the middleware, and is dropped after this time. */
const forgottenAfterMs = 10_000;

/**
 * Keeps buckets in PostgreSQL. A key is stored as its hash.
 *
 * @example
 * ```ts skip="it needs a database"
 * const store = new PostgresRateLimitStore(new Pool({ connectionString: process.env.DATABASE_URL }));
 * app.use(new RateLimitMiddleware({ limit: 100, windowMs: 60_000, store, onStoreError: "open" }));
 * ```
 */
export class PostgresRateLimitStore implements RateLimitStore {
  readonly #table: PostgresTable;
  readonly #take: string;

  /** @throws TypeError when it is not such a client, or `table` is invalid. */
  constructor(client: PostgresClient, { table = "framework_rate_limits" }: PostgresRateLimitOptions = {}) {
    this.#table = new PostgresTable(client, {
      owner: "PostgresRateLimitStore",
      table,
      timeoutMs: forgottenAfterMs,
      kind: "unlogged table",
      columns: "key text primary key, full_at float8 not null",
      endsAt: "full_at",
    });
    this.#take = statement(this.#table.name);
  }

  async take(key: string, bucket: Bucket, cost: number): Promise<Taken> {
    const hashed = await hashOf([key]);
    // Without a row, another statement has created the bucket, and emptied it, since this one began.
    for (let left = 5; left > 0; left -= 1) {
      const [row] = await this.#table.run(this.#take, [hashed, bucket.intervalMs, bucket.burst, cost]);
      if (row === undefined) continue;
      return resultOf(Number(row["before_ms"]), row["taken"] === true, bucket, cost);
    }
    throw new Error("too many statements want the bucket at the same time");
  }
}

/** What the statement has decided, with the figures of `takeFrom`. A rounding error must not change the decision. */
function resultOf(beforeMs: number, allowed: boolean, bucket: Bucket, cost: number): Taken {
  const { intervalMs, burst } = bucket;
  const spent = allowed ? cost : 0;
  const before = Math.min(beforeMs, (burst - spent) * intervalMs);
  const { remaining, resetMs } = takeFrom(before, 0, bucket, spent);
  return { allowed, remaining, resetMs, retryMs: allowed ? 0 : Math.max(1, beforeMs + (cost - burst) * intervalMs) };
}

/**
 * Same as `takeFrom` of bucket.ts, in milliseconds: `$1` the key, `$2` the interval, `$3` the burst, `$4` the cost. `before_ms`
 * is when the bucket was full before, from now. `for update` reads the row as another statement has just left it.
 */
function statement(name: string): string {
  const [interval, burst, cost] = ["$2::float8", "$3::float8", "$4::float8"];
  const before = (kept: string, now: string): string =>
    `greatest(${now}, least(${kept}, ${now} + ${burst} * ${interval}))`;
  const now = "(select at from clock)";
  return `with clock as materialized (select extract(epoch from clock_timestamp())::float8 * 1000 as at),
    ${sweep(name, `full_at < ${now}`, "full_at")},
    taken as (
      insert into ${name} as kept (key, full_at) select $1, at + ${cost} * ${interval} from clock
      on conflict (key) do update set full_at = ${before("kept.full_at", now)} + ${cost} * ${interval}
      where ${before("kept.full_at", now)} + ${cost} * ${interval} - ${burst} * ${interval} - ${now} < 0.01
      returning full_at),
    held as (select full_at from ${name} where key = $1 and not exists (select from taken) for update)
    select full_at - ${cost} * ${interval} - ${now} as before_ms, true as taken from taken
    union all
    select ${before("full_at", now)} - ${now}, false from held`;
}
