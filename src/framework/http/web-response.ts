/**
 * Records a web Response as the app's response: its head line by line without framing, and its body.
 *
 *   new Response(…)        ──▶ as it is; its body whole where it can be (response-body.ts)
 *   new LazyResponse(…)    ──▶ from its arguments: no Response is made, and nothing streamed
 *   await fetch(upstream)  ──▶ without the Content-Encoding that the client has decoded, and without the coded length
 *   one of another library ──▶ the same: it is recognized by its members
 *
 * The request id and the CORS fields stay those of the middleware that set them.
 *
 * Spec: spec/context.md
 */
import type { RecordedResponse } from "./context.ts";
import { decidesCors, fieldsOf, keepVary } from "./headers.ts";
import { takeParts, type ResponseParts } from "./lazy-response.ts";
import { encodedBytes } from "./location.ts";
import { isStream, rejection, usedBody } from "./outgoing.ts";
import { ResponseBody, withWholeBody } from "./response-body.ts";

/** The engine does the framing, and a connection's fields end with that connection. */
const notPassedOn: ReadonlySet<string> = new Set(["transfer-encoding", "trailer", "connection", "keep-alive"]);

/** The target of the recording. */
interface Recording {
  readonly method: string;
  recordEmpty(): unknown;
  status(code: number): unknown;
  setHeader(name: string, value: string): unknown;
  appendHeader(name: string, value: string): unknown;
  responseHeader(name: string): string | undefined;
  attribute(name: string | symbol): unknown;
  text(body: string): unknown;
  send(body: Uint8Array | ResponseBody): unknown;
}

/** Reads the recorded body whole if possible, or undefined when it stays as it is. @throws the error of its source */
export type ReadWhole = (recorded: RecordedResponse) => Promise<RecordedResponse | undefined>;

type AnyResponse = Response & { [takeParts]?(): ResponseParts | undefined };

/**
 * Records `response` on `ctx`, which has no response yet.
 *
 * @returns a function that reads its body before it is sent, or undefined when that is not needed
 * @throws TypeError when its body was read already, or is invalid.
 */
export function recordResponse(ctx: Recording, response: AnyResponse): ReadWhole | undefined {
  const { status, headers, body } = response[takeParts]?.() ?? partsOf(response);
  const isHead = body === null && ctx.method === "HEAD";
  const hasLength = body instanceof ResponseBody || isHead;
  const isOurs = fieldsOfMiddleware(ctx);
  ctx.status(status);
  let length: string | undefined;
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = "", value = ""] = [headers[at], headers[at + 1]];
    const lower = name.toLowerCase();
    if (lower === "content-length") length = value;
    else if (lower === "set-cookie") ctx.appendHeader(name, value);
    else if (!notPassedOn.has(lower) && !isOurs(lower)) ctx.setHeader(name, passedOn(ctx, lower, value));
  }
  if (length !== undefined && hasLength) ctx.setHeader("Content-Length", length);
  if (body === null && !(isHead && length !== undefined)) ctx.recordEmpty();
  else if (typeof body === "string") ctx.text(body);
  else ctx.send(body ?? new ResponseBody(nothing())); // The length is then that of GET.
  return body instanceof ResponseBody ? (recorded) => withWholeBody(recorded, body) : undefined;
}

/** Fields that the Response cannot set: the request id, and the CORS decision. */
function fieldsOfMiddleware(ctx: Recording): (lower: string) => boolean {
  const id = ctx.attribute("requestId");
  const isDecided = ctx.attribute(decidesCors) === true;
  return (lower) =>
    (isDecided && lower.startsWith("access-control-")) || (id !== undefined && ctx.responseHeader(lower) === id);
}

/** A field's value. `Vary` is added to the existing one, and each byte of a URL outside ASCII is escaped. */
function passedOn(ctx: Recording, lower: string, value: string): string {
  if (lower === "location" || lower === "content-location") return encodedBytes(value);
  if (lower !== "vary") return value;
  const list = [lower, value];
  keepVary(list, ctx.responseHeader(lower));
  return fieldsOf(list, lower) ?? value;
}

/** An empty body. */
async function* nothing(): AsyncGenerator<Uint8Array> {}

/** @throws TypeError when its body was read already, or is invalid. */
function partsOf(response: Response): ResponseParts<string | Uint8Array | ResponseBody> {
  const { status, headers, bodyUsed } = response;
  const body: unknown = response.body ?? null;
  if (bodyUsed || Object(body).locked === true) throw usedBody("the Response that the handler returned");
  const undone = wasDecoded(response) ? ["content-encoding", "content-length"] : [];
  const lines = [...headers].filter(([name]) => !undone.includes(name.toLowerCase()));
  // Some libraries give all cookies as one field, and also one by one.
  const cookies = typeof headers.getSetCookie === "function" ? headers.getSetCookie() : undefined;
  const kept = cookies === undefined ? lines : lines.filter(([name]) => name.toLowerCase() !== "set-cookie");
  return {
    status,
    headers: [...kept.flat(), ...(cookies ?? []).flatMap((line) => ["Set-Cookie", line])],
    body: bodyOf(body),
  };
}

function bodyOf(body: unknown): string | Uint8Array | ResponseBody | null {
  if (body === null || typeof body === "string" || body instanceof Uint8Array) return body;
  if (isStream(body)) return new ResponseBody(body);
  throw rejection("the body of a Response", body, "bytes, text or a stream");
}

/** Has the client that fetched `response` decoded it? The header is still there. */
function wasDecoded({ url, headers }: Response): boolean {
  const codings = headers.get("content-encoding") ?? "";
  if (!url || codings === "") return false; // Only a fetched response has a URL.
  return codings.split(",").every((coding) => fetchDecodes(coding.trim().toLowerCase()));
}

/** Does this runtime's `fetch` decode that coding? Measured: each decodes gzip and br, Deno nothing else. */
function fetchDecodes(coding: string): boolean {
  if (coding === "gzip" || coding === "x-gzip" || coding === "br") return true;
  const versions: Readonly<Record<string, string | undefined>> = globalThis.process?.versions ?? {};
  if (coding === "deflate") return versions["deno"] === undefined;
  return coding === "zstd" && (versions["bun"] !== undefined || isSince(versions["undici"], 7, 11));
}

/** Is `version` (`7.29.1`) that release or a later one? */
function isSince(version: string | undefined, major: number, minor: number): boolean {
  const [thisMajor = 0, thisMinor = 0] = (version ?? "").split(".").map(Number);
  return thisMajor > major || (thisMajor === major && thisMinor >= minor);
}
