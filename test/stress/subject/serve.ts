/**
 * Serves the app under test with any engine; node:http simulates the hosts of `app.listener()` and `app.fetch`.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Framework, NodeHttp2Engine, NodeHttpEngine, type FrameworkOptions } from "framework";
import { BunEngine } from "framework/bun";
import { DenoEngine } from "framework/deno";
import type { ServerEngine } from "framework/engine";
import type { EngineName } from "../wires.ts";
import { certificate } from "../../certificate.ts";
import { bodyOf, writeResponse } from "../../fetch-bridge.ts";

/** An app that listens. */
export interface Serving {
  readonly port: number;
  stop(): Promise<void>;
}

const servers: Readonly<Partial<Record<EngineName, () => ServerEngine>>> = {
  http1: () => new NodeHttpEngine(),
  h2c: () => new NodeHttp2Engine(),
  tls: () => new NodeHttp2Engine(certificate),
  bun: () => new BunEngine(),
  deno: () => new DenoEngine(),
};

/** An app that is reachable only from this machine, and how it is served: a host gets the same timeouts and the same grace. */
export function appFor(
  engine: EngineName,
  options: FrameworkOptions,
): { readonly app: Framework; serve(): Promise<Serving> } {
  const app = Framework.create({ host: "127.0.0.1", engine: servers[engine]?.(), ...options });
  if (engine === "listener") return { app, serve: () => hosted(app, app.listener(), options) };
  if (engine === "fetch") return { app, serve: () => hosted(app, bridge(app), options) };
  const serve = async (): Promise<Serving> => {
    await app.start(0);
    return { port: app.port, stop: () => app.stop() };
  };
  return { app, serve };
}

async function hosted(
  app: Framework,
  listener: RequestListener,
  { timeouts = {}, shutdownGraceMs = 10_000 }: FrameworkOptions,
): Promise<Serving> {
  const { headersMs = 15_000, requestMs = 60_000, idleMs = 120_000, checkMs = 5_000 } = timeouts;
  const limits = { headersTimeout: Math.min(headersMs, requestMs), requestTimeout: requestMs };
  const server = createServer({ ...limits, keepAliveTimeout: idleMs, connectionsCheckingInterval: checkMs }, listener);
  server.setTimeout(idleMs);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const stop = async (): Promise<void> => {
    const late = setTimeout(() => server.closeAllConnections(), shutdownGraceMs);
    const closed = once(server.close(), "close");
    server.closeIdleConnections();
    await Promise.all([app.stop(), closed]);
    clearTimeout(late);
  };
  return { port: (server.address() as AddressInfo).port, stop };
}

/** Does the work of a platform with fetch. Requests that fetch cannot express, TRACE or a port of 99999, never reach the app. */
function bridge(app: Framework): RequestListener {
  const handle = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const left = new AbortController();
    res.once("close", () => left.abort(new Error("the client left")));
    const response = await app.fetch(requestOf(req, left.signal), { peerAddress: req.socket.remoteAddress });
    await writeResponse(response, req, res);
  };
  return (req, res) => {
    handle(req, res).catch((error: unknown) => {
      if (error instanceof TypeError && !res.headersSent) res.writeHead(400).end();
      else res.destroy();
    });
  };
}

function requestOf(req: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", url: target = "/", rawHeaders } = req;
  const headers = new Headers();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) headers.append(rawHeaders[i] ?? "", rawHeaders[i + 1] ?? "");
  const isBodyless = method === "GET" || method === "HEAD";
  const body = isBodyless ? {} : { body: bodyOf(req), duplex: "half" };
  const url = target.startsWith("/") ? `http://${req.headers.host ?? "localhost"}${target}` : target;
  return new Request(url, { method, headers, signal, ...body });
}
