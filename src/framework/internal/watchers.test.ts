import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { tellWatchers, unharmed } from "./watchers.ts";

describe("tellWatchers", () => {
  test("calls each in turn, even if one throws or rejects", async () => {
    const heard: unknown[] = [];
    const throwing = (): never => {
      throw new Error("a watcher's");
    };
    const rejecting = (): Promise<never> => Promise.reject(new Error("a watcher's"));
    const counting = (...args: unknown[]): unknown => heard.push(args);
    tellWatchers<readonly unknown[]>([counting, throwing, rejecting, () => heard.push(2)], 1, "a");
    assert.deepEqual(heard, [[1, "a"], 2]);
    // An unhandled rejection would end the process in this turn.
    await new Promise((resolve) => setImmediate(resolve));
  });
});

describe("unharmed", () => {
  test("is the watcher's result, or undefined when it throws", () => {
    const throwing = (): never => {
      throw new Error("a watcher's");
    };
    assert.deepEqual([unharmed(() => 7), unharmed(throwing)], [7, undefined]);
  });
});
