/** Tests that the committed matrix belongs to this suite, and that the table in README.md is made from it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readAllClauses } from "./kit/chapters.ts";
import { foreignMarkdown } from "./kit/foreign-tables.ts";
import { matrixScreen, summaryOf, type Column } from "./kit/matrix.ts";
import type { Report, RequirementResult } from "./kit/report-shape.ts";
import { keptColumns, matrixText, outside, overviewMarkdown, readTable, toKept } from "./reports.ts";
import { ownNames } from "./targets.ts";

const refresh = "make runtimes && make conformance ENGINES=all WRITE=1";

describe("matrix.json", () => {
  const kept = [...keptColumns()];
  const own = kept.filter(([name]) => ownNames().includes(name));

  it("has a column for every target, and a row for every requirement that is observed from outside", () => {
    assert.deepEqual(
      own.map(([name]) => name),
      ownNames(),
      `stale: ${refresh}`,
    );
    for (const [, { verdicts }] of kept) assert.deepEqual([...verdicts.keys()], outside, `stale: ${refresh}`);
  });

  it("shows no failure of ours and no missing run", () => {
    const bad = own.flatMap(([name, { verdicts }]) =>
      [...verdicts].filter(([, verdict]) => !["pass", "n/a"].includes(verdict)).map(([id]) => `${name} ${id}`),
    );
    assert.deepEqual(bad, []);
  });

  it("matches the tables in README.md", () => {
    assert.equal(readTable("matrix"), overviewMarkdown(own), `stale: ${refresh}`);
    const foreign = kept.filter(([name]) => name.startsWith("foreign ")).map(([, column]) => column);
    const [, ...rows] = foreignMarkdown(foreign, readAllClauses()).split("\n");
    assert.ok(readTable("foreign").includes(rows.join("\n")), "stale: make foreign WRITE=1");
  });
});

const held: RequirementResult = {
  id: "ROUTE-001",
  level: "MUST",
  origin: "source",
  surface: "wire",
  sentence: "It MUST.",
  verdict: "pass",
  cases: [],
};
const broken: RequirementResult = {
  ...held,
  verdict: "fail",
  cases: [
    {
      title: "does",
      profile: "default",
      outcome: "violated",
      reason: "the status is 404, expected 200",
      comparison: { what: "the status", expected: "200", seen: "404", rows: [] },
      failed: ["GET / → 404"],
      exchanges: ["GET /first → 200", "GET / → 404"],
    },
    { title: "does elsewhere", profile: "production", outcome: "held", failed: [], exchanges: [] },
  ],
};
const lacking: RequirementResult = { ...held, verdict: "n/a", reason: "the subject does not declare h2" };

function column(name: string, result: RequirementResult): Column {
  const scored = { kept: result.verdict === "pass" ? 1 : 0, of: result.verdict === "n/a" ? 0 : 1 };
  const subject = { implementation: "i", version: "1", engine: name, profile: "default", features: [] };
  const report: Report = {
    report: 1,
    subjects: [{ url: "http://127.0.0.1:9/", ...subject }],
    conformant: result !== broken,
    scores: { source: scored, house: { kept: 0, of: 0 } },
    counts: { [result.verdict]: 1 },
    shared: [],
    results: [result],
  };
  return { name, about: `about ${name}`, report };
}

describe("a matrix", () => {
  const columns = [column("one", held), column("second", broken), column("third", lacking)];

  it("on the screen has a mark for each column, and shows the broken clauses at the end", () => {
    const lines = matrixScreen(columns).split("\n");
    assert.deepEqual(lines.slice(0, 4), [
      "┌─── one",
      "│┌── second",
      "││┌─ third",
      "✓✗–  ROUTE-001    MUST   source It MUST.",
    ]);
    assert.deepEqual(lines.slice(lines.indexOf("Not kept:")), [
      "Not kept:",
      "",
      "ROUTE-001    MUST   source It MUST.",
      "    second, default: does",
      "      the status",
      "        expected 200",
      "        seen     404",
      "      GET /first → 200",
      "    ✗ GET / → 404",
      "",
      "✓ one     source: MUST 1 of 1",
      "✗ second  source: MUST 0 of 1",
      "✓ third   1 not applicable",
    ]);
  });

  it("as a file has a line for each column and each requirement, and no address", () => {
    const text = matrixText(new Map(columns.map((one) => [one.name, toKept(one, "2026-11-28")])));
    assert.deepEqual(JSON.parse(text), {
      columns: {
        one: { about: "about one", ran: "2026-11-28", score: "source: MUST 1 of 1" },
        second: { about: "about second", ran: "2026-11-28", score: "source: MUST 0 of 1" },
        third: { about: "about third", ran: "2026-11-28", score: "1 not applicable" },
      },
      clauses: Object.fromEntries(outside.map((id) => [id, id === "ROUTE-001" ? "✓✗–" : "   "])),
    });
    assert.equal(text.split("\n").length, outside.length + columns.length + 7);
  });

  it("needs a column", () => assert.throws(() => matrixScreen([]), /a matrix needs a column/));

  it("reports what the suite could not do", () => {
    const failed = column("one", { ...held, verdict: "error" });
    assert.equal(summaryOf(failed), "✓ one  source: MUST 0 of 1; 1 where the suite failed");
  });
});
