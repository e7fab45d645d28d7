/**
 * spans: gaps and unions of stretches of time.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gapsBetween, merged } from "./spans.ts";

const span = (startUs: number, endUs: number) => ({ startUs, endUs });

describe("gapsBetween", () => {
  test("are before, between and after, in any order, without those that overlap", () => {
    const busy = [span(50, 60), span(10, 30), span(20, 40)];
    assert.deepEqual(gapsBetween(busy, 0, 100), [span(0, 10), span(40, 50), span(60, 100)]);
    assert.deepEqual(gapsBetween(busy, 15, 55), [span(40, 50)]);
    assert.deepEqual(gapsBetween(busy, 0, 5), [span(0, 5)]);
    assert.deepEqual(gapsBetween([], 3, 9), [span(3, 9)]);
    assert.deepEqual(gapsBetween([span(0, 9)], 0, 9), []);
  });
});

describe("merged", () => {
  test("is one stretch for those that overlap or touch", () => {
    assert.deepEqual(merged([span(5, 9), span(0, 3), span(2, 4), span(9, 10), span(6, 7)]), [span(0, 4), span(5, 10)]);
  });
});
