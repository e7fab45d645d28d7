/**
 * The request editor without its view: a draft, an example for a route, and the request that a draft makes.
 *
 *   RouteInfo (+ its last Trace) ──▶ exampleDraft ──▶ Draft ──▶ toRequest ──▶ { url, init } or what is wrong
 *
 * Pure. Drafts are kept as text exactly as typed. Nothing is corrected without the user's knowledge.
 */

import type { RouteInfo, Trace } from "../../run/shapes.ts";
import { exampleOf } from "../forms/example.ts";
import { jsonProblem } from "../json/problem.ts";
import { ownHeaders } from "../../run/own-headers.ts";
import { jsonOf, textOf } from "../../run/values.ts";
import { headerIn } from "./body.ts";
import { declaredIn, type TextPart } from "./declared.ts";
import { WHOLE_BODY, type ChosenFiles, type Draft } from "./draft-text.ts";
import { encodeQuery, percentEncode, queryPairs, tidyQuery } from "./query-pairs.ts";
import type { OutgoingRequest } from "./receive.ts";
import { isHidden, restore } from "../../run/restore.ts";

/** Methods whose requests have no body in a browser. */
const BODYLESS = new Set(["GET", "HEAD"]);
const FORM_TYPE = "application/x-www-form-urlencoded";
const MULTIPART_TYPE = "multipart/form-data";
const BINARY_TYPE = "application/octet-stream";
const FORBIDDEN = new Set(["TRACE", "CONNECT", "TRACK"]);

/** Methods that may be sent again without harm. They are safe by RFC 9110 and, for QUERY, by its own definition. */
const SAFE = new Set(["GET", "HEAD", "OPTIONS", "QUERY"]);

/** Whether a request with this method can be repeated without changing anything. */
export function isSafe(method: string): boolean {
  return SAFE.has(method);
}

/** Whether a request with this method can have a body. */
export function hasBody(method: string): boolean {
  return !BODYLESS.has(method);
}

/** The initial content of the editor, from the route's last trace, or else from the route's options. */
export function exampleDraft(route: RouteInfo, trace: Trace | undefined): Draft {
  if (!trace) return declaredExample(route);
  const { request } = trace;
  const leftOut: string[] = [];
  const shown = (what: string, text: string): string => (isHidden(text) ? (leftOut.push(`${what}: hidden`), "") : text);
  const params = route.pathParams.map((name) => [name, shown(name, request.pathParams[name] ?? "")]);
  const query = Object.entries(request.query).map(
    ([name, values]) => [name, values.map((value) => shown(`query ${name}`, value))] as const,
  );
  const headers = ownHeaders(request.headers)
    .map(([name, value]) => [name, shown(`header ${name}`, value)] as const)
    .filter(([, value]) => value !== "");
  const body = hasBody(route.method)
    ? bodyText(trace, leftOut) || bodyWithout(route, trace, leftOut)
    : messageStart(route);
  return {
    params: Object.fromEntries(params),
    query: queryText(Object.fromEntries(query)),
    headers,
    body,
    ...(leftOut.length === 0 ? {} : { leftOut }),
  };
}

/** The initial body: an example of its schema, or else an empty object if JSON is likely. */
function startBody(route: RouteInfo): string {
  const { kind, schema } = route.contract?.body ?? {};
  if (schema && kind !== "json") return queryText(requiredTexts(route, "body"));
  if (schema) return JSON.stringify(exampleOf(schema, schema), null, 2);
  return ["POST", "PUT", "PATCH"].includes(route.method) || route.accept?.includes("application/json") ? "{}" : "";
}

/**
 * The body for a run without a recorded one: the required texts of a form with files, which no trace records, or the example if
 * a guard rejected the request before its body was read.
 */
function bodyWithout(route: RouteInfo, trace: Trace, leftOut: string[]): string {
  if (route.contract?.body?.kind === "multipart") return startBody(route);
  const isUnread = trace.status >= 400 && (route.contract?.body ?? route.example?.body) !== undefined;
  if (!isUnread) return "";
  leftOut.push("body: it was not read, so this is the example");
  return declaredExample(route).body;
}

/** The initial message to a WebSocket: an example of its schema. */
function messageStart({ contract }: RouteInfo): string {
  const schema = contract?.messages?.incoming?.schema;
  return schema ? JSON.stringify(exampleOf(schema, schema), null, 2) : "";
}

/** The example in the route's options. Required members that it lacks are made from the schema. */
function declaredExample(route: RouteInfo): Draft {
  const { path = {}, query = {}, headers = {}, body } = route.example ?? {};
  const text = typeof body === "string" ? body : JSON.stringify(body, null, 2);
  const params = new Map(Object.entries({ ...texts(requiredTexts(route, "params")), ...path }));
  const named = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const required = Object.entries(texts(requiredTexts(route, "headers"))).filter(([name]) => !named.has(name));
  return {
    params: Object.fromEntries(route.pathParams.map((name) => [name, params.get(name) ?? ""])),
    query: queryText({ ...requiredTexts(route, "query"), ...query }),
    headers: [...required, ...Object.entries(headers)],
    body: hasBody(route.method) ? (text ?? startBody(route)) : messageStart(route),
  };
}

/** An example of each name that a contract requires in that part. */
function requiredTexts(route: RouteInfo, part: TextPart): Record<string, readonly string[]> {
  const { root, members, required } = declaredIn(route, part);
  const names = Object.keys(members).filter((name) => part === "params" || required.includes(name));
  return Object.fromEntries(names.map((name) => [name, [exampleOf(root, members[name])].flat().map(textOf)]));
}

const texts = (lists: Readonly<Record<string, readonly string[]>>): Record<string, string> =>
  Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.join(", ")]));

const queryText = (query: Readonly<Record<string, readonly string[]>>): string =>
  Object.entries(query)
    .flatMap(([name, values]) => values.map((value) => `${encodeQuery(name)}=${encodeQuery(value)}`))
    .join("&");

/** The recorded body as text. A malformed one was recorded as its text. */
function bodyText(trace: Trace, leftOut: string[]): string {
  const { value, leftOut: parts } = restore(trace.request.body);
  leftOut.push(...parts);
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return JSON.stringify(value, null, 2);
  const isJson = /[/+]json\b/i.test(trace.request.headers["content-type"]?.[0] ?? "");
  return isJson && trace.status !== 400 ? JSON.stringify(value) : value;
}

/** Whether both make the same request. JSON bodies are the same if their values are. */
export function isSameRequest(route: RouteInfo, one: Draft, other: Draft): boolean {
  return comparable(route, one) === comparable(route, other);
}

function comparable(route: RouteInfo, draft: Draft): string {
  const { method, url, headers, body, form } = toRequest(route, draft);
  const fields = headers.map(([name, value]) => `${name.toLowerCase()}: ${value}`).sort();
  return JSON.stringify([method, url, fields, typeof body === "string" ? (jsonOf(body) ?? body) : null, form]);
}

/** The path of the draft, with its parameters; an empty one remains visible as `{name}`. */
export function draftUrl(route: RouteInfo, draft: Draft): string {
  const path = route.path
    .split("/")
    .map((segment) => fillSegment(segment, draft.params))
    .join("/");
  const query = tidyQuery(draft.query);
  return query ? `${path}?${query}` : path;
}

function fillSegment(segment: string, params: Readonly<Record<string, string>>): string {
  if (segment.startsWith("*")) {
    const value = params[segment.slice(1)] ?? "";
    return value ? value.replace(/^\//, "").split("/").map(percentEncode).join("/") : segment;
  }
  return segment.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const value = params[name] ?? "";
    return value ? percentEncode(value) : whole;
  });
}

/** Whether the body is meant as JSON, by the media type that it is sent with. */
export function isJsonBody(route: RouteInfo, draft: Draft): boolean {
  return /[/+]json\b/i.test(contentType(route, draft));
}

/** Whether the body is a form with files. One that is written as text has the boundary in its Content-Type. */
export function isMultipart(route: RouteInfo, draft: Draft): boolean {
  return /^multipart\/form-data\s*$/i.test(contentType(route, draft));
}

/** Whether the body can be a file, by the media type that it is sent with. */
export function isBinary(route: RouteInfo, draft: Draft): boolean {
  return /^(application\/(octet-stream|pdf|zip)|(image|audio|video|font)\/)/i.test(contentType(route, draft));
}

/** Media types to choose for a body: those that the route accepts, or else the usual ones. The draft's own comes first. */
export function mediaTypes(route: RouteInfo, draft: Draft): string[] {
  const usual = ["application/json", FORM_TYPE, MULTIPART_TYPE, "text/plain", BINARY_TYPE];
  const offered = route.accept && route.accept.length > 0 ? route.accept : usual;
  return [...new Set([contentType(route, draft), ...offered])];
}

/** The media type of the body: the draft's header, or else the route's first, or else JSON. */
export function contentType(route: RouteInfo, draft: Draft): string {
  const own = headerIn(draft.headers, "content-type");
  return own ?? route.accept?.[0] ?? TYPES[route.contract?.body?.kind ?? "json"];
}

const TYPES = { json: "application/json", form: FORM_TYPE, multipart: MULTIPART_TYPE } as const;

/** Why the draft cannot be sent, as sentences. Empty when it can. */
export function draftProblems(route: RouteInfo, draft: Draft): string[] {
  const problems: string[] = [];
  if (FORBIDDEN.has(route.method)) problems.push(`Browsers do not send ${route.method}. Copy it as cURL instead.`);
  for (const name of route.pathParams) {
    if ((draft.params[name] ?? "") === "") problems.push(`Fill in the path parameter ${name}.`);
  }
  for (const [name, value] of draft.headers) {
    if (name && !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) problems.push(`“${name}” is not a header name.`);
    // eslint-disable-next-line no-control-regex -- the control characters are what a header value must not have
    if (/[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/.test(value))
      problems.push(`The value of ${name} has characters that a header cannot carry.`);
  }
  const wrong = hasBody(route.method) && isJsonBody(route, draft) ? jsonProblem(draft.body) : undefined;
  if (wrong) problems.push(`Body: line ${wrong.line}, column ${wrong.column}: ${wrong.message}.`);
  return problems;
}

/** The request of a draft with these files. A body without a Content-Type gets the route's, or else JSON. */
export function toRequest(route: RouteInfo, draft: Draft, files: readonly ChosenFiles[] = []): OutgoingRequest {
  const headers = draft.headers.filter(([name]) => name !== "");
  if (hasBody(route.method) && isMultipart(route, draft)) return multipartRequest(route, draft, files);
  const file = isBinary(route, draft) ? files.find(({ name }) => name === WHOLE_BODY)?.files[0] : undefined;
  const body = hasBody(route.method) && draft.body ? draft.body : undefined;
  const needsType =
    headerIn(headers, "content-type") === undefined &&
    (body !== undefined || file !== undefined || route.method === "QUERY");
  return {
    method: route.method,
    url: draftUrl(route, draft),
    headers: needsType ? [["Content-Type", contentType(route, draft)], ...headers] : headers,
    body: hasBody(route.method) ? (file ?? body) : undefined,
  };
}

function multipartRequest(route: RouteInfo, draft: Draft, files: readonly ChosenFiles[]): OutgoingRequest {
  const texts = queryPairs(draft.body).map(({ name, value }) => [name, value] as const);
  const chosen = files.flatMap(({ name, files: some }) => some.map((file) => [name, file] as const));
  return {
    method: route.method,
    url: draftUrl(route, draft),
    headers: draft.headers.filter(([name]) => name !== "" && name.toLowerCase() !== "content-type"),
    body: undefined,
    form: [...texts, ...chosen].filter(([name]) => name !== ""),
  };
}
