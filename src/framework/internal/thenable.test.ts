import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isThenable } from "./thenable.ts";

describe("isThenable", () => {
  test("is what await would wait for", () => {
    const then = (): void => undefined;
    const waited = [Promise.resolve(), { then }, Object.assign(() => 1, { then })];
    const others = [undefined, null, 7, "then", {}, { then: 7 }, () => 1, []];
    assert.deepEqual([waited.map(isThenable), others.filter(isThenable)], [[true, true, true], []]);
  });
});
