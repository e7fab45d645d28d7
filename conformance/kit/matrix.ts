/**
 * Requirement × engine: several reports in one table, for the screen.
 */
import { brokenCases, headline, marks, scoreLine } from "./report.ts";
import type { Report, RequirementResult } from "./report-shape.ts";

/** A report, the name of its column, and a note about it. */
export interface Column {
  readonly name: string;
  readonly about: string;
  readonly report: Report;
}

/** The meaning of the marks, on one line. */
export const legend = `✓ kept   ✗ broken   ! a SHOULD not heeded   – the engine does not declare the feature   ? the suite failed`;

/** One line per requirement, one mark per column. Broken ones come at the end, with their requests and responses. */
export function matrixScreen(columns: readonly Column[]): string {
  const heads = columns.map(({ name }, at) => `${"│".repeat(at)}┌${"─".repeat(columns.length - at)} ${name}`);
  const rows = rowsOf(columns);
  const lines = rows.map((row) => `${row.cells.join("")}  ${headline(row.result)}`);
  const broken = rows.flatMap(({ result, cells, all }) => {
    const failures = all.flatMap(({ name, result: found }, at) =>
      found && ["✗", "!", "?"].includes(cells[at] ?? "")
        ? brokenCases(found, ({ profile, title }) => `${name}, ${profile}: ${title}`)
        : [],
    );
    return failures.length === 0 ? [] : ["", headline(result), ...failures];
  });
  const again = broken.length === 0 ? [] : ["", "Not kept:", ...broken];
  return [...heads, ...lines, "", legend, ...again, "", ...columns.map((column) => summaryOf(column, columns))].join(
    "\n",
  );
}

/** The result of a column, on one line: `✓ node-http  source: MUST 61 of 61; house: MUST 268 of 268`. */
export function summaryOf({ name, report }: Column, beside: readonly { readonly name: string }[] = []): string {
  const width = Math.max(name.length, ...beside.map((other) => other.name.length));
  return `${report.conformant ? "✓" : "✗"} ${name.padEnd(width)}  ${scoreLine(report)}`;
}

interface Row {
  readonly result: RequirementResult;
  readonly cells: readonly string[];
  readonly all: readonly { readonly name: string; readonly result: RequirementResult | undefined }[];
}

/** A row for each requirement of any column, in the order of the first column that has it. */
function rowsOf(columns: readonly Column[]): readonly Row[] {
  if (columns.length === 0) throw new Error("a matrix needs a column");
  const known = new Map(columns.toReversed().flatMap(({ report }) => report.results.map((one) => [one.id, one])));
  const [first] = columns;
  const ids = new Set([...(first?.report.results ?? []).map(({ id }) => id), ...known.keys()]);
  return [...ids].flatMap((id) => {
    const result = known.get(id);
    const all = columns.map(({ name, report }) => ({ name, result: report.results.find((one) => one.id === id) }));
    return result ? [{ result, all, cells: all.map(({ result: one }) => marks[one?.verdict ?? "unrun"]) }] : [];
  });
}
