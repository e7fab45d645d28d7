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

/** The header lines of `response` that an answer takes over. */
export function linesOf(response: Response): readonly (readonly [string, string])[] {
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
