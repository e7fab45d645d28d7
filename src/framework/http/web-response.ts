/**
 * A web Response as the app's response: its head, line by line, without what frames the message.
 *
 *   new Response(…)        ──▶ as it is; its body whole where it can be (response-body.ts)
 *   new LazyResponse(…)    ──▶ from what it was given: no Response is made, and nothing streamed
 *   await fetch(upstream)  ──▶ without the Content-Encoding that the client has undone, and the length of what was coded
 *   one of another library ──▶ the same: it is known by what it has
 *
 * What identifies this request and who may read its response stay those of the middleware that decided it.
 *
 * Spec: spec/context.md
 */
import type { RecordedResponse } from "./context.ts";
import { decidesCors, fieldsOf, keepVary } from "./headers.ts";
import { takeParts, type ResponseParts } from "./lazy-response.ts";
import { encodedBytes } from "./location.ts";
import { isStream, rejection, usedBody } from "./outgoing.ts";
import { ResponseBody, withWholeBody } from "./response-body.ts";

/** Framing is the engine's, and a connection's fields end with that connection. */
const notPassedOn: ReadonlySet<string> = new Set(["transfer-encoding", "trailer", "connection", "keep-alive"]);

/** What a Response is recorded on. */
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

/** Reads the recorded body whole, where it can be; undefined where it stays as it is. @throws what its source fails with */
export type ReadWhole = (recorded: RecordedResponse) => Promise<RecordedResponse | undefined>;

type AnyResponse = Response & { [takeParts]?(): ResponseParts | undefined };

/**
 * Records `response` on `ctx`, which has no response yet.
 *
 * @returns what reads its body before it is sent; undefined where that is there, or it has none
 * @throws TypeError when its body was read already, or is none.
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
  else ctx.send(body ?? new ResponseBody(nothing())); // The length is then that of what GET has.
  return body instanceof ResponseBody ? (recorded) => withWholeBody(recorded, body) : undefined;
}

/** Which fields the Response has no say in: the id of the request, and what CORS has decided. */
function fieldsOfMiddleware(ctx: Recording): (lower: string) => boolean {
  const id = ctx.attribute("requestId");
  const isDecided = ctx.attribute(decidesCors) === true;
  return (lower) =>
    (isDecided && lower.startsWith("access-control-")) || (id !== undefined && ctx.responseHeader(lower) === id);
}

/** A field's value: `Vary` beside what is there, and each byte of a URL outside ASCII as an escape. */
function passedOn(ctx: Recording, lower: string, value: string): string {
  if (lower === "location" || lower === "content-location") return encodedBytes(value);
  if (lower !== "vary") return value;
  const list = [lower, value];
  keepVary(list, ctx.responseHeader(lower));
  return fieldsOf(list, lower) ?? value;
}

/** A body of no bytes. */
async function* nothing(): AsyncGenerator<Uint8Array> {}

/** @throws TypeError when its body was read already, or is none. */
function partsOf(response: Response): ResponseParts<string | Uint8Array | ResponseBody> {
  const { status, headers, bodyUsed } = response;
  const body: unknown = response.body ?? null;
  if (bodyUsed || Object(body).locked === true) throw usedBody("the Response that the handler returned");
  const undone = wasDecoded(response) ? ["content-encoding", "content-length"] : [];
  const lines = [...headers].filter(([name]) => !undone.includes(name.toLowerCase()));
  // Some give all cookies as one field, and have them one by one beside it.
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

/** Has the client that fetched `response` undone its content coding? The header stays there all the same. */
function wasDecoded({ url, headers }: Response): boolean {
  const codings = headers.get("content-encoding") ?? "";
  if (!url || codings === "") return false; // Only a fetched response has an address.
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
