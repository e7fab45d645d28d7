/** Unit tests of the document and of what serves it (OPENAPI). */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { toJsonSchema } from "@valibot/to-json-schema";
import fc from "fast-check";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import * as v from "valibot";
import { parse } from "yaml";
import { z } from "zod";
import { contract, form, Framework } from "../index.ts";
import { openApi, OpenApiMiddleware, type OpenApiOptions } from "./index.ts";
import { yamlOf } from "./yaml.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const info = { title: "Shop", version: "1.0.0" };
const quiet = { error: () => undefined, warn: () => undefined };
const created = (): Framework => Framework.create({ logger: quiet, contextPath: "/shop" });

const Line = z.object({ sku: z.string(), quantity: z.int().min(1).default(1) }).meta({ id: "Line" });
const Order = z.object({ id: z.number(), lines: z.array(Line) }).meta({ id: "Order" });
const addLine = contract({
  operationId: "addLine",
  summary: "Adds a line to an order",
  tags: ["orders"],
  params: z.object({ id: z.coerce.number<string>().describe("Of the order") }),
  query: z.object({ notify: z.enum(["yes", "no"]).optional() }),
  headers: z.object({ "idempotency-key": z.string() }),
  cookies: z.object({ session: z.string().optional() }),
  body: Line,
  responses: { 201: Order, 204: null },
  example: { body: { sku: "lamp" } },
});

interface Shown {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
  readonly [name: string]: unknown;
}
const shown = (app: Framework, options: Partial<OpenApiOptions> = {}): Shown =>
  openApi(app, { info, ...options }) as unknown as Shown;

describe("openApi", () => {
  const app = created()
    .post("/orders/{id}/lines", addLine, (ctx) => ctx.reply(204))
    .query("/orders", { body: z.object({ text: z.string() }) }, () => [])
    .get("/files/*path", () => "");

  test("OPENAPI-001 OPENAPI-002: has an operation for each route, with its parameters and its body", () => {
    const operation = shown(app).paths["/shop/orders/{id}/lines"]?.["post"];
    assert.deepEqual(
      [operation?.["operationId"], operation?.["summary"], operation?.["tags"]],
      ["addLine", "Adds a line to an order", ["orders"]],
    );
    const parameters = operation?.["parameters"] as {
      name: string;
      in: string;
      required: boolean;
      description?: string;
    }[];
    assert.deepEqual(
      parameters.map((one) => `${one.in} ${one.name} ${one.required} ${one.description ?? ""}`.trim()),
      ["path id true Of the order", "query notify false", "header idempotency-key true", "cookie session false"],
    );
    assert.deepEqual(operation?.["requestBody"], {
      required: true,
      content: {
        "application/json": { schema: { $ref: "#/components/schemas/Line" }, example: { sku: "lamp" } },
      },
    });
  });

  test("OPENAPI-003: has every declared response, and the problems that can happen", () => {
    const operation = shown(app).paths["/shop/orders/{id}/lines"]?.["post"];
    const responses = operation?.["responses"] as Readonly<Record<string, { content?: object; description: string }>>;
    assert.deepEqual(
      Object.entries(responses).map(([status, one]) => [status, Object.keys(one.content ?? {}).join()]),
      [
        ["201", "application/json"],
        ["204", ""],
        ["400", "application/problem+json"],
        ["413", "application/problem+json"],
        ["415", "application/problem+json"],
        ["422", "application/problem+json"],
        ["default", "application/problem+json"],
      ],
    );
    assert.deepEqual(Object.keys((shown(app).paths["/shop/files/{path}"]?.["get"]?.["responses"] ?? {}) as object), [
      "200",
      "4XX",
      "default",
    ]);
  });

  test("OPENAPI-004: named schemas are components, once; where the two sides differ, each has a name", () => {
    const { schemas } = shown(app).components;
    assert.deepEqual(Object.keys(schemas), ["Line", "LineOutput", "Order", "Problem", "ProblemIssue"]);
    assert.deepEqual(
      [schemas["Line"]?.["required"], schemas["LineOutput"]?.["required"]],
      [["sku"], ["sku", "quantity"]],
    );
    const properties = schemas["Order"]?.["properties"] as { lines: { items: unknown } } | undefined;
    assert.deepEqual(properties?.lines.items, { $ref: "#/components/schemas/LineOutput" });
  });

  test("OPENAPI-005: QUERY is an operation of 3.2, and stands under x-query in 3.1, which says so", () => {
    const item = (version: "3.1" | "3.2"): readonly string[] =>
      Object.keys(shown(app, { version }).paths["/shop/orders"] ?? {});
    assert.deepEqual([item("3.2"), item("3.1")], [["query"], ["x-query"]]);
    assert.deepEqual([shown(app)["openapi"], shown(app, { version: "3.1" })["openapi"]], ["3.2.0", "3.1.1"]);
    assert.match((shown(app, { version: "3.1" })["info"] as { description: string }).description, /x-query/);
    assert.deepEqual(shown(app)["info"], info);
  });

  test("OPENAPI-006: an operation without an id gets one from method and path, and no two have the same", () => {
    const many = created()
      .get("/a-b/{id}", () => "")
      .get("/a/b/{id}", () => "")
      .get("/ab/{id}", { operationId: "getShopABById" }, () => "");
    const ids = Object.values(shown(many).paths).map((item) => item["get"]?.["operationId"]);
    assert.deepEqual(ids.toSorted(), ["getShopABById", "getShopABById2", "getShopABById3"]);
  });

  test("OPENAPI-007: what a group shares is part of each operation", () => {
    const grouped = created().group(
      "/admin",
      { tags: ["admin"], security: [{ session: [] }], headers: z.object({ "x-tenant": z.string() }) },
      (api) => api.get("/a", { tags: ["a"] }, () => "").get("/b", { security: [] }, () => ""),
    );
    const { paths } = shown(grouped, { securitySchemes: { session: { type: "apiKey", in: "cookie", name: "s" } } });
    const a = paths["/shop/admin/a"]?.["get"];
    assert.deepEqual([a?.["tags"], a?.["security"]], [["admin", "a"], [{ session: [] }]]);
    assert.deepEqual(
      ((a?.["parameters"] ?? []) as { name: string }[]).map((one) => one.name),
      ["x-tenant"],
    );
    assert.deepEqual(paths["/shop/admin/b"]?.["get"]?.["security"], []);
  });

  test("OPENAPI-008: takes schemas of every library that has JSON Schemas, and of others by a converter", () => {
    const Typed = Type.Object({ sku: Type.String() }, { $id: "Typed" });
    const app = Framework.create({ compileSchema: Compile })
      .post("/typebox", { body: Typed }, () => "")
      .post("/compiled", { body: Compile(Typed) }, () => "")
      .post("/form", { body: form(Typed) }, () => "")
      .post("/valibot", { body: v.object({ sku: v.string() }) }, () => "");
    const jsonSchemaOf = (schema: object): object | undefined =>
      "kind" in schema ? toJsonSchema(schema as never) : undefined;
    const { paths, components } = shown(app, { jsonSchemaOf });
    const content = (path: string): unknown =>
      (paths[path]?.["post"]?.["requestBody"] as { content: unknown } | undefined)?.content;
    const schema = { $ref: "#/components/schemas/Typed" };
    assert.deepEqual(content("/typebox"), { "application/json": { schema } });
    assert.deepEqual(content("/compiled"), { "application/json": { schema } });
    assert.deepEqual(content("/form"), { "application/x-www-form-urlencoded": { schema } });
    assert.deepEqual(components.schemas["Typed"]?.["required"], ["sku"]);
    const converted = content("/valibot") as Record<string, { schema: { required: unknown } }>;
    assert.deepEqual(converted["application/json"]?.schema.required, ["sku"]);
  });

  const rejected: Readonly<Record<string, readonly [string, () => unknown]>> = {
    "a schema without JSON Schema": [
      "POST /shop/a: its body has no JSON Schema: take a library that has them (Zod 4.2, ArkType 2.1.28, TypeBox), or hand its converter over as jsonSchemaOf",
      () => shown(created().post("/a", { body: (value: unknown) => value }, () => "")),
    ],
    "a type without a JSON form": [
      "POST /shop/a: its body has no JSON Schema: take a library that has them (Zod 4.2, ArkType 2.1.28, TypeBox), or hand its converter over as jsonSchemaOf",
      () => shown(created().post("/a", { body: z.object({ at: z.date() }) }, () => "")),
    ],
    "a security scheme that is not declared": [
      'GET /shop/a: its security names "token", which is none of securitySchemes',
      () => shown(created().get("/a", { security: [{ token: [] }] }, () => "")),
    ],
    "a security scheme that the document itself names and nothing declares": [
      'the document: its security names "token", which is none of securitySchemes',
      () => shown(created(), { security: [{ token: [] }] }),
    ],
    "a security scheme of no type": [
      'the security scheme "token" has no type that is allowed: http, apiKey, mutualTLS, oauth2, openIdConnect',
      () => shown(created(), { securitySchemes: { token: { type: "bearer" } as never } }),
    ],
    "a security scheme that lacks what its type needs": [
      'the security scheme "session" has no name that is allowed: apiKey needs in, name',
      () => shown(created(), { securitySchemes: { session: { type: "apiKey", in: "cookie" } as never } }),
    ],
    "parameters without names": [
      "GET /shop/a: its query has a JSON Schema without properties: parameters need names",
      () =>
        shown(
          created().get("/a", { query: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]) }, () => ""),
        ),
    ],
  };
  for (const [what, [message, make]] of Object.entries(rejected))
    test(`OPENAPI-009: rejects ${what} with a sentence that names the route and the part`, () => {
      assert.throws(make, { name: "TypeError", code: "CONTRACT_INVALID", message });
    });

  test("OPENAPI-010: what it makes is a valid document, by Redocly's recommended-strict rules", async () => {
    const folder = await mkdtemp(join(tmpdir(), "openapi-"));
    try {
      const license = { name: "MIT", identifier: "MIT" };
      const servers = [{ url: "https://shop.example" }];
      const documented = created().post("/orders/{id}/lines", { ...addLine, security: [] }, (ctx) => ctx.reply(204));
      for (const version of ["3.1", "3.2"] as const) {
        const file = join(folder, `${version}.json`);
        await writeFile(file, JSON.stringify(openApi(documented, { info: { ...info, license }, servers, version })));
        const redocly = join(root, "node_modules", ".bin", "redocly");
        const config = join(folder, "redocly.yaml");
        await writeFile(config, "extends: [recommended-strict]\ntelemetry: off\n");
        await promisify(execFile)(redocly, ["lint", `--config=${config}`, file]);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe("openApi of an app with an error format of its own", () => {
  const errorBody = z.object({ errors: z.array(z.string()) }).meta({ id: "Errors" });
  const app = created().post("/lines", { body: Line, responses: { 201: Order } }, (ctx) =>
    ctx.reply(201, { id: 1, lines: [] }),
  );
  app.get("/ping", () => "");

  test("OPENAPI-016: has the errorBody wherever a problem would stand, and no problem", () => {
    const { paths, components } = shown(app, { errorBody });
    const json = { content: { "application/json": { schema: { $ref: "#/components/schemas/Errors" } } } };
    const responses = (path: string, method: string): unknown => paths[path]?.[method]?.["responses"];
    const order = { "application/json": { schema: { $ref: "#/components/schemas/Order" } } };
    assert.deepEqual(responses("/shop/lines", "post"), {
      201: { description: "Created", content: order },
      400: { description: "Bad Request", ...json },
      413: { description: "Content Too Large", ...json },
      415: { description: "Unsupported Media Type", ...json },
      422: { description: "Unprocessable Content", ...json },
      default: { description: "Any other problem", ...json },
    });
    assert.deepEqual(responses("/shop/ping", "get"), {
      200: { description: "What the handler returns" },
      "4XX": { description: "Any other problem of the request", ...json },
      default: { description: "Any other problem", ...json },
    });
    assert.deepEqual(Object.keys(components.schemas), ["Errors", "Line", "LineOutput", "Order"]);
  });

  test("OPENAPI-009: rejects an errorBody without JSON Schema", () => {
    assert.throws(() => shown(app, { errorBody: (value: unknown) => value }), {
      code: "CONTRACT_INVALID",
      message: /^the errorBody of the document has no JSON Schema: /,
    });
  });
});

describe("OpenApiMiddleware", () => {
  const app = created()
    .use(new OpenApiMiddleware({ info }))
    .get("/a", () => "");
  const get = async (headers: Record<string, string> = {}, method = "GET"): Promise<Response> =>
    app.fetch(new Request("http://x/shop/openapi.json", { headers, method }));

  test("OPENAPI-011: serves the document as JSON, or as YAML for those who ask for it first", async () => {
    const json = await get();
    assert.deepEqual([json.status, json.headers.get("content-type")], [200, "application/openapi+json"]);
    const document = await json.json();
    assert.deepEqual(document, openApi(app, { info }));
    for (const accept of ["application/yaml", "application/openapi+yaml", "text/yaml, application/json"]) {
      const yaml = await get({ accept });
      assert.equal(yaml.headers.get("content-type"), "application/openapi+yaml");
      assert.deepEqual(parse(await yaml.text()), document);
    }
    assert.equal(
      (await get({ accept: "application/json, application/yaml" })).headers.get("content-type"),
      "application/openapi+json",
    );
    assert.equal(json.headers.get("vary"), "Accept");
  });

  test("OPENAPI-012: has an ETag for each form, and responds 304 to the one that is known", async () => {
    const tags = [
      (await get()).headers.get("etag") ?? "",
      (await get({ accept: "application/yaml" })).headers.get("etag") ?? "",
    ];
    assert.equal(new Set(tags).size, 2);
    for (const known of [tags[0] ?? "", `W/${tags[0]}`, `"x", ${tags[0]}`, "*"]) {
      const again = await get({ "if-none-match": known });
      assert.deepEqual([again.status, await again.text(), again.headers.get("etag")], [304, "", tags[0]]);
    }
    assert.equal((await get({ "if-none-match": tags[1] ?? "" })).status, 200);
    const head = await get({}, "HEAD");
    assert.deepEqual([head.status, await head.text()], [200, ""]);
  });

  test("OPENAPI-013: a schema without JSON Schema fails the start, not a request", async () => {
    const bad = created()
      .use(new OpenApiMiddleware({ info }))
      .post("/a", { body: (value: unknown) => value }, () => "");
    await assert.rejects(bad.start(0), { code: "CONTRACT_INVALID" });
    const unknown = created()
      .use(new OpenApiMiddleware({ info, securitySchemes: { session: { type: "mutualTLS" } } }))
      .get("/a", { security: [{ token: [] }] }, () => "");
    await assert.rejects(unknown.start(0), {
      code: "CONTRACT_INVALID",
      message: 'GET /shop/a: its security names "token", which is none of securitySchemes',
    });
  });

  test("OPENAPI-014: rejects a path that is a pattern, and leaves other paths and methods alone", async () => {
    assert.throws(() => new OpenApiMiddleware({ info, path: "/{a}" }), { code: "MIDDLEWARE_INVALID" });
    assert.equal((await app.fetch(new Request("http://x/shop/a"))).status, 200);
    assert.equal((await get({}, "POST")).status, 404);
  });
});

describe("yamlOf", () => {
  test("OPENAPI-015: reads back as what it was, whatever JSON it was", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) =>
        assert.deepEqual(parse(yamlOf(value)), JSON.parse(JSON.stringify(value))),
      ),
    );
    const odd = {
      "": "",
      " a": "a ",
      yes: "no",
      "1": "2",
      "-": "- a",
      "a: b": "# c",
      nul: "\u0000",
      lines: "a\nb",
      e: [],
      o: {},
      n: null,
      f: 1e21,
      d: "2026-11-24",
      deep: [[{ a: [] }]],
    };
    assert.deepEqual(parse(yamlOf(odd)), odd);
  });
});
