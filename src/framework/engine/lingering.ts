/**
 * Lingering close: the end of a connection with a client that may still be sending, so that it can read its response.
 *
 *   the response goes out ──▶ FIN ──▶ later bytes are discarded ──▶ the client's FIN, or a bound ──▶ closed
 *
 * A socket closed with unread bytes is reset, and a client that has not read its response by then loses it (RFC 9112 §9.6). The
 * discarded bytes are bounded in time and size, so a client that sends for ever is cut.
 *
 * Spec: spec/errors.md
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** How much longer a client may send, in milliseconds: in total, if it was too slow before, and until its next byte. */
const mostMs = 10_000;
const briefMs = 1_000;
const silentMs = 2_000;
const mostBytes = 67_108_864;

/**
 * The newest request with a body, since only that can break off. Not kept for the others, because an idle socket would hold
 * them.
 */
export const newestBody: unique symbol = Symbol("newest request with a body");

const isLingering: unique symbol = Symbol("lingers");

/** A connection, and the state of its bodies. */
export type Carrying = Socket & { [newestBody]?: IncomingMessage | undefined; [isLingering]?: boolean };

/** Notes that a body comes, so that the connection lingers instead of closing within it. */
export function carry(req: IncomingMessage): void {
  const socket: Carrying = req.socket;
  socket[newestBody] = req;
  socket.destroySoon = destroySoon;
}

/** The method with which Node and this engine close a connection after a response. */
function destroySoon(this: Carrying): void {
  const req = this[newestBody];
  if (req === undefined || req.complete) (Reflect.getPrototypeOf(this) as Socket).destroySoon.call(this);
  else linger(this, false);
}

/** Is that connection closed except for its client's remaining bytes? */
export const lingers = (socket: Carrying): boolean => socket[isLingering] === true;

/**
 * Closes that connection this way, after the text `last`. `isBrief`: for a client that was too slow already. Later calls do
 * nothing.
 */
export function linger(socket: Carrying, isBrief: boolean, last?: string): void {
  if (socket.destroyed || lingers(socket)) return;
  socket[isLingering] = true;
  let left = mostBytes;
  socket.removeAllListeners("data"); // Node's parser gets no more, because it would stop, or find requests.
  socket.on("data", (bytes: Uint8Array) => {
    left -= bytes.length;
    if (left < 0) socket.destroy();
  });
  if (last === undefined) socket.end();
  else socket.end(last);
  socket.resume();
  socket.push(""); // Node's parser reads past the stream, which believes it is reading when the parser has paused.
  const late = setTimeout(() => socket.destroy(), isBrief ? briefMs : mostMs);
  late.unref();
  socket.once("close", () => clearTimeout(late));
  socket.setTimeout(silentMs, () => socket.destroy());
}
