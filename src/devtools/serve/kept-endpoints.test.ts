/** The endpoints for more than the last hundred runs, as a page reads them. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import {
  Beans,
  Framework,
  HealthMiddleware,
  InMemoryMetricsCollector,
  Interface,
  MetricsMiddleware,
  type HealthOptions,
} from "framework";
import {
  Devtools,
  type DevtoolsOptions,
  type HealthView,
  type SearchPage,
  type SessionList,
  type Trace,
} from "../index.ts";
import { acrossTime, type AcrossTime } from "./kept-endpoints.ts";
import { HealthPanel } from "./app-panels.ts";
import type { DevtoolsHost } from "../host.ts";
import type { Aggregates, HistoryPage, MetricsView, SearchProblem, StartUpView } from "../run/shapes.ts";
import { apiPath } from "../run/wire.ts";

const Orders: Interface<{ find(id: string): object; login(user: object): string }> = Interface("OrderRepository");
const folder = mkdtempSync(join(tmpdir(), "across-time-"));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

/** An app with devtools, and their responses. */
function subject(options: DevtoolsOptions = {}, configure: (app: Framework) => unknown = () => undefined) {
  const lines: string[] = [];
  const devtools = Devtools.create({ name: "shop", ...options });
  const beans = Beans.builder()
    .bind(Orders, () => ({ find: (id) => ({ id, total: Number(id) * 10 }), login: () => "welcome" }))
    .instrument(devtools.recorder())
    .start();
  const logger = { warn: (line: string) => void lines.push(line), error: () => undefined };
  const app = Framework.create({ logger, contextPath: "/shop" }).beans(beans);
  app.get("/orders/{id}", (ctx) => ctx.get(Orders).find(ctx.pathParam("id")));
  app.post("/login", async (ctx) => ctx.get(Orders).login((await ctx.body()) as object));
  configure(app);
  devtools.install(app, beans);
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { host: "localhost", ...init.headers };
    return app.fetch(new Request(`http://localhost/shop${path}`, { ...init, headers }), { peerAddress: "127.0.0.1" });
  };
  const read = async <T>(path: string): Promise<T> => (await (await ask(`/framework/dev/api/${path}`)).json()) as T;
  /** Requests, one after the other. */
  const visit = async (...ids: readonly (number | string)[]): Promise<void> => {
    for (const id of ids) await (await ask(`/orders/${id}`)).text();
  };
  return { app, ask, read, visit, lines, devtools };
}

const newFile = (): string => join(folder, `${(files += 1)}.jsonl`);
const paths = ({ runs }: HistoryPage): readonly string[] => runs.map(({ path }) => path);

describe("across time", () => {
  it("a process reads the runs of an earlier one, page by page, and each by its own address", async () => {
    const history = newFile();
    const first = subject({ history });
    await first.visit(1, 2, 3);
    await first.app.stop();
    const second = subject({ history });
    await second.visit(4);
    const page = await second.read<HistoryPage>("history?limit=3");
    const rest = await second.read<HistoryPage>(`history?limit=3&cursor=${page.next ?? ""}`);
    assert.deepEqual(
      [paths(page), paths(rest), rest.next],
      [["/shop/orders/4", "/shop/orders/3", "/shop/orders/2"], ["/shop/orders/1"], null],
    );
    const { sessions, file } = await second.read<SessionList>("sessions");
    assert.equal(file, history);
    const former = page.runs[1]?.instance ?? "";
    assert.deepEqual(
      sessions.map(({ instance, app, runs, current, skipped }) => [instance === former, app, runs, current, skipped]),
      [
        [false, "shop", 1, true, 0],
        [true, "shop", 3, false, 0],
      ],
    );
    assert.match(sessions[0]?.commit ?? "0".repeat(40), /^[0-9a-f]{40}$/);
    assert.deepEqual(paths(await second.read<HistoryPage>(`history?session=${former}&limit=1`)), ["/shop/orders/3"]);
    const [, one = assert.fail()] = page.runs;
    assert.deepEqual(await second.read<Trace>(`runs/${one.instance}.${one.sequence}`), one);
    const found = await second.read<SearchPage>("search?q=result.total%3E=20 bean:Order");
    assert.deepEqual(
      found.hits.map(({ path, instance, calls }) => [path, instance === former, calls]),
      [
        ["/shop/orders/4", false, [0]],
        ["/shop/orders/3", true, [0]],
        ["/shop/orders/2", true, [0]],
      ],
    );
    const { count, beans } = await second.read<Aggregates>(`aggregates?session=${former}`);
    assert.deepEqual([count, beans.map(({ bean, calls }) => [bean, calls])], [3, [["OrderRepository", 3]]]);
    assert.deepEqual([first.lines, second.lines], [[], []]);
    await second.app.stop();
  });

  it("without the option nothing is written, and runs in memory are searched", async () => {
    const { read, visit, app } = subject();
    await visit(7, 8);
    assert.deepEqual(await read("history"), { runs: [], next: null });
    const { sessions, file } = await read<SessionList>("sessions");
    assert.deepEqual([sessions.map(({ runs, current }) => [runs, current]), file], [[[2, true]], null]);
    const { hits, searched } = await read<SearchPage>("search?q=arg.id=8");
    assert.deepEqual([hits.map(({ path }) => path), searched], [["/shop/orders/8"], 2]);
    await app.stop();
  });

  it("counts a run in memory and on disk once, and finds runs that are only in one of them", async () => {
    const { read, visit, app } = subject({ history: newFile(), capacity: 2 });
    await visit(1, 2, 3, 4);
    const { hits, searched } = await read<SearchPage>("search?q=bean:Order");
    assert.deepEqual([hits.map(({ sequence }) => sequence), searched], [[4, 3, 2, 1], 4]);
    await app.stop();
  });

  it("SEARCH-017: returns a page of hits, and the next ones by its cursor", async () => {
    const { read, visit, app } = subject();
    await visit(1, 2, "x", 3, 4);
    const pages: string[][] = [];
    let cursor: string | null = "";
    while (cursor !== null && pages.length < 9) {
      const page: SearchPage = await read(`search?q=-path:x&limit=2&cursor=${cursor}`);
      pages.push(page.hits.map(({ path }) => path.slice(-1)));
      cursor = page.next;
    }
    assert.deepEqual(pages, [
      ["4", "3"],
      ["2", "1"],
    ]);
    assert.deepEqual((await read<SearchPage>("search?q=&cursor=gone.5")).hits, []);
    const all = await read<SearchPage>("search?limit=1");
    assert.deepEqual([all.hits.map(({ path }) => path.slice(-1)), all.next?.slice(-2)], [["4"], ".5"]);
    assert.equal((await read<SearchPage>("search?limit=100")).hits.length, 5);
    await app.stop();
  });

  it("HISTORY-023: rejects an invalid limit, cursor and query with the allowed ones", async () => {
    const { ask, app } = subject();
    for (const [query, detail] of [
      ["history?limit=0", /limit is a whole number from 1 to 100/],
      ["search?limit=101", /limit is/],
      ["search?limit=ten", /limit is/],
      ["search?limit=a10", /limit is/],
      ["search?limit=10a", /limit is/],
      ["history?cursor=../x", /cursor is the next of an earlier page/],
      ["history?cursor=/x.1", /cursor is the next of an earlier page/],
      ["search?cursor=x.1/", /cursor is the next of an earlier page/],
      ["search?q=beam:x", /beam is no field/],
    ] as const) {
      const response = await ask(`/framework/dev/api/${query}`);
      const body = (await response.json()) as SearchProblem;
      assert.deepEqual([response.status, response.headers.get("content-type")], [400, "application/problem+json"]);
      assert.match(body.detail, detail);
      assert.deepEqual([body.type, body.title, body.status], ["about:blank", "Bad Request", 400]);
    }
    assert.deepEqual(((await (await ask("/framework/dev/api/search?cursor=x.12")).json()) as SearchPage).hits, []);
    const { issues } = (await (await ask("/framework/dev/api/search?q=tea beam:x")).json()) as SearchProblem;
    const message = "beam is no field; a text with : in it needs quotes";
    assert.deepEqual(issues, [{ at: 4, length: 4, message, suggestion: "tea bean:x" }]);
    await app.stop();
  });

  it("HISTORY-023: has no further page after one with only unreadable runs", async () => {
    const kept = { onDisk: async () => [{ key: "a.1" }], textOfAll: async () => [] };
    const endpoints = acrossTime({ kept } as unknown as AcrossTime);
    const [, serve] = endpoints.find(([path]) => path === apiPath("history")) ?? [];
    const app = Framework.create();
    app.get("/", (ctx) => serve?.(ctx, ""));
    const response = await app.fetch(new Request("http://localhost/"));
    assert.deepEqual(await response.json(), { runs: [], next: null });
  });

  it("HISTORY-004: has only kept runs, for any address", async () => {
    const { ask, app } = subject({ history: newFile() });
    for (const key of ["", "x", "x.1", "..", "a.b.c", "x.99999999999999999999"]) {
      const { status } = await ask(`/framework/dev/api/runs/${key}`);
      assert.equal(status, 404, key);
    }
    const { title, detail } = (await (await ask("/framework/dev/api/runs/x.1")).json()) as SearchProblem;
    assert.deepEqual([title, detail], ["Not Found", "no run of that instance and sequence is kept"]);
    await app.stop();
  });

  it("no secret reaches the file", async () => {
    const history = newFile();
    const { app, ask } = subject({ history });
    const body = JSON.stringify({ name: "ada", password: "hunter2-hunter2" });
    await (
      await ask("/login", {
        method: "POST",
        body,
        headers: { "content-type": "application/json", authorization: "Bearer abcdefghij" },
      })
    ).text();
    await app.stop();
    const text = readFileSync(history, "utf8");
    assert.deepEqual(
      [text.includes("ada"), text.includes("hunter2"), text.includes("abcdefghij"), text.includes("[redacted]")],
      [true, false, false, true],
    );
  });

  it("an app with a history that cannot be written responds as usual", async () => {
    const { app, visit, lines, read } = subject({
      history: join(folder, "nobody\u007f", "x".repeat(300), "runs.jsonl"),
    });
    await visit(1, 2);
    assert.equal((await read<SearchPage>("search?q=bean:Order")).hits.length, 2);
    await visit(3);
    await app.stop();
    assert.equal(lines.filter((line) => line.includes("cannot be written: ENAMETOOLONG")).length, 1, lines.join("\n"));
  });

  it("HISTORY-015: shows how the beans were made and the listeners ran", async () => {
    const { app, read } = subject({}, (one) => one.onStart(function warm() {}).onStart(() => undefined));
    await app.ready();
    const { current, failed } = await read<StartUpView>("startup");
    const hooks = current?.hooks.map(({ name }) => name);
    assert.deepEqual(
      [current?.beans.map(({ bean }) => bean), hooks, failed],
      [["OrderRepository"], ["warm", "", "devtools"], null],
    );
    assert.ok(Number.isInteger(current?.durationUs));
    await app.stop();
  });

  it("shows a failed start at the next one", async (t) => {
    const history = newFile();
    const print = t.mock.method(process.stderr, "write", () => true);
    const failing = Devtools.create({ name: "shop", history });
    const builder = Beans.builder().bind(Orders, () => {
      throw new Error("no connection");
    });
    assert.throws(() => builder.instrument(failing.recorder()).start());
    print.mock.restore();
    assert.match(String(print.mock.calls[0]?.arguments[0]), /✗ OrderRepository .*Error: no connection/);
    const { app, read } = subject({ history });
    await app.ready();
    const { failed } = await read<StartUpView>("startup");
    assert.deepEqual([failed?.chain, failed?.error?.message], [["OrderRepository"], "no connection"]);
    await app.stop();
    const later = subject({ history });
    assert.equal((await later.read<StartUpView>("startup")).failed, null);
    await later.app.stop();
  });
});

describe("app panels", () => {
  it("HISTORY-018: returns the metrics of the app's own collector", async () => {
    const metrics = new InMemoryMetricsCollector();
    const { app, read, visit } = subject({}, (one) => one.use(new MetricsMiddleware(metrics)));
    await visit(1);
    const view = await read<MetricsView>("metrics");
    assert.deepEqual(view, { metrics: JSON.parse(JSON.stringify(metrics.snapshot())) as unknown, reason: null });
    assert.deepEqual(
      view.metrics?.routes.map(({ route, count }) => [route, count]),
      [["/shop/orders/{id}", 1]],
    );
    await app.stop();
  });

  it("says why there are no metrics, and no health", async () => {
    const none = subject();
    const [metrics, health] = [await none.read<MetricsView>("metrics"), await none.read<HealthView>("health")];
    assert.match(metrics.reason ?? "", /^no MetricsMiddleware is installed/);
    assert.match(health.reason ?? "", /^no HealthMiddleware is installed/);
    assert.deepEqual([metrics.metrics, health.health, health.checks], [null, null, []]);
    const other = subject({}, (one) => one.use(new MetricsMiddleware({ record: () => undefined })));
    assert.match((await other.read<MetricsView>("metrics")).reason ?? "", /collector that cannot be read/);
    await Promise.all([none.app.stop(), other.app.stop()]);
  });

  const withHealth = (checks: HealthOptions["checks"]) =>
    subject({}, (one) => one.use(new HealthMiddleware({ checks })));

  it("HISTORY-019: returns each check's last result and why it is down, without its secrets", async () => {
    const { app, read } = withHealth({
      up: () => true,
      down: async () => {
        throw new Error("connect postgres://ada:hunter2@db/shop");
      },
    });
    const { health, reason, checks } = await read<HealthView>("health");
    assert.deepEqual([health, reason], [{ status: "DOWN", checks: { up: "UP", down: "DOWN" } }, null]);
    assert.deepEqual(
      checks.map(({ name, status, error, recent }) => [name, status, error?.includes("hunter2"), recent.length]),
      [
        ["up", "UP", undefined, 1],
        ["down", "DOWN", false, 1],
      ],
    );
    assert.ok(checks.every(({ checkedAt }) => Math.abs(Date.now() - checkedAt) < 5_000));
    await app.stop();
  });

  it("starts no check while a result is fresh, and takes a probe's result", async () => {
    let starts = 0;
    const { app, read, ask } = withHealth({ db: async () => void (starts += 1) });
    await (await ask("/health")).text();
    assert.equal(starts, 1);
    const views = await Promise.all(Array.from({ length: 50 }, () => read<HealthView>("health")));
    assert.deepEqual([starts, new Set(views.map(({ health }) => health?.status))], [1, new Set(["UP"])]);
    await (await ask("/health")).text();
    await read("health");
    assert.equal(starts, 2);
    await app.stop();
  });

  it("HISTORY-019: remembers the last 20 results of a check, each once", async () => {
    let result = { name: "db", status: "UP" as "UP" | "DOWN", durationUs: 1, checkedAt: 1_000, sequence: 0 };
    const health = { report: async () => ({ status: result.status, checks: [result] }) };
    const panel = new HealthPanel(
      { about: { middlewareOf: () => [health] } } as unknown as DevtoolsHost,
      (text) => text,
    );
    for (let at = 1; at <= 25; at += 1) {
      result = {
        name: "db",
        status: at % 2 === 0 ? "DOWN" : "UP",
        durationUs: 1,
        checkedAt: 1_000 + Math.floor(at / 2),
        sequence: at,
      };
      await panel.view();
    }
    // The same result, with its age by another clock.
    result = { ...result, checkedAt: result.checkedAt + 3 };
    const [check] = (await panel.view()).checks;
    assert.deepEqual(
      [check?.recent.map(({ checkedAt }) => checkedAt - 1_000), check?.recent[1]?.status],
      [Array.from({ length: 20 }, (_, at) => Math.floor((25 - at) / 2)), "DOWN"],
    );
  });
});
