/**
 * The load: autocannon over HTTP/1.1, extended by QUERY (its list of methods is older than RFC 10008). For HTTP/2, which
 * autocannon does not support, this file has its own: eight concurrent streams on each of an eighth as many sessions.
 */
import type { EventEmitter } from "node:events";
import { connect, type ClientHttp2Session } from "node:http2";
import { createRequire } from "node:module";
import { WebSocket } from "ws";
import type { Probe, Work } from "../work.ts";

/** Called with every response, with status 0 for a failed request. */
export type OnResponse = (status: number, ms: number) => void;

/** Stops a load. Settles when its connections are closed. */
export type Stop = () => PromiseLike<unknown>;

const require = createRequire(import.meta.url);
const methods = require("autocannon/lib/httpMethods") as string[];
if (!methods.includes("QUERY")) methods.push("QUERY");
const autocannon = require("autocannon") as (options: object) => EventEmitter & PromiseLike<unknown> & { stop(): void };

/** The load for a job. */
export const loadOf = ({ kind, engine }: Work): typeof startLoad =>
  kind === "socket" ? startSocketLoad : engine === "node-http2" ? startHttp2Load : startLoad;

/** Sends the probe over this many connections simultaneously until it is stopped. */
function startLoad(origin: string, probe: Probe, connections: number, on: OnResponse): Stop {
  const { path, method, headers, body } = probe;
  // `sampleInt`, in milliseconds, is the interval of its stop check; `duration`, in seconds, is never reached.
  const load = autocannon({ url: origin + path, method, headers, body, connections, duration: 60, sampleInt: 5 });
  load.on("response", (_client: unknown, status: number, _bytes: number, ms: number) => on(status, ms));
  load.on("reqError", () => on(0, 0));
  return () => {
    load.stop();
    return load;
  };
}

/** The same over HTTP/2, cleartext, for a probe without headers and body. */
function startHttp2Load(origin: string, { method, path }: Probe, connections: number, on: OnResponse): Stop {
  const ask = (session: ClientHttp2Session): void => {
    const from = performance.now();
    const stream = session.request({ ":method": method, ":path": path });
    stream.once("error", () => session.destroyed || on(0, 0));
    stream.once("response", ({ ":status": status = 0 }) => {
      stream.resume().once("end", () => {
        if (session.destroyed) return;
        on(status, performance.now() - from);
        ask(session);
      });
    });
  };
  const sessions = Array.from({ length: connections / 8 }, () => connect(origin).on("error", () => on(0, 0)));
  for (const session of sessions) for (let stream = 0; stream < 8; stream += 1) ask(session);
  return ending(sessions, (session) => session.destroy());
}

/** The probe's body as a message, over this many WebSockets simultaneously. Each sends the next one when its echo has come. */
function startSocketLoad(origin: string, { path, body, status }: Probe, connections: number, on: OnResponse): Stop {
  const sockets = Array.from({ length: connections }, () => new WebSocket(origin.replace("http", "ws") + path));
  let isStopped = false;
  for (const socket of sockets) {
    let from = 0;
    const ask = (): void => {
      from = performance.now();
      socket.send(body ?? "");
    };
    socket.on("open", ask).on("message", (data) => {
      on(String(data) === body ? status : 0, performance.now() - from);
      if (socket.readyState === socket.OPEN) ask();
    });
    // A WebSocket that is not open yet when it is stopped emits an error.
    socket.on("error", () => isStopped || on(0, 0));
  }
  return ending(sockets, (socket) => {
    isStopped = true;
    socket.terminate();
  });
}

/** Ends each of them, and waits until it is closed. */
const ending =
  <T extends EventEmitter>(all: readonly T[], end: (one: T) => void): Stop =>
  () => {
    const closed = Promise.all(all.map((one) => new Promise((resolve) => void one.once("close", resolve))));
    for (const one of all) end(one);
    return closed;
  };
