import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { context, SpanKind, SpanStatusCode, trace, type Tracer } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { Framework } from "../app/framework.ts";
import { Faults } from "../metrics/faults.ts";
import { Exceptions } from "./exceptions.ts";
import { TracingMiddleware } from "./tracing.ts";
import { traceWork } from "./work-span.ts";

interface Subject {
  readonly app: Framework;
  readonly middleware: TracingMiddleware;
  readonly lines: string[];
  readonly exporter: InMemorySpanExporter;
}

function subject(change: (tracer: Tracer) => Tracer = (tracer) => tracer): Subject {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const middleware = new TracingMiddleware(change(provider.getTracer("test")));
  const lines: string[] = [];
  const logger = { warn: () => undefined, error: (line: string) => void lines.push(line) };
  return { app: Framework.create({ logger }).use(middleware), middleware, lines, exporter };
}

describe("the spans of background work", () => {
  const manager = new AsyncLocalStorageContextManager().enable();
  before(() => context.setGlobalContextManager(manager));
  after(() => context.disable());

  test("are one INTERNAL span each, the root of a trace, linked to the request that began it", async () => {
    const { app, exporter } = subject();
    let inside: string | undefined;
    app.get("/", () => {
      app.background("reindex", async () => {
        await null;
        inside = trace.getActiveSpan()?.spanContext().spanId;
      });
      return "begun";
    });
    await (await app.request("/")).text();
    await app.stop();
    const spans = exporter.getFinishedSpans();
    const work = spans.find(({ name }) => name === "reindex");
    const request = spans.find(({ kind }) => kind === SpanKind.SERVER);
    assert.ok(work !== undefined && request !== undefined);
    assert.deepEqual(
      [work.kind, work.parentSpanContext, work.status.code, work.links.map(({ context: { spanId } }) => spanId)],
      [SpanKind.INTERNAL, undefined, SpanStatusCode.UNSET, [request.spanContext().spanId]],
    );
    assert.notEqual(work.spanContext().traceId, request.spanContext().traceId);
    assert.equal(inside, work.spanContext().spanId);
  });

  test("carry the work's error, which is also logged as without tracing", async () => {
    const { app, exporter, lines } = subject();
    app.background("throws", () => {
      throw new RangeError("now");
    });
    app.background("rejects", () => Promise.reject(new TypeError("later")));
    await app.stop();
    assert.deepEqual(
      exporter.getFinishedSpans().map(({ name, status, attributes, events, links }) => {
        return [name, status.code, attributes["error.type"], events.map((event) => event.name), links];
      }),
      [
        ["throws", SpanStatusCode.ERROR, "RangeError", ["exception"], []],
        ["rejects", SpanStatusCode.ERROR, "TypeError", ["exception"], []],
      ],
    );
    assert.deepEqual(lines, ["background work throws failed", "background work rejects failed"]);
  });

  test("count a throwing tracer, and run the work once", async () => {
    const { app, middleware } = subject((tracer) => ({
      ...tracer,
      startSpan: () => {
        throw new Error("no tracer");
      },
      startActiveSpan: () => undefined as never,
    }));
    let runs = 0;
    app.background("work", () => void (runs += 1));
    await app.stop();
    assert.deepEqual([runs, middleware.faults], [1, 1]);
  });

  test("run work once that throws synchronously", async () => {
    const { app, middleware } = subject();
    let runs = 0;
    app.background("throws", () => {
      runs += 1;
      throw new RangeError("now");
    });
    await app.stop();
    assert.deepEqual([runs, middleware.faults], [1, 0]);
  });

  for (const [what, work] of [
    ["at once", () => "done"],
    ["later", async () => "done"],
  ] as const)
    test(`return the work's result ${what}, in a span without a fault`, async () => {
      const exporter = new InMemorySpanExporter();
      const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
      const faults = new Faults("the tracer");
      const result = traceWork(
        { tracer: provider.getTracer("test"), faults, exceptions: new Exceptions(faults), name: "work" },
        work,
      );
      assert.equal(result instanceof Promise, what === "later");
      assert.deepEqual(
        [await result, faults.count, exporter.getFinishedSpans().map(({ status }) => status.code)],
        ["done", 0, [SpanStatusCode.UNSET]],
      );
    });

  test("run the work once, without a span, when a context manager throws before it", async (t) => {
    const { app, exporter } = subject();
    const fail = (): never => {
      throw new Error("no context");
    };
    t.mock.method(context, "with", fail, { times: 1 });
    let runs = 0;
    app.background("work", () => void (runs += 1));
    await app.stop();
    assert.equal(runs, 1);
    assert.deepEqual(
      exporter.getFinishedSpans().map(({ name, status }) => [name, status.code]),
      [["work", SpanStatusCode.ERROR]],
    );
  });

  test("count a span that cannot be ended", async () => {
    const { app, middleware, lines } = subject((tracer) => ({
      startActiveSpan: () => undefined as never,
      startSpan: (...args) =>
        Object.assign(tracer.startSpan(...args), {
          end: () => {
            throw new Error("no end");
          },
        }),
    }));
    app.background("work", () => undefined);
    await app.stop();
    assert.deepEqual([middleware.faults, lines], [1, []]);
  });
});
