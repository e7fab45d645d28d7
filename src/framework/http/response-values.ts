/**
 * Responses: what `ctx.json`, `ctx.text` and `ctx.send` take, checked at the call, where a mistake can still be seen.
 *
 * JSON writes a promise as `{}`, a Map and others too. It is mostly a forgotten `await`, so it is rejected by name where it
 * is the value, a member or an element; deeper inside it is warned of.
 *
 * Spec: spec/context.md
 */
import type { Context } from "./context.ts";
import { checkField } from "./headers.ts";
import { lostItself, lostSentence } from "../internal/lost-in-json.ts";
import { usageError, stateError } from "../internal/usage-errors.ts";
import { isThenable } from "../internal/thenable.ts";

/** Where a response is looked through whose JSON has a `{}`. */
interface Watched extends Context {
  readonly services: { warnLost(ctx: Context, value: unknown): void };
}

/** `value` as JSON. @throws TypeError when it has no JSON form, or is or holds a promise, or is a Map or the like. */
export function jsonText(value: unknown, ctx?: Watched): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw usageError("RESPONSE_VALUE", "ctx.json() got a value that has no JSON form");
  if (!text.includes("{}")) return text;
  rejectLost(value);
  ctx?.services.warnLost(ctx, value);
  return text;
}

/** `value`, when it is text. @throws TypeError */
export function checkedText(call: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw rejection(call, value, "a string");
}

/** A Content-Length in bytes; undefined where the text is none. */
export function lengthOf(text: string): number | undefined {
  const length = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(length) ? length : undefined;
}

/** `code`, when a response may have it. @throws RangeError */
export function checkedStatus(code: number): number {
  if (Number.isInteger(code) && code >= 200 && code <= 599) return code;
  throw new RangeError(`${String(code)} is no final HTTP status`);
}

/** The header lines that a response hook returned, as text. @throws TypeError on no flat list, or a bad name or value. */
export function checkedHead(headers: readonly unknown[]): string[] {
  if (!Array.isArray(headers) || headers.length % 2 !== 0)
    throw rejection("a response hook", headers, "a flat list of header names and values");
  const head = headers.map(String);
  for (let at = 0; at < head.length; at += 2) checkField(head[at] ?? "", head[at + 1] ?? "");
  return head;
}

/** The error for a value that `call` does not take. */
export function rejection(call: string, value: unknown, wanted: string): TypeError {
  if (isThenable(value)) return promised(`${call} got a promise: await it first`);
  const kind = value === null ? "null" : typeof value;
  return usageError("RESPONSE_VALUE", `${call} takes ${wanted}, not ${kind}`);
}

/** The error for a stream or Response whose body somebody has read, or is reading. */
export const usedBody = (what: string): TypeError =>
  usageError("RESPONSE_VALUE", `${what} was read already, so nothing is left to send: send a clone() or a new one`);

/** The error for a second response. */
export const respondedTwice = (ctx: Context): Error =>
  stateError("RESPONSE_TWICE", `${nameOf(ctx)} got a second response: a request gets exactly one`);

/** The error for changing a response that has been sent. */
export const respondedAlready = (ctx: Context): Error =>
  stateError("RESPONSE_SENT", `${nameOf(ctx)} has its response already: await or return whatever still uses ctx`);

const nameOf = (ctx: Context): string => `${ctx.method} ${ctx.route ?? ctx.url}`;

/** Looks at the value, and where promises are mostly forgotten: at its members and its elements. */
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
