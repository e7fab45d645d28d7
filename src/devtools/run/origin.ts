/**
 * Origin: the places of a value in a run, in order of time. Pure.
 *
 *   request ──▶ arguments of a call when it began ──▶ rows of a statement ──▶ result of a call when it ended ──▶ response
 *
 * The first of them is the value's origin; later ones only pass it on.
 */
import { endOf } from "./calls.ts";
import type { Call, Json, Leaf, Trace, TraceRequest } from "./shapes.ts";

/** The part of the run that has the value. */
export type OriginPart = "request" | "argument" | "statement" | "rows" | "leaf" | "result" | "error" | "response";

/** One place of the value. */
export interface Occurrence {
  readonly part: OriginPart;
  /** The call, or null for request and response, and for leaves outside of calls. */
  readonly call: Call | null;
  readonly leaf: Leaf | null;
  /** A JSONPath into the part. */
  readonly path: string;
  readonly value: Json;
  /** When it appeared there, from the run's start. */
  readonly us: number;
}

/** Every place of the text, the first one first, as a whole value or within a text. Case does not count. */
export function occurrencesOf(trace: Trace, text: string): Occurrence[] {
  const wanted = text.toLowerCase();
  const found: Occurrence[] = [];
  const look = (value: Json, where: Omit<Occurrence, "path" | "value">, path = "$"): void => {
    if (typeof value !== "object" || value === null) {
      if (holds(value, wanted)) found.push({ ...where, path, value });
      return;
    }
    for (const [key, inner] of Object.entries(value))
      look(inner, where, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`);
  };
  lookInRun(trace, look, (headers) => headersWith(wanted, headers));
  return found.sort((a, b) => a.us - b.us || order.indexOf(a.part) - order.indexOf(b.part) || depth(a) - depth(b));
}

type Headers = TraceRequest["headers"];

/** Every part of a run. @param headersOf the headers that count */
function lookInRun(trace: Trace, look: Look, headersOf: (headers: Headers) => Headers): void {
  const { request, response } = trace;
  const outside = { call: null, leaf: null };
  const { pathParams: params, query, body } = request;
  const asked: Json = { path: trace.path, params, query, body, headers: headersOf(request.headers) };
  look(asked, { ...outside, part: "request", us: 0 });
  for (const call of trace.calls) lookInCall(call, trace, look);
  const byId = new Map(trace.calls.map((call) => [call.id, call]));
  for (const leaf of trace.leaves) lookInLeaf(leaf, byId.get(leaf.parentId ?? -1) ?? null, look);
  const sent: Json = { status: trace.status, headers: headersOf(response.headers), body: response.body };
  look(sent, { ...outside, part: "response", us: trace.durationUs });
}

/** How many words of a text are looked for. */
const MOST_WORDS = 40;

/** The words of a leaf's text that are a whole value elsewhere in the run, each once. Without any, nothing is known of it. */
export function valuesIn(text: string, leaf: Leaf, trace: Trace): readonly string[] {
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}_.@:/-]*[\p{L}\p{N}]/gu) ?? [];
  const asked = new Set(words.slice(0, MOST_WORDS));
  const found = new Set<string>();
  if (asked.size === 0) return [];
  const look = (value: Json): void => {
    if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) look(inner);
    else if (asked.has(String(value))) found.add(String(value));
  };
  lookInRun({ ...trace, leaves: trace.leaves.filter(({ id }) => id !== leaf.id) }, look, () => ({}));
  return [...asked].filter((word) => found.has(word));
}

type Look = (value: Json, where: Omit<Occurrence, "path" | "value">, path?: string) => void;

function lookInCall(call: Call, trace: Trace, look: Look): void {
  const where = { call, leaf: null };
  for (const [at, value] of call.args.entries())
    look(value, { ...where, part: "argument", us: call.startUs }, call.params?.[at] || `args[${at}]`);
  const us = endOf(call, trace);
  if (call.error === null) look(call.result, { ...where, part: "result", us });
  else look({ name: call.error.name, message: call.error.message }, { ...where, part: "error", us });
}

function lookInLeaf(leaf: Leaf, call: Call | null, look: Look): void {
  const where = { call, leaf };
  const endUs = leaf.startUs + (leaf.durationUs ?? 0);
  if (leaf.kind !== "sql") return look(leaf.detail as unknown as Json, { ...where, part: "leaf", us: endUs });
  const { statement, parameters, result = null } = leaf.detail;
  look({ statement, parameters }, { ...where, part: "statement", us: leaf.startUs });
  look(result, { ...where, part: "rows", us: endUs });
}

/** The headers that can match. A number matches only as a whole, since ports, dates and trace ids have its digits too. */
function headersWith(wanted: string, headers: TraceRequest["headers"]): TraceRequest["headers"] {
  const isNumber = /^-?\d+(?:\.\d+)?$/.test(wanted);
  const may = ([name, values]: [string, readonly string[]]): boolean =>
    !OF_HTTP.has(name) && (!isNumber || values.includes(wanted));
  return Object.fromEntries(Object.entries(headers).filter(may));
}

/** Headers with numbers of HTTP itself, not values with an origin. */
const OF_HTTP: ReadonlySet<string> = new Set(["content-length", "dnt", "sec-gpc", "upgrade-insecure-requests"]);

/** A number or a word as a whole; a text also as a part. */
function holds(value: null | boolean | number | string, wanted: string): boolean {
  const own = String(value).toLowerCase();
  return own === wanted || (typeof value === "string" && wanted.length > 1 && own.includes(wanted));
}

/** At the same time, causes come before effects. */
const order: readonly OriginPart[] = [
  "request",
  "argument",
  "statement",
  "rows",
  "leaf",
  "error",
  "result",
  "response",
];

/** Arguments go from outside in, results from inside out. */
const depth = ({ part, call }: Occurrence): number => (call?.depth ?? 0) * (part === "argument" ? 1 : -1);
