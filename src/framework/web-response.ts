/**
 * A web Response as an answer: its head, line by line, without what frames the message.
 *
 * Spec: spec/context.md (CTX)
 */

/** Cookies go one by one, framing is the engine's, and a connection's fields end with that connection. */
const notPassedOn: ReadonlySet<string> = new Set([
  "set-cookie",
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
]);

/** What a Response is answered through. */
interface Answering {
  answered: boolean;
  status(code: number): unknown;
  header(name: string, value: string): unknown;
  appendHeader(name: string, value: string): unknown;
  send(body: ReadableStream<Uint8Array>): unknown;
}

/** Records `response` as the answer of `ctx`, which has none yet. */
export function respondWith(ctx: Answering, response: Response): void {
  ctx.status(response.status);
  for (const [name, value] of linesOf(response)) {
    if (name === "Set-Cookie") ctx.appendHeader(name, value);
    else ctx.header(name, value);
  }
  if (response.body === null) ctx.answered = true;
  else ctx.send(response.body);
}

/** The header lines of `response` that an answer takes over. */
function linesOf(response: Response): readonly (readonly [string, string])[] {
  return [
    ...[...response.headers].filter(([name]) => !notPassedOn.has(name)),
    ...response.headers.getSetCookie().map((cookie) => ["Set-Cookie", cookie] as const),
  ];
}

/**
 * Is `value` a web Response? Its tag is looked at first: Node loads its whole fetch implementation, 5 MB of it, when
 * `Response` is first named.
 */
export const isResponse = (value: unknown): value is Response =>
  Object.prototype.toString.call(value) === "[object Response]" &&
  typeof Response === "function" &&
  value instanceof Response;
