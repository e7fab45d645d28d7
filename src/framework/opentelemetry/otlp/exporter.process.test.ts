/** The exporter and a collector, over HTTP. */
import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { context, metrics, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { logs } from "@opentelemetry/api-logs";
import { Framework } from "../../app/framework.ts";
import { Beans } from "../../beans/beans.ts";
import { Interface } from "../../beans/interface.ts";
import { MetricsMiddleware } from "../../middleware/metrics/metrics.ts";
import { OpenTelemetryMetricsCollector } from "../metrics-collector.ts";
import { TracingDecorator } from "../tracing-decorator.ts";
import { TracingMiddleware } from "../tracing.ts";
import { OtlpExporter } from "./exporter.ts";
import type { OtlpOptions } from "./settings.ts";

interface Received {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}
interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

const closing: (() => unknown)[] = [];

/** A collector that gives these replies in their order, then 200. `never`: it accepts the request and does not respond. */
async function collector(...replies: readonly (Reply | "never")[]) {
  const received: Received[] = [];
  const left = [...replies];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const whole = Buffer.concat(parts);
    const { url: path = "", headers } = request;
    received.push({ path, headers, body: headers["content-encoding"] === "gzip" ? gunzipSync(whole) : whole });
    const reply = left.shift() ?? {};
    if (reply === "never") return;
    response.writeHead(reply.status ?? 200, reply.headers ?? {}).end(reply.body ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

/** An exporter that warns into a list. */
function exporting(options: OtlpOptions): { otlp: OtlpExporter; warnings: string[] } {
  const warnings: string[] = [];
  const otlp = new OtlpExporter({
    protocol: "http/json",
    delayMs: 60_000,
    warn: (line) => warnings.push(line),
    ...options,
  });
  closing.push(() => otlp.close({ graceMs: 1 }));
  return { otlp, warnings };
}

interface Pair {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface Item {
  readonly name: string;
  readonly attributes: readonly Pair[];
  readonly [field: string]: unknown;
}
type Request = Record<string, [{ resource: { attributes: Pair[] } } & Record<string, { scope: { name: string } }[]>]>;

const valuesOf = (pairs: readonly Pair[]): Record<string, unknown> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));

/** The items of all requests to a path. */
function itemsOf(received: readonly Received[], path: string): Item[] {
  return received
    .filter((one) => one.path === path)
    .flatMap(({ body }) => Object.values(JSON.parse(body.toString()) as Request))
    .flatMap(([{ resource: _resource, ...lists }]) => Object.values(lists).flat())
    .flatMap(({ scope: _scope, ...lists }) => (Object.values(lists) as Item[][]).flat());
}

interface Stock {
  of(id: string): number;
}
const Stock: Interface<Stock> = Interface("Stock");

describe("OtlpExporter", () => {
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
    for (const one of [context, trace, metrics, logs]) one.disable();
    for (const name of Object.keys(process.env)) if (name.startsWith("OTEL_")) delete process.env[name];
  });

  test("sends the spans, the log lines and the metrics of an app, joined by their ids", async () => {
    const { url, received } = await collector();
    const { otlp } = exporting({
      url,
      service: "shop",
      resource: { "service.version": "1.2.3" },
      headers: { "x-key": "k" },
    });
    otlp.register();
    const lines: string[] = [];
    const note = (line: string): void => void lines.push(line);
    const app = Framework.create({ logger: otlp.logger({ info: note, warn: note, error: note, debug: note }) });
    const beans = Beans.builder()
      .bind(Stock, () => ({ of: () => 3 }))
      .instrument(new TracingDecorator(otlp.tracer))
      .start();
    app.beans(beans).use(new TracingMiddleware(otlp.tracer));
    app.use(new MetricsMiddleware(new OpenTelemetryMetricsCollector(otlp.meter), { runtime: true }));
    app.get("/items/{id}", (ctx) => {
      ctx.log.debug("not exported");
      ctx.log.info("asked", { item: ctx.params.id });
      return { left: ctx.get(Stock).of(ctx.params.id) };
    });
    app.get("/boom", () => Promise.reject(new RangeError("boom")));
    app.onStop(() => otlp.close());
    const parent = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: "a=1" };
    await (await app.request("/items/7", { headers: parent })).text();
    await (await app.request("/boom")).text();
    await app.stop();

    const [bean, server, failed] = itemsOf(received, "/v1/traces");
    assert.ok(bean !== undefined && server !== undefined && failed !== undefined);
    assert.deepEqual([bean.name, bean["kind"], bean["parentSpanId"]], ["Stock.of", 1, server["spanId"]]);
    const { traceId, parentSpanId, traceState, kind } = server;
    assert.deepEqual(
      [server.name, kind, traceId, parentSpanId, traceState],
      ["GET /items/{id}", 2, "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", "a=1"],
    );
    const ms = (item: Item, field: string): number => Number(BigInt(String(item[field])) / 1_000_000n);
    assert.ok(Math.abs(ms(server, "startTimeUnixNano") - Date.now()) < 60_000);
    assert.ok(ms(server, "endTimeUnixNano") >= ms(server, "startTimeUnixNano"));
    assert.deepEqual([failed["status"], (failed["events"] as Item[])[0]?.name], [{ code: 2 }, "exception"]);

    const records = itemsOf(received, "/v1/logs");
    const asked = records.find(({ body }) => (body as { stringValue: string }).stringValue === "asked");
    assert.ok(asked !== undefined);
    assert.deepEqual(
      [asked["severityNumber"], asked["traceId"], asked["spanId"], asked["flags"], valuesOf(asked.attributes)],
      [9, traceId, server["spanId"], 1, { item: "7" }],
    );
    assert.equal(
      records.some(({ body }) => JSON.stringify(body).includes("not exported")),
      false,
    );
    assert.ok(lines.includes("not exported"));

    const all = itemsOf(received, "/v1/metrics");
    const durations = all.find(({ name }) => name === "http.server.request.duration") ?? assert.fail("no durations");
    const { dataPoints, aggregationTemporality } = durations["histogram"] as Record<string, unknown[]>;
    const point = dataPoints?.[0] as Item;
    assert.deepEqual(
      [aggregationTemporality, point["count"], (point["bucketCounts"] as string[]).length],
      [2, "1", 15],
    );
    assert.equal(valuesOf(point.attributes)["http.route"], "/items/{id}");
    assert.ok(all.some(({ name }) => name === "nodejs.eventloop.utilization"));
    assert.ok(all.some(({ name }) => name === "process.memory.usage"));

    const first = JSON.parse(received[0]?.body.toString() ?? "") as Request;
    const resource = valuesOf(Object.values(first)[0]?.[0].resource.attributes ?? []);
    assert.deepEqual([resource["service.name"], resource["service.version"]], ["shop", "1.2.3"]);
    assert.deepEqual([received[0]?.headers["x-key"], received[0]?.headers["content-type"]], ["k", "application/json"]);
    assert.deepEqual([otlp.lost, otlp.sent], [0, 3 + records.length + all.length]);
    await beans.close();
  });

  test("obeys the caller's sampled flag, and samples a share of the other traces", async () => {
    const { url, received } = await collector();
    const { otlp } = exporting({ url, sample: 0.25 });
    otlp.register();
    const from = (flag: string) => ({ headers: { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-${flag}` } });
    const app = Framework.create({ logger: { warn: () => undefined } }).use(new TracingMiddleware(otlp.tracer));
    app.get("/", () => "hello");
    await app.request("/", from("00"));
    for (let n = 0; n < 3; n += 1) await app.request("/", from("01"));
    await otlp.flush();
    assert.equal(itemsOf(received, "/v1/traces").length, 3);
    for (let n = 0; n < 400; n += 1) otlp.tracer.startSpan("root", { root: true }).end();
    await otlp.flush();
    const share = (itemsOf(received, "/v1/traces").length - 3) / 400;
    assert.ok(share > 0.1 && share < 0.4, String(share));
  });

  const codes: readonly (readonly [status: number, requests: number])[] = [
    [429, 2],
    [502, 2],
    [503, 2],
    [504, 2],
    [400, 1],
    [401, 1],
    [500, 1],
    [302, 1],
  ];
  for (const [status, requests] of codes)
    test(`${status} is ${requests === 2 ? "sent again after Retry-After" : "dropped, counted and warned about"}`, async () => {
      const headers = { "retry-after": "0", location: "/other" };
      const { url, received } = await collector({ status, headers });
      const { otlp, warnings } = exporting({ url, signals: ["traces"] });
      otlp.tracer.startSpan("a").end();
      await otlp.flush();
      assert.deepEqual(
        received.map(({ path }) => path),
        Array(requests).fill("/v1/traces"),
      );
      const lost = requests === 2 ? 0 : 1;
      const line = `OtlpExporter: 1 spans lost, 1 in all: the collector responded ${status}`;
      assert.deepEqual([otlp.lost, otlp.sent, warnings], [lost, 1 - lost, lost === 0 ? [] : [line]]);
    });

  test("what the collector rejects of a request is counted and not sent again", async () => {
    const body = JSON.stringify({ partialSuccess: { rejectedSpans: "2", errorMessage: "too old" } });
    // partial_success = 1 { rejected_spans = 1: 2, error_message = 2: "too old" }
    const bytes = Uint8Array.from([10, 11, 8, 2, 18, 7, ...Buffer.from("too old")]);
    for (const [protocol, reply] of [
      ["http/json", body],
      ["http/protobuf", bytes],
    ] as const) {
      const { url, received } = await collector({ body: reply });
      const { otlp, warnings } = exporting({ url, protocol, signals: ["traces"] });
      for (const name of ["a", "b", "c"]) otlp.tracer.startSpan(name).end();
      await otlp.flush();
      assert.deepEqual([received.length, otlp.lost, otlp.sent], [1, 2, 1]);
      assert.deepEqual(warnings, ["OtlpExporter: 2 spans lost, 2 in all: the collector says: too old"]);
    }
  });

  test("a request has a bounded number of items and bytes, and so has the queue", async () => {
    const { url, received } = await collector();
    const { otlp } = exporting({ url, signals: ["traces"], maxBatch: 4, maxQueue: 10, maxBatchBytes: 2_000 });
    for (let n = 0; n < 12; n += 1) otlp.tracer.startSpan(`span ${n}`).end();
    await otlp.flush();
    assert.deepEqual([itemsOf(received, "/v1/traces").length, otlp.lost], [10, 2]);
    assert.ok(received.every((one) => itemsOf([one], "/v1/traces").length <= 4));
    otlp.tracer.startSpan("large", { attributes: { text: "x".repeat(3_000) } }).end();
    for (let n = 0; n < 3; n += 1) otlp.tracer.startSpan("half", { attributes: { text: "x".repeat(1_000) } }).end();
    const before = received.length;
    await otlp.flush();
    assert.deepEqual([otlp.lost, received.length - before], [3, 3]);
  });

  test("a field with a large or circular object costs little, and a metric with many series is split", async () => {
    const { url, received } = await collector();
    const { otlp } = exporting({ url, maxBatchBytes: 200_000 });
    const wide: Record<string, unknown> = {};
    for (let n = 0; n < 100; n += 1) wide[`n${n}`] = wide;
    const begun = process.cpuUsage();
    otlp.logger({ info: () => undefined }).info?.("line", { wide, list: [wide, 1, null, 2n, new Date(0)] });
    assert.ok(process.cpuUsage(begun).user < 5e6);
    const histogram = otlp.meter.createHistogram("h");
    for (let n = 0; n < 2_100; n += 1) histogram.record(1, { n });
    await otlp.flush();
    assert.equal(itemsOf(received, "/v1/logs").length, 1);
    const points = itemsOf(received, "/v1/metrics").flatMap(
      (one) => (one["histogram"] as { dataPoints: Item[] }).dataPoints,
    );
    const others = points.filter(({ attributes }) => valuesOf(attributes)["otel.metric.overflow"] === true);
    assert.deepEqual([points.length, others.map(({ count }) => count), otlp.lost], [2_001, ["100"], 0]);
  });

  test("without traces a span leaves the caller's trace as it is", () => {
    const { otlp } = exporting({ signals: ["logs"] });
    const spanContext = { traceId: "a".repeat(32), spanId: "b".repeat(16), traceFlags: 1 };
    const active = trace.setSpanContext(ROOT_CONTEXT, spanContext);
    assert.deepEqual(otlp.tracer.startSpan("a", {}, active).spanContext(), spanContext);
    assert.equal(otlp.tracer.startSpan("a").isRecording(), false);
  });

  test("is gzipped if asked", async () => {
    const { url, received } = await collector();
    const { otlp } = exporting({ url, compression: "gzip", protocol: "http/protobuf" });
    otlp.tracer.startSpan("packed").end();
    await otlp.flush();
    assert.deepEqual(
      [received[0]?.headers["content-encoding"], received[0]?.headers["content-type"]],
      ["gzip", "application/x-protobuf"],
    );
    assert.ok(received[0]?.body.includes("packed"));
  });

  test("close ends within its grace when the collector does not respond, and counts what is lost", async () => {
    const { url } = await collector("never");
    const { otlp, warnings } = exporting({ url, signals: ["traces"] });
    otlp.tracer.startSpan("a").end();
    const begun = performance.now();
    await otlp.close({ graceMs: 50 });
    assert.ok(performance.now() - begun < 5_000);
    assert.deepEqual([otlp.lost, warnings.length], [1, 1]);
    otlp.tracer.startSpan("late").end();
    assert.equal(otlp.lost, 2);
  });

  test("a collector that is away costs the app nothing, and a failing callback or getter is isolated", async () => {
    const { otlp, warnings } = exporting({ url: "http://127.0.0.1:1", retryForMs: 1 });
    otlp.meter.createObservableGauge("bad").addCallback(() => Promise.reject(new Error("no figure")));
    otlp.meter.createCounter("good").add(1);
    const bad = Object.defineProperty({}, "x", { enumerable: true, get: () => assert.fail("a getter") });
    const printed: string[] = [];
    otlp.logger({ info: (line) => void printed.push(line) }).info?.("line", { bad });
    otlp.tracer.startSpan("a").end();
    await otlp.flush();
    assert.deepEqual([otlp.lost, printed], [3, ["line"]]);
    assert.ok(warnings.some((line) => line.includes("no figure")));
  });

  test("its requests are outside of the request that filled the batch, and not traced", async () => {
    const { url, received } = await collector();
    const { otlp } = exporting({ url, signals: ["traces"], maxBatch: 1 });
    otlp.register();
    const around = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const look = (): void =>
      void seen.push(
        around.getStore(),
        context.active().getValue(Symbol.for("OpenTelemetry SDK Context Key SUPPRESS_TRACING")),
      );
    subscribe("undici:request:create", look);
    await around.run("a request", async () => {
      otlp.tracer.startSpan("a").end();
      for (let turn = 0; turn < 500 && otlp.sent === 0; turn += 1)
        await new Promise((resolve) => setTimeout(resolve, 10));
    });
    unsubscribe("undici:request:create", look);
    assert.deepEqual([received.length, seen], [1, [undefined, true]]);
  });

  test("registered, it gets what libraries make with the API alone", async () => {
    const { url, received } = await collector();
    const { otlp } = exporting({ url });
    otlp.register();
    await trace.getTracer("driver").startActiveSpan("outer", async (outer) => {
      await null;
      const inner = trace.getTracer("driver").startSpan("inner", { kind: SpanKind.CLIENT });
      inner.setStatus({ code: SpanStatusCode.OK }).setStatus({ code: SpanStatusCode.ERROR });
      inner.end();
      logs.getLogger("driver").emit({ body: { query: "select 1" }, severityNumber: 9 });
      outer.end();
    });
    metrics.getMeter("driver").createUpDownCounter("open").add(2);
    await otlp.flush();
    const [inner, outer] = itemsOf(received, "/v1/traces");
    assert.deepEqual(
      [inner?.["parentSpanId"], inner?.["status"], inner?.["kind"]],
      [outer?.["spanId"], { code: 1 }, 3],
    );
    const [record] = itemsOf(received, "/v1/logs");
    assert.deepEqual(
      [record?.["spanId"], Object.keys(record?.["body"] as object)],
      [outer?.["spanId"], ["kvlistValue"]],
    );
    const [metric = assert.fail("no metric")] = itemsOf(received, "/v1/metrics");
    assert.deepEqual([metric.name, (metric["sum"] as { isMonotonic: boolean }).isMonotonic], ["open", false]);
  });

  test("registered, it is the context manager", () => {
    exporting({ signals: [] }).otlp.register();
    const key = Symbol("key");
    const bound = context.bind(ROOT_CONTEXT.setValue(key, 1), function (this: unknown, n: number): unknown {
      return [this, n, context.active().getValue(key)];
    });
    assert.deepEqual([bound.call("self", 7), bound.length, context.bind(ROOT_CONTEXT, 5)], [["self", 7, 1], 1, 5]);
    assert.equal(context.active(), ROOT_CONTEXT);
  });

  test("a span keeps 128 attributes, events and links, and counts the others", async () => {
    const { url, received } = await collector();
    const { otlp } = exporting({ url, signals: ["traces"] });
    const spanContext = { traceId: "a".repeat(32), spanId: "b".repeat(16), traceFlags: 1 };
    const span = otlp.tracer.startSpan("full", { startTime: new Date(1_000), links: [{ context: spanContext }] });
    for (let n = 0; n < 130; n += 1) {
      span.setAttribute(`n${n}`, n).setAttribute("n0", -1).addEvent("e", [2, 5_000]);
      span.addLink({ context: spanContext });
    }
    span.updateName("renamed").recordException("a text", 3_000);
    span.end([4, 0]);
    span.setAttribute("late", 1).addEvent("late").addLink({ context: spanContext }).updateName("late").end();
    await otlp.flush();
    const [item = assert.fail("no span"), ...others] = itemsOf(received, "/v1/traces");
    const counts = ["Attributes", "Events", "Links"].map((what) => item[`dropped${what}Count`]);
    assert.deepEqual([item.name, counts, others, valuesOf(item.attributes)["n0"]], ["renamed", [2, 3, 3], [], "-1"]);
    const seconds = [item["startTimeUnixNano"], item["endTimeUnixNano"]].map((nanos) => Number(nanos) / 1e9);
    assert.deepEqual(seconds.map(Math.round), [1, 4]);
  });

  test("is configured by OpenTelemetry's variables, and options go first", async () => {
    const { url, received } = await collector();
    Object.assign(process.env, {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/otlp/`,
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${url}/lines`,
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20b, x-other=2",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
      OTEL_METRICS_EXPORTER: "none",
      OTEL_SERVICE_NAME: "named",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test,service.name=other",
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "2",
      OTEL_BSP_MAX_QUEUE_SIZE: "many",
    });
    const { otlp, warnings } = exporting({ headers: { "x-other": "3" } });
    otlp.tracer.startSpan("a").end();
    otlp.meter.createCounter("never").add(1);
    otlp.logger({ info: () => undefined }).info?.("line");
    await otlp.flush();
    const paths = received.map(({ path, headers }) => [path, headers["x-key"], headers["x-other"]]).toSorted();
    assert.deepEqual(paths, [
      ["/lines", "a b", "3"],
      ["/otlp/v1/traces", "a b", "3"],
    ]);
    const { body } = received.find(({ path }) => path === "/lines") ?? assert.fail("no logs");
    const attributes = valuesOf(
      (JSON.parse(body.toString()) as Request)["resourceLogs"]?.[0].resource.attributes ?? [],
    );
    assert.deepEqual([attributes["service.name"], attributes["deployment.environment.name"]], ["named", "test"]);
    assert.deepEqual(warnings, [
      "OTEL_TRACES_SAMPLER_ARG is ignored: a number from 0 to 1 is allowed",
      "OTEL_BSP_MAX_QUEUE_SIZE is ignored: a whole number from 1 is allowed",
    ]);
    process.env["OTEL_SDK_DISABLED"] = "true";
    const { otlp: off } = exporting({});
    assert.equal(off.tracer.startSpan("a").isRecording(), false);
  });

  const wrong: Readonly<Record<string, [OtlpOptions, RegExp]>> = {
    url: [{ url: "collector:4318" }, /url is "collector:4318": http:\/\/… is allowed/],
    protocol: [{ protocol: "grpc" as never }, /protocol is "grpc": http\/protobuf and http\/json are allowed/],
    sample: [{ sample: 2 }, /sample is 2: a number from 0 to 1 is allowed/],
    maxBatch: [{ maxBatch: 0 }, /maxBatch is 0: a whole number from 1/],
    "an unknown option": [{ endpoint: "x" } as OtlpOptions, /OtlpExporter has no option endpoint/],
  };
  for (const [what, [options, message]] of Object.entries(wrong))
    test(`a wrong option is an error: ${what}`, () => assert.throws(() => new OtlpExporter(options), message));
});
