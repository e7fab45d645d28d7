/** app.background: supervised work that is asked to end and awaited (LIFE). */
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { describe, test } from "node:test";
import { Framework, type Context } from "../index.ts";
import { Background, type BackgroundWrap, inside } from "./background.ts";

interface Subject {
  readonly app: Framework;
  readonly lines: string[];
}

function subject(): Subject {
  const lines: string[] = [];
  const logger = {
    warn: (line: string) => void lines.push(line),
    error: (line: string, error?: unknown) => void lines.push(`${line}: ${String(error)}`),
  };
  return { app: Framework.create({ logger }), lines };
}

/** Rejects as soon as the signal is aborted. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("told to end")), { once: true }));

describe("app.background", () => {
  test("stop waits for the work, and runs onStop after it", async () => {
    const { app, lines } = subject();
    const order: string[] = [];
    app
      .onStop(() => void order.push("onStop"))
      .background("loop", async (signal) => {
        await untilAborted(signal).catch(() => undefined);
        await pause(20);
        order.push("the work is over");
      });
    await app.stop({ graceMs: 5_000 });
    assert.deepEqual([order, lines], [["the work is over", "onStop"], []]);
  });

  test("stop aborts the signal of running work, and nothing does before", async () => {
    const { app } = subject();
    const seen: boolean[] = [];
    app.background("loop", async (signal) => {
      seen.push(signal.aborted);
      signal.addEventListener("abort", () => void seen.push(signal.aborted));
      await untilAborted(signal).catch(() => undefined);
    });
    await pause(1);
    assert.deepEqual(seen, [false]);
    await app.stop({ graceMs: 5_000 });
    assert.deepEqual(seen, [false, true]);
  });

  test("work that begins while the app stops is aborted immediately and awaited", async () => {
    const { app } = subject();
    const seen: unknown[] = [];
    app.background("outer", async (signal) => {
      await untilAborted(signal).catch(() => undefined);
      app.background("inner", async (inner) => {
        seen.push(inner.aborted);
        await pause(10);
        seen.push("over");
      });
    });
    await app.stop({ graceMs: 5_000 });
    assert.deepEqual(seen, [true, "over"]);
  });

  test("stop continues without work that does not end within the grace, and names it", async () => {
    const { app, lines } = subject();
    const gate = new AbortController();
    for (const name of ["deaf", "dumb"]) app.background(name, () => pause(60_000, undefined, { signal: gate.signal }));
    const before = performance.now();
    await app.stop({ graceMs: 30 });
    assert.ok(performance.now() - before < 2_000);
    assert.deepEqual(lines, ["the app stopped while background work was running: deaf, dumb"]);
    gate.abort();
  });

  test("stop waits without limit when the grace is infinite", async () => {
    const { app, lines } = subject();
    let isOver = false;
    app.background("slow", async () => {
      await pause(20);
      isOver = true;
    });
    await app.stop({ graceMs: Infinity });
    assert.deepEqual([isOver, lines], [true, []]);
  });

  test("a thrown or rejected error is logged under the name and goes no further", async () => {
    const { app, lines } = subject();
    app
      .background("at once", () => {
        throw new TypeError("no");
      })
      .background("later", async () => {
        await pause(1);
        throw new RangeError("never");
      });
    await pause(5);
    await app.stop();
    assert.deepEqual(lines, [
      "background work at once failed: TypeError: no",
      "background work later failed: RangeError: never",
    ]);
  });

  test("an unrelated failure after the abort is logged, and so is the work's own abort before it", async () => {
    const { app, lines } = subject();
    const abort = new DOMException("mine", "AbortError");
    app
      .background("told", (signal) => untilAborted(signal))
      .background("own", () => Promise.reject(abort))
      .background("nothing", (signal) => untilAborted(signal).catch(() => Promise.reject(undefined)));
    await new Promise((resolve) => setImmediate(resolve));
    await app.stop();
    assert.deepEqual(lines, [
      "background work own failed: AbortError: mine",
      "background work told failed: Error: told to end",
      "background work nothing failed: undefined",
    ]);
  });

  test("the first work that begins while the app stops is aborted immediately", async () => {
    const told: boolean[] = [];
    const background = new Background({ error: assert.fail, warn: assert.fail }, []);
    background.abort();
    background.begin("first", (signal) => void told.push(signal.aborted));
    await background.settled(1_000);
    assert.deepEqual(told, [true]);
  });

  test("work that ends because of the abort has not failed", async () => {
    const { app, lines } = subject();
    app
      .background("aborted by Node", (signal) => pause(60_000, undefined, { signal }))
      .background("aborted by its reason", (signal) =>
        untilAborted(signal).catch(() => {
          throw signal.reason;
        }),
      );
    await app.stop();
    assert.deepEqual(lines, []);
  });

  test("work does not begin after the app has stopped", async () => {
    const { app, lines } = subject();
    await app.stop();
    app.background("late", () => assert.fail("was begun"));
    assert.deepEqual(lines, ["background work late was not begun: the app has stopped"]);
  });

  test("is wrapped by its observers, the first outermost", async () => {
    const { app } = subject();
    const order: string[] = [];
    for (const who of ["outer", "inner"])
      app.observe({
        background: (name, work) => {
          order.push(`${who} ${name}`);
          return work();
        },
      });
    app.background("task", () => order.push("work"));
    await app.stop();
    assert.deepEqual(order, ["outer task", "inner task", "work"]);
  });
});

describe("inside", () => {
  test("runs the work alone without observers, and returns the result of its wrappers", () => {
    const told: unknown[] = [];
    const wrap: BackgroundWrap = (name, work, origin) => (told.push([name, origin]), [work()]);
    const origin = { event: "message" as const, data: "x", ctx: {} as Context };
    assert.deepEqual(
      [inside([], "bare", () => 1, origin), inside([wrap], "both", () => 2, origin), inside([wrap], "work", () => 3)],
      [1, [2], [3]],
    );
    assert.deepEqual(told, [
      ["both", origin],
      ["work", undefined],
    ]);
  });
});
