/**
 * The shop over real sockets and a real database, once recorded by devtools and once not, with the same tests.
 * At the end every response of the one is compared with the response of the other.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { signWebhook } from "framework/webhooks";
import { WebSocket } from "ws";
import { Postgres } from "./database/postgres.ts";
import { itemsOf } from "../departures.ts";
import { shopDocument } from "./document.ts";
import { developmentSecret } from "./payment-events.ts";
import { departures, type TestResponse, openShop, type OpenShop, removeFolder, newFolder } from "./testing.ts";

let folder: string;
const responses: Record<string, [request: string, response: TestResponse][]> = {};

before(async () => {
  folder = await newFolder();
});
after(() => removeFolder(folder));

describe("createApp", () => {
  for (const name of ["recorded", "unrecorded"]) describe(name, () => everything(name));

  it("sends the same responses, recorded or not", () => {
    assert.ok((responses["recorded"]?.length ?? 0) > 30);
    assert.deepEqual(responses["recorded"], responses["unrecorded"]);
  });
});

describe("the shop with its cache", () => {
  let shop: OpenShop;
  before(async () => {
    shop = await openShop(folder, "cached", { devtools: false, cache: true });
  });
  after(() => shop.close());

  it("sends the catalogue and a search again until a product changes", async () => {
    const said = async (method: string, path: string, body?: string): Promise<string> => {
      const type = { "Content-Type": "application/json" };
      const { headers } = await shop.call(method, path, body, body === undefined ? {} : type);
      return /hit|fwd=[a-z-]+/.exec(headers["cache-status"] ?? "")?.[0] ?? "";
    };
    const all = async (): Promise<string[]> => [
      await said("GET", "/products?category=garden"),
      await said("QUERY", "/products/search", '{"text":"pro","inStock":true}'),
      await said("QUERY", "/products/search", '{ "inStock": true, "text": "pro" }'),
    ];
    assert.deepEqual(
      [await all(), await all()],
      [
        ["fwd=uri-miss", "fwd=uri-miss", "hit"],
        ["hit", "hit", "hit"],
      ],
    );
    assert.equal((await shop.call("PATCH", "/products/p-0001", { price: 12.5 })).status, 200);
    assert.deepEqual(await all(), ["fwd=uri-miss", "fwd=uri-miss", "hit"]);
  });
});

function everything(name: string): void {
  let shop: OpenShop;
  const call: OpenShop["call"] = async (method, path, ...rest) => {
    const response = await shop.call(method, path, ...rest);
    assert.deepEqual(departures(method, path, response), [], `${method} ${path} and its document`);
    (responses[name] ??= []).push([`${method} ${path} ${JSON.stringify(rest)}`, response]);
    return response;
  };
  before(async () => {
    shop = await openShop(folder, name, { devtools: name === "recorded" });
  });
  after(() => shop.close());

  it("is recorded by devtools only if they are on", async () => {
    const { status } = await shop.call("GET", "/framework/dev/api/graph");
    assert.equal(status, name === "recorded" ? 200 : 404);
  });
  describe("products", () => products(call, () => shop.folder));
  describe("what products reject", () => rejections(call));
  describe("search", () => search(call));
  describe("orders", () => orders(call, () => shop));
  describe("orders that fail", () => failing(call));
  it("places an order with a key once, and shows it on the board once", async () => {
    const board = new WebSocket(`ws://localhost:${shop.app.port}/orders/live`);
    const shown: unknown[] = [];
    board.on("message", (data) => void shown.push((JSON.parse(String(data)) as { id: string }).id));
    await once(board, "open");
    const key = { "Idempotency-Key": '"shop"' };
    const [first, second] = [
      await call("POST", "/orders", order(1), key),
      await call("POST", "/orders", order(1), key),
    ];
    const last = await call("POST", "/orders", order(1));
    while (shown.length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
    const ids = [first, last].map(({ body }) => (body as { id: string }).id);
    assert.deepEqual(
      [second.status, second.body, second.headers["idempotency-replayed"], shown],
      [201, first.body, "true", ids],
    );
    board.close();
    await once(board, "close");
  });
  it("cancels an order when the payment service says so, once, and believes nobody else", async () => {
    const { id } = (await call("POST", "/orders", order(1))).body as { id: string };
    const event = { type: "payment.charged_back", timestamp: "2026-11-02T10:00:00Z", data: { order: id } };
    const signed = await signWebhook(developmentSecret, { id: `msg_${id}`, body: JSON.stringify(event) });
    const forged = await signWebhook(`whsec_${btoa("x".repeat(32))}`, { id: "msg_2", body: JSON.stringify(event) });
    const statuses: number[] = [];
    // Not by `call`, which compares requests with those of the other shop: signatures depend on the time.
    for (const headers of [{}, forged, signed, signed])
      statuses.push((await shop.call("POST", "/payments/events", event, headers)).status);
    const { status } = (await call("GET", `/orders/${id}`)).body as { status: string };
    assert.deepEqual([statuses, status], [[400, 401, 204, 204], "cancelled"]);
  });
  it("sends each placed order to every client of the board", async () => {
    const board = new WebSocket(`ws://localhost:${shop.app.port}/orders/live`);
    const [, message] = [await once(board, "open"), once(board, "message")];
    const { status, body } = await call("POST", "/orders", order(1));
    const [data] = (await message) as [Buffer];
    assert.deepEqual([status, JSON.parse(String(data))], [201, body]);
    board.close();
    assert.equal((await call("GET", "/orders/live")).status, 426);
  });
  it("exports the catalogue as lines of JSON and as CSV, the same products in both", async () => {
    const lines = await call("GET", "/products/export");
    const csv = await call("GET", "/products/export.csv");
    const ids = String(lines.body)
      .split("\n")
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { id: string }).id);
    const [head, ...rows] = String(csv.body).split("\r\n").filter(Boolean);
    assert.deepEqual(
      [lines.type, csv.type, head],
      ["application/x-ndjson", "text/csv; charset=utf-8", "id,name,price"],
    );
    assert.ok(ids.length > 200, `${ids.length} products, which are several pages`);
    assert.deepEqual(
      rows.map((row) => row.split(",")[0]),
      ids,
    );
  });
  it("sends an event for each product that an order has sold out", async () => {
    const stopped = new AbortController();
    const stream = await fetch(`http://localhost:${shop.app.port}/stock/alerts`, { signal: stopped.signal });
    const lamp = { name: "Last lamp", category: "office", brand: "Nordlys", price: 39.9, quantity: 1 };
    const { id: productId } = (await call("POST", "/products", lamp)).body as { id: string };
    await call("POST", "/orders", { customerId: "c-1", card: "visa", lines: [{ productId, quantity: 1 }] });
    const first = await stream.body?.pipeThrough(new TextDecoderStream()).getReader().read();
    stopped.abort();
    const [event] = itemsOf(first?.value ?? "") as { event: string; data: string }[];
    assert.deepEqual(
      [event?.event, JSON.parse(event?.data ?? "null")],
      ["soldOut", { product: productId, name: lamp.name, left: 0 }],
    );
    const response = { status: 200, type: "text/event-stream", body: first?.value };
    assert.deepEqual(departures("GET", "/stock/alerts", response), []);
    await call("DELETE", `/products/${productId}`);
  });
  describe("customers and reports", () => reports(call));

  it("shows a customer's mail address in the deprecated version, which a request that names none gets", async () => {
    const { status, body, headers } = await shop.call("GET", "/customers/c-2/orders");
    const { customer } = body as { customer: unknown };
    assert.deepEqual([status, customer], [200, { id: "c-2", name: "Barbara", email: "barbara@shop.example" }]);
    assert.deepEqual([headers["api-version"], headers["deprecation"]], ["1", "@1793491200"]);
    const unknown = await shop.call("GET", "/customers/c-2/orders", undefined, { "API-Version": "3" });
    assert.deepEqual([unknown.status, (unknown.body as { code: string }).code], [400, "version_unknown"]);
  });
  describe("around the routes", () => around(call));

  it("logs a customer in, by session for browsers and by token for programs, and out again", async () => {
    const ask = async (method: string, path: string, headers: Record<string, string> = {}, body?: object) => {
      const json = body === undefined ? {} : { body: JSON.stringify(body) };
      const type: Record<string, string> = body === undefined ? {} : { "Content-Type": "application/json" };
      const response = await fetch(shop.app.url + path, { method, headers: { ...type, ...headers }, ...json });
      const text = await response.text();
      const value: unknown = text === "" ? "" : JSON.parse(text);
      const mediaType = response.headers.get("content-type");
      const seen: TestResponse = { status: response.status, type: mediaType, headers: {}, body: value };
      assert.deepEqual(departures(method, path, seen), [], `${method} ${path} and its document`);
      return { ...seen, body: value as Record<string, unknown>, response };
    };
    const ada = { id: "c-1", name: "Ada", email: "ada@shop.example" };
    for (const wrong of [
      { email: ada.email, password: "open barley" },
      { email: "eve@shop.example", password: "open sesame" },
    ]) {
      const { status, body } = await ask("POST", "/login", {}, wrong);
      assert.deepEqual([status, body["code"]], [401, "login"]);
    }
    const { body, response } = await ask("POST", "/login", {}, { email: ada.email, password: "open sesame" });
    assert.deepEqual(body["customer"], ada);
    const cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const authorization = `Bearer ${String(body["token"])}`;
    assert.deepEqual((await ask("GET", "/me", { cookie })).body, ada);
    assert.deepEqual((await ask("GET", "/me", { authorization })).body, ada);
    assert.equal((await ask("POST", "/logout", { cookie })).status, 204);
    const guess = { email: ada.email, password: "open wheat" };
    const guesses = await Promise.all(Array.from({ length: 9 }, () => ask("POST", "/login", {}, guess)));
    const late = guesses.find(({ status }) => status === 429);
    assert.match(late?.response.headers.get("ratelimit") ?? "", /^"login";r=0;t=\d+$/);
    const out = await ask("GET", "/me", { cookie });
    assert.deepEqual([out.status, out.response.headers.get("www-authenticate")], [401, 'Bearer realm="shop"']);
  });

  it("compresses and tags lists, including those of a QUERY", async () => {
    const text = { text: "pro", categories: ["garden"], pageSize: 20 };
    for (const [method, path, body] of [
      ["GET", "/products?category=garden", undefined],
      ["QUERY", "/products/search", text],
    ] as const) {
      const first = await shop.call(method, path, body);
      const { etag = "", "content-encoding": coding } = first.headers;
      assert.deepEqual([first.status, coding, etag.startsWith('W/"')], [200, "gzip", true]);
      const again = await shop.call(method, path, body, { "If-None-Match": etag });
      assert.deepEqual([again.status, again.body], [304, ""]);
    }
    const other = await shop.call("QUERY", "/products/search", { ...text, text: "ultra" });
    const known = await shop.call("QUERY", "/products/search", text);
    assert.notEqual(other.headers["etag"], known.headers["etag"]);
  });

  it("serves pictures, and parts of them", async () => {
    const { status, type, body, headers } = await shop.call("GET", "/pictures/garden.svg", undefined, {
      Range: "bytes=0-3",
    });
    assert.deepEqual([status, type, body], [206, "image/svg+xml", "<svg"]);
    assert.match(headers["content-range"] ?? "", /^bytes 0-3\/\d+$/);
    assert.equal((await shop.call("GET", "/pictures/shop.png")).type, "image/png");
    assert.equal((await shop.call("GET", "/pictures/../main.ts")).status, 404);
    const form = new FormData();
    form.append("picture", new Blob(["pixels"], { type: "image/png" }), "lamp.png");
    assert.equal((await shop.call("PUT", "/products/p-0001/picture", form)).status, 200);
    const part = await shop.call("GET", "/pictures/products/p-0001.png", undefined, { Range: "bytes=0-2" });
    assert.deepEqual([part.status, part.type, part.body], [206, "image/png", "pix"]);
  });

  it("responds with 503 and names the database when that is closed", async () => {
    await shop.beans.get(Postgres).close();
    const { status, body } = await call("GET", "/health");
    assert.deepEqual({ status, body }, { status: 503, body: { status: "DOWN", checks: { database: "DOWN" } } });
    assert.equal((await call("GET", "/products/p-0001")).status, 500);
  });
}

type Call = OpenShop["call"];
const euros = (amount: string): object => ({ amount, currency: "EUR" });

const kite = { name: "Test Kite", category: "toys", brand: "Acorn", price: 12.5 };

function products(call: Call, folderOf: () => string): void {
  it("lists products by category, in pages", async () => {
    const { status, body } = await call("GET", "/products?category=toys&page=2&pageSize=2");
    assert.equal(status, 200);
    assert.deepEqual(
      (body as { id: string }[]).map(({ id }) => id),
      ["p-0503", "p-0504"],
    );
    assert.equal((await call("GET", "/products?page=0")).status, 422);
  });

  it("assembles a product's page from price, stock, reviews and recommendations", async () => {
    const { status, body } = await call("GET", "/products/p-0001");
    const page = body as { quote: unknown; recommendations: unknown[]; reviews: { count: number; average: number } };
    assert.equal(status, 200);
    assert.deepEqual(page.quote, { list: euros("11.99"), promotionPercent: 10, price: euros("10.79") });
    assert.deepEqual([page.reviews.count, page.reviews.average, page.recommendations.length], [4, 3.3, 3]);
  });

  it("replaces a product's picture", async () => {
    const put = (id: string, type: string): ReturnType<Call> => {
      const form = new FormData();
      form.append("picture", new Blob(["pixels"], { type }), "../lamp.png");
      return call("PUT", `/products/${id}/picture`, form);
    };
    assert.deepEqual((await put("p-0001", "image/jpeg")).body, { picture: "p-0001.jpg", bytes: 6 });
    assert.deepEqual((await put("p-0001", "image/png")).body, { picture: "p-0001.png", bytes: 6 });
    assert.deepEqual(await readdir(join(folderOf(), "pictures")), ["p-0001.png"]);
    assert.equal((await put("p-9999", "image/png")).status, 404);
    assert.equal((await put("p-0001", "text/html")).status, 422);
  });

  it("creates, replaces, changes and removes a product", async () => {
    const created = await call("POST", "/products", { ...kite, quantity: 3 });
    const id = "p-0601";
    assert.deepEqual(created.headers["location"], `/products/${id}`);
    assert.deepEqual([created.status, created.body], [201, { ...kite, id, price: euros("12.50") }]);
    assert.equal(((await call("GET", `/products/${id}`)).body as { available: number }).available, 3);

    const replaced = await call("PUT", `/products/${id}`, { ...kite, name: "Better Kite", price: 15 });
    assert.deepEqual(replaced.body, { ...kite, id, name: "Better Kite", price: euros("15.00") });
    const changed = await call("PATCH", `/products/${id}`, { price: 9.99 });
    assert.deepEqual(changed.body, { ...kite, id, name: "Better Kite", price: euros("9.99") });

    const review = await call("POST", `/products/${id}/reviews`, { author: "Ada", stars: 5, text: "It flies." });
    assert.equal(review.status, 201);
    const removed = await call("DELETE", `/products/${id}`);
    assert.deepEqual([removed.status, removed.body], [204, ""]);
    assert.equal((await call("GET", `/products/${id}`)).status, 404);
  });
}

function rejections(call: Call): void {
  it("responds with 422 and every reason why a body is rejected", async () => {
    const { status, type, body } = await call("POST", "/products", { name: "", category: "toys", price: -1 });
    const { errors } = body as { errors: { path: unknown }[] };
    assert.deepEqual([status, type], [422, "application/problem+json"]);
    assert.deepEqual(
      errors.map(({ path }) => path),
      [["name"], ["brand"], ["price"]],
    );
    assert.equal((await call("PATCH", "/products/p-0001", {})).status, 422);
    assert.equal((await call("PATCH", "/products/p-0001", { price: 1.005 })).status, 422);
  });

  it("responds with 400 to malformed JSON and 415 to what is not JSON", async () => {
    assert.equal((await call("POST", "/products", "{", { "Content-Type": "application/json" })).status, 400);
    assert.equal((await call("POST", "/products", "name=Kite")).status, 415);
  });

  it("responds with 404 for an unknown product, in every method", async () => {
    const body = {
      type: "about:blank",
      title: "Not Found",
      status: 404,
      detail: "There is no product p-9",
      code: "unknown",
    };
    assert.deepEqual((await call("GET", "/products/p-9")).body, body);
    assert.deepEqual((await call("PUT", "/products/p-9", kite)).body, body);
    assert.deepEqual((await call("PATCH", "/products/p-9", { price: 1 })).body, body);
    assert.deepEqual((await call("DELETE", "/products/p-9")).body, body);
  });

  it("keeps a product that has been ordered", async () => {
    const { status, body } = await call("DELETE", "/products/p-0261");
    assert.deepEqual([status, (body as { code: string }).code], [409, "conflict"]);
  });
}

interface Found {
  readonly total: number;
  readonly items: readonly { readonly id: string; readonly category: string }[];
  readonly facets: Readonly<Record<string, readonly { readonly value: string; readonly count: number }[]>>;
}

function search(call: Call): void {
  const query = async (filter: object): Promise<Found> => {
    const { status, body } = await call("QUERY", "/products/search", filter);
    assert.equal(status, 200, JSON.stringify(body));
    return body as Found;
  };
  const sum = (facet: Found["facets"][string] = []): number => facet.reduce((total, { count }) => total + count, 0);

  it("counts every product once in each facet when nothing is filtered", async () => {
    const { total, items, facets } = await query({});
    assert.deepEqual([total, items.length], [600, 20]);
    assert.deepEqual(Object.values(facets).map(sum), [600, 600, 600, 600]);
  });

  it("narrows the other facets, but not the one that is filtered by", async () => {
    const { total, items, facets } = await query({ categories: ["garden", "toys"], inStock: true, pageSize: 100 });
    const picked = facets["category"]?.filter(({ value }) => value === "garden" || value === "toys");
    assert.ok(items.every(({ category }) => category === "garden" || category === "toys"));
    assert.deepEqual([sum(picked), sum(facets["brand"]), sum(facets["price"])], [total, total, total]);
    assert.equal(facets["category"]?.length, 6);
  });

  it("shows in each facet's count how many results that value gives", async () => {
    const { facets } = await query({ text: "pro" });
    for (const { value, count } of facets["brand"] ?? [])
      assert.equal((await query({ text: "pro", brands: [value] })).total, count);
  });

  it("treats an SQL wildcard as a literal character", async () => {
    assert.equal((await query({ text: "%" })).total, 0);
  });

  it("responds the same to POST, for clients without QUERY", async () => {
    const { body } = await call("POST", "/products/search", { text: "kite", sort: "-price" });
    assert.deepEqual(body, await query({ text: "kite", sort: "-price" }));
  });

  it("rejects a QUERY of another type with 415 and says which types it accepts", async () => {
    const { status, headers } = await call("QUERY", "/products/search", "text=kite");
    assert.deepEqual([status, headers["accept-query"]], [415, "application/json"]);
  });

  it("rejects a QUERY without a Content-Type with 400", async () => {
    assert.equal((await call("QUERY", "/products/search", new Blob(["{}"]))).status, 400);
  });

  it("rejects an unknown filter with 422", async () => {
    assert.equal((await call("QUERY", "/products/search", { colour: "red" })).status, 422);
  });
}

async function available(call: Call, id: string): Promise<number> {
  return ((await call("GET", `/products/${id}`)).body as { available: number }).available;
}

const order = (quantity: number, more: object = {}): object => ({
  customerId: "c-1",
  card: "visa",
  lines: [{ productId: "p-0040", quantity }],
  ...more,
});

/** Waits until the outbox has so many mails, ten seconds at most. */
async function outbox({ call }: OpenShop, length: number): Promise<void> {
  for (const until = Date.now() + 10_000; Date.now() < until; await new Promise((resolve) => setTimeout(resolve, 20)))
    if (((await call("GET", "/outbox")).body as unknown[]).length === length) return;
}

function orders(call: Call, shop: () => OpenShop): void {
  const paid = (id: string, quantity: number, discount: string, total: string): object => ({
    id,
    customerId: "c-1",
    status: "paid",
    lines: [{ productId: "p-0040", name: "Elm Ultra Spade", quantity, unitPrice: euros("191.69") }],
    discount: euros(discount),
    total: euros(total),
    placedAt: "2026-11-02T10:00:00.000Z",
  });

  it("places a small order without a discount", async () => {
    const { status, headers, body } = await call("POST", "/orders", order(1));
    assert.deepEqual([status, headers["location"]], [201, "/orders/o-1041"]);
    assert.deepEqual(body, paid("o-1041", 1, "0.00", "191.69"));
    assert.deepEqual((await call("GET", "/orders/o-1041")).body, body);
  });

  it("takes 5 percent off an order of 200 EUR, and a job sends mail about one of 500", async () => {
    assert.deepEqual((await call("POST", "/orders", order(2))).body, paid("o-1042", 2, "19.17", "364.21"));
    assert.deepEqual((await call("GET", "/outbox")).body, []);
    assert.deepEqual((await call("POST", "/orders", order(5))).body, paid("o-1043", 5, "47.92", "910.53"));
    const mail = { to: "ada@shop.example", subject: "Thank you for order o-1043", text: "Ada, it is on its way." };
    await outbox(shop(), 1);
    assert.deepEqual((await call("GET", "/outbox")).body, [mail]);
  });

  it("takes 10 percent off an order of 1,000 EUR", async () => {
    assert.deepEqual((await call("POST", "/orders", order(7))).body, paid("o-1044", 7, "134.18", "1207.65"));
  });

  it("reduces the stock by an order, and restores it when the order is cancelled", async () => {
    const shelf = await available(call, "p-0040");
    const { body } = await call("POST", "/orders", order(2));
    const { id } = body as { id: string };
    assert.equal(await available(call, "p-0040"), shelf - 2);
    assert.equal((await call("DELETE", `/orders/${id}`)).status, 204);
    assert.equal(await available(call, "p-0040"), shelf);
    assert.equal((await call("DELETE", `/orders/${id}`)).status, 409);
  });
}

function failing(call: Call): void {
  it("responds with 402 to a declined card and restores the stock", async () => {
    const shelf = await available(call, "p-0040");
    const { status, type, body } = await call("POST", "/orders", order(2, { card: "visa-declined" }));
    assert.deepEqual([status, type], [402, "application/problem+json"]);
    assert.equal((body as { code: string }).code, "payment_declined");
    assert.equal(await available(call, "p-0040"), shelf);
  });

  it("responds with 409 if one line exceeds the stock, and reserves none of the others", async () => {
    const shelf = await available(call, "p-0040");
    const lines = [
      { productId: "p-0040", quantity: 1 },
      { productId: "p-0005", quantity: 1_000 },
    ];
    const { status, type, body } = await call("POST", "/orders", order(1, { lines }));
    assert.deepEqual([status, type], [409, "application/problem+json"]);
    assert.equal((body as { detail: string }).detail, "There are fewer than 1000 of p-0005 left");
    assert.equal(await available(call, "p-0040"), shelf);
  });

  it("responds with 404 for an unknown customer, product and order", async () => {
    assert.equal((await call("POST", "/orders", order(1, { customerId: "c-0" }))).status, 404);
    assert.equal((await call("POST", "/orders", order(1, { lines: [{ productId: "p-9", quantity: 1 }] }))).status, 404);
    assert.equal((await call("GET", "/orders/o-0")).status, 404);
  });
}

const second = { "API-Version": "2" };

function reports(call: Call): void {
  it("lists a customer's orders", async () => {
    const { status, body } = await call("GET", "/customers/c-2/orders", undefined, second);
    assert.deepEqual([status, (body as { customer: unknown }).customer], [200, { id: "c-2", name: "Barbara" }]);
    assert.equal((await call("GET", "/customers/c-0/orders", undefined, second)).status, 404);
  });

  it("reports a month's sales, and hides the error of a month without any", async () => {
    const { status, body } = await call("GET", "/reports/sales/2026-10");
    assert.deepEqual([status, (body as { orders: number }).orders], [200, 40]);
    const broken = await call("GET", "/reports/sales/2026-01");
    assert.deepEqual(broken.body, { type: "about:blank", title: "Internal Server Error", status: 500 });
    assert.equal((await call("GET", "/reports/sales/october")).status, 422);
  });
}

function around(call: Call): void {
  it("serves its OpenAPI document", async () => {
    const { status, body } = await call("GET", "/openapi.json");
    assert.deepEqual([status, body], [200, JSON.parse(JSON.stringify(shopDocument()))]);
  });

  it("is healthy", async () => {
    const { status, body } = await call("GET", "/health");
    assert.deepEqual({ status, body }, { status: 200, body: { status: "UP", checks: { database: "UP" } } });
  });

  it("responds with 404 to an unknown path and with 405 and the allowed methods to a known one", async () => {
    assert.equal((await call("GET", "/nothing")).status, 404);
    const { status, headers } = await call("PUT", "/orders");
    assert.deepEqual([status, headers["allow"]], [405, "OPTIONS, POST"]);
  });

  it("lets other origins send QUERY", async () => {
    const asked = { Origin: "https://example.com", "Access-Control-Request-Method": "QUERY" };
    const { status, headers } = await call("OPTIONS", "/products/search", undefined, asked);
    assert.deepEqual([status, headers["access-control-allow-origin"]], [204, "*"]);
  });
}
