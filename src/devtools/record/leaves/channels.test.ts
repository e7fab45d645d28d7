/** Channels and steps: which messages are received, which belong together, and that none of them throws (LEAF). */
import assert from "node:assert/strict";
import { channel } from "node:diagnostics_channel";
import { describe, it } from "node:test";
import { ChannelHub, channelSource, failureOf, onTracing } from "./channels.ts";
import type { Leaves, OpenLeaf } from "./leaves.ts";
import { step, type StepMessage } from "./step.ts";

/** A hub, and the faults that were reported to it. */
function subject(): { hub: ChannelHub; faults: unknown[] } {
  const faults: unknown[] = [];
  return { hub: new ChannelHub((source, error) => faults.push(source, error)), faults };
}

describe("ChannelHub", () => {
  it("receives until it is closed, calls each undo once, and catches a listener's error", () => {
    const { hub, faults } = subject();
    const thrown = new Error("no");
    const seen: unknown[] = [];
    hub.on("test.hub", (message) => {
      seen.push(message);
      throw thrown;
    });
    hub.onClose(() => seen.push("undone"));
    channel("test.hub").publish(7);
    hub.close();
    hub.close();
    channel("test.hub").publish(8);
    assert.deepEqual(
      [seen, faults],
      [
        [7, "undone"],
        ["test.hub", thrown],
      ],
    );
  });
});

describe("onTracing", () => {
  /** Publishes on a traced channel, and returns what began and ended. */
  function traced(): { publish: (at: string, message: unknown) => void; close: () => void; seen: string[] } {
    const { hub, faults } = subject();
    const seen: string[] = [];
    onTracing(hub, "test.traced-alone", {
      begin: (message) => {
        const { name } = message as { name: string };
        seen.push(`begin ${name}`);
        return name === "unseen" ? undefined : ({ source: name } as OpenLeaf);
      },
      end: ({ source }, message) => seen.push(`end ${source} ${Object.keys(message).join()}`),
    });
    const publish = (at: string, message: unknown): void => {
      channel(`tracing:test.traced-alone:${at}`).publish(message);
      assert.deepEqual(faults, []);
    };
    return { publish, close: () => hub.close(), seen };
  }

  it("ends each started one once: at its end with a result or an error, otherwise when its promise settles", () => {
    const { publish, close, seen } = traced();
    const [sync, failed, late, unseen] = ["sync", "failed", "late", "unseen"].map((name): object => ({ name }));
    for (const message of [sync, failed, late, unseen]) publish("start", message);
    publish("end", late);
    publish("end", Object.assign(sync ?? {}, { result: undefined }));
    publish("end", Object.assign(failed ?? {}, { error: undefined }));
    for (const message of [late, unseen, late, sync]) publish("asyncStart", message);
    close();
    assert.deepEqual(seen, [
      "begin sync",
      "begin failed",
      "begin late",
      "begin unseen",
      "end sync name,result",
      "end failed name,error",
      "end late name",
    ]);
  });

  it("ignores a message that is not an object", () => {
    const { publish, close, seen } = traced();
    for (const message of [undefined, null, 7, "x"])
      for (const at of ["start", "end", "asyncStart"]) publish(at, message);
    close();
    assert.deepEqual(seen, []);
  });
});

describe("channelSource", () => {
  it("receives a plain channel, and a tracing one with its error", () => {
    const { hub } = subject();
    const seen: unknown[] = [];
    const open = {} as OpenLeaf;
    const leaves = {
      add: (source: string, kind: string, describe: () => unknown) => seen.push(["add", source, kind, describe()]),
      begin: (source: string, kind: string, describe: () => unknown) => {
        seen.push(["begin", source, kind, describe()]);
        return open;
      },
      end: (leaf: OpenLeaf, describe: () => unknown, failure: unknown) =>
        seen.push(["end", leaf === open, describe(), failure]),
    } as unknown as Leaves;
    channelSource({ channel: "test.source", kind: "span", describe: (message) => ({ name: String(message) }) })(
      hub,
      leaves,
    );
    channel("test.source").publish("plain");
    const message = { error: "no", toString: () => "traced" };
    for (const at of ["start", "end"]) channel(`tracing:test.source:${at}`).publish(message);
    hub.close();
    assert.deepEqual(seen, [
      ["add", "test.source", "span", { name: "plain" }],
      ["begin", "test.source", "span", { name: "traced" }],
      ["end", true, { name: "traced" }, { error: "no" }],
    ]);
  });
});

describe("failureOf", () => {
  it("is the message's own error, and undefined for a value that is not an object", () => {
    const thrown = new Error("no");
    assert.deepEqual(failureOf({ error: thrown }), { error: thrown });
    for (const message of [{}, { error: undefined }, Object.create({ error: 1 }), "text", null, undefined])
      assert.equal(failureOf(message), undefined);
  });
});

describe("step, for listeners of its channel", () => {
  it("publishes its start, its notes, and its end immediately or when its promise settles", async () => {
    const { hub } = subject();
    const seen: unknown[] = [];
    const messages = new Set<unknown>();
    for (const at of ["start", "end", "asyncStart"])
      hub.on(`tracing:framework.step:${at}`, (message) => {
        messages.add(message);
        const { kind, name, result, error, described } = message as StepMessage;
        seen.push([at, kind, name, described(), result, error]);
      });
    const thrown = new Error("no");
    const fails = (): never => {
      throw thrown;
    };
    step("cache", "sync", (note) => {
      note({ command: "get", key: "a" });
      note({ key: "b" });
      return 7;
    });
    assert.throws(() => step("span", "throws", fails), thrown);
    assert.equal(await step("span", "async", async () => 8), 8);
    await assert.rejects(
      step("span", "rejects", async () => fails()),
      thrown,
    );
    hub.close();
    assert.equal(messages.size, 4);
    assert.deepEqual(seen, [
      ["start", "cache", "sync", {}, undefined, undefined],
      ["end", "cache", "sync", { command: "get", key: "b" }, 7, undefined],
      ["start", "span", "throws", {}, undefined, undefined],
      ["end", "span", "throws", {}, undefined, thrown],
      ["start", "span", "async", {}, undefined, undefined],
      ["asyncStart", "span", "async", {}, 8, undefined],
      ["start", "span", "rejects", {}, undefined, undefined],
      ["asyncStart", "span", "rejects", {}, undefined, thrown],
    ]);
  });
});
