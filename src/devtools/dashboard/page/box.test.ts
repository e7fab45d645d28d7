/**
 * keepInSight: a box scrolls as little as needed.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { keepInSight } from "./box.ts";

describe("keepInSight", () => {
  const after = (top: number, bottom: number): number => {
    const box = { scrollTop: 100, clientHeight: 50 };
    keepInSight(box as Element, top, bottom);
    return box.scrollTop;
  };

  test("stays if all of it is in sight, and otherwise scrolls as little as needed", () => {
    assert.deepEqual([after(100, 150), after(90, 110), after(140, 170)], [100, 90, 120]);
  });

  test("does nothing without a box", () => {
    assert.doesNotThrow(() => keepInSight(null, 0, 10));
  });
});
