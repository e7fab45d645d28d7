/** The tracing channels: what an APM-like listener of thirty lines sees of requests, middleware and beans. */
import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { tracingChannel } from "node:diagnostics_channel";
import { afterEach, describe, test } from "node:test";
import { Beans, type Context, HttpError, Interface } from "../index.ts";
import { created, serving } from "../testing/harness.testkit.ts";

interface Span {
  readonly name: string;
  readonly parent: string | undefined;
  status?: number;
  error?: string;
}

/** Makes a span of each request, middleware and bean call, with its parent. Returns the spans as they end, and a stop. */
function listening(): { readonly spans: Span[]; stop(): void } {
  const spans: Span[] = [];
  const current = new AsyncLocalStorage<Span>();
  const open = new WeakMap<object, Span>();
  const names: Record<string, (message: { ctx: Context; name: string; bean: string; method: string }) => string> = {
    request: ({ ctx }) => `${ctx.method} ${ctx.path}`,
    middleware: ({ name }) => name,
    bean: ({ bean, method }) => `${bean}.${method}`,
  };
  const stops = Object.entries(names).map(([kind, nameOf]) => {
    const channel = tracingChannel<object, Record<string, unknown>>(`framework.${kind}`);
    const close = (message: object & { error?: unknown; completion?: { status: number } }): void => {
      const span = open.get(message);
      if (span === undefined || spans.includes(span)) return;
      if (message.completion !== undefined) span.status = message.completion.status;
      if (message.error instanceof Error) span.error = message.error.message;
      spans.push(span);
    };
    channel.start.bindStore(current as AsyncLocalStorage<object>, (message) => {
      const span: Span = { name: nameOf(message as Parameters<typeof nameOf>[0]), parent: current.getStore()?.name };
      open.set(message as object, span);
      return span;
    });
    const ended = (message: object): void => void ("result" in message && close(message)); // A synchronous bean.
    const subscribers = { end: ended, asyncEnd: close, error: close };
    for (const [event, listener] of Object.entries(subscribers))
      channel[event as "end"].subscribe(listener as (message: unknown) => void);
    return () => {
      channel.start.unbindStore(current as AsyncLocalStorage<object>);
      for (const [event, listener] of Object.entries(subscribers))
        channel[event as "end"].unsubscribe(listener as (message: unknown) => void);
    };
  });
  return { spans, stop: () => stops.forEach((stop) => stop()) };
}

interface Shop {
  price(id: number): number;
  stock(id: number): Promise<number>;
}
const Shop: Interface<Shop> = Interface("Shop");

class OwnShop implements Shop {
  readonly #base = 10;
  price(id: number): number {
    if (id > 100) throw new HttpError(404, "no such product");
    return this.#base * id;
  }
  async stock(id: number): Promise<number> {
    await new Promise(setImmediate);
    return this.price(id);
  }
}

/** An app with a middleware and a bean, made now. */
function shopOf() {
  const beans = Beans.builder()
    .bind(Shop, () => new OwnShop())
    .start();
  const { app } = created();
  app
    .beans(beans)
    .use(async function outer(_ctx, next) {
      await next();
    })
    .get("/price/{id}", (ctx) => ({ price: ctx.get(Shop).price(ctx.pathParamAsInt("id")) }))
    .get("/stock/{id}", async (ctx) => ({ stock: await ctx.get(Shop).stock(ctx.pathParamAsInt("id")) }));
  return { app, beans };
}

describe("the tracing channels", () => {
  let heard: ReturnType<typeof listening> | undefined;
  afterEach(() => heard?.stop());

  test("show a request with its middleware and its beans, each inside of the other", async () => {
    heard = listening();
    const { app, beans } = shopOf();
    assert.deepEqual(await (await app.request("/price/7")).json(), { price: 70 });
    assert.deepEqual(await (await app.request("/stock/7")).json(), { stock: 70 });
    await beans.close();
    assert.deepEqual(heard.spans, [
      { name: "Shop.price", parent: "outer" },
      { name: "outer", parent: "GET /price/7" },
      { name: "GET /price/7", parent: undefined, status: 200 },
      { name: "Shop.stock", parent: "outer" },
      { name: "outer", parent: "GET /stock/7" },
      { name: "GET /stock/7", parent: undefined, status: 200 },
    ]);
  });

  test("show the error of each operation that it ended", async () => {
    heard = listening();
    const { app } = shopOf();
    assert.equal((await app.request("/price/101")).status, 404);
    const error = "no such product";
    assert.deepEqual(heard.spans, [
      { name: "Shop.price", parent: "outer", error },
      { name: "outer", parent: "GET /price/101", error },
      { name: "GET /price/101", parent: undefined, status: 404, error },
    ]);
  });

  test("end a call at the lazy query that it returns, which runs once and when its caller awaits it", async () => {
    let runs = 0;
    class Query extends Promise<number> {
      static make(): Query {
        const query = new Query(() => undefined);
        query.then = ((use: (value: number) => unknown) => void ((runs += 1), use(7))) as never;
        return query;
      }
    }
    interface Table {
      all(): Promise<number>;
    }
    const Table: Interface<Table> = Interface("Table");
    heard = listening();
    const beans = Beans.builder()
      .bind(Table, () => ({ all: () => Query.make() }))
      .start();
    const query = beans.get(Table).all();
    assert.deepEqual([query instanceof Query, runs, heard.spans.map(({ name }) => name)], [true, 0, ["Table.all"]]);
    assert.deepEqual([await query, runs], [7, 1]);
  });

  test("of a request also work over a socket, and when the listener comes after the start", () =>
    serving(
      (app) => app.get("/", () => "hello"),
      async ({ port }) => {
        await (await fetch(`http://127.0.0.1:${port}/`)).text();
        heard = listening();
        await (await fetch(`http://127.0.0.1:${port}/`)).text();
        await (await fetch(`http://127.0.0.1:${port}/none`)).text();
        assert.deepEqual(heard.spans, [
          { name: "GET /", parent: undefined, status: 200 },
          { name: "GET /none", parent: undefined, status: 404 },
        ]);
      },
    ));

  test("leave beans and middleware as they are when nobody listens", () => {
    const { beans } = shopOf();
    const bean = beans.get(Shop);
    assert.equal(bean.price, OwnShop.prototype.price);
    heard = listening();
    const { beans: traced } = shopOf();
    assert.notEqual(traced.get(Shop).price, OwnShop.prototype.price);
    assert.equal(traced.get(Shop).price, traced.get(Shop).price);
    assert.ok(traced.get(Shop) instanceof OwnShop);
  });
});
