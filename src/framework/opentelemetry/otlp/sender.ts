/**
 * Sends one request, again while it can help, as the OTLP specification says.
 *
 *   2xx                       ──▶ sent; a partial success tells how many the server has rejected
 *   429, 502, 503, 504        ──▶ again, after Retry-After or 1 s, 2 s, 4 s …, for `retryForMs`
 *   no response, no connection ──▶ again
 *   any other status          ──▶ dropped
 *
 * Redirects are not followed, because the headers hold secrets.
 */
import { joinedBytes } from "../../internal/bytes.ts";
import { unref } from "../../internal/timers.ts";
import { describeError } from "../../metrics/faults.ts";
import type { Target } from "./settings.ts";

/** How a request ended. */
export interface Outcome {
  /** Why it was dropped. Undefined when it was sent. */
  readonly failure?: string | undefined;
  /** How many of its items the server has rejected. */
  readonly rejected: number;
  /** The server's message about them. */
  readonly message?: string | undefined;
}

const retried: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;
/** A response has a few bytes. A larger one is not read. */
const MAX_RESPONSE = 65_536;

/** Sends a body until the signal aborts. Never rejects. */
export async function send(
  target: Target,
  body: Uint8Array,
  retryForMs: number,
  signal: AbortSignal,
): Promise<Outcome> {
  const request = await requestOf(target, body);
  const until = Date.now() + retryForMs;
  for (let attempt = 0; ; attempt += 1) {
    const result = await tryOnce(target, request, signal);
    const { isFinal = true, retryAfterMs, ...outcome } = result;
    if (isFinal || signal.aborted) return outcome;
    const backoff = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt) * (0.5 + Math.random() / 2);
    const delayMs = retryAfterMs ?? backoff;
    if (Date.now() + delayMs > until) return outcome;
    await slept(delayMs, signal);
    if (signal.aborted) return outcome;
  }
}

async function requestOf({ headers, protocol, isGzipped }: Target, body: Uint8Array): Promise<RequestInit> {
  const type = protocol === "http/json" ? "application/json" : "application/x-protobuf";
  const init = { ...headers, "content-type": type, "user-agent": "framework-otlp" };
  const whole = body as Uint8Array<ArrayBuffer>;
  if (!isGzipped) return { method: "POST", headers: init, body: whole, redirect: "manual" };
  const gzipped = new Blob([whole]).stream().pipeThrough(new CompressionStream("gzip"));
  const packed = new Uint8Array(await new Response(gzipped).arrayBuffer());
  return { method: "POST", headers: { ...init, "content-encoding": "gzip" }, body: packed, redirect: "manual" };
}

/** How one attempt ended. */
interface Attempt extends Outcome {
  /** True if another one cannot help. */
  readonly isFinal?: boolean;
  readonly retryAfterMs?: number | undefined;
}

async function tryOnce(
  { url, timeoutMs, protocol }: Target,
  request: RequestInit,
  signal: AbortSignal,
): Promise<Attempt> {
  const timeout = new AbortController();
  const stop = (): void => timeout.abort();
  const timer = unref(setTimeout(stop, timeoutMs));
  signal.addEventListener("abort", stop);
  try {
    const response = await fetch(url, { ...request, signal: timeout.signal });
    const { ok, status } = response;
    const bytes = await bodyOf(response);
    if (ok) return partialSuccess(protocol === "http/json" ? fromJson(bytes) : fromProtobuf(bytes));
    const isFinal = !retried.has(status);
    const failure = `the collector responded ${status}`;
    return { failure, rejected: 0, isFinal, retryAfterMs: retryAfter(response.headers) };
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    const why = timeout.signal.aborted && !signal.aborted ? `no response in ${timeoutMs} ms` : describeError(cause);
    return { failure: why, rejected: 0, isFinal: false };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

/** The body, or nothing if it is too long. */
async function bodyOf(response: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > MAX_RESPONSE) return new Uint8Array();
    parts.push(part);
  }
  return joinedBytes(parts, size);
}

/** Seconds or a date. */
function retryAfter(headers: Headers): number | undefined {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

type Partial = readonly [rejected: number, message: string];

const partialSuccess = ([rejected, message]: Partial): Outcome => ({
  rejected: Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0,
  ...(message === "" ? {} : { message: message.slice(0, 500) }),
});

/** `{ "partialSuccess": { "rejectedSpans": "1", "errorMessage": "…" } }` */
function fromJson(bytes: Uint8Array): Partial {
  try {
    const { partialSuccess: partial = {} } = JSON.parse(new TextDecoder().decode(bytes)) as {
      partialSuccess?: Record<string, unknown>;
    };
    const count = Object.entries(partial).find(([name]) => name.startsWith("rejected"))?.[1] ?? 0;
    const message = partial["errorMessage"];
    return [Number(count), typeof message === "string" ? message : ""];
  } catch {
    return [0, ""];
  }
}

/** partial_success = 1 { rejected = 1, error_message = 2 } */
function fromProtobuf(bytes: Uint8Array): Partial {
  const partial = fieldsOf(bytes).get(1);
  const fields = partial instanceof Uint8Array ? fieldsOf(partial) : new Map<number, unknown>();
  const [count, message] = [fields.get(1), fields.get(2)];
  return [
    typeof count === "number" ? count : 0,
    message instanceof Uint8Array ? new TextDecoder().decode(message) : "",
  ];
}

/** Fields with a length, and small numbers, by their number. Stops at anything else. */
function fieldsOf(bytes: Uint8Array): Map<number, number | Uint8Array> {
  const fields = new Map<number, number | Uint8Array>();
  let at = 0;
  const varint = (): number => {
    let [value, factor] = [0, 1];
    for (let byte = 128; byte >= 128; factor *= 128) {
      byte = bytes[at++] ?? 0;
      value += (byte & 127) * factor;
    }
    return value;
  };
  while (at < bytes.length) {
    const tag = varint();
    const value = varint();
    if (tag % 8 === 0) fields.set(Math.floor(tag / 8), value);
    else if (tag % 8 === 2) fields.set(Math.floor(tag / 8), bytes.subarray(at, (at += value)));
    else break;
  }
  return fields;
}

/** Waits, or until the signal aborts. */
function slept(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = unref(setTimeout(done, ms));
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}
