/**
 * tunnel: a WebSocket through a proxy. No frames are parsed. Bytes go both ways until one side ends.
 *
 *   client ⇄ the connection that leaves HTTP here ⇄ the upstream's socket
 */
import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { HttpError } from "../internal/errors.ts";
import type { Context } from "../http/context.ts";
import type { RequestContext } from "../http/request-context.ts";
import type { UpgradedConnection } from "../http/upgrade.ts";
import { asksForWebSocket } from "../internal/http-rules.ts";
import { endToEnd, type Line, linesOf } from "./fields.ts";

/** Does the client ask for a WebSocket, on a connection that can leave HTTP? Otherwise an `Upgrade` has no effect. */
export function isHandshake(ctx: Context): boolean {
  const { exchange } = ctx as unknown as Pick<RequestContext, "exchange">;
  return exchange.upgrade !== undefined && (ctx.httpVersion === "2" || asksForWebSocket(ctx));
}

/** The client's key. Over HTTP/2 it has sent none (RFC 8441 §5). */
export const keyOf = (ctx: Context): string => ctx.header("sec-websocket-key") ?? randomBytes(16).toString("base64");

/** Additional fields of the upstream request. */
export function handshakeLines(ctx: Context, given: string): readonly Line[] {
  const key: Line = ["Sec-WebSocket-Key", given];
  const version: Line = ["Sec-WebSocket-Version", "13"];
  const lacks = ([name]: Line): boolean => ctx.header(name.toLowerCase()) === undefined;
  return [["Connection", "Upgrade"], ["Upgrade", "websocket"], ...[key, version].filter(lacks)];
}

/** Joins the client to that socket when the response is under way, or ends the socket when it never is. */
export function tunnel(
  ctx: Context,
  { response, socket: upstream, head }: { response: IncomingMessage; socket: Duplex; head: Uint8Array },
  key: string,
): void {
  let isJoined = false;
  upstream.on("error", () => undefined);
  ctx.onComplete(() => {
    if (!isJoined) upstream.destroy();
  });
  if (response.headers["sec-websocket-accept"] !== acceptOf(key))
    throw new HttpError(502, "the upstream opened no WebSocket", { code: "BAD_GATEWAY" });
  ctx.upgrade((connection) => {
    isJoined = true;
    join(connection, response, upstream, head);
  });
}

/** The proof that the key was read (RFC 6455 §4.2.2). */
const acceptOf = (key: string): string =>
  createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");

function join(connection: UpgradedConnection, response: IncomingMessage, upstream: Duplex, head: Uint8Array): void {
  const client = connection.socket as Duplex;
  if (typeof client.write !== "function") {
    upstream.destroy();
    throw new TypeError("proxy() needs the socket of a WebSocket, which this platform does not give");
  }
  let bytes = head.length;
  let isOver = false;
  let isWhole = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    client.destroy();
    upstream.destroy();
    connection.closed();
    connection.over(bytes, !isWhole);
  };
  connection.onStop(end);
  // All bytes from the upstream are sent before the client's side ends.
  client
    .on("error", () => undefined)
    .once("close", end)
    .once("finish", end);
  upstream.once("end", () => (isWhole = true)).once("close", () => isWhole || end());
  client.write(handshake(connection, response));
  if (head.length > 0) client.write(head);
  if (connection.head.length > 0) upstream.write(connection.head);
  upstream.on("data", (chunk: Uint8Array) => (bytes += chunk.length));
  upstream.pipe(client);
  client.pipe(upstream);
}

/** The 101: the upstream's fields, and those that the app has recorded. */
function handshake({ headers }: UpgradedConnection, response: IncomingMessage): string {
  const upgrade: readonly Line[] = [
    ["Connection", "Upgrade"],
    ["Upgrade", "websocket"],
  ];
  const lines = [
    ...upgrade,
    ...endToEnd(linesOf(response.rawHeaders), ["content-length", "date"]),
    ...linesOf(headers),
  ];
  return `HTTP/1.1 101 Switching Protocols\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}
