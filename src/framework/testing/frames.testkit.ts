/** HTTP/2 frames, written byte by byte, which Node's client would never send. */
import type { HeaderLine } from "./clients.testkit.ts";

/** The preface and empty settings, which a client sends first. */
export const greeting: Buffer = Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0)]);

/** One frame (RFC 9113 §4.1). */
export function frame(type: number, flags: number, stream: number, payload: Uint8Array = new Uint8Array()): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A whole head, every line literal (RFC 7541 §6.2.2). Names and values are below 127 bytes. */
export function headers(stream: number, lines: readonly HeaderLine[], ends: boolean = true): Buffer {
  const text = (value: string): Buffer => Buffer.concat([Uint8Array.of(value.length), Buffer.from(value, "latin1")]);
  const fields = lines.map(([name, value]) => Buffer.concat([Uint8Array.of(0), text(name), text(value)]));
  return frame(1, 4 + (ends ? 1 : 0), stream, Buffer.concat(fields));
}

/** One received frame. */
export interface Frame {
  readonly type: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** The whole frames in the bytes. */
export function framesOf(bytes: Buffer): readonly Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at + 9 <= bytes.length;) {
    const end = at + 9 + bytes.readUIntBE(at, 3);
    if (end > bytes.length) break;
    frames.push({
      type: bytes.readUInt8(at + 3),
      stream: bytes.readUInt32BE(at + 5),
      payload: bytes.subarray(at + 9, end),
    });
    at = end;
  }
  return frames;
}

/** The pseudo-headers of a request. */
export const request = (method: string, path: string): readonly HeaderLine[] => [
  [":method", method],
  [":scheme", "http"],
  [":authority", "localhost"],
  [":path", path],
];

/** A body, and its end. */
export const data = (stream: number, text: string): Buffer => frame(0, 1, stream, Buffer.from(text));

/** Cancels a request: CANCEL (RFC 9113 §7). */
export const reset = (stream: number): Buffer => frame(3, 0, stream, Uint8Array.of(0, 0, 0, 8));
