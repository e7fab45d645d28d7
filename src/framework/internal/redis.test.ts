import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { commandsOf, type RedisClient } from "./redis.ts";

describe("commandsOf", () => {
  test("sends through node-redis, which takes one list", async () => {
    const sent: unknown[] = [];
    const send = commandsOf({ sendCommand: async (command) => sent.push(command) }, 1_000);
    assert.equal(await send("SET", "key", "value"), 1);
    assert.deepEqual(sent, [["SET", "key", "value"]]);
  });

  test("sends through ioredis, whose sendCommand takes its own object", async () => {
    const sent: unknown[] = [];
    const client = { call: async (...command: string[]) => sent.push(command), sendCommand: () => assert.fail() };
    assert.equal(await commandsOf(client as RedisClient, 1_000)("GET", "key"), 1);
    assert.deepEqual(sent, [["GET", "key"]]);
  });

  test("rejects with the client's error", async () => {
    const send = commandsOf({ sendCommand: () => Promise.reject(new Error("READONLY")) }, 1_000);
    await assert.rejects(send("SET", "a", "b"), { message: "READONLY" });
  });

  test("rejects with a sentence when no reply comes in time", async () => {
    const send = commandsOf({ sendCommand: () => new Promise(() => undefined) }, 1);
    await assert.rejects(send("GET", "a"), { message: "Redis did not reply to GET within 1 ms" });
  });

  test("names a value that is not a client", () => {
    for (const [client, given] of [
      [null, "null"],
      [{}, "object"],
      [undefined, "undefined"],
      [{ call: "GET", sendCommand: true }, "object"],
    ] as const)
      assert.throws(() => commandsOf(client as never, 1_000), {
        code: "REDIS_CLIENT",
        message: `the Redis client is ${given}: a client of redis (node-redis) or ioredis is allowed`,
      });
  });
});
