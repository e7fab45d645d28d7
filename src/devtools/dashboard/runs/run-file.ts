/**
 * A run as a file, and back: the trace with the graph it ran in, so that it can be read anywhere. Pure.
 *
 *   Trace + BeanGraph + entry beans ──▶ formatRun ──▶ text ──▶ parseRun ──▶ the same, or a sentence
 *
 * What comes from a file is checked before anything is drawn; what was redacted was redacted before it came here.
 */

import type { KeptTrace } from "../../search/document.ts";
import type { BeanGraph, ServiceRun, Trace } from "../../wire.ts";
import { isRecord, isText, isTexts, jsonOf } from "../page/guards.ts";
import type { SavedRun } from "../store/application.ts";

/** The first line of every file: what it is, and its version. */
const FORMAT = "framework-run/1";

/** The text of a file. */
export function formatRun(run: SavedRun): string {
  return `${JSON.stringify({ format: FORMAT, ...run }, null, 2)}\n`;
}

/** A file's name: `run-GET-orders-7-200-14.json`. */
export function runFileName(trace: Trace): string {
  const path = trace.path
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 60);
  return `${["run", trace.method, path, trace.status, trace.sequence].filter((part) => part !== "").join("-")}.json`;
}

/**
 * The run in a file's text.
 *
 * @throws Error with a sentence when it is not a run, or not one of this version
 */
export function parseRun(text: string): SavedRun {
  const value: unknown = jsonOf(text);
  if (value === undefined) throw new Error("The file is not JSON.");
  if (!isRecord(value) || typeof value["format"] !== "string" || !value["format"].startsWith("framework-run/"))
    throw new Error("The file is not a saved run.");
  if (value["format"] !== FORMAT) throw new Error(`The file is a ${value["format"]}; this page reads ${FORMAT}.`);
  const { trace, graph, entries } = value;
  if (!isTrace(trace) || !isGraph(graph) || !isTexts(entries))
    throw new Error("The file is a saved run, but parts of it are missing or damaged.");
  return { trace: withLeaves(trace), graph, entries };
}

/**
 * The run of another service in what its devtools sent.
 *
 * @throws Error with a sentence when parts of it are missing
 */
export function parseServiceRun(text: string): ServiceRun {
  const value = JSON.parse(text) as unknown;
  if (!isRecord(value)) throw new Error("What the other service sent is no run.");
  const { name, trace, graph } = value;
  if (!isText(name) || !isTrace(trace) || !isGraph(graph))
    throw new Error("What the other service sent is a run of another version of devtools.");
  return { name, trace: withLeaves(trace), graph };
}

/** The trace, with no leaves where it is from before they were recorded. */
export const withLeaves = (trace: KeptTrace): Trace => ({ leaves: [], droppedLeaves: 0, ...trace });

/** What a value looks like: an example of it, where a list has one of its items; or a test. */
type Shape = string | number | boolean | readonly [Shape] | ShapeOfMembers | ((value: unknown) => boolean);
interface ShapeOfMembers {
  readonly [name: string]: Shape;
}

function fits(value: unknown, shape: Shape): boolean {
  if (typeof shape === "function") return shape(value);
  if (isList(shape)) return Array.isArray(value) && value.every((item) => fits(item, shape[0]));
  if (typeof shape === "object")
    return isRecord(value) && Object.entries(shape).every(([name, one]) => fits(value[name], one));
  return typeof value === typeof shape;
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);
const optional =
  (shape: Shape) =>
  (value: unknown): boolean =>
    value === undefined || fits(value, shape);
const orNull =
  (shape: Shape) =>
  (value: unknown): boolean =>
    value === null || fits(value, shape);
const record =
  (shape: Shape) =>
  (value: unknown): boolean =>
    isRecord(value) && Object.values(value).every((one) => fits(one, shape));
const json = (value: unknown): boolean => value !== undefined;

const FRAME = { name: "", file: "", line: 0, column: 0, own: true };
const CAUSE = {
  name: "",
  message: "",
  stack: optional([FRAME]),
  excerpt: optional({ file: "", line: 0, from: 0, lines: [""] }),
};
const ERROR = { ...CAUSE, causes: optional([CAUSE]) };
const lists = record([""]);

const CALL = {
  id: 0,
  parentId: orNull(0),
  depth: 0,
  bean: "",
  declaredBy: "",
  stereotype: "",
  method: "",
  args: [json],
  params: optional([""]),
  result: json,
  error: orNull(ERROR),
  startUs: 0,
  durationUs: orNull(0),
  async: true,
} as const;

/** What the detail of each kind of leaf has. */
const DETAILS: Readonly<Record<string, Shape>> = {
  sql: { system: "", statement: "", parameters: [json], rows: orNull(0) },
  http: {
    ...{ method: "", url: "", status: orNull(0), requestHeaders: lists, responseHeaders: lists },
    run: orNull({ origin: "", id: "" }),
  },
  cache: { system: "", command: "", key: "", args: [json], hit: orNull(true) },
  log: { level: "", message: "", fields: {} },
  message: { system: "", operation: "", destination: "", body: json },
  span: { attributes: {}, status: "", spanId: orNull(""), parentSpanId: orNull("") },
};

const LEAF = {
  id: 0,
  parentId: orNull(0),
  kind: "",
  name: "",
  error: orNull({ name: "", message: "" }),
  startUs: 0,
  durationUs: orNull(0),
};

function isLeaf(value: unknown): boolean {
  if (!isRecord(value) || !fits(value, LEAF)) return false;
  const kind = String(value["kind"]);
  return fits(value["detail"], Object.hasOwn(DETAILS, kind) ? (DETAILS[kind] ?? "") : () => false);
}

const TRACE = {
  instance: "",
  id: "",
  sequence: 0,
  correlationId: orNull(""),
  method: "",
  path: "",
  route: orNull(""),
  status: 0,
  startedAt: 0,
  durationUs: 0,
  aborted: true,
  request: {
    ...{ pathParams: record(""), query: lists, headers: lists, body: json },
    cookies: optional([""]),
  },
  response: {
    ...{ headers: lists, body: json, bytes: 0 },
    cookies: optional([{ name: "", attributes: [""] }]),
  },
  calls: [CALL],
  droppedCalls: 0,
  leaves: optional([isLeaf]),
  droppedLeaves: optional(0),
  error: orNull(ERROR),
  run: optional(0),
  kind: optional((value) => value === "trace" || value === "background" || value === "websocket"),
  event: optional(""),
  connection: optional(0),
  annotations: optional([{ name: "", value: json }]),
  entered: optional([""]),
  callLimit: optional(0),
  contractIssues: optional([{ pointer: "", message: "" }]),
} as const;

/** Is this a trace, all of whose parts are there? */
export function isTrace(value: unknown): value is KeptTrace {
  return fits(value, TRACE);
}

const NODE = {
  id: "",
  name: "",
  stereotype: "",
  implementation: "",
  traceable: true,
  reason: optional(""),
  dependencies: [""],
} as const;

function isGraph(value: unknown): value is BeanGraph {
  return fits(value, { nodes: [NODE], edges: [{ from: "", to: "" }], unspied: [""] });
}
