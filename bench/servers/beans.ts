/**
 * Four beans that serve one request together, with or without devtools.
 *
 *   route ──▶ Catalog.show ──▶ Products.find · Prices.of · Stock.left
 *               └ 2 lines of the log      └──── a statement each ────┘        where leaves are asked for
 */
import { tracingChannel } from "node:diagnostics_channel";
import { join } from "node:path";
import type { LeafChannel } from "@framework/devtools";
import { Beans, Interface, type Framework } from "framework";
import type { Work } from "../work.ts";

type Product = Readonly<{ id: number; name: string; price: number }>;
type Products = { find(id: number): Product };
type Stock = { left(id: number): number };
type Prices = { of(product: Product): number };
type Catalog = { show(id: number): object };
const Products: Interface<Products> = Interface("Products");
const Stock: Interface<Stock> = Interface("Stock");
const Prices: Interface<Prices> = Interface("Prices");
const Catalog: Interface<Catalog> = Interface("Catalog");

/** A statement, as a driver would publish it. */
interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
  readonly result?: unknown;
}
const statements = tracingChannel<unknown, Statement>("bench.sql");
const statement: LeafChannel = {
  channel: "bench.sql",
  kind: "sql",
  describe: ({ sql, values, result }: Statement) => ({
    system: "postgresql",
    statement: sql,
    parameters: values,
    rows: result === undefined ? undefined : 1,
  }),
};

/** One route with four bean calls per request. */
export async function addBeans(app: Framework, job: Work): Promise<void> {
  const { devtools: wanted, history, traces, leaves, files } = job;
  const query = <R>(sql: string, id: number, found: () => R): R =>
    leaves ? statements.traceSync(found, { sql, values: [id] }) : found();
  const builder = Beans.builder()
    .bind(Products, () => ({
      find: (id: number) =>
        query("select id, name, price from products where id = $1", id, () => ({ id, name: "lamp", price: 12.5 })),
    }))
    .bind(Stock, () => ({
      left: (id: number) => query("select quantity from stock where product_id = $1", id, () => 3),
    }))
    .bind(Prices, () => ({
      of: (product: Product) =>
        query("select percent from promotions where product_id = $1", product.id, () => product.price),
    }))
    .bind(Catalog, (b) => {
      const [products, stock, prices] = [b.get(Products), b.get(Stock), b.get(Prices)];
      return {
        show(id: number): object {
          const product = products.find(id);
          return { id, name: product.name, price: prices.of(product), stock: stock.left(id) };
        },
      };
    });
  if (job.spans) {
    const { TracingDecorator } = await import("framework/opentelemetry");
    builder.instrument(new TracingDecorator((await import("./otel.ts")).sdkTracer(job.sampled)));
  }
  app.get("/hello", (ctx) => {
    if (leaves) ctx.log.info("looking for a product", { id: 7 });
    const shown = ctx.get(Catalog).show(7);
    if (leaves) ctx.log.info("found it", { id: 7 });
    return shown;
  });
  if (wanted === "absent") {
    app.beans(builder.start());
    return;
  }
  if (wanted === "off") process.env["FRAMEWORK_DEVTOOLS"] = "false";
  const { Devtools } = await import("@framework/devtools");
  const runs = history ? join(files, `runs-${process.pid}.jsonl`) : false;
  const devtools = Devtools.create({ capacity: traces, history: runs, ...(leaves ? { channels: [statement] } : {}) });
  const beans = builder.instrument(devtools.recorder()).start();
  devtools.install(app.beans(beans), beans);
}
