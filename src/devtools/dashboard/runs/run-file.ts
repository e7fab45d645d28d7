/**
 * A run as a file, and back: the trace with the graph it ran in, so that it can be read anywhere. Pure.
 *
 *   Trace + BeanGraph + entry beans ──▶ formatRun ──▶ text ──▶ parseRun ──▶ the same, or a sentence
 *
 * What comes from a file is checked before anything is drawn; what was redacted was redacted before it came here.
 */

import type { BeanGraph, ServiceRun, Trace } from "../../wire.ts";
import { isBoolean, isNumber, isRecord, isText, isTexts } from "../page/guards.ts";
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

/** A trace that was kept or saved, by this version or one before leaves were recorded. */
export type KeptTrace = Omit<Trace, "leaves" | "droppedLeaves"> & Partial<Pick<Trace, "leaves" | "droppedLeaves">>;

/** The trace, with no leaves where it is from before they were recorded. */
export const withLeaves = (trace: KeptTrace): Trace => ({ leaves: [], droppedLeaves: 0, ...trace });

type Shape = Readonly<Record<string, (value: unknown) => boolean>>;

const isNullOr =
  (fits: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === null || fits(value);
const isJson = (value: unknown): boolean => value !== undefined;

const fitsShape = (value: unknown, shape: Shape): boolean =>
  isRecord(value) && Object.entries(shape).every(([key, fits]) => fits(value[key]));
const like =
  (shape: Shape) =>
  (value: unknown): boolean =>
    fitsShape(value, shape);

const listWhere =
  (fits: (item: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(fits);
const recordWhere =
  (fits: (item: unknown) => boolean) =>
  (value: unknown): boolean =>
    isRecord(value) && Object.values(value).every(fits);

const isOptional =
  (fits: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || fits(value);

const FRAME: Shape = { name: isText, file: isText, line: isNumber, column: isNumber, own: isBoolean };
const EXCERPT: Shape = { file: isText, line: isNumber, from: isNumber, lines: isTexts };
const CAUSE: Shape = {
  name: isText,
  message: isText,
  stack: isOptional(listWhere(like(FRAME))),
  excerpt: isOptional(like(EXCERPT)),
};
const ERROR: Shape = {
  ...CAUSE,
  causes: isOptional(listWhere(like(CAUSE))),
};
const isError = like(ERROR);
const isLists = recordWhere(isTexts);

const CALL: Shape = {
  id: isNumber,
  parentId: isNullOr(isNumber),
  depth: isNumber,
  bean: isText,
  declaredBy: isText,
  stereotype: isText,
  method: isText,
  args: listWhere(isJson),
  params: isOptional(isTexts),
  result: isJson,
  error: isNullOr(isError),
  startUs: isNumber,
  durationUs: isNullOr(isNumber),
  async: isBoolean,
};

const isNullOrString = isNullOr(isText);

/** What the detail of each kind of leaf has. */
const DETAILS: Readonly<Record<string, Shape>> = {
  sql: { system: isText, statement: isText, parameters: listWhere(isJson), rows: isNullOr(isNumber) },
  http: {
    ...{ method: isText, url: isText, status: isNullOr(isNumber) },
    ...{ requestHeaders: isLists, responseHeaders: isLists },
    run: isNullOr(like({ origin: isText, id: isText })),
  },
  cache: { system: isText, command: isText, key: isText, args: listWhere(isJson), hit: isNullOr(isBoolean) },
  log: { level: isText, message: isText, fields: isRecord },
  message: { system: isText, operation: isText, destination: isText, body: isJson },
  span: { attributes: isRecord, status: isText, spanId: isNullOrString, parentSpanId: isNullOrString },
};

const LEAF: Shape = {
  id: isNumber,
  parentId: isNullOr(isNumber),
  kind: isText,
  name: isText,
  error: isNullOr(like({ name: isText, message: isText })),
  startUs: isNumber,
  durationUs: isNullOr(isNumber),
};

function isLeaf(value: unknown): boolean {
  if (!isRecord(value) || !fitsShape(value, LEAF)) return false;
  const detail = Object.hasOwn(DETAILS, String(value["kind"])) ? DETAILS[String(value["kind"])] : undefined;
  return detail !== undefined && fitsShape(value["detail"], detail);
}

const REQUEST: Shape = {
  ...{ pathParams: recordWhere(isText), query: isLists, headers: isLists, body: isJson },
  cookies: isOptional(isTexts),
};
const SET_COOKIE: Shape = { name: isText, attributes: isTexts };
const RESPONSE: Shape = {
  ...{ headers: isLists, body: isJson, bytes: isNumber },
  cookies: isOptional(listWhere(like(SET_COOKIE))),
};
const ANNOTATION: Shape = { name: isText, value: isJson };

const TRACE: Shape = {
  instance: isText,
  id: isText,
  sequence: isNumber,
  correlationId: isNullOr(isText),
  method: isText,
  path: isText,
  route: isNullOr(isText),
  status: isNumber,
  startedAt: isNumber,
  durationUs: isNumber,
  aborted: isBoolean,
  request: like(REQUEST),
  response: like(RESPONSE),
  calls: listWhere(like(CALL)),
  droppedCalls: isNumber,
  leaves: isOptional(listWhere(isLeaf)),
  droppedLeaves: isOptional(isNumber),
  error: isNullOr(isError),
  run: isOptional(isNumber),
  kind: isOptional((value) => value === "trace" || value === "background" || value === "websocket"),
  event: isOptional(isText),
  connection: isOptional(isNumber),
  annotations: isOptional(listWhere(like(ANNOTATION))),
  entered: isOptional(isTexts),
  callLimit: isOptional(isNumber),
  contractIssues: isOptional(listWhere(like({ pointer: isText, message: isText }))),
};

/** Is this a trace, all of whose parts are there? */
export function isTrace(value: unknown): value is KeptTrace {
  return fitsShape(value, TRACE);
}

const NODE: Shape = {
  id: isText,
  name: isText,
  stereotype: isText,
  implementation: isText,
  traceable: isBoolean,
  reason: isOptional(isText),
  dependencies: isTexts,
};

function isGraph(value: unknown): value is BeanGraph {
  return fitsShape(value, {
    nodes: listWhere(like(NODE)),
    edges: listWhere(like({ from: isText, to: isText })),
    unspied: isTexts,
  });
}
