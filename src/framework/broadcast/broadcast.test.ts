/** Broadcasts: within a process, and through scripted clients (WS). conformance/ tests real ones. */
import assert from "node:assert/strict";
import { EventEmitter, getEventListeners } from "node:events";
import { describe, mock, test } from "node:test";
import {
  type Broadcast,
  MemoryBroadcast,
  messagesOf,
  RedisBroadcast,
  type RedisBroadcastOptions,
  type RedisPubSubClient,
} from "./index.ts";

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe("MemoryBroadcast", () => {
  test("calls every listener of a channel in order, also one function subscribed twice, until it leaves", async () => {
    const onError = mock.fn();
    const broadcast = new MemoryBroadcast({ onError });
    const heard: string[] = [];
    const listener = (text: string): void => void heard.push(text);
    const leave = await broadcast.subscribe("room", listener);
    await broadcast.subscribe("room", listener);
    await broadcast.subscribe("room", (text) => void heard.push(`last ${text}`));
    await broadcast.publish("room", "a");
    await broadcast.publish("hall", "nobody");
    leave();
    leave();
    await broadcast.publish("room", "b");
    await broadcast.close();
    await broadcast.publish("room", "c");
    assert.deepEqual(heard, ["a", "a", "last a", "b", "last b"]);
    assert.equal(onError.mock.callCount(), 0);
  });

  test("rejects a subscription after it is closed", async () => {
    const broadcast = new MemoryBroadcast();
    await broadcast.close();
    await assert.rejects(
      broadcast.subscribe("room", () => undefined),
      { message: "this MemoryBroadcast is closed" },
    );
  });

  test("calls the listeners present at the publish, even if one of them leaves during it", async () => {
    const broadcast = new MemoryBroadcast();
    const heard: string[] = [];
    const leaving = await broadcast.subscribe("room", () => leaving());
    await broadcast.subscribe("room", (text) => void heard.push(text));
    await broadcast.publish("room", "a");
    assert.deepEqual(heard, ["a"]);
  });

  test("reports a listener that throws or rejects, with any report function, and calls the others", async () => {
    const reports: unknown[] = [];
    const onError = (what: string, error: unknown): never => {
      reports.push([what, (error as Error).message]);
      throw new Error("a report that fails");
    };
    const broadcast = new MemoryBroadcast({ onError });
    const heard: string[] = [];
    await broadcast.subscribe("room", () => {
      throw new Error("thrown");
    });
    await broadcast.subscribe("room", () => Promise.reject(new Error("rejected")) as unknown as undefined);
    await broadcast.subscribe("room", (text) => void heard.push(text));
    await broadcast.publish("room", "a");
    await turn();
    assert.deepEqual(
      [heard, reports],
      [["a"], ["thrown", "rejected"].map((message) => ["a listener of room failed", message])],
    );
  });

  test("reports to the console by default", async (t) => {
    const lines = t.mock.method(console, "error", () => undefined);
    const broadcast = new MemoryBroadcast();
    const error = new Error("thrown");
    await broadcast.subscribe("room", () => {
      throw error;
    });
    await broadcast.publish("room", "a");
    assert.deepEqual(
      lines.mock.calls.map((call) => call.arguments),
      [["broadcast: a listener of room failed", error]],
    );
  });
});

describe("messagesOf", () => {
  test("drops the oldest texts above the limit, and reports the number", async () => {
    const broadcast = new MemoryBroadcast();
    const leaving = new AbortController();
    const dropped = mock.fn();
    const texts = messagesOf(broadcast, "room", { signal: leaving.signal, limit: 2, dropped });
    const heard: string[] = [];
    const reading = (async () => {
      for await (const text of texts) {
        heard.push(text);
        if (text === "last") leaving.abort();
      }
    })();
    await turn();
    for (const text of ["1", "2", "3", "4"]) void broadcast.publish("room", text);
    await turn();
    await broadcast.publish("room", "5");
    await turn();
    await broadcast.publish("room", "last");
    await reading;
    assert.deepEqual(
      [heard, dropped.mock.calls.map(({ arguments: [count] }) => count as number)],
      [
        ["3", "4", "5", "last"],
        [1, 2],
      ],
    );
  });

  test("ends with its signal while it waits, and drops without a dropped callback", async () => {
    const onError = mock.fn();
    const broadcast = new MemoryBroadcast({ onError });
    const leaving = new AbortController();
    const texts = messagesOf(broadcast, "room", { signal: leaving.signal, limit: 1 })[Symbol.asyncIterator]();
    const first = texts.next();
    await turn();
    for (const text of ["1", "2"]) void broadcast.publish("room", text);
    assert.deepEqual(await first, { value: "2", done: false });
    const next = texts.next();
    await turn();
    leaving.abort();
    assert.deepEqual(await next, { value: undefined, done: true });
    assert.equal(onError.mock.callCount(), 0);
  });

  test("leaves the channel when the loop ends, and does not begin after the signal has aborted", async () => {
    const memory = new MemoryBroadcast();
    const counts = { subscribed: 0, left: 0 };
    const broadcast: Broadcast = {
      publish: (channel, text) => memory.publish(channel, text),
      subscribe: async (channel, listener) => {
        counts.subscribed += 1;
        const leave = await memory.subscribe(channel, listener);
        return () => {
          counts.left += 1;
          leave();
        };
      },
      close: () => memory.close(),
    };
    const { signal } = new AbortController();
    const first = messagesOf(broadcast, "room", { signal })[Symbol.asyncIterator]();
    const reading = first.next();
    await turn();
    await broadcast.publish("room", "a");
    assert.deepEqual(await reading, { value: "a", done: false });
    await first.return?.();
    assert.deepEqual(getEventListeners(signal, "abort"), []);
    for await (const text of messagesOf(broadcast, "room", { signal: AbortSignal.abort() })) assert.fail(text);
    assert.deepEqual(counts, { subscribed: 2, left: 2 });
  });

  test("names an invalid limit", () => {
    const { signal } = new AbortController();
    for (const limit of [0, 1.5, Number.NaN])
      assert.throws(() => messagesOf(new MemoryBroadcast(), "room", { signal, limit }), {
        code: "BROADCAST_INVALID",
        message: `messagesOf() has limit: ${limit}; a whole number from 1 on is allowed`,
      });
  });
});

const never = new Promise<never>(() => undefined);

/** A client like those of `redis` or `ioredis` that records every call and fails as scripted. */
function clientOf(kind: "redis" | "ioredis", replies: Readonly<Record<string, () => unknown>> = {}) {
  const calls: unknown[] = [];
  const reply = (name: string, ...args: unknown[]): Promise<unknown> => {
    calls.push([name, ...args.filter((arg) => typeof arg !== "function")]);
    return Promise.resolve(replies[name]?.());
  };
  const heard: ((text: string, channel: string) => void)[] = [];
  const connection = Object.assign(new EventEmitter(), {
    ...(kind === "redis" ? { isReady: true, isOpen: true } : { status: "wait" }),
    connect: async () => {
      await reply("connect");
      if (kind === "ioredis") Object.assign(connection, { status: "ready" });
    },
    subscribe: (channel: string, listener?: (text: string, channel: string) => void) => {
      if (listener !== undefined) heard.push(listener);
      return reply("subscribe", channel);
    },
    unsubscribe: (channel: string) => reply("unsubscribe", channel),
    destroy: () => void reply("close"),
    disconnect: () => void reply("close"),
  });
  const client = {
    ...(kind === "redis"
      ? { isReady: true, sendCommand: (command: string[]) => reply(...(command as [string])) }
      : { status: "ready", call: (...command: string[]) => reply(...(command as [string])) }),
    duplicate: () => connection,
  };
  /** A message from the server. */
  const send = (channel: string, text: string): void => {
    if (kind === "ioredis") connection.emit("message", channel, text);
    else for (const listener of heard) listener(text, channel);
  };
  return { client: client as unknown as RedisPubSubClient, connection, calls, send };
}

for (const kind of ["redis", "ioredis"] as const)
  describe(`RedisBroadcast over a client of ${kind}`, () => {
    const broadcastOf = (
      replies: Readonly<Record<string, () => unknown>> = {},
      options: Partial<RedisBroadcastOptions> = {},
    ) => {
      const made = clientOf(kind, replies);
      const reports: unknown[] = [];
      const onError = (what: string, error: unknown): void => void reports.push([what, (error as Error).message]);
      return { ...made, reports, broadcast: new RedisBroadcast({ client: made.client, onError, ...options }) };
    };
    const down = (): never => {
      throw new Error("down");
    };

    test("subscribes once to a channel for all its listeners, and leaves it with the last", async () => {
      const { broadcast, calls, send } = broadcastOf({}, { prefix: "p:" });
      const heard: string[] = [];
      const first = await broadcast.subscribe("room", (text) => void heard.push(`1 ${text}`));
      const second = await broadcast.subscribe("room", (text) => void heard.push(`2 ${text}`));
      await broadcast.publish("room", "ä");
      send("p:room", "a");
      send("p:hall", "b");
      first();
      await turn();
      send("p:room", "c");
      second();
      await turn();
      await broadcast.close();
      assert.deepEqual(heard, ["1 a", "2 a", "2 c"]);
      assert.deepEqual(calls, [
        ["connect"],
        ["subscribe", "p:room"],
        ["PUBLISH", "p:room", "ä"],
        ["unsubscribe", "p:room"],
        ["close"],
      ]);
    });

    test("rejects a text without a connection, or drops and reports it", async () => {
      const rejecting = broadcastOf({ PUBLISH: down });
      await assert.rejects(rejecting.broadcast.publish("room", "a"), { message: "down" });
      const lost = "Redis is not connected: nothing was published";
      Object.assign(rejecting.client, kind === "redis" ? { isReady: false } : { status: "reconnecting" });
      await assert.rejects(rejecting.broadcast.publish("room", "a"), { message: lost });
      const dropping = broadcastOf({ PUBLISH: down }, { whenDown: "drop" });
      await dropping.broadcast.publish("room", "a");
      assert.deepEqual([rejecting.reports, dropping.reports], [[], [["a text for room was dropped", "down"]]]);
      assert.deepEqual([rejecting.calls.length, dropping.calls], [1, [["PUBLISH", "broadcast:room", "a"]]]);
    });

    test("rejects a subscription that Redis does not accept, or not in time, and retries for the next", async () => {
      const waits = { timeoutMs: 5 };
      const replies: Record<string, () => unknown> = { subscribe: () => never };
      const late = broadcastOf(replies, waits);
      const message = "Redis did not reply to SUBSCRIBE within 5 ms";
      await assert.rejects(
        late.broadcast.subscribe("room", () => undefined),
        { message },
      );
      replies["subscribe"] = down;
      await assert.rejects(
        late.broadcast.subscribe("room", () => undefined),
        { message: "down" },
      );
      delete replies["subscribe"];
      await late.broadcast.subscribe("room", () => undefined);
      const subscribing = ["subscribe", "broadcast:room"];
      assert.deepEqual(late.calls, [["connect"], subscribing, subscribing, subscribing]);
    });

    test("rejects a subscription without a connection, and makes another connection for the next", async () => {
      const replies: Record<string, () => unknown> = { connect: () => never };
      const { broadcast, calls, connection } = broadcastOf(replies, { timeoutMs: 5 });
      const unreached = "Redis could not be reached within 5 ms";
      await assert.rejects(
        broadcast.subscribe("room", () => undefined),
        { message: unreached },
      );
      delete replies["connect"];
      await broadcast.subscribe("room", () => undefined);
      assert.deepEqual(calls, [["connect"], ["close"], ["connect"], ["subscribe", "broadcast:room"]]);
      Object.assign(connection, kind === "redis" ? { isReady: false } : { status: "reconnecting" });
      const unheard = "Redis is not connected: nothing would be heard";
      await assert.rejects(
        broadcast.subscribe("hall", () => undefined),
        { message: unheard },
      );
    });

    test("retries immediately when another listener has yet to learn that the same subscription failed", async () => {
      const replies: Record<string, () => unknown> = { subscribe: down };
      const { broadcast, calls } = broadcastOf(replies);
      const again = broadcast
        .subscribe("room", () => undefined)
        .catch(() => {
          delete replies["subscribe"];
          return broadcast.subscribe("room", () => undefined);
        });
      const other = assert.rejects(
        broadcast.subscribe("room", () => undefined),
        { message: "down" },
      );
      await Promise.all([again, other]);
      const subscribing = ["subscribe", "broadcast:room"];
      assert.deepEqual(calls, [["connect"], subscribing, subscribing]);
    });

    test("closes a connection after several have waited for it in vain", async () => {
      const { broadcast, calls } = broadcastOf({ connect: () => never }, { timeoutMs: 5 });
      const waiting = ["room", "hall"].map((channel) => broadcast.subscribe(channel, () => undefined));
      assert.deepEqual(
        (await Promise.allSettled(waiting)).map(({ status }) => status),
        ["rejected", "rejected"],
      );
      assert.deepEqual(calls, [["connect"], ["close"]]);
    });

    test("closes without a subscription, and does not report a channel that it could not leave by then", async () => {
      await broadcastOf().broadcast.close();
      let fail = (_: Error): void => undefined;
      const leaving = new Promise<never>((_, reject) => (fail = reject));
      const { broadcast, calls, reports } = broadcastOf({ unsubscribe: () => leaving });
      (await broadcast.subscribe("room", () => undefined))();
      await turn();
      await broadcast.close();
      fail(new Error("gone"));
      await turn();
      assert.deepEqual([calls.at(-2), reports], [["unsubscribe", "broadcast:room"], []]);
    });

    test("reports a broken connection and a channel that it cannot leave, and nothing after it is closed", async () => {
      const { broadcast, reports, connection, calls } = broadcastOf({ unsubscribe: down });
      const leave = await broadcast.subscribe("room", () => undefined);
      connection.emit("error", new Error("reset"));
      leave();
      await turn();
      const leaveLater = await broadcast.subscribe("hall", () => undefined);
      await broadcast.close();
      connection.emit("error", new Error("closed"));
      leaveLater();
      await turn();
      assert.deepEqual(reports, [
        ["the connection to Redis is disturbed", "reset"],
        ["room could not be left", "down"],
      ]);
      assert.deepEqual(calls.at(-1), ["close"]);
      await assert.rejects(
        broadcast.subscribe("room", () => undefined),
        { message: "this RedisBroadcast is closed" },
      );
    });

    test("keeps a channel with a new listener before it was left", async () => {
      const { broadcast, calls, send } = broadcastOf();
      const heard: string[] = [];
      const leave = await broadcast.subscribe("room", () => undefined);
      leave();
      await broadcast.subscribe("room", (text) => void heard.push(text));
      await turn();
      send("broadcast:room", "a");
      assert.deepEqual(
        [new Set(heard), calls.filter((call) => String(call).startsWith("unsub"))],
        [new Set(["a"]), []],
      );
    });
  });

describe("RedisBroadcast over ioredis that connects automatically", () => {
  for (const [event, outcome] of [
    ["ready", "subscribed"],
    ["end", "the connection to Redis was closed"],
  ] as const)
    test(`waits until it is ${event}`, async () => {
      const { client, connection } = clientOf("ioredis");
      Object.assign(connection, { status: "connecting" });
      const broadcast = new RedisBroadcast({ client });
      const subscribing = broadcast
        .subscribe("room", () => undefined)
        .then(
          () => "subscribed",
          (error: Error) => error.message,
        );
      await turn();
      if (event === "ready") Object.assign(connection, { status: "ready" });
      connection.emit(event);
      assert.equal(await subscribing, outcome);
    });
});

test("RedisBroadcast over ioredis does not wait for a connection that is ready", async () => {
  const { client, connection, calls } = clientOf("ioredis");
  Object.assign(connection, { status: "ready" });
  await new RedisBroadcast({ client }).subscribe("room", () => undefined);
  assert.deepEqual(calls, [["subscribe", "broadcast:room"]]);
});

test("RedisBroadcast over a client of redis does not close a connection that is not open", async () => {
  const { client, connection, calls } = clientOf("redis");
  const broadcast = new RedisBroadcast({ client });
  await broadcast.subscribe("room", () => undefined);
  Object.assign(connection, { isOpen: false });
  await broadcast.close();
  assert.deepEqual(calls, [["connect"], ["subscribe", "broadcast:room"]]);
});

test("RedisBroadcast publishes over a client that does not say whether it is connected", async () => {
  const { client, calls } = clientOf("redis");
  Object.assign(client, { isReady: undefined });
  await new RedisBroadcast({ client }).publish("room", "a");
  assert.deepEqual(calls, [["PUBLISH", "broadcast:room", "a"]]);
});

describe("options of RedisBroadcast", () => {
  test("are named when they are invalid", () => {
    const { client } = clientOf("redis");
    const times = "a whole number of milliseconds from 1 on is allowed";
    const wrong: readonly (readonly [options: object, code: string, message: string])[] = [
      [
        { whenDown: "wait" },
        "BROADCAST_INVALID",
        'RedisBroadcast has whenDown: "wait"; "reject" and "drop" are allowed',
      ],
      ...[0, 1.5, 2 ** 31].map(
        (ms) => [{ timeoutMs: ms }, "BROADCAST_INVALID", `RedisBroadcast has timeoutMs: ${ms}; ${times}`] as const,
      ),
      [
        { client: {} },
        "REDIS_CLIENT",
        "the Redis client is object: a client of redis (node-redis) or ioredis is allowed",
      ],
      [
        { client: { sendCommand: () => never } },
        "REDIS_CLIENT",
        "the Redis client has no duplicate(): RedisBroadcast needs a second connection, as redis (node-redis) and ioredis give",
      ],
    ];
    for (const [options, code, message] of wrong)
      assert.throws(() => new RedisBroadcast({ client, ...options }), { name: "TypeError", code, message });
    for (const timeoutMs of [1, 2 ** 31 - 1])
      assert.doesNotThrow(() => new RedisBroadcast({ client, timeoutMs, whenDown: "reject" }));
  });
});
