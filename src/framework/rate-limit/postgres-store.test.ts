/** Buckets in a PostgreSQL, here PGlite (RATE). A server and several processes are in conformance/one-database.test.ts. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { PGlite } from "@electric-sql/pglite";
import { MemoryRateLimitStore, PostgresRateLimitStore } from "./index.ts";
import { checkTogether } from "./stores.testkit.ts";

const bucket = { intervalMs: 60_000, burst: 5 };

describe("PostgresRateLimitStore", () => {
  const database = new PGlite();
  before(() => database.waitReady);
  after(() => database.close());
  const store = new PostgresRateLimitStore(database);

  test("decides as the memory store does", async () => {
    const memory = new MemoryRateLimitStore();
    const seen = [];
    for (const cost of [1, 3.5, 1, 0.5, 0, 5]) {
      const rounded = [await store.take("one", bucket, cost), memory.take("one", bucket, cost)].map((taken) => [
        taken.allowed,
        taken.remaining,
        Math.round(taken.resetMs / 6_000),
        Math.round(taken.retryMs / 6_000),
      ]);
      seen.push(rounded);
    }
    for (const [here, there] of seen) assert.deepEqual(here, there);
    assert.deepEqual(
      seen.map(([here]) => here?.[0]),
      [true, true, false, true, true, false],
    );
  });

  test("gives no token twice, whatever the characters of the key", async () => {
    const keys = ["a", "a\0", "\ud800", "x".repeat(100_000)];
    const taken = await Promise.all(Array.from({ length: 40 }, (_, at) => store.take(keys[at % 4] ?? "", bucket, 1)));
    assert.equal(taken.filter(({ allowed }) => allowed).length, 20);
  });

  test("writes nothing for a rejected request, and deletes two full buckets with each other one", async () => {
    const versions = async (): Promise<unknown> =>
      (await database.query("select key, full_at from limits order by key")).rows;
    const limits = new PostgresRateLimitStore(database, { table: "limits" });
    await limits.take("a", bucket, 5);
    const before = await versions();
    assert.equal((await limits.take("a", bucket, 5)).allowed, false);
    assert.deepEqual(await versions(), before);
    await database.query("insert into limits select 'old ' || at, at from generate_series(1, 3) as at");
    await limits.take("b", bucket, 1);
    await limits.take("c", bucket, 1);
    assert.equal(((await versions()) as unknown[]).length, 3);
  });

  test("leaves a bucket empty at most when the server's clock is set back", async () => {
    await store.take("clock", bucket, 1);
    await database.query("update framework_rate_limits set full_at = full_at + 86400000");
    const { allowed, resetMs, retryMs } = await store.take("clock", bucket, 1);
    assert.deepEqual([allowed, Math.round(resetMs / 1_000), Math.round(retryMs / 1_000)], [false, 300, 60]);
  });

  test("limits the requests of two apps together", async () => {
    await checkTogether([new PostgresRateLimitStore(database), new PostgresRateLimitStore(database)]);
  });

  test("rejects when its statement never finds the bucket that another one has created", async () => {
    const never = new PostgresRateLimitStore({ query: async () => ({ rows: [] }) });
    await assert.rejects(never.take("a", bucket, 1), {
      message: "too many statements want the bucket at the same time",
    });
  });
});
