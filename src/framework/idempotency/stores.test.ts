/** One table of tests for the three stores: in memory, in a real redis-server, and in PostgreSQL, here PGlite. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { PGlite } from "@electric-sql/pglite";
import { createClient } from "redis";
import {
  type Attempt,
  type IdempotencyStore,
  MemoryIdempotencyStore,
  PostgresIdempotencyStore,
  RedisIdempotencyStore,
} from "./index.ts";
import { isRedisMissing, TestRedis } from "../testing/redis.testkit.ts";

const server = new TestRedis();
const redis = createClient({ socket: { path: server.path, reconnectStrategy: false } });
const database = new PGlite();

before(async () => {
  await database.waitReady;
  if (isRedisMissing !== false) return;
  await server.start();
  redis.on("error", () => undefined);
  await redis.connect();
});
after(async () => {
  await database.close();
  if (isRedisMissing === false) redis.destroy();
  await server.end();
});

const stores: Readonly<Record<string, () => IdempotencyStore>> = {
  MemoryIdempotencyStore: () => new MemoryIdempotencyStore(),
  RedisIdempotencyStore: () => new RedisIdempotencyStore(redis, { timeoutMs: 5_000 }),
  PostgresIdempotencyStore: () => new PostgresIdempotencyStore(database, { timeoutMs: 5_000 }),
};

/** Attempts at one key of its own. */
let keys = 0;
function attemptsOf(): (fingerprint?: string) => Attempt {
  const key = String((keys += 1)).padStart(43, "k");
  return (fingerprint = "f") => ({ key, fingerprint: fingerprint.repeat(43), owner: crypto.randomUUID() });
}
const minute = 60_000;
const f = "f".repeat(43);
const first = { state: "first" };

for (const [name, make] of Object.entries(stores))
  describe(name, { skip: name.startsWith("Redis") && isRedisMissing }, () => {
    test("begins one attempt, tells others of it, and keeps its outcome", async () => {
      const store = make();
      const attempt = attemptsOf();
      const [one, two] = [attempt(), attempt("g")];
      assert.deepEqual(
        [
          await store.begin(one, minute),
          await store.begin(two, minute),
          await store.renew(one, minute),
          await store.renew(two, minute),
          await store.finish(two, "stolen", minute),
          await store.release(two),
          await store.finish(one, 'é "\u0001', minute),
          await store.begin(two, minute),
          await store.renew(one, minute),
          await store.release(one),
          await store.begin(one, minute),
        ],
        [
          first,
          { state: "running", fingerprint: f },
          true,
          false,
          false,
          undefined,
          true,
          { state: "done", fingerprint: f, outcome: 'é "\u0001' },
          false,
          undefined,
          { state: "done", fingerprint: f, outcome: 'é "\u0001' },
        ],
      );
    });

    test("lets one of many begin", async () => {
      const store = make();
      const attempt = attemptsOf();
      const begun = await Promise.all(Array.from({ length: 40 }, () => store.begin(attempt(), minute)));
      assert.deepEqual(begun.map(({ state }) => state).toSorted(), ["first", ...Array(39).fill("running")]);
    });

    test("forgets a released key, and one whose lease or time is over", async () => {
      const store = make();
      const attempt = attemptsOf();
      const one = attempt();
      await store.begin(one, minute);
      await store.release(one);
      assert.deepEqual(await store.begin(one, 1), first);
      const two = attempt("g");
      while ((await store.begin(two, minute)).state !== "first");
      assert.deepEqual(
        [await store.renew(one, minute), await store.finish(one, "late", minute), await store.finish(two, "2", 1)],
        [false, false, true],
      );
      while ((await store.begin(one, minute)).state !== "first");
    });

    test("lets an attempt whose lease is over go on, if no other has begun", async () => {
      const store = make();
      const [one, other] = [attemptsOf()(), attemptsOf()()];
      for (const attempt of [one, other]) await store.begin(attempt, 1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      assert.deepEqual([await store.renew(one, minute), await store.finish(other, "2", minute)], [true, true]);
      assert.equal((await store.begin({ ...one, owner: crypto.randomUUID() }, minute)).state, "running");
      assert.equal((await store.begin(other, minute)).state, "done");
    });
  });

describe("commit of a PostgresIdempotencyStore", () => {
  const store = new PostgresIdempotencyStore(database, { timeoutMs: 5_000 });

  test("keeps the outcome with the caller's transaction, and the whole response after it", async () => {
    const attempt = attemptsOf();
    const one = attempt();
    await store.begin(one, minute);
    await assert.rejects(
      database.transaction(async (tx) => {
        assert.equal(await store.commit(tx, one, "rolled back", minute), true);
        throw new Error("no");
      }),
      { message: "no" },
    );
    assert.equal((await store.begin(attempt(), minute)).state, "running");
    await database.transaction((tx) => store.commit(tx, one, "committed", minute));
    assert.deepEqual(
      [await store.renew(one, 1), await store.release(one), await store.begin(attempt(), minute)],
      [false, undefined, { state: "done", fingerprint: f, outcome: "committed" }],
    );
    await store.finish(one, "whole", minute);
    assert.deepEqual(await store.begin(attempt(), minute), { state: "done", fingerprint: f, outcome: "whole" });
  });

  test("is false for an attempt whose key another one has taken", async () => {
    const attempt = attemptsOf();
    const [one, two] = [attempt(), attempt()];
    await store.begin(one, 1);
    while ((await store.begin(two, minute)).state !== "first");
    assert.deepEqual(
      [await store.commit(database, one, "1", minute), await store.commit(database, two, "2", minute)],
      [false, true],
    );
  });

  test("rejects what is no transaction, and a table that never shows its row", async () => {
    await assert.rejects(store.commit({}, attemptsOf()(), "", minute), { code: "POSTGRES_CLIENT" });
    const never = new PostgresIdempotencyStore({ query: async () => ({ rows: [] }) });
    await assert.rejects(never.begin(attemptsOf()(), minute), {
      message: "too many statements want the key at the same time",
    });
  });
});

describe("MemoryIdempotencyStore", () => {
  test("forgets the oldest outcomes over its bound, never a running attempt, and expired keys as others come", async () => {
    let now = 0;
    const store = new MemoryIdempotencyStore({ maxBytes: 2_500, now: () => now });
    const [a, b, c, d] = [attemptsOf()(), attemptsOf()(), attemptsOf()(), attemptsOf()()];
    await store.begin(a, minute);
    for (const one of [b, c]) {
      await store.begin(one, minute);
      await store.finish(one, "x".repeat(500), minute);
    }
    assert.deepEqual(
      [
        (await store.begin(a, minute)).state,
        (await store.begin(c, minute)).state,
        (await store.begin(b, minute)).state,
      ],
      ["running", "done", "first"],
    );
    now = minute;
    await store.begin(d, minute);
    assert.equal(store.size, 1);
  });

  test("names the invalid option", () => {
    for (const maxBytes of [0, 1.5])
      assert.throws(() => new MemoryIdempotencyStore({ maxBytes }), { code: "CONFIG_INVALID" });
    for (const timeoutMs of [0, Number.NaN])
      assert.throws(() => new RedisIdempotencyStore({ call: async () => null }, { timeoutMs }), {
        code: "CONFIG_INVALID",
      });
  });
});
