/**
 * The catalogue for other programs: lines of JSON, read page by page as the client reads, and prices as CSV.
 */
import type { Group } from "framework";
import * as contracts from "./contracts.ts";
import type { ProductCard } from "./domain.ts";
import { ProductRepository } from "./repositories/products.ts";

const pageSize = 100;

/** Adds the exports to the group of the products. */
export function addExports(products: Group): void {
  const beans = [ProductRepository];
  products.get("/export", { ...contracts.exportProducts, beans }, (ctx) => catalogue(ctx.get(ProductRepository)));
  products.get("/export.csv", { ...contracts.exportPrices, beans }, async (ctx) => {
    const lines = ["id,name,price"];
    for await (const { id, name, price } of catalogue(ctx.get(ProductRepository)))
      lines.push([id, quoted(name), price.amount].join(","));
    return `${lines.join("\r\n")}\r\n`;
  });
}

async function* catalogue(products: ProductRepository): AsyncGenerator<ProductCard> {
  for (let page = 1; ; page += 1) {
    const cards = await products.page(undefined, page, pageSize);
    yield* cards;
    if (cards.length < pageSize) return;
  }
}

/** A field of CSV (RFC 4180). */
const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
