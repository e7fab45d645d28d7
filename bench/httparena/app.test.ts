/** The entry's routes answer as HttpArena's profiles want, with a PostgreSQL of the test's own. */
import { deepEqual, equal } from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { brotliCompressSync } from "node:zlib";
import type { Framework } from "framework";
import { Pool, type PoolConfig } from "pg";
import { isPostgresMissing, startPostgres } from "../../test/database-servers.ts";
import { createApp } from "./app.ts";
import { type Item, type ItemCache, Items } from "./items.ts";

const dataset: readonly Item[] = Array.from({ length: 50 }, (_, at) => ({
  id: at + 1,
  name: `item ${at + 1}`,
  category: at % 2 === 0 ? "electronics" : "office",
  price: 10 + at,
  quantity: 3,
  active: true,
  tags: ["new"],
  rating: { score: at, count: 7 },
}));

/** The entry's app with that database. Without one, nothing answers there. */
function opened(t: TestContext, database: PoolConfig = { host: "/nowhere" }): { app: Framework; pool: Pool } {
  const files = mkdtempSync(join(tmpdir(), "framework-arena-"));
  writeFileSync(join(files, "app.js"), "export {};");
  writeFileSync(join(files, "app.js.br"), brotliCompressSync("export {};"));
  const kept = new Map<string, string>();
  const cache: ItemCache = {
    get: async (key) => kept.get(key) ?? null,
    set: async (key, value, ...lifetime) => (deepEqual(lifetime, ["PX", 200]), kept.set(key, value)),
    del: async (key) => kept.delete(key),
  };
  const pool = new Pool(database);
  t.after(() => rmSync(files, { recursive: true }));
  return { app: createApp({ dataset, files, items: new Items(pool, cache) }, 0), pool };
}

const json = (method: string, value: object): RequestInit => ({
  method,
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(value),
});

describe("the HttpArena entry", () => {
  const post = (body: string): RequestInit => ({ method: "POST", headers: { "Content-Type": "text/plain" }, body });
  const texts: Readonly<
    Record<string, readonly [path: string, init: RequestInit, status: number, text: string | RegExp]>
  > = {
    "sums the query": ["/baseline11?a=13&b=42", {}, 200, "55"],
    "sums it over HTTP/2's path too": ["/baseline2?a=13&b=42", {}, 200, "55"],
    "adds the body": ["/baseline11?a=13&b=42", post("20"), 200, "75"],
    "rejects a body that is no number": ["/baseline11?a=13&b=42", post("many"), 400, /no whole number/],
    "rejects a query that has no number": ["/baseline11?a=x&b=42", {}, 422, /"pointer":"\/a"/],
    "says ok": ["/pipeline", {}, 200, "ok"],
    "counts the bytes of an upload beyond the default limit": ["/upload", post("x".repeat(2_000_000)), 200, "2000000"],
    "has an empty list where no database answers": ["/async-db?min=1&max=9", {}, 200, '{"items":[],"count":0}'],
  };
  for (const [title, [path, init, status, text]] of Object.entries(texts))
    it(title, async (t) => {
      const response = await opened(t).app.request(path, init);
      const body = await response.text();
      equal(response.status, status);
      if (typeof text === "string") equal(body, text);
      else equal(text.test(body), true, body);
    });

  it("multiplies the first items of the data set, compressed for who accepts it", async (t) => {
    const { app } = opened(t);
    const plain = await app.request("/json/2?m=3");
    const items = dataset.slice(0, 2).map((item) => ({ ...item, total: item.price * item.quantity * 3 }));
    deepEqual([plain.headers.get("content-encoding"), await plain.json()], [null, { items, count: 2 }]);
    const packed = await app.request("/json/50?m=1", { headers: { "Accept-Encoding": "gzip, br" } });
    equal(packed.headers.get("content-encoding"), "br");
  });

  it("serves files, precompressed for who accepts it", async (t) => {
    const { app } = opened(t);
    equal(await (await app.request("/static/app.js")).text(), "export {};");
    const packed = await app.request("/static/app.js", { headers: { "Accept-Encoding": "br;q=1, gzip;q=0.8" } });
    equal(packed.headers.get("content-encoding"), "br");
    equal((await app.request("/static/none.txt")).status, 404);
  });

  it("lists, reads, creates and updates items", { skip: isPostgresMissing() }, async (t) => {
    const server = await startPostgres(t);
    const { app, pool } = opened(t, { host: server.folder, user: server.user, database: "postgres" });
    try {
      await fill(pool);
      await useItems(app);
    } finally {
      await pool.end();
    }
  });
});

async function fill(pool: Pool): Promise<void> {
  await pool.query(`create table items (id integer primary key, name text not null, category text not null,
    price integer not null, quantity integer not null, active boolean not null, tags jsonb not null,
    rating_score integer not null, rating_count integer not null)`);
  for (const { id, name, category, price, quantity, active, tags, rating } of dataset)
    await pool.query("insert into items values ($1, $2, $3, $4, $5, $6, $7, $8, $9)", [
      id,
      name,
      category,
      price,
      quantity,
      active,
      JSON.stringify(tags),
      rating.score,
      rating.count,
    ]);
}

async function useItems(app: Framework): Promise<void> {
  const read = async (path: string): Promise<unknown> => (await app.request(path)).json();
  const cacheOf = async (path: string): Promise<string | null> => (await app.request(path)).headers.get("x-cache");

  deepEqual(await read("/async-db?min=10&max=30&limit=2"), { items: dataset.slice(0, 2), count: 2 });
  deepEqual(await read("/async-db?min=999&max=999"), { items: [], count: 0 });
  const second = dataset.filter(({ category }) => category === "office").slice(2, 4);
  deepEqual(await read("/crud/items?category=office&page=2&limit=2"), { items: second, total: 2, page: 2, limit: 2 });
  deepEqual(await read("/crud/items/7"), dataset[6]);
  equal(await cacheOf("/crud/items/7"), "HIT");
  equal((await app.request("/crud/items/999")).status, 404);

  const lamp = { id: 60, name: "lamp", category: "test", price: 5, quantity: 1 };
  const created = await app.request("/crud/items", json("POST", lamp));
  deepEqual([created.status, await created.json()], [201, lamp]);
  deepEqual([await cacheOf("/crud/items/60"), await cacheOf("/crud/items/60")], ["MISS", "HIT"]);
  const changed = { name: "desk", price: 9, quantity: 2 };
  const updated = await app.request("/crud/items/60", json("PUT", changed));
  deepEqual([updated.status, await updated.json()], [200, { id: 60, ...changed }]);
  equal(await cacheOf("/crud/items/60"), "MISS");
  equal(((await read("/crud/items/60")) as Item).name, "desk");
  equal((await app.request("/crud/items/999", json("PUT", changed))).status, 404);
}
