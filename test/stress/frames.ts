/**
 * Requests as bytes, for both protocols, including ones that no Node client would send.
 */
import type { Wire } from "./wires.ts";

/** A line of a head. */
export type Line = readonly [name: string, value: string];

/** One frame of HTTP/2 (RFC 9113 §4.1). */
export function frame(type: number, flags: number, stream: number, payload: Uint8Array = new Uint8Array()): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUIntBE((type << 8) + flags, 3, 2);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** The preface and empty settings, which a client sends first. */
export const greeting: Buffer = Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0)]);
/** Its response means that everything before it was read. */
export const ping: Buffer = frame(6, 0, 0, Buffer.alloc(8, 7));
/** Ends a connection after everything is served. */
export const goaway: Buffer = frame(7, 0, 0, Buffer.alloc(8));

/** Lines of a head, each as a literal (RFC 7541 §6.2.2). */
export function block(lines: readonly Line[]): Buffer {
  const text = (value: string): readonly Buffer[] => {
    const bytes = Buffer.from(value, "latin1");
    const rest = bytes.length - 127;
    // An integer with a prefix of 7 bits. Two more bytes are enough up to 16,510.
    const length = rest < 0 ? [bytes.length] : [127, (rest & 127) | 128, (rest >> 7) & 127];
    return [Buffer.from(length), bytes];
  };
  return Buffer.concat(lines.flatMap(([name, value]) => [Buffer.from([0]), ...text(name), ...text(value)]));
}

/** The pseudo-header fields of a head. */
export const pseudo = (method: string, path: string): readonly Line[] =>
  Object.entries({ ":method": method, ":scheme": "http", ":authority": "localhost", ":path": path });

/** `method target [body]`, the body as JSON. */
type Words = `${string} ${string}`;

/** Requests on one connection, all written together. The last one ends it unless it is to stay open. */
export function requestBytes({ isHttp2 }: Wire, requests: readonly Words[], isOpen = false): Buffer {
  const parts = requests.map((words, at) => {
    const [method = "", target = "", body = ""] = words.split(" ");
    const lines = body === "" ? [] : [["content-type", "application/json"] as const];
    if (isHttp2) {
      const head = frame(1, body === "" ? 5 : 4, 2 * at + 1, block([...pseudo(method, target), ...lines]));
      return body === "" ? head : Buffer.concat([head, frame(0, 1, 2 * at + 1, Buffer.from(body))]);
    }
    const framing = [...lines, ...(body === "" ? [] : [["content-length", String(body.length)] as const])];
    const last = isOpen || at < requests.length - 1 ? [] : [["connection", "close"] as const];
    const head = [["host", "localhost"] as const, ...framing, ...last].map((line) => line.join(": "));
    return Buffer.from(`${method} ${target} HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n${body}`);
  });
  return Buffer.concat(isHttp2 ? [greeting, ...parts, ...(isOpen ? [] : [goaway])] : parts);
}

/** The complete frames in the bytes. */
export function framesOf(bytes: Buffer): readonly { readonly type: number; stream: number; payload: Buffer }[] {
  const frames = [];
  for (let at = 0, end = 0; at + 9 <= bytes.length; at = end) {
    end = at + 9 + bytes.readUIntBE(at, 3);
    const payload = bytes.subarray(at + 9, end);
    if (end <= bytes.length)
      frames.push({ type: bytes.readUInt8(at + 3), stream: bytes.readUInt32BE(at + 5), payload });
  }
  return frames;
}

/** The statuses in the order of their requests; "?" if reading one needs the dynamic table. */
export function statusesOf({ isHttp2 }: Wire, bytes: Buffer): readonly string[] {
  if (!isHttp2) return [...bytes.toString("latin1").matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status = ""]) => status);
  const heads = framesOf(bytes).filter(({ type }) => type === 1);
  return heads
    .toSorted((a, b) => a.stream - b.stream)
    .map(({ payload }) => {
      const known = ["200", "204", "206", "304", "400", "404", "500"][(payload[0] ?? 0) - 0x88];
      return known ?? (payload[1] === 3 ? payload.toString("latin1", 2, 5) : "?");
    });
}

/** Is the response complete, as far as one can tell without waiting: a whole response, or the one to the PING? */
export function isResponded({ isHttp2 }: Wire, bytes: Buffer): boolean {
  if (isHttp2) return bytes.includes(frame(6, 1, 0, Buffer.alloc(8, 7)));
  const text = bytes.toString("latin1", 0, 4_096);
  const head = text.indexOf("\r\n\r\n");
  const length = /^content-length: (\d+)/im.exec(text)?.[1];
  const isChunked = bytes.toString("latin1", bytes.length - 5) === "0\r\n\r\n";
  return head >= 0 && (isChunked || (length !== undefined && bytes.length >= head + 4 + Number(length)));
}
