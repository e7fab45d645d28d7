/**
 * The committed results of `make conformance` and `make foreign`: one file, and the tables in README.md made from it.
 *
 *   columns of a run ──▶ matrix.json: a verdict for each clause and column ──▶ README.md, between markers
 *
 * A target that was not run keeps its column. The file contains nothing about the machine that made it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { requirements, type Requirement, type RequirementId } from "../spec/requirements.ts";
import { titledResults } from "./kit/clause-titles.ts";
import type { Column } from "./kit/matrix.ts";
import { marks, scoreLine } from "./kit/report.ts";
import type { Verdict } from "./kit/verdict.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const file = join(root, "conformance", "matrix.json");
const readme = join(root, "conformance", "README.md");

const entries = Object.entries(requirements) as readonly (readonly [RequirementId, Requirement])[];

/** The requirements that are observed from outside: the rows of the matrix. */
export const outside: readonly RequirementId[] = entries
  .filter(([, { surface }]) => surface === "wire" || surface === "evidence")
  .map(([id]) => id);

/** Says where the other requirements are proven, and which of their tests failed last. */
export function elsewhere(): string {
  const titled = titledResults(join(root, ".build", "reports"));
  const inside = entries.filter(([id]) => !outside.includes(id)).map(([id]) => id);
  const broken = inside.filter((id) => (titled.get(id)?.failed ?? 0) > 0);
  const summary = `${inside.length} further requirements are proven in a browser: make e2e`;
  return broken.length === 0 ? summary : `${summary}. When it last ran, tests failed of ${broken.join(", ")}`;
}

/** A committed column. */
export interface KeptColumn {
  readonly about: string;
  /** The day of the run, as `2026-11-28`. */
  readonly ran: string;
  readonly score: string;
  readonly verdicts: ReadonlyMap<string, Verdict>;
}

/** The text of `matrix.json`: a row has a mark for each column, in the order of the columns. */
interface MatrixFile {
  readonly columns: Readonly<Record<string, Omit<KeptColumn, "verdicts">>>;
  readonly clauses: Readonly<Record<string, string>>;
}

const verdictOfMark = new Map(Object.entries(marks).map(([verdict, mark]) => [mark as string, verdict as Verdict]));

/** The columns of `matrix.json`, by name. */
export function keptColumns(): ReadonlyMap<string, KeptColumn> {
  const { columns, clauses } = JSON.parse(readFileSync(file, "utf8")) as MatrixFile;
  return new Map(
    Object.entries(columns).map(([name, column], at) => {
      const cells = Object.entries(clauses).map(
        ([id, row]) => [id, verdictOfMark.get(row[at] ?? " ") ?? "unrun"] as const,
      );
      return [name, { ...column, verdicts: new Map(cells) }];
    }),
  );
}

/** Converts a run's column to a committed one. */
export function toKept({ about, report }: Column, ran: string): KeptColumn {
  return { about, ran, score: scoreLine(report), verdicts: verdictsOf(report.results) };
}

/** Id → verdict. */
export function verdictsOf(results: Column["report"]["results"]): ReadonlyMap<string, Verdict> {
  return new Map(results.map(({ id, verdict }) => [id, verdict]));
}

/** Writes these columns and keeps the others. New ones come last. */
export function keepColumns(ran: readonly Column[]): ReadonlyMap<string, KeptColumn> {
  const today = new Date().toISOString().slice(0, 10);
  const columns = new Map([...keptColumns(), ...ran.map((column) => [column.name, toKept(column, today)] as const)]);
  writeFileSync(file, matrixText(columns));
  return columns;
}

/** The text of `matrix.json`. */
export function matrixText(columns: ReadonlyMap<string, KeptColumn>): string {
  const heads = [...columns].map(
    ([name, { verdicts: _, ...head }]) => `  ${JSON.stringify(name)}: ${JSON.stringify(head)}`,
  );
  const rows = outside.map((id) => {
    const row = [...columns.values()].map(({ verdicts }) => marks[verdicts.get(id) ?? "unrun"]).join("");
    return `  ${JSON.stringify(id)}: ${JSON.stringify(row)}`;
  });
  return `{\n "columns": {\n${heads.join(",\n")}\n },\n "clauses": {\n${rows.join(",\n")}\n }\n}\n`;
}

/** The result of each of these columns, as Markdown. */
export function overviewMarkdown(columns: readonly (readonly [name: string, column: KeptColumn])[]): string {
  return [
    "| Engine | | Kept | Ran |",
    "|---|---|---|---|",
    ...columns.map(([name, { about, score, ran }]) => `| ${name} | ${about} | ${score} | ${ran} |`),
  ].join("\n");
}

const begin = (name: string): string => `<!-- ${name}: generated -->`;
const end = (name: string): string => `<!-- end of ${name} -->`;

/** The text between the markers of that name in README.md. @throws Error if they are missing */
export function readTable(name: string): string {
  return parts(name)[1].trim();
}

/** Replaces it. @throws Error if the markers are missing */
export function writeTable(name: string, table: string): void {
  const [before, , after] = parts(name);
  writeFileSync(readme, `${before}${begin(name)}\n\n${table}\n\n${end(name)}${after}`);
}

function parts(name: string): readonly [before: string, table: string, after: string] {
  const [before, rest] = readFileSync(readme, "utf8").split(begin(name));
  const [table, after] = rest?.split(end(name)) ?? [];
  if (before === undefined || table === undefined || after === undefined)
    throw new Error(`${readme} has lost the markers of ${name}`);
  return [before, table, after];
}
