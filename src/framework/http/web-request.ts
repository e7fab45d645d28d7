/**
 * The request as a web Request, for libraries that take one: tRPC, GraphQL Yoga, Auth.js.
 *
 *   ctx.request ──▶ new Request(scheme://host/path?query, { method, headers, body, signal })
 *                                                             └─ from the same source as ctx.body(): the first reader has it
 *
 * Spec: spec/context.md
 */
import { HttpError } from "../internal/errors.ts";
import { originForm } from "./target.ts";

/** The parts of a Request. */
export interface RequestParts {
  readonly method: string;
  readonly scheme: string;
  readonly host: string | undefined;
  readonly url: string;
  readonly search: string;
  readonly signal: AbortSignal;
  header(name: string): string | undefined;
  requestHeaders(): Iterable<readonly [string, string]>;
  /** The decoded body. Bytes already read are given again. */
  readonly requestBody: { toPass(): ReadableStream<Uint8Array> };
}

/** Headers of a body that a Request cannot have. */
const ofTheBody: ReadonlySet<string> = new Set(["content-encoding", "content-length", "transfer-encoding"]);
/** Headers of a body that was decoded. */
const ofTheCoding: ReadonlySet<string> = new Set(["content-encoding", "content-length"]);
const ofNothing: ReadonlySet<string> = new Set();

/**
 * Makes it. @throws HttpError (501) for a method that no Request can have, which is the client's choice: CONNECT, TRACE, TRACK.
 */
export function webRequest(parts: RequestParts): Request {
  const { method, signal } = parts;
  const name = method.toUpperCase();
  if (name === "CONNECT" || name === "TRACE" || name === "TRACK")
    throw new HttpError(501, `a web Request cannot have the method ${method}, and ctx.request is one`);
  const isBodyless = name === "GET" || name === "HEAD";
  const isDecoded = parts.header("content-encoding") !== undefined;
  const headers = headersOf(parts, isBodyless ? ofTheBody : isDecoded ? ofTheCoding : ofNothing);
  const address = addressOf(parts);
  if (isBodyless || parts.header("content-length") === "0") return new Request(address, { method, headers, signal });
  const body = lazily(() => parts.requestBody.toPass());
  return new Request(address, { method, headers, signal, body, duplex: "half" } as RequestInit);
}

/** The URL as the client knows it, or a fallback for a host that no URL can have, such as `1.2.3.999`. */
function addressOf({ scheme, host, url, search }: RequestParts): string {
  const path = originForm(url);
  // A URL treats a backslash as a slash, and the router does not. The target of OPTIONS may be `*`.
  const target = `${path.startsWith("/") ? path.replaceAll("\\", "%5C") : "/"}${search}`;
  const address = `${scheme}://${host}${target}`;
  return host !== undefined && URL.canParse(address) ? address : `${scheme}://localhost${target}`;
}

/** All lines except those, and except lines that Headers cannot hold. */
function headersOf(parts: RequestParts, dropped: ReadonlySet<string>): Headers {
  const headers = new Headers();
  for (const [name, value] of parts.requestHeaders()) {
    if (dropped.has(name.toLowerCase())) continue;
    try {
      headers.append(name, value);
    } catch {
      // An engine accepted it.
    }
  }
  return headers;
}

/** A stream that starts reading only when it is read. Until then the context can still read the body. */
function lazily(open: () => ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const stream = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
      reader ??= open().getReader();
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async (reason: unknown): Promise<void> =>
      reader === undefined ? open().cancel(reason) : reader.cancel(reason),
  };
  return new ReadableStream(stream, { highWaterMark: 0 });
}
