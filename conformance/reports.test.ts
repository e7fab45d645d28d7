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
  ...{ id: "ROUTE-001", level: "MUST", surface: "wire", sentence: "It MUST." },
  ...{ verdict: "pass", tests: 0, cases: [] },
};
const broken: RequirementResult = {
  ...{ ...held, verdict: "fail" },
  cases: [
    { title: "does", profile: "default", outcome: "violated", reason: "it does not", exchanges: ["GET / → 404"] },
    { title: "does elsewhere", profile: "production", outcome: "held", exchanges: [] },
  ],
};
const lacking: RequirementResult = { ...held, verdict: "n/a", reason: "the subject does not declare h2" };

function column(name: string, result: RequirementResult): Column {
  const subject = { implementation: "i", version: "1", engine: name, profile: "default", features: [] };
  const report: Report = {
    ...{ report: 1, subjects: [{ url: "http://127.0.0.1:9/", ...subject }], conformant: result !== broken },
    ...{ counts: { [result.verdict]: 1 }, results: [result] },
  };
  return { name, about: `about ${name}`, report };
}

describe("a matrix", () => {
  const columns = [column("one", held), column("second", broken), column("third", lacking)];

  it("on the screen has a mark for each column, and tells at the end what is broken", () => {
    const lines = matrixScreen(columns).split("\n");
    assert.deepEqual(lines.slice(0, 4), ["┌─── one", "│┌── second", "││┌─ third", "✓✗–  ROUTE-001   MUST   It MUST."]);
    assert.deepEqual(lines.slice(lines.indexOf("Not kept:")), [
      "Not kept:",
      "",
      "ROUTE-001   MUST   It MUST.",
      "    second, default: does",
      "      it does not",
      "      GET / → 404",
      "",
      "✓ one       1 kept",
      "✗ second    0 kept, 1 broken",
      "✓ third     0 kept, 1 not applicable",
    ]);
  });

  it("in Markdown has what each column came to, a row for each requirement, and why a cell is n/a", () => {
    assert.deepEqual(matrixMarkdown(columns).split("\n"), [
      "| Engine | | Kept | Broken | Not applicable |",
      "|---|---|--:|--:|--:|",
      "| one | about one | 1 | 0 | 0 |",
      "| second | about second | 0 | 1 | 0 |",
      "| third | about third | 0 | 0 | 1 |",
      "",
      "- n/a, the subject does not declare h2: third (ROUTE-001)",
      "",
      "| Requirement | Level | one | second | third |",
      "|---|---|:-:|:-:|:-:|",
      "| ROUTE-001 | MUST | ✓ | ✗ | n/a |",
    ]);
  });

  it("leaves a cell empty where a report does not know the requirement", () => {
    const other = column("other", { ...held, id: "ROUTE-002" });
    assert.deepEqual(
      matrixMarkdown([column("one", held), other])
        .split("\n")
        .slice(-2),
      ["| ROUTE-001 | MUST | ✓ |   |", "| ROUTE-002 | MUST |   | ✓ |"],
    );
  });

  it("needs a column", () => assert.throws(() => matrixScreen([]), /a matrix needs a column/));

  it("says of what the suite could not do", () => {
    const failed = column("one", { ...held, verdict: "error" });
    assert.equal(summaryOf(failed), "✓ one    0 kept, 1 where the suite failed");
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
