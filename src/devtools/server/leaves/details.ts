/**
 * Details: what is made of a description, for each kind of leaf.
 *
 *   { statement, parameters, rows } ──▶ kinds.sql.fill ──▶ SqlDetail, bounded and with its secrets hidden
 *
 * A description is handed over by code of others: what is of another type than it should be counts as left out.
 *
 * Spec: spec/leaves.md (LEAF)
 */
import type { Leaf, LeafKind, RunReference } from "../../wire.ts";
import type { Capture } from "./capture.ts";
import type { Description } from "./descriptions.ts";
import type { HeaderList } from "./header-list.ts";

type Writable<T> = { -readonly [P in keyof T]: T[P] };
type Details = { readonly [L in Leaf as L["kind"]]: Writable<L["detail"]> };

/** The detail of a kind while its leaf is under way: members are filled in as they become known. */
export type DetailOf<K extends LeafKind> = Details[K];

/** How a kind begins, what it is called, and what a description adds to it. */
interface Kind<K extends LeafKind> {
  empty(): DetailOf<K>;
  nameOf(detail: DetailOf<K>, capture: Capture): string;
  /** The parts of a description that its name is made of. */
  readonly isNamedBy: readonly string[];
  /** Sets what the description gives besides what it gave before, and only that. */
  fill(detail: DetailOf<K>, given: Description, before: Description, capture: Capture): void;
}

const sql: Kind<"sql"> = {
  empty: () => ({ system: "", statement: "", parameters: [], rows: null }),
  nameOf: ({ statement }, capture) => capture.operation(statement),
  isNamedBy: ["statement"],
  fill(detail, given, before, capture) {
    const system = fresh(given, before, "system");
    const statement = fresh(given, before, "statement");
    const parameters = fresh(given, before, "parameters");
    const rows = fresh(given, before, "rows");
    if (isText(system)) detail.system = short(system);
    if (isText(statement)) detail.statement = capture.statement(statement);
    if (Array.isArray(parameters)) detail.parameters = capture.values(parameters);
    else if (isObject(parameters)) detail.parameters = capture.values([parameters]);
    if (isCount(rows)) detail.rows = rows;
    if (!Array.isArray(rows)) return;
    detail.rows = rows.length;
    detail.result = capture.value(rows);
  },
};

const http: Kind<"http"> = {
  empty: () => ({ method: "", url: "", status: null, requestHeaders: {}, responseHeaders: {}, run: null }),
  nameOf: ({ method, url }) => `${method} ${hostOf(url)}`.trim(),
  isNamedBy: ["method", "url"],
  fill(detail, given, before, capture) {
    const method = fresh(given, before, "method");
    const url = fresh(given, before, "url");
    const status = fresh(given, before, "status");
    const requestHeaders = fresh(given, before, "requestHeaders");
    const responseHeaders = fresh(given, before, "responseHeaders");
    const run = fresh(given, before, "run");
    if (isText(method)) detail.method = short(method);
    if (isText(url)) detail.url = capture.text(url);
    if (isCount(status) && status >= 100 && status <= 599) detail.status = status;
    if (isHeaders(requestHeaders)) detail.requestHeaders = capture.headers(requestHeaders);
    if (isHeaders(responseHeaders)) detail.responseHeaders = capture.headers(responseHeaders);
    if (isObject(run)) detail.run = run as unknown as RunReference;
  },
};

const cache: Kind<"cache"> = {
  empty: () => ({ system: "", command: "", key: "", args: [], hit: null }),
  nameOf: ({ command }) => command,
  isNamedBy: ["command"],
  fill(detail, given, before, capture) {
    const system = fresh(given, before, "system");
    const command = fresh(given, before, "command");
    const key = fresh(given, before, "key");
    const args = fresh(given, before, "args");
    const hit = fresh(given, before, "hit");
    if (isText(system)) detail.system = short(system);
    if (isText(command)) detail.command = short(command).toUpperCase();
    if (isText(key)) detail.key = capture.text(key);
    if (Array.isArray(args)) detail.args = capture.values(args);
    if (typeof hit === "boolean") detail.hit = hit;
  },
};

const log: Kind<"log"> = {
  empty: () => ({ level: "info", message: "", fields: {} }),
  nameOf: ({ level }) => level,
  isNamedBy: ["level"],
  fill(detail, given, before, capture) {
    const level = fresh(given, before, "level");
    const message = fresh(given, before, "message");
    const fields = fresh(given, before, "fields");
    if (isText(level)) detail.level = short(level);
    if (isText(message)) detail.message = capture.text(message);
    if (isObject(fields)) detail.fields = capture.object(fields);
  },
};

const message: Kind<"message"> = {
  empty: () => ({ system: "", operation: "", destination: "", body: null }),
  nameOf: ({ operation }) => operation,
  isNamedBy: ["operation"],
  fill(detail, given, before, capture) {
    const system = fresh(given, before, "system");
    const operation = fresh(given, before, "operation");
    const destination = fresh(given, before, "destination");
    const body = fresh(given, before, "body");
    if (isText(system)) detail.system = short(system);
    if (isText(operation)) detail.operation = short(operation);
    if (isText(destination)) detail.destination = capture.text(destination);
    if (body !== undefined) detail.body = capture.value(body);
  },
};

const span: Kind<"span"> = {
  empty: () => ({ attributes: {}, status: "UNSET", spanId: null, parentSpanId: null }),
  nameOf: () => "",
  isNamedBy: [],
  fill(detail, given, before, capture) {
    const attributes = fresh(given, before, "attributes");
    const status = fresh(given, before, "status");
    const spanId = fresh(given, before, "spanId");
    const parentSpanId = fresh(given, before, "parentSpanId");
    if (isObject(attributes)) detail.attributes = capture.object(attributes);
    if (status === "OK" || status === "ERROR") detail.status = status;
    if (isSpanId(spanId)) detail.spanId = spanId;
    if (isSpanId(parentSpanId)) detail.parentSpanId = parentSpanId;
  },
};

/** What is done for each kind. */
export const kinds: { readonly [K in LeafKind]: Kind<K> } = { sql, http, cache, log, message, span };

/** A part of a description; undefined where it is what it was. */
const fresh = (given: Description, before: Description, part: string): unknown =>
  given[part] === before[part] ? undefined : given[part];

const isText = (value: unknown): value is string => typeof value === "string";
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const isHeaders = (value: unknown): value is HeaderList => isObject(value) || isText(value);
const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
const isSpanId = (value: unknown): value is string => isText(value) && /^[0-9a-f]{16}$/.test(value);
/** A word of a library's: no place for a text of any length. */
const short = (text: string): string => (text.length > 64 ? text.slice(0, 64) : text);

const hostOf = (url: string): string => /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]{0,128})/i.exec(url)?.[1] ?? "";
