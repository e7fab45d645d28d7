/**
 * What clients may send, as Zod schemas: `ctx.body(schema)` returns the typed value, or the response is 422 with the issues.
 */
import { z } from "zod";
import type { NewProduct } from "../domain.ts";
import { Money } from "../money.ts";

const name = z.string().trim().min(1).max(120);

/** A product as a client writes it: euros, exact to the cent. */
const productFields = z.strictObject({
  name,
  category: name,
  brand: name,
  price: z.number().positive().max(1_000_000).multipleOf(0.01),
});

export const productInput = productFields.transform(({ price, ...rest }): NewProduct => ({
  ...rest,
  price: euros(price),
}));

export const newProductInput = productFields
  .extend({ quantity: z.int().min(0).max(100_000).default(0) })
  .transform(({ price, quantity, ...rest }) => ({ product: { ...rest, price: euros(price) }, quantity }));

/** Some of a product, but not nothing. */
export const changesInput = productFields
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, "Say at least one thing to change")
  .transform((changes) =>
    withoutUndefined({ ...changes, price: changes.price === undefined ? undefined : euros(changes.price) }),
  );

export const reviewInput = z.strictObject({ author: name, stars: z.int().min(1).max(5), text: z.string().max(2_000) });

export const orderInput = z.strictObject({
  customerId: z.string(),
  card: z.string().min(1),
  lines: z
    .array(z.strictObject({ productId: z.string(), quantity: z.int().min(1).max(1_000) }))
    .min(1)
    .max(50),
});

const cents = z
  .number()
  .min(0)
  .max(1_000_000)
  .transform((value) => Math.round(value * 100));

export const searchInput = z.strictObject({
  text: z.string().max(100).optional(),
  categories: z.array(z.string()).min(1).optional(),
  brands: z.array(z.string()).min(1).optional(),
  priceFrom: cents.optional(),
  priceTo: cents.optional(),
  minRating: z.number().min(1).max(5).optional(),
  inStock: z.boolean().optional(),
  sort: z.enum(["name", "price", "-price", "rating"]).default("name"),
  page: z.int().min(1).max(1_000).default(1),
  pageSize: z.int().min(1).max(100).default(20),
});

export const pageInput = z.object({
  category: z.string().optional(),
  page: z.coerce.number().int().min(1).max(1_000).default(1),
  pageSize: z.coerce.number().int().min(1).max(100).default(20),
});

function euros(amount: number): Money {
  return Money.ofCents(Math.round(amount * 100));
}

/** What is left of an object without what is undefined, so that spreading it overwrites nothing. */
function withoutUndefined(changes: { [K in keyof NewProduct]?: NewProduct[K] | undefined }): Partial<NewProduct> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}
