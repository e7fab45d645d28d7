/** Contracts of routes as tools get them: the schemas of every part, the ones that cannot be given, and the documents (DEV). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { z } from "zod";
import { form, Framework, type RouteContract, type RouteOptions } from "../index.ts";
import { OpenApiMiddleware } from "../openapi/index.ts";
import { multipartForm } from "../multipart/index.ts";

const contractOf = (app: Framework): RouteContract | undefined => app.routes()[0]?.contract;
const listed = (options: RouteOptions): RouteContract | undefined =>
  contractOf(Framework.create().post("/orders/{id}", options, (ctx) => ctx.text("")));

/** A Standard Schema with the JSON Schema of that function. */
const telling = (tell: () => object): RouteOptions["body"] =>
  ({
    "~standard": { version: 1, vendor: "x", validate: (value: unknown) => ({ value }), jsonSchema: { input: tell } },
  }) as never;

describe("a route's contract", () => {
  it("DEV-070: has the schema of each part: the input of a request, and the output of a response", () => {
    const contract = listed({
      params: z.object({ id: z.string() }),
      headers: Type.Object({ "x-tenant": Type.String({ minLength: 2 }) }),
      cookies: Compile(Type.Object({ session: Type.Optional(Type.String()) })),
      body: form(z.object({ price: z.codec(z.string(), z.number(), { decode: Number, encode: String }) })),
      responses: { 200: z.object({ total: z.number().default(1) }), 204: null, 409: () => true },
    });
    const { params, headers, cookies, body, responses } = contract ?? {};
    assert.deepEqual(
      [params?.schema?.["required"], headers?.schema, cookies?.schema?.["properties"]],
      [
        ["id"],
        { type: "object", required: ["x-tenant"], properties: { "x-tenant": { type: "string", minLength: 2 } } },
        { session: { type: "string" } },
      ],
    );
    assert.deepEqual([body?.kind, body?.schema?.["properties"]], ["form", { price: { type: "string" } }]);
    assert.deepEqual(
      [responses?.["200"]?.schema?.["required"], responses?.["204"], responses?.["409"]],
      [["total"], null, { schema: null }],
    );
    assert.deepEqual(Object.keys(contract ?? {}).toSorted(), ["body", "cookies", "headers", "params", "responses"]);
  });

  it("DEV-085: is absent when the route and its groups declare nothing", () => {
    assert.equal(listed({ example: { path: { id: 1 } } }), undefined);
  });

  it("DEV-070: has the parts that groups share, with their references intact", () => {
    const kept = { $ref: { type: "string" }, color: { pattern: "#", default: null }, far: { $ref: "https://x/y#/z" } };
    const nodeAt = (place: string) => ({
      $defs: { Tag: { type: "string" } },
      properties: { a: { $ref: `${place}/$defs/Tag` }, b: { anyOf: [{ $ref: place }] }, ...kept },
    });
    const Node = nodeAt("#");
    const app = Framework.create({ compileSchema: () => () => true });
    app.group("/g", { query: Node, responses: { 401: z.string() } }, (group) =>
      group.group("/h", { query: () => true }, (inner) =>
        inner.get("/", { query: Node, responses: { 200: z.string() } }, (ctx) => ctx.text("")),
      ),
    );
    const { query, responses } = contractOf(app) ?? {};
    assert.deepEqual(query, { schema: { allOf: [nodeAt("#/allOf/0"), nodeAt("#/allOf/1")] } });
    assert.deepEqual(Object.keys(responses ?? {}), ["200", "401"]);
  });

  const circle: Record<string, unknown> = { type: "object" };
  circle["self"] = circle;
  const wide = (n: number): object => ({ enum: Array.from({ length: n }, (_, at) => at) });
  /** A schema that expands to 2^`n` values, made of n objects. */
  const doubled = (n: number): object => (n === 0 ? {} : ((inner) => ({ anyOf: [inner, inner] }))(doubled(n - 1)));
  const untold: Readonly<Record<string, RouteOptions["body"]>> = {
    "a function": () => true,
    "a Standard Schema without JSON Schema": {
      "~standard": { version: 1, vendor: "x", validate: (value: unknown) => ({ value }) },
    } as never,
    "one whose library throws": telling(() => {
      throw new Error("no JSON form");
    }),
    "a circle": telling(() => circle),
    "one with a number that JSON lacks": telling(() => ({ minimum: 1n })),
    "one whose members throw": telling(() => ({
      get type() {
        throw new Error("no");
      },
    })),
    "one of more than 5,000 values": telling(() => wide(5_000)),
    "one that grows during serialization": telling(() => doubled(40)),
  };
  for (const [what, body] of Object.entries(untold))
    it(`has null for ${what}`, () =>
      assert.deepEqual(listed({ body, summary: "s" }), { summary: "s", body: { kind: "json", schema: null } }));

  it("DEV-070: has a schema that accepts anything for members without a JSON form", () => {
    const { body, responses } =
      listed({ body: z.object({ id: z.string(), at: z.date() }), responses: { 200: z.object({ at: z.date() }) } }) ??
      {};
    assert.deepEqual(
      [body?.schema?.["properties"], responses?.["200"]?.schema?.["properties"]],
      [{ id: { type: "string" }, at: {} }, { at: { type: "string", format: "date-time" } }],
    );
  });

  it("DEV-070: combines closed schemas of a group and its route into one that accepts both", () => {
    const app = Framework.create();
    app.group("/g", { query: z.strictObject({ a: z.string() }) }, (group) =>
      group.get("/", { query: z.strictObject({ b: z.string() }) }, () => ""),
    );
    const { allOf } = contractOf(app)?.query?.schema ?? {};
    assert.deepEqual(
      (allOf as readonly object[]).map((one) => "additionalProperties" in one),
      [false, false],
    );
  });

  it("DEV-070: is converted by the app's converter, also when the routes were listed before it was known", () => {
    const app = Framework.create().post("/", { body: v.object({ a: v.string() }) }, () => "");
    const before = contractOf(app)?.body?.schema;
    const jsonSchemaOf = (schema: never): object => toJsonSchema(schema);
    app.use(new OpenApiMiddleware({ info: { title: "t", version: "1" }, jsonSchemaOf }));
    assert.deepEqual([before, contractOf(app)?.body?.schema?.["required"]], [null, ["a"]]);
  });

  it("has a schema of 5,000 values", () => {
    assert.deepEqual(listed({ body: telling(() => wide(4_998)) })?.body?.schema, wide(4_998));
  });

  it("lists the fields of a form, and its files", () => {
    const files = { picture: { maxBytes: 9, types: ["image/png"] }, more: { maxBytes: 9, max: 2, optional: true } };
    const { body } = listed({ body: multipartForm({ fields: z.object({ alt: z.string() }), files }) }) ?? {};
    const bytes = { type: "string", contentMediaType: "application/octet-stream" };
    assert.deepEqual([body?.kind, body?.schema?.["properties"]], ["multipart", { alt: { type: "string" } }]);
    assert.deepEqual(body?.files, {
      picture: { schema: { type: "string", contentMediaType: "image/png" }, isRequired: true },
      more: { schema: { type: "array", items: bytes, maxItems: 2 }, isRequired: false },
    });
  });

  it("asks a schema once, however often the routes are listed", () => {
    let asked = 0;
    const body = telling(() => ({ title: String((asked += 1)) }));
    const app = Framework.create().post("/", { body }, () => "");
    asked = 0;
    assert.deepEqual(contractOf(app), contractOf(app));
    assert.equal(asked, 1);
  });

  it("has the route's documentation, its own text before that of its groups", () => {
    const app = Framework.create();
    app.group("/g", { tags: ["a"], deprecated: true, security: [{ key: [] }] }, (group) =>
      group.get(
        "/",
        { operationId: "one", summary: "s", description: "d", tags: ["b"], security: [], meta: { role: "admin" } },
        () => "",
      ),
    );
    assert.deepEqual(contractOf(app), {
      operationId: "one",
      summary: "s",
      description: "d",
      tags: ["a", "b"],
      deprecated: true,
      security: [],
    });
  });
});
