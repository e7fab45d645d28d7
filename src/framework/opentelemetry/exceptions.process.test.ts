/** The signal of exceptions, by OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN (SPAN). */
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { trace } from "@opentelemetry/api";
import { type LogRecord, logs } from "@opentelemetry/api-logs";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { Framework } from "../app/framework.ts";
import { Faults } from "../metrics/faults.ts";
import { Exceptions } from "./exceptions.ts";
import { traceJob, traceSending } from "./job-spans.ts";
import { endSpan } from "./span-end.ts";
import { TracingMiddleware } from "./tracing.ts";

const variable = "OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN";
const traceId = "0af7651916cd43dd8448eb211c80319c";

/** Registers a logger provider. Returns the list of its emitted records. */
function registered(emit: () => unknown = () => undefined): readonly LogRecord[] {
  const records: LogRecord[] = [];
  const logger = { emit: (record: LogRecord) => (records.push(record), emit()), enabled: () => true };
  logs.setGlobalLoggerProvider({ getLogger: () => logger } as never);
  return records;
}

/** The exceptions of a request, or of work that it begins, with the signals that carry them, and the warnings. */
async function told(optIn: string | undefined, path: string, traceparent?: string) {
  if (optIn === undefined) delete process.env[variable];
  else process.env[variable] = optIn;
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const tracing = new TracingMiddleware(provider.getTracer("test"));
  const warnings: string[] = [];
  const logger = { warn: (line: string) => void warnings.push(line), error: () => undefined };
  const app = Framework.create({ logger })
    .use(tracing)
    .get("/gone", (ctx) => void ctx.status(404))
    .get("/boom", () => Promise.reject(new RangeError("boom")))
    .get("/work", () => {
      app.background("reindex", () => Promise.reject("no index" as unknown as Error));
      return "begun";
    });
  await (await app.request(path, traceparent === undefined ? {} : { headers: { traceparent } })).text();
  await app.stop();
  const held = exporter
    .getFinishedSpans()
    .flatMap(({ name, events }) =>
      events.map(({ attributes }) => `${name}: ${String(attributes?.["exception.type"])}`),
    );
  const others = warnings.filter((line) => !line.includes("context manager"));
  return { held, warnings: others, faults: tracing.faults };
}

const shown = ({ eventName, severityNumber, attributes, context }: LogRecord): unknown => {
  const span = context === undefined ? undefined : trace.getSpanContext(context);
  return [eventName, severityNumber, attributes, span?.traceId === traceId ? span.traceFlags : undefined];
};

describe("exceptions", () => {
  afterEach(() => {
    delete process.env[variable];
    logs.disable();
  });

  const cases: Record<string, [optIn: string | undefined, held: number, records: number]> = {
    "the span alone by default": [undefined, 1, 0],
    "a log record alone with logs": ["logs", 0, 1],
    "both with logs/dup": [" logs/dup ", 1, 1],
  };
  for (const [what, [optIn, held, records]] of Object.entries(cases))
    test(`SPAN-032: are recorded in ${what}, of a request and of work`, async () => {
      const emitted = registered();
      const request = await told(optIn, "/boom");
      const work = await told(optIn, "/work");
      assert.deepEqual(
        [request, work].map((one) => one.held),
        [Array(held).fill("GET /boom: RangeError"), Array(held).fill("reindex: string")],
      );
      const names = emitted.map(({ eventName }) => eventName);
      assert.deepEqual(names, ["http.server.request.exception", "exception"].slice(0, records * 2));
      assert.deepEqual([...request.warnings, ...work.warnings, request.faults, work.faults], [0, 0]);
    });

  test("a record has type, message and stack as an error of its span, also of an unsampled one", async () => {
    for (const flags of ["00", "01"]) {
      const emitted = registered();
      await told("logs", "/boom", `00-${traceId}-b7ad6b7169203331-${flags}`);
      const stack = String(emitted[0]?.attributes?.["exception.stacktrace"]);
      assert.match(stack, /^RangeError: boom\n +at /);
      const attributes = { "exception.type": "RangeError", "exception.message": "boom", "exception.stacktrace": stack };
      assert.deepEqual(emitted.map(shown), [["http.server.request.exception", 17, attributes, Number(flags)]]);
      logs.disable();
    }
  });

  test("SPAN-014: a response below 500 leaves no record", async () => {
    const emitted = registered();
    await told("logs", "/gone");
    assert.deepEqual(emitted, []);
  });

  test("of a job have the event of its operation, and one after an abort is no problem", () => {
    process.env[variable] = "logs";
    const emitted = registered();
    const tracer = new BasicTracerProvider().getTracer("test");
    const faults = new Faults("the tracer");
    const tracing = { tracer, faults, exceptions: new Exceptions(faults) };
    const job = { id: "1", name: "mail", system: "memory" };
    const fail = (): never => {
      throw new RangeError("full");
    };
    assert.throws(() =>
      traceSending(tracing, { ...job, traceparent: undefined, tracestate: undefined, note: undefined }, fail),
    );
    assert.throws(() => traceJob(tracing, { ...job, attempt: 1 } as never, fail));
    const end = { name: undefined, route: undefined, endTime: undefined, isAdopted: false };
    const completion = { status: 499, aborted: true, error: new Error("gone") };
    endSpan(tracer.startSpan("GET /"), completion as never, end, tracing);
    const events = emitted.map(({ eventName, severityNumber }) => [eventName, severityNumber]);
    assert.deepEqual(events, [
      ["messaging.send.exception", 13],
      ["messaging.process.exception", 17],
      ["http.server.request.exception", 5],
    ]);
  });

  test("stay on the span when no logger provider is registered, and when the variable has another value", async () => {
    const stays = "exceptions stay on spans";
    const ignored = `${variable} is ignored: no OpenTelemetry logger provider is registered; ${stays}`;
    const odd = `${variable} is "log": logs and logs/dup are allowed; ${stays}`;
    const held = ["GET /boom: RangeError"];
    assert.deepEqual(
      [await told("logs", "/boom"), await told("log", "/boom"), await told("", "/boom")],
      [ignored, odd, undefined].map((line) => ({ held, warnings: line === undefined ? [] : [line], faults: 0 })),
    );
  });

  const faulty: Record<string, [emit: () => unknown, held: readonly string[]]> = {
    "that throws is counted, and the span holds the exception": [
      () => {
        throw new Error("no logs");
      },
      ["GET /boom: RangeError"],
    ],
    "that rejects is counted": [() => Promise.reject(new Error("no logs")), []],
  };
  for (const [what, [emit, held]] of Object.entries(faulty))
    test(`a logger ${what}`, async () => {
      registered(emit);
      const outcome = await told("logs", "/boom");
      assert.deepEqual([outcome.held, outcome.faults], [held, 1]);
    });
});
