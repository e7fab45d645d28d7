/**
 * Spans of OpenTelemetry's SDK as leaves.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { SpanKind, SpanStatusCode, type Tracer } from "@opentelemetry/api";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import type { Leaf } from "../../index.ts";
import { Watched } from "./watched.test.ts";

/** The leaves of a run that makes spans within a bean's call. */
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
  it("LEAF-020: shows a span under the call that was active, from its start to its end", async () => {
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

  it("LEAF-020: tells a statement, a command of a cache and a message by their attributes, old and new", async () => {
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
      ...["cache", "GET"],
      { system: "redis", command: "GET", key: "a", args: ["b"], hit: null },
    ]);
    const messaging = { "messaging.system": "kafka", "messaging.operation.name": "send" };
    assert.deepEqual(await shown({ ...messaging, "messaging.destination.name": "orders" }), [
      ...["message", "send"],
      { system: "kafka", operation: "send", destination: "orders", body: null },
    ]);
  });

  it("LEAF-020: has the error of a span that failed: its exception, else the message of its status", async () => {
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

  it("LEAF-020: has nothing of a SERVER span, and with leaves: false of none", async () => {
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
