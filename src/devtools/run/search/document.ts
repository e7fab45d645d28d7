/**
 * Document: a searchable run. Its properties are in columns, its values in one text in lower case.
 *
 *   owner ␟ part ␝ .key.key ␞ value ⏎         owner: nothing for the run, c3 for its call 3, l2 for its leaf 2
 *   c3    ␟ arg  ␝ .id      ␞ 7     ⏎
 *
 * A run has one text, so that a search is one pass of the engine's own `indexOf` over it. The line of a found key or value
 * says where it is. Made once per run; runs in browsers.
 *
 * Spec: spec/search.md
 */
import type { AttemptMark, Call, ErrorInfo, Json, JsonObject, Leaf, SearchHit, Trace } from "../shapes.ts";
import { oneLine } from "./query.ts";
import { isList } from "../values.ts";

/** Between an owner and its part. */
export const OWNER_END = "\u001f";
/** Between a part and its keys. */
export const PART_END = "\u001d";
/** Between keys and their value. */
export const KEYS_END = "\u001e";

/** A call, without its arguments and result. */
export interface CallColumns extends Pick<Call, "id" | "bean" | "declaredBy" | "method" | "durationUs"> {
  readonly failed: boolean;
}

/** A leaf. */
export interface LeafColumns {
  readonly id: number;
  readonly kind: string;
}

/** A searchable run. */
export interface RunDocument
  extends Omit<SearchHit, "calls" | "leaves" | "parts">, Pick<Trace, "id" | "correlationId" | "aborted"> {
  readonly failed: boolean;
  readonly broken: boolean;
  readonly calls: readonly CallColumns[];
  readonly leaves: readonly LeafColumns[];
  /** The lines described at the head of this file, each with a line break before it and one after the last. */
  readonly text: string;
}

/** Makes the document of a run. */
export function documentOf(trace: Trace): RunDocument {
  const lines = new Lines();
  addRun(lines, trace);
  for (const call of trace.calls) addCall(lines, call);
  for (const leaf of trace.leaves) addLeaf(lines, leaf);
  return {
    instance: trace.instance,
    sequence: trace.sequence,
    id: trace.id,
    correlationId: trace.correlationId,
    kind: trace.kind ?? "request",
    method: shared(trace.method),
    path: trace.path,
    route: trace.route === null ? null : shared(trace.route),
    status: trace.status,
    startedAt: trace.startedAt,
    durationUs: trace.durationUs,
    aborted: trace.aborted,
    failed: trace.status >= 500 || trace.error !== null,
    broken: (trace.contractIssues ?? []).length > 0,
    ...(trace.job === undefined ? {} : { job: markOf(trace.job) }),
    calls: trace.calls.map(columnsOf),
    leaves: trace.leaves.map(({ id, kind }) => ({ id, kind: shared(kind) })),
    text: lines.text(),
  };
}

const markOf = ({ attempt, attempts, outcome }: AttemptMark): AttemptMark => ({ attempt, attempts, outcome });

const columnsOf = ({ id, bean, declaredBy, method, durationUs, error }: Call): CallColumns => ({
  id,
  bean: shared(bean),
  declaredBy: shared(declaredBy),
  method: shared(method),
  durationUs,
  failed: error !== null,
});

/** Names recur in every run, so each is kept once. Bounded, since a hand-written file could invent them. */
const names = new Map<string, string>();
function shared(name: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  if (names.size >= 10_000) names.clear();
  names.set(name, name);
  return name;
}

function addRun(lines: Lines, trace: Trace): void {
  const { request, response, error, contractIssues = [], annotations = [] } = trace;
  lines.owner = "";
  lines.add("run", ".method", trace.method);
  lines.add("run", ".status", String(trace.status));
  lines.add("run", ".id", trace.id);
  lines.add("path", "", trace.path);
  if (trace.route !== null) lines.add("run", ".route", trace.route);
  for (const { name, value } of annotations) if (name === "agent") lines.value("run", "", value);
  for (const [key, value] of Object.entries(request.pathParams)) lines.add("param", `.${key}`, value);
  for (const [key, values] of Object.entries(request.query))
    for (const one of values) lines.add("query", `.${key}`, one);
  for (const { headers } of [request, response])
    for (const [key, values] of Object.entries(headers)) for (const one of values) lines.add("header", `.${key}`, one);
  lines.value("body", "", request.body);
  lines.value("response", "", response.body);
  addError(lines, error);
  for (const { pointer, message } of contractIssues) lines.add("contract", `.${pointer}`, message);
}

function addCall(lines: Lines, { id, bean, declaredBy, method, args, params, result, error }: Call): void {
  lines.owner = `c${id}`;
  lines.add("bean", "", bean === declaredBy ? bean : `${bean} ${declaredBy}`);
  lines.add("method", "", method);
  for (const [at, arg] of args.entries()) lines.value("arg", `.${params?.[at] || at}`, arg);
  if (error === null) lines.value("result", "", result);
  addError(lines, error);
}

function addLeaf(lines: Lines, { id, kind, name, detail, error }: Leaf): void {
  lines.owner = `l${id}`;
  lines.add(kind, ".name", name);
  lines.value(kind, "", detail as unknown as JsonObject);
  addError(lines, error);
}

function addError(lines: Lines, error: Pick<ErrorInfo, "name" | "message" | "causes"> | null): void {
  if (error === null) return;
  for (const { name, message } of [error, ...(error.causes ?? [])]) {
    lines.add("error", ".name", name);
    lines.add("error", ".message", message);
  }
}

/** Devtools write no deeper value. */
const deepest = 64;

class Lines {
  owner = "";
  readonly #lines: string[] = [""];

  /** `keys` have a dot before each key. */
  add(part: string, keys: string, value: string): void {
    this.#lines.push(`${this.owner}${OWNER_END}${part}${PART_END}${oneLine(keys)}${KEYS_END}${oneLine(value)}`);
  }

  /** A value with all its members, each at its own keys. */
  value(part: string, keys: string, value: Json, depth = 0): void {
    if (typeof value === "string") this.add(part, keys, value);
    else if (typeof value === "number" || typeof value === "boolean" || value === null)
      this.add(part, keys, String(value));
    else if (depth > deepest) return;
    else if (isList(value))
      for (const [at, item] of value.entries()) this.value(part, `${keys}.${at}`, item, depth + 1);
    else this.#object(part, keys, value, depth);
  }

  text(): string {
    this.#lines.push("");
    return this.#lines.join("\n").toLowerCase();
  }

  #object(part: string, keys: string, value: JsonObject, depth: number): void {
    for (const [key, item] of Object.entries(value)) {
      if (!key.startsWith("$")) this.value(part, `${keys}.${key}`, item, depth + 1);
      else if (key.startsWith("$$")) this.value(part, `${keys}.${key.slice(1)}`, item, depth + 1);
      else if (key === "$map" && isList(item)) this.#pairs(part, keys, item, depth);
      else if (!countsOnly.has(key)) this.value(part, keys, item, depth + 1);
    }
  }

  #pairs(part: string, keys: string, pairs: readonly Json[], depth: number): void {
    for (const pair of pairs) {
      const [key, value] = isList(pair) ? pair : [];
      if (value === undefined) continue;
      const isName = typeof key === "string" || typeof key === "number";
      this.value(part, isName ? `${keys}.${key}` : keys, value, depth + 1);
    }
  }
}

/** Forms that only have the amount of a value. */
const countsOnly: ReadonlySet<string> = new Set([
  "$truncated",
  "$undefined",
  "$pending",
  "$circular",
  "$evicted",
  "$thenable",
  "$bytes",
  "$private",
  "$hidden",
]);
