import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import { bothFootprints } from "./footprint.ts";

describe("bothFootprints", () => {
  it("keeps the runs of the one and of the other, in order", () => {
    const one = { startMs: [[30, 31]], rssMb: [[40]], connectionKb: [[5]] };
    const other = { startMs: [[32, 33]], rssMb: [[41]], connectionKb: [[6]] };
    deepEqual(bothFootprints(one, other), {
      startMs: [
        [30, 31],
        [32, 33],
      ],
      rssMb: [[40], [41]],
      connectionKb: [[5], [6]],
    });
  });
});
