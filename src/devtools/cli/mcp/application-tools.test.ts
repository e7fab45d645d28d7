/** Application tools: routes with their contracts, beans with their places, and the application's state. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { AgentGraph, AgentHealth, AgentRoutes } from "../../run/shapes.ts";
import { Responding } from "./responding.testkit.ts";

let devtools: Responding;
before(async () => void (devtools = await new Responding().start()));
after(() => devtools.stop());

describe("list_routes", () => {
  const route = (method: string, path: string, more: object = {}) => ({
    method,
    path,
    parameters: [],
    beans: [],
    ...more,
  });
  const listed = async (given: object) => (await devtools.called<AgentRoutes>("list_routes", given)).routes;

  it("lists routes with the filter in their method and path, in any case", async () => {
    const routes = [route("GET", "/Orders"), route("POST", "/orders"), route("GET", "/stock")];
    devtools.responses = { routes };
    const paths = async (given: object) => (await listed(given)).map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(await paths({}), ["GET /Orders", "POST /orders", "GET /stock"]);
    assert.deepEqual(await paths({ filter: "get /ORD" }), ["GET /Orders"]);
    assert.deepEqual(await paths({ filter: "nowhere" }), []);
  });

  it("has contract and example on request, and the size of one without room", async () => {
    const contract = (chars: number) => ({ summary: "s", body: { d: "x".repeat(chars - '{"d":""}'.length) } });
    const around = JSON.stringify({ summary: "s", body: {} }).length - "{}".length;
    const fits = contract(1_000 - around);
    const example = { description: "y".repeat(500 - '{"description":""}'.length) };
    const bare = { method: "GET", path: "/a", summary: "s", beans: [] };
    const second = route("GET", "/b", { version: "2" });
    devtools.responses = { routes: [route("GET", "/a", { contract: fits, example }), second] };
    assert.deepEqual((await listed({}))[0], bare);
    assert.deepEqual((await listed({ contracts: false }))[0], bare);
    assert.deepEqual(await listed({ contracts: true, maxChars: 2_000 }), [
      { ...bare, contract: fits, example },
      { method: "GET", path: "/b", version: "2", summary: null, beans: [] },
    ]);
    const longer = { contract: contract(1_001 - around), example: { description: `${example.description}y` } };
    devtools.responses = { routes: [route("GET", "/a", longer)] };
    assert.deepEqual(await listed({ contracts: true, maxChars: 2_000 }), [
      {
        ...bare,
        contract: { $comment: "1001 characters: maxChars of 3003 has room for them" },
        example: { $comment: "501 characters: maxChars of 1503 has room for them" },
      },
    ]);
    devtools.responses = { routes: [route("GET", "/a", { contract: contract(60_000) })] };
    const [most] = await listed({ contracts: true });
    assert.match(JSON.stringify(most?.contract), /maxChars of 100000 has room/);
  });

  it("accepts a cursor only for the same filter, with the same choice of contracts", async () => {
    devtools.responses = { routes: Array.from({ length: 60 }, (_, at) => route("GET", `/orders/${at}`)) };
    const asked = { filter: "orders", maxChars: 2_000 };
    const { next } = await devtools.called<AgentRoutes>("list_routes", asked);
    const again = { ...asked, cursor: next ?? assert.fail("all on one page") };
    assert.notEqual((await listed(again))[0]?.path, "/orders/0");
    for (const other of [{ filter: "order" }, { contracts: true }])
      assert.match(await devtools.rejected("list_routes", { ...again, ...other }), /no cursor of this call of list_/);
  });
});

describe("get_graph", () => {
  const node = (id: string, dependencies: readonly string[] = []) => ({
    id,
    name: id,
    stereotype: "bean",
    implementation: `${id}Impl`,
    traceable: true,
    dependencies,
  });
  const graphOf = (nodes: readonly ReturnType<typeof node>[]) => ({
    nodes,
    edges: nodes.flatMap(({ id, dependencies }) => dependencies.map((to) => ({ from: id, to }))),
    unspied: [],
  });

  it("returns the beans with those on both sides, and one alone with the places of its methods", async () => {
    devtools.responses = {
      graph: graphOf([node("Orders", ["Stock"]), node("Stock")]),
      sources: [
        { bean: "Stock", method: "find", file: "src/stock.ts", line: 8 },
        { bean: "Orders", method: "find", file: "src/orders.ts", line: 3 },
      ],
    };
    const bean = { stereotype: "bean", dependencies: [], usedBy: [] };
    const stock = { ...bean, id: "Stock", implementation: "StockImpl", usedBy: ["Orders"] };
    const all = await devtools.called<AgentGraph>("get_graph", {});
    const orders = { ...bean, id: "Orders", implementation: "OrdersImpl", dependencies: ["Stock"] };
    assert.deepEqual([all.total, all.beans], [2, [orders, stock]]);
    const one = await devtools.called<AgentGraph>("get_graph", { bean: "Stock" });
    const methods = [{ name: "find", at: "src/stock.ts:8" }];
    assert.deepEqual([one.total, one.beans], [2, [{ ...stock, methods }]]);
    devtools.responses = { graph: graphOf([]) };
    assert.deepEqual((await devtools.called<AgentGraph>("get_graph", {})).beans, []);
  });

  it("rejects a cursor of all beans for one bean", async () => {
    devtools.responses = { graph: graphOf(Array.from({ length: 60 }, (_, at) => node(`Bean${at}`))), sources: [] };
    const { next } = await devtools.called<AgentGraph>("get_graph", { maxChars: 2_000 });
    const cursor = next ?? assert.fail("all on one page");
    const { beans } = await devtools.called<AgentGraph>("get_graph", { maxChars: 2_000, cursor });
    assert.notEqual(beans[0]?.id, "Bean0");
    assert.match(
      await devtools.rejected("get_graph", { bean: "Bean1", cursor }),
      /no cursor of this call of get_graph/,
    );
  });
});

describe("get_health", () => {
  const start = { instance: "i", startedAt: 0, durationUs: 70, beans: [], droppedBeans: 0, hooks: [], notBuilt: [] };
  const session = { instance: "i", startedAt: 0, app: "shop", commit: "c0ffee", branch: "main", runs: 1, skipped: 0 };
  const nothing = {
    sessions: { sessions: [], file: null },
    health: { health: null, reason: "no", checks: [] },
    startup: { current: null, failed: null },
    metrics: { metrics: null, reason: "no" },
  };
  const health = async (more: object): Promise<Partial<AgentHealth>> => {
    devtools.responses = { ...nothing, ...more };
    const { notice, url, ...rest } = await devtools.called<AgentHealth>("get_health", {});
    assert.deepEqual([url, typeof notice], [devtools.url, "string"]);
    return rest;
  };
  const empty = {
    app: null,
    instance: null,
    startedAt: null,
    commit: null,
    branch: null,
    status: null,
    checks: [],
    startUs: null,
    failedStart: null,
    routes: [],
  };

  it("leaves out unknown facts", async () => {
    assert.deepEqual(await health({}), empty);
    assert.deepEqual(await health({ startup: { current: null, failed: { ...start, chain: [], error: null } } }), empty);
  });

  it("has the responding process, its health and its first 20 checks, each with its reason", async () => {
    const check = { status: "UP", durationUs: 1, checkedAt: 1, recent: [] };
    const checks = [{ ...check, name: "db", status: "DOWN", error: "x".repeat(300) }].concat(
      Array.from({ length: 25 }, (_, at) => ({ ...check, name: `${at}`, error: undefined as unknown as string })),
    );
    const found = await health({
      sessions: {
        sessions: [
          { ...session, instance: "older", current: false },
          { ...session, current: true },
        ],
        file: null,
      },
      health: { health: { status: "DOWN", checks: {} }, reason: null, checks },
      startup: { current: start, failed: null },
    });
    assert.deepEqual(
      { ...found, checks: found.checks?.length },
      {
        ...empty,
        app: "shop",
        instance: "i",
        startedAt: "1970-01-01T00:00:00.000Z",
        commit: "c0ffee",
        branch: "main",
        status: "DOWN",
        checks: 20,
        startUs: 70,
      },
    );
    assert.deepEqual(found.checks?.slice(0, 2), [
      { name: "db", status: "DOWN", error: `${"x".repeat(199)}…` },
      { name: "0", status: "UP", error: null },
    ]);
  });

  it("has the error of the last failed start, with at most 20 beans on the way to it", async () => {
    const chain = Array.from({ length: 25 }, (_, at) => `Bean${at}`);
    const failed = { ...start, chain, error: { name: "RangeError", message: "too far" } };
    const { failedStart } = await health({ startup: { current: start, failed } });
    assert.deepEqual(failedStart, { error: "RangeError: too far", beans: chain.slice(0, 20) });
  });

  it("has 20 routes, those with most errors first, then those with most requests", async () => {
    const route = (path: string, errors: number, count: number, p95 = 0) => ({
      method: "GET",
      route: path,
      count,
      errors,
      aborted: 0,
      statuses: {},
      durationSeconds: { p95 },
    });
    const few = [route("/b", 0, 3), route("/d", 1, 9), route("/a", 0, 7, -1), route("/c", 2, 2, 0.0123456)];
    const { routes } = await health({ metrics: { metrics: { routes: few }, reason: null } });
    assert.deepEqual(routes, [
      { route: "GET /c", count: 2, errors: 2, p95Ms: 12.346 },
      { route: "GET /d", count: 9, errors: 1, p95Ms: 0 },
      { route: "GET /a", count: 7, errors: 0, p95Ms: 0 },
      { route: "GET /b", count: 3, errors: 0, p95Ms: 0 },
    ]);
    const many = Array.from({ length: 25 }, (_, at) => route(`/${at}`, 0, at));
    const most = (await health({ metrics: { metrics: { routes: many }, reason: null } })).routes ?? [];
    assert.deepEqual([most.length, most[0]?.route, most.at(-1)?.route], [20, "GET /24", "GET /5"]);
  });
});
