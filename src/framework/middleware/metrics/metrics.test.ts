import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { Framework } from "../../app/framework.ts";
import type { MetricsCollector, Observation } from "../../metrics/collector.ts";
import { EXPOSITION_CONTENT_TYPE } from "../../metrics/exposition.ts";
import { InMemoryMetricsCollector } from "../../metrics/in-memory.ts";
import { HttpError } from "../../internal/errors.ts";
import { MetricsMiddleware, type MetricsOptions } from "./metrics.ts";

/** Keeps its observations, with durations checked and removed. */
class Recorder implements MetricsCollector {
  begun = 0;
  readonly observations: Omit<Observation, "durationSeconds">[] = [];
  started(): void {
    this.begun += 1;
  }
  record({ durationSeconds, ...rest }: Observation): void {
    // A request that the parser rejects has no duration.
    assert.ok((durationSeconds > 0 || rest.httpVersion === undefined) && durationSeconds < 10);
    this.observations.push(rest);
  }
}

const quiet = { warn: (): void => undefined, error: (): void => undefined };

async function serve(
  t: TestContext,
  collector: MetricsCollector,
  options?: MetricsOptions,
): Promise<{ app: Framework; middleware: MetricsMiddleware }> {
  const middleware = new MetricsMiddleware(collector, options);
  const app = Framework.create({ host: "127.0.0.1", logger: quiet, maxBodyBytes: 10 })
    .use(middleware)
    .get("/users/{id}", () => "user")
    .post("/echo", async (ctx) => ctx.json(await ctx.body()))
    .get("/boom", () => {
      throw new Error("boom");
    })
    .get("/fail", () => {
      throw new HttpError(418, "tea");
    })
    .get("/hang", () => new Promise(() => undefined))
    .get("/metrics", (ctx) => ctx.json((collector as InMemoryMetricsCollector).snapshot()))
    .get("/text", (ctx) =>
      ctx.setHeader("Content-Type", EXPOSITION_CONTENT_TYPE).text((collector as InMemoryMetricsCollector).prometheus()),
    );
  await app.start(0);
  t.after(() => app.stop({ graceMs: 0 }));
  return { app, middleware };
}

async function until(condition: () => boolean | Promise<boolean>, ms = 5_000): Promise<void> {
  const deadline = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > deadline) assert.fail("the condition never held");
    await new Promise((done) => setTimeout(done, 5));
  }
}

const seen = { method: "GET", route: "/users/{id}", status: 200, aborted: false, scheme: "http", httpVersion: "1.1" };

describe("MetricsMiddleware", () => {
  test("records one observation for each request, by pattern and final status", async (t) => {
    const collector = new Recorder();
    const { app } = await serve(t, collector);
    const post = { method: "POST", headers: { "content-type": "application/json" }, body: '"far too long for this"' };
    for (const [path, init] of [
      ["/users/1"],
      ["/users/2", { method: "HEAD" }],
      ["/boom"],
      ["/fail"],
      ["/nowhere"],
      ["/users/1", { method: "DELETE" }],
      ["/echo", post],
    ] as const) {
      await (await fetch(app.url + path, init)).text();
    }
    await until(() => collector.observations.length === 7);
    assert.equal(collector.begun, 7);
    assert.deepEqual(collector.observations, [
      seen,
      { ...seen, method: "HEAD" },
      { ...seen, route: "/boom", status: 500 },
      { ...seen, route: "/fail", status: 418 },
      { ...seen, route: null, status: 404 },
      { ...seen, method: "DELETE", route: null, status: 405 },
      { ...seen, method: "POST", route: "/echo", status: 413 },
    ]);
  });

  test("records a client that left before the head as an aborted 499", async (t) => {
    const collector = new Recorder();
    const { app } = await serve(t, collector);
    const socket = connect(app.port, "127.0.0.1");
    socket.write("GET /hang HTTP/1.1\r\nHost: x\r\n\r\n");
    await until(() => collector.begun === 1);
    socket.destroy();
    await until(() => collector.observations.length === 1);
    assert.deepEqual(collector.observations, [{ ...seen, route: "/hang", status: 499, aborted: true }]);
  });

  test("METRIC-016: records a request that the parser rejected as _OTHER without a route, with its scheme", async (t) => {
    const collector = new Recorder();
    const { app } = await serve(t, collector);
    const socket = connect(app.port, "127.0.0.1");
    socket.on("error", () => undefined).resume();
    socket.write("NOT HTTP AT ALL\r\n\r\n");
    await until(() => collector.observations.length === 1);
    assert.deepEqual(
      [collector.begun, collector.observations],
      [1, [{ method: "_OTHER", route: null, status: 400, aborted: false, scheme: "http" }]],
    );
  });

  test("knows only the methods of OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS when it lists any", async (t) => {
    process.env["OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS"] = "GET, PROPFIND";
    t.after(() => delete process.env["OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS"]);
    const collector = new Recorder();
    const { app } = await serve(t, collector);
    for (const method of ["PROPFIND", "PUT"]) await fetch(`${app.url}/users/1`, { method });
    await until(() => collector.observations.length === 2);
    assert.deepEqual(
      collector.observations.map(({ method }) => method),
      ["PROPFIND", "_OTHER"],
    );
  });

  test("names an unknown method _OTHER", async (t) => {
    const collector = new Recorder();
    const { app } = await serve(t, collector);
    await fetch(`${app.url}/users/1`, { method: "PROPFIND" });
    await until(() => collector.observations.length === 1);
    assert.equal(collector.observations[0]?.method, "_OTHER");
  });

  test("leaves out requests that skip selects, and counts a skip that throws", async (t) => {
    const collector = new Recorder();
    const skip = (ctx: { path: string }): boolean => {
      if (ctx.path === "/boom") throw new Error("bad skip");
      return ctx.path.startsWith("/users");
    };
    const { app, middleware } = await serve(t, collector, { skip });
    for (const path of ["/users/1", "/boom", "/fail"]) await fetch(app.url + path);
    await until(() => collector.observations.length === 2);
    assert.deepEqual(
      [collector.observations.map(({ route }) => route), collector.begun, middleware.faults],
      [["/boom", "/fail"], 2, 1],
    );
  });

  for (const [name, collector] of Object.entries({
    "throws from record": {
      record: () => {
        throw new Error("full");
      },
    },
    "throws from started": {
      started: () => {
        throw new Error("full");
      },
      record: () => undefined,
    },
    "rejects from started": {
      started: (async () => {
        throw new Error("full");
      }) as () => void,
      record: () => undefined,
    },
    rejects: {
      record: (async () => {
        throw new Error("full");
      }) as () => void,
    },
  } satisfies Record<string, MetricsCollector>)) {
    test(`continues serving and counts when the collector ${name}`, async (t) => {
      const { app, middleware } = await serve(t, collector);
      assert.equal(await (await fetch(`${app.url}/users/1`)).text(), "user");
      await until(() => middleware.faults === 1);
    });
  }

  test("names itself and the first fault in a warning, and gives its collector to others", async () => {
    const warnings: string[] = [];
    const collector: MetricsCollector = { record: () => assert.fail("full") };
    const middleware = new MetricsMiddleware(collector);
    const app = Framework.create({ logger: { ...quiet, warn: (line) => void warnings.push(line) } }).use(middleware);
    for (const path of ["/a", "/b"]) await (await app.fetch(new Request(`http://x${path}`))).text();
    await until(() => middleware.faults === 2);
    assert.deepEqual(warnings, [
      "MetricsMiddleware: the collector, skip or caller failed: full (further faults are only counted)",
    ]);
    assert.equal(middleware.collector, collector);
  });

  test("METRIC-016: records how long a rejected request took, in seconds", () => {
    const observations: Observation[] = [];
    const middleware = new MetricsMiddleware({ record: (observation) => void observations.push(observation) });
    const rejected = { status: 400, durationMs: 1_500, scheme: "http" };
    middleware.installed({
      onRejected: (listener: (request: object) => void) => listener(rejected),
    } as unknown as Parameters<typeof middleware.installed>[0]);
    const rest = { method: "_OTHER", route: null, aborted: false };
    assert.deepEqual(observations, [{ ...rest, status: 400, durationSeconds: 1.5, scheme: "http" }]);
  });

  test("reports rejected requests once, however often it is installed", async (t) => {
    const collector = new Recorder();
    const middleware = new MetricsMiddleware(collector);
    const app = Framework.create({ host: "127.0.0.1" }).use("/a", middleware).use("/b", middleware);
    await app.start(0);
    t.after(() => app.stop({ graceMs: 0 }));
    connect(app.port, "127.0.0.1")
      .on("error", () => undefined)
      .resume()
      .write("BAD\r\n\r\n");
    await until(() => collector.observations.length > 0);
    assert.equal(collector.observations.length, 1);
  });

  test("rejects a collector that cannot record", () => {
    for (const wrong of [{}, undefined])
      assert.throws(() => new MetricsMiddleware(wrong as MetricsCollector), /needs a collector with a record method/);
  });

  test("passes the figures of the process on when told to, and counts no connection after the stop", async (t) => {
    const collector = new InMemoryMetricsCollector();
    assert.equal(collector.readRuntime(), undefined);
    const { app } = await serve(t, collector, { runtime: true });
    const text = await (await fetch(`${app.url}/text`)).text();
    assert.match(text, /^http_server_active_requests 1$/m);
    assert.match(text, /^http_server_open_connections 1$/m);
    assert.match(text, /^nodejs_eventloop_lag_p99_seconds [0-9.]+$/m);
    await app.stop();
    assert.equal(collector.readRuntime()?.openConnections, 0);
  });

  test("METRIC-036: counts who calls deprecated routes, also those of a deprecated group, and no others", async () => {
    const collector = new InMemoryMetricsCollector();
    const middleware = new MetricsMiddleware(collector, { caller: (ctx) => ctx.header("x-client") });
    const app = Framework.create().use(middleware);
    app.get("/old/{id}", { deprecated: { since: "2026-01-01" } }, () => "old").get("/new", () => "new");
    app.group("/v1", { deprecated: true }, (v1) => {
      v1.get("/users", () => "users").get("/kept", { deprecated: false }, () => "kept");
    });
    const calls = {
      "/old/1": "acme",
      "/old/2": "acme",
      "/new": "acme",
      "/v1/users": "",
      "/v1/kept": "acme",
      "/v1": "a",
    };
    for (const [path, client] of Object.entries(calls)) await app.request(path, { headers: { "x-client": client } });
    await app.request("/old/1", { method: "HEAD", headers: { "x-client": 'b"c' } });
    await app.request("/old/1", { method: "PUT", headers: { "x-client": "acme" } });
    const of = (method: string, route: string, caller: string, count: number) => ({ method, route, caller, count });
    assert.deepEqual(collector.snapshot().deprecated, [
      of("GET", "/old/{id}", "acme", 2),
      of("HEAD", "/old/{id}", 'b"c', 1),
      of("GET", "/v1/users", "", 1),
    ]);
    const name = "http_server_deprecated_requests_total";
    const lines = collector
      .prometheus()
      .split("\n")
      .filter((line) => line.includes(name));
    assert.deepEqual(lines, [
      `# HELP ${name} Number of requests to deprecated routes.`,
      `# TYPE ${name} counter`,
      `${name}{http_request_method="GET",http_route="/old/{id}",caller="acme"} 2`,
      `${name}{http_request_method="HEAD",http_route="/old/{id}",caller="b\\"c"} 1`,
      `${name}{http_request_method="GET",http_route="/v1/users",caller=""} 1`,
    ]);
    collector.reset();
    assert.equal(collector.snapshot().deprecated, undefined);
  });

  test("names a hundred callers, and counts a caller that throws as a fault", async () => {
    const collector = new InMemoryMetricsCollector();
    let client: (() => string) | undefined;
    const middleware = new MetricsMiddleware(collector, { caller: () => client?.() });
    const app = Framework.create({ logger: quiet })
      .use(middleware)
      .get("/old", { deprecated: true }, () => "old");
    for (let at = 0; at < 102; at += 1) {
      client = () => `client-${at}`;
      await app.request("/old");
    }
    for (const one of [() => "client-0", () => "x".repeat(101), () => assert.fail("nobody")]) {
      client = one;
      await app.request("/old");
    }
    const { deprecated = [] } = collector.snapshot();
    const counts = new Map(deprecated.map(({ caller, count }) => [caller, count]));
    assert.deepEqual(
      [deprecated.length, counts.get("client-0"), counts.get("OVERFLOW"), middleware.faults],
      [101, 2, 3, 1],
    );
    assert.throws(() => new MetricsMiddleware(collector, { caller: "acme" as never }), { code: "CONFIG_INVALID" });
  });

  test("rejects runtime for a collector that cannot take it", () => {
    const sentence = "false is allowed, and true with a collector that has a method attachRuntime";
    for (const runtime of [true, "yes"])
      assert.throws(() => new MetricsMiddleware({ record: () => undefined }, { runtime: runtime as boolean }), {
        code: "CONFIG_INVALID",
        message: `MetricsMiddleware has runtime: ${runtime === true ? "true" : '"yes"'}: ${sentence}`,
      });
  });
});

describe("MetricsMiddleware with InMemoryMetricsCollector", () => {
  test("keeps one UNMATCHED series after 1,000 random paths", async () => {
    const collector = new InMemoryMetricsCollector();
    const app = Framework.create().use(new MetricsMiddleware(collector));
    await Promise.all(Array.from({ length: 1_000 }, () => app.fetch(new Request(`http://x/${crypto.randomUUID()}`))));
    const { routes } = collector.snapshot();
    assert.deepEqual(
      routes.map(({ route, count, statuses }) => ({ route, count, statuses })),
      [{ route: "UNMATCHED", count: 1_000, statuses: { 404: 1_000 } }],
    );
  });

  test("counts the request that reads the snapshot as active", async (t) => {
    const { app } = await serve(t, new InMemoryMetricsCollector());
    const snapshot = (await (await fetch(`${app.url}/metrics`)).json()) as { activeRequests: number };
    assert.equal(snapshot.activeRequests, 1);
  });

  test("is scraped by Prometheus", async (t) => {
    if (spawnSync("prometheus", ["--version"]).error !== undefined) return t.skip("skipped: prometheus not found");
    const { app } = await serve(t, new InMemoryMetricsCollector());
    for (let id = 0; id < 3; id += 1) await fetch(`${app.url}/users/${id}`);
    const prometheus = await startPrometheus(t, app.port);
    const query = encodeURIComponent('http_server_request_duration_seconds_count{http_route="/users/{id}"}');
    let found: { data?: { result?: { metric: Record<string, string>; value: [number, string] }[] } } = {};
    await until(async () => {
      const response = await fetch(`${prometheus}/api/v1/query?query=${query}`).catch(() => undefined);
      found = response?.ok === true ? ((await response.json()) as typeof found) : {};
      return (found.data?.result?.length ?? 0) > 0;
    }, 30_000);
    const [series] = found.data?.result ?? [];
    assert.deepEqual(
      [series?.value[1], series?.metric["http_request_method"], series?.metric["http_response_status_code"]],
      ["3", "GET", "200"],
    );
  });
});

/** Base URL of a separate Prometheus that scrapes `port`. */
async function startPrometheus(t: TestContext, port: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "prometheus-"));
  const config = {
    global: { scrape_interval: "1s" },
    scrape_configs: [{ job_name: "app", metrics_path: "/text", static_configs: [{ targets: [`127.0.0.1:${port}`] }] }],
  };
  await writeFile(join(folder, "prometheus.yml"), JSON.stringify(config));
  const own = await freePort();
  const child = spawn(
    "prometheus",
    [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${own}`,
    ],
    { stdio: "ignore" },
  );
  t.after(async () => {
    const gone = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    await gone;
    await rm(folder, { recursive: true, force: true });
  });
  return `http://127.0.0.1:${own}`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
