/**
 * Views: a run for agents, in brief, as a tree of lines, or one call in detail.
 *
 * Texts, not nested JSON, because a value in a programmer's notation takes half the characters. None is longer than the
 * caller's limit.
 */
import { retryText, timelineRows, type TimelineRow } from "../../run/timeline-rows.ts";
import { treeOf } from "../../run/tree.ts";
import { runText, leafText, outcomeOf } from "../../run/spent.ts";
import { attemptWords } from "../../run/jobs.ts";
import { traceKey } from "../../run/format.ts";
import { valueText } from "../terminal/value-text.ts";
import type {
  AgentCall,
  AgentCallDetail,
  AgentLeaf,
  AgentLine,
  AgentRun,
  AgentSummary,
  MethodSource,
  Call,
  ErrorInfo,
  Json,
  Leaf,
  Trace,
  SearchHit,
} from "../../run/shapes.ts";
import { cut } from "./pages.ts";

const LINE_VALUE = 120;

/** A run in brief. */
export function runOf(run: SearchHit | Trace): AgentRun {
  const { method, path, route, status, startedAt, durationUs, job } = run;
  const id = traceKey(run);
  const attempt = job === undefined ? {} : { attempt: attemptWords(job) };
  const at = new Date(startedAt).toISOString();
  return { id, method, path: cut(path, 500), route, status, startedAt: at, durationUs, ...attempt };
}

/** Finds the places of calls' methods. */
export class Places {
  readonly #places: ReadonlyMap<string, string>;

  constructor(sources: readonly MethodSource[]) {
    this.#places = new Map(sources.map(({ bean, method, file, line }) => [`${bean}.${method}`, `${file}:${line}`]));
  }

  /** `src/orders.ts:12`, or null if it is unknown. */
  of({ bean, method }: Pick<Call, "bean" | "method">): string | null {
    return this.#places.get(`${bean}.${method}`) ?? null;
  }

  call({ id, bean, method }: Call): AgentCall {
    return { id, name: `${bean}.${method}`, at: this.of({ bean, method }) };
  }

  methodsOf(bean: string): readonly { readonly name: string; readonly at: string }[] {
    return [...this.#places].flatMap(([key, at]) =>
      key.startsWith(`${bean}.`) ? [{ name: key.slice(bean.length + 1), at }] : [],
    );
  }
}

/** `TypeError: x is not a function`, or null without one. */
export const errorText = (error: ErrorInfo | null): string | null =>
  error === null
    ? null
    : cut(
        [error, ...(error.causes ?? [])].map(({ name, message }) => `${name}: ${message}`).join("; caused by "),
        1_000,
      );

/** The request and the response, each text of it in this many characters. */
export function summaryOf(trace: Trace, chars: number): AgentSummary {
  const { request, response, contractIssues = [] } = trace;
  const value = (json: Json): string => valueText(json, chars);
  return {
    query: value(request.query),
    params: value(request.pathParams),
    requestHeaders: value(request.headers),
    requestBody: value(request.body),
    responseHeaders: value(response.headers),
    responseBody: value(response.body),
    did: runText(trace),
    error: errorText(trace.error),
    contractIssues: contractIssues.map(({ pointer, message }) =>
      cut(`${pointer === "" ? "the response" : pointer}: ${message}`, 300),
    ),
  };
}

/** The calls and leaves in the order of their starts, each after its caller. */
export function linesOf(trace: Trace): readonly AgentLine[] {
  return treeOf(trace, timelineRows(trace)).flatMap(({ row, leaf }) =>
    row !== undefined ? [callLine(row)] : leaf !== undefined ? [leafLine(leaf)] : [],
  );
}

function callLine({ call, selfUs, critical, repeat, retry }: TimelineRow): AgentLine {
  const { id, parentId, bean, method, args, error, result, durationUs } = call;
  const given = args.map((value) => valueText(value, LINE_VALUE)).join(", ");
  const often = `${retryText(retry)}${repeat === undefined ? "" : ` (${repeat.index} of ${repeat.count} equal)`}`;
  const end =
    error !== null
      ? `threw ${cut(`${error.name}: ${error.message}`, 200)}`
      : durationUs === null
        ? "has not settled"
        : valueText(result, LINE_VALUE);
  const text = cut(`${bean}.${method}(${given})${often} → ${end}`, 600);
  return { id, in: parentId, kind: "call", text, totalUs: durationUs, selfUs, critical };
}

function leafLine(leaf: Leaf): AgentLine {
  const { id, kind, parentId, durationUs } = leaf;
  const { text, given, outcome } = leafOf(leaf, 300);
  const what = [text, given === "" ? "" : `[${given}]`, outcome === "" ? "" : `→ ${outcome}`];
  return { id, in: parentId, kind, text: what.filter((part) => part !== "").join(" "), totalUs: durationUs };
}

/** A leaf, each text of it in this many characters. */
export function leafOf(leaf: Leaf, chars: number): AgentLeaf {
  const given =
    leaf.kind === "sql" ? leaf.detail.parameters.map((value) => valueText(value, LINE_VALUE)).join(", ") : "";
  const rows =
    leaf.kind === "sql" && leaf.detail.result !== undefined ? ` ${valueText(leaf.detail.result, chars)}` : "";
  const failed = leaf.error === null ? "" : `failed with ${leaf.error.name}: ${leaf.error.message}`;
  return {
    id: leaf.id,
    kind: leaf.kind,
    text: cut(leafText(leaf), chars),
    given: cut(given, chars),
    outcome: cut(failed === "" ? `${outcomeOf(leaf)}${rows}`.trim() : failed, chars),
    totalUs: leaf.durationUs,
  };
}

/** One call in detail, each text of it in this many characters. */
export function detailOf(trace: Trace, call: Call, places: Places, chars: number): AgentCallDetail {
  const around = trace.calls.find(({ id }) => id === call.parentId);
  const row = timelineRows(trace).find((one) => one.call.id === call.id);
  const calls = trace.calls.filter(({ parentId }) => parentId === call.id);
  const leaves = trace.leaves.filter(({ parentId }) => parentId === call.id);
  return {
    ...places.call(call),
    in: around === undefined ? null : places.call(around),
    args: call.args.map((value, at) => ({ name: call.params?.[at] || String(at), value: valueText(value, chars) })),
    result: call.error === null ? valueText(call.result, chars) : "",
    error: errorText(call.error),
    ...thrownAt(call.error, chars),
    startUs: call.startUs,
    totalUs: call.durationUs,
    selfUs: row?.selfUs ?? 0,
    calls: calls.map((one) => places.call(one)),
    leaves: leaves.map((leaf) => leafOf(leaf, chars)),
    notShown: 0,
  };
}

/** The application's own places of a stack, and the code around the line that threw. */
function thrownAt(error: ErrorInfo | null, chars: number): Pick<AgentCallDetail, "stack" | "code"> {
  const own = (error?.stack ?? []).filter((frame) => frame.own).slice(0, 10);
  const { lines = [], from = 0, line: thrown } = error?.excerpt ?? {};
  return {
    stack: own.map(({ name, file, line, column }) => `${name} ${file}:${line}:${column}`.trim()),
    code: lines.map((text, at) => cut(`${from + at === thrown ? ">" : " "} ${from + at} ${text}`, chars)),
  };
}
