/**
 * A web Response as the app's response: its head, line by line, without what frames the message.
 *
 *   new Response(…)        ──▶ as it is
 *   new LazyResponse(…)    ──▶ from what it was given: no Response is made, and nothing streamed
 *   await fetch(upstream)  ──▶ without the Content-Encoding that the client has undone
 *
 * Spec: spec/context.md (CTX)
 */
import { takeParts, type ResponseParts } from "./lazy-response.ts";
import { usedBody } from "./response-values.ts";

/** Framing is the engine's, and a connection's fields end with that connection. */
const notPassedOn: ReadonlySet<string> = new Set([
  ...["content-length", "transfer-encoding", "trailer", "connection", "keep-alive"],
]);

/** What a Response is recorded on. */
interface Recording {
  recordEmpty(): unknown;
  status(code: number): unknown;
  header(name: string, value: string): unknown;
  appendHeader(name: string, value: string): unknown;
  text(body: string): unknown;
  send(body: Uint8Array | ReadableStream<Uint8Array>): unknown;
}

/** Records `response` on `ctx`, which has no response yet. @throws TypeError when its body was read already. */
export function recordResponse(
  ctx: Recording,
  response: Response & { [takeParts]?(): ResponseParts | undefined },
): void {
  const { status, headers, body } = response[takeParts]?.() ?? partsOf(response);
  ctx.status(status);
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = "", value = ""] = [headers[at], headers[at + 1]];
    const lower = name.toLowerCase();
    if (lower === "set-cookie") ctx.appendHeader(name, value);
    else if (!notPassedOn.has(lower)) ctx.header(name, value);
  }
  if (body === null) ctx.recordEmpty();
  else if (typeof body === "string") ctx.text(body);
  else ctx.send(body);
}

/** @throws TypeError when its body was read already. */
function partsOf(response: Response): ResponseParts<ReadableStream<Uint8Array>> {
  const { status, headers, body, bodyUsed } = response;
  if (bodyUsed || body?.locked === true) throw usedBody("the Response that the handler returned");
  const isDecoded = wasDecoded(response);
  const lines = [...headers].filter(([name]) => name !== "set-cookie" && !(isDecoded && name === "content-encoding"));
  return {
    status,
    headers: [...lines.flat(), ...headers.getSetCookie().flatMap((line) => ["Set-Cookie", line])],
    body,
  };
}

/**
 * Is `value` a web Response? Its tag is looked at first: Node loads its whole fetch implementation, 5 MB of it, when
 * `Response` is first named.
 */
export const isResponse = (value: unknown): value is Response =>
  Object.prototype.toString.call(value) === "[object Response]" &&
  typeof Response === "function" &&
  value instanceof Response;

/** Has the client that fetched `response` undone its content coding? The header stays there all the same. */
function wasDecoded({ url, headers }: Response): boolean {
  const codings = headers.get("content-encoding");
  if (url === "" || codings === null) return false; // Only a fetched response has an address.
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
