/**
 * A web Request of a request, for libraries that take one: tRPC, GraphQL Yoga, Auth.js.
 *
 *   ctx.request ──▶ new Request(scheme://host/path?query, { method, headers, body, signal })
 *                                                             └─ from the same source as ctx.body(): who reads first has it
 *
 * Spec: spec/context.md
 */
/** What a Request is made of. */
export interface RequestParts {
  readonly method: string;
  readonly scheme: string;
  readonly host: string | undefined;
  readonly url: string;
  readonly search: string;
  readonly signal: AbortSignal;
  header(name: string): string | undefined;
  requestHeaders(): Iterable<readonly [string, string]>;
  /** The body without its coding; what was read already is given again. */
  bodyToPass(): ReadableStream<Uint8Array>;
}

/** Makes it. @throws TypeError for a method that no Request has: CONNECT, TRACE, TRACK. */
export function webRequest(parts: RequestParts): Request {
  const { method, scheme, host = "localhost", url, search, signal } = parts;
  const path = url.startsWith("/") ? url : "/"; // The target of OPTIONS may be `*`.
  const hasBody = method !== "GET" && method !== "HEAD" && parts.header("content-length") !== "0";
  const init = { method, headers: headersOf(parts), signal };
  const address = `${scheme}://${host}${path}${search}`;
  if (!hasBody) return new Request(address, init);
  const body = lazily(() => parts.bodyToPass());
  return new Request(address, { ...init, body, duplex: "half" } as RequestInit);
}

/** All lines, but for what a decoded body has no more. */
function headersOf(parts: RequestParts): Headers {
  const isDecoded = parts.header("content-encoding") !== undefined;
  const headers = new Headers();
  for (const [name, value] of parts.requestHeaders()) {
    const lower = name.toLowerCase();
    if (isDecoded && (lower === "content-encoding" || lower === "content-length")) continue;
    headers.append(name, value);
  }
  return headers;
}

/** A stream that begins to read when it is read: until then the body is still there for whoever asks the context. */
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
