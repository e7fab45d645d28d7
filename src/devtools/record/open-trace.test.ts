/** Open traces: a request in progress, and its data at the end. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Completion, Context } from "framework";
import type { TraceTools, UnnumberedTrace } from "./finished-trace.ts";
import { KnownSecrets } from "../capture/secrets/known.ts";
import { plainTools } from "../capture/plain-snapshots.testkit.ts";
import { SentHeaders } from "./services/sent-headers.ts";
import { OpenTrace } from "./open-trace.ts";

/** A request with this context, its tools, and a listener for the pieces of its response. */
function opened(more: object = {}, tools: TraceTools = plainTools()) {
  const heard: ((chunk: string | Uint8Array) => void)[] = [];
  const ctx = {
    method: "PUT",
    url: "/things/hunter2-p",
    search: "",
    route: "/things/{token}",
    query: {},
    startedAt: 7,
    params: { token: "hunter2-p" },
    peerAddress: "127.0.0.1",
    requestHeaders: () => [["Host", "localhost:1"]],
    attribute: () => undefined,
    bodyIfRead: () => undefined,
    header: () => "text/plain",
    onChunk: (hear: (chunk: string | Uint8Array) => void) => void heard.push(hear),
    ...more,
  } as unknown as Context;
  const trace = new OpenTrace(ctx, new SentHeaders(ctx), tools);
  return { trace, chunk: (text: string) => heard.forEach((hear) => hear(text)) };
}

/** The trace of a request with this end. */
function ended(trace: OpenTrace, more: Partial<Completion> = {}): UnnumberedTrace {
  const plain = {
    status: 200,
    bytes: 3,
    durationMs: 1,
    aborted: false,
    error: undefined,
    headers: [],
    body: undefined,
  };
  return trace.end({ ...plain, ...more }, { calls: [], leaves: [] }).finish().trace;
}

describe("OpenTrace", () => {
  it("has for arguments and results the room of a trace minus two snapshots, and at least zero bytes", () => {
    const budgetOf = (traceBytes: number): number =>
      opened({}, plainTools({ traceBytes, snapshotBytes: 100 })).trace.recording.budget;
    assert.deepEqual([budgetOf(1_000), budgetOf(200), budgetOf(10)], [800, 0, 0]);
    assert.equal(opened().trace.recording.startedAt, 7);
  });

  it("recognises a client that is a service on this machine", () => {
    assert.equal(opened().trace.isOfNeighbour, true);
    assert.equal(opened({ peerAddress: "10.1.2.3" }).trace.isOfNeighbour, false);
  });

  it("TRACE-041: is described, and shown as a value, without the secret in its path", () => {
    const tools = plainTools();
    const { trace } = opened({}, tools);
    const other = new KnownSecrets();
    tools.snapshots.within(other);
    const before = Date.now();
    const { startedAt, ...described } = trace.described();
    assert.deepEqual(described, {
      kind: "request",
      correlationId: null,
      method: "PUT",
      path: "/things/[redacted]",
      route: "/things/{token}",
    });
    assert.ok(before - startedAt >= 0 && before - startedAt < 60_000);
    assert.deepEqual([other.isEmpty, trace.recording.secrets.isEmpty], [true, false]);
    assert.deepEqual(trace.shown, { $context: "PUT /things/[redacted]" });
    assert.equal(opened({ route: undefined }).trace.described().route, null);
  });

  it("TRACE-090: has the annotations of middleware in order, and no member without any", () => {
    const { trace } = opened();
    trace.annotated("first", 1);
    trace.annotated("second", { a: 2 });
    assert.deepEqual(ended(trace).annotations, [
      { name: "first", value: 1 },
      { name: "second", value: { a: 2 } },
    ]);
    assert.equal("annotations" in ended(opened().trace), false);
  });

  it("has the beginning of a body in pieces", () => {
    const { trace, chunk } = opened();
    for (const text of ["a", "bc"]) chunk(text);
    assert.equal(ended(trace, { headers: ["content-type", "text/plain"] }).response.body, "abc");
  });

  it("has its request body, redacted with its own secrets, and the run it is", () => {
    const tools = plainTools();
    const { trace } = opened({ bodyIfRead: () => "password=hunter2-b" }, tools);
    Object.assign(trace, { run: 4, named: "i" });
    const other = new KnownSecrets();
    tools.snapshots.within(other);
    const { run, request } = ended(trace, { headers: ["x-named", "i"] });
    assert.deepEqual([run, request.body], [4, "password=[redacted]"]);
    assert.deepEqual([other.isEmpty, trace.recording.secrets.text("hunter2-b")], [true, "[redacted]"]);
  });

  const packed = Uint8Array.of(1, 2, 3);
  const bodies: Readonly<Record<string, readonly [recorded: unknown, shown: unknown]>> = {
    "a text": ["plain", "plain"],
    "bytes, as far as they are a text": [new TextEncoder().encode("plain"), "plain"],
    "nothing that was recorded in pieces": [{ pipe: 1 }, { $bytes: 3 }],
  };
  for (const [what, [body, shown]] of Object.entries(bodies))
    it(`shows for a compressed response ${what}`, () => {
      const { trace } = opened();
      trace.recorded({ body } as unknown as Parameters<OpenTrace["recorded"]>[0]);
      const headers = ["content-type", "text/plain", "content-encoding", "gzip"];
      assert.deepEqual(ended(trace, { body: packed, headers }).response.body, shown);
    });
});
