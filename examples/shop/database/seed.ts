/**
 * The shop's first stock: 600 products, their reviews, customers and last month's orders.
 *
 * Deterministic: the numbers are the same on every machine, so you see what the README shows, and a test can say which product
 * costs what.
 */
import type { Sql } from "./sql.ts";

const categories = {
  garden: ["Rake", "Spade", "Hose", "Trowel", "Lantern"],
  kitchen: ["Kettle", "Pan", "Knife", "Grater", "Scale"],
  office: ["Lamp", "Chair", "Stapler", "Desk", "Shelf"],
  outdoor: ["Tent", "Backpack", "Stove", "Bottle", "Compass"],
  sport: ["Ball", "Racket", "Mat", "Rope", "Bike Pump"],
  toys: ["Puzzle", "Train", "Kite", "Robot", "Dollhouse"],
} as const;
const brands = ["Acorn", "Birch", "Cedar", "Dogwood", "Elm"];
const grades = ["Basic", "Classic", "Pro", "Ultra"];
const remarks = ["Broke after a week.", "Does what it says.", "Better than expected.", "Would buy again.", "Superb."];
const names = ["Ada", "Barbara", "Claude", "Donald", "Edsger", "Frances", "Grace", "Hedy", "Ivan", "Jean"];
/** `open sesame`, by scrypt: salt and hash. */
const everybodysPassword =
  "5e5a3e0f1c2b4d69788796a5b4c3d2e1.cbe9e7e10f8623518bdac68393febb2f102b73c0094afa0f85124458fa4615c0";
const day = 86_400_000;
const opening = Date.UTC(2026, 0, 1);

/** Small numbers that look random and never change (mulberry32). */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % sides;
  };
}

/** Fills empty tables. Runs inside the transaction that made them. */
export async function seed(sql: Sql): Promise<void> {
  const products = makeProducts();
  const customers = names.map((name, i) => ({
    id: `c-${i + 1}`,
    name,
    email: `${name.toLowerCase()}@shop.example`,
    password_hash: everybodysPassword,
  }));
  await insert(sql, "products", "id text, name text, category text, brand text, price_cents int", products);
  await insert(sql, "stock", "product_id text, quantity int", makeStock(products));
  await insert(
    sql,
    "reviews",
    "product_id text, author text, stars int, text text, written_at timestamptz",
    makeReviews(products),
  );
  await insert(sql, "customers", "id text, name text, email text, password_hash text", customers);
  await insert(sql, "promotions", "category text, percent int", [
    { category: "garden", percent: 10 },
    { category: "toys", percent: 25 },
  ]);
  await seedOrders(sql, products);
  await sql("select setval('product_number', $1), setval('order_number', 1000 + 40)", [products.length]);
}

interface ProductRow {
  readonly id: string;
  readonly name: string;
  readonly category: string;
  readonly brand: string;
  readonly price_cents: number;
}

/** Every product of every category, brand and grade: 6 × 5 × 5 × 4. */
function makeProducts(): ProductRow[] {
  const roll = dice(1);
  const kinds = Object.entries(categories).flatMap(([category, things]) =>
    things.flatMap((thing) => brands.flatMap((brand) => grades.map((grade) => ({ category, thing, brand, grade })))),
  );
  return kinds.map(({ category, thing, brand, grade }, i) => ({
    id: `p-${String(i + 1).padStart(4, "0")}`,
    name: `${brand} ${grade} ${thing}`,
    category,
    brand,
    price_cents: 499 + 100 * roll(60) * (1 + grades.indexOf(grade)),
  }));
}

/** One product in ten is sold out. */
function makeStock(products: readonly ProductRow[]): object[] {
  const roll = dice(2);
  return products.map((product) => ({ product_id: product.id, quantity: roll(10) === 0 ? 0 : 5 + roll(90) }));
}

/** None to five each. */
function makeReviews(products: readonly ProductRow[]): object[] {
  const roll = dice(3);
  return products.flatMap((product) =>
    Array.from({ length: roll(6) }, () => {
      const stars = 1 + Math.max(roll(5), roll(5));
      const written_at = new Date(opening + day * roll(300)).toISOString();
      return { product_id: product.id, author: names[roll(10)], stars, text: remarks[stars - 1], written_at };
    }),
  );
}

/** Forty paid orders of October 2026, one line each. */
async function seedOrders(sql: Sql, products: readonly ProductRow[]): Promise<void> {
  const roll = dice(4);
  const lines = Array.from({ length: 40 }, (_, i) => {
    const product = products[roll(products.length)] as ProductRow;
    const { id, name, price_cents } = product;
    return {
      order_id: `o-${1001 + i}`,
      position: 0,
      product_id: id,
      name,
      quantity: 1 + roll(3),
      unit_price_cents: price_cents,
    };
  });
  const orders = lines.map((line, i) => ({
    id: line.order_id,
    customer_id: `c-${1 + roll(10)}`,
    status: "paid",
    discount_cents: 0,
    total_cents: line.quantity * line.unit_price_cents,
    placed_at: new Date(Date.UTC(2026, 9, 1) + (day * i) / 2).toISOString(),
  }));
  const order = "id text, customer_id text, status text, discount_cents int, total_cents int, placed_at timestamptz";
  await insert(sql, "orders", order, orders);
  const line = "order_id text, position int, product_id text, name text, quantity int, unit_price_cents int";
  await insert(sql, "order_lines", line, lines);
}

/** All rows of one table in one statement. `columns` as in `name type, …`. */
async function insert(sql: Sql, table: string, columns: string, rows: readonly object[]): Promise<void> {
  const names = columns.replaceAll(/(\w+) \w+/g, "$1");
  const from = `from jsonb_to_recordset($1::jsonb) as r(${columns})`;
  await sql(`insert into ${table} (${names}) select ${names} ${from}`, [JSON.stringify(rows)]);
}
