/** One table of tests for both stores: in memory, and in a real redis-server. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Framework } from "framework";
import { createClient } from "redis";
import { CacheMiddleware, type CacheStore, MemoryCacheStore, RedisCacheStore } from "./index.ts";
import { isRedisMissing, TestRedis } from "../testing/redis.testkit.ts";

const server = new TestRedis();
const redis = createClient({ socket: { path: server.path, reconnectStrategy: false } });

before(async () => {
  if (isRedisMissing !== false) return;
  await server.start();
  redis.on("error", () => undefined);
  await redis.connect();
});
after(async () => {
  if (isRedisMissing === false) redis.destroy();
  await server.end();
});

const stores: Readonly<Record<string, () => CacheStore>> = {
  MemoryCacheStore: () => new MemoryCacheStore(),
  RedisCacheStore: () => new RedisCacheStore(redis, { prefix: `${crypto.randomUUID()}:`, timeoutMs: 5_000 }),
};
const ttlMs = 60_000;

for (const [name, make] of Object.entries(stores))
  describe(name, { skip: name.startsWith("Redis") && isRedisMissing }, () => {
    test("keeps texts with their bodies, and forgets them when they are removed or their time is over", async () => {
      const store = make();
      const values = {
        a: { text: "é 1:n" },
        b: { text: "", body: "body ä\0" },
        c: { text: "{}", body: Uint8Array.from({ length: 256 }, (_, at) => at) },
      };
      for (const [key, value] of Object.entries(values)) await store.write(key, value, { ttlMs });
      assert.deepEqual(await store.read(["a", "b", "none", "c"]), [values.a, values.b, undefined, values.c]);
      await store.remove(["a", "none"]);
      await store.write("b", { text: "short" }, { ttlMs: 1 });
      while ((await store.read(["b"]))[0] !== undefined);
      assert.deepEqual(await store.read(["a"]), [undefined]);
    });

    test("writes only while its guards hold", async () => {
      const store = make();
      await store.write("g", { text: "" }, { ttlMs });
      await store.write("h", { text: "1" }, { ttlMs });
      const attempt = (guards: readonly (readonly [string, string | undefined])[]): Promise<boolean> =>
        store.write("k", { text: "x" }, { ttlMs, guards });
      assert.deepEqual(
        [
          await attempt([["h", "2"]]),
          await attempt([["h", undefined]]),
          await attempt([["none", ""]]),
          await attempt([["g", undefined]]),
          (await store.read(["k"]))[0],
          await attempt([
            ["g", ""],
            ["h", "1"],
            ["none", undefined],
          ]),
          (await store.read(["k"]))[0],
        ],
        [false, false, false, false, undefined, true, { text: "x" }],
      );
    });

    test("is shared by the caches of two processes, with their purges", async () => {
      const store = make();
      const write = store.write.bind(store);
      const kept: string[] = [];
      let runs = 0;
      // The index of a response is the last that is written of it.
      store.write = async (key, ...of) => {
        const isWritten = await write(key, ...of);
        if (key.startsWith("i:")) kept.push(key);
        return isWritten;
      };
      const apps = [0, 1].map(() => {
        const cache = new CacheMiddleware({ store, storeTimeoutMs: 5_000 });
        const app = Framework.create().use(cache);
        app.get("/", (ctx) => ctx.setHeader("Cache-Control", "max-age=60").text(String((runs += 1))));
        return { app, cache };
      });
      const bodies = async (): Promise<string[]> => {
        const found: string[] = [];
        for (const { app } of [...apps, ...apps]) {
          found.push(await (await app.request("/")).text());
          while (kept.length < runs) await new Promise((resolve) => void setImmediate(resolve));
        }
        return found;
      };
      assert.deepEqual(await bodies(), ["1", "1", "1", "1"]);
      await apps[0]?.cache.purge({ all: true });
      assert.deepEqual(await bodies(), ["2", "2", "2", "2"]);
    });
  });

describe("MemoryCacheStore", () => {
  test("forgets the least recently used values over its bound, and keeps none that is larger", async () => {
    const store = new MemoryCacheStore({ maxBytes: 1_000 });
    const write = (key: string, size = 100): Promise<boolean> =>
      store.write(key, { text: "", body: new Uint8Array(size) }, { ttlMs });
    for (const key of ["a", "b", "c"]) await write(key);
    await store.read(["a"]);
    await write("d");
    assert.deepEqual(
      (await store.read(["a", "b", "c", "d"])).map((value) => value?.body?.length),
      [100, undefined, 100, 100],
    );
    assert.deepEqual([await write("e", 2_000), store.bytes < 1_000], [false, true]);
    await store.remove(["a", "c", "d"]);
    assert.equal(store.bytes, 0);
  });
});

describe("RedisCacheStore with a client that replies otherwise", () => {
  test("rejects what is no list, and ignores what it has not written", async () => {
    const replying = (reply: unknown): RedisCacheStore => new RedisCacheStore({ call: () => Promise.resolve(reply) });
    await assert.rejects(replying("OK").read(["a"]), { message: "Redis replied with something else than a list" });
    assert.deepEqual(await replying(["x", null]).read(["a", "b"]), [undefined, undefined]);
    assert.throws(() => new RedisCacheStore({ call: async () => null }, { timeoutMs: 0 }), { code: "CACHE" });
  });
});
