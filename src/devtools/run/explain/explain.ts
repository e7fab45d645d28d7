/**
 * Explain: findings about a recorded run, each about a call. Pure. Findings are facts; nothing is guessed.
 *
 *   run (and one that worked) ──▶ what failed, what breaks the contract, what was swallowed, what was not awaited
 *                             ──▶ what differs from the run that worked, what was logged as a warning or an error
 *                             ──▶ what is repeated, what runs in sequence, what is slow, where the time went
 *
 * The order is that of a debugger's questions, errors before slowness. explain-time.ts has the second half.
 */
import { byParent, endOf } from "../calls.ts";
import { diffJson } from "../compare/diff.ts";
import { divergences, type Divergence } from "../compare/divergence.ts";
import { errorValueFindings } from "./error-values.ts";
import { timeFindings } from "./explain-time.ts";
import { finding, nameOf, short, whoOf, type Finding } from "./findings.ts";
import { interleavedFindings } from "./interleaved.ts";
import { isSameRequest } from "./last-good.ts";
import { retriedIn, type Retried } from "../retries.ts";
import { innermost, isSameError, placeOf, thrownIn } from "./thrower.ts";
import { occurrencesOf } from "../origin.ts";
import { count, duration } from "../format.ts";
import type { Call, ContractIssue, Json, Trace } from "../shapes.ts";
import { keysOf } from "../values.ts";

/** How many differences from the run that worked are named. */
const MOST_DIFFERENCES = 5;

/**
 * The findings of a run. @param good a run of the same request or route that worked, if one is known @param others runs of the
 * process that may have overlapped with it @param own the part of the run in its own process, which is compared with those
 */
export function explain(
  trace: Trace,
  good?: Trace,
  others: readonly Trace[] = [],
  own: Trace = trace,
): readonly Finding[] {
  const retried = retriedIn(trace);
  return [
    ...errorFindings(trace),
    ...hiddenErrorFindings(trace, retried),
    ...errorValueFindings(trace),
    ...interleavedFindings(own, others),
    ...contractFindings(trace),
    ...swallowedFindings(trace, retried),
    ...unfinishedFindings(trace),
    ...(good === undefined ? [] : differenceFindings(good, own)),
    ...loggedFindings(trace, retried),
    ...timeFindings(trace, retried),
    ...droppedFindings(trace),
  ];
}

/** The error of the run, at the call where it began; nothing if it has none, or if the findings about the contract say more. */
function errorFindings(trace: Trace): readonly Finding[] {
  const at = thrownIn(trace);
  if (trace.error === null || at === null) return [];
  const { name, message } = trace.error;
  const where = at.call === null ? "outside of recorded calls" : `in ${nameOf(at.call)}`;
  return [finding("error", `${name}: ${message} was thrown ${where}`, at)];
}

/** Errors after which the call around them failed with another one, as after a failed request to another service. */
function hiddenErrorFindings(trace: Trace, retried: Retried): readonly Finding[] {
  const byId = new Map(trace.calls.map((call) => [call.id, call]));
  const children = byParent(trace.calls);
  return trace.calls.flatMap((call) => {
    const { error, parentId } = call;
    const around = byId.get(parentId ?? -1);
    const shown = around ? around.error : trace.error;
    if (error === null || shown === null || isSameError(error, shown) || retried.has(call)) return [];
    const began = innermost(call, children);
    const message = `${nameOf(began)} threw ${error.name}: ${error.message}, and ${whoOf(around)} then failed with ${shown.name}`;
    return [finding("error", message, { call: began, ...placeOf(began.error ?? error) })];
  });
}

/** Breaches of the contract, at the call that first had that value. */
function contractFindings(trace: Trace): readonly Finding[] {
  return (trace.contractIssues ?? []).map(({ pointer, message }) => {
    const value = valueAt(respondedWith(trace), pointer);
    const call = sourceOf(trace, value, { pointer, message });
    const what = pointer === "" ? "the response" : `${pointer} of the response`;
    const shown = value === undefined ? "" : `, it is ${short(value)}`;
    const from = call === null ? "" : `; ${nameOf(call)} is the first call that returned it`;
    return finding("contract", `${what} breaks the contract: ${message}${shown}${from}`, { call });
  });
}

/** The body of the response. A response that was not sent, because it breaks its contract, is the result of its entry call. */
function respondedWith({ status, calls, response }: Trace): Json {
  const hasReturned = ({ parentId, error, durationUs }: Call): boolean =>
    parentId === null && error === null && durationUs !== null;
  const entry = status < 500 ? undefined : calls.findLast(hasReturned);
  return entry === undefined ? response.body : entry.result;
}

/** The value at a JSON pointer, or undefined if there is none. */
function valueAt(body: Json, pointer: string): Json | undefined {
  let at: Json | undefined = body;
  for (const key of keysOf(pointer)) {
    if (typeof at !== "object" || at === null) return undefined;
    at = Object.hasOwn(at, key) ? (at as Readonly<Record<string, Json>>)[key] : undefined;
  }
  return at;
}

/**
 * The first call that returned the value under the response's key. For a missing value, the innermost call that returned the
 * object around it.
 */
function sourceOf(trace: Trace, value: Json | undefined, { pointer }: ContractIssue): Call | null {
  const key = pointer.split("/").at(-1) ?? "";
  const isScalar = value === null || (value !== undefined && typeof value !== "object");
  if (isScalar) {
    const places = occurrencesOf(trace, String(value)).filter((one) => one.part === "result" && one.value === value);
    const sameKey = places.find(({ path }) => path.endsWith(`.${key}`)) ?? places[0];
    if (sameKey !== undefined) return sameKey.call;
  }
  const around =
    value === undefined ? valueAt(respondedWith(trace), pointer.slice(0, pointer.lastIndexOf("/"))) : value;
  const text = around === undefined ? undefined : JSON.stringify(around);
  if (text === undefined) return null;
  const returned = trace.calls.filter(({ result, error }) => error === null && JSON.stringify(result).includes(text));
  return returned.toSorted((a, b) => endOf(a, trace) - endOf(b, trace) || b.depth - a.depth)[0] ?? null;
}

/** Differences with the call that made them. */
function differenceFindings(good: Trace, trace: Trace): readonly Finding[] {
  const found = divergences(good, trace).filter(({ isExpected }) => !isExpected);
  if (isSameRequest(good, trace)) return found.slice(0, MOST_DIFFERENCES).map(differenceFinding);
  // Another request of the route explains other arguments. For a run that worked, it explains everything.
  if (trace.status < 400 && trace.error === null) return [];
  const unexplained = found.filter(({ kind }) => kind !== "arguments" && kind !== "statement" && kind !== "rows");
  return [...requestFindings(good, trace), ...unexplained.slice(0, 1).map(differenceFinding)];
}

/** How the request differs from that of the run that worked. */
function requestFindings(good: Trace, trace: Trace): readonly Finding[] {
  const of = ({ path, request: { pathParams: params, query, body } }: Trace): Json =>
    Object.keys(params).length === 0 ? { path, query, body } : { params, query, body };
  const [first, ...more] = diffJson(of(good), of(trace));
  if (first === undefined) return [];
  const others = more.length === 0 ? "" : ` and ${count(more.length, "more difference")}`;
  return [
    finding("difference", `the request is another one than in the run that worked: ${changeText(first)}${others}`),
  ];
}

/** A difference in a sentence, with the call that made it and the earlier value. */
function differenceFinding({ kind, by, at, leaf, differences }: Divergence): Finding {
  const who = whoOf(by);
  const [first] = differences;
  const changed = first === undefined ? "" : changeText(first);
  const more = differences.length > 1 ? ` and ${count(differences.length - 1, "more difference")}` : "";
  const leafId = leaf?.id ?? null;
  const sentences = {
    arguments: `${who} gives ${nameOf(at)} other arguments: ${changed}${more}`,
    result: `${who} returns another result for the same arguments: ${changed}${more}`,
    extra: `${who} calls ${nameOf(at)}, which the run that worked did not`,
    missing: `${who} does not call ${nameOf(at)}, which the run that worked did`,
    statement: `${who} sends another statement: ${changed}${more}`,
    rows: `the database gives ${who} other rows: ${changed}${more}`,
  };
  return finding("difference", sentences[kind], { call: by, leafId });
}

function changeText(difference: Divergence["differences"][number]): string {
  // `$.result.at.$date` is about `result.at`. A member that an application calls `$date` is written `$$date`.
  const path = difference.path.replace(/^\$\.?/, "").replaceAll(/\.\$(?!\$)\w+/g, "");
  if (difference.kind === "added") return `${path} is new, ${short(difference.after)}`;
  if (difference.kind === "removed") return `${path} is gone, it was ${short(difference.before)}`;
  return `${path} was ${short(difference.before)}, is ${short(difference.after)}`;
}

/** Errors of calls and leaves with which the call around them did not fail. */
function swallowedFindings(trace: Trace, retried: Retried): readonly Finding[] {
  const byId = new Map(trace.calls.map((call) => [call.id, call]));
  const children = byParent(trace.calls);
  const ofCalls = trace.calls.flatMap((call) => {
    const { error, parentId } = call;
    if (retried.has(call)) return [];
    const around = parentId === null ? undefined : byId.get(parentId);
    const isGone = around === undefined ? trace.error === null && trace.status < 400 : around.error === null;
    if (error === null || !isGone) return [];
    const message = `${nameOf(call)} threw ${error.name}: ${error.message}, and ${whoOf(around)} went on without it`;
    const began = innermost(call, children);
    return [finding("swallowed", message, { call: around ?? call, ...placeOf(began.error ?? error) })];
  });
  const ofLeaves = trace.leaves.flatMap((leaf) => {
    const call = leaf.parentId === null ? null : (byId.get(leaf.parentId) ?? null);
    if (retried.has(leaf) || leaf.error === null || (call === null ? trace.error : call.error) !== null) return [];
    const message = `${leaf.kind} ${leaf.name} failed with ${leaf.error.name}: ${leaf.error.message}, and ${whoOf(call)} went on`;
    return [finding("swallowed", message, { call, leafId: leaf.id })];
  });
  return [...ofCalls, ...ofLeaves];
}

/** Calls without a waiting caller. If the caller has not settled either, it is not known whether it waits. */
function unfinishedFindings(trace: Trace): readonly Finding[] {
  const byId = new Map(trace.calls.map((call) => [call.id, call]));
  return trace.calls.flatMap((call) => {
    const around = call.parentId === null ? undefined : byId.get(call.parentId);
    if (!call.async || around?.durationUs === null) return [];
    const lateUs =
      call.startUs + (call.durationUs ?? 0) - (around === undefined ? trace.durationUs : endOf(around, trace));
    if (call.durationUs !== null && lateUs <= LATE_US) return [];
    return [finding("unfinished", unfinishedText(call, around, trace.aborted, lateUs), { call: around ?? call })];
  });
}

/** When its client leaves, a run ends before its handler, which may well wait. */
function unfinishedText(call: Call, around: Call | undefined, aborted: boolean, lateUs: number): string {
  if (around === undefined && aborted) return `the client left while ${nameOf(call)} ran`;
  const who = whoOf(around);
  return call.durationUs === null
    ? `${nameOf(call)} had not settled when ${who} was done: it was not waited for`
    : `${nameOf(call)} ended ${duration(lateUs)} after ${who}, which did not wait for it`;
}

/** Clocks are read one after the other, so a smaller difference does not count as later. */
const LATE_US = 50;

/** Warnings and errors of the log, and requests that other services rejected. */
function loggedFindings(trace: Trace, retried: Retried): readonly Finding[] {
  const byId = new Map(trace.calls.map((call) => [call.id, call]));
  return trace.leaves.flatMap((leaf) => {
    if (retried.has(leaf)) return [];
    const call = leaf.parentId === null ? null : (byId.get(leaf.parentId) ?? null);
    const who = whoOf(call);
    if (leaf.kind === "log" && /^(?:warn|error|fatal)/i.test(leaf.detail.level)) {
      const message = `${who} logged ${leaf.detail.level}: ${short(leaf.detail.message)}`;
      return [finding("logged", message, { call, leafId: leaf.id })];
    }
    if (leaf.kind !== "http" || leaf.detail.status === null || leaf.detail.status < 400) return [];
    const { method, url, status } = leaf.detail;
    return [finding("failed-request", `${who} got ${status} from ${method} ${url}`, { call, leafId: leaf.id })];
  });
}

function droppedFindings({ droppedCalls, droppedLeaves }: Trace): readonly Finding[] {
  return [
    droppedCalls > 0
      ? `${count(droppedCalls, "call")} not recorded: the bound was reached, or the run was over when they began`
      : "",
    droppedLeaves > 0 ? `not recorded below the calls: ${count(droppedLeaves, "thing")}` : "",
  ].flatMap((message) => (message === "" ? [] : [finding("dropped", message)]));
}
