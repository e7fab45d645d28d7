/** Who hears of what happens to an app, and what middleware is told of it (LIFE, MW). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { DeclaredRoute } from "../index.ts";
import { safeLogger } from "../internal/logger.ts";
import { Listeners } from "./listeners.ts";

/** The lists of an app, what it logs, and what middleware is told. */
function subject() {
  const lines: (readonly unknown[])[] = [];
  const logger = safeLogger({
    warn: (line) => void lines.push(["warn", line]),
    error: (line, error) => void lines.push(["error", line, error]),
  });
  const listeners = new Listeners(logger);
  const facts = { isDraining: false };
  const given: unknown[] = [];
  const lifecycle = listeners.lifecycle({
    engine: "node-http",
    strictSlash: false,
    isDraining: () => facts.isDraining,
    onStart: (listener) => void given.push(listener),
    wrapBackground: (around) => void given.push(around),
  });
  return { listeners, lifecycle, lines, facts, given };
}
const failing = (error: Error) => (): never => {
  throw error;
};

describe("what middleware is told", () => {
  test("its listeners are those of the app, and a line goes to the log", () => {
    const { listeners, lifecycle, lines, given } = subject();
    const [start, stop, wrap] = [(): void => undefined, (): void => undefined, (): void => undefined];
    const hook = (): undefined => undefined;
    lifecycle.onStart(start);
    lifecycle.wrapBackground(wrap);
    lifecycle.onStop(stop);
    lifecycle.onResponse(hook);
    lifecycle.warn("a line");
    assert.deepEqual([given, listeners.stop, listeners.response], [[start, wrap], [stop], [hook]]);
    assert.deepEqual([lines, lifecycle.engine], [[["warn", "a line"]], "node-http"]);
  });

  test("is draining once the app is", () => {
    const { lifecycle, facts } = subject();
    assert.equal(lifecycle.draining, false);
    facts.isDraining = true;
    assert.equal(lifecycle.draining, true);
  });
});

describe("routes", () => {
  test("are made once for all that listen, and not where nobody does", () => {
    const { listeners, lifecycle } = subject();
    let made = 0;
    const routes = (): readonly DeclaredRoute[] => ((made += 1), []);
    listeners.tellRoutes(routes);
    assert.equal(made, 0);
    const told: unknown[] = [];
    for (let one = 0; one < 2; one += 1) lifecycle.onRoutes((given) => void told.push(given));
    listeners.tellRoutes(routes);
    assert.deepEqual([made, told], [1, [[], []]]);
  });
});

describe("a rejected request", () => {
  test("is told to every listener with the address as it is shown, and one that throws is logged", () => {
    const { listeners, lifecycle, lines } = subject();
    const error = new Error("no");
    const told: unknown[] = [];
    lifecycle.onRejected(failing(error));
    lifecycle.onRejected((request) => void told.push(request));
    const request = { status: 400, bytes: 1, durationMs: 2, remoteAddress: "::ffff:10.0.0.1" };
    listeners.tellRejected(request);
    assert.deepEqual(told, [{ ...request, remoteAddress: "10.0.0.1" }]);
    assert.deepEqual(lines, [["error", "a listener for rejected requests failed", error]]);
  });
});

describe("runStop", () => {
  test("runs each step, then the listeners backwards, then the last, each awaited; what fails comes back", async () => {
    const { listeners } = subject();
    const order: string[] = [];
    const noting = (what: string) => async (): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      order.push(what);
    };
    const [thrown, rejected] = [new Error("thrown"), new Error("rejected")];
    listeners.stop.push(noting("registered first"), failing(thrown), noting("registered last"));
    const failures = await listeners.runStop([noting("step"), () => Promise.reject(rejected)], noting("end"));
    assert.deepEqual(order, ["step", "registered last", "registered first", "end"]);
    assert.deepEqual(failures, [rejected, thrown]);
  });
});
