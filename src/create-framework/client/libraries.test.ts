/**
 * Round trip: an app with contracts from a library, its document, its client, and requests to the app by that client.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toJsonSchema } from "@valibot/to-json-schema";
import { Framework, type Schema, type SseEvent } from "framework";
import { openApi, type OpenApiOptions } from "framework/openapi";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import * as v from "valibot";
import { z } from "zod";
import { clientOf, compiled, eventsIn, loaded, withoutResponse } from "./harness.testkit.ts";

/** One shape in a library's syntax: an optional list, a choice, null, a union with a literal discriminator. */
interface Library {
  readonly body: Schema;
  readonly response: Schema;
  readonly options?: Partial<OpenApiOptions>;
}

const shapes = Type.Union([
  Type.Object({ kind: Type.Literal("circle"), radius: Type.Number() }),
  Type.Object({ kind: Type.Literal("square"), side: Type.Number() }),
]);
const libraries: Readonly<Record<string, Library>> = {
  Zod: {
    body: z.object({
      name: z.string().min(1),
      tags: z.array(z.string()).optional(),
      size: z.enum(["s", "m"]).default("s"),
    }),
    response: z.object({
      name: z.string(),
      size: z.enum(["s", "m"]),
      note: z.string().nullable(),
      shape: z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("circle"), radius: z.number() }),
        z.object({ kind: z.literal("square"), side: z.number() }),
      ]),
    }),
  },
  TypeBox: {
    body: Compile(
      Type.Object({
        name: Type.String({ minLength: 1 }),
        tags: Type.Optional(Type.Array(Type.String())),
        size: Type.Optional(Type.Enum(["s", "m"])),
      }),
    ),
    response: Compile(
      Type.Object({
        name: Type.String(),
        size: Type.Enum(["s", "m"]),
        note: Type.Union([Type.String(), Type.Null()]),
        shape: shapes,
      }),
    ),
  },
  Valibot: {
    body: v.object({
      name: v.pipe(v.string(), v.minLength(1)),
      tags: v.optional(v.array(v.string())),
      size: v.optional(v.picklist(["s", "m"]), "s"),
    }),
    response: v.object({
      name: v.string(),
      size: v.picklist(["s", "m"]),
      note: v.nullable(v.string()),
      shape: v.variant("kind", [
        v.object({ kind: v.literal("circle"), radius: v.number() }),
        v.object({ kind: v.literal("square"), side: v.number() }),
      ]),
    }),
    options: { jsonSchemaOf: (schema: v.GenericSchema, side) => toJsonSchema(schema, { typeMode: side }) },
  },
};

/** Uses every type of the client. The second half must not compile. */
const caller = `
import { createClient } from "./client.ts";
const client = createClient({ baseUrl: "http://test" });
const result = await client.draw({ body: { name: "a", tags: ["b"], size: "m" } });
if (result.ok) {
  const { name, size, note, shape } = result.body;
  export const all: [string, "s" | "m", string | null, number] = [name, size, note, shape.kind === "circle" ? shape.radius : shape.side];
} else if (result.status === 422) {
  export const where: string | undefined = result.problem.errors?.[0]?.message;
}
await client.draw({ body: { name: "a", size: "x" } });
await client.draw({ body: {} });
if (result.ok) result.body.gone;
`.replaceAll(/^ {2}export /gm, "  ");

describe("a client of an app with contracts of", () => {
  for (const [name, { body, response, options }] of Object.entries(libraries))
    it(`${name} has their types, and talks to the app`, async () => {
      const app = Framework.create({ responseChecks: "enforce" });
      app.query("/draw", { operationId: "draw", body, responses: { 200: response } }, (ctx) => {
        const given = ctx.input.body as { name: string; size?: string };
        return { name: given.name, size: given.size ?? "s", note: null, shape: { kind: "circle", radius: 1 } } as never;
      });
      const text = clientOf(
        JSON.parse(JSON.stringify(openApi(app, { info: { title: name, version: "1" }, ...options }))) as Record<
          string,
          unknown
        >,
      );
      const { errors } = await compiled({ "client.ts": text, "caller.ts": caller }, "--noUnusedLocals", "false");
      assert.deepEqual(
        errors.map((line) => /\((\d+),.*error (TS\d+)/.exec(line)?.slice(1).join(" ")),
        ["11 TS2322", "12 TS2741", "13 TS2339"],
        errors.join("\n"),
      );
      const { createClient } = await loaded(text);
      const client = createClient({ baseUrl: "http://test", fetch: (request: Request) => app.fetch(request) });
      const drawn = await client["draw"]?.({ body: { name: "a", size: "m" } });
      assert.deepEqual(withoutResponse(drawn), {
        ok: true,
        status: 200,
        body: { name: "a", size: "m", note: null, shape: { kind: "circle", radius: 1 } },
      });
      const rejected = await client["draw"]?.({ body: { name: "" } });
      const { errors: issues } = (rejected?.["problem"] ?? {}) as { errors: readonly { pointer: string }[] };
      assert.deepEqual(
        [rejected?.["ok"], rejected?.["status"], issues.map(({ pointer }) => pointer)],
        [false, 422, ["/name"]],
      );
    });
});

describe("a client of an app", () => {
  it("accepts responses of routes without a contract, a text, or another type of text", async () => {
    const ticks = async function* (): AsyncGenerator<SseEvent> {
      yield { event: "tick", data: '{"n":1}', id: "7" };
    };
    const app = Framework.create()
      .put("/nothing", { operationId: "nothing" }, (ctx) => ctx.status(204))
      .post("/made", { operationId: "made" }, (ctx) => ctx.status(201).json({ id: 1 }))
      .get("/moved", { operationId: "moved" }, (ctx) => ctx.redirect("/text"))
      .get("/events", { operationId: "events" }, (ctx) => ctx.sse(ticks()))
      .get("/text", { operationId: "text", responses: { 200: z.string() } }, () => "hi")
      .get("/reply", { operationId: "reply", responses: { 200: z.string() } }, (ctx) => ctx.reply(200, "hi"))
      .get("/csv", { operationId: "csv", responses: { 200: z.string() } }, (ctx) =>
        ctx.send(new TextEncoder().encode("a,b")).setHeader("Content-Type", "text/csv"),
      );
    const document = openApi(app, { info: { title: "Test", version: "1" } });
    const { createClient } = await loaded(clientOf(document));
    const client = createClient({ baseUrl: "http://test", fetch: (request: Request) => app.fetch(request) });
    const results: unknown[] = [];
    for (const name of ["nothing", "made", "moved", "text", "reply", "csv"]) {
      const { status, body, problem } = (await client[name]?.()) ?? {};
      results.push([name, status, body ?? problem]);
    }
    assert.deepEqual(results, [
      ["nothing", 204, undefined],
      ["made", 201, { id: 1 }],
      ["moved", 302, undefined],
      ["text", 200, "hi"],
      ["reply", 200, "hi"],
      ["csv", 200, "a,b"],
    ]);
    const events: object[] = [];
    for await (const event of eventsIn(await client["events"]?.())) events.push(event);
    assert.deepEqual(events, [{ event: "tick", data: '{"n":1}', id: "7" }]);
  });
});
