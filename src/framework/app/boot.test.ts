/** Configuration of an app, its notifications, and its stop (BEAN, LIFE, MW). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Beans, Framework, Interface, type DeclaredRoute, type Middleware, type SafeLogger } from "../index.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Lifecycle } from "../middleware/types.ts";
import { until } from "../testing/harness.testkit.ts";
import { Boot } from "./boot.ts";
import { configOf } from "./config.ts";

/** An app, its log, and the notifications of its middleware. */
function subject(): { readonly boot: Boot; readonly lifecycle: Lifecycle; readonly lines: (readonly unknown[])[] } {
  const lines: (readonly unknown[])[] = [];
  const logger: Partial<SafeLogger> = {
    warn: (line) => void lines.push(["warn", line]),
    error: (line, error) => void lines.push(["error", line, error]),
  };
  const boot = new Boot(configOf({ logger }, {}));
  let lifecycle: Lifecycle | undefined;
  boot.install({ installed: (given) => void (lifecycle = given), handle: (_, next) => next() });
  assert.ok(lifecycle !== undefined);
  return { boot, lifecycle, lines };
}
const failing = (error: Error) => (): never => {
  throw error;
};

describe("app.beans", () => {
  const Shop: Interface<object> = Interface("Shop");
  const shop = (): ReturnType<typeof Beans.builder> => Beans.builder().bind(Shop, () => ({}));

  test("accepts a running container, available immediately, or a builder, with its container from the start on", async () => {
    const running = shop().start();
    const [none, given, built] = [
      Framework.create(),
      Framework.create().beans(running),
      Framework.create().beans(shop()),
    ];
    const apps = [none, given, built];
    assert.deepEqual(
      apps.map(({ container }) => container),
      [undefined, running, undefined],
    );
    for (const app of apps) await app.ready();
    assert.deepEqual([none.container, given.container], [undefined, running]);
    assert.ok(built.container?.get(Shop));
    for (const app of apps) await app.stop();
  });

  test("accepts the same again, and no other", () => {
    for (const given of [shop(), shop().start()]) {
      const app = Framework.create().beans(given).beans(given);
      assert.throws(() => app.beans(shop()), {
        code: "BEANS_NOT_ATTACHED",
        message: "app.beans() was called with another container before",
      });
    }
  });

  test("accepts the results of Beans, and anything else is an error", () =>
    assert.throws(() => Framework.create().beans({} as Beans), {
      code: "BEANS_NOT_ATTACHED",
      message: "app.beans() takes what Beans.builder() or its start() gave",
    }));
});

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

  test("passes the app to a middleware once, the first time, in any place", async () => {
    let told = 0;
    const telling: Middleware = { installed: () => void (told += 1), handle: (_, next) => next() };
    const app = Framework.create().use(telling).use("/a", telling).wrap(telling);
    app.use({ handle: (_, next) => next() }).get("/a", () => "a");
    assert.equal(told, 1);
    assert.equal(await (await app.request("/a")).text(), "a");
  });

  test("with a prefix is for that path and paths under it, without one for all", async () => {
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

describe("the app as middleware gets it", () => {
  test("adds its listeners to those of the app, and its lines to the log", () => {
    const { boot, lifecycle, lines } = subject();
    const [start, stop, wrap] = [(): void => undefined, (): void => undefined, (): void => undefined];
    const hook = (): undefined => undefined;
    lifecycle.onStart(start);
    lifecycle.wrapBackground(wrap);
    lifecycle.onStop(stop);
    lifecycle.onResponse(hook);
    lifecycle.warn("a line");
    const { onStart, onStop, responseHooks, listeners } = boot;
    assert.deepEqual([onStart, listeners.background, onStop, responseHooks], [[start], [wrap], [stop], [hook]]);
    assert.deepEqual([lines, lifecycle.engine], [[["warn", "a line"]], "node-http"]);
  });

  test("is draining when the app is", async () => {
    const { boot, lifecycle } = subject();
    assert.equal(lifecycle.draining, false);
    const stopping = boot.stop({});
    assert.equal(lifecycle.draining, true);
    await stopping;
  });

  test("gives every listener the same list of routes", async () => {
    const { boot, lifecycle } = subject();
    const told: (readonly DeclaredRoute[])[] = [];
    for (let one = 0; one < 2; one += 1) lifecycle.onRoutes((given) => void told.push(given));
    await boot.ready();
    assert.deepEqual(told, [[], []]);
    assert.equal(told[0], told[1]);
  });
});

describe("a rejected request", () => {
  test("is reported to every listener with its display address, and a throwing listener is logged", () => {
    const { boot, lifecycle, lines } = subject();
    const error = new Error("no");
    const told: unknown[] = [];
    lifecycle.onRejected(failing(error));
    lifecycle.onRejected((request) => void told.push(request));
    const request = { status: 400, bytes: 1, durationMs: 2, remoteAddress: "::ffff:10.0.0.1" };
    boot.rejected(request);
    assert.deepEqual(told, [{ ...request, remoteAddress: "10.0.0.1" }]);
    assert.deepEqual(lines, [["error", "a listener for rejected requests failed", error]]);
  });
});

describe("a request that waits for the start", () => {
  test("is cut when it cannot be passed on, and that is logged", async () => {
    const { boot, lines } = subject();
    const error = new Error("no");
    let cut = 0;
    const exchange = { method: "GET", target: "/a?b", cut: () => void (cut += 1) };
    Object.defineProperty(exchange, "headerBytes", { get: failing(error) });
    boot.handle(exchange as unknown as Exchange);
    await until(() => lines.length > 0);
    assert.deepEqual([cut, lines], [1, [["error", "GET /a?b could not be handled", error]]]);
  });
});

describe("a stop", () => {
  test("ends background work, then runs the listeners backwards, each awaited, and reports failures", async () => {
    const { boot } = subject();
    const order: string[] = [];
    const noting = (what: string) => async (): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      order.push(what);
    };
    const [thrown, rejected] = [new Error("thrown"), new Error("rejected")];
    boot.onStop.push(noting("registered first"), failing(thrown), () => Promise.reject(rejected), noting("last"));
    boot.background.begin("work", noting("work"));
    await assert.rejects(boot.stop({}), (error: AggregateError) => {
      assert.deepEqual(error.errors, [rejected, thrown]);
      return true;
    });
    assert.deepEqual(order, ["work", "last", "registered first"]);
  });
});
