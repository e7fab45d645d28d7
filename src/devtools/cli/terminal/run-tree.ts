/**
 * Run tree: a run as a tree for a terminal, with times, leaves and errors.
 *
 *   GET /orders/7 → 200 in 12.4 ms
 *      total      self
 *    12.4 ms   1.20 ms  ████████████  * OrderController.show("7") → {id: "7", …}
 *    9.10 ms   0.40 ms   ██████████   * └─ OrderService.find("7") → {…}
 *    8.00 ms               ████████        └─ sql select … where id = $1 → 1 row
 *
 * A `*` is on the critical path. No line is wider than the screen, and the screen obeys no recorded text.
 */
import { rootOf } from "../../run/calls.ts";
import { retryText, timelineRows, type TimelineRow } from "../../run/timeline-rows.ts";
import { treeOf, type TreeLine } from "../../run/tree.ts";
import { outsideName, outsideOf } from "../../run/outside.ts";
import { leafText, outcomeOf, runText } from "../../run/spent.ts";
import { duration, traceKey } from "../../run/format.ts";
import type { Leaf, Trace } from "../../run/shapes.ts";
import { columnsOf, cutTo, printable } from "./printable.ts";
import { notesOf } from "./run-notes.ts";
import type { Screen, Tone } from "./screen.ts";
import { valueText } from "./value-text.ts";

/** How wide a value may be if lines are not cut. */
const MOST_OF_A_VALUE = 200;
const TIME = 9;

/** The run, line by line. */
export function runTree(trace: Trace, screen: Screen): readonly string[] {
  const rows = timelineRows(trace);
  const bar = barWidth(screen.width);
  const lines = treeOf(trace, rows).map((line) => lineText(line, trace, screen, bar));
  const head = `${"total".padStart(TIME)} ${"self".padStart(TIME)}`;
  const rest = outsideLines(trace, bar).map((line) => screen.paint("muted", cutTo(line, screen.width)));
  return [
    ...headOf(trace, screen),
    "",
    ...(lines.length === 0 && trace.phases === undefined ? [] : [screen.paint("muted", head)]),
    ...lines,
    ...(lines.length === 0 ? ["  no bean was called"] : []),
    ...(lines.length === 0 && trace.phases === undefined ? [] : rest),
    ...notesOf(trace, rows, screen),
  ];
}

/** How many steps outside of beans have a line. */
const MOST_STEPS = 8;

/** The time outside of beans: all of it, then by step. */
function outsideLines(trace: Trace, bar: number): readonly string[] {
  const line = (us: number, text: string): string =>
    `${"".padStart(TIME)} ${duration(us).padStart(TIME)} ${" ".repeat(bar)}   ${text}`;
  const steps = trace.phases === undefined ? [] : outsideOf(trace).slice(0, MOST_STEPS);
  return [
    line(rootOf(trace).selfUs, "outside of recorded calls"),
    ...steps.map((step, at) =>
      line(step.us, `${at === steps.length - 1 ? "└─" : "├─"} ${printable(outsideName(step))}`),
    ),
  ];
}

function headOf(trace: Trace, { width, paint }: Screen): readonly string[] {
  const { method, path, status, durationUs, route, startedAt } = trace;
  const name = printable(`${method} ${path}`);
  const end = ` → ${status} in ${duration(durationUs)}${trace.aborted ? ", the client left" : ""}`;
  const shown = cutTo(name, Math.max(8, width - columnsOf(end)));
  const about = [route === null ? "no route" : printable(`${method} ${route}`), runText(trace)].join(" · ");
  return [
    `${paint("strong", shown)}${paint(toneOf(status), end)}`,
    paint("muted", cutTo(about, width)),
    paint("muted", cutTo(`${traceKey(trace)} · ${new Date(startedAt).toISOString()}`, width)),
  ];
}

/** The tone of a status. */
export function toneOf(status: number): Tone {
  return status >= 500 ? "bad" : status >= 400 ? "warn" : "good";
}

/** Room for the bars, which is zero on a narrow screen. */
function barWidth(width: number): number {
  return width >= 120 ? 24 : width >= 72 ? 12 : 0;
}

function lineText({ branches, row, leaf }: TreeLine, trace: Trace, screen: Screen, bar: number): string {
  const { width, paint } = screen;
  const node = row?.call ?? leaf;
  const took = node?.durationUs ?? null;
  const isLog = leaf?.kind === "log";
  const total = isLog ? "" : duration(took);
  const self = row === undefined ? "" : duration(row.selfUs);
  const drawn = bar === 0 ? "" : ` ${barText(node?.startUs ?? 0, took, trace.durationUs, bar)}`;
  const times = `${total.padStart(TIME)} ${self.padStart(TIME)}`;
  const mark = row?.critical === true ? "*" : " ";
  // A tree that is deeper than the screen is wide keeps room for names.
  const room = width - times.length - columnsOf(drawn) - 3;
  const lead = branches.length > room / 2 ? `…${branches.slice(-Math.max(2, Math.floor(room / 2) - 1))}` : branches;
  const text = row === undefined ? leafParts(leaf) : callParts(row);
  const [name, rest, tone] = text;
  const shownName = cutTo(name, Math.max(1, room - columnsOf(lead)));
  const restRoom = room - columnsOf(lead) - columnsOf(shownName);
  const shownRest = restRoom > 1 ? cutTo(rest, restRoom) : "";
  const line = `${paint("muted", times)}${paint(row === undefined ? "data" : "name", drawn)} ${mark} ${paint("muted", lead)}`;
  const nameTone = row === undefined ? "data" : row.critical ? "strong" : "name";
  return `${line}${paint(nameTone, shownName)}${tone === undefined ? shownRest : paint(tone, shownRest)}`.trimEnd();
}

/** When something ran within the run, with at least one block. */
function barText(startUs: number, tookUs: number | null, wholeUs: number, width: number): string {
  const whole = Math.max(1, wholeUs);
  const from = Math.min(width - 1, Math.max(0, Math.floor((startUs / whole) * width)));
  const until = tookUs === null ? width : Math.ceil(((startUs + tookUs) / whole) * width);
  const length = Math.min(width - from, Math.max(1, until - from));
  return `${" ".repeat(from)}${"█".repeat(length)}`.padEnd(width);
}

type Parts = readonly [name: string, rest: string, tone: Tone | undefined];

function callParts({ call, repeat, retry, threw }: TimelineRow): Parts {
  const args = call.args.map((value) => valueText(value, MOST_OF_A_VALUE)).join(", ");
  const times = `${retryText(retry)}${repeat === undefined ? "" : ` (${repeat.index} of ${repeat.count} equal)`}`;
  const name = printable(`${call.bean}.${call.method}`);
  if (call.error !== null) {
    const what = threw ? "threw" : "failed with";
    return [name, `(${args})${times} ✗ ${what} ${printable(`${call.error.name}: ${call.error.message}`)}`, "bad"];
  }
  const result = call.durationUs === null ? "has not settled" : valueText(call.result, MOST_OF_A_VALUE);
  return [name, `(${args})${times} → ${result}`, undefined];
}

function leafParts(leaf: Leaf | undefined): Parts {
  if (leaf === undefined) return ["", "", undefined];
  const what = printable(leafText(leaf));
  const outcome = printable(outcomeOf(leaf));
  const given =
    leaf.kind === "sql" && leaf.detail.parameters.length > 0
      ? ` [${leaf.detail.parameters.map((value) => valueText(value, MOST_OF_A_VALUE)).join(", ")}]`
      : "";
  if (leaf.error !== null)
    return [leaf.kind, ` ${what}${given} ✗ ${printable(`${leaf.error.name}: ${leaf.error.message}`)}`, "bad"];
  if (leaf.kind === "log") return [leaf.kind, ` ${outcome} ${what}`, undefined];
  return [leaf.kind, ` ${outcome === "" ? "" : `${outcome} ← `}${what}${given}`, undefined];
}
