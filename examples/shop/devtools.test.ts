/**
 * The shop in devtools, and its data after it was closed and opened again.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { BeanGraph, Call, Panel, ReplayPlan, RouteInfo, Trace } from "@framework/devtools";
import { openShop, type OpenShop, removeFolder, reopenShop, newFolder } from "./testing.ts";

let folder: string;
let shop: OpenShop;
let sent = 0;

before(async () => {
  folder = await newFolder();
  shop = await openShop(folder, "watched");
});
after(async () => {
  await shop.close();
  await removeFolder(folder);
});

/** Sends a request and returns its recorded run. */
async function traceOf(method: string, path: string, body?: unknown): Promise<Trace> {
  const id = `test-${(sent += 1)}`;
  await shop.call(method, path, body, { "X-Framework-Dev": id });
  const traces = (await shop.call("GET", "/framework/dev/api/requests")).body as Trace[];
  const trace = traces.find(({ correlationId }) => correlationId === id);
  assert.ok(trace, `no trace of ${id}`);
  return trace;
}

const beansOf = (trace: Trace): Set<string> => new Set(trace.calls.map(({ bean }) => bean));

describe("the shop in devtools", () => {
  it("has more than 15 beans and two that cannot be recorded", async () => {
    const { nodes, unspied } = (await shop.call("GET", "/framework/dev/api/graph")).body as BeanGraph;
    assert.ok(nodes.length > 15);
    assert.deepEqual(unspied, ["Postgres", "JobEngine"]);
  });

  it("enters the graph by a bean on every route except the metrics, the logout and the live board", async () => {
    const routes = (await shop.call("GET", "/framework/dev/api/routes")).body as RouteInfo[];
    const without = routes.filter(({ beans }) => beans.length === 0).map(({ path }) => path);
    assert.deepEqual(without, ["/logout", "/metrics", "/metrics.json", "/orders/live"]);
    assert.deepEqual(
      new Set(routes.map(({ method }) => method)),
      new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "QUERY"]),
    );
  });

  it("replays an order without changing the stock, the card or the order numbers", async () => {
    const order = { customerId: "c-1", card: "visa", lines: [{ productId: "p-0050", quantity: 1 }] };
    const trace = await traceOf("POST", "/orders", order);
    const run = `${trace.instance}.${trace.sequence}`;
    const { beans } = (await shop.call("GET", `/framework/dev/api/replays/${run}`)).body as ReplayPlan;
    const chosen = beans.filter(({ isDefault }) => isDefault);
    assert.deepEqual([chosen.length > 3, chosen.map(({ refusal }) => refusal)], [true, chosen.map(() => null)]);
    const header = { "X-Framework-Replay": `${run};beans=${chosen.map(({ bean }) => bean).join(",")}` };
    const again = await shop.call("POST", "/orders", order, header);
    assert.deepEqual([again.status, again.body], [201, trace.response.body]);
    const next = (await traceOf("POST", "/orders", order)).response.body as { readonly id: string };
    const { id } = again.body as { readonly id: string };
    assert.equal(Number(next.id.slice(2)), Number(id.slice(2)) + 1);
  });

  it("has a panel of the products that are running out", async () => {
    const { body } = await shop.call("GET", "/framework/dev/api/panels/stock-alerts");
    const { data, ...panel } = body as Panel;
    assert.deepEqual(panel, { name: "stock-alerts", title: "Low stock", kind: "table", error: null });
    const left = (data as readonly { readonly left: number }[]).map((row) => row.left);
    assert.ok(left.length > 0 && left.every((quantity) => quantity < 20), JSON.stringify(left));
    assert.deepEqual(
      left,
      left.toSorted((a, b) => a - b),
    );
  });

  it("nests four calls under the product page, and fans out over four beans", async () => {
    const trace = await traceOf("GET", "/products/p-0001");
    const path = (call: Call): string[] => {
      const parent = trace.calls.find(({ id }) => id === call.parentId);
      return [...(parent === undefined ? [] : path(parent)), `${call.bean}.${call.method}`];
    };
    const deepest = trace.calls.filter(({ bean }) => bean === "PromotionRepository").map(path);
    assert.deepEqual(deepest, [
      ["ProductController.show", "CatalogService.page", "PricingService.quote", "PromotionRepository.percentOff"],
    ]);
    const page = trace.calls.find(({ method }) => method === "page");
    const under = trace.calls.filter(({ parentId }) => parentId === page?.id).map(({ bean }) => bean);
    const four = ["PricingService", "InventoryService", "ReviewService", "RecommendationService"];
    assert.deepEqual(under, ["ProductRepository", ...four]);
  });

  it("shows each statement with its values", async () => {
    const trace = await traceOf("GET", "/products/p-0001");
    const statements = trace.calls.filter(({ bean }) => bean === "Database");
    const [first] = statements;
    assert.match(String(first?.args[0]), /from products/);
    assert.deepEqual([first?.method, first?.params, first?.args[1]], ["query", ["sql", "values"], ["p-0001"]]);
    const callers = statements.map(({ parentId }) => trace.calls[parentId ?? -1]?.stereotype);
    assert.deepEqual([...new Set(callers)], ["repository"]);
  });

  it("shows the SQL below each repository, with its parameters and rows", async () => {
    const { calls, leaves } = await traceOf("GET", "/products/p-0001");
    const [first] = leaves;
    assert.ok(first?.kind === "sql");
    const { statement, parameters, rows, result, system } = first.detail;
    assert.match(statement, /from products/);
    assert.deepEqual(
      [system, parameters, rows, first.name, first.error],
      ["postgresql", ["p-0001"], 1, "SELECT", null],
    );
    assert.match(JSON.stringify(result), /"id":"p-0001"/);
    const queries = calls.filter(({ bean }) => bean === "Database").map(({ id }) => id);
    assert.deepEqual(
      leaves.map(({ kind, parentId }) => [kind, parentId]),
      queries.map((id) => ["sql", id]),
    );
  });

  it("shows the amount that Money keeps private", async () => {
    const trace = await traceOf("GET", "/products/p-0002");
    const quote = trace.calls.find(({ method }) => method === "quote");
    assert.match(JSON.stringify(quote?.result), /"list":\{[^}]*"amount":"70.99"/);
  });

  it("passes the discount and sends a job only for orders that are large enough", async () => {
    const order = (quantity: number): object => ({
      customerId: "c-1",
      card: "visa",
      lines: [{ productId: "p-0040", quantity }],
    });
    const taken = async (quantity: number): Promise<string[]> => {
      const beans = beansOf(await traceOf("POST", "/orders", order(quantity)));
      return ["DiscountService", "Work"].filter((bean) => beans.has(bean));
    };
    assert.deepEqual(await taken(1), []);
    assert.deepEqual(await taken(2), ["DiscountService"]);
    assert.deepEqual(await taken(5), ["DiscountService", "Work"]);
  });

  it("marks the failed call and all its callers", async () => {
    const trace = await traceOf("GET", "/reports/sales/2026-01");
    const failed = trace.calls
      .filter(({ error }) => error !== null)
      .map(({ bean, error }) => `${bean}: ${error?.name}`);
    assert.deepEqual(failed, ["ReportController: TypeError", "ReportService: TypeError"]);
    assert.equal(trace.status, 500);
  });
});

describe("DATA_DIR", () => {
  it("keeps its data when the shop closes, and seeds only once", async () => {
    const first = await openShop(folder, "kept");
    assert.equal((await first.call("PATCH", "/products/p-0001", { name: "Golden Rake" })).status, 200);
    await first.close();
    const second = await reopenShop(first.folder);
    const { body } = await second.call("GET", "/products?pageSize=1");
    const { total } = (await second.call("QUERY", "/products/search", {})).body as { total: number };
    await second.close();
    assert.deepEqual([(body as { name: string }[])[0]?.name, total], ["Golden Rake", 600]);
  });
});
