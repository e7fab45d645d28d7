/**
 * One raw connection: its pieces are written one after the other, and what comes back is returned.
 */
import type { Socket } from "node:net";
import { isResponded } from "../frames.ts";
import { dial, type Wire } from "../wires.ts";
import type { Input } from "./inputs.ts";

/** How long a connection is listened to. */
export interface Patience {
  /** Quiet for so long, it has nothing more to say. */
  readonly quietMs: number;
  /** Until it closes, or is quiet for so long, whatever has come? */
  readonly isPatient?: boolean;
  /** Settles when the server has had its turn: no silence is its answer before, on a machine that halts it for a while. */
  readonly turn?: () => Promise<unknown>;
  readonly from?: string;
}

/** Bytes that are kept of an response: as much as tells which ones came. */
const kept = 65_536;

/** Sends the bytes, each piece in a turn of its own; a whole response ends it, as far as one can tell. */
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

/** Writes each piece once the one before has left; stops when the connection has closed. */
export async function written(socket: Socket, pieces: Input): Promise<void> {
  for (const piece of pieces) {
    if (piece.length === 0) continue;
    if (socket.destroyed) return;
    await new Promise<void>((resolve) => void socket.write(piece, () => resolve()));
    await new Promise((resolve) => setImmediate(resolve));
  }
}
