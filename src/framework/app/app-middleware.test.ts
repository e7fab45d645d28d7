/** What may be installed as middleware, and when it is told of the app (MW). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Framework, type Middleware } from "../index.ts";

describe("app.use", () => {
  const wrong: Readonly<Record<string, unknown>> = {
    undefined,
    null: null,
    "a number": 7,
    "an object without handle": {},
    "an object whose handle is none": { handle: "x" },
    "an array": [],
  };
  for (const [what, given] of Object.entries(wrong))
    test(`is rejected with ${what}, in a group and a route too`, async () => {
      const error = {
        name: "TypeError",
        code: "MIDDLEWARE_INVALID",
        message: "a middleware is a function (ctx, next) or has a method handle(ctx, next)",
      };
      assert.throws(() => Framework.create().use(given as Middleware), error);
      assert.throws(() => Framework.create().wrap(given as Middleware), error);
      assert.throws(() => Framework.create().group("/a", (group) => void group.use(given as Middleware)), error);
      const app = Framework.create().get("/a", { use: [given as Middleware] }, () => "");
      await assert.rejects(app.ready(), error);
    });

  test("tells a middleware of the app once, the first time, and whatever it does not say", async () => {
    let told = 0;
    const telling: Middleware = { installed: () => void (told += 1), handle: (_, next) => next() };
    const app = Framework.create().use(telling).use("/a", telling).wrap(telling);
    app.use({ handle: (_, next) => next() }).get("/a", () => "a");
    assert.equal(told, 1);
    assert.equal(await (await app.request("/a")).text(), "a");
  });

  test("with a prefix is for what is at or below it, without one for all", async () => {
    const seen: string[] = [];
    const app = Framework.create();
    const noting = (what: string) => (ctx: { path: string }, next: () => unknown) => (
      seen.push(`${what} ${ctx.path}`),
      next()
    );
    app.use(noting("all")).use("/", noting("root")).use("/a", noting("a")).use("/b/", noting("b"));
    for (const path of ["/", "/a", "/a/x", "/ab", "/b"]) await app.request(path);
    assert.deepEqual(seen, [
      "all /",
      "root /",
      "all /a",
      "root /a",
      "a /a",
      "all /a/x",
      "root /a/x",
      "a /a/x",
      "all /ab",
      "root /ab",
      "all /b",
      "root /b",
      "b /b",
    ]);
  });
});
