/** Ended requests: nothing changes a request between its end and the making of its trace (TRACE). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Beans, type Context, Framework, Interface } from "framework";
import { Devtools, type Trace } from "../index.ts";
import type { Call, Leaf } from "../run/shapes.ts";
import { Beginning } from "../capture/http/bodies.ts";
import { EndedRequest, type Left } from "./ended-request.ts";
import type { TraceTools } from "./finished-trace.ts";
import { KnownSecrets } from "../capture/secrets/known.ts";
import { plainTools } from "../capture/plain-snapshots.testkit.ts";
import { beginRecording, type Recording } from "./recorder.ts";
import type { Replay } from "./replay/replay.ts";
import { SentHeaders } from "./services/sent-headers.ts";

interface Clock {
  now(): number;
}
const Clock: Interface<Clock> = Interface("Clock");

/** An application with devtools, and the last trace it has. */
function subject(): { readonly app: Framework; readonly last: () => Promise<Trace> } {
  const app = Framework.create({ logger: { warn: () => undefined, error: () => undefined } });
  const devtools = Devtools.create();
  const beans = Beans.builder()
    .bind(Clock, () => ({ now: () => 7 }))
    .instrument(devtools.recorder())
    .start();
  devtools.install(app.beans(beans), beans);
  const last = async (): Promise<Trace> => {
    const list = new Request("http://localhost/framework/dev/api/requests");
    const [trace] = (await (await app.fetch(list, { peerAddress: "127.0.0.1" })).json()) as Trace[];
    return trace ?? assert.fail("there is no trace");
  };
  return { app, last };
}

describe("EndedRequest", () => {
  it("TRACE-012: a request that is sent again with another header has the header that it was sent with", async () => {
    const { app, last } = subject();
    app.get("/", () => "");
    const request = new Request("http://localhost/", { headers: { "x-step": "1", "x-token": "first-secret-1" } });
    await app.fetch(request);
    request.headers.set("x-step", "2");
    request.headers.set("x-token", "other-secret-2");
    const { headers } = (await last()).request;
    assert.deepEqual([headers["x-step"], headers["x-token"]], [["1"], ["[redacted]"]]);
  });

  it("TRACE-012: later changes by the application to its request and its bodies are not shown", async () => {
    const { app, last } = subject();
    let kept: Context | undefined;
    let value: { name: string } | undefined;
    const bytes = new TextEncoder().encode('{"as":"sent"}');
    app.post("/things/{id}", async (ctx) => {
      kept = ctx;
      value = (await ctx.body()) as { name: string };
      void ctx.query["q"];
      ctx.setHeader("content-type", "application/json").send(bytes);
    });
    const headers = { "content-type": "application/json" };
    const body = '{"name":"before"}';
    await app.fetch(new Request("http://localhost/things/7?q=1", { method: "POST", headers, body }));
    assert.ok(kept && value);
    value.name = "after";
    bytes.fill(0x20);
    kept.attribute("requestId", "after");
    kept.setRoute("/after");
    (kept.params as Record<string, string>)["id"] = "after";
    (kept.query as Record<string, string[]>)["q"]?.push("after");
    const trace = await last();
    assert.deepEqual(
      [trace.request.body, trace.request.pathParams, trace.request.query, trace.response.body, trace.route],
      [{ name: "before" }, { id: "7" }, { q: ["1"] }, { as: "sent" }, "/things/{id}"],
    );
    assert.doesNotMatch(JSON.stringify(trace), /after/);
  });

  it("TRACE-041: a value hidden in one place is hidden in all, also in a trace that is made late", async () => {
    const { app, last } = subject();
    app.get("/reset/{token}", (ctx) =>
      ctx.setHeader("x-note", "for hunter-77-zebra").json({ said: "hunter-77-zebra" }),
    );
    const cookies = { cookie: "sid=hunter-77-zebra; theme=dark" };
    await app.fetch(new Request("http://localhost/reset/hunter-77-zebra", { headers: cookies }));
    const trace = await last();
    assert.doesNotMatch(JSON.stringify(trace), /hunter/);
    assert.deepEqual(
      [trace.path, trace.request.cookies, trace.response.headers["x-note"], trace.response.body],
      ["/reset/[redacted]", ["sid", "theme"], ["for [redacted]"], { said: "[redacted]" }],
    );
  });

  it("TRACE-054: a call that begins after the end is dropped, but does not count as one too many", async () => {
    const { app, last } = subject();
    let late: Promise<void> | undefined;
    app.get("/", (ctx) => {
      const clock = ctx.get(Clock);
      late = turn().then(() => void clock.now());
      return String(clock.now());
    });
    await app.fetch(new Request("http://localhost/"));
    await late;
    const { calls, droppedCalls, callLimit } = await last();
    assert.deepEqual([calls.length, droppedCalls, callLimit], [1, 1, undefined]);
  });

  it("is a trace without its payload if making it fails", () => {
    const failing = { secrets: undefined, within: () => undefined, text: () => assert.fail("no") };
    const tools = { snapshots: failing, redactor: failing, paths: failing, errors: failing, maxCalls: 1 };
    const plain = { method: "GET", url: "/secret", search: "", route: "/{id}", params: {} };
    const ctx = { ...plain, requestHeaders: () => [["a", "b"]], attribute: () => undefined };
    const completion = { status: 200, bytes: 3, durationMs: 1, aborted: false, error: undefined, headers: [] };
    const shown = { ...completion, body: "abc" };
    const ended = new EndedRequest(ctx as unknown as Context, tools as unknown as TraceTools, {
      run: 4,
      recording: beginRecording(0, 1e3),
      budget: 1e3,
      startedAt: 5,
      named: undefined,
      annotations: undefined,
      steps: [],
      beginning: undefined,
      completion: shown,
      shown,
      finished: { calls: [], leaves: [] },
      sent: new SentHeaders(ctx as unknown as Context),
      sentBody: { json: null, bytes: 0 },
    });
    const { trace } = ended.finish();
    assert.deepEqual(
      [trace.path, trace.route, trace.status, trace.request.headers, trace.response, trace.run],
      ["[redacted]", "/{id}", 200, {}, { headers: {}, body: null, bytes: 3 }, 4],
    );
  });
});

/** An ended request without an application: its context, and the result of its open trace. */
function endedOf({
  ctx = {},
  left = {},
  completion = {},
  tools = plainTools(),
}: {
  readonly ctx?: object;
  readonly left?: Partial<Left>;
  readonly completion?: Partial<Left["completion"]>;
  readonly tools?: TraceTools;
} = {}): EndedRequest {
  const attributes: Readonly<Record<string, unknown>> = { ...ctx };
  const context = {
    method: "GET",
    url: "/x",
    search: "",
    route: "/x",
    pathParams: {},
    query: {},
    requestHeaders: () => [],
    attribute: (name: string) => attributes[name],
    ...ctx,
  } as unknown as Context;
  const whole = {
    status: 200,
    bytes: 3,
    durationMs: 1.2345,
    aborted: false,
    error: undefined,
    headers: [],
    body: "abc",
    ...completion,
  };
  return new EndedRequest(context, tools, {
    run: 4,
    recording: beginRecording(0, 1e3),
    budget: 1e3,
    startedAt: 5,
    named: undefined,
    annotations: undefined,
    steps: [],
    beginning: undefined,
    completion: whole,
    shown: whole,
    finished: { calls: [], leaves: [] },
    sent: new SentHeaders(context),
    sentBody: { json: null, bytes: 0 },
    ...left,
  });
}

const bare = {
  id: null,
  correlationId: null,
  method: "GET",
  path: "/x",
  route: "/x",
  status: 200,
  startedAt: 5,
  durationUs: 1234,
  aborted: false,
  calls: [],
  leaves: [],
  error: null,
  run: 4,
  request: { pathParams: {}, query: {}, headers: {}, body: null },
  response: { headers: {}, body: "abc", bytes: 3 },
};

describe("EndedRequest.finish", () => {
  it("has no member for missing parts", () => {
    assert.deepEqual(endedOf().finish().trace, bare);
    assert.deepEqual(endedOf({ left: { annotations: [] } }).finish().trace, bare);
    assert.deepEqual(endedOf({ ctx: { route: undefined } }).finish().trace, { ...bare, route: null });
    assert.deepEqual(endedOf({ completion: { durationMs: -1 } }).finish().trace, { ...bare, durationUs: 0 });
  });

  it("has a member for every part", () => {
    const recording = beginRecording(0, 1_000);
    recording.asked = ["Orders"];
    recording.dropped.count = 1;
    const shown = { instance: "i", sequence: 1, beans: ["B"], notes: [], ended: null };
    recording.replay = { shown } as unknown as Replay;
    const headers = ["Set-Cookie", "sid=hunter2-c; Path=/", "X-Named", "a secret=hunter2-n", "b", "1", "B", "2"];
    const ended = endedOf({
      ctx: {
        method: "POST",
        url: "/x/hunter2-p",
        route: "/x/{token}",
        params: { token: "hunter2-p" },
        search: "?q=1&q=2",
        query: { q: ["1", "2"] },
        requestId: "id-7",
        contractIssues: [{ pointer: "/a" }],
        requestHeaders: () => [
          ["Cookie", "theme=dark"],
          ["X-Framework-Dev", "corr-1"],
          ["Accept", "a"],
        ],
      },
      left: { recording, annotations: [{ name: "n", value: 1 }], named: "a secret=hunter2-n" },
      completion: { headers, status: 201, aborted: true, error: new RangeError("no") },
    });
    assert.deepEqual(ended.finish().trace, {
      ...bare,
      id: "id-7",
      correlationId: "corr-1",
      method: "POST",
      path: "/x/[redacted]",
      route: "/x/{token}",
      status: 201,
      aborted: true,
      error: { name: "RangeError", message: "no" },
      entered: ["Orders"],
      callLimit: 2,
      contractIssues: [{ pointer: "/a", message: "" }],
      annotations: [{ name: "n", value: 1 }],
      replayOf: shown,
      request: {
        pathParams: { token: "[redacted]" },
        query: { q: ["1", "2"] },
        body: null,
        cookies: ["theme"],
        headers: { cookie: ["[redacted]"], "x-framework-dev": ["corr-1"], accept: ["a"] },
      },
      response: {
        headers: { "set-cookie": ["[redacted]"], "x-named": ["a secret=hunter2-n"], b: ["1", "2"] },
        cookies: [{ name: "sid", attributes: ["Path=/"] }],
        body: "abc",
        bytes: 3,
      },
    });
    assert.deepEqual([recording.asked, recording.thrown], [undefined, undefined]);
  });

  it("has the request's id if it is a text, otherwise the one that the request was sent with", () => {
    const requestHeaders = (): readonly string[][] => [["X-Framework-Dev", "corr-1"]];
    const ids = ["a", "", 7, undefined].map(
      (requestId) => endedOf({ ctx: { requestId, requestHeaders } }).finish().trace.id,
    );
    assert.deepEqual(ids, ["a", "corr-1", "corr-1", "corr-1"]);
  });

  it("TRACE-041: uses the secrets of its own run, whichever was read before", () => {
    const tools = plainTools();
    const recording = beginRecording(0, 1_000);
    recording.secrets.add("hunter2-x");
    const ended = endedOf({ tools, left: { recording }, completion: { body: "hunter2-x password=hunter2-y" } });
    const other = new KnownSecrets();
    tools.snapshots.within(other);
    assert.equal(ended.finish().trace.response.body, "[redacted] password=[redacted]");
    assert.deepEqual([other.isEmpty, recording.secrets.text("hunter2-y")], [true, "[redacted]"]);
  });

  it("TRACE-047: shows the error as the call that threw it showed it, and releases the error", () => {
    const recording = beginRecording(0, 1_000);
    const thrown = new Error("no");
    const error = { name: "Error", message: "as it was shown" };
    recording.thrown = new Map([[thrown, { error } as Call]]);
    const { trace } = endedOf({ left: { recording }, completion: { error: thrown } }).finish();
    assert.deepEqual([trace.error, recording.thrown], [error, undefined]);
  });

  it("shows 20 issues, texts of any kind, and none of a value that is not a list", () => {
    const shown = (contractIssues: unknown): unknown =>
      endedOf({ ctx: { contractIssues } }).finish().trace.contractIssues;
    assert.deepEqual([shown("x"), shown({}), shown([])], [undefined, undefined, undefined]);
    assert.deepEqual(shown([{ pointer: 1, message: 2 }, {}]), [
      { pointer: "1", message: "2" },
      { pointer: "", message: "" },
    ]);
    const many = (length: number): unknown[] =>
      shown(Array.from({ length }, (_, n) => ({ pointer: `/${n}`, message: "m" }))) as unknown[];
    assert.deepEqual([many(20).length, many(20).at(-1)], [20, { pointer: "/19", message: "m" }]);
    assert.deepEqual([many(22).length, many(22).at(-1)], [21, { pointer: "", message: "and 2 more" }]);
    assert.deepEqual(shown([{ pointer: "/a/password/0", message: "hunter2-x" }, { pointer: "/a token=hunter2-y" }]), [
      { pointer: "/a/password/0", message: "[redacted]" },
      { pointer: "/a token=[redacted]", message: "" },
    ]);
  });
});

describe("the memory of an ended request", () => {
  it("counts its content before its trace is made, two bytes a character", () => {
    const beginning = new Beginning();
    beginning.take("12345");
    assert.equal(endedOf().bytes, 2 * 3 + 2_048);
    const recording = beginRecording(0, 700);
    const ended = endedOf({
      ctx: { requestHeaders: () => [["abc", "de"]] },
      left: { recording, beginning, sentBody: { json: "x", bytes: 90 } },
      completion: { headers: ["a", "bcd"], body: new Uint8Array(50) },
    });
    assert.equal(ended.bytes, 300 + 90 + 5 + 2 * (5 + 4) + 2_048);
  });

  it("counts its whole trace, and the droppable part of it", () => {
    const tools = plainTools();
    const { bytes: body } = tools.snapshots.take("abc");
    const plain = endedOf({ tools }).finish();
    assert.deepEqual([plain.payloadBytes, plain.bytes], [body, body + 1_024]);
    const recording = beginRecording(0, 1_000);
    recording.budget -= 3 * 240 + 80;
    const finished = { calls: [{}, {}] as Call[], leaves: [{}] as Leaf[] };
    const whole = endedOf({
      tools,
      left: { recording, finished, sentBody: { json: "x", bytes: 90 } },
      completion: { headers: ["a", "bcd"] },
      ctx: {
        search: "?q=1",
        query: { q: ["1"] },
        requestHeaders: () => [["abc", "de"]],
        contractIssues: [{ pointer: "/a", message: "bcd" }],
      },
    }).finish();
    const payload = body + 90 + 80;
    const fields = 64 + 3 + 32 + 2 + (64 + 1 + 32 + 3) + (64 + 1 + 32 + 1);
    assert.equal(whole.payloadBytes, payload);
    assert.equal(whole.bytes, payload + 3 * 240 + 1_024 + fields + (96 + 2 + 3));
    assert.equal(whole.dropped, recording.dropped);
  });
});

describe("EndedRequest.canWait", () => {
  const recordingWith = (more: Partial<Recording>): Recording => Object.assign(beginRecording(0, 1_000), more);
  const waiting: Readonly<Record<string, readonly [canWait: boolean, given: Parameters<typeof endedOf>[0]]>> = {
    "a text was sent": [true, {}],
    "its client left": [false, { completion: { aborted: true } }],
    "it failed": [false, { completion: { error: new Error("no") } }],
    "it failed with null": [false, { completion: { error: null } }],
    "a call threw": [false, { left: { recording: recordingWith({ thrown: new Map() }) } }],
    "it is a replay": [false, { left: { recording: recordingWith({ replay: {} as Replay }) } }],
    "its response breaks its contract": [false, { ctx: { contractIssues: [] } }],
    "bytes were sent, which may change": [false, { completion: { body: new Uint8Array(3) } }],
  };
  for (const [when, [canWait, given]] of Object.entries(waiting))
    it(`TRACE-012: is ${canWait} if ${when}`, () => {
      assert.equal(endedOf(given).canWait, canWait);
    });
});
