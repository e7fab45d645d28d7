/**
 * Lines of the console, as Node publishes them, or wrapped if it does not.
 */
import assert from "node:assert/strict";
// oxlint-disable no-console -- it is what is looked at
import { channel } from "node:diagnostics_channel";
import { describe, it, type TestContext } from "node:test";
import type { LogDetail } from "../../index.ts";
import { ChannelHub } from "./channels.ts";
import { consoleLines, describeLine } from "./console.ts";
import type { Describe, Leaves } from "./leaves.ts";
import { Watched } from "./watched.testkit.ts";

const isPublished = Number.parseInt(process.versions.node, 10) >= 22;

/** The lines of a run. */
async function lines(watched: Watched): Promise<readonly LogDetail[]> {
  const { leaves } = await watched.trace();
  return leaves.flatMap((leaf) => (leaf.kind === "log" ? [leaf.detail] : []));
}

/** Keeps lines off the terminal during the test. */
function quiet(t: TestContext): void {
  for (const method of ["log", "info", "warn"] as const) t.mock.method(console, method, () => undefined);
}

describe("the console", () => {
  it("is wrapped with console: true if Node publishes nothing, until the app stops", async (t) => {
    if (isPublished) return t.skip("this Node publishes the console's lines");
    quiet(t);
    const before = console.log;
    const write = (): void => {
      console.log("paid %s with %d %%", "o-7", 2, { card: "visa" });
      console.warn(new RangeError("low"));
    };
    assert.deepEqual(await lines(new Watched({}, write)), []);
    const watched = new Watched({ console: true }, write);
    assert.deepEqual(await lines(watched), [
      { level: "info", message: "paid o-7 with 2 %", fields: { values: [{ card: "visa" }] } },
      { level: "warn", message: "", fields: { values: [{ $error: { name: "RangeError", message: "low" } }] } },
    ]);
    assert.notEqual(console.log, before);
    await watched.app.stop();
    assert.equal(console.log, before);
  });

  it("leaves a method unchanged if it was replaced by the time the app stops", async (t) => {
    if (isPublished) return t.skip("this Node publishes the console's lines");
    quiet(t);
    const watched = new Watched({ console: true }, () => undefined);
    await watched.trace();
    const another = (): void => undefined;
    console.info = another;
    await watched.app.stop();
    assert.equal(console.info, another);
  });

  it("is read from its channels if Node publishes it, and not with console: false", async (t) => {
    if (!isPublished) return t.skip("this Node does not publish the console's lines");
    quiet(t);
    const write = (): void => channel("console.info").publish(["paid", 7]);
    assert.deepEqual(await lines(new Watched({}, write)), [{ level: "info", message: "paid 7", fields: {} }]);
    assert.deepEqual(await lines(new Watched({ console: false }, write)), []);
  });
});

describe("consoleLines", () => {
  const methods = ["log", "info", "debug", "warn", "error"] as const;
  const levels = ["info", "info", "debug", "warn", "error"];

  /** Runs this with that process. */
  function within(process: unknown, run: () => void): void {
    const own = Object.getOwnPropertyDescriptor(globalThis, "process") ?? assert.fail();
    Object.defineProperty(globalThis, "process", { configurable: true, writable: true, value: process });
    try {
      run();
    } finally {
      Object.defineProperty(globalThis, "process", own);
    }
  }

  /** The subscribed and the wrapped methods with that process. */
  function subscribed(process: unknown, wrap: boolean): { told: unknown[]; wrapped: string[]; hub: ChannelHub } {
    const told: unknown[] = [];
    const line = (source: string, describe: Describe): unknown => told.push([source, describe()]);
    const hub = new ChannelHub((source, error) => told.push([source, error]));
    const before = methods.map((method) => console[method]);
    within(process, () => consoleLines(wrap)(hub, { line } as unknown as Leaves));
    return { told, wrapped: methods.filter((method, at) => console[method] !== before[at]), hub };
  }

  const lineOf = (method: string): unknown => [
    "console",
    { level: levels[methods.indexOf(method as "log")], message: method },
  ];

  for (const node of ["22.0.0", "24.11.1"])
    it(`subscribes to the channels of Node ${node}, and wraps nothing`, () => {
      const { told, wrapped, hub } = subscribed({ versions: { node } }, true);
      for (const method of methods) channel(`console.${method}`).publish([method]);
      hub.close();
      channel("console.log").publish(["behind its end"]);
      assert.deepEqual([told, wrapped], [methods.map(lineOf), []]);
    });

  for (const [name, process] of Object.entries({
    "an older Node": { versions: { node: "21.9.0" } },
    "a runtime that names no Node": { versions: {} },
    "a runtime without versions": {},
    "a runtime without a process": undefined,
  }))
    it(`wraps the methods of ${name} on request, until the end`, (t) => {
      for (const method of methods) t.mock.method(console, method, () => undefined);
      const before = methods.map((method) => console[method]);
      const unasked = subscribed(process, false);
      channel("console.log").publish(["of nobody"]);
      assert.deepEqual([unasked.told, unasked.wrapped], [[], []]);
      const { told, wrapped, hub } = subscribed(process, true);
      for (const method of methods) console[method](method);
      hub.close();
      assert.deepEqual([told, wrapped], [methods.map(lineOf), methods]);
      assert.deepEqual(
        methods.map((method) => console[method]),
        before,
      );
    });
});

describe("describeLine", () => {
  const cases: readonly (readonly [given: unknown[], message: string, values: readonly unknown[]])[] = [
    [[], "", []],
    [["plain"], "plain", []],
    [["a", 1, true, null, undefined, 7n], "a 1 true null undefined 7", []],
    [["%s and %o", "x", { y: 1 }], "x and {}", [{ y: 1 }]],
    [["%s %s", "one"], "one %s", []],
    [["100%", 5], "100% 5", []],
    [[{ a: 1 }, "b"], "", [{ a: 1 }, "b"]],
    [["a", { b: 1 }, "c"], "a", [{ b: 1 }, "c"]],
    [[Symbol.iterator], "", [Symbol.iterator]],
  ];
  for (const [given, message, values] of cases)
    it(`reads ${given.length} arguments as ${JSON.stringify(message)} and ${values.length} values`, () => {
      const fields = values.length === 0 ? {} : { fields: { values } };
      assert.deepEqual(describeLine("debug", given), { level: "debug", message, ...fields });
    });

  it("names the level of each method, and is empty for a value that is not a list", () => {
    const levels = (["log", "info", "debug", "warn", "error"] as const).map((method) =>
      describeLine(method, "no list"),
    );
    assert.deepEqual(
      levels,
      ["info", "info", "debug", "warn", "error"].map((level) => ({ level, message: "" })),
    );
  });

  it("shows a function and a symbol as values, since they are not text", () => {
    const [run, symbol] = [(): number => 1, Symbol("a")];
    assert.deepEqual(describeLine("log", ["%s and", run, symbol]), {
      level: "info",
      message: "{} and",
      fields: { values: [run, symbol] },
    });
    assert.deepEqual(describeLine("log", ["%s", symbol]), {
      level: "info",
      message: "{}",
      fields: { values: [symbol] },
    });
  });

  it("runs no code of a value", () => {
    const value = { toString: () => assert.fail("toString"), [Symbol.toPrimitive]: () => assert.fail("toPrimitive") };
    assert.deepEqual(describeLine("log", ["%s", value]), { level: "info", message: "{}", fields: { values: [value] } });
  });
});
