/**
 * Explain, time: where a run's time was spent, as findings. Pure.
 *
 * Repeated statements and calls, calls that ran one after another although none takes what another returned, slow leaves,
 * the calls with the most own time, and the critical path. Of each kind, the few most expensive.
 */
import { alikeRequests, alikeStatements } from "./alike.ts";
import { byParent, endOf, isWhole, rootOf, selfTime } from "../calls.ts";
import { timelineRows, type TimelineRow } from "../timeline-rows.ts";
import { leafRetriesOf, repeatsOf, retriedIn, type Retried, retriesOf } from "../retries.ts";
import { KINDS, leafText, outcomeOf } from "../spent.ts";
import { whereOf } from "./where.ts";
import { finding, nameOf, short, whoOf, type Finding } from "./findings.ts";
import { count, duration } from "../format.ts";
import { profileRows } from "../profile.ts";
import { outsideName, outsideOf } from "../outside.ts";
import type { Call, Json, Leaf, Trace } from "../shapes.ts";

const NAMED = 3;
/** A smaller share of the run is not worth a finding. */
const SHARE = 0.1;
const LEAST_US = 500;
/** How many steps outside of beans are named. */
const STEPS = 5;

/** The findings about time. */
export function timeFindings(trace: Trace, retried: Retried = retriedIn(trace)): readonly Finding[] {
  const rows = timelineRows(trace);
  const others = withoutRetried(trace, retried);
  return [
    ...retryFindings(trace),
    ...alikeFindings(trace, others, "repeated-statement"),
    ...alikeFindings(trace, others, "repeated-request"),
    ...repeatFindings(trace),
    ...sequenceFindings(trace, others.calls),
    ...slowFindings(trace),
    ...ownTimeFindings(trace, rows),
    ...lineFindings(trace),
    ...pathFindings(trace, rows),
  ];
}

/** The lines of code that took the processor's time of a profiled run. */
function lineFindings(trace: Trace): readonly Finding[] {
  return profileRows(trace)
    .filter(({ line: { file }, share }) => file !== "" && share >= SHARE)
    .slice(0, NAMED)
    .map(({ line: { name, file, line, us }, call, share }) => {
      const message = `Line ${line} of ${file}, in ${name}(), took ${duration(us)} of the processor, which is ${Math.round(100 * share)} % of this run's`;
      const frame = { name, file, line, column: 1, own: true };
      return finding("line", message, { call: call ?? null, frame, costUs: us });
    });
}

/** Similar statements or requests, at the innermost call around them all, which sends them again and again. */
function alikeFindings(
  trace: Trace,
  others: Others,
  kind: "repeated-statement" | "repeated-request",
): readonly Finding[] {
  const byId = new Map(trace.calls.map((call) => [call.id, call]));
  const leaves = new Map(trace.leaves.map((leaf) => [leaf.id, leaf]));
  const [groups, what] = kind === "repeated-statement" ? [alikeStatements, "statement"] : [alikeRequests, "request"];
  return groups(others)
    .slice(0, NAMED)
    .map(({ ids, isEqual, statement, wastedUs }) => {
      const below = ids.map((id) => leaves.get(id)?.parentId ?? null);
      const call = innermostAround(below, byId);
      const message = `${whoOf(call)} sends ${count(ids.length, `${isEqual ? "equal" : "similar"} ${what}`)}; those after the first took ${duration(wastedUs)}: ${short(statement)}`;
      return finding(kind, message, { call, leafId: ids[0] ?? null, costUs: wastedUs, times: ids.length });
    });
}

/** The calls and leaves without attempts that failed and were tried again, and what is below those. */
type Others = Pick<Trace, "calls" | "leaves">;

function withoutRetried(trace: Trace, retried: Retried): Others {
  if (retried.size === 0) return trace;
  const byId = new Map(trace.calls.map((call) => [call.id, call]));
  const isOut = (id: number | null): boolean => chainOf(id, byId).some((call) => retried.has(call));
  return {
    calls: trace.calls.filter(({ id }) => !isOut(id)),
    leaves: trace.leaves.filter((leaf) => !retried.has(leaf) && !isOut(leaf.parentId)),
  };
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

/** What was tried again after it had failed, and what the attempts cost. */
function retryFindings(trace: Trace): readonly Finding[] {
  const byId = new Map(trace.calls.map((call) => [call.id, call]));
  const worked = (retry: { readonly hasWorked: boolean }): string =>
    retry.hasWorked ? "the last attempt worked" : "the last attempt failed too";
  const ofCalls = retriesOf(trace).flatMap((retry) => {
    const [call, times] = [retry.attempts[0], retry.attempts.length];
    if (call === undefined || call.error === null) return [];
    const who = whoOf(byId.get(call.parentId ?? -1));
    const message = `${who} tries ${nameOf(call)} ${times} times because of ${call.error.name}: ${call.error.message}`;
    return [finding("retry", message, { call, costUs: retry.costUs, times, detail: worked(retry) })];
  });
  const ofLeaves = leafRetriesOf(trace).flatMap((retry) => {
    const [leaf, times] = [retry.attempts[0], retry.attempts.length];
    if (leaf === undefined) return [];
    const call = byId.get(leaf.parentId ?? -1) ?? null;
    const why = leaf.error === null ? outcomeOf(leaf) : `${leaf.error.name}: ${leaf.error.message}`;
    const message = `${whoOf(call)} tries ${short(leafText(leaf))} ${times} times because of ${why}`;
    return [finding("retry", message, { call, leafId: leaf.id, costUs: retry.costUs, times, detail: worked(retry) })];
  });
  return [...ofCalls, ...ofLeaves].sort((a, b) => (b.costUs ?? 0) - (a.costUs ?? 0)).slice(0, NAMED);
}

/** Calls that were made again with the same arguments, although the first had worked. */
function repeatFindings(trace: Trace): readonly Finding[] {
  const byId = new Map(trace.calls.map((call) => [call.id, call]));
  return repeatsOf(trace)
    .slice(0, NAMED)
    .flatMap(({ calls: same, costUs }) => {
      const [call] = same;
      if (call === undefined) return [];
      const around = innermostAround(
        same.map(({ parentId }) => parentId),
        byId,
      );
      const often = `${count(same.length, "equal call")} of ${nameOf(call)}`;
      const message = `${whoOf(around)} makes ${often}; those after the first took ${duration(costUs)}`;
      return [finding("repeated-call", message, { call: around ?? call, costUs, times: same.length })];
    });
}

/** Calls below one call that ran one after another, while none was given what another of them had returned. */
function sequenceFindings(trace: Trace, others: readonly Call[]): readonly Finding[] {
  const byId = new Map(trace.calls.map((call) => [call.id, call]));
  const found = [...byParent(others)].flatMap(([parent, children]) => {
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
    const detail = `${duration(sumUs)} in all, side by side about ${duration(sumUs - costUs)}`;
    return [finding("sequence", message, { call, costUs, times: calls.length, detail })];
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
      const others = beside === 0 ? "" : ` while ${count(beside, "other")} ran, which may have held it up`;
      const message = `${KINDS[leaf.kind][0]} below ${whoOf(call)} took ${duration(leaf.durationUs ?? 0)}, ${share} % of the run${others === "" ? "" : `,${others}`}: ${what}`;
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
  const steps = outsideOf(trace)
    .slice(0, STEPS)
    .map((step) => `${outsideName(step)} ${duration(step.us)}`);
  const what = trace.phases === undefined ? "the handler, middleware, the response" : steps.join(", ");
  const message = `${duration(outsideUs)} were outside of recorded calls: ${what}`;
  return [...own, finding("own-time", message, { costUs: outsideUs })];
}

/** The calls that bound the end of the run, from the outermost in, and who waits for the longest stretch of it. */
function pathFindings(trace: Trace, rows: readonly TimelineRow[]): readonly Finding[] {
  const path = rows.filter(({ critical, call }) => critical && (call.durationUs ?? 0) > 0);
  if (path.length === 0) return [];
  const heaviest = path.reduce((a, b) => (b.selfUs > a.selfUs ? b : a));
  const names = path.slice(0, 8).map(({ call, selfUs }) => `${nameOf(call)} ${duration(selfUs)}`);
  const message = `the critical path by own time: ${names.join(" → ")}${path.length > 8 ? " …" : ""}`;
  const detail = waitsOf(trace);
  return [finding("critical-path", message, { call: heaviest.call, costUs: heaviest.selfUs, detail })];
}

/** `A waits for B, B for GET rates/FR`: the callers above the longest stretch of the critical path. */
function waitsOf(trace: Trace): string {
  const byId = new Map(trace.calls.map((call) => [call.id, call]));
  const [longest] = whereOf(trace)
    .stretches.filter(({ call }) => call !== null)
    .sort((a, b) => b.endUs - b.startUs - (a.endUs - a.startUs));
  if (longest === undefined || longest.call === null) return "";
  const chain = chainOf(longest.call.id, byId).map(nameOf).reverse();
  if (longest.leaf !== null) chain.push(longest.leaf.kind === "sql" ? "a statement" : short(leafText(longest.leaf)));
  const waits = chain
    .slice(-4)
    .flatMap((name, at, all) => (at === 0 ? [] : [`${all[at - 1] ?? ""} waits for ${name}`]));
  return waits.join(", ");
}
