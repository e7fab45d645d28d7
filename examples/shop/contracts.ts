/**
 * The contracts of the routes, as Zod schemas: they validate requests, type handlers, and produce the document at
 * /openapi.json.
 */
import { apiVersions, contract, events, stream, text } from "framework";
import { multipartForm } from "framework/multipart";
import { z } from "zod";
import type { NewProduct } from "./domain.ts";
import { Money } from "./money.ts";
import { pictureTypes } from "./pictures.ts";

const name = z.string().trim().min(1).max(120);
const amount = z
  .object({ amount: z.string().regex(/^\d+\.\d\d$/), currency: z.literal("EUR") })
  .meta({ id: "Money", description: "Euros with two decimals" });

/** A product as a client sends it: euros, exact to the cent. */
const productFields = z.strictObject({
  name,
  category: name,
  brand: name,
  price: z.number().positive().max(1_000_000).multipleOf(0.01),
});
const newProduct = productFields
  .extend({ quantity: z.int().min(0).max(100_000).default(0) })
  .transform(({ price, quantity, ...rest }) => ({ product: { ...rest, price: euros(price) }, quantity }));
const wholeProduct = productFields.transform(({ price, ...rest }): NewProduct => ({ ...rest, price: euros(price) }));
/** Some fields of a product, at least one. */
const changes = productFields
  .partial()
  .refine((given) => Object.keys(given).length > 0, "Say at least one thing to change")
  .transform((given) =>
    withoutUndefined({ ...given, price: given.price === undefined ? undefined : euros(given.price) }),
  );
const newReview = z.strictObject({ author: name, stars: z.int().min(1).max(5), text: z.string().max(2_000) });
const orderRequest = z.strictObject({
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
const page = { page: z.coerce.number<string>().pipe(z.int().min(1).max(1_000)).default(1) };
const filter = z
  .strictObject({
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
  })
  .meta({ id: "Search" });

const product = z
  .object({ id: z.string(), name: z.string(), category: z.string(), brand: z.string(), price: amount })
  .meta({ id: "Product" });
const card = product
  .extend({ rating: z.number().nullable(), inStock: z.boolean() })
  .meta({ id: "ProductCard", description: "A product as lists show it" });
const review = z
  .object({
    id: z.int(),
    productId: z.string(),
    author: z.string(),
    stars: z.int(),
    text: z.string(),
    writtenAt: z.iso.datetime(),
  })
  .meta({ id: "Review" });
const productPage = z
  .object({
    product,
    quote: z.object({ list: amount, promotionPercent: z.number(), price: amount }),
    available: z.int(),
    reviews: z.object({ count: z.int(), average: z.number().nullable(), latest: z.array(review) }),
    recommendations: z.array(card),
  })
  .meta({ id: "ProductPage" });
const facet = z.array(z.object({ value: z.string(), count: z.int() })).meta({ id: "Facet" });
const searchResult = z
  .object({
    total: z.int(),
    page: z.int(),
    pageSize: z.int(),
    items: z.array(card),
    facets: z.object({ category: facet, brand: facet, price: facet, rating: facet }),
  })
  .meta({ id: "SearchResult" });
const order = z
  .object({
    id: z.string(),
    customerId: z.string(),
    status: z.enum(["pending", "paid", "declined", "cancelled"]),
    lines: z.array(z.object({ productId: z.string(), name: z.string(), quantity: z.int(), unitPrice: amount })),
    discount: amount,
    total: amount,
    placedAt: z.iso.datetime(),
  })
  .meta({ id: "Order" });
const problem = z
  .object({ type: z.string(), title: z.string(), status: z.int(), detail: z.string(), code: z.string() })
  .meta({ id: "ShopProblem", description: "A problem that the shop itself has a code for" });

export const listProducts = contract({
  summary: "Lists products by category, in pages",
  query: z.object({
    category: z.string().optional(),
    ...page,
    pageSize: z.coerce.number<string>().pipe(z.int().min(1).max(100)).default(20),
  }),
  responses: { 200: z.array(card) },
  example: { query: { category: "garden", page: 2 } },
});
export const exportProducts = contract({
  summary: "Every product, a line of JSON each",
  operationId: "exportProducts",
  responses: { 200: stream("application/x-ndjson", card) },
});
export const exportPrices = contract({
  summary: "Every product with its price, as CSV",
  operationId: "exportPrices",
  responses: { 200: text("text/csv") },
});
const lamp = { name: "Desk lamp", category: "office", brand: "Nordlys", price: 39.9 };
export const createProduct = contract({
  summary: "Adds a product, with how many there are of it",
  body: newProduct,
  responses: { 201: product },
  example: { body: { ...lamp, quantity: 12 } },
});
export const showProduct = contract({
  tool: { name: "show-product" },
  summary: "A product with its price of today, stock, reviews and recommendations",
  responses: { 200: productPage, 404: problem },
  example: { path: { id: "p-0001" } },
});
export const replaceProduct = contract({
  summary: "Replaces a product",
  body: wholeProduct,
  responses: { 200: product, 404: problem },
  example: { path: { id: "p-0002" }, body: lamp },
});
export const changeProduct = contract({
  summary: "Changes some of a product",
  body: changes,
  responses: { 200: product, 404: problem },
  example: { path: { id: "p-0003" }, body: { price: 12.5 } },
});
export const removeProduct = contract({
  summary: "Removes a product that nobody has ordered",
  responses: { 204: null, 404: problem, 409: problem },
  example: { path: { id: "p-0004" } },
});
export const reviewProduct = contract({
  summary: "Writes a review",
  body: newReview,
  responses: { 201: review, 404: problem },
  example: { path: { id: "p-0001" }, body: { author: "Ada", stars: 5, text: "Bright, and it does not flicker." } },
});
export const putPicture = contract({
  summary: "Puts a product's picture in place of the one before",
  body: multipartForm({ files: { picture: { maxBytes: 2_000_000, types: pictureTypes } } }),
  maxBodyBytes: 2_100_000,
  responses: { 200: z.object({ picture: z.string(), bytes: z.int() }), 404: problem },
  example: { path: { id: "p-0001" } },
});
/** By QUERY, and by POST for clients and proxies that do not know it yet. */
export const searchProducts = contract({
  summary: "Finds products, with how many there are by category, brand, price and rating",
  body: filter,
  responses: { 200: searchResult },
  example: { body: { text: "lamp", inStock: true, sort: "-price" } },
});
export const placeOrder = contract({
  tool: { name: "place-order" },
  summary: "Places an order and pays it",
  body: orderRequest,
  responses: { 201: order, 402: problem, 404: problem, 409: problem },
  example: { body: { customerId: "c-1", card: "visa", lines: [{ productId: "p-0001", quantity: 1 }] } },
});
/** An order as JSON. */
export type Order = z.infer<typeof order>;
export const board = contract({ summary: "Each order as it is placed", operationId: "watchOrders", outgoing: order });
const lowStock = z.object({ product: z.string(), name: z.string(), left: z.int() }).meta({ id: "LowStock" });
/** A product that is running out. */
export type LowStock = z.infer<typeof lowStock>;
export const alerts = contract({
  tool: { name: "watch-stock" },
  summary: "Products that an order has almost or wholly sold out",
  operationId: "watchStock",
  tags: ["office"],
  responses: { 200: events({ low: lowStock, soldOut: lowStock }) },
});
export const showOrder = contract({
  tool: { name: "show-order" },
  summary: "An order",
  responses: { 200: order, 404: problem },
  example: { path: { id: "o-1001" } },
});
export const cancelOrder = contract({
  tool: { name: "cancel-order" },
  summary: "Cancels an order and puts its products back",
  responses: { 204: null, 404: problem, 409: problem },
  example: { path: { id: "o-1002" } },
});
export const paymentEvent = contract({
  summary: "Receives the webhooks of the payment service",
  body: z.object({ type: z.string(), timestamp: z.string(), data: z.object({ order: z.string() }) }),
  responses: { 204: null, 400: problem, 401: problem, 404: problem, 409: problem },
});
export const salesReport = contract({
  summary: "The sales of a month",
  params: z.object({ month: z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, "Write the month as in 2026-10") }),
  responses: { 200: z.object({ month: z.string(), orders: z.int(), revenue: amount, bestSeller: z.string() }) },
  example: { path: { month: "2026-10" } },
});
export const outbox = contract({
  summary: "Mails that were written",
  deprecated: { since: "2026-09-01", sunset: "2027-09-01" },
  responses: { 200: z.array(z.object({ to: z.string(), subject: z.string(), text: z.string() })) },
});
const customer = z.object({ id: z.string(), name: z.string(), email: z.string() }).meta({ id: "Customer" });
/** The request names its version in `API-Version`. One that names none was written for the first. */
const version = apiVersions({ header: "API-Version", default: "1" });
export const customerOrdersV1 = contract({
  version: version("1"),
  deprecated: { since: "2026-11-01", sunset: "2027-11-01" },
  summary: "A customer with all orders",
  operationId: "getCustomerOrdersV1",
  responses: { 200: z.object({ customer, orders: z.array(order) }), 404: problem },
  example: { path: { id: "c-1" } },
});
/** Without the mail address. */
export const customerOrders = contract({
  version: version("2"),
  summary: "A customer with all orders",
  responses: { 200: z.object({ customer: customer.omit({ email: true }), orders: z.array(order) }), 404: problem },
  example: { path: { id: "c-1" } },
});
/** A problem from the framework, without a code of the shop. */
const plainProblem = z.object({ type: z.string(), title: z.string(), status: z.int(), detail: z.string() });
export const login = contract({
  summary: "Logs a customer in: a session in a cookie, and a token for programs",
  body: z.strictObject({ email: z.email(), password: z.string().min(1).max(200) }),
  responses: { 200: z.object({ customer, token: z.string(), expiresIn: z.int() }), 401: problem, 429: plainProblem },
  example: { body: { email: "ada@shop.example", password: "open sesame" } },
});
export const logout = contract({ summary: "Ends the session", responses: { 204: null } });
export const showMe = contract({
  tool: { name: "show-me" },
  summary: "Who is logged in, by session or token",
  responses: { 200: customer, 401: plainProblem },
  security: [{ session: [] }, { token: [] }],
});

function euros(value: number): Money {
  return Money.ofCents(Math.round(value * 100));
}

/** An object without its undefined members, so that spreading it overwrites nothing. */
function withoutUndefined(given: { [K in keyof NewProduct]?: NewProduct[K] | undefined }): Partial<NewProduct> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
