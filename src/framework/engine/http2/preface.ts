/**
 * Detects the protocol of a cleartext connection by its first bytes.
 *
 *   "PRI" ──▶ HTTP/2 with prior knowledge (RFC 9113 §3.3)        anything else ──▶ HTTP/1.1
 *   "", "P" or "PR", and then no more ──▶ neither: the connection ends
 *
 * No method of HTTP/1.1 starts with "PRI", so three bytes decide. Until then they are kept here, because a byte given back to
 * its socket would be read again immediately, in a loop until the client sends another. After the decision all of them go back,
 * for the server of the connection.
 *
 * Spec: spec/engines.md
 */
import type { Socket } from "node:net";

const preface: readonly number[] = [0x50, 0x52, 0x49];

/** The outcome for a connection. One of the two is called, once. */
export interface Choice {
  chosen(isHttp2: boolean): void;
  /** It began with "P" or "PR", and the rest came too late (408) or never (400). */
  unfinished(status: 400 | 408): void;
}

/** Waits for the first bytes. A client that sends none within `withinMs`, or ends before, is cut. */
export function choosePrior(socket: Socket, withinMs: number, choice: Choice): void {
  let head: Uint8Array = new Uint8Array();
  const stopWaiting = (): void => {
    clearTimeout(late);
    socket.off("readable", look).off("end", ended);
  };
  const giveUp = (status: 400 | 408): void => {
    stopWaiting();
    if (head.length === 0) socket.destroy();
    else choice.unfinished(status);
  };
  const ended = (): void => giveUp(400);
  const late = setTimeout(() => giveUp(408), withinMs);
  late.unref();
  const look = (): void => {
    const more: Uint8Array | null = socket.read();
    if (more === null) return;
    head = head.length === 0 ? more : Buffer.concat([head, more]);
    const differs = preface.findIndex((byte, index) => head[index] !== byte);
    if (differs >= head.length) return;
    stopWaiting();
    socket.unshift(head);
    choice.chosen(differs < 0);
  };
  socket
    .on("error", () => undefined)
    .on("readable", look)
    .on("end", ended);
  socket.once("close", () => clearTimeout(late));
}
