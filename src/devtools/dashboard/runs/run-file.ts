/**
 * A run as a file, and back: the trace with the graph it ran in, so that it can be read anywhere. Pure.
 *
 *   Trace + BeanGraph + entry beans ──▶ formatRun ──▶ text ──▶ parseRun ──▶ the same, or a sentence
 *
 * What comes from a file is checked before anything is drawn; what was redacted was redacted before it came here.
 */

import type { KeptTrace } from "../../search/document.ts";
import type { BeanGraph, ServiceRun, Trace } from "../../wire.ts";
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
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error("The file is not JSON.");
  }
  if (!isRecord(value) || typeof value["format"] !== "string" || !value["format"].startsWith("framework-run/"))
    throw new Error("The file is not a saved run.");
  if (value["format"] !== FORMAT)
    throw new Error(
      `The file is a ${value["format"]}; this page reads ${FORMAT}. Open it with the version it is from.`,
    );
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
  if (!isString(name) || !isTrace(trace) || !isGraph(graph))
    throw new Error("What the other service sent is a run of another version of devtools.");
  return { name, trace: withLeaves(trace), graph };
}

/** The trace, with no leaves where it is from before they were recorded. */
export const withLeaves = (trace: KeptTrace): Trace => ({ leaves: [], droppedLeaves: 0, ...trace });

type Shape = Readonly<Record<string, (value: unknown) => boolean>>;

const isString = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isBoolean = (value: unknown): boolean => typeof value === "boolean";
const isNullOr =
  (fits: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === null || fits(value);
const isJson = (value: unknown): boolean => value !== undefined;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const fitsShape = (value: unknown, shape: Shape): boolean =>
  isRecord(value) && Object.entries(shape).every(([key, fits]) => fits(value[key]));

const listWhere =
  (fits: (item: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(fits);
const isTexts = (value: unknown): value is string[] => listWhere(isString)(value);
const recordWhere =
  (fits: (item: unknown) => boolean) =>
  (value: unknown): boolean =>
    isRecord(value) && Object.values(value).every(fits);

const isOptional =
  (fits: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || fits(value);

const FRAME: Shape = { name: isString, file: isString, line: isNumber, column: isNumber, own: isBoolean };
const EXCERPT: Shape = { file: isString, line: isNumber, from: isNumber, lines: (value) => isTexts(value) };
const CAUSE: Shape = {
  name: isString,
  message: isString,
  stack: isOptional((value) => listWhere((frame) => fitsShape(frame, FRAME))(value)),
  excerpt: isOptional((value) => fitsShape(value, EXCERPT)),
};
const ERROR: Shape = {
  ...CAUSE,
  causes: isOptional((value) => listWhere((cause) => fitsShape(cause, CAUSE))(value)),
};
const isError = (value: unknown): boolean => fitsShape(value, ERROR);
const isLists = recordWhere(isTexts);

const CALL: Shape = {
  id: isNumber,
  parentId: isNullOr(isNumber),
  depth: isNumber,
  bean: isString,
  declaredBy: isString,
  stereotype: isString,
  method: isString,
  args: listWhere(isJson),
  params: isOptional(isTexts),
  result: isJson,
  error: isNullOr(isError),
  startUs: isNumber,
  durationUs: isNullOr(isNumber),
  async: isBoolean,
};

const isHeaders = (value: unknown): boolean => isLists(value);
const isNullOrString = isNullOr(isString);

/** What the detail of each kind of leaf has. */
const DETAILS: Readonly<Record<string, Shape>> = {
  sql: { system: isString, statement: isString, parameters: listWhere(isJson), rows: isNullOr(isNumber) },
  http: {
    ...{ method: isString, url: isString, status: isNullOr(isNumber) },
    ...{ requestHeaders: isHeaders, responseHeaders: isHeaders },
    run: isNullOr((run) => fitsShape(run, { origin: isString, id: isString })),
  },
  cache: { system: isString, command: isString, key: isString, args: listWhere(isJson), hit: isNullOr(isBoolean) },
  log: { level: isString, message: isString, fields: isRecord },
  message: { system: isString, operation: isString, destination: isString, body: isJson },
  span: { attributes: isRecord, status: isString, spanId: isNullOrString, parentSpanId: isNullOrString },
};

const LEAF: Shape = {
  id: isNumber,
  parentId: isNullOr(isNumber),
  kind: isString,
  name: isString,
  error: isNullOr((error) => fitsShape(error, { name: isString, message: isString })),
  startUs: isNumber,
  durationUs: isNullOr(isNumber),
};

function isLeaf(value: unknown): boolean {
  if (!isRecord(value) || !fitsShape(value, LEAF)) return false;
  const detail = Object.hasOwn(DETAILS, String(value["kind"])) ? DETAILS[String(value["kind"])] : undefined;
  return detail !== undefined && fitsShape(value["detail"], detail);
}

const REQUEST: Shape = {
  ...{ pathParams: recordWhere(isString), query: isLists, headers: isLists, body: isJson },
  cookies: isOptional(isTexts),
};
const SET_COOKIE: Shape = { name: isString, attributes: (value) => isTexts(value) };
const RESPONSE: Shape = {
  ...{ headers: isLists, body: isJson, bytes: isNumber },
  cookies: isOptional((value) => listWhere((one) => fitsShape(one, SET_COOKIE))(value)),
};
const ANNOTATION: Shape = { name: isString, value: isJson };

const TRACE: Shape = {
  instance: isString,
  id: isString,
  sequence: isNumber,
  correlationId: isNullOr(isString),
  method: isString,
  path: isString,
  route: isNullOr(isString),
  status: isNumber,
  startedAt: isNumber,
  durationUs: isNumber,
  aborted: isBoolean,
  request: (v) => fitsShape(v, REQUEST),
  response: (v) => fitsShape(v, RESPONSE),
  calls: listWhere((call) => fitsShape(call, CALL)),
  droppedCalls: isNumber,
  leaves: isOptional(listWhere(isLeaf)),
  droppedLeaves: isOptional(isNumber),
  error: isNullOr(isError),
  run: isOptional(isNumber),
  kind: isOptional((value) => value === "trace" || value === "background" || value === "websocket"),
  event: isOptional(isString),
  connection: isOptional(isNumber),
  annotations: isOptional((value) => listWhere((one) => fitsShape(one, ANNOTATION))(value)),
  entered: isOptional(isTexts),
  callLimit: isOptional(isNumber),
  contractIssues: isOptional((v) => listWhere((one) => fitsShape(one, { pointer: isString, message: isString }))(v)),
};

/** Is this a trace, all of whose parts are there? */
export function isTrace(value: unknown): value is KeptTrace {
  return fitsShape(value, TRACE);
}

const NODE: Shape = {
  id: isString,
  name: isString,
  stereotype: isString,
  implementation: isString,
  traceable: isBoolean,
  reason: isOptional(isString),
  dependencies: isTexts,
};

function isGraph(value: unknown): value is BeanGraph {
  return fitsShape(value, {
    nodes: listWhere((node) => fitsShape(node, NODE)),
    edges: listWhere((edge) => fitsShape(edge, { from: isString, to: isString })),
    unspied: isTexts,
  });
}
