/** The decoder of OTLP's protobuf, with what OpenTelemetry's SDK writes, and with broken bytes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SpanKind as Kind, SpanStatusCode, TraceFlags } from "@opentelemetry/api";
import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import fc from "fast-check";
import { decodeSpans } from "./protobuf.ts";
import { readSpans } from "./spans.ts";

type Spans = Parameters<typeof JsonTraceSerializer.serializeRequest>[0];

/** Spans with every kind of attribute, as the SDK ends them. */
function sdkSpans(): Spans {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const tracer = provider.getTracer("shop.orders", "1.0");
  const parent = { traceId: "a".repeat(32), spanId: "b".repeat(16), traceFlags: TraceFlags.SAMPLED };
  const attributes = {
    text: "é 🚀",
    yes: true,
    whole: 42,
    negative: -7,
    large: 2 ** 40,
    real: 1.5,
    texts: ["a", "b"],
    numbers: [1, 2.5],
    none: [],
  };
  const span = tracer.startSpan("GET /orders", { kind: Kind.SERVER, attributes });
  span.addEvent("cache miss", { key: "o-7" }).recordException(new RangeError("too low"));
  span.setStatus({ code: SpanStatusCode.ERROR, message: "no" }).end();
  Object.assign(span, { parentSpanContext: parent });
  tracer.startSpan("plain").end();
  return exporter.getFinishedSpans() as unknown as Spans;
}

const bytesOf = (spans: Spans): Uint8Array => ProtobufTraceSerializer.serializeRequest(spans) ?? assert.fail("nothing");

describe("decodeSpans", () => {
  it("reads what the SDK writes in protobuf as what it writes in JSON", () => {
    const spans = sdkSpans();
    const json = JSON.parse(Buffer.from(JsonTraceSerializer.serializeRequest(spans) ?? []).toString()) as unknown;
    const read = readSpans(decodeSpans(bytesOf(spans)));
    assert.deepEqual(read, readSpans(json));
    const [first] = read.spans;
    assert.deepEqual(
      [read.spans.length, read.rejected, first?.name, first?.parentSpanId, first?.kind, first?.scope, first?.status],
      [2, 0, "GET /orders", "b".repeat(16), 2, "shop.orders", { code: 2, message: "no" }],
    );
    assert.deepEqual(first?.attributes, {
      text: "é 🚀",
      yes: true,
      whole: 42,
      negative: -7,
      large: 2 ** 40,
      real: 1.5,
      texts: ["a", "b"],
      numbers: [1, 2.5],
      none: [],
    });
    assert.deepEqual(
      first?.events.map(({ name }) => name),
      ["cache miss", "exception"],
    );
  });

  it("is an empty export for no bytes, and skips unknown fields", () => {
    assert.deepEqual(decodeSpans(new Uint8Array()), { resourceSpans: [] });
    const unknown = [
      0x98, 0x06, 0x96, 0x01, 0x9d, 0x06, 1, 2, 3, 4, 0x99, 0x06, 1, 2, 3, 4, 5, 6, 7, 8, 0x9a, 0x06, 1, 0,
    ];
    assert.deepEqual(decodeSpans(Uint8Array.from(unknown)), { resourceSpans: [] });
  });

  const broken: Readonly<Record<string, readonly number[]>> = {
    "The protobuf message is cut.": [0x0a, 5, 1],
    "A field of the protobuf message has another type.": [0x08, 1],
    "The protobuf message has a field 0.": [0x02, 0],
  };
  for (const [message, bytes] of Object.entries(broken))
    it(`throws for ${JSON.stringify(bytes)}: ${message}`, () => {
      assert.throws(() => decodeSpans(Uint8Array.from(bytes)), { message });
    });

  it("throws for an endless number and for an attribute that is too deep", () => {
    assert.throws(() => decodeSpans(new Uint8Array(20).fill(0xff)), { message: "The protobuf message is cut." });
    // A list in a list …, 60 times, in an attribute of the resource.
    let value: Buffer = Buffer.from([0x10, 1]);
    const wrapped = (tag: number, inner: Buffer): Buffer => {
      const size = inner.length < 128 ? [inner.length] : [(inner.length % 128) + 128, Math.floor(inner.length / 128)];
      return Buffer.concat([Buffer.from([tag, ...size]), inner]);
    };
    for (let depth = 0; depth < 60; depth += 1) value = wrapped(0x2a, wrapped(0x0a, value));
    const message = wrapped(0x0a, wrapped(0x0a, wrapped(0x0a, wrapped(0x12, value))));
    assert.throws(() => decodeSpans(message), { message: "The protobuf message is too deep." });
  });

  it("returns or throws an Error for any bytes, and for a valid export with changed bytes", () => {
    const valid = bytesOf(sdkSpans());
    const returnsOrThrows = (bytes: Uint8Array): void => {
      try {
        readSpans(decodeSpans(bytes));
      } catch (error) {
        assert.match((error as Error).message, /^(?:The|A field of the) protobuf message /);
      }
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), returnsOrThrows), { numRuns: 2_000 });
    const change = fc.array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(change, fc.nat(valid.length), (changes, length) => {
        const bytes = valid.slice();
        for (const [at, byte] of changes) bytes[at] = byte;
        returnsOrThrows(bytes);
        returnsOrThrows(bytes.subarray(0, length));
      }),
      { numRuns: 2_000 },
    );
  });
});
