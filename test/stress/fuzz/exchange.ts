/**
 * One raw connection: writes its pieces one after the other, and returns the received bytes.
 */
import type { Socket } from "node:net";
import { isResponded } from "../frames.ts";
import { dial, type Wire } from "../wires.ts";
import type { Input } from "./inputs.ts";

/** How long to listen to a connection. */
export interface Patience {
  /** After this time without data, the exchange is over. */
  readonly quietMs: number;
  /** Wait until it closes or is quiet for that time, even after a complete response? */
  readonly isPatient?: boolean;
  /** Settles when the server has had its turn. On a machine that suspends it for a while, earlier silence is not a response. */
  readonly turn?: () => Promise<unknown>;
  readonly from?: string;
}

/** The number of bytes kept of a response, enough to identify it. */
const kept = 65_536;

/** Sends the bytes, each piece in a separate turn. A complete response ends it, if it is recognizable. */
export function exchanged(
  wire: Wire,
  port: number,
  pieces: Input,
  { quietMs, isPatient, turn, from }: Patience,
): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = dial(wire, port, from);
    const chunks: Buffer[] = [];
    const leave = (): void => void socket.destroy();
    let timer = setTimeout(leave, 20_000);
    const wait = (): void => {
      clearTimeout(timer);
      const isOver = isPatient !== true && chunks.length > 0 && isResponded(wire, Buffer.concat(chunks));
      timer = isOver ? setTimeout(leave, wire.isHttp2 ? 5 : 0) : setTimeout(quiet, quietMs);
    };
    const quiet = (): void => {
      const before = socket.bytesRead;
      void Promise.resolve(turn?.()).then(() => (socket.bytesRead === before ? leave() : undefined), leave);
    };
    socket.on("data", (chunk) => {
      if (chunks.reduce((sum, { length }) => sum + length, 0) < kept) chunks.push(chunk);
      wait();
    });
    socket.once("end", () => socket.destroy());
    socket.once("close", () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks));
    });
    void written(socket, pieces).then(wait);
  });
}

/** Writes each piece after the previous one has left. Stops when the connection has closed. */
export async function written(socket: Socket, pieces: Input): Promise<void> {
  for (const piece of pieces) {
    if (piece.length === 0) continue;
    if (socket.destroyed) return;
    await new Promise<void>((resolve) => void socket.write(piece, () => resolve()));
    await new Promise((resolve) => setImmediate(resolve));
  }
}
