/**
 * The figures in bench/README.md: everything between the two markers is made from the kept results.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isShort } from "../evaluate.ts";
import { lessons, type Lesson } from "../lessons.ts";
import { frameworkOf } from "../lists.ts";
import { root } from "../settings.ts";
import { ratioChart } from "./chart.ts";
import { loadResults, type Result } from "./result.ts";
import { bar, doubts, everybody, markdown, peersOf, shown, spread, verdictTable } from "./table.ts";

const begin = "<!-- figures: written by `make bench` -->";
const end = "<!-- end of figures -->";
const file = join(root, "bench", "README.md");

/** The text with its figures replaced. @throws Error when a marker is missing. */
export function withFigures(text: string, figures: string): string {
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`bench/README.md has lost its markers: ${begin} … ${end}`);
  return `${text.slice(0, from + begin.length)}\n\n${figures}\n\n${text.slice(to)}`;
}

/** The charts by file name, and the Markdown of all results. */
export function figuresOf(results: readonly Result[]): {
  readonly charts: ReadonlyMap<string, string>;
  readonly text: string;
} {
  const name = (result: Result): string => `node${Number.parseInt(result.node, 10)}.svg`;
  return {
    charts: new Map(results.map((result) => [name(result), ratioChart(result)])),
    text: results.map((result) => section(result, name(result))).join("\n\n"),
  };
}

/** Writes charts and tables from the kept results. */
export function saveReadme(): void {
  const { charts, text } = figuresOf(loadResults());
  for (const [name, svg] of charts) writeFileSync(join(root, "bench", "results", name), svg);
  writeFileSync(file, withFigures(readFileSync(file, "utf8"), text));
}

function section(result: Result, chart: string): string {
  const { node, v8, date, machine, method, peers, rows, micro } = result;
  const pinned = machine.pinned ? "server and load pinned to a core each" : "not pinned";
  const versions = packagesOf(rows)
    .map((name) => `${name} ${peers[name] ?? "?"}`)
    .join(", ");
  const how = `${machine.cpu}, ${machine.cores} cores, ${pinned}; V8 ${v8}; ${method}; ${versions}; ${date.slice(0, 10)}.`;
  const short = rows.filter(isShort);
  const doubt = doubts(rows);
  const parts = Object.entries(micro).filter(([id]) => !id.startsWith("lesson-"));
  return [
    `### Node ${node}`,
    how,
    ...(doubt === undefined ? [] : [doubt]),
    short.length === 0 ? "Every row is met." : `Short of target: ${short.map(({ title }) => title).join(" · ")}.`,
    `![Bars: CPU per request of bare node:http divided by each framework's](results/${chart})`,
    markdown(verdictTable(rows)),
    "The medians of everybody who did the same work, `–` where one was not asked:",
    markdown(everybody(rows)),
    `#### What costs what, Node ${node}`,
    "µs of CPU per request above the same server without the feature:",
    markdown({
      heads: ["feature", "ours", "by hand", "Fastify's", "asked"],
      lines: rows.filter(({ id }) => id.startsWith("own-")).map(costs),
    }),
    "ns per operation without a network, requests and beans in processes of their own (`make bench-micro`):",
    markdown({ heads: ["part", "ns"], lines: parts.map(([, { title, ns }]) => [title, spread(ns, "ns")]) }),
    "What was learned on the way, in ns of CPU each:",
    markdown({
      heads: ["the tempting way", "ns", "instead", "ns", "so"],
      lines: lessons.map((lesson) => taught(lesson, micro)),
    }),
  ].join("\n\n");
}

/** The packages of the frameworks that were measured; Hono comes with its server. */
function packagesOf(rows: Result["rows"]): readonly string[] {
  const names = new Set(peersOf(rows).map(frameworkOf));
  return [...names].flatMap((name) => (name === "hono" ? ["hono", "@hono/node-server"] : [name]));
}

const costs = ({ title, ours, hand, peers, is, target, unit }: Result["rows"][number]): readonly string[] => [
  title.replace("own cost: ", ""),
  shown(ours.median, unit),
  hand === undefined ? "–" : shown(hand.median, unit),
  peers["fastify"] === undefined ? "–" : shown(peers["fastify"].median, unit),
  bar(is, target, unit),
];

function taught({ costly, instead, rule }: Lesson, micro: Result["micro"]): readonly string[] {
  const ns = (id: string | undefined): string => (id === undefined ? "" : spread(micro[id]?.ns, "ns"));
  return [costly.title, ns(costly.id), instead?.title ?? "", ns(instead?.id), rule];
}
