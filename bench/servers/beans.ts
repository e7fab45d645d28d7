/**
 * Four beans that serve one request together, with devtools around them or not.
 *
 *   route ──▶ Catalog.show ──▶ Products.find · Prices.of · Stock.left
 */
import { join } from "node:path";
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

/** One route, four bean calls a request. */
export async function addBeans(app: Framework, { devtools: wanted, history, traces, files }: Work): Promise<void> {
  const builder = Beans.builder()
    .bind(Products, () => ({ find: (id: number) => ({ id, name: "lamp", price: 12.5 }) }))
    .bind(Stock, () => ({ left: () => 3 }))
    .bind(Prices, () => ({ of: (product: Product) => product.price }))
    .bind(Catalog, (b) => {
      const [products, stock, prices] = [b.get(Products), b.get(Stock), b.get(Prices)];
      return {
        show(id: number): object {
          const product = products.find(id);
          return { id, name: product.name, price: prices.of(product), stock: stock.left(id) };
        },
      };
    });
  app.get("/hello", (ctx) => ctx.get(Catalog).show(7));
  if (wanted === "absent") {
    app.beans(builder.start());
    return;
  }
  if (wanted === "off") process.env["FRAMEWORK_DEVTOOLS"] = "false";
  const { Devtools } = await import("@framework/devtools");
  const runs = history ? join(files, `runs-${process.pid}.jsonl`) : false;
  const devtools = Devtools.create({ capacity: traces, history: runs });
  const beans = builder.instrument(devtools.recorder()).start();
  devtools.install(app.beans(beans), beans);
}
