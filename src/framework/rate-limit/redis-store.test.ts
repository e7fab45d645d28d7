/** Buckets in a real redis-server, through the clients that applications use. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { Framework } from "framework";
import { RateLimitMiddleware, RedisRateLimitStore } from "./index.ts";
import { checkTogether } from "./stores.testkit.ts";
import { isRedisMissing, TestRedis } from "../testing/redis.testkit.ts";

const bucket = { intervalMs: 60_000, burst: 5 };

describe("RedisRateLimitStore with a client that replies otherwise", () => {
  const replying = (reply: unknown): RedisRateLimitStore =>
    new RedisRateLimitStore({ sendCommand: () => Promise.resolve(reply) });

  test("rejects a reply that is not a list of four", async () => {
    for (const reply of ["OK", null, [1, 2, "3"], [1, 2, "3", "4", "5"]])
      await assert.rejects(replying(reply).take("key", bucket, 1), {
        name: "TypeError",
        message: "Redis replied with something else than a list",
      });
    assert.deepEqual(await replying([1, "4", "500.5", "0"]).take("key", bucket, 1), {
      allowed: true,
      remaining: 4,
      resetMs: 500.5,
      retryMs: 0,
    });
  });

  test("sends the whole script only to a server without it", async () => {
    const commands: unknown[] = [];
    const sendCommand = ([command, script, ...rest]: string[]): Promise<unknown> => {
      commands.push([command, command === "EVALSHA" ? /^[0-9a-f]{40}$/.test(script ?? "") : script?.slice(0, 6), rest]);
      if (command === "EVALSHA") return Promise.reject(new Error("NOSCRIPT No matching script."));
      return Promise.resolve([0, 0, "1", "1"]);
    };
    await new RedisRateLimitStore({ sendCommand }).take("key", bucket, 2);
    const rest = ["1", "rate-limit:key", "60000", "5", "2"];
    assert.deepEqual(commands, [
      ["EVALSHA", true, rest],
      ["EVAL", "\nlocal", rest],
    ]);
  });

  test("does not retry when the server rejects for another reason", async () => {
    for (const reason of ["NOSCRIPT, but no error", new Error("OOM, not NOSCRIPT")]) {
      let asked = 0;
      const sendCommand = (): Promise<unknown> => ((asked += 1), Promise.reject(reason));
      await assert.rejects(
        new RedisRateLimitStore({ sendCommand }).take("key", bucket, 1),
        (error) => error === reason,
      );
      assert.equal(asked, 1);
    }
  });
});

describe("RedisRateLimitStore", { skip: isRedisMissing }, () => {
  const server = new TestRedis();
  const { path } = server;
  const node = createClient({ socket: { path, reconnectStrategy: false } });
  const io = new Redis({ path, lazyConnect: true, retryStrategy: () => null });

  before(async () => {
    await server.start();
    node.on("error", () => undefined);
    io.on("error", () => undefined);
    await Promise.all([node.connect(), io.connect()]);
  });
  after(async () => {
    node.destroy();
    io.disconnect();
    await server.end();
  });

  test("decides as the memory store does", async () => {
    const store = new RedisRateLimitStore(node);
    const seen = [];
    for (const cost of [1, 3.5, 1, 0.5, 0]) {
      const { allowed, remaining, resetMs, retryMs } = await store.take("one", bucket, cost);
      seen.push([allowed, remaining, Math.round(resetMs / 6_000), Math.round(retryMs / 6_000)]);
    }
    assert.deepEqual(seen, [
      [true, 4, 10, 0],
      [true, 0, 45, 0],
      [false, 0, 45, 5],
      [true, 0, 50, 0],
      [true, 0, 50, 0],
    ]);
    const ttl = Number(await node.sendCommand(["PTTL", "rate-limit:one"]));
    assert.ok(ttl > 290_000 && ttl <= 300_000, `${ttl}`);
  });

  test("lets two processes share a bucket, and gives no token twice", async () => {
    const stores = [new RedisRateLimitStore(node), new RedisRateLimitStore(io), new RedisRateLimitStore(io)];
    const all = Array.from({ length: 60 }, (_, at) => stores[at % 3]?.take("shared", bucket, 1));
    const taken = await Promise.all(all);
    assert.equal(taken.filter((one) => one?.allowed).length, 5);

    await checkTogether([new RedisRateLimitStore(node), new RedisRateLimitStore(io)]);
  });

  test("continues when the server has forgotten its script", async () => {
    for (const client of [node, io]) {
      const store = new RedisRateLimitStore(client, { prefix: `flushed ${client === io}:` });
      await store.take("key", bucket, 1);
      await node.sendCommand(["SCRIPT", "FLUSH"]);
      assert.equal((await store.take("key", bucket, 1)).remaining, 3);
    }
  });

  test("rejects with the server's error", async () => {
    await node.sendCommand(["LPUSH", "rate-limit:list", "x"]);
    await assert.rejects(Promise.resolve(new RedisRateLimitStore(io).take("list", bucket, 1)), /WRONGTYPE/);
  });

  /** The responses to that client by apps that are open and closed without a store. */
  function statusesOf(peerAddress: string): () => Promise<number[]> {
    const app = (onStoreError: "open" | "closed"): Framework =>
      Framework.create({ logger: { warn: () => undefined } })
        .use(
          new RateLimitMiddleware({
            limit: 3,
            windowMs: 6e4,
            onStoreError,
            storeTimeoutMs: 500,
            policyName: onStoreError,
            store: new RedisRateLimitStore(node),
          }),
        )
        .get("/", () => "");
    const apps = [app("open"), app("closed")];
    return () =>
      Promise.all(apps.map(async (one) => (await one.fetch(new Request("http://localhost/"), { peerAddress })).status));
  }

  test("is open or closed, as configured, while the server is full, and counts again afterwards", async () => {
    const ask = statusesOf("192.0.2.7");
    const configure = (bytes: string): unknown => node.sendCommand(["CONFIG", "SET", "maxmemory", bytes]);
    assert.deepEqual(await ask(), [200, 200]);
    await configure("1");
    try {
      for (let at = 0; at < 5; at += 1) assert.deepEqual(await ask(), [200, 503]);
    } finally {
      await configure("0");
    }
    assert.deepEqual(
      [await ask(), await ask(), await ask()],
      [
        [200, 200],
        [200, 200],
        [429, 429],
      ],
    );
  });

  test("is open or closed, as configured, while the server hangs and after it is gone", async () => {
    const ask = statusesOf("::1");
    assert.deepEqual(await ask(), [200, 200]);
    server.signal("SIGSTOP");
    assert.deepEqual(await ask(), [200, 503]);
    await server.kill();
    assert.deepEqual(await ask(), [200, 503]);
  });
});
