/**
 * What an editor knows in the snippets of README.md, and in the same lines of Fastify, Hono and Elysia. Compiled, never run.
 *
 *   path, schema, token ──▶ a snippet ──▶ expectTypeOf at the place that is typed by it, of ours and of each peer that has it
 *
 * That the snippets run is proven by scripts/docs.test.ts. A peer without the feature is absent. A peer that has the
 * feature and no type for it has a line with `unknown`.
 */
import { Elysia } from "elysia";
import { expectTypeOf } from "expect-type";
import { fastify, type FastifyReply, type FastifyTypeProvider } from "fastify";
import { type Context, Beans, Framework, Interface, RequestIdMiddleware, type Responded } from "framework";
import { Hono } from "hono";
import { requestId } from "hono/request-id";
import { validator } from "hono/validator";
import { z } from "zod";

/** Fastify's documented way to types from schemas: a provider, here of Zod. */
interface ZodProvider extends FastifyTypeProvider {
  readonly validator: this["schema"] extends z.ZodType ? z.output<this["schema"]> : unknown;
  readonly serializer: this["schema"] extends z.ZodType ? z.input<this["schema"]> : unknown;
}

interface Order {
  readonly id: number;
  readonly total: string;
}
interface OrderRepository {
  find(id: number): Promise<Order>;
}
const OrderRepository = Interface<OrderRepository>("OrderRepository");
interface OrderController {
  show(ctx: Context<"id">): Promise<unknown>;
}
const OrderController = Interface<OrderController>("OrderController");
const repository: OrderRepository = { find: async (id) => ({ id, total: "12.50" }) };
class OutOfStock extends Error {
  readonly left: number = 0;
}
const Search = z.object({ text: z.string().min(1) });
const Found = z.object({ found: z.number() });

const app = Framework.create();
const peers = {
  fastify: fastify(),
  typed: fastify().withTypeProvider<ZodProvider>(),
  hono: new Hono(),
  elysia: new Elysia(),
};

// 1. The parameters of a path: `/hello/{name}`.
app.get("/hello/{name}", (ctx) => {
  expectTypeOf(ctx.params).toEqualTypeOf<Readonly<Record<"name", string>>>();
  // @ts-expect-error -- the pattern has no such parameter
  return ctx.params.nam;
});
peers.fastify.get("/hello/:name", (request) => expectTypeOf(request.params).toEqualTypeOf<unknown>());
peers.hono.get("/hello/:name", (c) => {
  expectTypeOf(c.req.param("name")).toEqualTypeOf<string>();
  // @ts-expect-error -- the pattern has no such parameter
  return c.text(c.req.param("nam"));
});
peers.elysia.get("/hello/:name", ({ params }) => {
  expectTypeOf(params).toEqualTypeOf<{ name: string }>();
  // @ts-expect-error -- the pattern has no such parameter
  return params.nam;
});

// 2. A bean by its token: `b.get(OrderRepository)`.
Beans.builder()
  .bind(OrderRepository, () => repository)
  .bind(OrderController, (b) => {
    expectTypeOf(b.get(OrderRepository)).toEqualTypeOf<OrderRepository>();
    return { show: (ctx) => b.get(OrderRepository).find(ctx.pathParamAsInt("id")) };
  });
expectTypeOf(peers.fastify.decorate("orders", repository).getDecorator("orders")).toEqualTypeOf<unknown>();
peers.elysia
  .decorate("orders", repository)
  .get("/orders", ({ orders }) => expectTypeOf(orders).toEqualTypeOf<OrderRepository>());

// 3. What the methods of a bean are given: `find: async (id) => …`, `show: (ctx) => …`.
Beans.builder()
  .bind(OrderRepository, () => ({
    find: async (id) => {
      expectTypeOf(id).toEqualTypeOf<number>();
      return { id, total: "12.50" };
    },
  }))
  .bind(OrderController, () => ({
    show: async (ctx) => {
      expectTypeOf(ctx.pathParam).parameter(0).toEqualTypeOf<"id">();
    },
  }));

// 4. A method of a bean as the handler: `[OrderController, "show"]`.
expectTypeOf(app.get("/orders/{id}", [OrderController, "show"])).toEqualTypeOf<typeof app>();
// @ts-expect-error -- the bean has no such method
app.get("/orders/{id}", [OrderController, "shwo"]);

// 5. What a middleware leaves behind: the request id.
app.use(new RequestIdMiddleware()).get("/id", (ctx) => {
  expectTypeOf(ctx.attribute("requestId")).toEqualTypeOf<string | undefined>();
});
peers.fastify.get("/id", (request) => expectTypeOf(request.id).toEqualTypeOf<string>());
peers.hono.use(requestId()).get("/id", (c) => {
  expectTypeOf(c.get("requestId")).toEqualTypeOf<string>();
  return c.body(null);
});

// 6. A header, and the response after it: `ctx.setHeader(…).text(…)`.
app.get("/metrics", (ctx) => {
  expectTypeOf(ctx.setHeader("X-A", 1)).toEqualTypeOf(ctx);
  expectTypeOf(ctx.setHeader("X-A", 1).text("a")).toEqualTypeOf(ctx);
});
peers.fastify.get("/metrics", (_, reply) =>
  expectTypeOf(reply.header("X-A", 1).send("a")).toEqualTypeOf<FastifyReply>(),
);
peers.hono.get("/metrics", (c) => {
  expectTypeOf(c.header("X-A", "1")).toEqualTypeOf<void>();
  return c.text("a");
});

// 7. A body by its schema: `{ body: Search }`, by QUERY.
app.query("/search", { body: Search }, (ctx) => {
  expectTypeOf(ctx.input.body).toEqualTypeOf<{ text: string }>();
});
peers.typed.post("/search", { schema: { body: Search } }, (request) =>
  expectTypeOf(request.body).toEqualTypeOf<{ text: string }>(),
);
peers.hono.on(
  "QUERY",
  "/search",
  validator("json", (value) => Search.parse(value)),
  (c) => {
    expectTypeOf(c.req.valid("json")).toEqualTypeOf<{ text: string }>();
    return c.body(null);
  },
);
peers.elysia.route("QUERY", "/search", ({ body }) => expectTypeOf(body).toEqualTypeOf<{ text: string }>(), {
  body: Search,
});

// 8. A response by its contract: a route says what it takes and gives.
app.query("/search", { body: Search, responses: { 200: Found } }, (ctx) => {
  expectTypeOf(ctx.reply).parameter(0).toEqualTypeOf<200>();
  expectTypeOf(ctx.reply(200, { found: 1 })).toEqualTypeOf<Responded>();
  // @ts-expect-error -- the contract says a number
  return ctx.reply(200, { found: "one" });
});
peers.typed.post("/found", { schema: { response: { 200: Found } } }, (_, reply) => {
  expectTypeOf(reply.code(200).send).parameters.toEqualTypeOf<[payload: { found: number }]>();
});
peers.elysia.post(
  "/found",
  ({ status }) => {
    expectTypeOf(status(200, { found: 1 }).response).toEqualTypeOf<{ found: number }>();
    // @ts-expect-error -- the schema says a number
    return status(200, { found: "one" });
  },
  { response: { 200: Found } },
);

// 9. An error by its class: `app.onError`.
app.onError(OutOfStock, (error, ctx) => {
  expectTypeOf(error).toEqualTypeOf<OutOfStock>();
  return ctx.status(409);
});
peers.fastify.setErrorHandler((error) => expectTypeOf(error).toEqualTypeOf<unknown>());
peers.hono.onError((error, c) => {
  expectTypeOf(error).toExtend<Error>();
  return c.text("");
});
peers.elysia.error({ OUT: OutOfStock }).onError(({ code, error }) => {
  if (code === "OUT") expectTypeOf(error).toEqualTypeOf<Readonly<OutOfStock>>();
});

// 10. The app without a socket: `app.fetch(request)`.
expectTypeOf(app.fetch).returns.toEqualTypeOf<Response | Promise<Response>>();
expectTypeOf(peers.hono.fetch).returns.toEqualTypeOf<Response | Promise<Response>>();
expectTypeOf(peers.elysia.handle).returns.toEqualTypeOf<Promise<Response>>();
