/**
 * history: filtering and counting runs.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callOf, traceOf } from "../../run/traces.testkit.ts";
import { ANY_RUN, filterTraces, totalSeen, type HistoryFilter } from "./history.ts";

describe("filterTraces", () => {
  const traces = [
    traceOf([callOf(0, null, "Repo", { args: ["ORD-7"] })], { sequence: 1, correlationId: "mine" }),
    traceOf([], { sequence: 2, method: "POST", status: 404, durationUs: 20_000 }),
  ];
  const cases: Record<string, [Partial<HistoryFilter>, number[]]> = {
    "everything by default": [{}, [1, 2]],
    "by method": [{ method: "POST" }, [2]],
    "by status class": [{ status: "2" }, [1]],
    "by duration": [{ minUs: 10_000 }, [2]],
    "only errors": [{ onlyErrors: true }, [2]],
    "only slow ones": [{ onlySlow: true }, [2]],
    "only mine": [{ onlyMine: true }, [1]],
    "by time, also of a run that only ends or begins then": [{ between: [1_010, 1_500] }, [2]],
    "by bean": [{ bean: "Repo" }, [1]],
  };
  for (const [title, [filter, expected]] of Object.entries(cases)) {
    test(`shows ${title}`, () => {
      assert.deepEqual(
        filterTraces(traces, { ...ANY_RUN, ...filter }, new Set(["mine"]), 10_000).map((t) => t.sequence),
        expected,
      );
    });
  }
});

describe("totalSeen", () => {
  test("is the newest process's last sequence number", () => {
    assert.equal(
      totalSeen([traceOf([], { instance: "b", sequence: 3 }), traceOf([], { instance: "a", sequence: 900 })]),
      3,
    );
    assert.equal(totalSeen([]), 0);
  });
});
