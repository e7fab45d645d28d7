/**
 * The hand-written row: request id, CORS, JSON log line, metrics and tracing by hand in one bare handler. The same
 * work as the framework's stack, and the same promises, with nothing between the parts: what no framework can be
 * expected to undercut.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  trace,
  type Attributes,
  type Span,
  type Tracer,
} from "@opentelemetry/api";
import type { Feature, Work } from "../work.ts";
import { listen, sendMissing } from "./bare.ts";

/** Starts the job and resolves to its port. */
export async function serve({ use }: Work): Promise<number> {
  const uses = (feature: Feature): boolean => use.includes(feature);
  const [withId, withCors, withLog, withMetrics] = [uses("id"), uses("cors"), uses("log"), uses("metrics")];
  const timed = withLog || withMetrics;
  const tracer = uses("tracing") ? (await import("./otel.ts")).sdkTracer() : undefined;
  const answer = (req: IncomingMessage, res: ServerResponse, span: Span | undefined): void => {
    const startedAt = timed ? performance.now() : 0;
    const url = req.url ?? "/";
    if (req.method !== "GET" || url !== "/hello") return sendMissing(res, url);
    if (withMetrics) active += 1;
    const head = withId || withCors ? ["Content-Type", "application/json"] : plain.slice();
    const id = withId ? requestId(req) : "";
    if (withId) head.push("X-Request-Id", id);
    if (withCors) head.push("Access-Control-Allow-Origin", "*");
    const text = JSON.stringify({ hello: "world" });
    const bytes = Buffer.byteLength(text);
    head.push("Content-Length", String(bytes));
    res.writeHead(200, head);
    res.end(text);
    if (timed || span !== undefined)
      delivered(res, (aborted) => {
        const ms = timed ? performance.now() - startedAt : 0;
        if (withLog) log(line(req, url, 200, ms, bytes, id, aborted, span));
        if (withMetrics) observe("/hello", "GET", 200, ms / 1000, aborted);
        if (span !== undefined) end(span, 200);
      });
  };
  if (tracer === undefined) return listen((req, res) => answer(req, res, undefined));
  return listen((req, res) => {
    const span = begun(tracer, req);
    if (span === undefined) return answer(req, res, undefined);
    return context.with(trace.setSpan(ROOT_CONTEXT, span), () => answer(req, res, span));
  });
}

/** Tells once whether the client got all of it: at once when the system took it, else when it did or the client left. */
function delivered(res: ServerResponse, over: (aborted: boolean) => void): void {
  if (res.writableLength === 0) return over(false);
  let told = false;
  const tell = (aborted: boolean): void => {
    if (!told) over(aborted);
    told = true;
  };
  res.once("finish", () => tell(false)).once("close", () => tell(true));
}

const plain = ["Content-Type", "application/json"];
const validId = /^[A-Za-z0-9._-]{1,128}$/;

function requestId(req: IncomingMessage): string {
  const given = req.headers["x-request-id"];
  return typeof given === "string" && validId.test(given) ? given : crypto.randomUUID();
}

/** The request's span; undefined when the tracer throws, which must not reach the request. */
function begun(tracer: Tracer, req: IncomingMessage): Span | undefined {
  const { host = "", "user-agent": agent } = req.headers;
  const colon = host.indexOf(":");
  const attributes: Attributes = {
    "http.request.method": "GET",
    "url.path": req.url ?? "/",
    "url.scheme": "http",
    "network.protocol.version": req.httpVersion,
    "http.route": "/hello",
    "client.address": req.socket.remoteAddress,
    "server.address": colon < 0 ? host : host.slice(0, colon),
    "server.port": colon < 0 ? 80 : Number(host.slice(colon + 1)),
  };
  if (agent !== undefined) attributes["user_agent.original"] = agent;
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
    // A tracer's fault is not the request's.
  }
}

function remote(traceparent: string | string[] | undefined): typeof ROOT_CONTEXT {
  if (typeof traceparent !== "string" || traceparent.length !== 55) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: traceparent.slice(3, 35),
    spanId: traceparent.slice(36, 52),
    traceFlags: Number.parseInt(traceparent.slice(53), 16),
    isRemote: true,
  });
}

const unsafe = /[^ !#-[\]-~]/;
const quoted = (text: string): string => (unsafe.test(text) ? JSON.stringify(text) : `"${text}"`);

function line(
  req: IncomingMessage,
  path: string,
  status: number,
  ms: number,
  bytes: number,
  id: string,
  aborted: boolean,
  span: Span | undefined,
): string {
  let text =
    `{"time":"${now()}","method":"${req.method}","path":${quoted(path)},"route":"/hello","status":${status},` +
    `"durationUs":${Math.round(ms * 1000)},"bytes":${bytes},"remoteAddress":${quoted(req.socket.remoteAddress ?? "")}`;
  if (id !== "") text += `,"requestId":"${id}"`;
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
  if (ms !== lastMs) {
    lastMs = ms;
    lastIso = new Date(ms).toISOString();
  }
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
interface Series {
  count: number;
  sum: number;
  min: number;
  max: number;
  aborted: number;
  readonly buckets: Float64Array;
}
/** Route, method, status. */
const metrics = new Map<string, Map<string, Map<number, Series>>>();
/** Requests begun and not over. */
let active = 0;

function observe(route: string, method: string, status: number, seconds: number, aborted: boolean): void {
  active -= 1;
  const series = metrics.get(route)?.get(method)?.get(status) ?? newSeries(route, method, status);
  let at = 0;
  while (at < bounds.length && seconds > (bounds[at] ?? Infinity)) at += 1;
  series.buckets[at] = (series.buckets[at] ?? 0) + 1;
  series.count += 1;
  series.sum += seconds;
  if (seconds < series.min) series.min = seconds;
  if (seconds > series.max) series.max = seconds;
  if (aborted) series.aborted += 1;
}

function newSeries(route: string, method: string, status: number): Series {
  const methods = metrics.get(route) ?? new Map<string, Map<number, Series>>();
  const statuses = methods.get(method) ?? new Map<number, Series>();
  const series = { count: 0, sum: 0, min: Infinity, max: 0, aborted: 0, buckets: new Float64Array(bounds.length + 1) };
  metrics.set(route, methods.set(method, statuses.set(status, series)));
  return series;
}
