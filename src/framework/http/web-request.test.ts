/** `ctx.request`: the request as a web Request, on every host (CTX). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { Framework, type Context } from "../index.ts";
import { hosts, type Seen, type Sent } from "../testing/clients.testkit.ts";
import { ask, serving, until } from "../testing/harness.testkit.ts";

/** The visible values of a Request. */
const show = async (request: Request): Promise<Response> =>
  Response.json({
    method: request.method,
    url: request.url.replace(/:\d+/, ""),
    names: request.headers.get("x-names"),
    coding: request.headers.get("content-encoding"),
    text: await request.text(),
  });

const body = "a body, äöü";

for (const [name, { engine, open }] of Object.entries(hosts))
  describe(`ctx.request on ${name}`, () => {
    const scheme = name.includes("TLS") ? "https" : "http";

    async function asked(handler: (ctx: Context) => unknown, ...requests: Sent[]): Promise<Seen[]> {
      const options = { host: "127.0.0.1", logger: { error: () => undefined }, ...(engine && { engine }) };
      const app = Framework.create({ ...options, maxBodyBytes: 100_000 }).any("/*rest", handler);
      const host = await open(app);
      try {
        const seen: Seen[] = [];
        for (const request of requests) seen.push(await host.send(request));
        return seen;
      } finally {
        await host.close();
      }
    }

    test("has the method, the URL, every header line and the body", async () => {
      const headers = [
        ["Host", "shop.example"],
        ["X-Names", "a"],
        ["X-Names", "b"],
        ["Content-Type", "text/plain"],
      ] as const;
      const target = "/J%C3%BCrgen/%2F?q=1&q=%20";
      const seen = await asked(
        (ctx) => show(ctx.request),
        { method: "QUERY", target, headers, body },
        { method: "POST", target, headers, body: [body.slice(0, 3), body.slice(3)] },
        { method: "POST", target: "/x", headers, body: "" },
        { target, headers },
      );
      const shown = { url: `${scheme}://shop.example${target}`, names: "a, b", coding: null };
      assert.deepEqual(
        seen.map((one) => JSON.parse(one.body)),
        [
          { method: "QUERY", ...shown, text: body },
          { method: "POST", ...shown, text: body },
          { method: "POST", ...shown, url: `${scheme}://shop.example/x`, text: "" },
          { method: "GET", ...shown, text: "" },
        ],
      );
    });

    test("has the decoded body and no header of its coding", async () => {
      const headers = [["Content-Encoding", "gzip"]] as const;
      const length = (ctx: Context): unknown => ctx.request.headers.get("content-length");
      const [seen, told] = await asked(
        (ctx) => (ctx.path === "/show" ? show(ctx.request) : { length: length(ctx) }),
        { method: "POST", target: "/show", headers, body: gzipSync(body) },
        { method: "POST", target: "/length", headers, body: gzipSync(body) },
      );
      assert.deepEqual([JSON.parse(seen?.body ?? "").coding, JSON.parse(seen?.body ?? "").text], [null, body]);
      assert.deepEqual(JSON.parse(told?.body ?? ""), { length: null });
    });

    test("leaves the body to the context until it is read, and also has it after the context has read it", async () => {
      const handler = async (ctx: Context): Promise<unknown> => {
        const { request } = ctx;
        return [await ctx.bodyAsString(), await request.text(), ctx.request === request];
      };
      const [seen] = await asked(handler, { method: "PUT", target: "/x", body });
      assert.deepEqual(JSON.parse(seen?.body ?? ""), [body, body, true]);
    });

    test("reads no more than the app's limit, else 413", async () => {
      const [seen] = await asked((ctx) => show(ctx.request), {
        method: "POST",
        target: "/x",
        body: "x".repeat(100_001),
      });
      assert.equal(seen?.status, 413);
    });

    test("aborts when the client leaves", async () => {
      let aborted = 0;
      const handler = (ctx: Context): Promise<void> =>
        new Promise((resolve) => {
          ctx.request.signal.addEventListener("abort", () => {
            aborted += 1;
            resolve();
          });
        });
      await asked(handler, { target: "/x", leaveAfter: "" }).catch(() => undefined);
      await until(() => aborted === 1);
    });
  });

describe("ctx.request", () => {
  test("uses the scheme and host of a trusted proxy", async () => {
    const app = Framework.create({ trustProxy: { hops: 1, header: "x-forwarded" } }).get(
      "/a",
      (ctx) => ctx.request.url,
    );
    const headers = { "X-Forwarded-Proto": "https", "X-Forwarded-Host": "shop.example" };
    const response = await app.fetch(new Request("http://inner/a?b", { headers }));
    assert.equal(await response.text(), "https://shop.example/a?b");
  });

  test("gives BODY_READ to the context after its own body was read", async () => {
    const app = Framework.create({ logger: { error: () => undefined } }).post("/", async (ctx) => {
      await ctx.request.text();
      return ctx.bodyAsString().catch((error: { code: string }) => error.code);
    });
    assert.equal(await (await app.request("/", { method: "POST", body: "x" })).text(), "BODY_READ");
  });

  test("has a URL for any input: an invalid host, an absolute URL, a backslash", async () => {
    const urls: readonly (readonly [target: string, host: string, url: string])[] = [
      ["/x?q", "1.2.3.999", "http://localhost/x?q"],
      ["/x?q", "a;b=c", "http://localhost/x?q"],
      ["http://other/x?q", "other", "http://other/x?q"],
      ["/a\\b", "h", "http://h/a%5Cb"],
    ];
    await serving(
      (app) => app.get("/*rest", (ctx) => ctx.request.url),
      async ({ port }) => {
        for (const [target, host, url] of urls)
          assert.equal((await ask(port, "GET", target, { Host: host })).body, url);
      },
    );
  });

  test("has no header about a body that it leaves out", () =>
    serving(
      (app) => app.get("/a", ({ request }) => Response.json([request.body, [...request.headers.keys()]])),
      async ({ port }) => {
        assert.equal((await ask(port, "GET", "/a", {}, "hi")).body, '[null,["connection","host"]]');
      },
    ));

  test("throws 501 on access for a method that no Request can have", () =>
    serving(
      (app) => app.route("TRACE", "/t", (ctx) => ctx.request.url).route("TRACE", "/u", () => "fine"),
      async ({ port, errors }) => {
        assert.equal((await ask(port, "TRACE", "/t")).status, 501);
        assert.equal((await ask(port, "TRACE", "/u")).body, "fine");
        assert.deepEqual(errors, []);
      },
    ));
});
