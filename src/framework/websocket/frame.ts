/**
 * The frame of one unfragmented, unmasked message (RFC 6455 §5.2).
 *
 *   FIN + opcode │ length, or 126 and the length in two bytes │ payload
 *
 * Spec: spec/websocket.md
 */

/** FIN and the opcodes of §5.2. */
const TEXT = 0x81;
const BINARY = 0x82;

/** A message of that many bytes, at most 65,535, in one buffer with the head of its frame, for a single write. */
export function frameOf(message: string | Uint8Array, bytes: number): Uint8Array {
  const head = bytes < 126 ? 2 : 4;
  const frame = Buffer.allocUnsafe(head + bytes);
  frame[1] = bytes;
  if (head === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(bytes, 2);
  }
  if (typeof message === "string") {
    frame[0] = TEXT;
    frame.write(message, head);
  } else {
    frame[0] = BINARY;
    frame.set(message, head);
  }
  return frame;
}
