/** The annotations of middleware and the observers that receive them (CTX, COMP, SESSION). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CompressionMiddleware, type Context, Framework } from "framework";
import { SessionMiddleware, sessionOf } from "../session/index.ts";

const quiet = { logger: { warn: () => undefined, error: () => undefined } };

/** An app that records its annotations. */
function listening(define: (app: Framework) => unknown) {
  const heard: (readonly [name: string, value: unknown])[] = [];
  const app = Framework.create(quiet).observe({ annotation: (_ctx, name, value) => void heard.push([name, value]) });
  define(app);
  const ask = (headers: Record<string, string> = {}, path = "/"): Promise<Response> =>
    Promise.resolve(app.fetch(new Request(`http://h${path}`, { headers }), { peerAddress: "192.0.2.1" }));
  return { heard, ask };
}

describe("ctx.annotations", () => {
  test("are undefined when no observer listens, so nothing is computed", async () => {
    let made = 0;
    const told = (ctx: Context): string => {
      ctx.annotations?.add("cache", { made: (made += 1) });
      return String(ctx.annotations);
    };
    const response = await Framework.create(quiet).get("/", told).fetch(new Request("http://h/"));
    assert.deepEqual([await response.text(), made], ["undefined", 0]);
  });

  test("reach every listener even when one fails, and change no response", async () => {
    const heard: unknown[] = [];
    const app = Framework.create(quiet)
      .observe({ annotation: () => assert.fail("a listener that throws") })
      .observe({ annotation: () => Promise.reject(new Error("a listener that rejects")) })
      .observe({ annotation: (ctx, name, value) => void heard.push([ctx.path, name, value]) })
      .get("/a", (ctx) => {
        ctx.annotations?.add("cache", { hit: true });
        ctx.annotations?.add("cache", 2);
        return "hello";
      });
    const response = await app.fetch(new Request("http://h/a"));
    assert.deepEqual([response.status, await response.text()], [200, "hello"]);
    assert.deepEqual(heard, [
      ["/a", "cache", { hit: true }],
      ["/a", "cache", 2],
    ]);
  });
});

describe("the annotations of middleware", () => {
  test("COMP-020: report what compression did to a body", async () => {
    async function* pieces(): AsyncGenerator<string> {
      yield "ü".repeat(2_000);
    }
    const { heard, ask } = listening((app) =>
      app
        .use(new CompressionMiddleware({ codings: ["gzip"] }))
        .get("/", () => "ü".repeat(2_000))
        .get("/short", () => "hello")
        .get("/pieces", (ctx) => ctx.setHeader("Content-Type", "text/plain").send(pieces())),
    );
    const headers = { "Accept-Encoding": "gzip" };
    const { byteLength: after } = await (await ask(headers)).arrayBuffer();
    await ask(headers, "/short");
    await (await ask(headers, "/pieces")).arrayBuffer();
    const [[, whole] = []] = heard;
    assert.deepEqual(heard, [
      ["compression", { coding: "gzip", before: 4_000, after: (whole as { after: number }).after }],
      ["compression", { coding: "gzip", inPieces: true }],
    ]);
    // `fetch` has already decoded the body on platforms that do so.
    assert.ok((whole as { after: number }).after < 200, `${after} bytes`);
  });

  test("SESSION-030: report whether there was a session, what happened to it, and what it holds", async () => {
    const secrets = ["s".repeat(32)];
    const { heard, ask } = listening((app) =>
      app
        .use(new SessionMiddleware({ secrets }))
        .get("/none", () => "")
        .get("/login", (ctx) => void sessionOf(ctx).regenerate().set("user", "ada"))
        .get("/read", (ctx) => String(sessionOf(ctx).get("user")))
        .get("/cart", (ctx) => void sessionOf(ctx).set("cart", ["lamp"]))
        .get("/saved", async (ctx) => {
          sessionOf(ctx).set("cart", []);
          await sessionOf(ctx).save();
        })
        .get("/logout", (ctx) => void sessionOf(ctx).destroy()),
    );
    let cookie = "";
    for (const path of ["/none", "/login", "/read", "/cart", "/saved", "/login", "/logout"]) {
      const response = await ask(cookie === "" ? {} : { Cookie: cookie }, path);
      cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? cookie;
    }
    const said = (found: boolean, read: boolean, outcome: string, values: object): unknown => [
      "session",
      { found, lost: false, read, outcome, values },
    ];
    assert.deepEqual(heard, [
      said(false, false, "none", {}),
      said(false, true, "created", { user: "ada" }),
      said(true, true, "none", { user: "ada" }),
      said(true, true, "updated", { user: "ada", cart: ["lamp"] }),
      said(true, true, "updated", { user: "ada", cart: [] }),
      said(true, true, "regenerated", { user: "ada", cart: [] }),
      said(true, true, "destroyed", {}),
    ]);
  });
});
