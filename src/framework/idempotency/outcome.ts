/**
 * The outcome of a request as a store keeps it: the response as text, or that it cannot be repeated.
 *
 *   recorded ──▶ outcomeOf ──▶ JSON ──▶ store ──▶ replay ──▶ recorded again
 *
 * A cookie is a secret of one moment, and fields about the connection are of one message, so they are left out. A field that is
 * set before the replay, by middleware outside, stays as it is for this request.
 *
 * Spec: spec/idempotency.md
 */
import type { Context, RecordedResponse } from "../http/context.ts";
import { base64Of, bytesOfBase64 } from "../internal/base64.ts";
import { shown, usageError } from "../internal/usage-errors.ts";

/** A kept response. */
export interface Outcome {
  readonly status: number;
  /** Flat list of names and values. */
  readonly headers: readonly string[];
  /** Text, or bytes in base64. Null without content. */
  readonly text?: string | undefined;
  readonly base64?: string | undefined;
  /** Why there is nothing to repeat. */
  readonly lost?: string | undefined;
}

const leftOut: ReadonlySet<string> = new Set([
  "set-cookie",
  "date",
  "content-length",
  "connection",
  "keep-alive",
  "transfer-encoding",
  "trailer",
  "upgrade",
  "server-timing",
]);

/** An outcome that cannot be repeated. */
export const lostOutcome = (status: number, lost: string): Outcome => ({ status, headers: [], lost });

/** The outcome of a recorded response. One that is streamed, or larger than `maxBytes`, cannot be repeated. */
export function outcomeOf({ status, headers, body }: RecordedResponse, maxBytes: number): Outcome {
  const kept = headers.filter((_, at) => !leftOut.has((headers[at - (at % 2)] ?? "").toLowerCase()));
  if (body === undefined) return { status, headers: kept };
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return lostOutcome(status, "it was streamed");
  const bytes = typeof body === "string" ? new TextEncoder().encode(body).length : body.length;
  if (bytes > maxBytes) return lostOutcome(status, `it has more than ${maxBytes} bytes`);
  return { status, headers: kept, ...(typeof body === "string" ? { text: body } : { base64: base64Of(body) }) };
}

/** The outcome of a status with a JSON value. @throws TypeError when there is no such status, or the value has no JSON form. */
export function outcomeOfJson(status: number, value: unknown): Outcome {
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw usageError("IDEMPOTENCY", `commit() got the status ${shown(status)}: 200 to 599 are allowed`);
  if (value === undefined) return { status, headers: [] };
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw usageError("IDEMPOTENCY", "commit() got a value that has no JSON form");
  return { status, headers: ["Content-Type", "application/json"], text };
}

/** Records a kept response. */
export function replay(ctx: Context, { status, headers, text, base64 }: Outcome): void {
  const present = new Set(headers.filter((name, at) => at % 2 === 0 && ctx.responseHeader(name) !== undefined));
  for (let at = 0; at < headers.length; at += 2) {
    const [name = "", value = ""] = headers.slice(at, at + 2);
    if (name.toLowerCase() === "vary") for (const one of value.split(",")) addVary(ctx, one.trim());
    else if (!present.has(name)) ctx.appendHeader(name, value);
  }
  ctx.setHeader("Idempotency-Replayed", "true").status(status);
  if (text !== undefined) ctx.text(text);
  else if (base64 !== undefined) ctx.send(bytesOfBase64(base64));
  else ctx.reply(status);
}

const addVary = (ctx: Context, name: string): unknown =>
  name === "*" ? ctx.appendHeader("Vary", name) : ctx.vary(name);

/** The outcome that a store gives. @throws Error when it is none. */
export function parsedOutcome(text: string): Outcome {
  const value: unknown = JSON.parse(text);
  const { status, headers } = Object(value) as Partial<Outcome>;
  if (typeof status !== "number" || !Array.isArray(headers)) throw new TypeError("the store gave no outcome");
  return value as Outcome;
}
