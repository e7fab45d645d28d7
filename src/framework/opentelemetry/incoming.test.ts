/** The context that a request's span continues: an active SERVER span, and the result of a propagator (SPAN). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { after, before, describe, test, type TestContext } from "node:test";
import {
  type Attributes,
  context,
  INVALID_SPAN_CONTEXT,
  propagation,
  type Span,
  SpanKind,
  type TextMapPropagator,
  trace,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { getRPCMetadata, RPCType, setRPCMetadata, W3CTraceContextPropagator } from "@opentelemetry/core";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { Framework } from "../app/framework.ts";
import { traceHeaders, TracingMiddleware } from "./tracing.ts";

const ids = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", traceFlags: 1 };
const quiet = { warn: (): void => undefined, error: (): void => undefined };

interface Active {
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  readonly isRecording?: boolean;
  readonly spanContext?: { readonly traceId: string; readonly spanId: string; readonly traceFlags: number };
}

interface Outcome {
  /** Was no other span begun? */
  readonly isTaken: boolean;
  /** The calls on the active span. */
  readonly calls: readonly (readonly unknown[])[];
  readonly faults: number;
}

/** A foreign span that records its calls. */
function spanOf({ kind, attributes, isRecording = true, spanContext = ids }: Active, calls: unknown[][]): Span {
  const note = (method: string): readonly [string, unknown] => [
    method,
    (...args: unknown[]) => void calls.push([method, ...args]),
  ];
  const writing = Object.fromEntries(["updateName", "setAttribute", "setStatus", "end"].map(note));
  return {
    ...writing,
    spanContext: () => spanContext,
    isRecording: () => isRecording,
    kind,
    attributes,
  } as unknown as Span;
}

/** The outcome of a request while that span is active. */
async function outcomeOf(t: TestContext, active: Active, path = "/users/9", metadata?: unknown): Promise<Outcome> {
  let begun = 0;
  const startSpan = (): Span => ((begun += 1), trace.wrapSpanContext(INVALID_SPAN_CONTEXT));
  const tracing = new TracingMiddleware({ startSpan, startActiveSpan: (): never => assert.fail() });
  const calls: unknown[][] = [];
  const around = setRPCMetadata(trace.setSpan(context.active(), spanOf(active, calls)), metadata as never);
  const app = Framework.create({ host: "127.0.0.1", logger: quiet })
    .use((_ctx, next) => context.with(around, next))
    .use(tracing)
    .get("/users/{id}", () => "someone");
  await ask(t, app, path);
  return { isTaken: begun === 0, calls, faults: tracing.faults };
}

/** Sends a request with that target, unchanged. */
async function ask(t: TestContext, app: Framework, path: string, headers: Record<string, string> = {}): Promise<void> {
  await app.start(0);
  t.after(() => app.stop({ graceMs: 0 }));
  const sent = request({ host: "127.0.0.1", port: app.port, path, headers, agent: false }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  await once(response.resume(), "end");
  await app.stop();
}

describe("an active span", () => {
  before(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
  after(() => context.disable());

  const server = SpanKind.SERVER;
  const cases: readonly (readonly [what: string, isTaken: boolean, active: Active, path?: string])[] = [
    ["of a server that tells nothing of its request", true, { kind: server }],
    ["of no server", false, { kind: SpanKind.INTERNAL }],
    ["of another process", false, { kind: server, spanContext: { ...ids, isRemote: true } as typeof ids }],
    ["without an id", false, { kind: server, spanContext: INVALID_SPAN_CONTEXT }],
    ["that is not sampled and has no kind", true, { isRecording: false }],
    ["of a server that is not sampled", true, { kind: server, isRecording: false }],
    ["of no server that is not sampled", false, { kind: SpanKind.CLIENT, isRecording: false }],
    ["of a method nobody knows", true, own({ "http.request.method": "_OTHER", "http.request.method_original": "GET" })],
    ["of another method nobody knows", false, own({ "http.request.method_original": "PROPFIND" })],
    ["of another method by its old name", false, { kind: server, attributes: { "http.method": "POST" } }],
    ["with the query by its old name", true, { kind: server, attributes: { "http.target": "/api/users/9?x=1" } }],
    ["of the path of a target with a host", true, own({}), "http://shop.example/users/9"],
    [
      "of a path in which another target is",
      true,
      own({ "url.path": "/go/http://shop.example/users/9" }),
      "/go/http://shop.example/users/9",
    ],
  ];
  function own(attributes: Attributes): Active {
    return { kind: server, attributes: { "http.request.method": "GET", "url.path": "/users/9", ...attributes } };
  }
  for (const [what, isTaken, active, path] of cases)
    test(`${what} is ${isTaken ? "taken" : "left alone"}`, async (t) => {
      const outcome = await outcomeOf(t, active, path);
      assert.deepEqual([outcome.isTaken, outcome.faults], [isTaken, 0]);
      if (!isTaken) assert.deepEqual(outcome.calls, []);
    });

  test("an adopted one is named once, and ended by its owner", async (t) => {
    assert.deepEqual((await outcomeOf(t, { kind: server })).calls, [
      ["updateName", "GET /users/{id}"],
      ["setAttribute", "http.route", "/users/{id}"],
      ["setAttribute", "http.response.status_code", 200],
    ]);
    assert.deepEqual((await outcomeOf(t, { kind: server }, "/nowhere")).calls, [
      ["updateName", "GET"],
      ["setAttribute", "http.response.status_code", 404],
    ]);
  });

  test("an unsampled one gets no attributes", async (t) => {
    assert.deepEqual((await outcomeOf(t, { isRecording: false })).calls, []);
  });

  test("its instrumentation gets the route, if there is one", async (t) => {
    const metadata = { type: RPCType.HTTP, span: trace.wrapSpanContext(ids) };
    await outcomeOf(t, { kind: server }, "/nowhere", metadata);
    assert.equal("route" in metadata, false);
    await outcomeOf(t, { kind: server }, "/users/9", metadata);
    const told = getRPCMetadata(setRPCMetadata(context.active(), metadata));
    assert.equal(told?.route, "/users/{id}");
  });

  for (const metadata of [null, "text"])
    test(`is adopted when ${String(metadata)} replaces its instrumentation's metadata`, async (t) => {
      const { isTaken, faults } = await outcomeOf(t, { kind: server }, "/users/9", metadata);
      assert.deepEqual([isTaken, faults], [true, 0]);
    });
});

describe("a caller's decision to sample", () => {
  const manager = new AsyncLocalStorageContextManager().enable();
  before(() => void context.setGlobalContextManager(manager));
  after(() => context.disable());

  /** The exported spans of a request with these flags, and the flags that it passes on. */
  async function decided(flags: string, tracerOf = (provider: BasicTracerProvider) => provider.getTracer("test")) {
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const app = Framework.create({ logger: quiet }).use(new TracingMiddleware(tracerOf(provider)));
    app.get("/", (ctx) => {
      provider.getTracer("inner").startSpan("child").end();
      return [ctx.attribute("traceId"), traceHeaders(ctx)["traceparent"]?.replace(/-[0-9a-f]{16}-/, "-…-")];
    });
    const headers = { traceparent: `00-${ids.traceId}-${ids.spanId}-${flags}` };
    const passed: unknown = await (await app.request("/", { headers })).json();
    return [passed, exporter.getFinishedSpans().map(({ name }) => name)];
  }
  const passed = (flags: string): readonly unknown[] => [ids.traceId, `00-${ids.traceId}-…-${flags}`];
  const cases: Record<string, readonly string[]> = {
    "00": [],
    "01": ["child", "GET /"],
    "02": [],
    "03": ["child", "GET /"],
  };
  for (const [flags, exported] of Object.entries(cases))
    test(`${flags} exports ${exported.length} spans, and is passed on`, async (t) => {
      assert.deepEqual(await decided(flags), [passed(flags), exported]);
      // Without an SDK the caller's own span is passed on.
      const none = await decided(flags, () => trace.getTracer("nobody"));
      assert.deepEqual(none, [passed(flags), exported.slice(0, 1)]);
      propagation.setGlobalPropagator(new W3CTraceContextPropagator());
      t.after(() => propagation.disable());
      assert.deepEqual(await decided(flags), [passed(flags), exported]);
    });
});

test("a propagator finds headers in any case, and lists them in lower case", async (t) => {
  const found: unknown[] = [];
  const propagator: TextMapPropagator = {
    inject: () => undefined,
    fields: () => ["x-tenant"],
    extract: (around, carrier, getter) => {
      found.push(getter.get(carrier, "X-TENANT"), getter.keys(carrier).includes("x-tenant"));
      return around;
    },
  };
  propagation.setGlobalPropagator(propagator);
  t.after(() => propagation.disable());
  const tracer = trace.getTracer("nobody");
  const app = Framework.create({ host: "127.0.0.1", logger: quiet }).use(new TracingMiddleware(tracer));
  await ask(t, app, "/", { "X-Tenant": "blue" });
  assert.deepEqual(found, ["blue", true]);
});
