/** A raw WebSocket client, and raw frames that no client sends. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { WebSocket, type ClientOptions } from "ws";
import { until } from "./harness.testkit.ts";

/** A valid key for every opening handshake: RFC 6455 §1.3. */
const KEY = "dGhlIHNhbXBsZSBub25jZQ==";

/** A client and its received data. */
export interface Client {
  readonly socket: WebSocket;
  readonly messages: (string | Buffer)[];
  /** The code it was closed with. */
  readonly closed: Promise<number>;
  /** The reason it was closed with, once that has happened. */
  readonly reasons: string[];
  /** Waits for that number of messages, and returns all received ones. */
  got(count: number): Promise<readonly (string | Buffer)[]>;
}

/** Opens a WebSocket. @throws (rejects) Error when the handshake is rejected. */
export async function opened(url: string, protocols: string[] = [], options: ClientOptions = {}): Promise<Client> {
  const socket = new WebSocket(url, protocols, options);
  const messages: (string | Buffer)[] = [];
  socket.on("message", (data, isBinary) => void messages.push(isBinary ? (data as Buffer) : String(data)));
  const reasons: string[] = [];
  const closed = new Promise<number>((resolve) => {
    socket.once("close", (code, reason) => {
      reasons.push(String(reason));
      resolve(code);
    });
  });
  await once(socket, "open");
  const got = async (count: number): Promise<readonly (string | Buffer)[]> => {
    await until(() => messages.length >= count);
    return messages;
  };
  return { socket, messages, closed, reasons, got };
}

/** The head of an opening handshake. An undefined field is left out. */
export function handshake(target: string, changed: Readonly<Record<string, string | undefined>> = {}): string {
  const fields = {
    Host: "localhost",
    Upgrade: "websocket",
    Connection: "Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": KEY,
    ...changed,
  };
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}\r\n`],
  );
  return `GET ${target} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

/** A frame as a client sends it. `mask: false` leaves out the required mask. */
export function frame(
  opcode: number,
  payload: string | Uint8Array = "",
  { fin = true, mask = true, rsv = 0 }: { fin?: boolean; mask?: boolean; rsv?: number } = {},
): Buffer {
  const bytes = Buffer.from(payload as string);
  const bit = mask ? 0x80 : 0;
  const length =
    bytes.length < 126
      ? Buffer.from([bit | bytes.length])
      : bytes.length < 65_536
        ? Buffer.from([bit | 126, bytes.length >> 8, bytes.length & 255])
        : Buffer.concat([Buffer.from([bit | 127]), eight(bytes.length)]);
  const head = Buffer.concat([Buffer.from([(fin ? 0x80 : 0) | (rsv << 4) | opcode]), length]);
  if (!mask) return Buffer.concat([head, bytes]);
  const key = Buffer.from([1, 2, 3, 4]);
  return Buffer.concat([head, key, bytes.map((byte, at) => byte ^ (key[at % 4] ?? 0))]);
}

function eight(length: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(length));
  return bytes;
}

/** The code in a close frame's payload. */
export const closing = (code: number): Buffer => Buffer.from([code >> 8, code & 255]);

/** One frame of the server. It is short, because these tests send short ones. */
export interface ServerFrame {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** A raw connection after its handshake. */
export interface RawSocket {
  readonly socket: Socket;
  /** The head of the response. */
  readonly head: string;
  frames(): readonly ServerFrame[];
  readonly ended: Promise<void>;
}

/** Sends a handshake, and `behind` in the same packet. */
export async function rawSocket(port: number, head: string, behind: Uint8Array = Buffer.alloc(0)): Promise<RawSocket> {
  const socket = connect(port, "127.0.0.1");
  let bytes = Buffer.alloc(0);
  socket.on("data", (chunk) => void (bytes = Buffer.concat([bytes, chunk])));
  socket.on("error", () => undefined);
  const ended = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  socket.write(Buffer.concat([Buffer.from(head), behind]));
  await until(() => bytes.includes("\r\n\r\n"));
  const end = bytes.indexOf("\r\n\r\n") + 4;
  return {
    socket,
    head: bytes.subarray(0, end).toString("latin1"),
    ended,
    frames: () => framesOf(bytes.subarray(end)),
  };
}

/** The server's bytes after its head. */
export function framesOf(bytes: Buffer): ServerFrame[] {
  const found: ServerFrame[] = [];
  for (let at = 0; at + 2 <= bytes.length;) {
    const short = (bytes[at + 1] ?? 0) & 127;
    const from = at + (short === 127 ? 10 : short === 126 ? 4 : 2);
    const length =
      short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short === 126 ? bytes.readUInt16BE(at + 2) : short;
    found.push({ opcode: (bytes[at] ?? 0) & 15, payload: bytes.subarray(from, from + length) });
    at = from + length;
  }
  return found;
}
