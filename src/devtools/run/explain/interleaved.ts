/**
 * Interleaved: what other runs did on a bean between the read and the write of a run that failed. Pure.
 *
 *   this run    find("p-7") ├──────────────────────┤ save("p-7") ✗
 *   another             find("p-7") ├───┤ save("p-7")            ──▶ it saved what this run had read
 *
 * A read and a write are two calls of one bean with different methods. Another run interferes if it called the write in between,
 * for the same thing: a value that both got and that says what it is about.
 */
import { endOf } from "../calls.ts";
import { clock, count, routeKey } from "../format.ts";
import type { Call, Json, Trace } from "../shapes.ts";
import { groupBy } from "../values.ts";
import { finding, nameOf, type Finding } from "./findings.ts";
import { hasFailed } from "./last-good.ts";

/** Calls of another run between two calls of this one. */
export interface Interleaving {
  readonly read: Call;
  readonly write: Call;
  readonly run: Trace;
  /** In order of time. */
  readonly calls: readonly Call[];
}

/** The interleavings of a failed run with others of its process. Empty for a run that worked. */
export function interleavingsOf(trace: Trace, others: readonly Trace[]): readonly Interleaving[] {
  if (!hasFailed(trace)) return [];
  const beside = others.filter((other) => overlaps(trace, other));
  return [...groupBy(trace.calls, ({ bean }) => bean).values()].flatMap((own) => {
    const [read, write] = readAndWrite(own);
    return read === undefined || write === undefined ? [] : beside.flatMap((run) => between(read, write, trace, run));
  });
}

/** The first call of a bean, and the last one of another method after it. */
function readAndWrite(calls: readonly Call[]): readonly [read: Call | undefined, write: Call | undefined] {
  const sorted = calls.toSorted((a, b) => a.startUs - b.startUs);
  const [read] = sorted;
  return [read, sorted.findLast(({ method }) => method !== read?.method)];
}

function between(read: Call, write: Call, trace: Trace, run: Trace): readonly Interleaving[] {
  const about = new Set(tellingValues([...write.args]));
  const [fromUs, toUs] = [trace.startedAt * 1_000 + read.startUs, trace.startedAt * 1_000 + endOf(write, trace)];
  const calls = run.calls
    .filter(({ bean, method, args, error, startUs }) => {
      const us = run.startedAt * 1_000 + startUs;
      const isSame = about.size === 0 ? args.length === 0 : tellingValues([...args]).some((value) => about.has(value));
      return bean === write.bean && method === write.method && error === null && us > fromUs && us < toUs && isSame;
    })
    .sort((a, b) => a.startUs - b.startUs);
  return calls.length === 0 ? [] : [{ read, write, run, calls }];
}

/** Whether both ran in one process at the same time. The clock has milliseconds. */
export function overlaps(trace: Trace, other: Trace): boolean {
  if (other.instance !== trace.instance || other.sequence === trace.sequence) return false;
  const end = ({ startedAt, durationUs }: Trace): number => startedAt + Math.ceil(durationUs / 1_000);
  return other.startedAt <= end(trace) && trace.startedAt <= end(other);
}

/** The texts and numbers in a value that are not everywhere. */
function tellingValues(value: Json): readonly string[] {
  if (typeof value === "object" && value !== null)
    return Object.values(value).flatMap((inner: Json) => tellingValues(inner));
  const isTelling = typeof value === "string" ? value.length > 1 : typeof value === "number" && Math.abs(value) > 1;
  return isTelling ? [String(value)] : [];
}

/** How many interfering runs are named. */
const NAMED = 3;

/** The interleavings as findings, the first ones. */
export function interleavedFindings(trace: Trace, others: readonly Trace[]): readonly Finding[] {
  return interleavingsOf(trace, others)
    .slice(0, NAMED)
    .map(({ read, write, run, calls }) => {
      const what = `between ${nameOf(read)} and ${nameOf(write)} of this run, ${routeKey({ method: run.method, path: run.path })} called ${nameOf(write)}`;
      const often = calls.length === 1 ? "" : ` ${count(calls.length, "time")}`;
      const detail = `the run ${run.instance}.${run.sequence}, which began at ${clock(run.startedAt)}`;
      return finding("interleaved", `${what}${often}`, { call: write, detail });
    });
}
