/** The annotations of middleware in a run, and its cookies (TRACE). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Beans, type Context, Framework } from "framework";
import { Devtools, type DevtoolsOptions, type Trace } from "../index.ts";
import { KeptAnnotations } from "./annotations.ts";
import { beginRecording } from "./recorder.ts";
import type { Snapshotter } from "../capture/snapshot.ts";

const logger = { warn: () => undefined, error: () => undefined };

/** The run of a request to a handler. */
async function runOf(
  handler: (ctx: Context) => unknown,
  headers: Record<string, string> = {},
  options: DevtoolsOptions = {},
): Promise<Trace> {
  const app = Framework.create({ logger });
  const beans = Beans.builder().start();
  app.get("/", handler).beans(beans);
  Devtools.create(options).install(app, beans);
  await app.fetch(new Request("http://localhost/", { headers }));
  const list = new Request("http://localhost/framework/dev/api/requests");
  const [trace] = (await (await app.fetch(list, { peerAddress: "127.0.0.1" })).json()) as Trace[];
  assert.ok(trace);
  return trace;
}

describe("Trace.annotations", () => {
  it("TRACE-090: keep their order and their values at that time, with secrets hidden", async () => {
    const value = { hit: true, password: "hunter-77-zebra", n: 1n };
    const trace = await runOf((ctx) => {
      ctx.annotations?.add("cache", value);
      value.hit = false;
      ctx.annotations?.add("note", "logged in with hunter-77-zebra");
      return "";
    });
    assert.deepEqual(trace.annotations, [
      { name: "cache", value: { hit: true, password: "[redacted]", n: { $bigint: "1" } } },
      { name: "note", value: "logged in with [redacted]" },
    ]);
  });

  it("TRACE-090: are the first 50 and the number of the others, within the bound of a trace", async () => {
    const many = await runOf((ctx) => {
      for (let at = 0; at < 60; at += 1) ctx.annotations?.add("n", at);
      return "";
    });
    assert.deepEqual(
      [many.annotations?.length, many.annotations?.at(-1)],
      [51, { name: "more", value: { $truncated: 10 } }],
    );
    const large = await runOf((ctx) => {
      for (let at = 0; at < 50; at += 1) ctx.annotations?.add("n", Array(90).fill("x".repeat(16_000)));
      return "";
    });
    assert.ok(JSON.stringify(large).length < 2 ** 20, `${JSON.stringify(large).length} characters`);
  });

  it("TRACE-122: reject an invalid name, take nothing after the end, and are absent otherwise", async () => {
    let late: Context | undefined;
    const trace = await runOf((ctx) => {
      late = ctx;
      ctx.annotations?.add(7 as never, "x");
      return "";
    });
    late?.annotations?.add("late", 1);
    assert.equal("annotations" in trace, false);
  });

  it("TRACE-122: take nothing after the recording has ended, and count 64 bytes in addition to the value", () => {
    const recording = beginRecording(0, 1_000);
    const snapshots = { within: () => undefined, take: () => ({ json: 1, bytes: 100 }), text: (text: string) => text };
    const kept = new KeptAnnotations(recording);
    kept.take("a", 1, snapshots as unknown as Snapshotter);
    assert.equal(recording.budget, 836);
    recording.calls = undefined;
    kept.take("late", 1, snapshots as unknown as Snapshotter);
    assert.deepEqual([kept.all, recording.budget], [[{ name: "a", value: 1 }], 836]);
  });

  it("are dropped with the other payloads of a trace, and keep their names", async () => {
    const app = Framework.create({ logger });
    const beans = Beans.builder().start();
    app.get("/", (ctx) => (ctx.annotations?.add("n", "x".repeat(5_000)), "")).beans(beans);
    Devtools.create({ limits: { ringBytes: 20_000 } }).install(app, beans);
    for (let at = 0; at < 5; at += 1) await app.fetch(new Request("http://localhost/"));
    const list = new Request("http://localhost/framework/dev/api/requests");
    const traces = (await (await app.fetch(list, { peerAddress: "127.0.0.1" })).json()) as Trace[];
    assert.deepEqual(traces.at(-1)?.annotations, [{ name: "n", value: { $evicted: true } }]);
    assert.deepEqual(traces[0]?.annotations, [{ name: "n", value: "x".repeat(5_000) }]);
  });
});

describe("cookies of a trace", () => {
  it("TRACE-091, TRACE-123, TRACE-124: are names, and attributes of set cookies, without a value", async () => {
    const trace = await runOf(
      (ctx) =>
        ctx
          .setCookie("sid", "0123456789abcdef", { path: "/shop", maxAge: 60 })
          .deleteCookie("theme")
          .text("0123456789abcdef"),
      { Cookie: "sid=fedcba9876543210; theme=dark; sid=x; valueless" },
    );
    assert.deepEqual(trace.request.cookies, ["sid", "theme"]);
    const [sid, theme] = trace.response.cookies ?? [];
    assert.deepEqual(sid, {
      name: "sid",
      attributes: ["Path=/shop", "Max-Age=60", "Secure", "HttpOnly", "SameSite=Lax"],
    });
    assert.deepEqual([theme?.name, theme?.attributes.includes("Max-Age=0")], ["theme", true]);
    for (const secret of ["0123456789abcdef", "fedcba9876543210", "valueless"])
      assert.equal(JSON.stringify(trace).includes(secret), false, secret);
  });

  it("TRACE-125: are absent if there are none", async () => {
    const { request, response } = await runOf(() => "");
    assert.deepEqual(["cookies" in request, "cookies" in response], [false, false]);
  });
});
