/** Robustness: connections after errors, names chosen by the client, stops and starts (ERR, CTX, LIFE, ROUTE, METRIC). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ask, created, exchange, responsesOf, serving, until, wire } from "../testing/harness.testkit.ts";
import { HttpError, InMemoryMetricsCollector, MetricsMiddleware, type Context } from "../index.ts";

const get = (path: string, more = ""): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;

describe("a connection on which a request failed", () => {
  const failures: Readonly<Record<string, (ctx: Context) => unknown>> = {
    "a throw": () => {
      throw new Error("x");
    },
    "a rejection": async () => {
      await null;
      throw new Error("x");
    },
    null: () => {
      throw null;
    },
    "a frozen error": () => {
      throw Object.freeze(new HttpError(409, "x"));
    },
    "an uninspectable error": () => {
      throw new Proxy({}, { get: () => assert.fail("get"), getPrototypeOf: () => assert.fail("getPrototypeOf") });
    },
    "a value without a JSON form": () => ({ n: 1n }),
    "a cycle": () => {
      const cycle: Record<string, unknown> = {};
      cycle["self"] = cycle;
      return cycle;
    },
    "a toJSON that throws": () => ({
      toJSON() {
        throw new Error("x");
      },
    }),
    "a huge message": () => {
      throw new HttpError(400, "x".repeat(1_000_000));
    },
    "a header that splits the response": (ctx) => ctx.setHeader("X-A", "1\r\nX-B: 2"),
    "an invalid status": (ctx) => ctx.status(99),
    "a failing onComplete": (ctx) => {
      ctx.onComplete(() => {
        throw new Error("x");
      });
      return "fine";
    },
  };
  for (const [what, handler] of Object.entries(failures))
    it(`serves the next one: ${what}`, () =>
      serving(
        (app) => app.get("/fail", handler).get("/next", () => "next"),
        async ({ port }) => {
          const responses = await exchange(port, get("/fail") + get("/next", "Connection: close\r\n"));
          assert.deepEqual(
            responses.map(({ status }) => status >= 200 && status < 600),
            [true, true],
          );
          assert.deepEqual([responses[1]?.status, responses[1]?.body], [200, "next"]);
        },
      ));
});

describe("names chosen by the client", () => {
  const names = ["__proto__", "constructor", "hasOwnProperty", "toString"];
  it("are ordinary names in queries and parameters", () =>
    serving(
      (app) =>
        app.get("/{__proto__}/{constructor}", (ctx) => [
          names.map((name) => ctx.queryParam(name) ?? null),
          ctx.queryParams("valueOf"),
          Object.getPrototypeOf(ctx.query),
          Object.entries(ctx.params),
          Object.getPrototypeOf(ctx.params),
        ]),
      async ({ port }) => {
        const before = Reflect.ownKeys(Object.prototype).length;
        const query = names.map((name) => `${name}=${name}!`).join("&");
        const { body } = await ask(port, "GET", `/a/b?${query}&__proto__[admin]=1`);
        assert.deepEqual(JSON.parse(body), [
          names.map((name) => `${name}!`),
          [],
          null,
          [
            ["__proto__", "a"],
            ["constructor", "b"],
          ],
          null,
        ]);
        assert.deepEqual([Reflect.get({}, "admin"), Reflect.ownKeys(Object.prototype).length], [undefined, before]);
      },
    ));
});

describe("HEAD", () => {
  it("ROUTE-009: runs the middleware of GET", () => {
    const ran: string[] = [];
    return serving(
      (app) =>
        app
          .use((ctx, next) => (ran.push(`use ${ctx.method}`), next()))
          .group("/g", (api) => {
            api.use((ctx, next) => (ran.push(`group ${ctx.method}`), next()));
            api.get("/x", { use: [(ctx, next) => (ran.push(`route ${ctx.method}`), next())] }, () => "x");
          }),
      async ({ port }) => {
        for (const method of ["GET", "HEAD"]) await ask(port, method, "/g/x");
        assert.deepEqual(ran, ["use GET", "group GET", "route GET", "use HEAD", "group HEAD", "route HEAD"]);
      },
    );
  });
});

describe("durations", () => {
  it("are never negative and do not follow the wall clock", (t) => {
    const metrics = new InMemoryMetricsCollector();
    let now = Date.now();
    t.mock.method(Date, "now", () => (now -= 86_400_000));
    return serving(
      (app) => app.use(new MetricsMiddleware(metrics)).get("/", () => "x"),
      async ({ port }) => {
        for (let i = 0; i < 5; i += 1) await ask(port, "GET", "/");
        const [{ count, durationSeconds } = assert.fail()] = metrics.snapshot().routes;
        assert.ok(durationSeconds.min >= 0 && durationSeconds.max < 60, JSON.stringify(durationSeconds));
        assert.equal(count, 5);
      },
    );
  });
});

describe("start and stop", () => {
  it("a second start is rejected, also after a stop", async () => {
    const { app } = created();
    await app.start(0);
    await assert.rejects(app.start(0), /was started already/);
    await app.stop();
    await assert.rejects(app.start(0), /was started already/);
  });

  it("stop before a start resolves, also when repeated", async () => {
    const { app } = created();
    assert.deepEqual([await app.stop(), await app.stop()], [undefined, undefined]);
  });

  it("responds to every pipelined request that was in flight when the stop began", async () => {
    const { app } = created();
    const release: (() => void)[] = [];
    app.get("/{n}", async (ctx) => {
      await new Promise<void>((resolve) => void release.push(resolve));
      return ctx.pathParam("n");
    });
    await app.start(0);
    const client = wire(app.port, [0, 1, 2, 3, 4].map((n) => get(`/${n}`)).join(""));
    await until(() => release.length === 5);
    const stopped = app.stop({ graceMs: 5_000 });
    for (const response of release.toReversed()) {
      response();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await client.closed;
    await stopped;
    assert.deepEqual(
      responsesOf(client.text()).map(({ body, headers }) => [body, headers["connection"]]),
      ["0", "1", "2", "3", "4"].map((body) => [body, body === "4" ? "close" : "keep-alive"]),
    );
  });

  it("ends in time with half-sent, unused, stalled and streaming connections", async () => {
    const { app } = created();
    app.get("/big", () => new Uint8Array(20_000_000));
    app.get("/sse", (ctx) => {
      ctx.sse().send("x");
    });
    app.get("/endless", async function* () {
      for (;;) yield new Uint8Array(65_536);
    });
    app.post("/body", (ctx) => ctx.bodyAsString());
    await app.start(0);
    const clients = [
      wire(app.port),
      wire(app.port, "GET / HT"),
      wire(app.port, "POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf"),
      wire(app.port, get("/sse")),
      wire(app.port, get("/big")),
      wire(app.port, get("/endless")),
      wire(app.port, get("/sse") + get("/sse") + get("/big")),
    ];
    for (const { socket } of clients.slice(4)) socket.pause();
    await until(() => clients[3]?.text().includes("data: x") === true);
    const startedAt = performance.now();
    await app.stop({ graceMs: 300 });
    const took = performance.now() - startedAt;
    assert.ok(took < 5_000, `it took ${Math.round(took)} ms`);
    for (const { socket, closed } of clients) {
      socket.resume();
      await closed;
    }
  });

  it("leave no listener on the process and no handle, 100 times over", async () => {
    const count = (): number[] => [
      ...["exit", "SIGTERM", "SIGINT", "uncaughtException", "unhandledRejection", "beforeExit", "warning"].map(
        (event) => process.listenerCount(event),
      ),
      process.getActiveResourcesInfo().filter((kind) => /Server|Socket|TCP/.test(kind)).length,
    ];
    const cycle = (): Promise<unknown> =>
      serving(
        (app) => app.get("/", () => "x"),
        ({ port }) => ask(port, "GET", "/"),
      );
    await cycle();
    await until(() => count().at(-1) === 0);
    const before = count();
    for (let i = 0; i < 100; i += 1) await cycle();
    await until(() => count().at(-1) === 0);
    const after = count();
    // Leftovers of an earlier test of this process may end in that time.
    assert.ok(
      after.every((more, at) => more <= (before[at] ?? 0)),
      `${after.join()} where ${before.join()} were before`,
    );
  });
});
