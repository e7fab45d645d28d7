/** Tests how a report summarizes the results of a run. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { requirements, type RequirementId } from "../../spec/requirements.ts";
import { sent } from "./exchange.ts";
import { makeReport, scoreLine } from "./report.ts";
import type { RequirementResult } from "./report-shape.ts";
import type { Outcome } from "./verdict.ts";
import type { SubjectRun } from "./run.ts";

const exchange = { sent: sent("GET", "/a", [["host", "x"]]), status: 500, headers: [], body: "" };

/** A run of one case for each of these clauses. */
function runOf(outcomes: Partial<Readonly<Record<RequirementId, Outcome>>>): SubjectRun {
  const about = { implementation: "i", version: "1", engine: "e", profile: "default", features: [] } as const;
  const ran = Object.entries(outcomes).map(([id, outcome]) => ({
    case: { id: id as RequirementId, title: id, profile: "default", features: [], run: async () => undefined } as const,
    outcome,
    reason: undefined,
    comparison: undefined,
    failed: outcome === "held" ? [] : [exchange],
    exchanges: [exchange],
    steps: [],
    durationMs: 1,
  }));
  return { url: "https://a.example/", http2: true, insecure: true, about: { ...about, features: [] }, ran, left: 0 };
}

const reportOf = (run: SubjectRun) =>
  makeReport({ runs: [run], ids: run.ran.map((one) => one.case.id), clauses: new Map() });

describe("scoreLine", () => {
  const result = (
    level: RequirementResult["level"],
    origin: RequirementResult["origin"],
    verdict: RequirementResult["verdict"],
  ): RequirementResult => ({ id: "ROUTE-001", level, origin, surface: "wire", sentence: "", verdict, cases: [] });

  it("scores MUST, SHOULD and MAY separately, and omits what was not run", () => {
    const results = [
      result("MUST", "source", "pass"),
      result("MUST", "source", "fail"),
      result("SHOULD", "source", "pass"),
      result("SHOULD", "source", "warn"),
      result("SHOULD", "source", "n/a"),
      result("MAY", "house", "note"),
      result("MUST", "house", "unrun"),
    ];
    assert.equal(
      scoreLine({ results, counts: { note: 1, "n/a": 1, unrun: 1 } }),
      "source: MUST 1 of 2, SHOULD 1 of 2; house: MAY 0 of 1; 1 noted, 1 not applicable, 1 not run",
    );
    assert.equal(scoreLine({ results: [], counts: { unrun: 2 } }), "2 not run");
  });
});

describe("makeReport", () => {
  it("has a command for each failed exchange, with the subject's protocol", () => {
    const report = reportOf(runOf({ "ROUTE-007": "violated", "ROUTE-006": "held" }));
    const command = "curl -si --http2 -k -A '' -H accept: -H 'host: x' https://a.example/a";
    assert.deepEqual(
      report.results.map(({ cases }) => cases.map(({ commands }) => commands)),
      [[[command]], [undefined]],
    );
  });

  it("scores each level of each origin", () => {
    const { level } = requirements["ROUTE-007"];
    assert.deepEqual(reportOf(runOf({ "ROUTE-007": "violated", "ROUTE-006": "held" })).scores, {
      source: { kept: 0, of: 0 },
      house: { kept: 1, of: 2, [level]: { kept: 1, of: 2 } },
    });
  });
});
