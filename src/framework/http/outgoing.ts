/**
 * Outgoing: the parts of a response, and the one place that decides them.
 *
 *   a handler's value ──▶ outgoing() ──▶ kind, Content-Type, body ──▶ recorded ──▶ sent as its kind says
 *
 *   text, bytes   in one write              stream, events   in pieces, no faster than the client reads
 *   none          a head alone              switch           101, and the connection leaves HTTP
 *   response      a web Response, taken apart by web-response.ts into one of the others
 *
 * A mistake is an error at the call, so its source is still visible. JSON writes a promise as `{}`, and also a Map and others,
 * mostly after a forgotten `await`. Such a value is rejected by name when it is the value, a member or an element. Deeper
 * inside it causes a warning.
 *
 * Spec: spec/context.md
 */
import { lostItself, lostSentence } from "../internal/lost-in-json.ts";
import { isThenable } from "../internal/thenable.ts";
import { stateError, usageError } from "../internal/usage-errors.ts";
import type { Context, RecordedResponse, StreamBody } from "./context.ts";
import { checkField } from "./headers.ts";
import { bytesOf, isBlob, isBuffer, isResponse, responseOf } from "./web-values.ts";

/** The body of a response: text, bytes, a stream, or undefined when there is no content. */
export type Body = RecordedResponse["body"];

/** How a response is sent. */
export type Kind = "none" | "text" | "bytes" | "stream" | "events" | "switch";

/** A handler's value as a response. */
export type Outgoing =
  | { readonly kind: Exclude<Kind, "none" | "switch">; readonly type: string; readonly body: Body }
  | { readonly kind: "response"; readonly body: Response };

/** Checks a response when its JSON has a `{}`. */
export interface Watched extends Context {
  readonly services: { warnLost(ctx: Context, value: unknown): void };
}

/** The Content-Type of a value. */
export const JSON_TYPE = "application/json";
/** The Content-Type of a text. */
export const TEXT_TYPE = "text/plain; charset=utf-8";
/** The Content-Type of bytes and streams. */
export const BYTES_TYPE = "application/octet-stream";

/** `value` as a response. @throws TypeError when it is not one, and `value` itself when that is an error. */
export function outgoing(value: unknown, ctx: Watched): Outgoing {
  if (typeof value === "string") return { kind: "text", type: TEXT_TYPE, body: value };
  if (isPlain(value)) return { kind: "text", type: JSON_TYPE, body: jsonText(value, ctx) };
  if (value instanceof Uint8Array) return { kind: "bytes", type: BYTES_TYPE, body: value };
  if (isResponse(value)) return { kind: "response", body: value };
  if (isStream(value)) return { kind: "stream", type: BYTES_TYPE, body: unread(value) };
  if (value instanceof Error) throw value;
  if (isBuffer(value)) return { kind: "bytes", type: BYTES_TYPE, body: bytesOf(value) };
  if (isBlob(value)) return { kind: "response", body: responseOf(value) };
  return { kind: "text", type: JSON_TYPE, body: jsonText(value, ctx) };
}

/** An object or a list without its own class, and not a stream. It becomes JSON, as most responses do. */
export const isPlain = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  (Object.getPrototypeOf(value) === Object.prototype || Array.isArray(value)) &&
  !(Symbol.asyncIterator in value);

/** Is `value` sent in pieces? */
export const isStream = (value: unknown): value is StreamBody =>
  (typeof ReadableStream === "function" && value instanceof ReadableStream) ||
  (typeof value === "object" && value !== null && Symbol.asyncIterator in value && !isThenable(value));

/** The stream in a handler's value: the value itself or the body of a Response. Undefined when there is none. */
export function streamIn(value: unknown): StreamBody | undefined {
  const body = isResponse(value) ? value.body : value;
  return isStream(body) ? body : undefined;
}

/** The kind of a body that a response hook returned. @throws TypeError when it is invalid. */
export function kindOf(body: unknown): "none" | "text" | "bytes" | "stream" {
  if (body === undefined) return "none";
  if (typeof body === "string") return "text";
  if (body instanceof Uint8Array) return "bytes";
  if (isStream(body)) return "stream";
  throw rejection("a response hook", body, "text, bytes, a stream or undefined as its body");
}

/** The stream itself, if no reader holds it. @throws TypeError (`RESPONSE_VALUE`) */
export function unread(body: StreamBody & { readonly locked?: unknown }): StreamBody {
  if (body.locked === true) throw usedBody("the stream that ctx.send() got");
  return body;
}

/** `value` as JSON. @throws TypeError when it has no JSON form, is or holds a promise, or is a Map or similar. */
export function jsonText(value: unknown, ctx?: Watched): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw usageError("RESPONSE_VALUE", "ctx.json() got a value that has no JSON form");
  if (!text.includes("{}")) return text;
  rejectLost(value);
  ctx?.services.warnLost(ctx, value);
  return text;
}

/** `value`, if it is text. @throws TypeError */
export function checkedText(call: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw rejection(call, value, "a string");
}

/** A Content-Length in bytes, or undefined when the text is invalid. */
export function lengthOf(text: string): number | undefined {
  const length = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(length) ? length : undefined;
}

/** `code`, if a response may have it. @throws RangeError */
export function checkedStatus(code: number): number {
  if (Number.isInteger(code) && code >= 200 && code <= 599) return code;
  throw new RangeError(`${String(code)} is no final HTTP status`);
}

/** The header lines of a response hook, as text. @throws TypeError on an invalid flat list, name or value. */
export function checkedHead(headers: readonly unknown[]): string[] {
  if (!Array.isArray(headers) || headers.length % 2 !== 0)
    throw rejection("a response hook", headers, "a flat list of header names and values");
  const head = headers.map(String);
  for (let at = 0; at < head.length; at += 2) checkField(head[at] ?? "", head[at + 1] ?? "");
  return head;
}

/** The error for a value that `call` does not accept. */
export function rejection(call: string, value: unknown, wanted: string): TypeError {
  if (isThenable(value)) return promised(`${call} got a promise: await it first`);
  const kind = value === null ? "null" : typeof value;
  return usageError("RESPONSE_VALUE", `${call} takes ${wanted}, not ${kind}`);
}

/** The error for a stream or Response with a body that was read or is being read. */
export const usedBody = (what: string): TypeError =>
  usageError("RESPONSE_VALUE", `${what} was read already, so nothing is left to send: send a clone() or a new one`);

/** The error for a second response. */
export const respondedTwice = (ctx: Context): Error =>
  stateError("RESPONSE_TWICE", `${nameOf(ctx)} got a second response: a request gets exactly one`);

/** The error for changing a response after it was sent. */
export const respondedAlready = (ctx: Context): Error =>
  stateError("RESPONSE_SENT", `${nameOf(ctx)} has its response already: await or return whatever still uses ctx`);

const nameOf = (ctx: Context): string => `${ctx.method} ${ctx.route ?? ctx.url}`;

/** Checks the places of most forgotten promises: the value, its members and its elements. */
function rejectLost(value: unknown): void {
  if (typeof value !== "object" || value === null || "toJSON" in value) return;
  if (isThenable(value)) throw promised("ctx.json() got a promise: await it first");
  const lost = lostItself(value);
  if (lost !== undefined) throw usageError("RESPONSE_VALUE", `ctx.json() got ${lostSentence(lost)}`);
  const found = Object.entries(value).find(([, member]) => isThenable(member));
  if (found === undefined) return;
  throw promised(
    Array.isArray(value)
      ? `ctx.json() got a promise at [${found[0]}]: await Promise.all(…) first`
      : `ctx.json() got a promise in ${JSON.stringify(found[0])}: await it first`,
  );
}

const promised = (sentence: string): TypeError => usageError("RESPONSE_PROMISE", sentence);
