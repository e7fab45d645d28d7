/**
 * Tracing next to other tools: OpenTelemetry's own instrumentation of node:http, and registered propagators (SPAN).
 *
 *   this file ──▶ a separate process, instrumented before the framework is loaded ──▶ its spans as JSON
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Attributes, context, propagation, SpanKind, type TextMapPropagator, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { CompositePropagator, W3CBaggagePropagator } from "@opentelemetry/core";
import { B3Propagator } from "@opentelemetry/propagator-b3";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { Framework } from "../app/framework.ts";
import { TracingMiddleware } from "./tracing.ts";

interface SeenSpan {
  readonly name: string;
  readonly kind: "SERVER" | "INTERNAL" | "CLIENT";
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly route: string | undefined;
  readonly code: number | undefined;
  readonly isError: boolean;
  readonly exceptions: number;
}

const instrumented = `
import { context, trace, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { HttpInstrumentation } from "@opentelemetry/instrumentation-http";
import { AlwaysOffSampler, AlwaysOnSampler, BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { createRequire } from "node:module";
const isSampled = process.env.SAMPLED !== "0";
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const exporter = new InMemorySpanExporter();
const sampler = isSampled ? new AlwaysOnSampler() : new AlwaysOffSampler();
const provider = new BasicTracerProvider({ sampler, spanProcessors: [new SimpleSpanProcessor(exporter)] });
trace.setGlobalTracerProvider(provider);
new HttpInstrumentation().setTracerProvider(provider);
const http = createRequire(import.meta.url)("node:http"); // Loaded by require, which is what is instrumented.
const { Framework } = await import(process.env.FRAMEWORK);
const { TracingMiddleware } = await import(process.env.TRACING);
const tracer = provider.getTracer("app");
const logger = { warn() {}, error() {} };
const define = (app) => app.use(new TracingMiddleware(tracer))
  .get("/users/{id}", async (ctx) => { await null; tracer.startSpan("child").end(); return ctx.pathParam("id"); })
  .get("/inner", async () => (await app.fetch(new Request("http://x/users/9"))).text())
  .get("/boom", () => { throw new RangeError("boom"); });
const app = define(Framework.create({ host: "127.0.0.1", logger }));
await app.start(0);
const host = http.createServer(define(Framework.create({ logger })).listener()).listen(0, "127.0.0.1");
await new Promise((resolve) => host.once("listening", resolve));
const ports = { own: app.port, hosted: host.address().port };
const paths = process.argv.slice(1);
const agent = new http.Agent({ keepAlive: true, maxSockets: 2 });
const ask = (path) => new Promise((resolve, reject) => {
  const headers = process.env.TRACEPARENT ? { traceparent: process.env.TRACEPARENT } : {};
  const request = context.with(context.active(), () => http.request({ port: ports[process.env.HOST], host: "127.0.0.1", path, agent, headers }));
  request.on("response", (response) => response.resume().once("end", resolve)).on("error", reject).end();
});
await Promise.all(paths.map(ask));
const open = () => exporter.getFinishedSpans().filter(({ kind }) => kind === SpanKind.SERVER).length;
for (let turn = 0; turn < 200 && isSampled && open() < paths.length; turn += 1) await new Promise((resolve) => setTimeout(resolve, 10));
agent.destroy();
await app.stop({ graceMs: 0 });
host.close();
console.log(JSON.stringify(exporter.getFinishedSpans().map((span) => ({
  name: span.name, kind: SpanKind[span.kind], ...span.spanContext(), parentId: span.parentSpanContext?.spanId,
  route: span.attributes["http.route"], code: span.attributes["http.response.status_code"] ?? span.attributes["http.status_code"],
  isError: span.status.code === SpanStatusCode.ERROR, exceptions: span.events.length,
}))));
process.exit();
`;

/** The spans of requests to these paths, in a process with an instrumented node:http. */
async function spansOf(paths: readonly string[], env: Record<string, string> = {}): Promise<readonly SeenSpan[]> {
  const root = fileURLToPath(new URL("../../../../", import.meta.url));
  const FRAMEWORK = new URL("../index.js", import.meta.url).href;
  const TRACING = new URL("./index.js", import.meta.url).href;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", instrumented, "--", ...paths],
    { cwd: root, env: { ...process.env, NODE_ENV: "test", HOST: "own", ...env, FRAMEWORK, TRACING } },
  );
  return JSON.parse(stdout) as readonly SeenSpan[];
}

const servers = (spans: readonly SeenSpan[]): readonly SeenSpan[] => spans.filter(({ kind }) => kind === "SERVER");

describe("next to @opentelemetry/instrumentation-http", () => {
  for (const HOST of ["own", "hosted"])
    test(`one SERVER span for each request, named by its route, with the handler's spans below it (${HOST})`, async () => {
      const ids = Array.from({ length: 20 }, (_, id) => `/users/${id}`);
      const spans = await spansOf([...ids, "/nowhere", "/boom"], { HOST });
      assert.deepEqual(
        servers(spans)
          .map(({ name, route, code, isError }) => [name, route, code, isError].join(" "))
          .toSorted(),
        [
          ...ids.map(() => "GET /users/{id} /users/{id} 200 false"),
          "GET  404 false",
          "GET /boom /boom 500 true",
        ].toSorted(),
      );
      const children = spans.filter(({ name }) => name === "child");
      assert.equal(children.length, ids.length);
      const parents = children.map(({ parentId }) => spans.find(({ spanId }) => spanId === parentId));
      assert.deepEqual(new Set(parents.map((parent) => parent?.kind)), new Set(["SERVER"]));
      assert.equal(new Set(parents).size, ids.length);
      assert.deepEqual(
        children.map(({ traceId }) => traceId),
        parents.map((parent) => parent?.traceId),
      );
    });

  test("the thrown error is recorded on it", async () => {
    const [span] = servers(await spansOf(["/boom"]));
    assert.deepEqual([span?.name, span?.isError, span?.exceptions], ["GET /boom", true, 1]);
  });

  test("a request inside a request has a separate span", async () => {
    const spans = servers(await spansOf(["/inner"]));
    assert.deepEqual(
      spans.map(({ name }) => name),
      ["GET /users/{id}", "GET /inner"],
    );
  });

  test("an unsampled request is not sampled here either", async () => {
    assert.deepEqual(await spansOf(["/users/1", "/boom"], { SAMPLED: "0" }), []);
  });
});

describe("with a span active", () => {
  /** The names of the exported spans when requests are made while that span is active. */
  async function namesOf(t: TestContext, kind: SpanKind, attributes: Attributes, isEnded = false): Promise<string[]> {
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const isOurs = context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    t.after(() => isOurs && context.disable());
    const tracer = provider.getTracer("app");
    const app = Framework.create()
      .use(new TracingMiddleware(tracer))
      .get("/users/{id}", () => "someone");
    const active = tracer.startSpan("active", { kind, attributes });
    if (isEnded) active.end();
    await context.with(trace.setSpan(context.active(), active), async () => {
      await app.fetch(new Request("http://x/users/9"));
      await app.fetch(new Request("http://x/users/9"));
    });
    if (!isEnded) active.end();
    return exporter.getFinishedSpans().map(({ name }) => name);
  }
  const route = "GET /users/{id}";
  const own = { "http.request.method": "GET", "url.path": "/api/users/9" };

  test("the first request of its path adopts it, a second one has a separate span", async (t) => {
    assert.deepEqual(await namesOf(t, SpanKind.SERVER, own), [route, route]);
  });
  for (const [name, attributes] of [
    ["path", { ...own, "url.path": "/users/8" }],
    ["method", { ...own, "http.request.method": "POST" }],
    ["path, by the old names", { "http.method": "GET", "http.target": "/users/8?x=1" }],
  ] as const)
    test(`one of another ${name} is left alone`, async (t) => {
      assert.deepEqual(await namesOf(t, SpanKind.SERVER, attributes), [route, route, "active"]);
    });
  for (const isEnded of [false, true])
    test(`one of another kind is left alone, ${isEnded ? "ended" : "open"}`, async (t) => {
      const names = await namesOf(t, SpanKind.INTERNAL, own, isEnded);
      assert.deepEqual(names.toSorted(), [route, route, "active"].toSorted());
    });
});

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";

describe("with a propagator registered", () => {
  /** The parent of a request with these headers, and the baggage of its handler. */
  async function parentOf(
    t: TestContext,
    propagator: TextMapPropagator,
    headers: Record<string, string>,
  ): Promise<unknown> {
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    propagation.setGlobalPropagator(propagator);
    const isOurs = context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    t.after(() => {
      propagation.disable();
      if (isOurs) context.disable(); // Other tests of this process need theirs.
    });
    const tracing = new TracingMiddleware(provider.getTracer("app"));
    const logger = { warn: (): void => undefined, error: (): void => undefined };
    const app = Framework.create({ logger })
      .use(tracing)
      .get("/", () => propagation.getActiveBaggage()?.getEntry("tenant")?.value ?? "none");
    const text = await (await app.fetch(new Request("http://x/", { headers }))).text();
    const parent = exporter.getFinishedSpans()[0]?.parentSpanContext;
    return [parent?.traceId, parent?.spanId, text, tracing.faults];
  }
  const b3 = new CompositePropagator({ propagators: [new B3Propagator(), new W3CBaggagePropagator()] });

  test("B3 and baggage are read, and traceparent is not", async (t) => {
    const headers = {
      b3: `${traceId}-${spanId}-1`,
      baggage: "tenant=blue",
      traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`,
    };
    assert.deepEqual(await parentOf(t, b3, headers), [traceId, spanId, "blue", 0]);
  });

  test("without its headers a new trace begins", async (t) => {
    assert.deepEqual(await parentOf(t, b3, {}), [undefined, undefined, "none", 0]);
  });

  test("a throwing one is counted, and traceparent is read", async (t) => {
    const broken: TextMapPropagator = {
      inject: () => undefined,
      fields: () => ["broken"],
      extract: () => {
        throw new Error("broken");
      },
    };
    const headers = { traceparent: `00-${traceId}-${spanId}-01` };
    assert.deepEqual(await parentOf(t, broken, headers), [traceId, spanId, "none", 1]);
  });
});
