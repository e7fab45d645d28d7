/**
 * Requirement × engine: the same reports side by side, for the screen and for conformance/README.md.
 * Nothing in it is typed by hand.
 */
import type { Report, RequirementResult } from "./report-shape.ts";

/** A report and the name of its column. */
export interface Column {
  readonly name: string;
  readonly report: Report;
}

const marks = { pass: "✓", fail: "✗", warn: "!", note: "·", error: "?", "n/a": "–", unrun: " " } as const;

/** One line per requirement, one mark per column; what is broken is said below its line. */
export function matrixScreen(columns: readonly Column[]): string {
  const [first] = columns;
  if (!first) throw new Error("a matrix needs a column");
  const legend = columns.map(({ name }, at) => `${" ".repeat(at)}┌${"─".repeat(columns.length - at)} ${name}`);
  const lines = first.report.results.flatMap(({ id, level, sentence }) => {
    const row = columns.map(({ name, report }) => ({ name, result: find(report, id) }));
    const cells = row.map(({ result }) => marks[result?.verdict ?? "unrun"]).join("");
    const broken = row.filter(({ result }) => result && ["fail", "error", "warn"].includes(result.verdict));
    return [
      `${cells}  ${id.padEnd(11)} ${level.padEnd(6)} ${sentence}`,
      ...broken.flatMap(({ name, result }) => (result ? complaint(name, result) : [])),
    ];
  });
  return [...legend, ...lines, "", ...columns.map(summary)].join("\n");
}

function complaint(name: string, { cases }: RequirementResult): readonly string[] {
  const broken = cases.filter(({ outcome }) => outcome !== "held");
  if (broken.length === 0) return [`    ${name}: a test of it fails, or did not run: make test`];
  return broken.flatMap(({ title, profile, reason, exchanges }) => [
    `    ${name}, ${profile}: ${title}`,
    `      ${reason ?? ""}`,
    ...exchanges.map((exchange) => `      ${exchange}`),
  ]);
}

function summary({ name, report: { counts, conformant } }: Column): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  return `${conformant ? "conformant" : "NOT conformant"}: ${name}: ${parts.map(([verdict, count]) => `${count} ${verdict}`).join(", ")}`;
}

/** The matrix as a Markdown table, with a list of why a cell is not applicable. */
export function matrixMarkdown(columns: readonly Column[]): string {
  const [first] = columns;
  if (!first) throw new Error("a matrix needs a column");
  const head = `| Requirement | Level | ${columns.map(({ name }) => name).join(" | ")} |`;
  const rule = `|---|---|${columns.map(() => ":-:|").join("")}`;
  const rows = first.report.results
    .filter(({ surface }) => surface === "wire" || surface === "evidence")
    .map(({ id, level }) => {
      const cells = columns.map(({ report }) => {
        const verdict = find(report, id)?.verdict ?? "unrun";
        return verdict === "n/a" ? "n/a" : marks[verdict];
      });
      return `| ${id} | ${level} | ${cells.join(" | ")} |`;
    });
  return [head, rule, ...rows, "", ...reasons(columns)].join("\n");
}

function reasons(columns: readonly Column[]): readonly string[] {
  return columns.flatMap(({ name, report }) => {
    const lacking = report.results.filter(({ verdict }) => verdict === "n/a");
    const byReason = new Map<string, readonly string[]>();
    for (const { id, reason = "" } of lacking) byReason.set(reason, [...(byReason.get(reason) ?? []), id]);
    return [...byReason].map(([reason, ids]) => `- ${name}: ${reason} (${ids.join(", ")})`);
  });
}

function find({ results }: Report, id: string): RequirementResult | undefined {
  return results.find((result) => result.id === id);
}
