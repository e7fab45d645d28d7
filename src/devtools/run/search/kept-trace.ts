/**
 * Checks whether a value from a file is a trace, whatever wrote the file and when. Pure.
 *
 *   a value, an example of its shape ──▶ fits? ──▶ Trace
 *
 * Spec: spec/history.md
 */
import type { Trace } from "../shapes.ts";
import { isRecord } from "../values.ts";

/** The shape of a value: an example of it, with a number for a count and one item for a list; or a test. */
export type Shape = string | number | boolean | readonly [Shape] | ShapeOfMembers | ((value: unknown) => boolean);
interface ShapeOfMembers {
  readonly [name: string]: Shape;
}

/** A whole number from 0. */
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** Whether the value has that shape. */
export function fits(value: unknown, shape: Shape): boolean {
  if (typeof shape === "function") return shape(value);
  if (isList(shape)) return Array.isArray(value) && value.every((item) => fits(item, shape[0]));
  if (typeof shape === "object")
    return isRecord(value) && Object.entries(shape).every(([name, one]) => fits(value[name], one));
  return typeof shape === "number" ? isCount(value) : typeof value === typeof shape;
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);

/** Absent, or of that shape. */
export const optional =
  (shape: Shape) =>
  (value: unknown): boolean =>
    value === undefined || fits(value, shape);

/** Null, or of that shape. */
export const orNull =
  (shape: Shape) =>
  (value: unknown): boolean =>
    value === null || fits(value, shape);

/** An object whose members have that shape, with any names. */
export const record =
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

const DETAILS: Readonly<Record<string, Shape>> = {
  sql: { system: "", statement: "", parameters: [json], rows: orNull(0) },
  http: {
    method: "",
    url: "",
    status: orNull(0),
    requestHeaders: lists,
    responseHeaders: lists,
    run: orNull({ origin: "", id: "" }),
  },
  cache: { system: "", command: "", key: "", args: [json], hit: orNull(true) },
  log: { level: "", message: "", fields: {} },
  message: { system: "", operation: "", destination: "", body: json, id: optional("") },
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

const JOB = {
  id: "",
  system: "",
  attempt: 0,
  attempts: 0,
  sentAt: 0,
  outcome: (value: unknown): boolean => ["done", "failed", "dead", "back"].includes(String(value)),
  againMs: optional(0),
  requestId: optional(""),
  schedule: optional(""),
  sender: optional({ origin: "", id: "" }),
};

/** The name of a process. */
export const isInstance = (value: unknown): boolean => typeof value === "string" && /^[A-Za-z0-9-]{1,64}$/.test(value);

const TRACE = {
  instance: isInstance,
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
  request: { pathParams: record(""), query: lists, headers: lists, body: json, cookies: optional([""]) },
  response: { headers: lists, body: json, bytes: 0, cookies: optional([{ name: "", attributes: [""] }]) },
  calls: [CALL],
  droppedCalls: 0,
  leaves: [isLeaf],
  droppedLeaves: 0,
  error: orNull(ERROR),
  run: optional(0),
  kind: optional((value) => ["trace", "background", "websocket", "job"].includes(String(value))),
  job: optional(JOB),
  event: optional(""),
  connection: optional(0),
  annotations: optional([{ name: "", value: json }]),
  entered: optional([""]),
  callLimit: optional(0),
  contractIssues: optional([{ pointer: "", message: "" }]),
} as const;

/** Whether this is a trace with all its parts. */
export function isTrace(value: unknown): value is Trace {
  return fits(value, TRACE);
}
