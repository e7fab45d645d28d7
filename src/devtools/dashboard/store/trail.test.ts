/** The beans that had a value, in order. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { occurrencesOf } from "../../run/origin.ts";
import { callOf, sqlOf, traceOf } from "../../run/traces.testkit.ts";
import { numbersOf } from "./trail.ts";

describe("numbersOf", () => {
  it("numbers each bean once by the first place, and request and response as the entry", () => {
    const trace = traceOf(
      [
        callOf(0, null, "Orders", { args: [], result: "p-7", startUs: 10, durationUs: 50 }),
        callOf(1, 0, "Stock", { args: ["p-7"], result: null, startUs: 30, durationUs: 5 }),
        callOf(2, 0, "Other", { args: [], result: null, startUs: 40, durationUs: 5 }),
      ],
      {
        leaves: [sqlOf(0, 0, "select p-7", { startUs: 12, durationUs: 2 })],
        response: { headers: {}, body: "p-7", bytes: 3 },
      },
    );
    assert.deepEqual(
      [...numbersOf(occurrencesOf(trace, "p-7"))],
      [
        ["Orders", 1],
        ["Stock", 2],
        ["entry", 3],
      ],
    );
  });
});
