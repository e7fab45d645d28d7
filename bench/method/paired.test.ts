import { deepEqual, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import { difference, quotient } from "./paired.ts";

/** Two servers, one twice as dear; the machine doubles both for a while, and their first rounds are cold. */
const cheap = [
  [90, 10, 10, 20, 20, 20, 11, 10],
  [80, 70, 20, 20, 10, 10, 10, 20],
];
const dear = [
  [99, 20, 20, 44, 44, 44, 22, 20],
  [900, 90, 44, 44, 20, 20, 20, 44],
];

describe("quotient and difference", () => {
  it("are of the rounds in which both were least disturbed, in all runs and in each", () => {
    deepEqual(quotient(dear, cheap), { median: 2, low: 2, high: 2, count: 4, runs: [2, 2] });
    deepEqual(difference(dear, cheap, 3), { median: 30, low: 30, high: 30, count: 4, runs: [30, 30] });
  });

  it("choose no round because one of the two was lucky in it", () => {
    const [a, b] = [[[10, 10, 10, 5, 10, 10, 10, 10]], [[20, 20, 20, 90, 20, 20, 20, 20]]];
    deepEqual(quotient(b, a).runs, [2]);
  });

  it("count three rounds where there are few", () => {
    deepEqual(difference([[4], [5], [9]], [[1], [1], [1]], 1), {
      median: 4,
      low: 3.5,
      high: 6,
      count: 3,
      runs: [3, 4, 8],
    });
  });

  it("fail for what was not measured", () => {
    throws(() => quotient(cheap, []), RangeError);
    throws(() => quotient(cheap, [[]]), RangeError);
  });
});
