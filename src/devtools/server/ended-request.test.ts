/** Ended requests: between its end and the making of its trace nobody changes what a request was (TRACE). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Beans, type Context, Framework, Interface } from "framework";
import { Devtools, type Trace } from "../index.ts";
import { EndedRequest } from "./ended-request.ts";
import type { TraceTools } from "./finished-trace.ts";
import { beginRecording } from "./recorder.ts";
import { SentHeaders } from "./sent-headers.ts";

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
  it("TRACE-012: a request that is sent again with another header has the one it was sent with", async () => {
    const { app, last } = subject();
    app.get("/", () => "");
    const request = new Request("http://localhost/", { headers: { "x-step": "1", "x-token": "first-secret-1" } });
    await app.fetch(request);
    request.headers.set("x-step", "2");
    request.headers.set("x-token", "other-secret-2");
    const { headers } = (await last()).request;
    assert.deepEqual([headers["x-step"], headers["x-token"]], [["1"], ["[redacted]"]]);
  });

  it("TRACE-012: what the application makes of its request and its bodies afterwards is not shown", async () => {
    const { app, last } = subject();
    let kept: Context | undefined;
    let value: { name: string } | undefined;
    const bytes = new TextEncoder().encode('{"as":"sent"}');
    app.post("/things/{id}", async (ctx) => {
      kept = ctx;
      value = (await ctx.body()) as { name: string };
      void ctx.query["q"];
      ctx.header("content-type", "application/json").send(bytes);
    });
    const headers = { "content-type": "application/json" };
    const body = '{"name":"before"}';
    await app.fetch(new Request("http://localhost/things/7?q=1", { method: "POST", headers, body }));
    assert.ok(kept && value);
    value.name = "after";
    bytes.fill(0x20);
    kept.attribute("requestId", "after");
    kept.setRoute("/after");
    (kept.pathParams as Record<string, string>)["id"] = "after";
    (kept.query as Record<string, string[]>)["q"]?.push("after");
    const trace = await last();
    assert.deepEqual(
      [trace.request.body, trace.request.pathParams, trace.request.query, trace.response.body, trace.route],
      [{ name: "before" }, { id: "7" }, { q: ["1"] }, { as: "sent" }, "/things/{id}"],
    );
    assert.doesNotMatch(JSON.stringify(trace), /after/);
  });

  it("TRACE-041: what is hidden in one place is hidden in all, however late the trace is made", async () => {
    const { app, last } = subject();
    app.get("/reset/{token}", (ctx) => ctx.header("x-note", "for hunter-77-zebra").json({ said: "hunter-77-zebra" }));
    const cookies = { cookie: "sid=hunter-77-zebra; theme=dark" };
    await app.fetch(new Request("http://localhost/reset/hunter-77-zebra", { headers: cookies }));
    const trace = await last();
    assert.doesNotMatch(JSON.stringify(trace), /hunter/);
    assert.deepEqual(
      [trace.path, trace.request.cookies, trace.response.headers["x-note"], trace.response.body],
      ["/reset/[redacted]", ["sid", "theme"], ["for [redacted]"], { said: "[redacted]" }],
    );
  });

  it("TRACE-025 TRACE-054: a call that begins behind the end is dropped, and not because there were too many", async () => {
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

  it("is a trace without its payload where making it fails", () => {
    const failing = { secrets: undefined, within: () => undefined, text: () => assert.fail("no") };
    const tools = { snapshots: failing, redactor: failing, paths: failing, errors: failing, maxCalls: 1 };
    const plain = { method: "GET", url: "/secret", search: "", route: "/{id}", pathParams: {} };
    const ctx = { ...plain, requestHeaders: () => [["a", "b"]], attribute: () => undefined };
    const completion = { status: 200, bytes: 3, durationMs: 1, aborted: false, error: undefined, headers: [] };
    const shown = { ...completion, body: "abc" };
    const ended = new EndedRequest(ctx as unknown as Context, tools as unknown as TraceTools, {
      ...{ run: 4, recording: beginRecording(0, 1_000), budget: 1_000, startedAt: 5, named: undefined },
      ...{ annotations: undefined, beginning: undefined, completion: shown, shown },
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
