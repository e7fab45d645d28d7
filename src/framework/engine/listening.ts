/**
 * Listening, for every engine on Node: the port, the error when it is unavailable, and the end with its grace.
 *
 * Spec: spec/engines.md
 */
import type { Server } from "node:net";
import type { EngineConfig } from "../http/exchange.ts";
import { sentence } from "../internal/listen-errors.ts";
import type { ConnectionTracker } from "./connection-tracker.ts";

/**
 * One of Node's own modules, loaded when needed, so that importing the framework needs none.
 *
 * @throws Error naming the engine when there is no Node.
 */
export function nodeModule<M>(name: string, engine: string): M {
  const found = globalThis.process?.getBuiltinModule?.(name) as M | undefined;
  if (found === undefined) throw new Error(`${engine} needs Node.js 20.16 or newer; elsewhere use app.fetch`);
  return found;
}

/**
 * Connections that may wait to be accepted. The system may allow fewer. Node's default of 511 loses part of a burst, and a lost
 * client retries after one second, then two, then four.
 */
const backlog = 4_096;

/** Starts to listen. Resolves with the port. @throws (rejects) with a sentence and a way out. */
export function listen(server: Server, { port, host }: EngineConfig): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(sentence(error, port, host)));
    server.listen({ port, backlog, ...(host === undefined ? {} : { host }) }, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

/** Accepts no new connection, waits until no exchange is open or `graceMs` are over, then closes the rest. */
export async function stopListening(server: Server, sockets: ConnectionTracker, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  sockets.drain();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs);
  });
  await Promise.race([sockets.drained, grace]);
  clearTimeout(timer);
  sockets.closeAll();
  await closed;
}
