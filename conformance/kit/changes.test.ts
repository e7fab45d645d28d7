/** Changes between two runs against one subject. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changesSince, changesText } from "./changes.ts";
import type { Verdict } from "./verdict.ts";

const reportOf = (verdicts: Readonly<Record<string, Verdict>>): ReadonlyMap<string, Verdict> =>
  new Map(Object.entries(verdicts));

const before = reportOf({ "A-001": "pass", "A-002": "fail", "A-003": "fail", "A-004": "pass", "A-005": "n/a" });

describe("changesSince", () => {
  it("reports a new failure, a known one that passes, and any other difference", () => {
    const now = reportOf({ "A-001": "fail", "A-002": "pass", "A-003": "fail", "A-004": "n/a", "A-006": "fail" });
    assert.deepEqual(changesSince(before, now), {
      failing: ["A-001", "A-006"],
      passing: ["A-002"],
      other: ["A-004 pass → n/a", "A-005 n/a → not there"],
    });
  });

  it("reports nothing if both agree", () => {
    assert.deepEqual(changesText("hono", changesSince(before, before)), []);
  });
});

describe("changesText", () => {
  it("has a line for each kind of change", () => {
    const changes = { failing: ["A-001", "A-006"], passing: ["A-002"], other: ["A-004 pass → n/a"] };
    assert.deepEqual(changesText("hono", changes), [
      "hono: fails and did not: A-001, A-006",
      "hono: was known to fail and passes: A-002",
      "hono: otherwise than before: A-004 pass → n/a",
    ]);
  });
});
