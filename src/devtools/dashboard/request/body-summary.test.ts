/**
 * bodySummary: a body in one line.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bodySummary } from "./body-summary.ts";

describe("bodySummary", () => {
  test("has the members of an object, with the sizes of nested ones", () => {
    const body = { region: "FR", seats: [1, 2, 3], at: { x: 1 }, ok: true, none: null };
    assert.equal(
      bodySummary(JSON.stringify(body, null, 2)),
      '{ region: "FR", seats: [3 items], at: {1 member}, ok: true, none: null }',
    );
    assert.deepEqual(["{}", "[1, 2]", "", " 7 "].map(bodySummary), ["{}", "[2 items]", "", "7"]);
  });

  test("cuts long values and long bodies", () => {
    assert.equal(bodySummary(JSON.stringify({ a: "x".repeat(50) })), `{ a: "${"x".repeat(22)}… }`);
    assert.equal(bodySummary(`a\n  b ${"x".repeat(300)}`).length, 120);
    assert.match(bodySummary("a\n  b"), /^a b$/);
  });
});
