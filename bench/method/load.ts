/**
 * The load: autocannon over HTTP/1.1, extended by QUERY (its list of methods is older than RFC 10008). For HTTP/2, which
 * autocannon does not support, this file has its own: eight concurrent streams on each of an eighth as many sessions. It also has
 * its own for a rate, because autocannon sends the requests of a second at its beginning.
 */
import type { EventEmitter } from "node:events";
import { Agent, get } from "node:http";
import { connect, type ClientHttp2Session } from "node:http2";
import { createRequire } from "node:module";
import { WebSocket } from "ws";
import type { Probe, Work } from "../work.ts";

/** The parameters of a load. */
export interface LoadShape {
  readonly connections: number;
  /** The number of requests after which a connection is closed and replaced. By default it stays open. */
  readonly perConnection?: number | undefined;
  /** Requests a second, over all connections. By default as many as the server responds to. Servers are warmed without it. */
  readonly rate?: number | undefined;
}

/** Called with every response, with status 0 for a failed request. */
export type OnResponse = (status: number, ms: number) => void;

/** Stops a load. Settles when its connections are closed. */
export type Stop = () => PromiseLike<unknown>;

const require = createRequire(import.meta.url);
const methods = require("autocannon/lib/httpMethods") as string[];
if (!methods.includes("QUERY")) methods.push("QUERY");
const autocannon = require("autocannon") as (options: object) => EventEmitter & PromiseLike<unknown> & { stop(): void };

/** The load for a job. */
export function loadOf({ kind, engine }: Work, { rate }: LoadShape): typeof startLoad {
  if (kind === "socket") return startSocketLoad;
  if (engine === "node-http2") return startHttp2Load;
  return rate === undefined ? startLoad : startPacedLoad;
}

/** Sends the probe over this many connections simultaneously until it is stopped. */
function startLoad(origin: string, probe: Probe, { connections, perConnection }: LoadShape, on: OnResponse): Stop {
  const { path, method, headers, body } = probe;
  // `sampleInt`, in milliseconds, is the interval of its stop check; `duration`, in seconds, is never reached.
  const options = { url: origin + path, method, headers, body, connections, duration: 60, sampleInt: 5 };
  const setupClient = perConnection === undefined ? undefined : closing(perConnection, on);
  const load = autocannon({ ...options, reconnectRate: perConnection, setupClient });
  if (setupClient === undefined)
    load.on("response", (_client: unknown, status: number, _bytes: number, ms: number) => on(status, ms));
  load.on("reqError", () => on(0, 0));
  return () => {
    load.stop();
    return load;
  };
}

/** A client of autocannon, as it is set up. `reqsMade`: it reconnects when this is a multiple of `reconnectRate`. */
type Client = EventEmitter & { reqsMade: number };

/**
 * Sets clients up to reconnect at different times. Their heads are counted, without times, since autocannon does not emit the
 * last response of a connection.
 */
function closing(perConnection: number, on: OnResponse): (client: Client) => void {
  let clients = 0;
  return (client) => {
    client.reqsMade = clients++ % perConnection;
    client.on("headers", ({ statusCode }: { readonly statusCode: number }) => on(statusCode, 0));
  };
}

/** Sends that many requests a second until it is stopped, whatever comes back. */
export function startPaced(perSecond: number, send: () => void): () => void {
  const startedAt = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    for (const due = ((performance.now() - startedAt) * perSecond) / 1_000; sent < due; sent += 1) send();
  }, 1);
  return () => clearInterval(timer);
}

/** One request without a body. The status is 0 if there is no response within ten seconds. */
export function ask(agent: Agent, url: string, on: OnResponse): void {
  const from = performance.now();
  const end = (status: number): void => on(status, performance.now() - from);
  const request = get(url, { agent, timeout: 10_000 }, (response) => {
    response.resume().once("end", () => end(response.statusCode ?? 0));
  });
  request.once("timeout", () => request.destroy()).once("error", () => end(0));
}

/** The same at a rate, for a probe without headers and body. */
function startPacedLoad(origin: string, { path }: Probe, { connections, rate = 1 }: LoadShape, on: OnResponse): Stop {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let [waiting, over] = [0, (): void => undefined];
  const stop = startPaced(rate, () => {
    waiting += 1;
    ask(agent, origin + path, (status, ms) => {
      on(status, ms);
      waiting -= 1;
      if (waiting === 0) over();
    });
  });
  return async () => {
    stop();
    if (waiting > 0) await new Promise<void>((resolve) => (over = resolve));
    agent.destroy();
  };
}

/** The same over HTTP/2, cleartext, for a probe without headers and body. */
function startHttp2Load(origin: string, { method, path }: Probe, { connections }: LoadShape, on: OnResponse): Stop {
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
function startSocketLoad(
  origin: string,
  { path, body, status }: Probe,
  { connections }: LoadShape,
  on: OnResponse,
): Stop {
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
