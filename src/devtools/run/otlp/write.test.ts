/** A run as OTLP, read back: by our own reader, and as the SDK's encoder writes it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Leaf, Trace } from "../shapes.ts";
import { callOf, httpOf, logOf, sqlOf, traceOf } from "../traces.testkit.ts";
import { SpanFile } from "./span-file.ts";
import { readSpanFile } from "./spans.ts";
import { otlpText } from "./write.ts";

const cache: Leaf = {
  id: 3,
  parentId: 0,
  kind: "cache",
  name: "GET",
  detail: { system: "redis", command: "GET", key: "a", args: ["b"], hit: true },
  error: null,
  startUs: 4,
  durationUs: 1,
};
const message: Leaf = {
  ...cache,
  id: 4,
  kind: "message",
  name: "send",
  detail: { system: "kafka", operation: "send", destination: "orders", body: null },
};
const spanLeaf: Leaf = {
  ...cache,
  id: 5,
  kind: "span",
  name: "work",
  detail: { attributes: { a: [1, 1.5, true, null, { b: "c" }] }, status: "UNSET", spanId: null, parentSpanId: null },
};
const run: Trace = traceOf(
  [
    callOf(0, null, "Web", { method: "show", durationUs: 80 }),
    callOf(1, 0, "pay › Cards", { error: { name: "RangeError", message: "declined" }, durationUs: null }),
  ],
  {
    startedAt: 1_700_000_000_123,
    status: 500,
    leaves: [sqlOf(0, 0, "select 1"), httpOf(1, 0, null), logOf(2, 0, "asked"), cache, message, spanLeaf],
  },
);
const options = { name: "shop", serviceOf: (bean: string) => (bean.startsWith("pay › ") ? "pay" : undefined) };

describe("otlpText", () => {
  it("is a run that reads back with its calls, leaves, times, errors and services", () => {
    const file = new SpanFile(otlpText(run, options));
    const [again, ...more] = file.runs;
    assert.ok(again !== undefined);
    const { trace } = again;
    assert.deepEqual(
      [more.length, again.name, trace.method, trace.path, trace.route, trace.status, trace.startedAt, trace.durationUs],
      [0, "shop", "GET", "/x/1", "/x/{id}", 500, run.startedAt, 100],
    );
    assert.deepEqual(
      trace.calls.map(({ bean, method, startUs, durationUs }) => [bean, method, startUs, durationUs]),
      [
        ["shop", "GET /x/{id}", 0, 100],
        ["Web", "show", 0, 80],
        ["devtools", "work", 4, 1],
      ],
    );
    assert.deepEqual(
      trace.leaves.map(({ kind, name, parentId, startUs }) => [kind, name, parentId, startUs]),
      [
        ["sql", "SELECT", 1, 1],
        ["cache", "GET", 1, 4],
        ["message", "send", 1, 4],
        ["http", "CALL pay", 1, 10],
        ["http", "GET a", 1, 11],
        ["log", "info", 1, 21],
      ],
    );
    const behind = trace.leaves.flatMap((leaf) =>
      leaf.kind === "http" && leaf.detail.run ? [leaf.detail.run.id] : [],
    );
    const [pay] = behind.map((id) => file.read(id));
    assert.deepEqual(
      [pay?.name, pay?.trace.calls.map(({ method, error }) => [method, error])],
      ["pay", [["Cards.run", { name: "RangeError", message: "declined" }]]],
    );
  });

  it("has valid and distinct ids, the same each time, and continues the trace of its request", () => {
    const spans = readSpanFile(otlpText(run, options)).spans;
    assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, 1 + 2 + 5);
    assert.deepEqual(readSpanFile(otlpText(run, options)).spans, spans);
    assert.notEqual(readSpanFile(otlpText({ ...run, sequence: 2 }, options)).spans[0]?.traceId, spans[0]?.traceId);
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    const request = { ...run.request, headers: { traceparent: [traceparent] } };
    const [root] = readSpanFile(otlpText({ ...run, request }, options)).spans;
    assert.deepEqual([root?.traceId, root?.parentSpanId], ["a".repeat(32), "b".repeat(16)]);
  });
});
