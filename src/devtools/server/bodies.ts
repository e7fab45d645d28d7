/**
 * Bodies: how a request's and a response's body is shown in a trace.
 *
 *   JSON type ──▶ JSON value    text ──▶ string    other bytes, streams, JSON too large to parse ──▶ { "$bytes": n }
 *
 * Devtools never read a body: what the application has not read is not there.
 *
 * Spec: spec/trace.md (TRACE)
 */
import type { Completion, Context } from "framework";
import { REDACTED, type TaggedValue } from "../wire.ts";
import type { Redactor } from "./redact.ts";
import { decoded } from "./secret-texts.ts";
import type { Snapshot, Snapshotter } from "./snapshot.ts";

/** Bytes of the longest JSON text that is parsed: more would hold up the event loop. */
const maxParsed = 262_144;

/** What the application read of the request's body. */
export function requestBody(ctx: Context, snapshots: Snapshotter, redactor: Redactor): Snapshot {
  const body = ctx.bodyIfRead();
  if (body === undefined) return nothing;
  if (typeof body !== "string") return snapshots.take(body);
  return shownText(body, typeOf(ctx.header("content-type")), snapshots, redactor);
}

/** What went out as the response's body. */
export function responseBody(
  completion: Completion,
  ctx: Context,
  snapshots: Snapshotter,
  redactor: Redactor,
): Snapshot {
  const { body, bytes } = completion;
  if (ctx.method === "HEAD") return nothing;
  if (body === undefined) return bytes === 0 ? nothing : snapshotOfBytes(bytes);
  if (body.length === 0) return nothing;
  const type = typeOf(headerOf(completion.headers, "content-type"));
  const encoded = headerOf(completion.headers, "content-encoding") !== undefined;
  if (typeof body === "string") return shownText(body, type, snapshots, redactor);
  if (encoded || body.byteLength > maxParsed || !(isJson(type) || type.startsWith("text/")))
    return snapshotOfBytes(body.byteLength);
  return shownText(new TextDecoder().decode(body), type, snapshots, redactor);
}

function shownText(text: string, type: string, snapshots: Snapshotter, redactor: Redactor): Snapshot {
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

/** The media type without its parameters. */
function typeOf(contentType = ""): string {
  const semicolon = contentType.indexOf(";");
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
}

const isJson = (type: string): boolean => type === "application/json" || type.endsWith("+json");
const nothing: Snapshot = { json: null, bytes: 0 };
const snapshotOfBytes = (bytes: number): Snapshot => ({ json: { $bytes: bytes } satisfies TaggedValue, bytes: 64 });
