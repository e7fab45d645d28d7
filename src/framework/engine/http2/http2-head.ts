/**
 * Heads on HTTP/2: the checks of RFC 9113 for a request's, and the conversion of a flat list to a response's.
 *
 *   :authority ──▶ host        cookie crumbs ──▶ one cookie        Connection, Keep-Alive … ──▶ dropped
 *
 * Spec: spec/engines.md, RFC 9113 §8.2, §8.3
 */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http2";

/** Fields of an HTTP/1.1 connection. An HTTP/2 message with one is malformed (RFC 9113 §8.2.2). */
const ofTheConnection: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
  "te",
]);

/**
 * The status that rejects a request before the application sees it, or undefined for a valid one.
 *
 * The same rejections as the parser of HTTP/1.1: two hosts that differ, and a target with bytes outside printable ASCII. Node
 * resets the stream of a request without any host. A CONNECT is served only if it opens a WebSocket (RFC 8441 §4).
 */
export function headRejection(headers: IncomingHttpHeaders): number | undefined {
  const { ":method": method, ":path": path, ":authority": authority, host } = headers;
  if (method === "CONNECT" && !opensWebSocket(headers)) return 501;
  if (path === undefined || !/^[\x21-\x7e]+$/.test(path)) return 400;
  return authority !== undefined && host !== undefined && authority !== host ? 400 : undefined;
}

/** Does that head open a WebSocket, by an extended CONNECT? */
export const opensWebSocket = ({ ":method": method, ":protocol": protocol }: IncomingHttpHeaders): boolean =>
  method === "CONNECT" && String(protocol).toLowerCase() === "websocket";

/** Header lines as HTTP/1.1 would have carried them: Host first, cookie crumbs joined, no pseudo-header. */
export function* requestLines(
  headers: IncomingHttpHeaders,
  raw: readonly string[],
): Generator<readonly [string, string]> {
  if (headers.host === undefined) yield ["host", headers[":authority"] ?? ""];
  let cookies = headers.cookie;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? "";
    if (name.startsWith(":")) continue;
    if (name !== "cookie") yield [name, raw[i + 1] ?? ""];
    else if (cookies !== undefined) {
      yield [name, cookies];
      cookies = undefined;
    }
  }
}

/** The number of lines that `requestLines` gives. */
export function requestLineCount(headers: IncomingHttpHeaders, raw: readonly string[]): number {
  let count = (headers.host === undefined ? 1 : 0) + (headers.cookie === undefined ? 0 : 1);
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? "";
    if (!name.startsWith(":") && name !== "cookie") count += 1;
  }
  return count;
}

/** An application's response headers have few names, so each is put in lower case once. Past a limit, each time. */
const lowered = new Map<string, string>();
const mostLowered = 256;

function lower(name: string): string {
  const known = lowered.get(name);
  if (known !== undefined) return known;
  const found = name.toLowerCase();
  if (lowered.size < mostLowered) lowered.set(name, found);
  return found;
}

/** The head of a response: names in lower case, repeated fields joined, cookies one by one, no connection fields. */
export function responseHead(status: number, flat: readonly string[]): OutgoingHttpHeaders {
  const head: Record<string, string | number | string[]> = Object.create(null);
  head[":status"] = status;
  const cookies: string[] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) {
    const name = lower(flat[i] ?? "");
    const value = flat[i + 1] ?? "";
    if (name === "set-cookie") cookies.push(value);
    else if (!ofTheConnection.has(name)) {
      const earlier = head[name];
      head[name] = earlier === undefined ? value : `${String(earlier)}, ${value}`;
    }
  }
  if (cookies.length > 0) head["set-cookie"] = cookies;
  return head;
}
