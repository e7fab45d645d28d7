/**
 * The hand-written baseline: request id, CORS, JSON log line, metrics and optionally tracing in one bare handler. It does the
 * same
 * work as the framework's stack, and keeps the same promises, with nothing between the parts.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { context, isSpanContextValid, ROOT_CONTEXT, SpanKind, trace, type Span, type Tracer } from "@opentelemetry/api";
import type { Work } from "../work.ts";
import { listen, sendMissing } from "./bare.ts";

/** Starts the job and resolves to its port. */
export async function serve({ use }: Work): Promise<number> {
  if (!use.includes("tracing")) return listen((req, res) => respond(req, res, undefined));
  const tracer = (await import("./otel.ts")).sdkTracer();
  return listen((req, res) => {
    const span = begun(tracer, req);
    if (span === undefined) return respond(req, res, undefined);
    return context.with(trace.setSpan(ROOT_CONTEXT, span), () => respond(req, res, span));
  });
}

function respond(req: IncomingMessage, res: ServerResponse, span: Span | undefined): void {
  const startedAt = performance.now();
  const url = req.url ?? "/";
  if (req.method !== "GET" || url !== "/hello") return sendMissing(res, url);
  active += 1;
  const id = requestId(req);
  const text = JSON.stringify({ hello: "world" });
  const bytes = Buffer.byteLength(text);
  const head = ["Content-Type", "application/json", "X-Request-Id", id, "Access-Control-Allow-Origin", "*"];
  head.push("Content-Length", String(bytes));
  res.writeHead(200, head);
  res.end(text);
  delivered(res, (aborted) => {
    const ms = performance.now() - startedAt;
    log(line(req, url, 200, ms, bytes, id, aborted, span));
    observe("/hello", "GET", 200, ms / 1000, aborted);
    if (span !== undefined) end(span, 200);
  });
}

/**
 * Reports once whether the client got all of it: immediately if the system accepted it, else when it does or the client leaves.
 */
function delivered(res: ServerResponse, over: (aborted: boolean) => void): void {
  if (res.writableLength === 0) return over(false);
  let isOver = false;
  const say = (aborted: boolean): void => {
    if (!isOver) over(aborted);
    isOver = true;
  };
  res.once("finish", () => say(false)).once("close", () => say(true));
}

const validId = /^[A-Za-z0-9._-]{1,128}$/;

function requestId(req: IncomingMessage): string {
  const given = req.headers["x-request-id"];
  return typeof given === "string" && validId.test(given) ? given : crypto.randomUUID();
}

/** The request's span, or undefined if the tracer throws, since its error must not reach the request. */
function begun(tracer: Tracer, req: IncomingMessage): Span | undefined {
  const { host = "", "user-agent": agent } = req.headers;
  const colon = host.indexOf(":");
  const attributes = {
    "http.request.method": "GET",
    "url.path": req.url ?? "/",
    "url.scheme": "http",
    "network.protocol.version": req.httpVersion,
    "http.route": "/hello",
    "client.address": req.socket.remoteAddress,
    "server.address": colon < 0 ? host : host.slice(0, colon),
    "server.port": colon < 0 ? 80 : Number(host.slice(colon + 1)),
    ...(agent === undefined ? {} : { "user_agent.original": agent }),
  };
  try {
    return tracer.startSpan("GET /hello", { kind: SpanKind.SERVER, attributes }, remote(req.headers["traceparent"]));
  } catch {
    return undefined;
  }
}

function end(span: Span, status: number): void {
  try {
    span.setAttribute("http.response.status_code", status);
    span.end();
  } catch {
    // An error of the tracer does not affect the request.
  }
}

function remote(traceparent: string | string[] | undefined): typeof ROOT_CONTEXT {
  if (typeof traceparent !== "string" || traceparent.length !== 55) return ROOT_CONTEXT;
  const [traceId, spanId] = [traceparent.slice(3, 35), traceparent.slice(36, 52)];
  const traceFlags = Number.parseInt(traceparent.slice(53), 16);
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

const unsafe = /[^ !#-[\]-~]/;
const quoted = (text: string): string => (unsafe.test(text) ? JSON.stringify(text) : `"${text}"`);

function line(
  ...[req, path, status, ms, bytes, id, aborted, span]: readonly [
    ...[req: IncomingMessage, path: string, status: number, ms: number, bytes: number, id: string],
    ...[aborted: boolean, span: Span | undefined],
  ]
): string {
  let text =
    `{"time":"${now()}","method":"${req.method}","path":${quoted(path)},"route":"/hello","status":${status},` +
    `"durationUs":${Math.round(ms * 1000)},"bytes":${bytes},"remoteAddress":${quoted(req.socket.remoteAddress ?? "")}` +
    `,"requestId":"${id}"`;
  const ids = span?.spanContext();
  if (ids !== undefined && isSpanContextValid(ids)) text += `,"traceId":"${ids.traceId}","spanId":"${ids.spanId}"`;
  const agent = req.headers["user-agent"];
  if (agent !== undefined) text += `,"userAgent":${quoted(agent)}`;
  return aborted ? `${text},"aborted":true}` : `${text}}`;
}

let lastMs = 0;
let lastIso = "";
function now(): string {
  const ms = Date.now();
  if (ms !== lastMs) [lastMs, lastIso] = [ms, new Date(ms).toISOString()];
  return lastIso;
}

let buffer = "";
let timer: NodeJS.Timeout | undefined;
function log(text: string): void {
  buffer += `${text}\n`;
  if (buffer.length >= 16_384) flush();
  else timer ??= setTimeout(flush, 100).unref();
}
function flush(): void {
  clearTimeout(timer);
  timer = undefined;
  process.stdout.write(buffer);
  buffer = "";
}

const bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const fresh = () => ({
  count: 0,
  sum: 0,
  min: Infinity,
  max: 0,
  aborted: 0,
  buckets: new Float64Array(bounds.length + 1),
});
/** Route, method, status. */
const metrics = new Map<string, Map<string, Map<number, ReturnType<typeof fresh>>>>();
/** Requests that have begun but not ended. */
let active = 0;

function observe(route: string, method: string, status: number, seconds: number, aborted: boolean): void {
  active -= 1;
  const series = metrics.get(route)?.get(method)?.get(status) ?? fresh();
  if (series.count === 0) metrics.set(route, new Map([[method, new Map([[status, series]])]]));
  let at = 0;
  while (at < bounds.length && seconds > (bounds[at] ?? Infinity)) at += 1;
  series.buckets[at] = (series.buckets[at] ?? 0) + 1;
  series.count += 1;
  series.sum += seconds;
  if (seconds < series.min) series.min = seconds;
  if (seconds > series.max) series.max = seconds;
  if (aborted) series.aborted += 1;
}
