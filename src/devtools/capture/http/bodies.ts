/**
 * Bodies: how a request's and a response's body is shown in a trace.
 *
 *   JSON type ──▶ JSON value    text ──▶ string    other bytes, JSON too large to parse ──▶ { "$bytes": n }
 *   a text in pieces ──▶ as above when it is short, else its beginning: { "$string": "…", "$truncated": n }
 *
 * Devtools never read a body, so a body that the application has not read is missing. Of a body in pieces, the first
 * kilobytes are kept as they pass.
 *
 * Spec: spec/trace.md
 */
import type { Completion, Context } from "framework";
import type { TaggedValue } from "../../run/shapes.ts";
import { REDACTED } from "../../run/wire.ts";
import type { Redactor } from "../redact.ts";
import { decoded } from "../../run/values.ts";
import type { Snapshot } from "../snapshot.ts";
import type { FieldTools } from "./fields.ts";

/** Bytes of the longest JSON text that is parsed. More would block the event loop. */
const maxParsed = 262_144;
/** Bytes that are kept of a body in pieces. */
const maxBeginning = 16_384;
/** Characters of a longer one that are shown. The kept rest shows where a secret in them ends. */
const shownChars = 4_096;

/** The part of the request's body that the application read. */
export function requestBody(ctx: Context, tools: FieldTools): Snapshot {
  const body = ctx.bodyIfRead();
  if (body === undefined) return nothing;
  const type = typeOf(ctx.header("content-type"));
  // Bytes remain of a text that could not be parsed, and then the developer wants to see what the client sent.
  const isText = body instanceof Uint8Array && body.length <= maxParsed && isTextType(type);
  const text = isText ? new TextDecoder().decode(body) : body;
  return typeof text === "string" ? shownText(text, type, tools) : tools.snapshots.take(text);
}

/** A message, or other data of an upgraded connection. A JSON text is shown as its value. */
export function messageBody(data: unknown, tools: FieldTools): Snapshot {
  if (data === undefined) return nothing;
  if (typeof data !== "string")
    return data instanceof Uint8Array ? snapshotOfBytes(data.length) : tools.snapshots.take(data);
  return shownText(data, /^\s*[{[]/.test(data) ? "application/json" : "text/plain", tools);
}

/** The beginning of a body that is sent in pieces. */
export class Beginning {
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  take(chunk: string | Uint8Array): void {
    const room = maxBeginning - this.#bytes;
    if (room <= 0) return;
    const bytes = typeof chunk === "string" ? Buffer.from(chunk.slice(0, room)) : chunk;
    // A copy, since the application may reuse its buffer.
    const kept = Uint8Array.from(bytes.subarray(0, room));
    this.#chunks.push(kept);
    this.#bytes += kept.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The kept part as text, or undefined if it is not text. A character that is cut at the end is left out. */
  text(): string | undefined {
    const bytes = Buffer.concat(this.#chunks);
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    } catch {
      return undefined;
    }
  }
}

/** The sent body of the response; `beginning` of one in pieces. */
export function responseBody(
  completion: Completion,
  method: string,
  beginning: Beginning | undefined,
  tools: FieldTools,
): Snapshot {
  const { body, bytes } = completion;
  if (method === "HEAD") return nothing;
  if (body === undefined) return bytes === 0 ? nothing : piecesBody(completion, beginning, tools);
  if (body.length === 0) return nothing;
  const type = typeOf(headerOf(completion.headers, "content-type"));
  const encoded = headerOf(completion.headers, "content-encoding") !== undefined;
  if (typeof body === "string") return shownText(body, type, tools);
  if (encoded || body.byteLength > maxParsed || !(isJson(type) || type.startsWith("text/")))
    return snapshotOfBytes(body.byteLength);
  return shownText(new TextDecoder().decode(body), type, tools);
}

/** Whether a response's body can be shown later, because it is a text, which cannot change, of a length to be shown. */
export const isShownLater = (body: Completion["body"]): boolean =>
  body === undefined || (typeof body === "string" && body.length <= maxParsed);

/** A completion with the recorded body if a middleware has encoded it since, because people read the one before. */
export function asRecorded(completion: Completion, recorded: Completion["body"]): Completion {
  const { body, headers } = completion;
  if (recorded === undefined || body === undefined || body === recorded) return completion;
  if (headerOf(headers, "content-encoding") === undefined) return completion;
  const kept = headers.filter((_, at) => headers[at - (at % 2)]?.toLowerCase() !== "content-encoding");
  return { ...completion, body: recorded, headers: kept };
}

/** A body in pieces: whole if its text is short, otherwise its beginning. */
function piecesBody({ bytes, headers }: Completion, beginning: Beginning | undefined, tools: FieldTools): Snapshot {
  const type = typeOf(headerOf(headers, "content-type"));
  const isText =
    isJson(type) || type.startsWith("text/") || /^application\/(x-ndjson|ndjson|jsonl|json-seq)$/.test(type);
  if (!isText || headerOf(headers, "content-encoding") !== undefined) return snapshotOfBytes(bytes);
  const text = beginning?.text();
  if (text === undefined) return snapshotOfBytes(bytes);
  const kept = Buffer.byteLength(text);
  if (kept >= bytes) return shownText(text, type, tools);
  const head = tools.redactor.text(text, shownChars);
  const left = bytes - Buffer.byteLength(text.slice(0, shownChars));
  return { json: { $string: head, $truncated: left } satisfies TaggedValue, bytes: Buffer.byteLength(head) + 64 };
}

function shownText(text: string, type: string, { snapshots, redactor }: FieldTools): Snapshot {
  if (isJson(type)) {
    const bytes = Buffer.byteLength(text);
    if (bytes > maxParsed) return snapshotOfBytes(bytes);
    try {
      return snapshots.take(JSON.parse(text) as unknown);
    } catch {
      return snapshots.take(text);
    }
  }
  return snapshots.take(type === "application/x-www-form-urlencoded" ? redactForm(text, redactor) : text);
}

/** `user=ada&password=x` with the secret values replaced. */
function redactForm(text: string, redactor: Redactor): string {
  if (text.length > maxParsed) return REDACTED;
  return text
    .split("&")
    .map((pair) => {
      const at = pair.indexOf("=");
      if (at < 0) return pair;
      const value = decoded(pair.slice(at + 1).replaceAll("+", " "));
      if (!redactor.hides(decoded(pair.slice(0, at)), value)) return pair;
      redactor.remember(value);
      return `${pair.slice(0, at)}=${REDACTED}`;
    })
    .join("&");
}

/** The first value of a header in a flat list of names and values. */
export function headerOf(headers: readonly string[], name: string): string | undefined {
  for (let index = 0; index + 1 < headers.length; index += 2)
    if (headers[index]?.toLowerCase() === name) return headers[index + 1];
  return undefined;
}

function typeOf(contentType = ""): string {
  const semicolon = contentType.indexOf(";");
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
}

const isTextType = (type: string): boolean =>
  isJson(type) || type.startsWith("text/") || /^application\/(?:x-www-form-urlencoded|(?:.*\+)?xml|yaml)$/.test(type);
const isJson = (type: string): boolean => type === "application/json" || type.endsWith("+json");
const nothing: Snapshot = { json: null, bytes: 0 };
const snapshotOfBytes = (bytes: number): Snapshot => ({ json: { $bytes: bytes } satisfies TaggedValue, bytes: 64 });
