/** Sessions in a real Redis, with both of its clients, and in one that hangs, rejects, fills up and stops (SESSION). */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { Redis } from "ioredis";
import { createClient as nodeRedis } from "redis";
import { RedisSessionStore, type RedisClient, type RedisSessionOptions } from "./index.ts";
import { createClient } from "./sessions.testkit.ts";
import { isRedisMissing, TestRedis } from "../testing/redis.testkit.ts";

interface Connected {
  readonly client: RedisClient;
  close(): unknown;
}

const connections: Readonly<Record<string, (socket: { path: string } | { port: number }) => Promise<Connected>>> = {
  async "node-redis"(socket) {
    const options = "port" in socket ? { ...socket, host: "127.0.0.1", reconnectStrategy: false as const } : socket;
    const client = nodeRedis({ socket: options as { path: string; tls: false } });
    client.on("error", () => undefined);
    const connecting = client.connect().catch(() => undefined);
    if (!("port" in socket)) await connecting;
    return { client, close: () => client.destroy() };
  },
  async ioredis(socket) {
    const client = new Redis({ ...socket, retryStrategy: () => null, maxRetriesPerRequest: 0 });
    client.on("error", () => undefined);
    return { client, close: () => client.disconnect() };
  },
};

describe("RedisSessionStore", { skip: isRedisMissing }, () => {
  const server = new TestRedis();
  const { path } = server;
  before(() => server.start("--appendonly", "no", "--maxmemory-policy", "noeviction"));
  after(() => server.end());

  for (const [name, connect] of Object.entries(connections))
    describe(`through ${name}`, () => {
      let connected: Connected;
      before(async () => (connected = await connect({ path })));
      after(() => connected.close());
      const storeOf = (options?: RedisSessionOptions): RedisSessionStore =>
        new RedisSessionStore(connected.client, { prefix: `${name}:`, ...options });

      test("creates, updates, reads, touches and destroys, each in one step", async () => {
        const store = storeOf();
        const outcomes = [
          await store.write("a", "é 1", { ttlMs: 60_000, mode: "update" }),
          await store.write("a", "é 1", { ttlMs: 60_000, mode: "create" }),
          await store.write("a", "é 2", { ttlMs: 60_000, mode: "create" }),
          await store.read("a"),
          await store.write("a", "é 3", { ttlMs: 60_000, mode: "update" }),
          await store.read("a"),
          await store.touch("a", 90_000),
          await store.touch("b", 90_000),
          await storeOf({ prefix: "other:" }).read("a"),
          await store.destroy("a"),
          await store.destroy("a"),
          await store.read("a"),
        ];
        assert.deepEqual(outcomes, [
          false,
          true,
          false,
          "é 1",
          true,
          "é 3",
          true,
          false,
          ...Array.from({ length: 4 }, () => undefined),
        ]);
      });

      test("lets the server expire sessions", async () => {
        const store = storeOf();
        await store.write("short", "1", { ttlMs: 1, mode: "create" });
        while ((await store.read("short")) !== undefined);
        assert.equal(await store.touch("short", 1_000), false);
      });

      test("keeps the session of an app, for another process too", async () => {
        const one = createClient({ store: storeOf() });
        await one.get("/login?user=Ada");
        const other = createClient({ store: storeOf() });
        other.jar = one.jar;
        await other.get("/add?sku=lamp");
        assert.deepEqual(await one.json("/read"), { user: "Ada", cart: ["lamp"], isNew: false });
        await one.get("/destroy");
        assert.equal((await other.json("/read"))["user"], null);
      });

      test("SESSION-017: is 503 while the server is full, and in bounded time while it is stopped", async () => {
        const app = createClient({ store: storeOf({ timeoutMs: 300 }) });
        await app.get("/login?user=Ada");
        const { jar } = app;
        const configure = (bytes: string): unknown =>
          spawnSync("redis-cli", ["-s", path, "config", "set", "maxmemory", bytes]);
        configure("1");
        assert.equal((await app.get("/add?sku=lamp")).response.status, 503);
        configure("0");
        server.signal("SIGSTOP");
        try {
          app.jar = jar;
          const startedAt = performance.now();
          assert.equal((await app.get("/read")).response.status, 503);
          assert.ok(performance.now() - startedAt < 2_000);
        } finally {
          server.signal("SIGCONT");
        }
        app.jar = jar;
        assert.deepEqual(await app.json("/read"), { user: "Ada", cart: null, isNew: false });
      });
    });
});

describe("a server that is not Redis", () => {
  const opened: Server[] = [];
  const listening = async (onSocket: (socket: Socket) => unknown): Promise<number> => {
    const server = createServer((socket) => void onSocket(socket.on("error", () => undefined))).listen(0, "127.0.0.1");
    opened.push(server);
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  };
  after(() => opened.forEach((server) => server.close()));

  for (const [name, connect] of Object.entries(connections))
    for (const [how, onSocket] of Object.entries({
      "never replies": () => undefined,
      "hangs up": (socket: { destroy(): unknown }) => socket.destroy(),
    }))
      test(`SESSION-017: is 503 in bounded time when it ${how}, through ${name}`, async () => {
        const { client, close } = await connect({ port: await listening(onSocket) });
        try {
          const app = createClient({ store: new RedisSessionStore(client, { timeoutMs: 30 }) });
          const startedAt = performance.now();
          assert.equal((await app.get("/login?user=Ada")).response.status, 503);
          assert.ok(performance.now() - startedAt < 1_000);
        } finally {
          close();
        }
      });
});

describe("new RedisSessionStore", () => {
  test("names the invalid option", () => {
    assert.throws(() => new RedisSessionStore({} as RedisClient), { code: "REDIS_CLIENT" });
    for (const timeoutMs of [0, -1, Number.NaN, 2 ** 31])
      assert.throws(() => new RedisSessionStore({ call: async () => null }, { timeoutMs }), {
        code: "CONFIG_INVALID",
        message: `timeoutMs of RedisSessionStore is ${timeoutMs}: milliseconds above 0 are allowed`,
      });
    for (const timeoutMs of [0.5, 2 ** 31 - 1])
      assert.doesNotThrow(() => new RedisSessionStore({ call: async () => null }, { timeoutMs }));
  });
});

describe("the commands of a RedisSessionStore", () => {
  /** A store that gets these replies in order, and its sent commands. */
  function replying(...replies: readonly unknown[]): { store: RedisSessionStore; sent: string[] } {
    const sent: string[] = [];
    const left = [...replies];
    const call = async (...command: string[]): Promise<unknown> => (sent.push(command.join(" ")), left.shift());
    return { store: new RedisSessionStore({ call }), sent };
  }

  test("are one for each step, with the prefix before the key", async () => {
    const { store, sent } = replying("OK", null, 1, 0, 1);
    assert.deepEqual(
      [
        await store.write("a", "text", { ttlMs: 5, mode: "create" }),
        await store.write("a", "text", { ttlMs: 6, mode: "update" }),
        await store.touch("a", 7),
        await store.touch("a", 8),
        await store.destroy("a"),
      ],
      [true, false, true, false, undefined],
    );
    assert.deepEqual(sent, [
      "SET session:a text PX 5 NX",
      "SET session:a text PX 6 XX",
      "PEXPIRE session:a 7",
      "PEXPIRE session:a 8",
      "DEL session:a",
    ]);
  });

  test("accept a text of either client, and undefined for a missing one", async () => {
    const { store, sent } = replying("text", Buffer.from("bytes"), null, undefined);
    const found: unknown[] = [];
    for (let at = 0; at < 4; at += 1) found.push(await store.read("a"));
    assert.deepEqual(found, ["text", "bytes", undefined, undefined]);
    assert.deepEqual(new Set(sent), new Set(["GET session:a"]));
  });
});
