import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { z } from "zod";
import { Framework } from "../app/framework.ts";
import { job } from "../work/job.ts";
import { memoryWork } from "../work/memory.ts";
import { Work } from "../work/sender.ts";
import { TracingMiddleware } from "./tracing.ts";

const Mail = job("mail", { input: z.object({ to: z.string() }), attempts: 2 });

describe("the spans of a job", () => {
  const manager = new AsyncLocalStorageContextManager().enable();
  before(() => context.setGlobalContextManager(manager));
  after(() => context.disable());

  test("are one PRODUCER span in the request, and below it a CONSUMER span for each attempt", async () => {
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const jobs = memoryWork({ manual: true });
    const logger = { warn: () => undefined, error: () => undefined };
    const app = Framework.create({ logger })
      .work(jobs)
      .use(new TracingMiddleware(provider.getTracer("test")));
    let inside: string | undefined;
    app.job(Mail, async (_input, run) => {
      await null;
      inside = trace.getActiveSpan()?.spanContext().spanId;
      if (run.attempt === 1) throw new RangeError("no server");
    });
    app.post("/", async (ctx) => ({ id: await ctx.get(Work).send(Mail, { to: "a" }) }));
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const headers = { traceparent, tracestate: "vendor=a,other=b" };
    const { id } = (await (await app.request("/", { method: "POST", headers })).json()) as { id: string };
    await jobs.run({ at: Date.now() + 60_000 });
    const spans = exporter.getFinishedSpans();
    const [producer, server, first, second] = spans;
    assert.ok(producer !== undefined && server !== undefined && first !== undefined && second !== undefined);
    const messaging = (operation: string): object => ({
      "messaging.system": "memory",
      "messaging.destination.name": "mail",
      "messaging.operation.name": operation,
      "messaging.operation.type": operation,
      "messaging.message.id": id,
    });
    assert.deepEqual(
      [producer, first, second].map(({ name, kind, status, attributes, parentSpanContext }) => {
        return [name, kind, status.code, attributes, parentSpanContext?.spanId];
      }),
      [
        ["send mail", SpanKind.PRODUCER, SpanStatusCode.UNSET, messaging("send"), server.spanContext().spanId],
        [
          "process mail",
          SpanKind.CONSUMER,
          SpanStatusCode.ERROR,
          { ...messaging("process"), "error.type": "RangeError" },
          producer.spanContext().spanId,
        ],
        ["process mail", SpanKind.CONSUMER, SpanStatusCode.UNSET, messaging("process"), producer.spanContext().spanId],
      ],
    );
    assert.equal(new Set(spans.map((span) => span.spanContext().traceId)).size, 1);
    assert.equal(inside, second.spanContext().spanId);
    assert.deepEqual(
      spans.map((span) => span.spanContext().traceState?.serialize()),
      spans.map(() => headers.tracestate),
    );
  });
});
