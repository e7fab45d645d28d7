/** The calls of a bean that is bound by another class than its own are recorded like those of an interface (GRAPH, TRACE). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Beans, Framework } from "framework";
import { type BeanGraph, Devtools, type Trace } from "../index.ts";

abstract class Orders {
  abstract find(id: string): Promise<string>;
}
class SqlOrders extends Orders {
  readonly #rows = new Map([["1", "tea"]]);
  readonly #stock: Stock;
  constructor(stock: Stock) {
    super();
    this.#stock = stock;
  }
  async find(id: string): Promise<string> {
    return `${this.#stock.count()} ${this.#row(id)}`;
  }
  #row(id: string): string {
    return this.#rows.get(id) ?? "none";
  }
}
class Stock {
  readonly #left = 3;
  count(): number {
    return this.#left;
  }
}
class Desk {
  readonly #orders: Orders;
  constructor(orders: Orders) {
    this.#orders = orders;
  }
  show(): Promise<string> {
    return this.#orders.find("1");
  }
}

describe("a bean bound by an abstract class", () => {
  it("is recorded with its private fields and passes both instanceof; one made by its class is untouched", async () => {
    const devtools = Devtools.create();
    const builder = Beans.builder()
      .bind(Orders, (b) => new SqlOrders(b.get(Stock)))
      .bindAsync(Stock, async () => new Stock())
      .bind(Desk, (b) => new (class FrontDesk extends Desk {})(b.get(Orders)));
    const beans = await builder.instrument(devtools.recorder()).startAsync();
    const app = Framework.create({ logger: { warn: () => undefined, error: () => undefined } });
    app
      .beans(beans)
      .get("/1", [Desk, "show"])
      .get("/2", (ctx) => ctx.get(Orders).find("2"));
    devtools.install(app, beans);
    await app.start(0);
    const at = `http://127.0.0.1:${app.port}`;
    const read = async <T>(path: string): Promise<T> => (await (await fetch(at + path)).json()) as T;
    const bodies: string[] = [];
    for (const path of ["/1", "/2"]) bodies.push(await (await fetch(at + path)).text());
    const [graph, traces] = [
      await read<BeanGraph>("/framework/dev/api/graph"),
      await read<Trace[]>("/framework/dev/api/requests"),
    ];
    await app.stop({ graceMs: 0 });

    assert.deepEqual(bodies, ["3 tea", "3 none"]);
    assert.deepEqual(
      traces.map(({ path, calls }) => [path, calls.map(({ bean, method }) => `${bean}.${method}`)]).toSorted(),
      [
        ["/1", ["Desk.show", "Orders.find"]],
        ["/2", ["Orders.find"]],
      ],
    );
    assert.deepEqual(
      graph.nodes.map(({ id, implementation, reason }) => [id, implementation, reason]),
      [
        ["Orders", "SqlOrders", undefined],
        ["Stock", "Stock", "class"],
        ["Desk", "FrontDesk", undefined],
      ],
    );
    const orders = beans.get(Orders);
    assert.deepEqual(
      [orders === beans.unwrapped(Orders), orders instanceof Orders, orders instanceof SqlOrders],
      [false, true, true],
    );
    assert.equal(beans.get(Stock), beans.unwrapped(Stock));
    await beans.close();
  });
});
