/**
 * Details: the result of a description, for each kind of leaf.
 *
 *   { statement, parameters, rows } ──▶ kinds.sql.fill ──▶ SqlDetail, bounded and with its secrets hidden
 *
 * A description comes from foreign code. A part of the wrong type counts as missing.
 *
 * Spec: spec/leaves.md
 */
import type { Json, Leaf, LeafKind, RunReference } from "../../run/shapes.ts";
import type { LeafValues } from "./leaf-values.ts";
import type { Description } from "./descriptions.ts";
import type { HeaderList } from "./header-list.ts";

type Writable<T> = { -readonly [P in keyof T]: T[P] };
type Details = { readonly [L in Leaf as L["kind"]]: Writable<L["detail"]> };

/** The detail of a leaf in progress. Members are filled in when they become known. */
export type DetailOf<K extends LeafKind> = Details[K];

/** The start of a kind, its name, and the parts that a description adds. */
interface Kind<K extends LeafKind> {
  empty(): DetailOf<K>;
  nameOf(detail: DetailOf<K>, capture: LeafValues): string;
  /** The parts of a description that form its name. */
  readonly isNamedBy: readonly string[];
  /** Sets only the parts that the description adds to the one before. */
  fill(detail: DetailOf<K>, given: Description, before: Description, capture: LeafValues): void;
}

const none: readonly Json[] = [];

const sql: Kind<"sql"> = {
  empty: () => ({ system: "", statement: "", parameters: none, rows: null }),
  nameOf: ({ statement }, capture) => capture.operation(statement),
  isNamedBy: ["statement"],
  fill(detail, given, before, capture) {
    const { system, statement, parameters, rows } = given;
    if (system !== before["system"] && isText(system)) detail.system = short(system);
    if (statement !== before["statement"] && isText(statement)) detail.statement = capture.statement(statement);
    if (parameters !== before["parameters"] && isObject(parameters))
      detail.parameters = capture.values(Array.isArray(parameters) ? parameters : [parameters]);
    if (isCount(rows)) detail.rows = rows;
    if (rows === before["rows"] || !Array.isArray(rows)) return;
    detail.rows = rows.length;
    detail.result = capture.value(rows);
  },
};

const http: Kind<"http"> = {
  empty: () => ({ method: "", url: "", status: null, requestHeaders: {}, responseHeaders: {}, run: null }),
  nameOf: ({ method, url }) => `${method} ${hostOf(url)}`.trim(),
  isNamedBy: ["method", "url"],
  fill(detail, given, before, capture) {
    const { method, url, status, requestHeaders, responseHeaders, run } = given;
    if (method !== before["method"] && isText(method)) detail.method = short(method);
    if (url !== before["url"] && isText(url)) detail.url = capture.text(url);
    if (isCount(status) && status >= 100 && status <= 599) detail.status = status;
    if (requestHeaders !== before["requestHeaders"] && isHeaders(requestHeaders))
      detail.requestHeaders = capture.headers(requestHeaders);
    if (responseHeaders !== before["responseHeaders"] && isHeaders(responseHeaders))
      detail.responseHeaders = capture.headers(responseHeaders);
    if (isObject(run)) detail.run = run as unknown as RunReference;
  },
};

const cache: Kind<"cache"> = {
  empty: () => ({ system: "", command: "", key: "", args: [], hit: null }),
  nameOf: ({ command }) => command,
  isNamedBy: ["command"],
  fill(detail, given, before, capture) {
    const { system, command, key, args, hit } = given;
    if (system !== before["system"] && isText(system)) detail.system = short(system);
    if (command !== before["command"] && isText(command)) detail.command = short(command).toUpperCase();
    if (key !== before["key"] && isText(key)) detail.key = capture.text(key);
    if (args !== before["args"] && Array.isArray(args)) detail.args = capture.values(args);
    if (typeof hit === "boolean") detail.hit = hit;
  },
};

const log: Kind<"log"> = {
  empty: () => ({ level: "info", message: "", fields: {} }),
  nameOf: ({ level }) => level,
  isNamedBy: ["level"],
  fill(detail, given, before, capture) {
    const { level, message, fields } = given;
    if (level !== before["level"] && isText(level)) detail.level = short(level);
    if (message !== before["message"] && isText(message)) detail.message = capture.text(message);
    if (fields !== before["fields"] && isObject(fields)) detail.fields = capture.object(fields);
  },
};

const message: Kind<"message"> = {
  empty: () => ({ system: "", operation: "", destination: "", body: null }),
  nameOf: ({ operation }) => operation,
  isNamedBy: ["operation"],
  fill(detail, given, before, capture) {
    const { system, operation, destination, body, id } = given;
    if (system !== before["system"] && isText(system)) detail.system = short(system);
    if (operation !== before["operation"] && isText(operation)) detail.operation = short(operation);
    if (destination !== before["destination"] && isText(destination)) detail.destination = capture.text(destination);
    if (body !== before["body"] && body !== undefined) detail.body = capture.value(body);
    if (id !== before["id"] && isText(id) && id !== "") detail.id = short(id);
  },
};

const span: Kind<"span"> = {
  empty: () => ({ attributes: {}, status: "UNSET", spanId: null, parentSpanId: null }),
  nameOf: () => "",
  isNamedBy: [],
  fill(detail, given, before, capture) {
    const { attributes, status, spanId, parentSpanId } = given;
    if (attributes !== before["attributes"] && isObject(attributes)) detail.attributes = capture.object(attributes);
    if (status === "OK" || status === "ERROR") detail.status = status;
    if (isSpanId(spanId)) detail.spanId = spanId;
    if (isSpanId(parentSpanId)) detail.parentSpanId = parentSpanId;
  },
};

/** The functions of each kind. */
export const kinds: { readonly [K in LeafKind]: Kind<K> } = { sql, http, cache, log, message, span };

const isText = (value: unknown): value is string => typeof value === "string";
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const isHeaders = (value: unknown): value is HeaderList => isObject(value) || isText(value);
const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
const isSpanId = (value: unknown): value is string => isText(value) && /^[0-9a-f]{16}$/.test(value);
/** A library's word, which must not be a text of any length. */
const short = (text: string): string => (text.length > 64 ? text.slice(0, 64) : text);

const hostOf = (url: string): string => /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]{0,128})/i.exec(url)?.[1] ?? "";
