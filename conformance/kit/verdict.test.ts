/** The table from outcomes to verdicts to exit codes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exitCode, verdictOf, type Outcome, type Verdict } from "./verdict.ts";

describe("verdictOf", () => {
  const table: readonly (readonly [
    level: "MUST" | "SHOULD" | "MAY",
    outcomes: readonly Outcome[],
    verdict: Verdict,
  ])[] = [
    ["MUST", ["held", "held"], "pass"],
    ["MUST", ["held", "violated"], "fail"],
    ["SHOULD", ["violated"], "warn"],
    ["MAY", ["violated"], "note"],
    ["MUST", ["violated", "crashed"], "error"],
    ["MAY", ["crashed"], "error"],
    ["MUST", [], "unrun"],
  ];
  for (const [level, outcomes, verdict] of table) {
    it(`gives ${verdict} for a ${level} if its cases ${outcomes.join(", ") || "did not run"}`, () => {
      assert.equal(verdictOf(level, outcomes), verdict);
    });
  }
});

describe("exitCode", () => {
  const of = (...verdicts: readonly Verdict[]) => verdicts.map((verdict, at) => ({ id: `A-00${at}`, verdict }));
  const table: Readonly<Record<string, readonly [ReturnType<typeof of>, readonly string[], 0 | 1 | 2]>> = {
    "is 0 when everything that ran passed": [of("pass", "n/a", "unrun"), [], 0],
    "is 0 when only a SHOULD or a MAY is broken": [of("pass", "warn", "note"), [], 0],
    "is 1 when a MUST is broken": [of("pass", "fail"), [], 1],
    "is 2 when the suite failed": [of("fail", "error"), [], 2],
    "is 2 when nothing ran": [of("n/a", "unrun"), [], 2],
    "is 2 when there is nothing": [[], [], 2],
    "is 0 when what fails is known to": [of("pass", "fail"), ["A-001"], 0],
    "is 0 when what is known to fail passes": [of("pass", "pass"), ["A-001"], 0],
    "is 1 when more fails than is known to": [of("fail", "fail"), ["A-001"], 1],
  };
  for (const [title, [results, known, code]] of Object.entries(table)) {
    it(title, () => assert.equal(exitCode(results, new Set(known)), code));
  }
});
