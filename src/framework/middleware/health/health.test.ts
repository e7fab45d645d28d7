import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import fc from "fast-check";
import { Framework } from "../../app/framework.ts";
import { HealthMiddleware } from "./health.ts";

const forever = (): Promise<boolean> => new Promise(() => undefined);
const sad = (): never => {
  throw new Error("secret reason");
};

async function serve(
  t: TestContext,
  health: HealthMiddleware,
): Promise<{ app: Framework; ask: (path: string, method?: string) => Promise<unknown> }> {
  const app = Framework.create({ host: "127.0.0.1" })
    .use(health)
    .get("/users", () => "users");
  await app.start(0);
  t.after(() => app.stop({ graceMs: 0 }));
  const ask = async (path: string, method = "GET"): Promise<unknown> => {
    const response = await fetch(app.url + path, { method });
    const text = await response.text();
    return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : text };
  };
  return { app, ask };
}

describe("HealthMiddleware", () => {
  test("accepts checks by name, alone or with options", async (t) => {
    const checks = { up: () => true, alive: { check: sad, groups: ["liveness"] as const } };
    const { ask } = await serve(t, new HealthMiddleware({ checks, readiness: "/ready" }));
    assert.deepEqual(
      [await ask("/health"), await ask("/ready")],
      [
        { status: 503, body: { status: "DOWN", checks: { up: "UP", alive: "DOWN" } } },
        { status: 200, body: { status: "UP", checks: { up: "UP" } } },
      ],
    );
  });

  test("responds with 200 UP with no checks by default", async (t) => {
    const { ask } = await serve(t, HealthMiddleware.defaults());
    assert.deepEqual(await ask("/health"), { status: 200, body: { status: "UP", checks: {} } });
  });

  test("responds with 503 and names the checks that are down, without reasons", async (t) => {
    const health = HealthMiddleware.builder()
      .path("/well")
      .timeout(40)
      .check("up", () => true)
      .check("quiet", () => undefined)
      .check("no", () => false)
      .check("throws", sad)
      .check("rejects", async () => sad())
      .check("hangs", forever)
      .build();
    const { ask } = await serve(t, health);
    const checks = { up: "UP", quiet: "UP", no: "DOWN", throws: "DOWN", rejects: "DOWN", hangs: "DOWN" };
    assert.deepEqual(await ask("/well"), { status: 503, body: { status: "DOWN", checks } });
  });

  test("shows durations and reasons with details, and only then", async (t) => {
    const { ask } = await serve(
      t,
      HealthMiddleware.builder()
        .details(true)
        .check("up", () => true)
        .check("down", sad)
        .build(),
    );
    const { body } = (await ask("/health")) as { body: { details: Record<string, { durationUs: number }> } };
    const durations = Object.values(body.details).map(
      ({ durationUs }) => Number.isInteger(durationUs) && durationUs >= 0,
    );
    const reasons = Object.values(body.details).map(({ durationUs: _, ...rest }) => rest);
    assert.deepEqual(
      [durations, reasons, Object.keys(body)],
      [
        [true, true],
        [{}, { error: "secret reason" }],
        ["status", "checks", "details"],
      ],
    );
  });

  test("sends JSON that no cache may store", async (t) => {
    for (const [status, middleware] of [
      [200, HealthMiddleware.defaults()],
      [503, HealthMiddleware.builder().check("down", sad).build()],
    ] as const) {
      const { app } = await serve(t, middleware);
      const response = await fetch(`${app.url}/health`);
      assert.deepEqual(
        [response.status, response.headers.get("content-type"), response.headers.get("cache-control")],
        [status, "application/json; charset=utf-8", "no-store"],
      );
    }
  });

  test("serves HEAD with the status and no body, and leaves other methods and paths to the app", async (t) => {
    const { ask } = await serve(t, HealthMiddleware.builder().check("down", sad).build());
    const responses = await Promise.all([
      ask("/health", "HEAD"),
      ask("/users"),
      ask("/health/x"),
      ask("/health", "POST"),
    ]);
    assert.deepEqual(
      responses.map((response) => (response as { status: number }).status),
      [503, 200, 404, 404],
    );
    assert.equal((responses[0] as { body: string }).body, "");
  });

  test("sends the same headers for HEAD as for GET, both up and down", async (t) => {
    let isUp = true;
    const { app } = await serve(
      t,
      HealthMiddleware.builder()
        .check("db", () => isUp)
        .build(),
    );
    const heads: unknown[] = [];
    for (const up of [true, false]) {
      isUp = up;
      const [got, head] = await Promise.all(["GET", "HEAD"].map((method) => fetch(`${app.url}/health`, { method })));
      const [shown, ofHead] = [got, head].map((response) => [
        response?.status,
        [...(response?.headers ?? [])].filter(([name]) => !["date", "connection", "keep-alive"].includes(name)),
      ]);
      assert.deepEqual(ofHead, shown);
      heads.push([head?.status, head?.headers.get("content-length"), await head?.text()]);
    }
    assert.deepEqual(heads, [
      [200, "36", ""],
      [503, "40", ""],
    ]);
  });

  test("runs the checks concurrently, within the overall timeout", async (t) => {
    const checks = ["a", "b", "c", "d"].map((name) => ({ name, check: forever }));
    const { ask } = await serve(t, new HealthMiddleware({ checks, timeoutMs: 300 }));
    const startedAt = performance.now();
    await ask("/health");
    const took = performance.now() - startedAt;
    assert.ok(took >= 295 && took < 1_000, `${took} ms`);
  });

  test("runs the checks concurrently, so that one may wait for a later one", async (t) => {
    let start = (): void => undefined;
    const started = new Promise<void>((resolve) => (start = resolve));
    const health = HealthMiddleware.builder()
      .check("waits", () => started)
      .check("starts", () => start())
      .build();
    const { ask } = await serve(t, health);
    assert.deepEqual(await ask("/health"), {
      status: 200,
      body: { status: "UP", checks: { waits: "UP", starts: "UP" } },
    });
  });

  test("runs only the checks of a probe's group, readiness by default", async (t) => {
    const health = HealthMiddleware.builder()
      .liveness("/live")
      .readiness("/ready")
      .check("db", sad)
      .check("loop", () => true, { groups: ["liveness"] })
      .check("both", () => true, { groups: ["liveness", "readiness"] })
      .build();
    const { ask } = await serve(t, health);
    assert.deepEqual(await Promise.all(["/live", "/ready", "/health"].map((path) => ask(path))), [
      { status: 200, body: { status: "UP", checks: { loop: "UP", both: "UP" } } },
      { status: 503, body: { status: "DOWN", checks: { db: "DOWN", both: "UP" } } },
      { status: 503, body: { status: "DOWN", checks: { db: "DOWN", loop: "UP", both: "UP" } } },
    ]);
  });

  /** An app's responses on these paths before and during draining: status and body. */
  const drained = async (t: TestContext, paths: readonly string[]): Promise<readonly [unknown, unknown]> => {
    const health = HealthMiddleware.builder()
      .liveness("/live")
      .readiness("/ready")
      .check("db", () => true)
      .build();
    const app = Framework.create().use(health);
    t.after(() => app.stop());
    const said = async (): Promise<unknown> =>
      Promise.all(
        paths.map(async (path) => {
          const response = await app.fetch(new Request(`http://x${path}`));
          return [response.status, await response.json()];
        }),
      );
    const before = await said();
    void app.stop();
    return [before, await said()];
  };
  const up = { status: "UP", checks: { db: "UP" } };

  test("turns readiness 503 while the app drains", async (t) => {
    assert.deepEqual(await drained(t, ["/ready"]), [[[200, up]], [[503, { ...up, status: "DOWN" }]]]);
  });

  test("leaves the other paths as they are while the app drains", async (t) => {
    const [before, during] = await drained(t, ["/live", "/health"]);
    const expected = [
      [200, { status: "UP", checks: {} }],
      [200, up],
    ];
    assert.deepEqual([before, during], [expected, expected]);
  });

  test("starts a hanging check once in a storm of 1,000 requests, all served in time", async (t) => {
    let starts = 0;
    const health = HealthMiddleware.builder()
      .timeout(100)
      .check("hangs", () => {
        starts += 1;
        return forever();
      })
      .build();
    const app = Framework.create().use(health);
    t.after(() => app.stop());
    const storm = async (path: string): Promise<{ readonly responses: readonly Response[]; readonly took: number }> => {
      const startedAt = performance.now();
      const requests = Array.from({ length: 1_000 }, () => app.fetch(new Request(`http://x${path}`)));
      return { responses: await Promise.all(requests), took: performance.now() - startedAt };
    };
    const plain = await storm("/nowhere");
    const { responses, took } = await storm("/health");
    assert.deepEqual([starts, new Set(responses.map(({ status }) => status))], [1, new Set([503])]);
    assert.ok(took < 500 + 4 * plain.took, `${took} ms, and ${plain.took} ms where nobody waits`);
  });

  test("reports results that are young enough, from any probe, and runs the others once for all", async (t) => {
    let starts = 0;
    const checks = {
      async db(): Promise<void> {
        starts += 1;
      },
      down: sad,
    };
    const health = new HealthMiddleware({ checks, liveness: "/live" });
    const { ask } = await serve(t, health);
    await ask("/health");
    const [first] = await Promise.all([health.report(60_000), health.report(60_000)]);
    assert.equal(starts, 1);
    await Promise.all([health.report(0), health.report(0), health.report(0)]);
    assert.equal(starts, 2);
    const [db, down] = first.checks;
    assert.deepEqual(
      [first.status, db?.name, db?.status, db?.error, down?.name, down?.status, down?.error],
      ["DOWN", "db", "UP", undefined, "down", "DOWN", "secret reason"],
    );
    assert.ok(first.checks.every(({ checkedAt, durationUs }) => Date.now() - checkedAt < 60_000 && durationUs >= 0));
  });

  test("reports when each result was made, its duration, and its number", async (t) => {
    let now = 1_000;
    t.mock.method(performance, "now", () => now);
    t.mock.method(Date, "now", () => 50_000 + now);
    const health = new HealthMiddleware({ checks: { up: () => void (now += 2) } });
    await health.report(0);
    now += 500;
    assert.deepEqual(await health.report(60_000), {
      status: "UP",
      checks: [{ name: "up", status: "UP", durationUs: 2_000, checkedAt: 51_002, sequence: 1 }],
    });
  });

  test("runs again only after the cache time", async (t) => {
    let starts = 0;
    const health = HealthMiddleware.builder()
      .cache(60_000)
      .check("db", async () => {
        starts += 1;
      })
      .build();
    const { ask } = await serve(t, health);
    await ask("/health");
    await ask("/health");
    assert.equal(starts, 1);
  });

  test("sets the path as the request's route", async (t) => {
    const routes: unknown[] = [];
    const app = Framework.create({ contextPath: "/shop" })
      .use((ctx, next) => {
        ctx.onComplete(() => routes.push(ctx.route));
        return next();
      })
      .use(HealthMiddleware.defaults());
    t.after(() => app.stop());
    const { status } = await app.fetch(new Request("http://x/shop/health"));
    assert.deepEqual([status, routes], [200, ["/shop/health"]]);
  });

  test("accepts a trailing slash on its path as routes do", async (t) => {
    const seen = async (strictSlash: boolean): Promise<unknown> => {
      const routes: unknown[] = [];
      const app = Framework.create({ strictSlash })
        .use((ctx, next) => {
          ctx.onComplete(() => routes.push(ctx.route));
          return next();
        })
        .use(new HealthMiddleware({ liveness: "/health/live", readiness: "/health/ready/" }))
        .get("/route", () => "");
      t.after(() => app.stop());
      const statuses: number[] = [];
      for (const path of ["/health/", "/health/live/", "/health/ready", "/route/", "/health//"])
        statuses.push((await app.request(path)).status);
      return { statuses, routes };
    };
    assert.deepEqual(await seen(false), {
      statuses: [200, 200, 200, 200, 404],
      routes: ["/health", "/health/live", "/health/ready", "/route", undefined],
    });
    assert.deepEqual(await seen(true), {
      statuses: [404, 404, 404, 404, 404],
      routes: [undefined, undefined, undefined, undefined, undefined],
    });
  });

  test("keeps the registration order of names that objects would reorder", async () => {
    const health = HealthMiddleware.builder()
      .check("b", () => true)
      .check("10", () => true)
      .check("9", () => true)
      .build();
    const text = await (await Framework.create().use(health).fetch(new Request("http://x/health"))).text();
    assert.equal(text, '{"status":"UP","checks":{"b":"UP","10":"UP","9":"UP"}}');
  });

  test("accepts any check name", async () => {
    const name = fc.string({ unit: "binary", minLength: 1, maxLength: 12 });
    const names = fc.uniqueArray(
      fc.oneof(name, fc.constantFrom("__proto__", "constructor", '"', "\n", "</script>", "\ud800")),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(names, async (given) => {
        const health = new HealthMiddleware({ checks: given.map((one) => ({ name: one, check: () => true })) });
        const response = await Framework.create().use(health).fetch(new Request("http://x/health"));
        const body = JSON.parse(await response.text()) as { checks: object };
        assert.deepEqual(new Set(Object.keys(body.checks)), new Set(given));
      }),
      { numRuns: 500 },
    );
  });

  const literal = "a literal path that starts with / is allowed";
  const most = 2 ** 31 - 1;
  const wrong: Readonly<Record<string, readonly [options: object, sentence: string]>> = {
    "two checks of one name": [
      {
        checks: [
          { name: "db", check: sad },
          { name: "db", check: sad },
        ],
      },
      'check "db" is registered twice; names must differ',
    ],
    "a check without a name": [{ checks: [{ name: "", check: sad }] }, "a check needs a name that is not empty"],
    "a check whose name is a number": [{ checks: [{ name: 7, check: sad }] }, "a check needs a name that is not empty"],
    "a check slower than the whole": [
      { checks: [{ name: "db", check: sad, timeoutMs: 2_000 }] },
      'timeoutMs of check "db" is 2000; 1 to 1000 milliseconds are allowed',
    ],
    "a check in another group": [
      { checks: [{ name: "db", check: sad, groups: ["startup"] }] },
      'check "db" is in group "startup"; liveness and readiness are allowed',
    ],
    "a pattern as path": [{ path: "/{x}" }, `path is "/{x}"; ${literal}`],
    "a path with its slash after something": [{ path: "x/health" }, `path is "x/health"; ${literal}`],
    "a path without a slash": [{ liveness: "health" }, `liveness is "health"; ${literal}`],
    "a path with a query": [{ readiness: "/health?x" }, `readiness is "/health?x"; ${literal}`],
    "a path that is a list": [{ path: ["/health"] }, `path is ["/health"]; ${literal}`],
    "an invalid check": [{ checks: { db: 1 } }, 'check "db" is undefined; a function is allowed'],
    "one path for two probes": [
      { liveness: "/health" },
      "two of its paths are the same (/health, /health); each needs its own",
    ],
    "one path for both probes": [
      { liveness: "/up", readiness: "/up" },
      "two of its paths are the same (/health, /up, /up); each needs its own",
    ],
    "no time": [{ timeoutMs: 0 }, `timeout is 0; 1 to ${most} milliseconds are allowed`],
    "an invalid time": [{ timeoutMs: Number.NaN }, `timeout is NaN; 1 to ${most} milliseconds are allowed`],
    "a time that no timer takes": [
      { timeoutMs: 2 ** 31 },
      `timeout is 2147483648; 1 to ${most} milliseconds are allowed`,
    ],
    "a negative cache time": [{ cacheMs: -1 }, `cache is -1; 0 to ${most} milliseconds are allowed`],
    "details that are a text": [{ details: "false" }, 'details is "false"; true or false is allowed'],
  };
  for (const [name, [options, sentence]] of Object.entries(wrong))
    test(`rejects ${name}`, () =>
      assert.throws(() => new HealthMiddleware(options), {
        name: "TypeError",
        message: `HealthMiddleware: ${sentence}`,
      }));

  test("also rejects invalid builder input", () => {
    const message = `HealthMiddleware: timeout is 0; 1 to ${most} milliseconds are allowed`;
    assert.throws(() => HealthMiddleware.builder().timeout(0).build(), { name: "TypeError", message });
  });

  test("accepts times up to their limits, and any number of probes", () => {
    const check = { name: "db", check: sad, timeoutMs: 1, groups: [] };
    for (const options of [
      { timeoutMs: most, cacheMs: most, checks: [check] },
      { timeoutMs: 1, cacheMs: 0, path: "/", liveness: "/live", readiness: "/ready", details: true },
    ])
      assert.doesNotThrow(() => new HealthMiddleware(options));
  });
});
