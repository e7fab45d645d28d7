/** The tables of other frameworks match the reports. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { QueryResult } from "../rfc10008/profile.ts";
import { foreignMarkdown, queryMarkdown } from "./foreign-tables.ts";
import type { Verdict } from "./verdict.ts";

const column = (name: string, verdicts: Readonly<Record<string, Verdict>>) => ({
  about: `${name} 1.0`,
  verdicts: new Map(Object.entries(verdicts)),
});
const clauses = new Map([
  ["ROUTE-001", { origin: "source" as const }],
  ["ROUTE-002", { origin: "house" as const }],
  ["CORS-001", { origin: "house" as const }],
]);

describe("foreignMarkdown", () => {
  it("counts the kept clauses among those that apply, by origin and by area", () => {
    const columns = [
      column("a", { "ROUTE-001": "pass", "ROUTE-002": "fail", "CORS-001": "pass" }),
      column("b", { "ROUTE-001": "pass", "ROUTE-002": "n/a", "CORS-001": "n/a" }),
    ];
    assert.deepEqual(foreignMarkdown(columns, clauses).split("\n"), [
      "| Clauses kept | a 1.0 | b 1.0 |",
      "|---|--:|--:|",
      "| **source** | 1 of 1 | 1 of 1 |",
      "| **house** | 1 of 2 |  |",
      "| CORS | 1 of 1 |  |",
      "| ROUTE | 1 of 2 | 1 of 1 |",
    ]);
  });
});

describe("queryMarkdown", () => {
  it("has a row for each demand and a mark for each server", () => {
    const check = (verdict: QueryResult["verdict"]): QueryResult => ({
      id: "processed",
      level: "MUST",
      source: "RFC 10008 §2",
      sentence: "It succeeds.",
      verdict,
      exchanges: [],
    });
    const columns = (["pass", "fail", "n/a"] as const).map((verdict) => ({ name: verdict, results: [check(verdict)] }));
    assert.deepEqual(queryMarkdown(columns).split("\n"), [
      "| RFC 10008 | Level | pass | fail | n/a |",
      "|---|---|:-:|:-:|:-:|",
      "| It succeeds. (RFC 10008 §2) | MUST | ✓ | ✗ | n/a |",
    ]);
  });
});
