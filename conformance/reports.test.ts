/** The committed reports and the matrix in README.md are of this suite, and of one another. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { requirements, type Requirement } from "../spec/requirements.ts";
import { matrixMarkdown, matrixScreen, summaryOf, type Column } from "./kit/matrix.ts";
import type { Report, RequirementResult } from "./kit/report-shape.ts";
import { committedColumns, committedMatrix, outside, reportText } from "./reports.ts";
import { onRuntimes, onThisNode } from "./targets.ts";

const refresh = "make runtimes && make conformance ENGINES=all WRITE=1";

describe("the committed matrix", () => {
  it("is what is made of the committed reports", () => {
    assert.equal(committedMatrix(), matrixMarkdown(committedColumns()), `stale: ${refresh}`);
  });

  it("has a column for every target", () => {
    const targets = [...onThisNode, ...onRuntimes(() => ({}))].map(({ name }) => name);
    assert.deepEqual(
      committedColumns().map(({ name }) => name),
      targets,
      `stale: ${refresh}`,
    );
  });

  it("has a row for every requirement that is seen from outside, and no other", () => {
    const surfaces: readonly string[] = ["wire", "evidence"];
    const entries: readonly (readonly [string, Requirement])[] = Object.entries(requirements);
    const expected = entries.filter(([, { surface }]) => surfaces.includes(surface)).map(([id]) => id);
    const rows = [...committedMatrix().matchAll(/^\| ([A-Z]+-\d{3}) \|/gm)].map(([, id]) => id);
    assert.deepEqual(rows, expected, `stale: ${refresh}`);
    assert.deepEqual(outside, expected);
  });

  it("shows nothing broken and nothing that did not run", () => {
    const bad = committedColumns().flatMap(({ name, report }) =>
      report.results.filter(({ verdict }) => !["pass", "n/a"].includes(verdict)).map(({ id }) => `${name} ${id}`),
    );
    assert.deepEqual(bad, []);
  });

  it("holds nothing of the machine that it was made on", () => {
    for (const { report } of committedColumns())
      assert.deepEqual(
        report.subjects.map(({ url, profile }) => [url, profile]),
        ["default", "cors-query", "production", "no-request-id"].map((profile) => ["", profile]),
      );
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

  it("on the screen has a mark for each column, and tells at the end what is broken", () => {
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
      "✓ one     source 1 of 1, house 0 of 0",
      "✗ second  source 0 of 1, house 0 of 0",
      "✓ third   source 0 of 0, house 0 of 0, 1 not applicable",
    ]);
  });

  it("in Markdown has what each column came to, a row for each requirement, and why a cell is n/a", () => {
    assert.deepEqual(matrixMarkdown(columns).split("\n"), [
      "| Engine | | Source | House | Not applicable |",
      "|---|---|--:|--:|--:|",
      "| one | about one | 1 of 1 | 0 of 0 | 0 |",
      "| second | about second | 0 of 1 | 0 of 0 | 0 |",
      "| third | about third | 0 of 0 | 0 of 0 | 1 |",
      "",
      "- n/a, the subject does not declare h2: third (ROUTE-001)",
      "",
      "| Requirement | Level | Origin | one | second | third |",
      "|---|---|---|:-:|:-:|:-:|",
      "| ROUTE-001 | MUST | source | ✓ | ✗ | n/a |",
    ]);
  });

  it("leaves a cell empty where a report does not know the requirement", () => {
    const other = column("other", { ...held, id: "ROUTE-002" });
    assert.deepEqual(
      matrixMarkdown([column("one", held), other])
        .split("\n")
        .slice(-2),
      ["| ROUTE-001 | MUST | source | ✓ |   |", "| ROUTE-002 | MUST | source |   | ✓ |"],
    );
  });

  it("needs a column", () => assert.throws(() => matrixScreen([]), /a matrix needs a column/));

  it("says of what the suite could not do", () => {
    const failed = column("one", { ...held, verdict: "error" });
    assert.equal(summaryOf(failed), "✓ one  source 0 of 1, house 0 of 0, 1 where the suite failed");
  });
});

describe("a report as it is committed", () => {
  it("has a line for each requirement and no address", () => {
    const { report } = column("one", held);
    const text = reportText(report);
    assert.deepEqual(JSON.parse(text), { ...report, subjects: report.subjects.map((one) => ({ ...one, url: "" })) });
    assert.equal(text.split("\n").filter((line) => line.includes("ROUTE-001")).length, 1);
  });
});
