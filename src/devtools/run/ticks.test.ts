/**
 * ticks: round marks within a stretch of time.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ticks } from "./ticks.ts";

describe("ticks", () => {
  test("are round and within the window", () => {
    assert.deepEqual(ticks({ fromUs: 0, toUs: 7_770 }), [0, 2_000, 4_000, 6_000]);
    assert.deepEqual(ticks({ fromUs: 0, toUs: 100 }), [0, 20, 40, 60, 80, 100]);
    assert.deepEqual(ticks({ fromUs: 1_950, toUs: 4_100 }, 3), [2_000, 3_000, 4_000]);
  });

  test("are at most as many as there is room for", () => {
    for (const most of [0, 0.4, 1, 1.5, 2, 3.7, 5]) {
      const [, second = Infinity] = ticks({ fromUs: 0, toUs: 7_770 }, most);
      assert.ok(second >= 7_770 / Math.max(1, most), String(most));
    }
  });
});
