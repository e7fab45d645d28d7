/**
 * The table, for a terminal and for Markdown.
 *
 *   judged ─┬─▶ row: ours [quartiles] · by hand · Fastify · Hono · target · verdict
 *           └─▶ against bare: row: the medians of ours and of every peer measured
 */
import type { Judged } from "../evaluate.ts";
import type { Cell } from "../method/stats.ts";

const digits = { "×": 3, µs: 2, ns: 0, ms: 1, MB: 1, KB: 2 } as const;

/** A figure in its unit, without the unit. */
export const shown = (value: number, unit: Judged["unit"]): string => value.toFixed(digits[unit]);

/** A figure with its quartiles. */
export const spread = (cell: Cell | undefined, unit: Judged["unit"]): string =>
  cell === undefined ? "–" : `${shown(cell.median, unit)} [${shown(cell.low, unit)}–${shown(cell.high, unit)}]`;

/** What is asked, with its direction. */
export const bar = (is: Judged["is"], value: number, unit: string): string =>
  `${is === "atLeast" ? "≥" : "≤"} ${Number(value.toPrecision(3))}${unit === "×" ? "" : ` ${unit}`}`;

/** A control that strays by more than this share proves nothing. */
const tooMuch = 0.1;

/** What a reader must know before he believes a verdict; undefined when none leans on a control that strayed. */
export function doubts(judged: readonly Judged[]): string | undefined {
  const leaning = judged.filter((row) => row.unit === "×" && row.tolerance > tooMuch && !isBeyond(row)).length;
  if (leaning === 0) return undefined;
  const where = leaning === 1 ? "one row that leans on it" : `${leaning} rows that lean on it`;
  return (
    `**The machine was too busy for verdicts**: the control strayed by more than ${tooMuch * 100} % in ` +
    `${where}, so that "met" says little there. Run it again in a quiet hour.`
  );
}

/** Is the target reached without making allowance for anything? */
const isBeyond = ({ is, ours: { median }, target }: Judged): boolean =>
  is === "atLeast" ? median >= target : median <= target;

const verdicts = { target: "met", "hand-written": "met (as fast as by hand)", short: "**short of target**" } as const;

const columns: readonly string[] = [
  "row",
  "ours",
  "by hand",
  "Fastify",
  "Hono",
  "target",
  "",
  "ours ÷ Fastify",
  "asked",
  "",
];

/** One row, as the texts of its cells. */
function cellsOf(row: Judged): readonly string[] {
  const { unit, is, target, fastify } = row;
  return [
    row.title,
    spread(row.ours, unit),
    spread(row.hand, unit),
    spread(row.peers["fastify"], unit),
    spread(row.peers["hono"], unit),
    `${bar(is, target, unit)} ± ${shown(row.tolerance, unit)}`,
    verdicts[row.verdict],
    fastify === undefined ? "" : spread(fastify.ours, "×"),
    fastify === undefined ? "" : bar(fastify.is, fastify.target, "×"),
    fastify === undefined ? "" : verdicts[fastify.verdict],
  ];
}

/** Heads and lines of cells. */
export interface Table {
  readonly heads: readonly string[];
  readonly lines: readonly (readonly string[])[];
}

/** The rows, each with its verdict. */
export const verdictTable = (judged: readonly Judged[]): Table => ({ heads: columns, lines: judged.map(cellsOf) });

/** The rows that are CPU of bare ÷ CPU of a server, where more than ours was measured. */
export const againstBare = (judged: readonly Judged[]): readonly Judged[] =>
  judged.filter(({ unit, peers, id }) => unit === "×" && Object.keys(peers).length > 0 && id !== "p99");

/** The rows of peers: Fastify does all that any of them does, and without it the others are ours in other states. */
const ofPeers = (judged: readonly Judged[]): readonly Judged[] =>
  againstBare(judged).filter(({ peers }) => peers["fastify"] !== undefined);

/** The peers of a run by name, in the order in which they were measured. */
export const peersOf = (judged: readonly Judged[]): readonly string[] => [
  ...new Set(ofPeers(judged).flatMap(({ peers }) => Object.keys(peers))),
];

/** Everybody against bare, as medians. */
export function everybody(judged: readonly Judged[]): Table {
  const names = peersOf(judged);
  const median = (cell: Cell | undefined): string => (cell === undefined ? "–" : shown(cell.median, "×"));
  return {
    heads: ["CPU of bare ÷ CPU of", "ours", "by hand", ...names],
    lines: ofPeers(judged).map(({ title, ours, hand, peers }) => [
      title,
      median(ours),
      median(hand),
      ...names.map((name) => median(peers[name])),
    ]),
  };
}

/** A table in columns of equal width. */
export function tableText({ heads, lines: body }: Table): string {
  const lines = [heads, ...body].map((cells) => cells.map((cell) => cell.replaceAll("*", "")));
  const widths = heads.map((_, at) => Math.max(...lines.map((cells) => cells[at]?.length ?? 0)));
  return lines
    .map((cells) =>
      cells
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** A table in Markdown. */
export function markdown({ heads, lines }: Table): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [row(heads), row(heads.map(() => "---")), ...lines.map(row)].join("\n");
}
