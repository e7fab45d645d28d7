/** ForeignSpans: the spans that are kept, and how requests are distinguished. span-receiver.test.ts has the rest. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Span } from "../../run/otlp/spans.ts";
import { ForeignSpans } from "./foreign-spans.ts";

const hex = (n: number, digits: number): string => n.toString(16).padStart(digits, "0");
const sent = hex(9, 16);
const spanOf = (trace: number, more: Partial<Span> = {}): Span => ({
  traceId: hex(trace, 32),
  spanId: hex(1, 16),
  parentSpanId: sent,
  name: "GET /",
  kind: 2,
  startUs: 0,
  endUs: 1,
  attributes: {},
  events: [],
  status: { code: 0, message: "" },
  service: "pay",
  scope: "",
  ...more,
});
const spansFor = (): ForeignSpans => new ForeignSpans(() => ({ text: (text) => text, value: (value) => value }));
const idOf = (trace: number, n = 1): string => `${hex(trace, 32)}-${sent}.${n}`;
const nameIn = (spans: ForeignSpans, id: string, origin = "http://pay"): string | undefined =>
  spans.read(origin, id)?.trace.calls[0]?.method;

describe("ForeignSpans.add", () => {
  it("keeps the 500 newest traces, and one that is added to is new again", () => {
    const spans = spansFor();
    for (let trace = 1; trace <= 500; trace += 1) spans.add([spanOf(trace)], 100);
    spans.add([spanOf(1, { spanId: hex(2, 16), parentSpanId: hex(1, 16), kind: 1 })], 100);
    spans.add([spanOf(501)], 100);
    assert.deepEqual(
      [1, 2, 3, 501].map((trace) => nameIn(spans, idOf(trace))),
      ["GET /", undefined, "GET /", "GET /"],
    );
    assert.equal(spans.version, 502);
  });

  it("keeps 32 MiB at most, and 8 MiB of one trace", () => {
    const spans = spansFor();
    const large = 8_000_000;
    assert.deepEqual(
      [1, 1, 2, 3, 4, 5].map((trace, at) => spans.add([spanOf(trace, { spanId: hex(at + 1, 16) })], large)),
      [0, 1, 0, 0, 0, 0],
    );
    assert.deepEqual([nameIn(spans, idOf(1)), nameIn(spans, idOf(2))], [undefined, "GET /"]);
  });
});

describe("ForeignSpans.refer", () => {
  it("counts the requests with one span by their origin, and rejects what is no traceparent", () => {
    const spans = spansFor();
    const header = `00-${hex(7, 32)}-${sent}-01`;
    const origins = ["http://a:1", "http://a:1", "http://b:2", "not an origin"];
    assert.deepEqual(
      origins.map((origin) => spans.refer(origin, header)?.id),
      [idOf(7), idOf(7, 2), idOf(7), undefined],
    );
    assert.deepEqual(
      ["", "00-x-y-01", `00-${hex(7, 32)}-${sent}`].map((other) => spans.refer("http://a", other)),
      [undefined, undefined, undefined],
    );
    for (let span = 0; span < 1_000; span += 1) spans.refer("http://a:1", `00-${hex(8, 32)}-${hex(span, 16)}-01`);
    assert.equal(spans.refer("http://a:1", header)?.id, idOf(7));
  });
});

describe("ForeignSpans.read", () => {
  it("finds the nth request with a span, at that port if the spans state one", () => {
    const spans = spansFor();
    const at = (n: number, port: number | undefined, name: string): Span =>
      spanOf(1, {
        spanId: hex(n, 16),
        startUs: n,
        name,
        attributes: port === undefined ? {} : { "server.port": port },
      });
    spans.add([at(3, undefined, "third"), at(2, 82, "second"), at(1, 81, "first")], 300);
    assert.deepEqual(
      [
        nameIn(spans, idOf(1)),
        nameIn(spans, idOf(1, 3)),
        nameIn(spans, idOf(1), "http://pay:82"),
        nameIn(spans, idOf(1, 2), "http://pay:82"),
        nameIn(spans, idOf(1, 4)),
        nameIn(spans, "i1.1"),
        nameIn(spans, idOf(2)),
      ],
      ["first", "third", "second", "third", undefined, undefined, undefined],
    );
  });
});
