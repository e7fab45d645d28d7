/** app.fetch: bodies, streams, leaving clients, without a socket (LIFE). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { created, until } from "../../testing/harness.testkit.ts";

const post = (body: BodyInit | null): Request =>
  new Request("http://h/", { method: "POST", body, duplex: "half" } as RequestInit);

describe("app.fetch", () => {
  test("reads bodies whole, in pieces and empty, and rejects large ones", async () => {
    const { app } = created({ maxBodyBytes: 8 });
    app.post("/", (ctx) => ctx.bodyAsString());
    const pieces = (count: number): ReadableStream =>
      new ReadableStream({
        start(controller) {
          for (let i = 0; i < count; i += 1) controller.enqueue(new TextEncoder().encode("abc"));
          controller.close();
        },
      });
    const responses = [
      post("whole"),
      post(pieces(2)),
      post(null),
      post(pieces(3)),
      new Request("http://h/", { method: "POST", body: "123456789", headers: { "Content-Length": "9" } }),
    ];
    const seen: unknown[] = [];
    for (const request of responses) {
      const response = await app.fetch(request);
      seen.push(response.status === 200 ? await response.text() : response.status);
    }
    assert.deepEqual(seen, ["whole", "abcabc", "", 413, 413]);
  });

  test("rejects when the body breaks off", async () => {
    const { app } = created();
    app.post("/", (ctx) => ctx.bodyAsString());
    await assert.rejects(async () =>
      app.fetch(post(new ReadableStream({ pull: (controller) => controller.error(new Error("torn")) }))),
    );
  });

  test("rejects with the signal's reason before the head, and breaks the body off after it", async () => {
    const { app } = created();
    const ended: unknown[] = [];
    app
      .use((ctx, next) => {
        ctx.onComplete(({ status, aborted }) => void ended.push([status, aborted]));
        return next();
      })
      .get("/hang", () => new Promise(() => undefined))
      .get("/sse", (ctx) => void ctx.sse().send("x"));
    await assert.rejects(
      async () => app.fetch(new Request("http://h/hang", { signal: AbortSignal.abort("early") })),
      (reason: unknown) => reason === "early",
    );
    const before = new AbortController();
    const hanging = app.fetch(new Request("http://h/hang", { signal: before.signal }));
    before.abort("later");
    await assert.rejects(
      async () => hanging,
      (reason: unknown) => reason === "later",
    );
    const after = new AbortController();
    const response = await app.fetch(new Request("http://h/sse", { signal: after.signal }));
    after.abort();
    await assert.rejects(response.text());
    const cancelled = await app.fetch(new Request("http://h/sse"));
    await cancelled.body?.cancel();
    await until(() => ended.length === 4);
    assert.deepEqual(ended, [
      [499, true],
      [499, true],
      [200, true],
      [200, true],
    ]);
  });

  test("holds a source back while there is no reader, and breaks off when it fails", async () => {
    const { app } = created();
    let made = 0;
    app
      .get("/big", () =>
        (async function* () {
          for (; made < 50; made += 1) yield new Uint8Array(16_384);
        })(),
      )
      .get("/torn", () =>
        (async function* () {
          yield "a";
          throw new Error("torn");
        })(),
      );
    const response = await app.fetch(new Request("http://h/big"));
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.ok(made < 10, String(made));
    assert.equal((await response.arrayBuffer()).byteLength, 50 * 16_384);
    await assert.rejects((await app.fetch(new Request("http://h/torn"))).text());
  });

  test("has no body when the status allows none, also for events", async () => {
    const { app } = created();
    app.get("/{status}", (ctx) => {
      const stream = ctx.status(Number(ctx.pathParam("status"))).sse();
      stream.send("unsent");
      stream.close();
    });
    for (const status of [204, 205, 304]) {
      const response = await app.fetch(new Request(`http://h/${status}`));
      assert.deepEqual([response.status, response.body], [status, null]);
    }
  });

  test("passes the platform's facts on", async () => {
    const { app } = created();
    app.get("/", (ctx) =>
      ctx.json([
        ctx.peerAddress,
        ctx.scheme,
        ctx.header("host"),
        ctx.platform.length,
        ctx.headerValues("HOST"),
        ctx.httpVersion,
      ]),
    );
    const response = async (...platform: unknown[]): Promise<unknown> =>
      (await app.fetch(new Request("https://h:1/#x"), ...platform)).json();
    assert.deepEqual(await response({ peerAddress: "10.0.0.1" }), ["10.0.0.1", "https", "h:1", 1, ["h:1"], "1.1"]);
    assert.deepEqual(await response("env", { peerAddress: 7 }), [null, "https", "h:1", 2, ["h:1"], "1.1"]);
  });

  test("knows no peer when the platform throws, also when the client is watched", async () => {
    const { app } = created();
    app.get("/", (ctx) => ctx.json(ctx.peerAddress ?? null)).get("/hang", () => new Promise(() => undefined));
    const closed = {
      get peerAddress(): string {
        throw new TypeError("Request closed");
      },
    };
    assert.equal(await (await app.fetch(new Request("http://h/"), closed)).json(), null);
    const signal = AbortSignal.abort("left");
    await assert.rejects(
      async () => app.fetch(new Request("http://h/hang", { signal }), closed),
      (reason: unknown) => reason === "left",
    );
  });

  test("gives a text no type that the app did not set", async () => {
    const { app } = created();
    app
      .onResponse((_ctx, { status, body }) => ({ status, body, headers: ["X-Own", "1"] }))
      .get("/", () => "h\u00e9llo");
    const response = await app.fetch(new Request("http://h/"));
    const { headers } = response;
    const shown = [headers.get("x-own"), headers.get("content-type"), headers.get("content-length")];
    assert.deepEqual([...shown, await response.text()], ["1", null, "6", "h\u00e9llo"]);
  });

  test("gives each response separate headers, even when they are equal", async () => {
    const { app } = created();
    app.get("/", () => "hello").get("/{status}", (ctx) => ctx.status(Number(ctx.pathParam("status"))).text("other"));
    const [one, two] = [await app.fetch(new Request("http://h/")), await app.fetch(new Request("http://h/201"))];
    one.headers.set("Content-Type", "text/html");
    one.headers.set("X-Own", "1");
    two.headers.delete("Content-Type");
    const third = await app.fetch(new Request("http://h/"));
    const shown = [third.status, third.headers.get("content-type"), third.headers.get("x-own"), await third.text()];
    assert.deepEqual(shown, [200, "text/plain; charset=utf-8", null, "hello"]);
    assert.deepEqual([two.status, two.headers.get("content-type")], [201, null]);
  });
});
