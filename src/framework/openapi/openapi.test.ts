/** Unit tests of the document and of the middleware that serves it (OPENAPI). */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { toJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import fc from "fast-check";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import * as v from "valibot";
import { parse } from "yaml";
import { z } from "zod";
import {
  bytes,
  contract,
  type DeclaredRoute,
  empty,
  events,
  form,
  Framework,
  type JsonSchema,
  redirect,
  stream,
  text,
} from "../index.ts";
import { multipartForm } from "../multipart/index.ts";
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

/** A route as an app declares it. */
const route = (method: string, path: string, ...contracts: DeclaredRoute["contracts"]): DeclaredRoute => ({
  method,
  path,
  pathParams: [...path.matchAll(/[{*]([^/}]+)/g)].map(([, name = ""]) => name),
  contracts,
  accept: undefined,
  example: undefined,
});

describe("openApi", () => {
  const app = created()
    .post("/orders/{id}/lines", addLine, (ctx) => ctx.reply(204))
    .query("/orders", { body: z.object({ text: z.string() }) }, () => [])
    .get("/files/*path", () => "");

  test("has an operation for each route, with its parameters and its body", () => {
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
      content: { "application/json": { schema: { $ref: "#/components/schemas/Line" }, example: { sku: "lamp" } } },
    });
  });

  test("has every declared response, and the problems that can occur", () => {
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
  });

  test("a route without a declared success may respond with any, and its content has no schema", () => {
    const responses = shown(app).paths["/shop/files/{path}"]?.["get"]?.["responses"] as Record<string, object>;
    assert.deepEqual(Object.keys(responses), ["2XX", "3XX", "4XX", "default"]);
    assert.deepEqual(
      [responses["2XX"], responses["3XX"]],
      [{ description: "What the handler returns" }, { description: "Where the handler redirects to" }],
    );
  });

  test("named schemas are components, once, with two names when the two sides differ", () => {
    const { schemas } = shown(app).components;
    assert.deepEqual(Object.keys(schemas), ["Line", "LineOutput", "Order", "Problem", "ProblemIssue"]);
    assert.deepEqual(
      [schemas["Line"]?.["required"], schemas["LineOutput"]?.["required"]],
      [["sku"], ["sku", "quantity"]],
    );
    const properties = schemas["Order"]?.["properties"] as { lines: { items: unknown } } | undefined;
    assert.deepEqual(properties?.lines.items, { $ref: "#/components/schemas/LineOutput" });
  });

  test("QUERY is an operation of 3.2, and is under x-query in 3.1, with a note", () => {
    const item = (version: "3.1" | "3.2"): readonly string[] =>
      Object.keys(shown(app, { version }).paths["/shop/orders"] ?? {});
    assert.deepEqual([item("3.2"), item("3.1")], [["query"], ["x-query"]]);
    assert.deepEqual([shown(app)["openapi"], shown(app, { version: "3.1" })["openapi"]], ["3.2.0", "3.1.1"]);
    assert.match((shown(app, { version: "3.1" })["info"] as { description: string }).description, /x-query/);
    assert.deepEqual(shown(app)["info"], info);
  });

  test("an operation without an id gets one from method and path, and all are different", () => {
    const many = created()
      .get("/a-b/{id}", () => "")
      .get("/a/b/{id}", () => "")
      .get("/ab/{id}", { operationId: "getShopABById" }, () => "");
    const ids = Object.values(shown(many).paths).map((item) => item["get"]?.["operationId"]);
    assert.deepEqual(ids.toSorted(), ["getShopABById", "getShopABById2", "getShopABById3"]);
  });

  test("the shared parts of a group are part of each operation", () => {
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

  test("accepts schemas of every library that has JSON Schemas, and of others with a converter", () => {
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
    "a Date in a body": [
      'POST /shop/a: its body has no JSON Schema at "lines[].at", where it is a date: write z.iso.datetime(), or z.coerce.date() for a Date',
      () => shown(created().post("/a", { body: z.object({ lines: z.array(z.object({ at: z.date() })) }) }, () => "")),
    ],
    "a Date in a query": [
      'GET /shop/a: its query has no JSON Schema at "since", where it is a date: write z.iso.datetime(), or z.coerce.date() for a Date',
      () => shown(created().get("/a", { query: z.object({ since: z.date() }) }, () => "")),
    ],
    "a Date of ArkType in a query": [
      "GET /shop/a: its query has no JSON Schema, where it is a date: write z.iso.datetime(), or z.coerce.date() for a Date",
      () => shown(created().get("/a", { query: type({ since: "Date" }) }, () => "")),
    ],
    "a transform in a response that does not say what comes out": [
      'GET /shop/a: its response 200 has no JSON Schema at "n", where it is a transform: write .pipe() and what comes out of it',
      () =>
        shown(created().get("/a", { responses: { 200: z.object({ n: z.string().transform(Number) }) } }, (ctx) => ctx)),
    ],
    "a Set in a JSON body": [
      'POST /shop/a: its body has no JSON Schema at "ids", where it is a set: write z.array()',
      () => shown(created().post("/a", { body: z.object({ ids: z.set(z.string()) }) }, () => "")),
    ],
    "a custom check": [
      'POST /shop/a: its body has no JSON Schema at "a", where it is a custom: write a type that JSON has, or jsonSchemaOf',
      () => shown(created().post("/a", { body: z.object({ a: z.custom() }) }, () => "")),
    ],
    "a schema for which a converter throws": [
      'POST /shop/a: its body has no JSON Schema at "at": The "date" schema cannot be converted to JSON Schema.',
      () =>
        shown(
          created().post("/a", { body: v.object({ at: v.date() }) }, () => ""),
          { jsonSchemaOf: (schema: v.GenericSchema) => toJsonSchema(schema) },
        ),
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
    ...Object.fromEntries(
      (
        [
          ["http", "scheme"],
          ["oauth2", "flows"],
          ["openIdConnect", "openIdConnectUrl"],
        ] as const
      ).map(([scheme, lacks]) => [
        `a security scheme ${scheme} without ${lacks}`,
        [
          `the security scheme "a" has no ${lacks} that is allowed: ${scheme} needs ${lacks}`,
          () => shown(created(), { securitySchemes: { a: { type: scheme } as never } }),
        ],
      ]),
    ),
    "one operationId for two routes": [
      'two operations have the operationId "one"',
      () => openApi([route("GET", "/a", { operationId: "one" }), route("GET", "/b", { operationId: "one" })], { info }),
    ],
    "a response without JSON Schema": [
      "GET /a: its response 200 has no JSON Schema: take a library that has them (Zod 4.2, ArkType 2.1.28, TypeBox), or hand its converter over as jsonSchemaOf",
      () => openApi([route("GET", "/a", { responses: { 200: v.string() } })], { info }),
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
    test(`rejects ${what} with a sentence that names the route and the part`, () => {
      assert.throws(make, { name: "TypeError", code: "CONTRACT_INVALID", message });
    });

  test("calls the converter for no schema with its own JSON Schema", () => {
    const jsonSchemaOf = (): object => ({ title: "converted" });
    const app = Framework.create({ compileSchema: Compile })
      .post("/zod", { body: z.string() }, () => "")
      .post("/typebox", { body: Type.String() }, () => "")
      .post("/date", { body: z.date() }, () => "")
      .post("/valibot", { body: v.string() }, () => "");
    const { paths } = shown(app, { jsonSchemaOf });
    const titles = Object.values(paths).map(({ post }) => JSON.stringify(post?.["requestBody"]).includes("converted"));
    assert.deepEqual(Object.fromEntries(Object.keys(paths).map((path, at) => [path, titles[at]])), {
      "/date": true,
      "/typebox": false,
      "/valibot": true,
      "/zod": false,
    });
  });

  test("uses the app's converter without its own", () => {
    const jsonSchemaOf = (schema: never): object => toJsonSchema(schema);
    const app = Framework.create({ jsonSchemaOf }).post("/a", { body: v.string() }, () => "");
    assert.deepEqual(shown(app).paths["/a"]?.["post"]?.["requestBody"], {
      required: true,
      content: { "application/json": { schema: { type: "string" } } },
    });
  });

  test("a sent Date is a date-time text, also one that is coerced from a text", () => {
    const date = { type: "string", format: "date-time" };
    const app = Framework.create().get(
      "/a",
      { query: z.object({ since: z.coerce.date() }), responses: { 200: z.array(z.date()) } },
      () => [new Date()],
    );
    const { parameters, responses } = shown(app).paths["/a"]?.["get"] ?? {};
    assert.deepEqual(parameters, [{ name: "since", in: "query", required: true, schema: date }]);
    assert.deepEqual((responses as Record<string, unknown>)["200"], {
      description: "OK",
      content: { "application/json": { schema: { type: "array", items: date } } },
    });
  });

  test("an optional body is not required, and a Set of a form is a list", () => {
    const Ids = z.object({ ids: z.set(z.string()) });
    const app = Framework.create()
      .post("/a", { body: z.object({}).optional() }, () => "")
      .post("/b", { body: form(Ids.default({ ids: new Set() })) }, () => "")
      .post("/c", { body: multipartForm({ fields: Ids }) }, () => "");
    const { paths } = shown(app);
    const bodies = Object.values(paths).map(
      ({ post }) => post?.["requestBody"] as { required: boolean; content: object },
    );
    const ids = { type: "array", uniqueItems: true, items: { type: "string" } };
    assert.deepEqual(
      bodies.map(({ required, content }) => [required, JSON.stringify(content).includes(JSON.stringify({ ids }))]),
      [
        [false, false],
        [false, true],
        [true, true],
      ],
    );
  });

  test("makes a valid document, by Redocly's recommended-strict rules", async () => {
    const folder = await mkdtemp(join(tmpdir(), "openapi-"));
    try {
      const license = { name: "MIT", identifier: "MIT" };
      const servers = [{ url: "https://shop.example" }];
      const documented = created()
        .post("/orders/{id}/lines", { ...addLine, security: [] }, (ctx) => ctx.reply(204))
        .get("/files/*path", { summary: "A file", security: [] }, () => "");
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

describe("openApi of declared routes", () => {
  const of = (routes: readonly DeclaredRoute[], options: Partial<OpenApiOptions> = {}): Shown =>
    openApi(routes, { info, ...options }) as unknown as Shown;
  /** The components of a document except those of problems. */
  const ownOf = ({ components }: Shown): readonly (readonly [string, Readonly<Record<string, unknown>>])[] =>
    Object.entries(components.schemas).filter(([name]) => !name.startsWith("Problem"));
  const problems = { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } };

  test("has a field for each method that OpenAPI knows, and a list for the others", () => {
    const methods = ["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "QUERY", "PURGE", "LINK"];
    const routes = methods.map((method) => route(method, "/a"));
    const known = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
    const item = (version: "3.1" | "3.2"): Readonly<Record<string, unknown>> =>
      of(routes, { version }).paths["/a"] ?? {};
    assert.deepEqual(Object.keys(item("3.2")), [...known, "query", "additionalOperations"]);
    assert.deepEqual(
      Object.entries(item("3.2")["additionalOperations"] as Record<string, { operationId: string }>).map(
        ([method, { operationId }]) => `${method} ${operationId}`,
      ),
      ["PURGE purgeA", "LINK linkA"],
    );
    assert.deepEqual(Object.keys(item("3.1")), [...known, "x-query", "x-purge", "x-link"]);
  });

  test("has its paths in order, each once, without upgrades and excluded routes", () => {
    const paths = ["/c", "/a", "/b", "/d", "/a/*rest", "/b/{id}"];
    const routes = [
      ...paths.map((path) => route("GET", path)),
      { ...route("GET", "/ws"), upgrades: true },
      route("PUT", "/b"),
    ];
    const { paths: found } = of(routes, { include: ({ path }) => path !== "/d" });
    assert.deepEqual(
      Object.entries(found).map(([path, item]) => `${path} ${Object.keys(item).join(" ")}`),
      ["/a get", "/a/{rest} get", "/b get put", "/b/{id} get", "/c get"],
    );
    const reversed = of(routes.toReversed(), { include: ({ path }) => path !== "/d" });
    assert.deepEqual(Object.keys(reversed.paths), Object.keys(found));
  });

  test("has the options' values, and omits missing ones", () => {
    const components = { schemas: of([]).components.schemas };
    assert.deepEqual(of([]), { openapi: "3.2.0", info, paths: {}, components });
    const securitySchemes = { session: { type: "apiKey", in: "cookie", name: "s" } } as const;
    const said = { servers: [{ url: "/" }], tags: [{ name: "a" }], security: [{ session: [] }] };
    assert.deepEqual(of([], { ...said, securitySchemes }), {
      openapi: "3.2.0",
      info,
      ...said,
      paths: {},
      components: { ...components, securitySchemes },
    });
  });

  test("an undeclared path parameter is a text", () => {
    const params = z.object({ id: z.coerce.number<string>() });
    const parameters = (declared: DeclaredRoute): unknown =>
      of([declared]).paths["/a/{id}/{more}"]?.["get"]?.["parameters"];
    const text = (name: string): object => ({ name, in: "path", required: true, schema: { type: "string" } });
    assert.deepEqual(parameters(route("GET", "/a/{id}/*more")), [text("id"), text("more")]);
    const schema = z.toJSONSchema(params, { io: "input" }).properties?.["id"];
    assert.deepEqual(parameters(route("GET", "/a/{id}/*more", { params })), [{ ...text("id"), schema }, text("more")]);
    const optional = z.object({ id: z.string().optional() });
    assert.deepEqual(parameters(route("GET", "/a/{id}/*more", { params: optional })), [text("id"), text("more")]);
    assert.equal(of([route("GET", "/a")]).paths["/a"]?.["get"]?.["parameters"], undefined);
  });

  test("parameters may have names, be required or not, or be absent, and the route's own win over its group's", () => {
    const Page = z.object({ page: z.string(), size: z.string().optional() }).meta({ id: "Page" });
    const own = z.object({ page: z.string().describe("From 1 on").optional() });
    const parameters = (...contracts: DeclaredRoute["contracts"]): unknown =>
      (of([route("GET", "/a", ...contracts)]).paths["/a"]?.["get"]?.["parameters"] as object[] | undefined)?.map(
        (one) => {
          const { name, required, description } = one as Record<string, unknown>;
          return [name, required, description];
        },
      );
    const named = [
      ["page", true, undefined],
      ["size", false, undefined],
    ];
    assert.deepEqual(parameters({ query: Page }), named);
    assert.deepEqual(parameters({ query: Page }, { query: own }), [["page", false, "From 1 on"], named[1]]);
    assert.deepEqual(parameters({ headers: { type: "object" } }), undefined);
    const withoutType = { properties: { page: { type: "string" } } } as const;
    assert.deepEqual(parameters({ query: withoutType }), [["page", false, undefined]]);
  });

  test("the media types and the example of a body are those of its route, and QUERY lists them once more", () => {
    const accept = ["application/json", "application/geo+json"];
    const body = z.object({ a: z.string() });
    const operation = (method: string): Readonly<Record<string, unknown>> | undefined =>
      of([{ ...route(method, "/a", { body }), accept, example: { a: "b" } }]).paths["/a"]?.[method.toLowerCase()];
    const sent = operation("POST")?.["requestBody"] as { content: Record<string, { example: unknown }> } | undefined;
    assert.deepEqual(
      Object.entries(sent?.content ?? {}).map(([type, { example }]) => [type, example]),
      accept.map((type) => [type, { a: "b" }]),
    );
    assert.deepEqual(
      [operation("POST")?.["x-accept-query"], operation("QUERY")?.["x-accept-query"]],
      [undefined, accept],
    );
    assert.ok(!Object.hasOwn(of([route("QUERY", "/a", { body })]).paths["/a"]?.["query"] ?? {}, "x-accept-query"));
  });

  test("a form with files has its fields and its files in one schema", () => {
    const files = { picture: { maxBytes: 10 }, more: { maxBytes: 10, optional: true } } as const;
    const schemaOf = (fields?: object): Readonly<Record<string, unknown>> => {
      const body = multipartForm({ ...(fields === undefined ? {} : { fields }), files } as {
        readonly files: typeof files;
      });
      const operation = of([route("POST", "/a", { body })]).paths["/a"]?.["post"];
      const sent = operation?.["requestBody"] as
        | { content: Record<string, { schema: Record<string, unknown> }> }
        | undefined;
      const content = sent?.content ?? {};
      assert.deepEqual(Object.keys(content), ["multipart/form-data"]);
      return content["multipart/form-data"]?.schema ?? {};
    };
    const shape = (schema: Readonly<Record<string, unknown>>): unknown => [
      schema["type"],
      Object.keys(schema["properties"] as object),
      schema["required"],
    ];
    const Caption = z.object({ caption: z.string(), alt: z.string().optional() });
    const expected = ["object", ["caption", "alt", "picture", "more"], ["caption", "picture"]];
    assert.deepEqual(shape(schemaOf(Caption)), expected);
    assert.deepEqual(shape(schemaOf(Caption.meta({ id: "Caption" }))), expected);
    assert.deepEqual(shape(schemaOf()), ["object", ["picture", "more"], ["picture"]]);
  });

  test("describes each status", () => {
    const statuses = [200, 201, 202, 204, 206, 207, 303, 304, 404];
    const responses = Object.fromEntries(statuses.map((status) => [status, null]));
    const found = of([route("GET", "/a", { responses })]).paths["/a"]?.["get"]?.["responses"];
    assert.deepEqual(found, {
      200: { description: "OK" },
      201: { description: "Created" },
      202: { description: "Accepted" },
      204: { description: "No Content" },
      206: { description: "Partial Content" },
      207: { description: "Status 207" },
      303: { description: "See Other" },
      304: { description: "Not Modified" },
      404: { description: "Not Found" },
      default: { description: "Any other problem", content: problems },
    });
  });

  test("has the problems that the request's parts can cause, unless the contract declares others", () => {
    const statuses = (method: string, one: DeclaredRoute["contracts"][number]): readonly string[] =>
      Object.keys(
        (of([route(method, "/a/{id}", one)]).paths["/a/{id}"]?.[method.toLowerCase()]?.["responses"] ?? {}) as object,
      );
    const part = z.object({ id: z.string() });
    for (const name of ["params", "query", "headers", "cookies"])
      assert.deepEqual(statuses("GET", { [name]: part }), ["400", "422", "2XX", "3XX", "default"]);
    assert.deepEqual(statuses("GET", { responses: { 303: null } }), ["303", "4XX", "default"]);
    assert.deepEqual(statuses("GET", { responses: { 304: null } }), ["304", "4XX", "default"]);
    const shared = of([route("POST", "/a", { body: part }, { summary: "A" })]).paths["/a"]?.["post"];
    assert.deepEqual(Object.keys(shared?.["requestBody"] as object), ["required", "content"]);
    const problems = ["400", "413", "415", "422"];
    assert.deepEqual(Object.keys(shared?.["responses"] as object), [...problems, "2XX", "3XX", "default"]);
    assert.deepEqual(statuses("GET", { responses: { 500: null } }), ["500", "2XX", "3XX", "4XX", "default"]);
    const own = of([route("POST", "/a", { body: part, responses: { 422: part } })]).paths["/a"]?.["post"]?.[
      "responses"
    ];
    assert.deepEqual(Object.keys((own as Record<string, { content: object }>)["422"]?.content ?? {}), [
      "application/json",
    ]);
  });

  test("recognizes a problem by its status and its properties", () => {
    const typeOf = (status: number, shape: Record<string, z.ZodString>): unknown => {
      const responses = of([route("GET", "/a", { responses: { [status]: z.object(shape) } })]).paths["/a"]?.["get"]?.[
        "responses"
      ];
      return Object.keys((responses as Record<string, { content: object }>)[status]?.content ?? {}).join();
    };
    const [title, status] = [z.string(), z.string()];
    assert.deepEqual(
      [typeOf(400, { title, status }), typeOf(409, { title }), typeOf(409, { status }), typeOf(200, { title, status })],
      ["application/problem+json", "application/json", "application/json", "application/json"],
    );
  });

  test("a response of strings is a text, one of other values JSON, and one of both either", () => {
    const contentOf = (schema: DeclaredRoute["contracts"][number]["body"]): unknown => {
      const responses = of([route("GET", "/a", { responses: { 200: schema as never } })]).paths["/a"]?.["get"]?.[
        "responses"
      ];
      return (responses as Record<string, { content: unknown }>)["200"]?.content;
    };
    const Name = { $id: "Name", enum: ["a", "b"] } as never;
    const text = { "text/plain": { schema: { type: "string" } } };
    const plain = (schema: object): object => ({ "text/plain": { schema } });
    const list = { type: "array", items: { type: "string" } };
    const strings = { allOf: [{ minLength: 1 }, { anyOf: [{ const: "a" }, { const: "b" }] }] };
    const mixed = { oneOf: [list, { type: ["string", "null"] }, true] };
    const withoutText = { oneOf: [list, { enum: [1, null] }, { properties: {} }, { $ref: "#/$defs/A" }, false] };
    const looped = { $id: "Loop", anyOf: [{ $ref: "#" }, list] };
    assert.deepEqual(contentOf({ type: "string" }), plain({ type: "string" }));
    assert.deepEqual(contentOf(Name), plain({ $ref: "#/components/schemas/Name" }));
    assert.deepEqual(contentOf({ ...strings, type: "string" } as never), plain({ ...strings, type: "string" }));
    assert.deepEqual(contentOf(mixed as never), { "application/json": { schema: mixed }, ...text });
    assert.deepEqual(contentOf({}), { "application/json": { schema: {} }, ...text });
    assert.deepEqual(Object.keys(contentOf({ ...withoutText, $defs: { A: list } } as never) as object), [
      "application/json",
    ]);
    assert.deepEqual(Object.keys(contentOf(looped as never) as object), ["application/json", "text/plain"]);
  });

  test("has the media type of each declared body", () => {
    const Row = z.object({ id: z.number() }).meta({ id: "Row" });
    const responsesIn = (version: "3.1" | "3.2"): unknown => {
      const responses = {
        200: text("text/csv"),
        201: bytes("image/png"),
        202: stream("application/x-ndjson", Row),
        203: events({ row: Row, done: z.null() }),
        206: stream("text/csv"),
        303: redirect(),
        205: empty(),
      };
      const operation = of([route("GET", "/a", { responses })], { version }).paths["/a"]?.["get"];
      const all = operation?.["responses"] as Record<string, { content?: unknown; headers?: unknown }>;
      return Object.keys(responses).map((status) => all[status]?.content ?? all[status]?.headers);
    };
    const row = { $ref: "#/components/schemas/Row" };
    const event = (name: string, contentSchema: object): object => ({
      type: "object",
      required: ["event", "data"],
      properties: {
        event: { const: name },
        data: { type: "string", contentMediaType: "application/json", contentSchema },
        id: { type: "string" },
        retry: { type: "integer", minimum: 0 },
      },
    });
    const items = { oneOf: [event("row", row), event("done", { type: "null" })] };
    const sequence = (contentMediaType: string, contentSchema: object): object => ({
      schema: {
        type: "string",
        description: "A sequence. contentSchema describes each item.",
        contentMediaType,
        contentSchema,
      },
    });
    const csv = { "text/csv": { schema: { type: "string" } } };
    const location = { Location: { required: true, schema: { type: "string", format: "uri-reference" } } };
    const rows = (media: object): unknown[] => [csv, { "image/png": {} }, { "application/x-ndjson": media }];
    const rest = [undefined, csv, location];
    assert.deepEqual(responsesIn("3.2"), [
      ...rows({ itemSchema: row }),
      { "text/event-stream": { itemSchema: items } },
      ...rest,
    ]);
    assert.deepEqual(responsesIn("3.1"), [
      ...rows(sequence("application/x-ndjson", row)),
      { "text/event-stream": sequence("text/event-stream", items) },
      ...rest,
    ]);
  });

  test("has the messages of a WebSocket route that declares them, and its upgrade", () => {
    const messages = { incoming: z.object({ n: z.number().default(1) }), outgoing: z.string() };
    const socket = { ...route("GET", "/chat", messages), upgrades: true };
    const operation = of([socket]).paths["/chat"]?.["get"];
    const integer = { default: 1, type: "number" };
    assert.deepEqual(operation?.["x-websocket"], {
      incoming: { type: "object", properties: { n: integer } },
      outgoing: { type: "string" },
    });
    assert.deepEqual(Object.keys(operation["responses"] as object), ["101", "4XX", "default"]);
  });

  test("has the tags of 3.2 with their parents, which are extensions in 3.1", () => {
    const tags = [{ name: "orders", parent: "shop", kind: "nav", description: "d" }];
    assert.deepEqual(of([], { tags })["tags"], tags);
    const extended = [{ name: "orders", "x-parent": "shop", "x-kind": "nav", description: "d" }];
    assert.deepEqual(of([], { tags, version: "3.1" })["tags"], extended);
  });

  test("has the requests that the service sends, as webhooks", () => {
    const shipped = { body: z.object({ id: z.number() }), responses: { 204: null }, summary: "An order was shipped" };
    const { webhooks } = of([], { webhooks: { shipped, ping: { method: "GET" } } }) as unknown as {
      webhooks: Record<string, Record<string, Record<string, unknown>>>;
    };
    const { post = {} } = webhooks["shipped"] ?? {};
    assert.deepEqual([post["operationId"], post["summary"]], ["shipped", "An order was shipped"]);
    assert.deepEqual(Object.keys((post["requestBody"] as { content: object }).content), ["application/json"]);
    assert.deepEqual(Object.keys(post["responses"] as object).slice(0, 2), ["204", "400"]);
    assert.deepEqual(Object.keys(webhooks["ping"] ?? {}), ["get"]);
  });

  test("describes the contents of a problem", () => {
    const text = { type: "string" };
    assert.deepEqual(of([]).components.schemas, {
      Problem: {
        type: "object",
        description: "What went wrong (RFC 9457)",
        properties: {
          type: text,
          title: text,
          status: { type: "integer", minimum: 400, maximum: 599 },
          detail: text,
          code: text,
          errors: { type: "array", items: { $ref: "#/components/schemas/ProblemIssue" } },
          moreErrors: {
            type: "integer",
            minimum: 1,
            description: "How many there are at least beside those in errors",
          },
        },
        required: ["type", "title", "status"],
      },
      ProblemIssue: {
        type: "object",
        description: "What a schema rejects, and where",
        properties: {
          in: { type: "string", enum: ["params", "query", "headers", "cookies", "body"] },
          path: { type: "array", items: { type: ["string", "integer"] } },
          pointer: { type: "string", description: "The same path as a JSON pointer (RFC 6901)" },
          message: text,
        },
        required: ["path", "message"],
      },
    });
  });

  test("a schema that refers to itself is a component that refers to itself", () => {
    const Tree: JsonSchema & object = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "Tree",
      type: "object",
      properties: {
        left: { $ref: "#" },
        leaf: { $ref: "#/$defs/Leaf" },
        other: { $ref: "https://x/y" },
        last: [null, 1],
      },
      $defs: { Leaf: { type: "string" } },
    } as never;
    const { paths, components } = of([route("POST", "/a", { body: Tree })]);
    const $ref = "#/components/schemas/Tree";
    assert.deepEqual(paths["/a"]?.["post"]?.["requestBody"], {
      required: true,
      content: { "application/json": { schema: { $ref } } },
    });
    assert.deepEqual(components.schemas["Tree"], {
      type: "object",
      properties: {
        left: { $ref },
        leaf: { $ref: "#/components/schemas/Leaf" },
        other: { $ref: "https://x/y" },
        last: [null, 1],
      },
    });
    assert.deepEqual(Object.keys(components.schemas), ["Leaf", "Problem", "ProblemIssue", "Tree"]);
  });

  test("a schema is also named by its id, if that is a text and not next to a reference", () => {
    const component = (schema: object): readonly string[] =>
      ownOf(of([route("POST", "/a", { body: schema as never })])).map(
        ([name, one]) => `${name} ${JSON.stringify(one)}`,
      );
    assert.deepEqual(component({ id: "Named", type: "string" }), ['Named {"type":"string"}']);
    assert.deepEqual(component({ $id: 1, type: "string" }), []);
    assert.deepEqual(component({ $id: "Own", $ref: "#/$defs/A", $defs: { A: { type: "string" } } }), [
      'A {"type":"string"}',
    ]);
  });

  test("a second schema of one name gets the suffix of its side", () => {
    const named = (property: string): JsonSchema & object =>
      ({ $id: "Same", type: "object", properties: { [property]: { type: "string" } } }) as never;
    const document = of([
      route("POST", "/a", { body: named("a") }),
      route("POST", "/b", { body: named("b"), responses: { 200: named("c") } }),
      route("POST", "/c", { body: named("a") }),
    ]);
    assert.deepEqual(
      ownOf(document).map(([name, { properties }]) => `${name} ${Object.keys(properties as object).join()}`),
      ["Same a", "SameInput b", "SameOutput c"],
    );
    const { requestBody, responses } = (document.paths["/b"]?.["post"] ?? {}) as Record<string, unknown>;
    assert.match(JSON.stringify(requestBody), /"#\/components\/schemas\/SameInput"/);
    assert.match(JSON.stringify(responses), /"#\/components\/schemas\/SameOutput"/);
  });

  test("a schema with both names in use gets a number, and never another's name", () => {
    const node = (property: string): never =>
      ({
        $ref: "#/$defs/Node",
        $defs: { Node: { type: "object", properties: { [property]: {}, next: { $ref: "#/$defs/Node" } } } },
      }) as never;
    const byId = { $id: "NodeInput", type: "string" } as never;
    const bodies = [byId, node("a"), node("b"), node("c"), node("b"), byId];
    const document = of(bodies.map((body, index) => route("POST", `/${index}`, { body })));
    const shown = bodies.map((_, index) => {
      const { requestBody } = (document.paths[`/${index}`]?.["post"] ?? {}) as Record<string, unknown>;
      const name = /schemas\/(\w+)"/.exec(JSON.stringify(requestBody))?.[1] ?? "";
      return `${name} ${JSON.stringify(document.components.schemas[name])}`;
    });
    const text = (name: string, property: string): string =>
      `${name} {"type":"object","properties":{"${property}":{},"next":{"$ref":"#/components/schemas/${name}"}}}`;
    const second = text("NodeInput2", "b");
    const own = 'NodeInput {"type":"string"}';
    assert.deepEqual(shown, [own, text("Node", "a"), second, text("NodeInput3", "c"), second, own]);
  });

  test("a schema with equal text on both sides is two when its references differ", () => {
    const line = { type: "object", properties: { count: { type: "integer", default: 1 } } };
    const order = (part: object): object => ({
      $ref: "#/$defs/Order",
      $defs: { Order: { type: "array", items: { $ref: "#/$defs/Line" } }, Line: part },
    });
    const jsonSchemaOf = (_: never, side: string): object =>
      order(side === "input" ? line : { ...line, required: ["count"] });
    const body = { parse: (value: unknown) => value } as never;
    const { schemas } = of([route("POST", "/a", { body, responses: { 200: body } })], { jsonSchemaOf }).components;
    assert.deepEqual(
      [schemas["Order"], schemas["OrderOutput"], schemas["LineOutput"]],
      [
        { type: "array", items: { $ref: "#/components/schemas/Line" } },
        { type: "array", items: { $ref: "#/components/schemas/LineOutput" } },
        { ...line, required: ["count"] },
      ],
    );
  });

  test("the same schema twice is one component, for each way of naming", () => {
    const definition = { $ref: "#/$defs/Part", $defs: { Part: { type: "string" } } } as never;
    const byId = { id: "Own", type: "string" } as never;
    const twice = ["/a", "/b"].flatMap((path) => [
      route("POST", path, { body: definition }),
      route("PUT", path, { body: byId }),
    ]);
    assert.deepEqual(
      ownOf(of(twice)).map(([name]) => name),
      ["Own", "Part"],
    );
  });

  test("a reference to another document stays, and one in a property called $ref leads to its component", () => {
    const properties = { there: { $ref: "https://x/y#/$defs/Part", description: "#" }, $ref: { $ref: "#/$defs/Part" } };
    const body = { type: "object", properties, $defs: { Part: { type: "string" } } } as never;
    const { requestBody } = (of([route("POST", "/a", { body })]).paths["/a"]?.["post"] ?? {}) as Record<
      string,
      unknown
    >;
    const schema = { type: "object", properties: { ...properties, $ref: { $ref: "#/components/schemas/Part" } } };
    assert.deepEqual(requestBody, { required: true, content: { "application/json": { schema } } });
  });

  test("an unnamed schema that refers to itself gets a name, also inside a part", () => {
    const list = { type: "array", description: "#", items: { $ref: "#" } } as never;
    const within = { $ref: "#/$defs/Part", $defs: { Part: { type: "object", properties: { next: { $ref: "#" } } } } };
    const document = of([
      route("POST", "/a", { body: list }),
      route("POST", "/b", { body: within as never }),
      route("POST", "/c", { body: list, responses: { 200: list } }),
    ]);
    assert.deepEqual(ownOf(document), [
      ["Part", { type: "object", properties: { next: { $ref: "#/components/schemas/RecursiveInput" } } }],
      ["Recursive", { type: "array", description: "#", items: { $ref: "#/components/schemas/Recursive" } }],
      ["RecursiveInput", { $ref: "#/components/schemas/Part" }],
    ]);
    const used = JSON.stringify(document.paths).match(/schemas\/Recursive\w*/g);
    assert.deepEqual(
      used,
      ["Recursive", "RecursiveInput", "Recursive", "Recursive"].map((name) => `schemas/${name}`),
    );
  });

  test("3.1 explains QUERY after the description, if there is one and a QUERY", () => {
    const note = "Operations of the method QUERY (RFC 10008) stand under `x-query`: OpenAPI 3.1 has no field for them.";
    const query = [route("QUERY", "/a"), route("GET", "/a")];
    const version = "3.1";
    assert.deepEqual(of(query, { version })["info"], { ...info, description: note });
    const described = { ...info, description: "Sells lamps." };
    assert.deepEqual(of(query, { version, info: described })["info"], {
      ...info,
      description: `Sells lamps.\n\n${note}`,
    });
    assert.deepEqual([of(query)["info"], of([route("GET", "/a")], { version })["info"]], [info, info]);
  });

  test("an id is made of the words of a path", () => {
    const idOf = (path: string): unknown => Object.values(of([route("GET", path)]).paths)[0]?.["get"]?.["operationId"];
    assert.deepEqual(
      ["/", "/orders/{id}/lines", "/order-lines/v2.1", "/files/*path", "/{order-id}.json", "/a-/b"].map(idOf),
      ["get", "getOrdersByIdLines", "getOrderLinesV21", "getFilesByPath", "getByOrderIdJson", "getAB"],
    );
  });

  test("rejects a security scheme type that is only a member of Object.prototype", () => {
    assert.throws(() => of([], { securitySchemes: { a: { type: "toString" } as never } }), {
      code: "CONTRACT_INVALID",
    });
    assert.throws(() => of([], { security: [{ toString: [] }] }), { code: "CONTRACT_INVALID" });
    const declared = {
      basic: { type: "http", scheme: "basic" },
      key: { type: "apiKey", in: "header", name: "x-key" },
      tls: { type: "mutualTLS" },
      oauth: { type: "oauth2", flows: {} },
      oidc: { type: "openIdConnect", openIdConnectUrl: "https://x/.well-known/openid-configuration" },
    } as const;
    const named = Object.keys(declared).map((name) => ({ [name]: [] }));
    assert.deepEqual(of([], { securitySchemes: declared, security: named })["security"], named);
  });
});

describe("openApi of an app with its own error format", () => {
  const errorBody = z.object({ errors: z.array(z.string()) }).meta({ id: "Errors" });
  const app = created().post("/lines", { body: Line, responses: { 201: Order } }, (ctx) =>
    ctx.reply(201, { id: 1, lines: [] }),
  );
  app.get("/ping", () => "");

  test("has the errorBody instead of each problem, and no problem", () => {
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
      "2XX": { description: "What the handler returns" },
      "3XX": { description: "Where the handler redirects to" },
      "4XX": { description: "Any other problem of the request", ...json },
      default: { description: "Any other problem", ...json },
    });
    assert.deepEqual(Object.keys(components.schemas), ["Errors", "Line", "LineOutput", "Order"]);
  });

  test("rejects an errorBody without JSON Schema", () => {
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

  test("serves the document as JSON, or as YAML for clients that prefer it", async () => {
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

  test("has an ETag for each form, and responds 304 to a known one", async () => {
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

  test("a schema without JSON Schema fails the start, not a request", async () => {
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

  test("accepts every media type of YAML, with parameters and in any case", async () => {
    const yaml = [
      "application/x-yaml",
      "text/yaml;q=0.9",
      "application/vnd.oai.openapi+yaml",
      "text/html, APPLICATION/YAML",
    ];
    const json = [
      "",
      "text/yaml2",
      "x-text/yaml",
      "text/foo+yaml",
      "application/vnd.oai.openapi+json, text/yaml",
      "*/*",
    ];
    const typeOf = async (accept: string): Promise<string | null> =>
      (await get({ accept })).headers.get("content-type");
    assert.deepEqual(new Set(await Promise.all(yaml.map(typeOf))), new Set(["application/openapi+yaml"]));
    assert.deepEqual(new Set(await Promise.all(json.map(typeOf))), new Set(["application/openapi+json"]));
  });

  test("sends a strong ETag that differs with the document, and requires revalidation", async () => {
    const response = await get();
    const etag = response.headers.get("etag") ?? "";
    assert.match(etag, /^"[0-9a-f]{13,16}"$/);
    assert.equal(response.headers.get("cache-control"), "no-cache");
    const other = created().use(new OpenApiMiddleware({ info: { ...info, version: "1.0.1" } }));
    await other.ready();
    const second = await other.fetch(new Request("http://x/shop/openapi.json"));
    assert.notEqual(second.headers.get("etag"), etag);
  });

  test("is served at its path, and listed as a separate route", async () => {
    const routes: unknown[] = [];
    const elsewhere = created()
      .use(async (ctx, next) => {
        ctx.onComplete(() => void routes.push(ctx.route));
        await next();
      })
      .use(new OpenApiMiddleware({ info, path: "/docs/api.json" }));
    const status = async (path: string): Promise<number> =>
      (await elsewhere.fetch(new Request(`http://x/shop${path}`))).status;
    assert.deepEqual([await status("/docs/api.json"), await status("/openapi.json")], [200, 404]);
    assert.equal(await status("/docs/api.json/"), 200);
    assert.deepEqual(routes, ["/shop/docs/api.json", undefined, "/shop/docs/api.json"]);
  });

  test("rejects a pattern as its path, and ignores other paths and methods", async () => {
    for (const path of ["/{a}", "/a/*b", "/a?b", "a/b", "/a/", "/", "//a", ""])
      assert.throws(() => new OpenApiMiddleware({ info, path }), {
        code: "MIDDLEWARE_INVALID",
        message: `the path of OpenApiMiddleware is ${JSON.stringify(path)}: a literal path is allowed`,
      });
    assert.equal((await app.fetch(new Request("http://x/shop/a"))).status, 200);
    assert.equal((await get({}, "POST")).status, 404);
  });
});

describe("yamlOf", () => {
  test("is in block style, without quotes for plain texts", () => {
    const value = {
      "a b": "x-1",
      happy: "salon",
      left: undefined,
      list: ["a", { b: 1, c: "no" }, [], ["d", "nova", "1st", "a "]],
      map: { "1": true, e: {}, f: { left: undefined } },
      last: null,
    };
    assert.equal(
      yamlOf(value),
      [
        "a b: x-1",
        "happy: salon",
        "list:",
        "  - a",
        "  - b: 1",
        '    c: "no"',
        "  - []",
        "  - - d",
        "    - nova",
        '    - "1st"',
        '    - "a "',
        "map:",
        '  "1": true',
        "  e: {}",
        "  f: {}",
        "last: null",
        "",
      ].join("\n"),
    );
    assert.deepEqual([yamlOf("a"), yamlOf([]), yamlOf({})], ["a\n", "[]\n", "{}\n"]);
  });

  test("is read back unchanged, for any JSON", () => {
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
