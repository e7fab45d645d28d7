/** The encoder, beside what OpenTelemetry's SDK writes for the same messages. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from "@opentelemetry/api";
import * as otlp from "@opentelemetry/otlp-transformer";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { encode, itemTables, type Message } from "./protobuf.ts";
import type { OtlpSignal } from "./settings.ts";

/** The fields of protobuf bytes by number, without knowledge of the message: a block that can be a message is read as one. */
function treeOf(bytes: Uint8Array): unknown {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fields: Record<number, unknown[]> = {};
  let at = 0;
  const varint = (): bigint => {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? assert.fail("cut");
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const values = (fields[tag >> 3] ??= []);
    if ((tag & 7) === 0) values.push(`varint ${varint()}`);
    else if ((tag & 7) === 1) values.push(`fixed64 ${view.getBigUint64((at += 8) - 8, true)}`);
    else if ((tag & 7) === 5) values.push(`fixed32 ${view.getUint32((at += 4) - 4, true)}`);
    else {
      assert.equal(tag & 7, 2, "an unknown wire type");
      const size = Number(varint());
      const block = bytes.subarray(at, (at += size));
      assert.ok(at <= bytes.length, "a cut block");
      values.push(shownBlock(block));
    }
  }
  return fields;
}

/** A message if it can be one, else its bytes. The same bytes always give the same. */
function shownBlock(block: Uint8Array): unknown {
  const bytes = Buffer.from(block).toString("hex");
  try {
    return block.length === 0 ? bytes : { message: treeOf(block) };
  } catch {
    return bytes;
  }
}

/** The repeated items in a request of the SDK: request 1 → resource 2 → scope 2. */
function itemsOf(request: Uint8Array): unknown[] {
  const inside = (value: unknown, number: number): unknown[] =>
    (value as { message: Record<number, unknown[]> }).message[number] ?? [];
  return inside(shownBlock(request), 1)
    .flatMap((resource) => inside(resource, 2))
    .flatMap((scope) => inside(scope, 2));
}

/** A field whose value is that of an absent one may be left out. */
function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, withoutDefaults(inner)] as const);
  const isDefault = (inner: unknown): boolean =>
    Array.isArray(inner) && inner.length === 1 && ["", "varint 0", "fixed32 0"].includes(inner[0] as string);
  return Object.fromEntries(entries.filter(([, inner]) => !isDefault(inner)));
}

const attributes = { text: "é 🚀", yes: true, whole: 42, negative: -7, large: 2 ** 40, real: 1.5, list: ["a", "b"] };

function spans(): unknown {
  const exporter = new InMemorySpanExporter();
  const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer("shop");
  const parent = { traceId: "a".repeat(32), spanId: "b".repeat(16), traceFlags: TraceFlags.SAMPLED, isRemote: true };
  const active = trace.setSpanContext(ROOT_CONTEXT, parent);
  const links = [{ context: { ...parent, spanId: "c".repeat(16) }, attributes: { why: "sent" } }];
  const span = tracer.startSpan("GET /orders", { kind: SpanKind.SERVER, attributes, links }, active);
  span.addEvent("cache miss", { key: "o-7" }).recordException(new RangeError("too low"));
  span.setStatus({ code: SpanStatusCode.ERROR, message: "no" }).end();
  tracer.startSpan("plain").end();
  return exporter.getFinishedSpans();
}

async function metrics(): Promise<unknown> {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 });
  const meter = new MeterProvider({ readers: [reader] }).getMeter("shop");
  meter.createCounter("orders", { unit: "{order}", description: "Orders." }).add(3, { kind: "new" });
  meter.createUpDownCounter("open").add(-2);
  meter.createGauge("level").record(1.5);
  const durations = meter.createHistogram("took", { unit: "s", advice: { explicitBucketBoundaries: [0.1, 1] } });
  for (const value of [0.05, 0.5, 300]) durations.record(value, { route: "/a" });
  await reader.forceFlush();
  const [first] = exporter.getMetrics();
  await reader.shutdown();
  return first;
}

const logs = (): unknown => [
  {
    hrTime: [1_700_000_000, 5_000_000],
    hrTimeObserved: [1_700_000_000, 6_000_000],
    spanContext: { traceId: "a".repeat(32), spanId: "b".repeat(16), traceFlags: 1 },
    severityText: "WARN",
    severityNumber: 13,
    eventName: "disk.low",
    body: "low on space",
    resource: { attributes: {}, asyncAttributesPending: false },
    instrumentationScope: { name: "shop" },
    attributes: { ...attributes, inner: { deep: [1, { a: true }] }, raw: new Uint8Array([0, 255]) },
    droppedAttributesCount: 2,
  },
];

interface Serializer {
  serializeRequest(request: never): Uint8Array | undefined;
}
const cases: Readonly<Record<OtlpSignal, readonly [() => unknown, Serializer, Serializer]>> = {
  traces: [spans, otlp.JsonTraceSerializer, otlp.ProtobufTraceSerializer],
  metrics: [metrics, otlp.JsonMetricsSerializer, otlp.ProtobufMetricsSerializer],
  logs: [logs, otlp.JsonLogsSerializer, otlp.ProtobufLogsSerializer],
};

describe("encode", () => {
  for (const [signal, [made, json, protobuf]] of Object.entries(cases))
    test(`writes ${signal} in JSON form as the SDK writes them in protobuf`, async () => {
      const request = (await made()) as never;
      const text = Buffer.from(json.serializeRequest(request) ?? assert.fail("nothing")).toString();
      const [resource] = Object.values(
        JSON.parse(text) as Record<string, [Record<string, [Record<string, Message[]>]>]>,
      );
      const [scopes] = Object.values(resource?.[0] ?? {}).filter(Array.isArray);
      const items = Object.values(scopes?.[0] ?? {}).find(Array.isArray) as Message[];
      const table = itemTables[signal as OtlpSignal];
      const ours = items.map((item) => withoutDefaults(shownBlock(encode(table, item))));
      const theirs = itemsOf(protobuf.serializeRequest(request) ?? assert.fail("nothing")).map(withoutDefaults);
      assert.ok(ours.length > 0);
      assert.deepEqual(ours, theirs);
    });

  test("writes numbers of every size", () => {
    const value = (intValue: unknown): Message => ({ attributes: [{ key: "", value: { intValue } }] });
    const bytes = (number: unknown): string => Buffer.from(encode(itemTables.logs, value(number))).toString("hex");
    // 32: attributes, 0a00: the key, 12: the value, 18: intValue
    assert.equal(bytes("0"), "32060a0012021800");
    assert.equal(bytes("300"), "32070a00120318ac02");
    assert.equal(bytes("-1"), "320f0a00120b18ffffffffffffffffff01");
    assert.equal(bytes(`${2n ** 63n - 1n}`), "320e0a00120a18ffffffffffffffff7f");
  });
});
