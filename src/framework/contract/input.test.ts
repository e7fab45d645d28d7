/** How the parts of a request reach their schemas, and how the results of several schemas for one part are merged (CONTRACT). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { describe, test } from "node:test";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { toJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { form, Framework, type FrameworkOptions, type Schema } from "../index.ts";
import { multipartForm } from "../multipart/index.ts";
import { OpenApiMiddleware } from "../openapi/index.ts";

const created = (options: FrameworkOptions = {}): Framework =>
  Framework.create({ logger: { error: () => undefined, warn: () => undefined }, ...options });

/** The status and the JSON of a response. Only its issues, if it has some. */
async function asked(app: Framework, path: string, headers: HeadersInit = {}): Promise<readonly [number, unknown]> {
  const response = await app.fetch(new Request(`http://app${path}`, { headers }));
  const value = (await response.json()) as { errors?: readonly { in: string; message: string }[] };
  return [response.status, value.errors?.map((one) => `${one.in} ${one.message}`) ?? value];
}

/** A schema without properties, as a function that shows its input. */
const given = (value: unknown): unknown => ({ ...(value as object) });

describe("the headers of a request", () => {
  const named = z.object({ "x-a": z.string().optional(), "x-list": z.array(z.string()).optional() });
  const app = created().get("/named", { headers: named }, (ctx) => {
    const { headers } = ctx.input;
    return { headers, names: Object.keys(headers) };
  });

  test("CONTRACT-029: a header is a list when the schema says array, also with one value", async () => {
    const headers = { "x-a": "1", "x-list": "2" };
    assert.deepEqual(await asked(app, "/named", headers), [
      200,
      { headers: { "x-a": "1", "x-list": ["2"] }, names: ["x-a", "x-list"] },
    ]);
  });

  test("CONTRACT-001: a missing header is absent, and so is an empty list of it", async () => {
    assert.deepEqual(await asked(app, "/named", { "x-other": "1" }), [200, { headers: {}, names: [] }]);
  });

  test("CONTRACT-001: a schema without names gets all headers by lower-case name", async (t) => {
    const open = created({ host: "127.0.0.1" })
      .group("/shared", { headers: given }, (api) =>
        api.get("/both", { headers: z.looseObject({ "x-b": z.string() }) }, (ctx) => ctx.input.headers),
      )
      .get("/alone", { headers: given }, (ctx) => ctx.input.headers);
    await open.start(0);
    t.after(() => open.stop({ graceMs: 0 }));
    for (const path of ["/alone", "/shared/both"]) {
      const sent = get({ port: open.port, host: "127.0.0.1", path, agent: false, headers: { "X-A": "1", "x-b": "2" } });
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      assert.deepEqual(await json(response), {
        host: `127.0.0.1:${open.port}`,
        connection: "close",
        "x-a": "1",
        "x-b": "2",
      });
    }
  });
});

describe("several schemas of one part", () => {
  const issue =
    (message: string) =>
    (value: unknown): unknown => {
      if (Reflect.get(value as object, "reject") === undefined) return value;
      throw new Error(message);
    };
  const later =
    (schema: (value: unknown) => unknown) =>
    async (value: unknown): Promise<unknown> =>
      schema(value);
  type Query = { readonly query: (value: unknown) => unknown };
  /** A route with both schemas for its query. */
  const both = (outer: Query["query"], inner: Query["query"]): Framework =>
    created().group("/a", { query: outer }, (api) =>
      api.get("", { query: inner }, (ctx) => ({ query: ctx.input.query as unknown })),
    );

  const outer = issue("outer");
  const inner = issue("inner");
  const combinations: Readonly<Record<string, readonly [Query["query"], Query["query"]]>> = {
    "both synchronous": [outer, inner],
    "the outer one asynchronous": [later(outer), inner],
    "the inner one asynchronous": [outer, later(inner)],
    "both asynchronous": [later(outer), later(inner)],
  };
  for (const [how, schemas] of Object.entries(combinations))
    test(`CONTRACT-036: each sees the value and may reject it, ${how}`, async () => {
      const app = both(...schemas);
      assert.deepEqual(await asked(app, "/a?b=1"), [200, { query: { b: "1" } }]);
      assert.deepEqual(await asked(app, "/a?reject=1"), [422, ["query outer", "query inner"]]);
    });

  const merged: Readonly<Record<string, readonly [outer: unknown, inner: unknown, merged: unknown]>> = {
    "two objects": [{ a: 1, b: 1 }, { b: 2 }, { a: 1, b: 2 }],
    "an object and a text": [{ a: 1 }, "text", "text"],
    "an object and null": [{ a: 1 }, null, null],
    "a text and an object": ["text", { a: 1 }, { a: 1 }],
    "null and an object": [null, { a: 1 }, { a: 1 }],
  };
  for (const [what, [one, other, value]] of Object.entries(merged))
    test(`merge objects, and use the inner one's result otherwise: ${what}`, async () => {
      assert.deepEqual(
        await asked(
          both(
            () => one,
            () => other,
          ),
          "/a",
        ),
        [200, { query: value }],
      );
    });

  test("run the handler in the same turn when both are synchronous", () => {
    const order: string[] = [];
    const app = created().group("/a", { query: outer }, (api) =>
      api.get("", { query: inner }, () => void order.push("handled")),
    );
    void app.fetch(new Request("http://app/a"));
    order.push("returned");
    assert.deepEqual(order.slice(0, 1), ["handled"]);
  });
});

describe("a schema of a part", () => {
  const parts = ["params", "query", "headers", "cookies"];
  for (const part of parts) {
    test(`that cannot be compiled is named by its route and its part: ${part}`, async () => {
      await assert.rejects(
        async () =>
          created()
            .get("/a/{id}", { [part]: Type.Object({ id: Type.String() }) }, () => "")
            .ready(),
        {
          code: "CONTRACT_INVALID",
          message: `GET /a/{id}: its ${part} is a JSON Schema, and nothing compiles it: Framework.create({ compileSchema: Compile }) with TypeBox's Compile does`,
        },
      );
    });

    test(`that never settles is named in the log by its route and its part: ${part}`, async () => {
      const errors: string[] = [];
      const logger = { error: (line: string, error: unknown) => void errors.push(`${line}: ${String(error)}`) };
      const app = created({ logger, timeouts: { requestMs: 5 } }).get(
        "/a/{id}",
        { [part]: (): unknown => new Promise(() => undefined) } as object,
        () => "",
      );
      assert.equal((await asked(app, "/a/1"))[0], 500);
      assert.deepEqual(errors, [
        `GET /a/{id} failed: Error: GET /a/{id}: its ${part}: the schema did not settle within 5 ms`,
      ]);
    });
  }

  test("CONTRACT-004: has its issues in the order of the parts, whichever settles last", async () => {
    const turns = (count: number, message: string) => async (): Promise<never> => {
      for (let turn = 0; turn < count; turn += 1) await null;
      throw new Error(message);
    };
    const ordered = ["params 9", "query 6", "headers 3", "cookies 0", "body 0"];
    const schemas = { params: turns(9, "9"), query: turns(6, "6"), headers: turns(3, "3"), cookies: turns(0, "0") };
    const app = created().post("/a/{id}", { ...schemas, body: turns(0, "0") }, () => "");
    const response = await app.request("/a/1", {
      method: "POST",
      body: "{}",
      headers: { "content-type": "application/json" },
    });
    const { errors } = (await response.json()) as { errors: readonly { in: string; message: string }[] };
    assert.deepEqual(
      errors.map((one) => `${one.in} ${one.message}`),
      ordered,
    );
  });
});

describe("one value for a list", () => {
  const list = z.array(z.string());
  const two = [
    z.object({ kind: z.literal("many"), ids: list }),
    z.object({ kind: z.literal("one"), ids: z.string() }),
  ] as const;
  const vTwo = [
    v.object({ kind: v.literal("many"), ids: v.array(v.string()) }),
    v.object({ kind: v.literal("one"), ids: v.string() }),
  ] as const;
  const known: Readonly<Record<string, readonly [schema: Schema, query: string, input: unknown]>> = {
    "a union of Zod": [z.union([z.object({ ids: list }), z.object({ all: z.string() })]), "ids=1", { ids: ["1"] }],
    "a discriminated union of Zod, the list": [
      z.discriminatedUnion("kind", two),
      "kind=many&ids=1",
      { kind: "many", ids: ["1"] },
    ],
    "a discriminated union of Zod, the text": [
      z.discriminatedUnion("kind", two),
      "kind=one&ids=1",
      { kind: "one", ids: "1" },
    ],
    "a record of Zod": [z.record(z.string(), list), "a=1&b=2&b=3", { a: ["1"], b: ["2", "3"] }],
    "an intersection of Zod": [
      z.object({ ids: list }).and(z.object({ all: z.string() })),
      "ids=1&all=2",
      { ids: ["1"], all: "2" },
    ],
    "a Set of Zod": [z.object({ ids: z.set(z.string()) }), "ids=1", { ids: new Set(["1"]) }],
    "a Set of Zod from several": [z.object({ ids: z.set(z.string()) }), "ids=1&ids=2", { ids: new Set(["1", "2"]) }],
    "a custom check": [z.object({ ids: z.custom(Array.isArray) }), "ids=1", { ids: ["1"] }],
    "a union of ArkType": [type({ ids: "string[]" }).or({ all: "string" }), "ids=1", { ids: ["1"] }],
    "an object of Valibot": [
      v.object({ ids: v.array(v.string()), q: v.string() }),
      "ids=1&q=2",
      { ids: ["1"], q: "2" },
    ],
    "a union of Valibot": [
      v.union([v.object({ ids: v.array(v.string()), q: v.string() }), v.object({ all: v.string() })]),
      "ids=1&q=2",
      { ids: ["1"], q: "2" },
    ],
    "a variant of Valibot, the list": [v.variant("kind", vTwo), "kind=many&ids=1", { kind: "many", ids: ["1"] }],
    "a variant of Valibot, the text": [v.variant("kind", vTwo), "kind=one&ids=1", { kind: "one", ids: "1" }],
    "a record of Valibot": [v.record(v.string(), v.array(v.string())), "a=1&b=2&b=3", { a: ["1"], b: ["2", "3"] }],
    "a Set of Valibot": [v.object({ ids: v.set(v.string()) }), "ids=1", { ids: new Set(["1"]) }],
    "an asynchronous object of Valibot": [
      v.objectAsync({
        ids: v.pipeAsync(
          v.array(v.string()),
          v.checkAsync(async () => true),
        ),
      }),
      "ids=1",
      { ids: ["1"] },
    ],
  };
  const converted = {
    jsonSchemaOf: (one: v.GenericSchema) =>
      one["~standard"].vendor === "valibot" ? toJsonSchema(one, { errorMode: "ignore" }) : undefined,
  };
  const request = (query: string) => ({ method: "POST", body: new URLSearchParams(query) });
  for (const [what, [schema, query, input]] of Object.entries(known)) {
    const { jsonSchemaOf } = converted as FrameworkOptions;
    for (const [how, options] of Object.entries<FrameworkOptions>({ "": {}, ", with a converter": { jsonSchemaOf } }))
      test(`CONTRACT-029: is a list for a schema that says so: ${what}${how}`, async () => {
        const seen: unknown[] = [];
        const app = created(options)
          .get("/", { query: schema }, (ctx) => void seen.push({ ...(ctx.input.query as object) }))
          .post("/", { body: form(schema) }, (ctx) => void seen.push({ ...(ctx.input.body as object) }))
          .post(
            "/files",
            { body: multipartForm({ fields: schema }) },
            (ctx) => void seen.push({ ...(ctx.input.body as { fields: object }).fields }),
          );
        await app.request(`/?${query}`);
        await app.request("/", request(query));
        const fields = new FormData();
        for (const [name, value] of new URLSearchParams(query)) fields.append(name, value);
        await app.request("/files", { method: "POST", body: fields });
        assert.deepEqual(seen, [input, input, input]);
      });
  }

  test("CONTRACT-037: is not a list when the schema accepts one value, and a rejected value stays rejected", async () => {
    const app = created()
      .get("/zod", { query: z.object({ page: z.string() }) }, () => "")
      .get("/valibot", { query: v.object({ page: v.pipe(v.string(), v.digits()) }) }, () => "");
    assert.deepEqual(
      [
        await asked(app, "/zod?page=1&page=2"),
        (await asked(app, "/valibot?page=x"))[1],
        (await asked(app, "/valibot?page=1&page=2"))[0],
      ],
      [[422, ["query Invalid input: expected string, received array"]], ['query Invalid digits: Received "x"'], 422],
    );
  });

  test("CONTRACT-029: is also a list of its lines in a header", async () => {
    const app = created().get(
      "/",
      { headers: v.object({ "x-list": v.array(v.string()) }) },
      (ctx) => ctx.input.headers,
    );
    assert.deepEqual(await asked(app, "/", { "x-list": "a" }), [200, { "x-list": ["a"] }]);
  });

  test("CONTRACT-029: is also found with a document's converter", async () => {
    const asks: unknown[] = [];
    const app = created();
    app.use(
      new OpenApiMiddleware({
        info: { title: "t", version: "1" },
        jsonSchemaOf: (schema) => (asks.push(schema), toJsonSchema(schema)),
      }),
    );
    const query = v.object({ ids: v.array(v.string()) });
    app.get("/", { query }, (ctx) => ctx.input.query);
    assert.deepEqual(await asked(app, "/?ids=1"), [200, { ids: ["1"] }]);
    assert.deepEqual(
      [new Set(asks), app.routes()[0]?.contract?.query?.schema?.["required"]],
      [new Set([query]), ["ids"]],
    );
  });
});

describe("closed schemas of a group and a route", () => {
  const pairs: Readonly<Record<string, readonly [Schema, Schema]>> = {
    Zod: [z.strictObject({ tenant: z.string() }), z.strictObject({ page: z.string() })],
    Valibot: [v.strictObject({ tenant: v.string() }), v.strictObject({ page: v.string() })],
    ArkType: [type({ "+": "reject", tenant: "string" }), type({ "+": "reject", page: "string" })],
    TypeBox: [
      Type.Object({ tenant: Type.String() }, { additionalProperties: false }),
      Type.Object({ page: Type.String() }, { additionalProperties: false }),
    ],
    "Zod in Valibot": [v.strictObject({ tenant: v.string() }), z.strictObject({ page: z.string() })],
  };
  for (const [what, [outer, inner]] of Object.entries(pairs))
    test(`each get their own names and the undeclared ones: ${what}`, async () => {
      const app = created({ compileSchema: Compile });
      const shared = { query: outer, headers: z.strictObject({ "x-a": z.string() }), cookies: outer };
      app.group("/g", shared, (api) =>
        api.get(
          "",
          { query: inner, headers: z.strictObject({ "x-b": z.string() }), cookies: inner },
          (ctx) => ctx.input,
        ),
      );
      const headers = { "x-a": "1", "x-b": "2", cookie: "tenant=t; page=p" };
      const both = { tenant: "t", page: "p" };
      assert.deepEqual(await asked(app, "/g?tenant=t&page=p", headers), [
        200,
        { query: both, headers: { "x-a": "1", "x-b": "2" }, cookies: both },
      ]);
      const statuses = ["tenant=t&page=p&x=1", "tenant=t", "page=p"].map(
        async (query) => (await asked(app, `/g?${query}`, headers))[0],
      );
      assert.deepEqual(await Promise.all(statuses), [422, 422, 422]);
    });
});

describe("texts for a JSON Schema", () => {
  const Kind = Type.Union([Type.Literal("auto"), Type.Literal(2), Type.Boolean()]);
  const Named = Type.Object({
    n: Type.Number(),
    flag: Type.Boolean(),
    list: Type.Array(Type.Integer()),
    kind: Kind,
    text: Type.String(),
    either: Type.Union([Type.Number(), Type.String()]),
    code: Type.Enum([1, 2]),
  });
  const app = created({ compileSchema: Compile })
    .get("/{n}", { params: Type.Object({ n: Type.Integer() }), query: Type.Partial(Named) }, (ctx) => ({
      ...ctx.input,
    }))
    .post("/", { body: form(Compile(Type.Partial(Named))) }, (ctx) => ctx.input.body)
    .get(
      "/",
      { headers: Type.Object({ "x-n": Type.Number() }), cookies: Type.Object({ n: Type.Number() }) },
      (ctx) => ({ ...ctx.input }),
    );
  const query = "n=-1.5e2&flag=true&list=1&kind=2&text=1&either=1&code=2";
  const values = { n: -150, flag: true, list: [1], kind: 2, text: "1", either: "1", code: 2 };

  test("become the declared numbers and booleans, in every part", async () => {
    assert.deepEqual(await asked(app, `/7?${query}`), [200, { params: { n: 7 }, query: values }]);
    const sent = await app.request("/", { method: "POST", body: new URLSearchParams(query) });
    assert.deepEqual(await sent.json(), values);
    assert.deepEqual(await asked(app, "/", { "x-n": "1", cookie: "n=2" }), [
      200,
      { headers: { "x-n": 1 }, cookies: { n: 2 } },
    ]);
  });

  test("stay texts when the schema accepts them, or they are not in JSON notation", async () => {
    assert.deepEqual((await asked(app, "/7?kind=auto&kind=2"))[0], 422);
    assert.deepEqual(await asked(app, "/7?kind=auto"), [200, { params: { n: 7 }, query: { kind: "auto" } }]);
    for (const wrong of [
      "n=05",
      "n=0x1",
      "n=%2B1",
      "n=",
      "n=1e999",
      "n=Infinity",
      "flag=1",
      "flag=TRUE",
      "code=3",
      "list=a",
    ])
      assert.equal((await asked(app, `/7?${wrong}`))[0], 422, wrong);
  });
});

describe("an optional body", () => {
  const Line = z.object({ sku: z.string() });
  const app = created({ compileSchema: Compile })
    .post("/optional", { body: Line.optional() }, (ctx) => ({ body: ctx.input.body ?? null }))
    .post("/default", { query: z.object({}), body: Line.default({ sku: "a" }) }, (ctx) => ({ body: ctx.input.body }))
    .post("/valibot", { body: v.optional(v.object({ sku: v.string() })) }, (ctx) => ({ body: ctx.input.body ?? null }))
    .post("/typebox", { body: Type.Optional(Type.Object({ sku: Type.String() })) }, (ctx) => ({
      body: ctx.input.body ?? null,
    }))
    .post("/form", { body: form(Line.optional()) }, (ctx) => ({ body: ctx.input.body ?? null }))
    .post("/required", { body: z.any() }, (ctx) => ({ body: ctx.input.body as unknown }));
  const posted = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const response = await app.request(path, { method: "POST", ...init });
    return response.status === 200 ? response.json() : response.status;
  };
  const json = { headers: { "content-type": "application/json" } };

  test("is the schema's result for undefined, with any type", async () => {
    const seen = ["/optional", "/default", "/valibot", "/typebox", "/form", "/required"].map((path) => posted(path));
    const typed = ["/optional", "/required"].map((path) => posted(path, { ...json, body: "" }));
    const none = { body: null };
    assert.deepEqual(await Promise.all([...seen, ...typed]), [
      none,
      { body: { sku: "a" } },
      none,
      none,
      none,
      415,
      none,
      400,
    ]);
  });

  test("is checked like any other when it is sent", async () => {
    const lamp = JSON.stringify({ sku: "lamp" });
    const seen = [
      await posted("/optional", { ...json, body: lamp }),
      await posted("/optional", { ...json, body: "{}" }),
      await posted("/optional", { ...json, body: "{" }),
      await posted("/optional", { body: lamp }),
      await posted("/typebox", { ...json, body: lamp }),
      await posted("/form", { body: new URLSearchParams("sku=lamp") }),
    ];
    const sent = { body: { sku: "lamp" } };
    assert.deepEqual(seen, [sent, 422, 400, 415, sent, sent]);
  });
});
