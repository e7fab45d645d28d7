import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import { microOf } from "./micro.ts";

describe("microOf", () => {
  const run = (...ns: number[]) => ({
    plain: { title: "a call", ns },
    over: { title: "a call more", less: "plain", ns: [1, 1, 1] },
  });
  it("takes the middle of the samples of all runs, and keeps each run's own", () => {
    const { plain, over } = microOf([run(10, 11, 12), run(20, 21, 22), run(9, 9, 9)]);
    deepEqual([plain?.title, plain?.ns.median, plain?.ns.runs, plain?.ns.count], ["a call", 11, [11, 21, 9], 9]);
    deepEqual(over?.less, "plain");
  });
  it("is nothing of no run", () => {
    deepEqual(microOf([]), {});
  });
});
