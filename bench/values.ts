/**
 * Values: what the handlers of every server return, ours and the peers'.
 *
 * V8 reads objects at another pace if they were made another way, so all servers have these same ones.
 */

/** The result of the search of the QUERY route, the same for every server. */
export function found(body: unknown): object {
  const { text, limit } = body as { readonly text: string; readonly limit: number };
  return { text, limit, hits: [`${text} 1`, `${text} 2`] };
}

/** A list of about 20 kilobytes. */
export const catalogue: readonly object[] = Array.from({ length: 200 }, (_, id) => ({
  id,
  name: `product ${id}`,
  category: ["garden", "toys", "office"][id % 3],
  price: id * 1.25 + 0.99,
  inStock: id % 7 !== 0,
  rating: (id % 5) + 0.5,
}));

/** The lists that are sent compressed, or with a tag. */
export const listed: Readonly<Record<"compressed" | "compressed-3k" | "known", readonly object[]>> = {
  compressed: catalogue,
  "compressed-3k": catalogue.slice(0, 33),
  known: catalogue,
};

/** An order of about one kilobyte. */
export const order = {
  customer: "Ada Lovelace",
  note: "x".repeat(330),
  items: Array.from({ length: 12 }, (_, n) => ({ id: n, name: `item ${n}`, price: n * 1.5, tags: ["a", "b"] })),
};

/** Values with a member that their response schemas do not name. */
export const unshaped: Readonly<Record<"shaped-1k" | "shaped-20k", object>> = {
  "shaped-1k": { ...order, internal: "of the shop", items: order.items.map((item) => ({ ...item, cost: 1 })) },
  "shaped-20k": catalogue.map((product) => ({ ...product, cost: 7 })),
};

/** The user in the session. */
export const user: object = { id: 7, name: "Ada Lovelace", mail: "ada@example.com", roles: ["admin", "editor"] };

/** Five milliseconds of CPU time or so, the same for every server. */
export function busy(): number {
  let sum = 0;
  for (let n = 0; n < 2_400_000; n += 1) sum = (sum + Math.imul(n, 2_654_435_761)) >>> 0;
  return sum;
}
