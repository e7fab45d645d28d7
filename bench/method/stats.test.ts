import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import { cellOf, deviationOf, mean, median, quantile, undisturbed } from "./stats.ts";

describe("quantile", () => {
  it("interpolates between neighbours, whatever the order", () => {
    deepEqual(
      [0, 0.25, 0.5, 0.75, 1].map((q) => quantile([4, 1, 3, 2], q)),
      [1, 1.75, 2.5, 3.25, 4],
    );
  });

  it("refuses an empty list: there is no figure without a measurement", () => {
    throws(() => median([]), RangeError);
  });
});

describe("cellOf", () => {
  it("tells the middle, the quartiles, the count and the middle of each run", () => {
    deepEqual(cellOf([[1, 2, 3], [], [5, 7]]), { median: 3, low: 2, high: 5, count: 5, runs: [2, 6] });
  });
});

describe("undisturbed", () => {
  it("is what the cheap ones took, whatever the others met", () => {
    equal(undisturbed([17, 400, 17, 35, 21, 90, 18, 44, 27, 61, 19]), 17);
    throws(() => undisturbed([]), RangeError);
  });
});

describe("mean", () => {
  it("is 0 of nothing", () => {
    deepEqual([mean([1, 2, 6]), mean([])], [3, 0]);
  });
});

describe("deviationOf", () => {
  it("is the mean stray of the runs from 1, in either direction", () => {
    const twin = cellOf([[1.02], [0.96], [1]]);
    equal(deviationOf(twin).toFixed(6), "0.020000");
  });
});
