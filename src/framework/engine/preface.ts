/**
 * Which protocol a cleartext connection speaks, by its first bytes.
 *
 *   "PRI" ──▶ HTTP/2 with prior knowledge (RFC 9113 §3.3)        anything else ──▶ HTTP/1.1
 *
 * No method of HTTP/1.1 starts with "PRI", so three bytes decide. They stay in the socket for whoever serves it.
 *
 * Spec: spec/engines.md (ENGINE), spec/lifecycle.md (LIFE)
 */
import type { Socket } from "node:net";

const preface: readonly number[] = [0x50, 0x52, 0x49];

/** Calls `chosen` once, when the first bytes are there; a client that sends none within `withinMs` is cut. */
export function choosePrior(socket: Socket, withinMs: number, chosen: (isHttp2: boolean) => void): void {
  const late = setTimeout(() => socket.destroy(), withinMs);
  late.unref();
  socket.on("error", () => undefined);
  socket.once("close", () => clearTimeout(late));
  const look = (): void => {
    const head: Uint8Array | null = socket.read();
    if (head === null) return;
    socket.unshift(head);
    const differs = preface.findIndex((byte, index) => head[index] !== byte);
    if (differs >= head.length) return;
    clearTimeout(late);
    socket.off("readable", look);
    chosen(differs < 0);
  };
  socket.on("readable", look);
}
