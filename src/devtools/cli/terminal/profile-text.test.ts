import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { callOf, traceOf } from "../../run/traces.testkit.ts";
import { profileLines } from "./profile-text.ts";

describe("profileLines", () => {
  it("has a line for each line of code, with its call, and those that allocated", () => {
    const place = { name: "render", file: "pdf.ts", line: 31 };
    const lines = [
      { call: 1, ...place, us: 55_800 },
      { call: null, name: "(garbage collector)", file: "", line: 0, us: 4_200 },
    ];
    const allocations = [{ ...place, bytes: 2_048_000 }];
    const profile = { intervalUs: 200, ownUs: 60_000, otherUs: 900, lines, stacks: [], allocations };
    const trace = traceOf([callOf(0, null, "Web"), callOf(1, 0, "Pdf")], { profile });
    assert.deepEqual(profileLines(trace, { width: 80 }), [
      "60.0 ms of the processor for this run, 900 µs for others",
      " 55.8 ms   93 %  Pdf.run  render at pdf.ts:31",
      " 4.20 ms    7 %  the handler  (garbage collector)",
      "allocated",
      "         2.0 MB  render at pdf.ts:31",
    ]);
  });
});
