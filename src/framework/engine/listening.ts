/**
 * Listening, for every engine on Node: the port, the sentence when it cannot be had, and the end with its grace.
 *
 * Spec: spec/engines.md
 */
import type { Server } from "node:net";
import type { EngineConfig } from "../http/exchange.ts";
import { sentence } from "../internal/listen-errors.ts";
import type { ConnectionTracker } from "./connection-tracker.ts";

/**
 * One of Node's own modules, taken when it is needed, so that importing the framework needs none.
 *
 * @throws Error naming the engine where there is no Node.
 */
export function nodeModule<M>(name: string, engine: string): M {
  const found = globalThis.process?.getBuiltinModule?.(name) as M | undefined;
  if (found === undefined) throw new Error(`${engine} needs Node.js 20.16 or newer; elsewhere use app.fetch`);
  return found;
}

/**
 * Connections that may wait to be accepted; the system may allow fewer. Node's own 511 loses a part of a burst: whoever
 * is lost tries again after a second, then two, then four.
 */
const backlog = 4_096;

/** Starts to listen; resolves with the port. @throws (rejects) with a sentence that says what to do. */
export function listen(server: Server, { port, host }: EngineConfig): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(sentence(error, port, host)));
    server.listen({ port, backlog, ...(host === undefined ? {} : { host }) }, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

/** Takes no new connection, waits until no exchange is open or `graceMs` are over, then closes what is left. */
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
