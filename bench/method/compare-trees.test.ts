import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { isSlower, sideOf } from "./compare-trees.ts";
import { cellOf } from "./stats.ts";

const slices = (...cpu: readonly number[]) => cpu.map((cpuUs) => ({ cpuUs, p99Ms: 1 }));

describe("sideOf", () => {
  it("adds up both processes of a side, round by round", () => {
    const measured = new Map([
      ["head", [slices(11, 10), slices(1, 2)]],
      ["head again", [slices(13, 12), slices(3, 4)]],
    ]);
    deepEqual(sideOf(measured, ["head", "head again"]), [
      [24, 22],
      [4, 6],
    ]);
  });
});

describe("isSlower", () => {
  const cases = {
    "six per cent in every run is slower": [[1.06], [1.06], [1.06], [1.06], true],
    "four per cent is not": [[1.04], [1.04], [1.04], [1.04], false],
    "one run with a slow process is not": [[1], [1], [1.3], [0.99], false],
    "twice as fast is not": [[0.5], [0.5], [0.5], [0.5], false],
  } as const;
  for (const [title, values] of Object.entries(cases))
    it(title, () => {
      const runs = values.filter((value) => typeof value === "object");
      equal(isSlower(cellOf(runs)), values.at(-1));
    });
});
