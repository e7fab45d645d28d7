/**
 * Explain, time: where a run's time was spent, as findings. Pure.
 *
 * Repeated statements and calls, calls that ran one after another although none takes what another returned, slow leaves,
 * the calls with the most own time, and the critical path. Of each kind, the few most expensive.
 */
import { alikeStatements } from "./alike.ts";
import { byParent, endOf, isWhole, rootOf, selfTime, timelineRows, type TimelineRow } from "../calls.ts";
import { finding, nameOf, short, whoOf, type Finding } from "./findings.ts";
import { count, duration } from "../format.ts";
import type { Call, Json, Leaf, Trace } from "../shapes.ts";

const NAMED = 3;
/** A smaller share of the run is not worth a finding. */
const SHARE = 0.1;
const LEAST_US = 500;

/** The findings about time. */
export function timeFindings(trace: Trace): readonly Finding[] {
  const rows = timelineRows(trace);
  return [
    ...statementFindings(trace),
    ...repeatFindings(rows),
    ...sequenceFindings(trace),
    ...slowFindings(trace),
    ...ownTimeFindings(trace, rows),
    ...pathFindings(rows),
  ];
}

/** Similar statements, at the innermost call around them all, which sends them again and again. */
function statementFindings(trace: Trace): readonly Finding[] {
  const byId = new Map(trace.calls.map((call) => [call.id, call]));
  const leaves = new Map(trace.leaves.map((leaf) => [leaf.id, leaf]));
  return alikeStatements(trace)
    .slice(0, NAMED)
    .map(({ ids, isEqual, statement, wastedUs }) => {
      const below = ids.map((id) => leaves.get(id)?.parentId ?? null);
      const call = innermostAround(below, byId);
      const message = `${whoOf(call)} sends ${count(ids.length, isEqual ? "equal statement" : "similar statement")}; those after the first took ${duration(wastedUs)}: ${short(statement)}`;
      return finding("repeated-statement", message, { call, leafId: ids[0] ?? null, costUs: wastedUs });
    });
}

/** The innermost call around all of these, or null if there is none. */
function innermostAround(ids: readonly (number | null)[], byId: ReadonlyMap<number, Call>): Call | null {
  const [first = [], ...others] = ids.map((id) => chainOf(id, byId));
  return first.find((call) => others.every((chain) => chain.includes(call))) ?? null;
}

/** A call and those around it, the innermost first. A hand-written file may have calls in a circle. */
function chainOf(id: number | null, byId: ReadonlyMap<number, Call>): readonly Call[] {
  const chain = new Set<Call>();
  let at = byId.get(id ?? -1);
  while (at !== undefined && !chain.has(at)) {
    chain.add(at);
    at = byId.get(at.parentId ?? -1);
  }
  return [...chain];
}

function repeatFindings(rows: readonly TimelineRow[]): readonly Finding[] {
  const byId = new Map(rows.map(({ call }) => [call.id, call]));
  return rows
    .filter(({ repeat }) => repeat?.index === 1)
    .sort((a, b) => (b.repeat?.repeatsUs ?? 0) - (a.repeat?.repeatsUs ?? 0))
    .slice(0, NAMED)
    .map(({ call, repeat }) => {
      const same = rows.filter((row) => row.repeat !== undefined && isSameCall(row.call, call));
      const around = innermostAround(
        same.map((row) => row.call.parentId),
        byId,
      );
      const often = `${count(repeat?.count ?? 0, "equal call")} of ${nameOf(call)}`;
      const message = `${whoOf(around)} makes ${often}; those after the first took ${duration(repeat?.repeatsUs ?? 0)}`;
      return finding("repeated-call", message, { call: around ?? call, costUs: repeat?.repeatsUs ?? null });
    });
}

const isSameCall = (a: Call, b: Call): boolean =>
  a.bean === b.bean && a.method === b.method && JSON.stringify(a.args) === JSON.stringify(b.args);

/** Calls below one call that ran one after another, while none was given what another of them had returned. */
function sequenceFindings(trace: Trace): readonly Finding[] {
  const byId = new Map(trace.calls.map((call) => [call.id, call]));
  const found = [...byParent(trace.calls)].flatMap(([parent, children]) => {
    const call = parent === null ? null : (byId.get(parent) ?? null);
    const { calls, isSure } = independentRun(
      children.toSorted((a, b) => a.startUs - b.startUs),
      call,
    );
    const times = calls.map((call) => call.durationUs ?? 0);
    const sumUs = times.reduce((sum, one) => sum + one, 0);
    const costUs = sumUs - Math.max(0, ...times);
    // A loop over what one of them returned is a repeated statement, and running its calls at once would not mend it.
    const isLoop = !isSure && new Set(calls.map(nameOf)).size <= calls.length / 2;
    if (isLoop || calls.length < 2 || costUs < Math.max(LEAST_US, SHARE * trace.durationUs)) return [];
    const names = calls.slice(0, 6).map((one) => `${nameOf(one)} ${duration(one.durationUs ?? 0)}`);
    const list = `${names.join(", ")}${calls.length > 6 ? ` and ${count(calls.length - 6, "more", "more")}` : ""}`;
    const message = `${whoOf(call)} makes ${count(calls.length, "call")} one after another, and ${isSure ? "" : "as far as values tell "}none takes what another returned: ${list}`;
    return [finding("sequence", message, { call, costUs })];
  });
  return found.sort((a, b) => (b.costUs ?? 0) - (a.costUs ?? 0)).slice(0, NAMED);
}

/** Calls in sequence: each began after the end of the one before, and takes no result of another. */
interface Row {
  readonly calls: Call[];
  us: number;
  /** New values in their results, without their own arguments and the values known before them. */
  readonly news: Set<string>;
  /** Whether a recorded result is incomplete. Then any unknown value may come from it. */
  isCut: boolean;
  /** Whether no call takes a common value, such as 1, that another returned. */
  isSure: boolean;
}

const emptyRow = (): Row => ({ calls: [], us: 0, news: new Set(), isCut: false, isSure: true });

function independentRun(calls: readonly Call[], around: Call | null): Row {
  let [best, row] = [emptyRow(), emptyRow()];
  const known = new Set(valuesOf([...(around?.args ?? [])]).map(String));
  for (const call of calls) {
    const given = valuesOf([...call.args]);
    if (!call.async || !isBehind(call, row.calls.at(-1)) || !call.args.every(isWhole) || mayTake(given, row, known)) {
      for (const one of row.news) known.add(one);
      row = emptyRow();
    }
    if (call.async) {
      row.calls.push(call);
      row.us += call.durationUs ?? 0;
      row.isSure &&= !given.some((one) => row.news.has(String(one)));
    }
    for (const one of given) known.add(String(one));
    for (const one of valuesOf(call.result)) if (!known.has(String(one))) row.news.add(String(one));
    row.isCut ||= !isWhole(call.result);
    if (row.us > best.us) best = row;
  }
  return best;
}

const isBehind = ({ startUs }: Call, last: Call | undefined): boolean =>
  last === undefined || (last.durationUs !== null && startUs >= last.startUs + last.durationUs);

/** Whether one of the values may come from the row. */
const mayTake = (given: readonly Scalar[], { news, isCut }: Row, known: ReadonlySet<string>): boolean =>
  given.some((one) => (isTelling(one) && news.has(String(one))) || (isCut && !known.has(String(one))));

type Scalar = string | number | boolean;

/** Whether the value reveals its origin. Common words and digits do not. */
const isTelling = (value: Scalar): boolean =>
  typeof value === "string" ? value.length > 1 : typeof value === "number" && Math.abs(value) > 1;

/** The texts, numbers and flags in a value. */
function valuesOf(value: Json): readonly Scalar[] {
  if (value === null) return [];
  return typeof value === "object" ? Object.values(value).flatMap((inner: Json) => valuesOf(inner)) : [value];
}

function slowFindings(trace: Trace): readonly Finding[] {
  const byId = new Map(trace.calls.map((call) => [call.id, call]));
  const least = Math.max(LEAST_US, 2 * SHARE * trace.durationUs);
  return trace.leaves
    .filter(({ kind, durationUs }) => kind !== "log" && kind !== "span" && (durationUs ?? 0) >= least)
    .sort((a, b) => (b.durationUs ?? 0) - (a.durationUs ?? 0))
    .slice(0, NAMED)
    .map((leaf) => {
      const call = leaf.parentId === null ? null : (byId.get(leaf.parentId) ?? null);
      const what = leaf.kind === "sql" ? short(leaf.detail.statement) : leaf.name;
      const share = Math.round((100 * (leaf.durationUs ?? 0)) / Math.max(1, trace.durationUs));
      const beside = trace.leaves.filter((one) => isBeside(one, leaf)).length;
      const others = beside === 0 ? "" : ` beside ${count(beside, "other")}, of which one may have held it up`;
      const message = `${leaf.kind} below ${whoOf(call)} took ${duration(leaf.durationUs ?? 0)}${others}, ${share} % of the run: ${what}`;
      return finding("slow", message, { call, leafId: leaf.id, costUs: leaf.durationUs });
    });
}

/** Whether both ran at the same time. If they share a connection, one waits for the other. */
const isBeside = (one: Leaf, other: Leaf): boolean =>
  one.id !== other.id &&
  one.kind === other.kind &&
  one.startUs < other.startUs + (other.durationUs ?? 0) &&
  other.startUs < one.startUs + (one.durationUs ?? 0);

/** Time in a call itself, outside of everything that it called. */
function ownTimeFindings(trace: Trace, rows: readonly TimelineRow[]): readonly Finding[] {
  const least = Math.max(LEAST_US, 2 * SHARE * trace.durationUs);
  const below = byParent<Call | Leaf>([...trace.calls, ...trace.leaves.filter(({ kind }) => kind !== "log")]);
  const own = rows
    .map((row) => ({ row, ownUs: selfTime(row.call, below.get(row.call.id) ?? [], (one) => endOf(one, trace)) }))
    .filter(({ ownUs }) => ownUs >= least)
    .sort((a, b) => b.ownUs - a.ownUs)
    .slice(0, NAMED)
    .map(({ row, ownUs }) => {
      const message = `${nameOf(row.call)} took ${duration(ownUs)} itself, in nothing that it called`;
      return finding("own-time", message, { call: row.call, costUs: ownUs });
    });
  const outsideUs = rows.length === 0 ? 0 : rootOf(trace).selfUs;
  if (outsideUs < least) return own;
  const message = `${duration(outsideUs)} were outside of recorded calls: the handler, middleware, the response`;
  return [...own, finding("own-time", message, { costUs: outsideUs })];
}

/** The calls that bound the end of the run, from the outermost in. */
function pathFindings(rows: readonly TimelineRow[]): readonly Finding[] {
  const path = rows.filter(({ critical, call }) => critical && (call.durationUs ?? 0) > 0);
  if (path.length === 0) return [];
  const heaviest = path.reduce((a, b) => (b.selfUs > a.selfUs ? b : a));
  const names = path.slice(0, 8).map(({ call, selfUs }) => `${nameOf(call)} ${duration(selfUs)}`);
  const message = `the critical path by own time: ${names.join(" → ")}${path.length > 8 ? " …" : ""}`;
  return [finding("critical-path", message, { call: heaviest.call, costUs: heaviest.selfUs })];
}
