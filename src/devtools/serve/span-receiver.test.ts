/** The receiver of spans: who may send, what is accepted, and how the service is drawn. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import { ROOT_CONTEXT, SpanKind, trace, TraceFlags } from "@opentelemetry/api";
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { Framework } from "framework";
import { OtlpExporter } from "framework/opentelemetry/otlp";
import { Devtools, type DevtoolsOptions, type ServiceRun, type Trace } from "../index.ts";

const dev = "/framework/dev";
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const sentId = "00f067aa0ba902b7";
const json = { "Content-Type": "application/json" };

interface Sent {
  readonly [member: string]: unknown;
}
/** A span of an export, from that many milliseconds after the first to that. */
const span = (spanId: string, parentSpanId: string, more: Sent = {}, [from, to] = [0, 10]): Sent => ({
  traceId,
  spanId,
  parentSpanId,
  name: `span ${spanId.slice(0, 2)}`,
  kind: 1,
  startTimeUnixNano: `${1_700_000_000_000 + from}000000`,
  endTimeUnixNano: `${1_700_000_000_000 + to}000000`,
  ...more,
});
const attributes = (values: Sent): readonly unknown[] =>
  Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === "number" ? { intValue: `${value}` } : { stringValue: value },
  }));
const exportOf = (service: string, spans: readonly Sent[], scope = "lib.http"): object => ({
  resourceSpans: [
    {
      resource: { attributes: attributes({ "service.name": service }) },
      scopeSpans: [{ scope: { name: scope }, spans }],
    },
  ],
});
const id = (n: number): string => n.toString(16).padStart(16, "0");

/** An application with the receiver, that has called another server once with `traceparent`. */
async function served(t: TestContext, options: DevtoolsOptions = { otlp: true }) {
  const warnings: string[] = [];
  const app = Framework.create({
    logger: { warn: (line) => void warnings.push(line), error: (line) => void warnings.push(line) },
  });
  const other = createServer((_, response) => response.end("ok")).listen(0, "127.0.0.1");
  await once(other, "listening");
  const origin = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const traceparent = `00-${traceId}-${sentId}-01`;
  app.get("/calls", async () => (await fetch(`${origin}/pay`, { headers: { traceparent } })).text());
  Devtools.create(options).install(app);
  await app.start(0);
  t.after(async () => {
    await app.stop();
    other.close();
  });
  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json, path = "/v1/traces") =>
    fetch(`${app.url}${dev}${path}`, { method: "POST", body, headers });
  const send = async (...given: Parameters<typeof exportOf>): Promise<unknown> =>
    (await post(JSON.stringify(exportOf(...given)))).json();
  const remote = async (run: string, at = origin): Promise<ServiceRun | number> => {
    const response = await fetch(`${app.url}${dev}/api/remote?${new URLSearchParams({ origin: at, id: run })}`);
    return response.status === 200 ? ((await response.json()) as ServiceRun) : response.status;
  };
  const called = async (): Promise<Trace> => {
    await (await fetch(`${app.url}/calls`)).text();
    const [trace] = (await (await fetch(`${app.url}${dev}/api/requests`)).json()) as Trace[];
    return trace ?? assert.fail("no run");
  };
  return { app, origin, post, send, remote, called, warnings };
}

/** The run, which must be there. */
const there = (run: ServiceRun | number): ServiceRun => (typeof run === "number" ? assert.fail(`${run}`) : run);
const outline = ({ trace: { calls, leaves } }: ServiceRun): readonly unknown[] => [
  calls.map(({ bean, method, parentId, depth, startUs, durationUs, error }) => [
    bean,
    method,
    parentId,
    depth,
    startUs,
    durationUs,
    error?.message,
  ]),
  leaves.map(({ kind, name, parentId, error }) => [kind, name, parentId, error?.message]),
];

describe("the receiver of spans", () => {
  it("accepts an export in JSON and in protobuf, with gzip, and names what it rejects", async (t) => {
    const { post } = await served(t);
    const body = JSON.stringify(exportOf("pay", [span(id(1), sentId), span("0".repeat(16), sentId)]));
    const replies = [
      await post(body),
      await post(gzipSync(body), { ...json, "Content-Encoding": "gzip" }),
      await post(new Uint8Array(), { "Content-Type": "application/x-protobuf" }),
    ];
    const partial = {
      partialSuccess: {
        rejectedSpans: "1",
        errorMessage: "without valid ids and times, or over the limits of devtools",
      },
    };
    assert.deepEqual(
      await Promise.all(
        replies.map(async (reply) => [reply.status, reply.headers.get("content-type"), await reply.text()]),
      ),
      [
        [200, "application/json", JSON.stringify(partial)],
        [200, "application/json", JSON.stringify(partial)],
        [200, "application/x-protobuf", ""],
      ],
    );
  });

  it("names in protobuf how many spans it rejects", async (t) => {
    const { post } = await served(t);
    const without = [0x0a, 7, 0x12, 5, 0x12, 3, 0x2a, 1, 0x78];
    const many = Uint8Array.from(Array.from({ length: 200 }, () => without).flat());
    const reply = await post(many, { "Content-Type": "application/x-protobuf" });
    const reason = Buffer.from("without valid ids and times, or over the limits of devtools");
    const inner = [0x08, 0xc8, 0x01, 0x12, reason.length, ...reason];
    assert.deepEqual([...new Uint8Array(await reply.arrayBuffer())], [0x0a, inner.length, ...inner]);
  });

  it("accepts what OpenTelemetry's SDK sends in protobuf", async (t) => {
    const { post, remote } = await served(t);
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const sender = { traceId, spanId: sentId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
    const around = trace.setSpanContext(ROOT_CONTEXT, sender);
    provider.getTracer("sdk").startSpan("GET /from-sdk", { kind: SpanKind.SERVER }, around).end();
    const ended = exporter.getFinishedSpans() as unknown as Parameters<
      typeof ProtobufTraceSerializer.serializeRequest
    >[0];
    const body = gzipSync(ProtobufTraceSerializer.serializeRequest(ended) ?? assert.fail("nothing"));
    const headers = { "Content-Type": "application/x-protobuf", "Content-Encoding": "gzip" };
    assert.equal((await post(body, headers)).status, 200);
    const run = there(await remote(`${traceId}-${sentId}.1`));
    assert.deepEqual(
      run.trace.calls.map(({ method }) => method),
      ["GET /from-sdk"],
    );
  });

  it("draws what OtlpExporter sends, in both encodings", async (t) => {
    for (const protocol of ["http/json", "http/protobuf"] as const) {
      const { app, remote, called } = await served(t);
      await called();
      const signals = ["traces"] as const;
      const otlp = new OtlpExporter({
        url: `${app.url}${dev}`,
        service: "pay",
        protocol,
        signals,
        compression: "gzip",
      });
      const sender = { traceId, spanId: sentId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
      const server = otlp.tracer.startSpan(
        "POST /pay",
        { kind: SpanKind.SERVER },
        trace.setSpanContext(ROOT_CONTEXT, sender),
      );
      otlp.tracer.startSpan("Ledger.book", {}, trace.setSpan(ROOT_CONTEXT, server)).end();
      server.end();
      await otlp.close();
      const { calls } = there(await remote(`${traceId}-${sentId}.1`)).trace;
      const shown = calls.map(({ bean, method, depth }) => [bean, method, depth]);
      assert.deepEqual([shown.length, shown[0]?.[1], otlp.sent, otlp.lost], [2, "POST /pay", 2, 0]);
    }
  });

  it("rejects what is no export, and a body over the limit, before and after decoding", async (t) => {
    const { post, app } = await served(t);
    const large = " ".repeat(1_048_577);
    const statuses = [
      await post("{}"),
      await post("[]"),
      await post("no json"),
      await post("{}", { "Content-Type": "text/plain" }),
      await post(Uint8Array.from([10, 200]), { "Content-Type": "application/x-protobuf" }),
      await post(large),
      await post(gzipSync(large), { ...json, "Content-Encoding": "gzip" }),
      await post("x", { ...json, "Content-Encoding": "gzip" }),
      await fetch(`${app.url}${dev}/v1/traces`),
    ].map(({ status }) => status);
    assert.deepEqual(statuses, [200, 400, 400, 415, 400, 413, 413, 400, 405]);
  });

  it("says why in a Status message, in the encoding of the request", async (t) => {
    const { post } = await served(t);
    const reply = await post("no json");
    assert.equal(reply.headers.get("content-type"), "application/json");
    const { message, ...others } = (await reply.json()) as { readonly message: string };
    assert.deepEqual([typeof message, others], ["string", {}]);
    const type = "application/x-protobuf";
    const failed = await post(Uint8Array.from([10, 200]), { "Content-Type": type });
    assert.equal(failed.headers.get("content-type"), type);
    const [tag, length, ...text] = new Uint8Array(await failed.arrayBuffer());
    assert.deepEqual([tag, length], [18, text.length]);
    assert.match(Buffer.from(text).toString(), /\w/);
  });

  it("is not there without the option, and only for this machine and no foreign page", async (t) => {
    const off = await served(t, {});
    assert.deepEqual((await off.post(JSON.stringify(exportOf("pay", [])))).status, 404);
    const { app, post } = await served(t, { otlp: true, allowRemote: true, allowedHosts: ["app.test"] });
    const body = JSON.stringify(exportOf("pay", []));
    const from = async (peerAddress: string, headers: IncomingHttpHeaders): Promise<number> => {
      const request = new Request(`http://localhost${dev}/v1/traces`, {
        method: "POST",
        body,
        headers: { ...json, ...headers } as never,
      });
      return (await app.fetch(request, { peerAddress })).status;
    };
    assert.deepEqual(
      [
        await from("127.0.0.1", { host: "localhost" }),
        await from("192.168.1.7", { host: "localhost" }),
        await from("127.0.0.1", { host: "evil.test" }),
        await from("127.0.0.1", { host: "localhost", origin: "http://evil.test" }),
        await from("127.0.0.1", { host: "localhost", "sec-fetch-site": "cross-site" }),
      ],
      [200, 404, 403, 403, 403],
    );
    assert.equal((await post(body, { ...json, Origin: "http://127.0.0.1:1" })).status, 403);
  });

  it("gives the spans below a request with traceparent as a run of the other service", async (t) => {
    const { called, origin, send, remote } = await served(t);
    const { leaves } = await called();
    const detail = leaves[0]?.detail;
    const reference = detail !== undefined && "run" in detail ? detail.run : null;
    assert.deepEqual(reference, { origin, id: `${traceId}-${sentId}.1` });
    const run = reference?.id ?? "";
    assert.equal(await remote(run), 404);
    await send("pay", [
      span(
        id(1),
        sentId,
        {
          kind: 2,
          name: "POST /pay",
          attributes: attributes({
            "http.request.method": "POST",
            "url.path": "/pay",
            "http.response.status_code": 402,
          }),
        },
        [0, 100],
      ),
      span(
        id(2),
        id(1),
        {
          name: "charge",
          attributes: attributes({ "code.function.name": "shop.Cards.charge", password: "hunter2" }),
          status: { code: 2, message: "declined" },
        },
        [10, 90],
      ),
      span(
        id(3),
        id(2),
        {
          kind: 3,
          name: "SELECT",
          attributes: attributes({
            "db.system": "postgresql",
            "db.query.text": "select 1",
            "db.response.returned_rows": 3,
          }),
        },
        [20, 30],
      ),
      span(
        id(4),
        id(2),
        {
          kind: 3,
          name: "GET",
          attributes: attributes({ "http.request.method": "GET", "url.full": "http://bank.test/x" }),
        },
        [40, 80],
      ),
      span(id(5), "9".repeat(16), { kind: 2, name: "elsewhere" }),
    ]);
    await send("bank", [span(id(6), id(4), { kind: 2, name: "GET /x" }, [50, 70])]);
    const pay = there(await remote(run));
    assert.deepEqual(
      [pay.name, pay.trace.method, pay.trace.path, pay.trace.status, pay.trace.durationUs],
      ["pay", "POST", "/pay", 402, 100_000],
    );
    assert.deepEqual(outline(pay), [
      [
        ["pay", "POST /pay", null, 0, 0, 100_000, undefined],
        ["Cards", "charge", 0, 1, 10_000, 80_000, "declined"],
      ],
      [
        ["sql", "SELECT", 1, undefined],
        ["http", "GET bank.test", 1, undefined],
      ],
    ]);
    assert.deepEqual(pay.graph.edges, [{ from: "pay", to: "Cards" }]);
    assert.deepEqual(pay.trace.calls[1]?.args, [{ "code.function.name": "shop.Cards.charge", password: "[redacted]" }]);
    const further = pay.trace.leaves[1]?.detail;
    const next = further !== undefined && "run" in further ? further.run : null;
    assert.deepEqual(outline(there(await remote(next?.id ?? "", next?.origin ?? ""))), [
      [["bank", "GET /x", null, 0, 0, 20_000, undefined]],
      [],
    ]);
  });

  it("draws each span once, for cycles, repeated spans and ids that two services use", async (t) => {
    const { send, remote } = await served(t);
    const cycle = [
      span(sentId, id(2), { name: "ours?" }),
      span(id(1), sentId, { kind: 2, name: "entry" }),
      span(id(2), id(1), { name: "a" }),
      span(id(1), id(2), { kind: 2, name: "entry" }),
      span(id(3), id(3), { name: "own parent" }),
    ];
    await send("pay", [...cycle.slice(0, 3), ...cycle.slice(1, 3), cycle[4] ?? {}]);
    await send("other", [
      span(id(2), id(1), { kind: 2, name: "same id" }),
      span(id(7), id(2), { name: "below other" }),
    ]);
    const run = there(await remote(`${traceId}-${sentId}.1`));
    assert.deepEqual(outline(run), [
      [
        ["pay", "entry", null, 0, 0, 10_000, undefined],
        ["http", "a", 0, 1, 0, 10_000, undefined],
        ["http", "ours?", 1, 2, 0, 10_000, undefined],
      ],
      [["http", "CALL other", 0, undefined]],
    ]);
  });

  it("keeps 10,000 spans of a trace in bounds, also as a chain", async (t) => {
    const { send, remote } = await served(t);
    const chain = Array.from({ length: 10_001 }, (_, n) =>
      span(id(n + 1), n === 0 ? sentId : id(n), { kind: n === 0 ? 2 : 1 }, [n, n + 1]),
    );
    let rejected: unknown;
    for (let at = 0; at < chain.length; at += 2_000) rejected = await send("pay", chain.slice(at, at + 2_000));
    assert.deepEqual(rejected, {
      partialSuccess: {
        rejectedSpans: "1",
        errorMessage: "without valid ids and times, or over the limits of devtools",
      },
    });
    const from = performance.now();
    const { trace } = there(await remote(`${traceId}-${sentId}.1`));
    assert.deepEqual([trace.calls.length, trace.droppedCalls], [500, 9_500]);
    assert.ok(performance.now() - from < 2_000);
  });
});
