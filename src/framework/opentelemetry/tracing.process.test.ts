import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, test, before, after, type TestContext } from "node:test";
import { context, createContextKey, type Span, SpanKind, SpanStatusCode, trace, type Tracer } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { HttpError } from "../internal/errors.ts";
import { Framework } from "../app/framework.ts";
import { HealthMiddleware } from "../middleware/health/health.ts";
import { traceHeaders, TracingMiddleware } from "./tracing.ts";

const quiet = { warn: (): void => undefined, error: (): void => undefined };
const traceId = "0af7651916cd43dd8448eb211c80319c";
const parentId = "b7ad6b7169203331";
const traceparent = `00-${traceId}-${parentId}-01`;

interface Served {
  readonly app: Framework;
  readonly tracer: Tracer;
  /** The spans, after `count` of them have ended. */
  spans(count: number): Promise<ReadableSpan[]>;
}

function sdk(): { tracer: Tracer; exporter: InMemorySpanExporter; provider: BasicTracerProvider } {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { tracer: provider.getTracer("test"), exporter, provider };
}

async function serve(t: TestContext): Promise<Served> {
  const { tracer, exporter } = sdk();
  const app = routes(Framework.create({ host: "127.0.0.1", logger: quiet }).use(new TracingMiddleware(tracer)), tracer);
  await app.start(0);
  t.after(() => app.stop({ graceMs: 0 }));
  const spans = async (count: number): Promise<ReadableSpan[]> => {
    await until(() => exporter.getFinishedSpans().length >= count);
    assert.equal(exporter.getFinishedSpans().length, count);
    return exporter.getFinishedSpans();
  };
  return { app, tracer, spans };
}

function routes(app: Framework, tracer: Tracer): Framework {
  return app
    .use(HealthMiddleware.defaults())
    .get("/users/{id}", (ctx) => ({ traceId: ctx.attribute("traceId"), headers: traceHeaders(ctx) }))
    .get("/child", async () => {
      await null;
      tracer.startSpan("child").end();
      return "done";
    })
    .get("/boom", () => {
      throw new RangeError("boom");
    })
    .get("/fail/{status}", (ctx) => {
      throw new HttpError(ctx.pathParamAsInt("status"), "as asked");
    })
    .get("/mapped", () => {
      throw new SyntaxError("mapped");
    })
    .get("/hang", () => new Promise(() => undefined))
    .onError(SyntaxError, (_error, ctx) => ctx.status(422).text("mapped"));
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!condition()) {
    if (performance.now() > deadline) assert.fail("the condition never held");
    await new Promise((done) => setTimeout(done, 5));
  }
}

/** The relevant data of a span's end. */
function ending(span: ReadableSpan | undefined): unknown {
  return {
    name: span?.name,
    status: span?.status.code,
    code: span?.attributes["http.response.status_code"],
    errorType: span?.attributes["error.type"],
    exceptions: span?.events.map(({ name, attributes }) => [
      name,
      attributes?.["exception.type"],
      attributes?.["exception.message"],
    ]),
  };
}

before(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
after(() => context.disable());

describe("TracingMiddleware", () => {
  test("makes one SERVER span, named by method and pattern, with the conventions' attributes", async (t) => {
    const { app, spans } = await serve(t);
    await fetch(`${app.url}/users/7?secret=1`, { headers: { "user-agent": "tester" } });
    const [span] = await spans(1);
    assert.deepEqual(
      [span?.name, span?.kind, span?.status, span?.events],
      ["GET /users/{id}", SpanKind.SERVER, { code: SpanStatusCode.UNSET }, []],
    );
    assert.deepEqual(span?.attributes, {
      "http.request.method": "GET",
      "url.path": "/users/7",
      "url.scheme": "http",
      "http.route": "/users/{id}",
      "http.response.status_code": 200,
      "server.address": "127.0.0.1",
      "server.port": app.port,
      "network.protocol.version": "1.1",
      "user_agent.original": "tester",
      "client.address": "127.0.0.1",
    });
  });

  test("joins the caller's trace and passes its state on", async (t) => {
    const { app, spans } = await serve(t);
    const response = await (
      await fetch(`${app.url}/users/7`, {
        headers: { traceparent: traceparent.replace(/1$/, "3"), tracestate: "a=1, b=2" },
      })
    ).json();
    const [span] = await spans(1);
    const { traceId: own, spanId, traceState } = span?.spanContext() ?? assert.fail("no span");
    assert.deepEqual(
      [own, span?.parentSpanContext?.spanId, span?.parentSpanContext?.isRemote, traceState?.serialize()],
      [traceId, parentId, true, "a=1,b=2"],
    );
    assert.deepEqual(response, {
      traceId,
      headers: { traceparent: `00-${traceId}-${spanId}-03`, tracestate: "a=1,b=2" },
    });
  });

  for (const [name, headers] of Object.entries({
    nothing: {},
    "a malformed traceparent": { traceparent: traceparent.toUpperCase() },
    "two traceparents": { traceparent: `${traceparent}, ${traceparent}` },
    "a tracestate alone": { tracestate: "a=1" },
    "a malformed traceparent with a tracestate": { traceparent: "00-0-0-00", tracestate: "a=1" },
  } satisfies Record<string, Record<string, string>>)) {
    test(`begins a new trace for ${name}`, async (t) => {
      const { app, spans } = await serve(t);
      await fetch(`${app.url}/users/7`, { headers });
      const [span] = await spans(1);
      assert.deepEqual([span?.parentSpanContext, span?.spanContext().traceState], [undefined, undefined]);
      assert.notEqual(span?.spanContext().traceId, traceId);
    });
  }

  test("keeps the traceparent when the tracestate is malformed", async (t) => {
    const { app, spans } = await serve(t);
    await fetch(`${app.url}/users/7`, { headers: { traceparent, tracestate: "BAD" } });
    const [span] = await spans(1);
    assert.deepEqual([span?.spanContext().traceId, span?.spanContext().traceState], [traceId, undefined]);
  });

  test("is active during the handler, so that spans made there are children", async (t) => {
    const { app, spans } = await serve(t);
    await fetch(`${app.url}/child`);
    const [child, server] = await spans(2);
    assert.deepEqual([child?.name, child?.parentSpanContext?.spanId], ["child", server?.spanContext().spanId]);
  });

  for (const [path, expected] of Object.entries({
    "/boom": {
      name: "GET /boom",
      status: SpanStatusCode.ERROR,
      code: 500,
      errorType: "RangeError",
      exceptions: [["exception", "RangeError", "boom"]],
    },
    "/fail/503": {
      name: "GET /fail/{status}",
      status: SpanStatusCode.ERROR,
      code: 503,
      errorType: "HttpError",
      exceptions: [["exception", "HttpError", "as asked"]],
    },
    "/fail/404": {
      name: "GET /fail/{status}",
      status: SpanStatusCode.UNSET,
      code: 404,
      errorType: undefined,
      exceptions: [],
    },
    "/mapped": { name: "GET /mapped", status: SpanStatusCode.UNSET, code: 422, errorType: undefined, exceptions: [] },
    "/nowhere": { name: "GET", status: SpanStatusCode.UNSET, code: 404, errorType: undefined, exceptions: [] },
    "/health": { name: "GET /health", status: SpanStatusCode.UNSET, code: 200, errorType: undefined, exceptions: [] },
  })) {
    test(`ends the span of ${path} with ${expected.code} and status ${SpanStatusCode[expected.status]}`, async (t) => {
      const { app, spans } = await serve(t);
      await fetch(app.url + path);
      const [span] = await spans(1);
      assert.deepEqual(ending(span), expected);
    });
  }

  test("ends the span of an aborted request as an error without a status code", async (t) => {
    const { app, spans } = await serve(t);
    const socket = connect(app.port, "127.0.0.1");
    socket.write("GET /hang HTTP/1.1\r\nHost: x\r\n\r\n");
    setTimeout(() => socket.destroy(), 50);
    const [span] = await spans(1);
    assert.deepEqual(ending(span), {
      name: "GET /hang",
      status: SpanStatusCode.ERROR,
      code: undefined,
      errorType: "aborted",
      exceptions: [],
    });
  });

  test("names an unknown method HTTP, and QUERY by its name", async (t) => {
    const { app, spans } = await serve(t);
    await fetch(`${app.url}/nowhere`, { method: "PROPFIND" });
    await fetch(`${app.url}/nowhere`, { method: "QUERY", headers: { "content-type": "text/plain" }, body: "x" });
    const seen = (await spans(2)).map(({ name, attributes }) => [
      name,
      attributes["http.request.method"],
      attributes["http.request.method_original"],
    ]);
    assert.deepEqual(seen, [
      ["HTTP", "_OTHER", "PROPFIND"],
      ["QUERY", "QUERY", undefined],
    ]);
  });

  test("measures the span on the request's own clock", async (t) => {
    const { app, spans } = await serve(t);
    const begun = Date.now();
    await fetch(`${app.url}/users/7`);
    const [span] = await spans(1);
    const [seconds, nanos] = span?.startTime ?? [0, 0];
    const [took, tookNanos] = span?.duration ?? [-1, 0];
    assert.ok(Math.abs(seconds * 1000 + nanos / 1e6 - begun) < 1_000);
    assert.ok(took === 0 && tookNanos > 0 && tookNanos < 1e9);
  });

  test("includes the time before the middleware", async () => {
    const { tracer, exporter } = sdk();
    let took = 0;
    const app = Framework.create({ logger: quiet })
      .use((ctx, next) => {
        while (performance.now() - ctx.startedAt < 30);
        ctx.onComplete(({ durationMs }) => (took = durationMs));
        return next();
      })
      .use(new TracingMiddleware(tracer))
      .get("/", () => "late");
    await app.fetch(new Request("http://x/"));
    const [seconds, nanos] = exporter.getFinishedSpans()[0]?.duration ?? [-1, 0];
    assert.ok(Math.abs(seconds * 1_000 + nanos / 1e6 - took) < 0.01, `${seconds} s ${nanos} ns, not ${took} ms`);
  });

  test("makes no span for requests that skip selects", async () => {
    const { tracer, exporter } = sdk();
    const app = routes(
      Framework.create({ logger: quiet }).use(new TracingMiddleware(tracer, { skip: (ctx) => ctx.path === "/boom" })),
      tracer,
    );
    await app.fetch(new Request("http://x/boom"));
    await app.fetch(new Request("http://x/users/1"));
    assert.deepEqual(
      exporter.getFinishedSpans().map(({ name }) => name),
      ["GET /users/{id}"],
    );
  });

  test("traces a request once even if installed twice", async () => {
    const { tracer, exporter } = sdk();
    let started = 0;
    const counting: Tracer = {
      startSpan: (...args) => ((started += 1), tracer.startSpan(...args)),
      startActiveSpan: tracer.startActiveSpan.bind(tracer),
    };
    const app = routes(
      Framework.create({ logger: quiet }).use(new TracingMiddleware(counting)).use(new TracingMiddleware(counting)),
      tracer,
    );
    await app.fetch(new Request("http://x/users/1"));
    assert.deepEqual([started, exporter.getFinishedSpans().length], [1, 1]);
  });

  test("sets no attribute when the span's trace id is invalid", async () => {
    const seen: unknown[] = [];
    for (const id of ["0".repeat(32), "not an id", traceId]) {
      const span = trace.wrapSpanContext({ traceId: id, spanId: parentId, traceFlags: 1 });
      const tracer = { startSpan: () => span, startActiveSpan: () => span } as unknown as Tracer;
      const app = routes(Framework.create({ logger: quiet }).use(new TracingMiddleware(tracer)), tracer);
      const body = (await (await app.fetch(new Request("http://x/users/1"))).json()) as { readonly traceId?: unknown };
      seen.push(body.traceId);
    }
    assert.deepEqual(seen, [undefined, undefined, traceId]);
  });

  for (const method of [
    "startSpan",
    "spanContext",
    "setAttribute",
    "setStatus",
    "recordException",
    "updateName",
    "end",
  ] as const) {
    test(`responds as always when the tracer's ${method} throws, and counts it`, async () => {
      const middleware = new TracingMiddleware(faultyTracer(method));
      const app = routes(Framework.create({ logger: quiet }).use(middleware), sdk().tracer);
      const statuses = [];
      for (const path of ["/users/1", "/boom", "/health"])
        statuses.push((await app.fetch(new Request(`http://x${path}`))).status);
      assert.deepEqual(statuses, [200, 500, 200]);
      assert.ok(middleware.faults >= 1);
    });
  }

  test("handles all rejections when every call of a tracer is asynchronous and rejects", async () => {
    const rejecting = (): never => Promise.reject(new Error("later")) as never;
    const span = Object.fromEntries(
      ["spanContext", "setAttribute", "setStatus", "recordException", "updateName", "end"].map((n) => [n, rejecting]),
    );
    for (const startSpan of [rejecting, (): Span => span as unknown as Span]) {
      const middleware = new TracingMiddleware({ startSpan, startActiveSpan: rejecting });
      const app = routes(Framework.create({ logger: quiet }).use(middleware), sdk().tracer);
      const statuses = [];
      for (const path of ["/users/1", "/boom", "/health"])
        statuses.push((await app.fetch(new Request(`http://x${path}`))).status);
      assert.deepEqual(statuses, [200, 500, 200]);
      await until(() => middleware.faults >= 3);
    }
  });

  test("exposes no trace id when the tracer gives none", async () => {
    const app = routes(
      Framework.create({ logger: quiet }).use(new TracingMiddleware(trace.getTracer("nobody"))),
      sdk().tracer,
    );
    assert.deepEqual(await (await app.fetch(new Request("http://x/users/1"))).json(), { headers: {} });
  });

  for (const none of [{}, undefined])
    test(`rejects ${none === undefined ? "a missing" : "an invalid"} tracer`, () => {
      assert.throws(() => new TracingMiddleware(none as unknown as Tracer), /needs an OpenTelemetry tracer/);
    });

  test("exposes the ids of the span, and continues a trace without state", async () => {
    const { tracer } = sdk();
    const app = Framework.create({ logger: quiet })
      .use(new TracingMiddleware(tracer))
      .get("/", (ctx) => ({ own: ctx.attribute("spanId"), headers: traceHeaders(ctx) }));
    const { own, headers } = (await (
      await app.fetch(new Request("http://x/", { headers: { traceparent } }))
    ).json()) as { readonly own: string; readonly headers: unknown };
    assert.match(own, /^[0-9a-f]{16}$/);
    assert.deepEqual(headers, { traceparent: `00-${traceId}-${own}-01` });
  });

  for (const [ms, startTime] of [
    [0, undefined],
    [1, 5],
  ] as const)
    test(`gives the span ${startTime === undefined ? "no beginning" : "the request's"} when it comes ${ms} ms after it`, async (t) => {
      let now = 5;
      t.mock.method(performance, "now", () => now);
      const begun: unknown[] = [];
      const startSpan: Tracer["startSpan"] = (_name, options) => {
        begun.push(options?.startTime);
        return trace.wrapSpanContext({ traceId, spanId: parentId, traceFlags: 1 });
      };
      const app = Framework.create({ logger: quiet })
        .use((_ctx, next) => ((now += ms), next()))
        .use(new TracingMiddleware({ startSpan, startActiveSpan: (): never => assert.fail() }))
        .get("/", () => "done");
      await app.fetch(new Request("http://x/"));
      assert.deepEqual(begun, [startTime]);
    });

  test("logs once the tracer's error, and keeps the handler's context", async () => {
    const key = createContextKey("outer");
    const lines: string[] = [];
    const app = Framework.create({ logger: { ...quiet, warn: (line) => void lines.push(line) } })
      .use((_ctx, next) => context.with(context.active().setValue(key, "kept"), next))
      .use(new TracingMiddleware(faultyTracer("startSpan")))
      .get("/", () => String(context.active().getValue(key)));
    assert.equal(await (await app.fetch(new Request("http://x/"))).text(), "kept");
    assert.deepEqual(lines, [
      "TracingMiddleware: the tracer or skip failed: startSpan is broken (further faults are only counted)",
    ]);
  });

  test("ends a span without ids, and the request then has no trace headers", async () => {
    const { tracer, exporter } = sdk();
    const fail = (): never => {
      throw new Error("no ids");
    };
    const startSpan: Tracer["startSpan"] = (...args) => {
      const span = tracer.startSpan(...args);
      const end = span.end.bind(span);
      return Object.assign(span, {
        spanContext: fail,
        end: () => (Reflect.deleteProperty(span, "spanContext"), end()),
      });
    };
    const app = routes(
      Framework.create({ logger: quiet }).use(new TracingMiddleware({ startSpan, startActiveSpan: fail })),
      tracer,
    );
    assert.deepEqual(await (await app.fetch(new Request("http://x/users/1"))).json(), { headers: {} });
    assert.equal(exporter.getFinishedSpans().length, 1);
  });

  test("responds, once, when the context manager throws before the handler runs", async (t) => {
    const middleware = new TracingMiddleware(sdk().tracer);
    let runs = 0;
    const app = Framework.create({ logger: quiet })
      .use(middleware)
      .get("/", () => `run ${(runs += 1)}`);
    await app.fetch(new Request("http://x/"));
    t.mock.method(context, "with", () => {
      throw new Error("no context");
    });
    assert.equal(await (await app.fetch(new Request("http://x/"))).text(), "run 2");
    assert.equal(middleware.faults, 1);
  });

  test("warns about a missing context manager, and not when there is one", (t) => {
    const warnings = (): readonly string[] => {
      const lines: string[] = [];
      const logger = { ...quiet, warn: (line: string) => void lines.push(line) };
      Framework.create({ logger }).use(new TracingMiddleware(sdk().tracer));
      return lines;
    };
    assert.deepEqual(warnings(), []);
    context.disable();
    t.after(() => context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
    assert.deepEqual(warnings(), [
      "TracingMiddleware: no OpenTelemetry context manager is registered, so spans made in handlers will not be " +
        "children of the request's span; call context.setGlobalContextManager(…)",
    ]);
  });
});

describe("TracingMiddleware.fromServiceLoader", () => {
  test("throws with advice when no provider is registered", () => {
    assert.throws(
      () => TracingMiddleware.fromServiceLoader(),
      /no OpenTelemetry tracer provider is registered; call trace\.setGlobalTracerProvider/,
    );
  });

  test("uses the registered provider", async (t) => {
    const { provider, exporter, tracer } = sdk();
    trace.setGlobalTracerProvider(provider);
    t.after(() => trace.disable());
    const app = routes(Framework.create({ logger: quiet }).use(TracingMiddleware.fromServiceLoader()), tracer);
    await app.fetch(new Request("http://x/users/1"));
    assert.deepEqual(
      exporter.getFinishedSpans().map(({ instrumentationScope }) => instrumentationScope.name),
      ["framework"],
    );
  });

  test("accepts a provider that another copy of the API has registered", async (t) => {
    const { provider, exporter, tracer } = sdk();
    t.mock.method(trace, "getTracerProvider", () => provider);
    const app = routes(Framework.create({ logger: quiet }).use(TracingMiddleware.fromServiceLoader()), tracer);
    await app.fetch(new Request("http://x/users/1"));
    assert.deepEqual(
      exporter.getFinishedSpans().map(({ instrumentationScope }) => instrumentationScope.name),
      ["framework"],
    );
  });
});

describe("traceHeaders", () => {
  test("is empty for an untraced request", async () => {
    const app = Framework.create().get("/", (ctx) => traceHeaders(ctx));
    assert.deepEqual(await (await app.fetch(new Request("http://x/"))).json(), {});
  });
});

/** A real tracer with one throwing method. */
function faultyTracer(broken: string): Tracer {
  const { tracer } = sdk();
  const fail = (): never => {
    throw new Error(`${broken} is broken`);
  };
  const startSpan: Tracer["startSpan"] = (...args) => {
    if (broken === "startSpan") return fail();
    const span: Span = tracer.startSpan(...args);
    Object.defineProperty(span, broken, { value: fail });
    return span;
  };
  return { startSpan, startActiveSpan: fail };
}
