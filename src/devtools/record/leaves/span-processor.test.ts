/**
 * Spans of OpenTelemetry's SDK as leaves.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { SpanKind, SpanStatusCode, type Tracer } from "@opentelemetry/api";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import type { Leaf } from "../../index.ts";
import { Watched } from "./watched.testkit.ts";

/** The leaves of a run with spans within a bean's call. */
async function leavesOf(work: (tracer: Tracer) => unknown, leaves = true): Promise<readonly Leaf[]> {
  const watched = new Watched({ leaves }, (_, store) => store.load(async () => await work(provider.getTracer("test"))));
  const provider = new BasicTracerProvider({ spanProcessors: [watched.devtools.spanProcessor()] });
  const trace = await watched.trace();
  await provider.shutdown();
  return trace.leaves;
}

/** The kind and the detail of a span with these attributes. */
async function shown(attributes: Record<string, string | number | string[]>): Promise<readonly unknown[]> {
  const [leaf] = await leavesOf((tracer) => tracer.startSpan("name", { kind: SpanKind.CLIENT, attributes }).end());
  return [leaf?.kind, leaf?.name, leaf?.detail];
}

describe("devtools.spanProcessor", () => {
  it("shows a span under the call that was active, from its start to its end", async () => {
    const [leaf, ...more] = await leavesOf(async (tracer) => {
      const span = tracer.startSpan("work", { attributes: { early: 1 } });
      span.setAttribute("password", "hunter2-long").updateName("real work");
      await setImmediate();
      span.setStatus({ code: SpanStatusCode.OK }).end();
    });
    assert.ok(leaf?.kind === "span" && leaf.durationUs !== null && leaf.durationUs > 0);
    const { spanId, ...detail } = leaf.detail;
    assert.match(spanId ?? "", /^[0-9a-f]{16}$/);
    assert.deepEqual(
      [leaf.parentId, leaf.name, detail, more],
      [0, "real work", { attributes: { early: 1, password: "[redacted]" }, status: "OK", parentSpanId: null }, []],
    );
  });

  it("recognises a statement, a cache command and a message by their attributes, old and new", async () => {
    const rest = { system: "postgresql", statement: "select $1" };
    const of = { "db.system.name": "postgresql", "db.query.text": "select $1" };
    const sql = (more: object): readonly unknown[] => [
      "sql",
      "SELECT",
      { ...rest, parameters: [], rows: null, ...more },
    ];
    assert.deepEqual(
      await shown({ ...of, "db.query.parameter.0": "7", "db.response.returned_rows": 3 }),
      sql({ parameters: ["7"], rows: 3 }),
    );
    const values = { "db.postgresql.values": ["7", "8"] };
    assert.deepEqual(
      await shown({ "db.system": "postgresql", "db.statement": "select $1", ...values }),
      sql({ parameters: ["7", "8"] }),
    );
    assert.deepEqual(await shown({ "db.system": "redis", "db.statement": "GET a b" }), [
      "cache",
      "GET",
      { system: "redis", command: "GET", key: "a", args: ["b"], hit: null },
    ]);
    const messaging = { "messaging.system": "kafka", "messaging.operation.name": "send" };
    assert.deepEqual(await shown({ ...messaging, "messaging.destination.name": "orders" }), [
      "message",
      "send",
      { system: "kafka", operation: "send", destination: "orders", body: null },
    ]);
  });

  it("recognises caches by name, and separates systems with and without a statement", async () => {
    for (const system of ["redis", "memcached", "valkey"])
      assert.deepEqual(await shown({ "db.system.name": system, "db.operation.name": "get" }), [
        "cache",
        "GET",
        { system, command: "GET", key: "", args: [], hit: null },
      ]);
    const [, name, detail] = await shown({ "db.system": "redis", "db.operation": "del" });
    assert.deepEqual([name, (detail as { command: string }).command], ["DEL", "DEL"]);
    assert.deepEqual(await shown({ "db.system": "redis" }), [
      "cache",
      "",
      { system: "redis", command: "", key: "", args: [], hit: null },
    ]);
    const long = await shown({ "db.system": "redis", "db.statement": `GET ${"k".repeat(5_000)} v` });
    assert.deepEqual(long[2], { system: "redis", command: "GET", key: "k".repeat(4_092), args: [], hit: null });
    const kinds = [{ "db.system": "mongodb" }, { "db.statement": "select 1" }, { "db.system": "x", "db.statement": 7 }];
    for (const attributes of kinds) assert.equal((await shown(attributes))[0], "span", JSON.stringify(attributes));
    const old = { "messaging.system": "kafka", "messaging.operation": "send", "messaging.destination": "orders" };
    assert.deepEqual((await shown(old))[2], { system: "kafka", operation: "send", destination: "orders", body: null });
    const typed = { ...old, "messaging.operation.type": "publish", "messaging.operation.name": "send_it" };
    assert.equal((await shown(typed))[1], "publish");
  });

  it("a span of another shape does not reach the application, and is a leaf without a detail", async () => {
    const watched = new Watched({}, () => {
      const processor = watched.devtools.spanProcessor();
      const broken = {
        name: "broken",
        get attributes(): object {
          throw new TypeError("no attributes");
        },
      };
      for (const span of [{}, { name: 7, status: null, parentSpanId: "0".repeat(16) }, broken]) {
        processor.onStart(span, undefined);
        processor.onEnd(span);
        processor.onEnd(span);
      }
      processor.onEnd({});
    });
    const { leaves } = await watched.trace();
    const detail = { attributes: {}, status: "UNSET", spanId: null, parentSpanId: null };
    assert.deepEqual(
      leaves.map((leaf) => [leaf.kind, leaf.name, leaf.detail, leaf.error, leaf.durationUs !== null]),
      [
        ["span", "", detail, null, true],
        ["span", "", { ...detail, parentSpanId: "0".repeat(16) }, null, true],
        ["span", "broken", detail, null, true],
      ],
    );
    assert.deepEqual(
      watched.lines.filter((line) => line.includes("OpenTelemetry")),
      ["devtools: what a span of OpenTelemetry publishes could not be shown: TypeError: no attributes"],
    );
  });

  it("names the span above it, by either SDK, and only its own error", async () => {
    const watched = new Watched({}, () => {
      const processor = watched.devtools.spanProcessor();
      const [own, above] = ["1".repeat(16), "2".repeat(16)];
      const spanContext = (): object => ({ spanId: own });
      const status = { code: SpanStatusCode.ERROR, message: "no" };
      for (const span of [
        { spanContext, parentSpanContext: { spanId: above }, parentSpanId: own },
        { spanContext, parentSpanId: above, status: { code: SpanStatusCode.OK, message: "no" } },
        { status, attributes: { "db.system": "redis", "db.statement": "GET k" } },
        { status, attributes: { "db.system": "x", "db.statement": "select 1" }, events: [{ name: "exception" }] },
        { status: { ...status, message: 7 }, attributes: { "messaging.system": "kafka" } },
        { status, events: [{ name: "retry", attributes: { "exception.message": "not this one" } }] },
      ]) {
        processor.onStart(span, undefined);
        processor.onEnd(span);
      }
      assert.deepEqual(
        [processor.forceFlush(), processor.shutdown()].map((one) => one instanceof Promise),
        [true, true],
      );
    });
    const { leaves } = await watched.trace();
    const ids = leaves.map(({ detail }) => ("spanId" in detail ? [detail.spanId, detail.parentSpanId] : []));
    assert.deepEqual(ids.slice(0, 2), [
      ["1".repeat(16), "2".repeat(16)],
      ["1".repeat(16), "2".repeat(16)],
    ]);
    assert.deepEqual(
      leaves.map(({ kind, error }) => [kind, error?.name, error?.message]),
      [
        ["span", undefined, undefined],
        ["span", undefined, undefined],
        ["cache", "Error", "no"],
        ["sql", "Error", "no"],
        ["message", "Error", ""],
        ["span", "Error", "no"],
      ],
    );
  });

  it("has the error of a failed span, from its exception or the message of its status", async () => {
    const leaves = await leavesOf((tracer) => {
      const thrown = tracer.startSpan("thrown");
      thrown.recordException(new RangeError("too much"));
      thrown.setStatus({ code: SpanStatusCode.ERROR }).end();
      tracer.startSpan("said").setStatus({ code: SpanStatusCode.ERROR, message: "no" }).end();
    });
    assert.deepEqual(
      leaves.map(({ error }) => error),
      [
        { name: "RangeError", message: "too much" },
        { name: "Error", message: "no" },
      ],
    );
  });

  it("ignores a SERVER span, and with leaves: false every span", async () => {
    const spans = (tracer: Tracer): void => {
      tracer.startSpan("GET /", { kind: SpanKind.SERVER }).end();
      tracer.startSpan("own").end();
    };
    assert.deepEqual(
      (await leavesOf(spans)).map(({ name }) => name),
      ["own"],
    );
    assert.deepEqual(await leavesOf(spans, false), []);
  });
});
