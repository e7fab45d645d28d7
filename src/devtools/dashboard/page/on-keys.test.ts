/**
 * onKeys, listKeys: which key acts, and where a list ends.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { listKeys, onKeys, type KeyActs } from "./on-keys.ts";

/** Presses a key; returns what was called, and whether the key was taken. */
function press(acts: KeyActs, key: string, more: object = {}): readonly [isPrevented: boolean, isStopped: boolean] {
  const taken = { isPrevented: false, isStopped: false };
  const event: unknown = {
    key,
    preventDefault: () => (taken.isPrevented = true),
    stopPropagation: () => (taken.isStopped = true),
    ...more,
  };
  onKeys(acts)(event as KeyboardEvent);
  return [taken.isPrevented, taken.isStopped];
}

describe("onKeys", () => {
  test("acts on a key with a function, and takes it", () => {
    let acted = 0;
    assert.deepEqual(press({ a: () => acted++ }, "a"), [true, true]);
    assert.equal(acted, 1);
  });

  test("leaves every other key alone, also one without a function now", () => {
    assert.deepEqual(press({ a: undefined }, "a"), [false, false]);
    assert.deepEqual(press({}, "b"), [false, false]);
  });

  test("leaves a key with Ctrl, Meta or Alt to the browser", () => {
    for (const name of ["ctrlKey", "metaKey", "altKey"])
      assert.deepEqual(press({ a: () => assert.fail() }, "a", { [name]: true }), [false, false], name);
  });
});

describe("listKeys", () => {
  const after = (at: number, length: number): Readonly<Record<string, number | undefined>> => {
    const keys = ["ArrowDown", "ArrowUp", "Home", "End"];
    return Object.fromEntries(
      keys.map((key) => {
        let to: number | undefined;
        press(
          listKeys(at, length, (next) => (to = next)),
          key,
        );
        return [key, to];
      }),
    );
  };

  test("goes to the next, the previous and both ends", () => {
    assert.deepEqual(after(2, 5), { ArrowDown: 3, ArrowUp: 1, Home: 0, End: 4 });
  });

  test("stays at an end, and begins at the first without a current one", () => {
    assert.deepEqual(after(4, 5), { ArrowDown: 4, ArrowUp: 3, Home: 0, End: 4 });
    assert.deepEqual(after(-1, 5), { ArrowDown: 0, ArrowUp: 0, Home: 0, End: 4 });
  });

  test("goes nowhere in an empty list", () => {
    const nowhere = { ArrowDown: undefined, ArrowUp: undefined, Home: undefined, End: undefined };
    assert.deepEqual(after(-1, 0), nowhere);
  });
});
