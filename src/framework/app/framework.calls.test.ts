/** An app's messages for late calls, and its address (LIFE, MW). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Beans, definePlugin, Framework, Interface } from "../index.ts";
import type { ServerEngine } from "../engine/index.ts";

const handler = (): string => "";
const quiet = { warn: () => undefined, error: () => undefined };

/** An app with one bean, a promise of its factory's start, and a function that ends the factory. */
function building(
  close: () => unknown,
  warn: (line: string) => void = quiet.warn,
): { app: Framework; begun: Promise<void>; build: () => void } {
  let [begin, build] = [(): void => undefined, (): void => undefined];
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const built = new Promise<void>((resolve) => (build = resolve));
  const bean = (): Promise<object> => (begin(), built.then(() => ({ close })));
  const app = Framework.create({ logger: { ...quiet, warn } });
  return { app: app.beans(Beans.builder().bindAsync(Interface("Slow"), bean)), begun, build: () => build() };
}

describe("an app after the start", () => {
  const late: Readonly<Record<string, (app: Framework) => unknown>> = {
    "app.use": (app) => app.use((_, next) => next()),
    "app.wrap": (app) => app.wrap((_, next) => next()),
    "app.onError": (app) => app.onError(Error, handler),
    "app.onStatus": (app) => app.onStatus(404, handler),
    "app.onResponse": (app) => app.onResponse(() => undefined),
    "app.beans": (app) => app.beans(Beans.builder().start()),
    "app.plugin": (app) => app.plugin(definePlugin({ name: "late" })),
    "app.onStart": (app) => app.onStart(handler),
    "app.onStop": (app) => app.onStop(handler),
    "app.observe": (app) => app.observe({ log: () => undefined }),
    "app.get": (app) => app.get("/", handler),
    "app.query": (app) => app.query("/", handler),
  };
  for (const [name, call] of Object.entries(late))
    test(`accepts no ${name}`, async () => {
      const app = Framework.create();
      await app.ready();
      const message = `${name}() came after the app was started: configure first, then start`;
      assert.throws(() => call(app), { name: "Error", code: "APP_STARTED", message });
    });

  test("cannot be started again, even after a stop", async () => {
    const running = await Framework.create().start(0);
    const message = "the app was started already: create a new one to start again";
    await assert.rejects(running.start(0), { code: "APP_STARTED", message });
    await running.stop();
    await assert.rejects(running.start(0), { code: "APP_STARTED", message });
    const stopped = Framework.create();
    await stopped.stop();
    await assert.rejects(stopped.start(0), { code: "APP_STARTED", message });
  });

  test("cannot be made ready after it was stopped", async () => {
    const app = Framework.create({ logger: quiet }).onStart(handler);
    await app.stop();
    await assert.rejects(app.ready(), {
      code: "APP_STOPPED",
      message: "the app was stopped before its start was over: create a new one",
    });
  });

  test("closes the rest when something fails, and reports it", async () => {
    const order: string[] = [];
    const error = new Error("no");
    const app = Framework.create({ logger: quiet })
      .onStop(() => void order.push("last"))
      .onStop(() => Promise.reject(error));
    await assert.rejects(app.stop(), {
      name: "AggregateError",
      message: "the app stopped, but not everything closed well",
      errors: [error],
    });
    assert.deepEqual(order, ["last"]);
  });

  test("waits for a bean that is being built, and closes it", async () => {
    const order: string[] = [];
    const { app, begun, build } = building(() => new Promise((done) => setImmediate(() => done(order.push("closed")))));
    const starting = assert.rejects(app.start(0), { code: "APP_STOPPED" });
    await begun;
    const stopping = app.stop().then(() => order.push("stopped"));
    build();
    await Promise.all([starting, stopping]);
    assert.deepEqual(order, ["closed", "stopped"]);
  });

  test("waits for a bean at most as long as its grace, and reports that", async () => {
    const lines: string[] = [];
    const { app, begun, build } = building(
      () => lines.push("closed"),
      (line) => void lines.push(line),
    );
    const starting = assert.rejects(app.start(0), { code: "APP_STOPPED" });
    await begun;
    await app.stop({ graceMs: 1 });
    build();
    await starting;
    const late = "the app stopped while its beans were being built: they are closed once they are";
    assert.deepEqual(lines, [late, "closed"]);
  });

  test("logs failures of the stop that follows a failed start", async () => {
    const lines: unknown[] = [];
    const error = (line: string, cause?: unknown): void => void lines.push([line, String(cause)]);
    const app = Framework.create({ logger: { warn: () => undefined, error } })
      .onStart(() => Promise.reject(new Error("no start")))
      .onStop(() => Promise.reject(new Error("no stop")));
    await assert.rejects(app.start(0), { message: "no start" });
    assert.deepEqual(lines, [["app.stop failed", "AggregateError: the app stopped, but not everything closed well"]]);
  });
});

describe("app.use with an invalid value", () => {
  test("names the value", () =>
    assert.throws(() => Framework.create().use("/a", undefined as never), {
      name: "TypeError",
      code: "MIDDLEWARE_INVALID",
      message: 'app.use("/a") lacks the middleware',
    }));

  test("rejects a second middleware", () => {
    const use = Framework.create().use.bind(Framework.create()) as (...given: unknown[]) => unknown;
    const through = (_ctx: unknown, next: () => unknown): unknown => next();
    assert.throws(() => use(through, through), {
      code: "MIDDLEWARE_INVALID",
      message: "app.use(…) got two middlewares: call it once for each",
    });
  });
});

describe("app.url and app.port", () => {
  const engine = (running: { readonly host?: string; readonly secure?: boolean } = {}): ServerEngine => ({
    name: "none",
    start: async () => ({ ...running, port: 8_443, stop: async () => undefined }),
  });
  const urls: Readonly<Record<string, readonly [host: string | undefined, ServerEngine, contextPath?: string]>> = {
    "http://localhost:8443": [undefined, engine()],
    "http://127.0.0.1:8443": ["127.0.0.1", engine()],
    "http://localhost:8443/shop": ["0.0.0.0", engine(), "/shop"],
    "http://localhost:8443/v6": ["::", engine(), "/v6"],
    "http://[::1]:8443": ["::1", engine()],
    "https://localhost:8443": [undefined, engine({ secure: true })],
    "http://[fe80::1]:8443": ["127.0.0.1", engine({ host: "fe80::1" })],
  };
  for (const [url, [host, chosen, contextPath = "/"]] of Object.entries(urls))
    test(`are ${url} of ${host ?? "no host"}`, async () => {
      const app = await Framework.create({ host, contextPath }).start(0, chosen);
      assert.deepEqual([app.url, app.port, app.about.host, app.about.contextPath], [url, 8_443, host, contextPath]);
      await app.stop();
    });

  test("are errors before the start", () => {
    const error = { code: "APP_NOT_STARTED", message: "the app has no port before app.start()" };
    const app = Framework.create();
    assert.throws(() => app.port, error);
    assert.throws(() => app.url, error);
  });
});

describe("an engine", () => {
  test("gets the port, the host, the limits, the timeouts, and whether a route upgrades", async () => {
    const given: object[] = [];
    const engine: ServerEngine = {
      name: "none",
      start: async (config) => (given.push(config), { port: 1, stop: async () => undefined }),
    };
    const limits = { headerBytes: 4_000 };
    await (await Framework.create({ host: "h", limits, engine, port: 7 }).get("/", handler).start()).stop();
    await (
      await Framework.create({ host: "h", limits, port: 7 }).get("/a", handler).ws("/", handler).start(8, engine)
    ).stop();
    const facts = given.map((one) => {
      const { port, host, upgrades, limits: told } = one as Record<string, unknown> & { limits: object };
      return [port, host, upgrades, told];
    });
    const all = { headerBytes: 4_000, headerCount: 100, urlBytes: 8_192, jsonDepth: 64, queryPairs: 1_000 };
    assert.deepEqual(facts, [
      [7, "h", false, all],
      [8, "h", true, all],
    ]);
  });

  test("is stopped within the grace of stop, else that of the options", async () => {
    const graces: number[] = [];
    const engine: ServerEngine = {
      name: "none",
      start: async () => ({ port: 1, stop: async (grace) => void graces.push(grace) }),
    };
    const options = { engine, shutdownGraceMs: 70 };
    await (await Framework.create(options).start(0)).stop();
    await (await Framework.create(options).start(0)).stop({ graceMs: 0 });
    assert.deepEqual(graces, [70, 0]);
  });

  test("is stopped without a grace when an onStart listener fails", async () => {
    const graces: number[] = [];
    const engine: ServerEngine = {
      name: "none",
      start: async () => ({ port: 1, stop: async (grace) => void graces.push(grace) }),
    };
    const error = new Error("no database");
    const app = Framework.create({ engine, shutdownGraceMs: 70 }).onStart(() => Promise.reject(error));
    await assert.rejects(app.start(0), error);
    assert.deepEqual(graces, [0]);
  });

  test("is named to middleware, which sees when the app drains", async () => {
    const seen: unknown[] = [];
    for (const engine of [undefined, { name: "own", start: async () => ({ port: 1, stop: async () => undefined }) }]) {
      const app = Framework.create({ engine });
      app.use({
        installed: (life) => {
          seen.push([life.engine, life.draining]);
          life.onStop(() => void seen.push([life.engine, life.draining]));
        },
        handle: (_, next) => next(),
      });
      await app.stop();
    }
    assert.deepEqual(seen, [
      ["node-http", false],
      ["node-http", true],
      ["own", false],
      ["own", true],
    ]);
  });
});

describe("an app, for tools", () => {
  test("has a logger that does not throw, even if the given one does", () => {
    const lines: unknown[] = [];
    const warn = (line: string): void => {
      lines.push(line);
      throw new Error("the disk is full");
    };
    const { logger } = Framework.create({ logger: { ...quiet, warn } }).about;
    assert.doesNotThrow(() => logger.warn("careful"));
    assert.deepEqual(lines, ["careful"]);
  });

  test("gives its declared routes with the context path, in the order of their registration", () => {
    const app = Framework.create({ contextPath: "/shop", logger: quiet }).get("/z", handler).post("/a/{id}", handler);
    const declared = app.about.declaredRoutes().map(({ method, path }) => [method, path]);
    assert.deepEqual(declared, [
      ["GET", "/shop/z"],
      ["POST", "/shop/a/{id}"],
    ]);
  });
});
