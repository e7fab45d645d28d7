/**
 * Answers: what `ctx.json`, `ctx.text` and `ctx.send` take, checked at the call, where a mistake can still be seen.
 *
 * A promise is JSON's `{}` and nobody's text: it is mostly a forgotten `await`, so it is refused by name.
 *
 * Spec: spec/context.md (CTX)
 */
import type { Context } from "./context.ts";
import { mistake, untimely } from "../internal/errors.ts";
import { isThenable } from "../internal/thenable.ts";

/** `value` as JSON. @throws TypeError when it has no JSON form, or a promise is in it. */
export function jsonText(value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw mistake("ANSWER_VALUE", "ctx.json() got a value that has no JSON form");
  if (text.includes("{}")) refusePromises(value);
  return text;
}

/** `value`, when it is text. @throws TypeError */
export function checkedText(call: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw rejection(call, value, "a string");
}

/** `code`, when an answer may have it. @throws RangeError */
export function checkedStatus(code: number): number {
  if (Number.isInteger(code) && code >= 200 && code <= 599) return code;
  throw new RangeError(`${String(code)} is no final HTTP status`);
}

/** The error for a value that `call` does not take. */
export function rejection(call: string, value: unknown, wanted: string): TypeError {
  if (isThenable(value)) return promised(`${call} got a promise: await it first`);
  const kind = value === null ? "null" : typeof value;
  return mistake("ANSWER_VALUE", `${call} takes ${wanted}, not ${kind}`);
}

/** The error for a stream or Response whose body somebody has read, or is reading. */
export const usedBody = (what: string): TypeError =>
  mistake("ANSWER_VALUE", `${what} was read already, so nothing is left to send: send a clone() or a new one`);

/** The error for a second answer. */
export const respondedTwice = (ctx: Context): Error =>
  untimely("ANSWER_TWICE", `${nameOf(ctx)} got a second answer: a request gets exactly one`);

/** The error for whoever changes an answer that is gone. */
export const respondedAlready = (ctx: Context): Error =>
  untimely("ANSWER_SENT", `${nameOf(ctx)} was answered already: await or return whatever still uses ctx`);

const nameOf = (ctx: Context): string => `${ctx.method} ${ctx.route ?? ctx.url}`;

/** Looks where promises are mostly forgotten: at the value, its members and its elements. */
function refusePromises(value: unknown): void {
  if (typeof value !== "object" || value === null || "toJSON" in value) return;
  if (isThenable(value)) throw promised("ctx.json() got a promise: await it first");
  const found = Object.entries(value).find(([, member]) => isThenable(member));
  if (found === undefined) return;
  throw promised(
    Array.isArray(value)
      ? `ctx.json() got a promise at [${found[0]}]: await Promise.all(…) first`
      : `ctx.json() got a promise in ${JSON.stringify(found[0])}: await it first`,
  );
}

const promised = (sentence: string): TypeError => mistake("ANSWER_PROMISE", sentence);
