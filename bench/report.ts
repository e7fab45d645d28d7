/** The table: in columns for a terminal, and in bench/README.md, where each full run replaces it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../test/environment.ts";
import type { Line } from "./evaluate.ts";
import type { Cell } from "./method/stats.ts";
import type { Part } from "./rows.ts";

const digits = { "×": 3, µs: 2, ns: 0, ms: 1, MB: 1, KB: 2 } as const;

/** The table as Markdown. @param isPadded with columns of equal width */
export function tableOf(lines: readonly Line[], isPadded = false): string {
  const names = new Set(lines.flatMap(({ cells }) => [...cells.keys()]));
  const peers = [...names].filter((name) => name !== "ours" && name !== "hand");
  const head = ["row", "ours [quartiles]", "target ± deviation", "outcome", "hand-written", "ours ÷ hand-written"];
  const table = [[...head, "ours ÷ Fastify", ...peers], ...lines.map((line) => cellsOf(line, peers))];
  return markdown(table, isPadded);
}

/** Lines of cells as Markdown, the first one the head. @param isPadded with columns of equal width */
export function markdown(table: readonly (readonly string[])[], isPadded = false): string {
  const widthOf = (at: number): number => (isPadded ? Math.max(...table.map((cells) => cells[at]?.length ?? 0)) : 3);
  const widths = (table[0] ?? []).map((_, at) => widthOf(at));
  const lineOf = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  const [head = [], ...rest] = table;
  return [head, widths.map((width) => "-".repeat(width)), ...rest].map(lineOf).join("\n");
}

function cellsOf(line: Line, peers: readonly string[]): string[] {
  const { row, target, cells, deviation, outcome, overHand, overFastify } = line;
  const { title, unit, is, ofFastify } = row;
  const shown = (value: number, places: number = digits[unit]): string => value.toFixed(places);
  const middle = (cell: Cell | undefined, places?: number): string => (cell ? shown(cell.median, places) : "–");
  const asked = (value: number): string => `${is === "atLeast" ? "≥" : "≤"} ${Number(value.toPrecision(3))}`;
  const ours = cells.get("ours");
  return [
    title,
    ours ? `${shown(ours.median)} [${shown(ours.low)}–${shown(ours.high)}]` : "–",
    `${asked(target)} ± ${shown(deviation)}${unit === "×" ? "" : ` ${unit}`}`,
    outcome,
    middle(cells.get("hand")),
    middle(overHand, 3),
    middle(overFastify, 3) + (ofFastify === undefined ? "" : `, asked ${asked(ofFastify)}`),
    ...peers.map((name) => middle(cells.get(name))),
  ];
}

/** The lines of a page that enclose a table. */
type Place = readonly [begin: string, end: string];
const ofCore: Place = ["<!-- written by make bench -->", "<!-- end -->"];

/** The place of a part's table. */
export const placeOf = (part: Part | "hosts"): Place =>
  part === "core" ? ofCore : [`<!-- written by make bench PART=${part} -->`, `<!-- end of ${part} -->`];

/** Writes the table into bench/README.md. */
export function savedTable(body: string, place: Place): void {
  const page = join(root, "bench", "README.md");
  writeFileSync(page, withTable(readFileSync(page, "utf8"), body, place));
}

/** The page with its table replaced by `body`. @throws Error if it has no place for one */
export function withTable(page: string, body: string, [begin, end]: Place = ofCore): string {
  const [before, after] = [page.split(begin)[0], page.split(end)[1]];
  if (before === undefined || after === undefined) throw new Error(`the page has no ${begin} … ${end}`);
  return `${before}${begin}\n\n${body}\n\n${end}${after}`;
}
