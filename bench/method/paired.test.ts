import { deepEqual, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import { difference, quotient } from "./paired.ts";

/** Two servers, one twice as dear; the machine doubles both for a while, and once only one of them. */
const cheap = [
  [10, 10, 10, 20, 20, 20, 11, 10],
  [80, 70, 20, 20, 10, 10, 10, 20],
];
const dear = [
  [20, 20, 20, 40, 40, 40, 22, 90],
  [80, 140, 40, 40, 20, 20, 20, 40],
];

describe("quotient", () => {
  it("is in the middle of all rounds, whatever the machine does to both, or to one for a moment", () => {
    deepEqual(quotient(dear, cheap), { median: 2, low: 2, high: 2, count: 16, runs: [2, 2] });
  });

  it("counts the rounds that both have", () => {
    deepEqual(quotient([[2, 4, 900], [9]], [[1, 2]]), { median: 2, low: 2, high: 2, count: 2, runs: [2] });
  });

  it("fails for what was not measured", () => {
    throws(() => quotient(cheap, []), RangeError);
    throws(() => quotient(cheap, [[]]), RangeError);
  });
});

describe("difference", () => {
  it("is what comes on top when nothing disturbs, though both are doubled most of the time", () => {
    deepEqual(difference(dear, cheap, 3), { median: 30, low: 30, high: 30, count: 16, runs: [30, 30] });
  });

  it("is less than nothing where less is taken", () => {
    deepEqual(difference([[3]], [[4]], 1).median, -1);
  });
});
