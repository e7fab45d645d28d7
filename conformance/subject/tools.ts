/**
 * The routes of the subject that are tools for agents, and the path that serves them.
 *
 * Spec: spec/subject.md
 */
import { bytes, events, type Framework, type Group } from "framework";
import { principalOf } from "framework/auth";
import { McpMiddleware } from "framework/mcp";
import { z } from "zod";
import { bearer } from "./private.ts";

const Item = z.object({ id: z.string() });
const Named = z.object({ name: z.string().min(2) });
const Routed = z.object({ name: z.string().min(2).meta({ "x-mcp-header": "Name" }) });
const Tick = z.object({ n: z.number() });

/** Adds the tools of subject.md. */
export function addTools(app: Framework): void {
  app.use(new McpMiddleware({ path: "/mcp", info: { name: "subject", version: "1" } }));
  app.get("/tools/items/all", () => ({ id: "the route of all" }));
  app.delete("/tools/items", () => ({ id: "all are deleted" }));
  app.group("/tools", { tool: true }, addItems);
}

function addItems(group: Group): void {
  group
    .get("/items/{id}", { operationId: "get-item", responses: { 200: Item } }, ({ params }) => ({ id: params.id }))
    .query(
      "/items",
      { operationId: "search-items", body: z.object({ text: z.string() }), responses: { 200: z.array(Item) } },
      ({ input }) => [{ id: input.body.text }],
    )
    .put(
      "/items/{id}",
      { operationId: "put-item", body: Named, responses: { 200: Item.extend(Named.shape) } },
      ({ input, params }) => ({ id: params.id, name: input.body.name }),
    )
    .delete("/items/{id}", { operationId: "delete-item", responses: { 204: null } }, (ctx) => ctx.reply(204))
    .post("/items", { operationId: "post-item", body: Routed, responses: { 200: Named } }, ({ input }) => input.body)
    .get("/events", { operationId: "watch-items", responses: { 200: events({ tick: Tick }) } }, async function* () {
      for (const n of [1, 2]) yield { event: "tick", data: { n } };
    })
    .get("/picture", { operationId: "picture", responses: { 200: bytes("image/png") } }, () =>
      new TextEncoder().encode("png"),
    )
    .get("/large", { operationId: "large" }, () => "x".repeat(100_001))
    .get("/me", { operationId: "me", use: [bearer()] }, (ctx) => ({ id: principalOf(ctx)?.id }))
    .get("/hidden", { operationId: "hidden", tool: false }, () => "hidden");
}
