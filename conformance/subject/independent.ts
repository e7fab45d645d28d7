/**
 * The independent subject: the same contract as subject.ts, on plain node:http, without any code of the framework.
 *
 *   target ──▶ limits ──▶ controls ──▶ request id ──▶ CORS ──▶ health ──▶ route ──▶ reply
 *
 * It is simple, with fixed responses, and written only from the chapters in spec/. If the suite fails it, either the suite
 * tests an accident of ours, or a chapter says less than it should. It has neither devtools nor tracing, and says so in
 * `about`.
 *
 *   node .build/conformance/subject/independent.js      PORT=9200 PROFILE=default
 *
 * Spec: spec/subject.md
 */
import { realpathSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { randomUUID } from "node:crypto";
import { type AddressInfo, isIPv6, type Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { corsReply, corsHeaders } from "./independent/cors.ts";
import { controlReply, type State } from "./independent/controls.ts";
import { problem, type Received, Rejection, type Reply } from "./independent/exchange.ts";
import { healthReply, isHealth } from "./independent/health.ts";
import { Observed } from "./independent/observed.ts";
import { checkQuery, fit, readable, type Route, routeAt, routes, segmentsOf } from "./independent/routes.ts";

/** A running independent subject. */
export interface Independent {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves it on 127.0.0.1. Port 0 picks a free one. @throws Error for an unknown profile */
export async function startIndependent({
  profile = "default",
  port = 0,
}: { readonly profile?: string; readonly port?: number } = {}): Promise<Independent> {
  if (!["default", "cors-query", "production", "no-request-id"].includes(profile))
    throw new Error(`no profile called ${profile}`);
  const checks = new Map(["db", "disk"].map((name) => [name, "up"]));
  const state: State = { profile, checks, observed: new Observed() };
  const options = {
    maxHeaderSize: 16_384,
    headersTimeout: 3_000,
    requestTimeout: 6_000,
    connectionsCheckingInterval: 250,
    requireHostHeader: false,
  };
  const server = createServer(options, (request, response) => {
    respond(state, request, response).catch(() => response.destroy());
  });
  server.maxHeadersCount = 101;
  server.on("checkExpectation", (request, response) => {
    respond(state, request, response).catch(() => response.destroy());
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => rejectUnparsed(state, error, socket));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const rejections: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** Rejects requests that the parser could not read, on the plain socket. */
function rejectUnparsed({ observed }: State, { code = "" }: NodeJS.ErrnoException, socket: Socket): void {
  if (code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const { status, body } = problem(new Rejection(rejections[code] ?? 400, ""));
  const head = `HTTP/1.1 ${status} Rejected\r\nContent-Type: application/problem+json\r\nConnection: close\r\n`;
  socket.end(`${head}Content-Length: ${body.length}\r\n\r\n${String(body)}`);
  observed.rejected(status, body.length, socket);
}

async function respond(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const target = request.url ?? "/";
  const [path = "/", search = ""] = split(target);
  const rejection = rejectionOf(target, request);
  if (rejection !== undefined) {
    const { headers, ...reply } = problem(new Rejection(rejection, ""));
    state.observed.rejected(rejection, reply.body.length, request.socket);
    return send(response, { ...reply, headers: { ...headers, Connection: "close" } }, {});
  }
  if (path.startsWith("/__subject/"))
    return send(response, await replied(() => controlReply(state, request, path)), {});
  const matched = matchOf(path);
  let bytes = 0;
  const id = requestId(state, request);
  state.observed.watch(request, response, () => ({
    path,
    route: routeOf(matched, request, path),
    bytes,
    ...(id === undefined ? {} : { requestId: id }),
  }));
  const query = matched?.accept === undefined ? {} : { "Accept-Query": matched.accept.join(", ") };
  const common = { ...(id === undefined ? {} : { "X-Request-Id": id }), ...corsHeaders(request), ...query };
  const reply =
    corsReply(request, state.profile === "cors-query" ? "GET, QUERY" : undefined) ??
    (await healthReply(state.checks, request.method ?? "", path)) ??
    (await replied(() => routed(state, request, path, new URLSearchParams(search))));
  bytes = request.method === "HEAD" ? 0 : Buffer.byteLength(reply.body);
  send(response, reply, common);
  if (reply.more === undefined) return;
  if (request.method === "HEAD") return void response.end();
  const pieces = counted(reply.more, (size) => (bytes += size));
  await pipeline(Readable.from(pieces), response);
}

/** The status of a request that is rejected for its form, before any other code sees it. */
function rejectionOf(
  target: string,
  { httpVersion, rawHeaders, headers, headersDistinct }: IncomingMessage,
): number | undefined {
  if (target.length > 8_192) return 414;
  if (rawHeaders.length > 200) return 431;
  const hosts = headersDistinct["host"] ?? [];
  if (hosts.length !== 1 ? httpVersion !== "1.0" || hosts.length > 1 : !isHost(hosts[0] ?? "")) return 400;
  return /^(100-continue)?$/i.test(headers.expect ?? "") ? undefined : 417;
}

/** RFC 3986 §3.2.2, without a comma; or empty. */
function isHost(value: string): boolean {
  if (value === "") return true;
  const found = /^(?:\[([^\]]*)\]|(?:[\w.~!$&'()*+;=-]|%[\dA-Fa-f]{2})+)(?::(\d*))?$/.exec(value);
  if (found === null) return false;
  const [, address, port = "0"] = found;
  return (address === undefined || isIPv6(address)) && Number(port) <= 65_535;
}

/** The route of a path, or undefined if there is none, and for a path that is rejected. */
function matchOf(path: string): Route | undefined {
  try {
    return routeAt(segmentsOf(path));
  } catch {
    return undefined;
  }
}

/** The route's name in log and metrics: null for a path or a method without a match. */
function routeOf(matched: Route | undefined, { method = "" }: IncomingMessage, path: string): string | null {
  const asGet = method === "HEAD" ? "GET" : method;
  if (asGet === "GET" && isHealth(path)) return path;
  return matched !== undefined && (asGet === "OPTIONS" || asGet in matched.handlers) ? matched.pattern : null;
}

async function replied(run: () => Reply | Promise<Reply>): Promise<Reply> {
  try {
    return await run();
  } catch (error) {
    return problem(error);
  }
}

/** 404 without a path, 204 for OPTIONS and 405 without the method, else the handler's reply. */
async function routed(
  { observed }: State,
  request: IncomingMessage,
  path: string,
  query: URLSearchParams,
): Promise<Reply> {
  const method = request.method ?? "";
  if (method === "OPTIONS" && path === "*") {
    const handlers = Object.assign({}, ...routes.map((one) => one.handlers)) as Route["handlers"];
    return { status: 204, headers: { Allow: allowed({ pattern: path, handlers }) }, body: "" };
  }
  if (/^\/files\/private(?:\/|$)/.test(readable(path))) throw new Rejection(403, "nothing here is public");
  const segments = segmentsOf(path);
  const route = routeAt(segments);
  if (route === undefined) throw new Rejection(404, "nothing is here");
  const handler = route.handlers[method === "HEAD" ? "GET" : method];
  const allow = allowed(route);
  if (method === "OPTIONS") return { status: 204, headers: { Allow: allow }, body: "" };
  if (handler === undefined) throw new Rejection(405, `allowed here: ${allow}`, { Allow: allow });
  const params = fit(route.pattern, segments) ?? {};
  const contentType = request.headers["content-type"];
  const received: Received = { method, params, query, contentType, request, metrics: () => observed.metrics() };
  if (method === "QUERY") checkQuery(route, received);
  return await handler(received);
}

function allowed({ handlers }: Route): string {
  const methods = Object.keys(handlers);
  return [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
}

function requestId({ profile }: State, request: IncomingMessage): string | undefined {
  if (profile === "no-request-id") return undefined;
  const given = request.headersDistinct["x-request-id"] ?? [];
  const [id = ""] = given;
  return given.length === 1 && /^[A-Za-z0-9._-]{1,128}$/.test(id) ? id : randomUUID();
}

function split(target: string): readonly string[] {
  const at = target.indexOf("?");
  return at < 0 ? [target] : [target.slice(0, at), target.slice(at + 1)];
}

function* counted(pieces: Iterable<string>, count: (bytes: number) => void): Generator<string> {
  for (const piece of pieces) {
    count(Buffer.byteLength(piece));
    yield piece;
  }
}

/** Sends the reply without `more`. */
function send(response: ServerResponse, reply: Reply, common: Readonly<Record<string, string>>): void {
  const { status, headers, body, more, cut } = reply;
  const whole = status !== 204 && cut !== true && more === undefined;
  const length = whole ? { "Content-Length": String(Buffer.byteLength(body)) } : {};
  for (const [name, value] of Object.entries({ ...common, ...headers, ...length }))
    response.setHeader(name, typeof value === "string" ? value : [...value]);
  response.writeHead(status);
  if (cut === true) response.write(body, () => response.destroy());
  else if (more === undefined) end(response, body);
  if (!response.req.complete) response.req.resume();
}

/** How long a client may still write after it has its response. */
const lingerMs = 1_000;

/**
 * A client that still writes would lose the response with its connection (RFC 9112 §9.6), so it is closed after the body has
 * arrived.
 */
function end(response: ServerResponse, body: string | Uint8Array): void {
  const { req } = response;
  if (req.complete || body.length === 0) return void response.end(body);
  response.write(body);
  const close = (): unknown => response.end();
  const timer = setTimeout(close, lingerMs).unref();
  for (const event of ["end", "close"]) req.once(event, close).once(event, () => clearTimeout(timer));
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename) {
  const { url } = await startIndependent({
    profile: process.env["PROFILE"] || "default",
    port: Number(process.env["PORT"] || "9200"),
  });
  process.stdout.write(`listening on ${url}\n`);
}
