import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { joinedBytes } from "./bytes.ts";

describe("joinedBytes", () => {
  test("copies pieces one after the other", () => {
    const piece = new Uint8Array([1, 2]);
    const whole = joinedBytes([piece, new Uint8Array(0), new Uint8Array([3])], 3);
    piece[0] = 9;
    assert.deepEqual([whole, joinedBytes([], 0)], [new Uint8Array([1, 2, 3]), new Uint8Array(0)]);
  });

  test("counts the bytes without a given total", () => {
    assert.deepEqual(joinedBytes([new Uint8Array([1]), new Uint8Array([2, 3])]), new Uint8Array([1, 2, 3]));
  });
});
