/**
 * The HttpArena entry: the routes of all its profiles.
 *
 *   GET  /pipeline · GET, POST /baseline11 · GET /baseline2    texts
 *   GET  /json/{count}        JSON, compressed for clients that accept it
 *   POST /upload              counts the bytes of the body as they arrive
 *   GET  /static/*            files, with their precompressed forms
 *   GET  /ws                  a WebSocket that echoes
 *   GET  /async-db · /crud/…  items of a database: items.ts
 */
import { BadRequestError, CompressionMiddleware, Framework, NotFoundError } from "framework";
import type { ServerEngine } from "framework/engine";
import { StaticMiddleware } from "framework/static";
import { webSocket } from "framework/websocket";
import { z } from "zod";
import type { Item, Items } from "./items.ts";

/** What the routes need. */
export interface Services {
  /** The content of the data set. */
  readonly dataset: readonly Item[];
  /** The folder of the static files. */
  readonly files: string;
  readonly items: Items;
}

const integer = z.coerce.number().int();
const numbers = z.object({ a: integer, b: integer });
const range = z.object({ min: integer.default(10), max: integer.default(50), limit: integer.default(50) });
const page = z.object({
  category: z.string().default("electronics"),
  page: integer.min(1).default(1),
  limit: integer.default(10),
});
const ofItem = { params: z.object({ id: integer }) };
const changes = z.object({ name: z.string(), price: z.int(), quantity: z.int() });
const newItem = changes.extend({ id: z.int(), category: z.string() });

/** The app on one port. Nothing listens yet. */
export function createApp(services: Services, port: number, engine?: ServerEngine): Framework {
  const app = Framework.create({ port, engine });
  addTexts(app);
  addJson(app, services.dataset);
  addItems(app, services.items);
  app.post("/upload", { maxBodyBytes: 25 * 1_048_576 }, async (ctx) => {
    let bytes = 0;
    for await (const chunk of ctx.bodyAsStream()) bytes += chunk.length;
    return String(bytes);
  });
  app.ws("/ws", webSocket({ message: (socket, message) => void socket.send(message) }));
  return app.use(new StaticMiddleware({ root: services.files, prefix: "/static", precompressed: true }));
}

function addTexts(app: Framework): void {
  app.get("/pipeline", () => "ok");
  for (const path of ["/baseline11", "/baseline2"] as const)
    app.get(path, { query: numbers }, ({ input: { query } }) => String(query.a + query.b));
  app.post("/baseline11", { query: numbers }, async (ctx) => {
    const { a, b } = ctx.input.query;
    const added = Number(await ctx.bodyAsString());
    if (!Number.isSafeInteger(added)) throw new BadRequestError("the body is no whole number");
    return String(a + b + added);
  });
}

function addJson(app: Framework, dataset: readonly Item[]): void {
  const params = z.object({ count: integer.min(1).max(dataset.length) });
  const query = z.object({ m: integer.default(1) });
  app.group("/json", (json) => {
    json.use(new CompressionMiddleware());
    json.get("/{count}", { params, query }, (ctx) => {
      const { count } = ctx.input.params;
      const { m } = ctx.input.query;
      const items = dataset.slice(0, count).map((item) => ({ ...item, total: item.price * item.quantity * m }));
      return { items, count };
    });
  });
}

function addItems(app: Framework, items: Items): void {
  app.get("/async-db", { query: range }, async (ctx) => {
    const { min, max, limit } = ctx.input.query;
    const found = await items.pricedBetween(min, max, clamped(limit)).catch((error: unknown) => {
      ctx.log.error("the database did not answer", { error }); // HttpArena expects an empty list then
      return [];
    });
    return { items: found, count: found.length };
  });
  app.group("/crud/items", (crud) => {
    crud.get("/", { query: page }, async (ctx) => {
      const { category, page: number } = ctx.input.query;
      const limit = clamped(ctx.input.query.limit);
      const found = await items.inCategory(category, number, limit);
      return { items: found, total: found.length, page: number, limit };
    });
    crud.get("/{id}", ofItem, async (ctx) => {
      const found = await items.find(ctx.input.params.id);
      if (found === undefined) throw new NotFoundError(`there is no item ${ctx.params.id}`);
      return ctx
        .setHeader("X-Cache", found.isCached ? "HIT" : "MISS")
        .setHeader("Content-Type", "application/json")
        .text(found.json);
    });
    crud.post("/", { body: newItem }, async (ctx) => {
      await items.save(ctx.input.body);
      return ctx.status(201).json(ctx.input.body);
    });
    crud.put("/{id}", { ...ofItem, body: changes }, async (ctx) => {
      const { params, body } = ctx.input;
      if (!(await items.update(params.id, body))) throw new NotFoundError(`there is no item ${params.id}`);
      return { id: params.id, ...body };
    });
  });
}

const clamped = (limit: number): number => Math.min(Math.max(limit, 1), 50);
