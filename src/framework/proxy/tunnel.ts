/**
 * tunnel: a WebSocket through a proxy. Neither side's frames are read: bytes go both ways until one side ends.
 *
 *   client ⇄ the connection that leaves HTTP here ⇄ the upstream's socket
 */
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Context } from "../http/context.ts";
import type { UpgradedConnection } from "../http/upgrade.ts";
import { endToEnd, type Line, linesOf } from "./fields.ts";

/** Does the client ask for a WebSocket? */
export const isHandshake = (ctx: Context): boolean => ctx.header("upgrade")?.toLowerCase() === "websocket";

/** What the upstream is asked with besides. Over HTTP/2 a client has sent no key and no version (RFC 8441 §5). */
export function handshakeLines(ctx: Context): readonly Line[] {
  const key: Line = ["Sec-WebSocket-Key", randomBytes(16).toString("base64")];
  const version: Line = ["Sec-WebSocket-Version", "13"];
  const lacks = ([name]: Line): boolean => ctx.header(name.toLowerCase()) === undefined;
  return [["Connection", "Upgrade"], ["Upgrade", "websocket"], ...[key, version].filter(lacks)];
}

/** Joins the client to that socket once the response is on its way; ends the socket where it never is. */
export function tunnel(ctx: Context, response: IncomingMessage, upstream: Duplex, head: Uint8Array): void {
  let isJoined = false;
  upstream.on("error", () => undefined);
  ctx.onComplete(() => {
    if (!isJoined) upstream.destroy();
  });
  ctx.upgrade((connection) => {
    isJoined = true;
    join(connection, response, upstream, head);
  });
}

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
  // What the upstream has sent goes out before the client's side ends.
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
