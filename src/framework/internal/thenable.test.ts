import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isThenable, whenThere } from "./thenable.ts";

describe("isThenable", () => {
  test("is true for everything that await would wait for", () => {
    const then = (): void => undefined;
    const waited = [Promise.resolve(), { then }, Object.assign(() => 1, { then })];
    const others = [undefined, null, 7, "then", {}, { then: 7 }, () => 1, []];
    assert.deepEqual([waited.map(isThenable), others.filter(isThenable)], [[true, true, true], []]);
  });
});

describe("whenThere", () => {
  test("uses a value immediately, and that of a promise when it is available", async () => {
    const doubled = (value: number): number => value * 2;
    const later = whenThere(Promise.resolve(2), doubled);
    assert.ok(later instanceof Promise);
    assert.deepEqual([whenThere(1, doubled), await later], [2, 4]);
  });
});
