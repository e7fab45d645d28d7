/** Broadcasts by NOTIFY, through PGlite and scripted connections (WS). conformance/one-database.test.ts has a server. */
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { after, before, describe, test } from "node:test";
import { PGlite } from "@electric-sql/pglite";
import { PostgresBroadcast, type PostgresBroadcastOptions, type PostgresConnection } from "./index.ts";
import { assembler, partsOf } from "./postgres-broadcast.ts";

const until = async (ready: () => boolean): Promise<void> => {
  while (!ready()) await new Promise((resolve) => void setTimeout(resolve, 1));
};

describe("PostgresBroadcast", () => {
  const database = new PGlite();
  before(() => database.waitReady);
  after(() => database.close());

  test("delivers every text whole and in order, on any channel, to those who listen", async () => {
    const broadcast = new PostgresBroadcast({ client: database });
    const heard: string[] = [];
    const channel = `room "blue"; \0 ${"x".repeat(100)}`;
    const leave = await broadcast.subscribe(channel, (text) => void heard.push(text));
    const texts = ["", "a", "\0 \ud800 ä", "😀".repeat(9_000), `"${"y".repeat(8_000)}`];
    for (const text of texts) await broadcast.publish(channel, text);
    await broadcast.publish("another", "nobody");
    await until(() => heard.length === texts.length);
    assert.deepEqual(heard, texts);
    leave();
    await broadcast.publish(channel, "too late");
    await broadcast.close();
    assert.equal(heard.length, texts.length);
    await assert.rejects(
      broadcast.subscribe(channel, () => undefined),
      { message: "this PostgresBroadcast is closed" },
    );
  });

  test("has notifications of less than 8,000 bytes", () => {
    for (const text of ["a".repeat(9_000), "€".repeat(9_000), "😀".repeat(9_000), "\0".repeat(9_000)]) {
      const parts = partsOf("room", text);
      const heard: string[] = [];
      const next = assembler((channel, whole) => void heard.push(channel, whole));
      parts.forEach(next);
      assert.deepEqual(heard, ["room", text]);
      assert.ok(parts.every((part) => Buffer.byteLength(part) < 8_000 && Buffer.from(part).toString() === part));
    }
  });

  test("ignores what others notify, and the rest of a text whose beginning it has not heard", () => {
    const heard: string[] = [];
    const next = assembler((_, text) => void heard.push(text));
    const [, ...rest] = partsOf("room", "a".repeat(6_000));
    const foreign = ["", "hello", "01234567 0 {}", "01234567 0 [1, 2]", "01234567 0 ]"];
    [...foreign, ...rest, ...partsOf("room", "whole")].forEach(next);
    assert.deepEqual(heard, ["whole"]);
  });
});

/** A scripted client of pg. */
class Connection extends EventEmitter {
  readonly asked: string[] = [];
  ended = 0;
  reply: () => Promise<unknown> = () => Promise.resolve();
  query(text: string): Promise<unknown> {
    this.asked.push(text);
    return this.reply();
  }
  end(): Promise<void> {
    this.ended += 1;
    return Promise.resolve();
  }
}

describe("the listening connection of a PostgresBroadcast", () => {
  const client = { query: async () => ({ rows: [] }) };

  /** A broadcast over scripted connections, of which each `connect` gives the next. */
  function scripted(connections: readonly (Connection | Error)[], more: Partial<PostgresBroadcastOptions> = {}) {
    const left = [...connections];
    const reports: string[] = [];
    const broadcast = new PostgresBroadcast({
      client,
      connect: () => {
        const next = left.shift();
        return next instanceof Connection ? Promise.resolve(next as PostgresConnection) : Promise.reject(next);
      },
      onError: (what, error) => void reports.push(`${what}: ${(error as Error).message}`),
      ...more,
    });
    return { broadcast, reports, left };
  }
  const [notification] = partsOf("room", "a");

  test("listens again after it was lost, on a new one, and ignores the old one", async () => {
    const [one, two] = [new Connection(), new Connection()];
    const { broadcast, reports, left } = scripted([one, new Error("away"), two]);
    const heard: string[] = [];
    await broadcast.subscribe("room", (text) => void heard.push(text));
    one.emit("error", new Error("reset"));
    one.emit("end");
    await assert.rejects(
      broadcast.subscribe("hall", () => undefined),
      { message: "PostgreSQL is not connected: nothing would be heard" },
    );
    await until(() => two.asked.length > 0);
    for (const from of [one, two]) from.emit("notification", { channel: "framework_broadcast", payload: notification });
    two.emit("notification", { channel: "another", payload: notification });
    two.emit("notification", { channel: "framework_broadcast" });
    assert.deepEqual(
      [heard, reports, left, one.asked, one.ended, two.ended],
      [["a"], ["the connection to PostgreSQL is disturbed: reset"], [], ['listen "framework_broadcast"'], 1, 0],
    );
    await broadcast.close();
    assert.equal(two.ended, 1);
  });

  test("is replaced when it no longer replies to a probe", async () => {
    const [one, two] = [new Connection(), new Connection()];
    const { broadcast, reports } = scripted([one, two], { probeMs: 1, timeoutMs: 20 });
    await broadcast.subscribe("room", () => undefined);
    await until(() => one.asked.length > 3);
    one.reply = () => new Promise(() => undefined);
    await until(() => two.asked.length > 1);
    assert.deepEqual(reports, ["the connection to PostgreSQL is disturbed: PostgreSQL did not reply within 20 ms"]);
    await broadcast.close();
  });

  test("rejects a subscription that it cannot begin, and the next one tries again", async () => {
    const [silent, one] = [new Connection(), new Connection()];
    silent.reply = () => new Promise(() => undefined);
    const { broadcast } = scripted([new Error("away"), silent, one], { timeoutMs: 30 });
    const subscribe = (): Promise<unknown> => broadcast.subscribe("room", () => undefined);
    await assert.rejects(subscribe(), { message: "away" });
    await assert.rejects(subscribe(), /PostgreSQL .* within 30 ms/);
    await subscribe();
    await broadcast.close();
    assert.deepEqual([silent.ended, one.ended], [1, 1]);
  });

  test("ends one that connects only after the broadcast was closed", async () => {
    const late = new Connection();
    let connect = (_: PostgresConnection): void => undefined;
    const { broadcast } = scripted([], { connect: () => new Promise((resolve) => (connect = resolve)) });
    const waiting = broadcast.subscribe("room", () => undefined).catch(String);
    await broadcast.close();
    connect(late as PostgresConnection);
    await waiting;
    assert.deepEqual([late.ended, late.asked], [1, []]);
  });

  test("names the invalid option", () => {
    for (const options of [{ name: "a b" }, { name: "x".repeat(64) }, { probeMs: 0 }, { whenDown: "wait" as never }])
      assert.throws(() => new PostgresBroadcast({ client, connect: () => new Promise(() => undefined), ...options }), {
        code: "BROADCAST_INVALID",
      });
    for (const without of [client, {}])
      assert.throws(() => new PostgresBroadcast({ client: without }), { code: "POSTGRES_CLIENT" });
  });
});
