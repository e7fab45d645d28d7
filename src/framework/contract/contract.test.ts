/** Unit tests of contracts: the handler's input, rejected requests, and their responses (CONTRACT). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type } from "arktype";
import { expectTypeOf } from "expect-type";
import { Type, type Static, type TSchema } from "typebox";
import { Compile } from "typebox/compile";
import * as v from "valibot";
import { z } from "zod";
import {
  contract,
  form,
  Framework,
  type Context,
  type ContextOf,
  type FrameworkOptions,
  type JsonSchema,
  type Responded,
} from "../index.ts";
import { type BodyType, pointerOf } from "./schema.ts";

declare module "./schema.ts" {
  interface SchemaTypes<S> {
    typebox: S extends TSchema ? Static<S> : never;
  }
}

const quiet = { error: () => undefined, warn: () => undefined };
const created = (options: FrameworkOptions = {}): Framework => Framework.create({ logger: quiet, ...options });

/** The status and the JSON of the response to a request. */
async function asked(
  app: Framework,
  path: string,
  init: RequestInit & { readonly json?: unknown } = {},
): Promise<readonly [status: number, body: unknown]> {
  const { json, headers, ...rest } = init;
  const body = json === undefined ? {} : { body: JSON.stringify(json), method: "POST" };
  const type = json === undefined ? {} : { "content-type": "application/json" };
  const request = new Request(`http://app${path}`, { ...body, ...rest, headers: { ...type, ...headers } });
  const response = await app.fetch(request);
  const text = await response.text();
  return [response.status, text === "" ? undefined : (JSON.parse(text) as unknown)];
}

describe("ctx.input", () => {
  const app = created().post(
    "/orders/{id}/lines",
    {
      params: z.object({ id: z.coerce.number().int() }),
      query: z.object({ notify: z.stringbool().default(false), tag: z.array(z.string()).default([]) }),
      headers: z.object({ "idempotency-key": z.string().min(3) }),
      cookies: z.object({ session: z.string() }),
      body: z.object({ sku: z.string(), quantity: z.number().int().positive() }),
    },
    (ctx) => {
      const { params, query, headers, cookies, body } = ctx.input;
      expectTypeOf(params).toEqualTypeOf<{ id: number }>();
      expectTypeOf(query).toEqualTypeOf<{ notify: boolean; tag: string[] }>();
      expectTypeOf(headers).toEqualTypeOf<{ "idempotency-key": string }>();
      expectTypeOf(cookies).toEqualTypeOf<{ session: string }>();
      expectTypeOf(body).toEqualTypeOf<{ sku: string; quantity: number }>();
      return { params, query, headers, cookies, body };
    },
  );
  const headers = { "idempotency-key": "abc", cookie: "a=1; session=s%201; session=2" };

  test("CONTRACT-001: has every declared part as its schema returns it", async () => {
    assert.deepEqual(
      await asked(app, "/orders/7/lines?notify=yes&tag=x", { headers, json: { sku: "a", quantity: 2, more: 1 } }),
      [
        200,
        {
          params: { id: 7 },
          query: { notify: true, tag: ["x"] },
          headers: { "idempotency-key": "abc" },
          cookies: { session: "s 1" },
          body: { sku: "a", quantity: 2 },
        },
      ],
    );
  });

  test("CONTRACT-004: names the issues of every part in one 422", async () => {
    const [status, problem] = await asked(app, "/orders/x/lines?notify=perhaps", { json: { sku: 1, quantity: 0 } });
    assert.equal(status, 422);
    const { title, detail, errors } = problem as {
      title: string;
      detail: string;
      errors: { in: string; pointer: string; path: string[] }[];
    };
    assert.equal(title, "Unprocessable Content");
    assert.equal(detail, "the request does not fit its contract");
    assert.deepEqual(
      errors.map((issue) => `${issue.in} ${issue.pointer}`),
      ["params /id", "query /notify", "headers /idempotency-key", "cookies /session", "body /sku", "body /quantity"],
    );
    assert.deepEqual(errors[0]?.path, ["id"]);
  });

  /** A schema that always has these issues. */
  const rejecting = (issues: readonly object[]) =>
    ({ "~standard": { version: 1, vendor: "test", validate: () => ({ issues }) } }) as const;
  const many = (length: number, message = "x"): readonly object[] =>
    Array.from({ length }, (_, at) => ({ path: [at], message }));
  /** The listed issues of a part, and the number of further ones. */
  async function listed(declared: { readonly query?: BodyType; readonly body: BodyType }): Promise<unknown> {
    const limited = created().post("/", declared, () => "unreachable");
    const [status, problem] = await asked(limited, "/", { json: [1] });
    const { errors, moreErrors } = problem as { errors: { in: string }[]; moreErrors?: number };
    const of = (part: string): number => errors.filter((one) => one.in === part).length;
    return [status, { query: of("query"), body: of("body"), more: moreErrors }];
  }

  test("CONTRACT-039: lists 100 issues at most, and the number of further ones", async () => {
    const query = rejecting(many(2));
    const half = rejecting(many(450_000));
    const seen = [
      await listed({ body: rejecting(many(100)) }),
      await listed({ body: half }),
      await listed({ query, body: half }),
    ];
    assert.deepEqual(seen, [
      [422, { query: 0, body: 100, more: undefined }],
      [422, { query: 0, body: 100, more: 449_900 }],
      [422, { query: 2, body: 98, more: 449_902 }],
    ]);
  });

  test("CONTRACT-039: reads no more issues than it lists from a lazy list", async () => {
    let found = 0;
    const endless = function* () {
      for (;;) yield { path: [], message: String((found += 1)) };
    };
    const body = { Check: () => false, Errors: endless };
    assert.deepEqual([await listed({ body }), found], [[422, { query: 0, body: 100, more: 1 }], 101]);
  });

  test("lists no more issues after 65,536 characters", async () => {
    const name = "n".repeat(400_000);
    const long = rejecting(Array.from({ length: 100 }, () => ({ path: [name], message: "x" })));
    const told = rejecting(many(100, "m".repeat(1_000)));
    const seen = [await listed({ body: long }), await listed({ body: told })];
    assert.deepEqual(seen, [
      [422, { query: 0, body: 1, more: 99 }],
      [422, { query: 0, body: 66, more: 34 }],
    ]);
  });

  const malformed: Readonly<Record<string, readonly [number, RequestInit]>> = {
    "a body that is not JSON": [400, { method: "POST", headers: { "content-type": "application/json" }, body: "{" }],
    "no body": [400, { method: "POST", headers: { "content-type": "application/json" } }],
    "another media type": [415, { method: "POST", headers: { "content-type": "text/plain" }, body: "a" }],
    "a body over the limit": [
      413,
      { method: "POST", headers: { "content-type": "application/json" }, body: `"${"x".repeat(2_000_000)}"` },
    ],
  };
  for (const [what, [status, init]] of Object.entries(malformed))
    test(`CONTRACT-005: ${what} is ${status} before any schema runs`, async () => {
      assert.equal((await asked(app, "/orders/x/lines?notify=perhaps", init))[0], status);
    });

  test("CONTRACT-006: a repeated value is a list, so that no schema overlooks one", async () => {
    const [status, problem] = await asked(app, "/orders/1/lines?notify=yes&notify=no", {
      headers,
      json: { sku: "a", quantity: 1 },
    });
    assert.deepEqual([status, (problem as { errors: { pointer: string }[] }).errors.length], [422, 1]);
  });

  test("leaves undeclared parts undefined, and reads no body for them", async () => {
    const seen: unknown[] = [];
    const bare = created().post("/a", { query: z.object({}) }, (ctx) => {
      expectTypeOf(ctx.input.body).toEqualTypeOf<undefined>();
      seen.push(ctx.input.body, ctx.input.params, ctx.bodyIfRead());
      return "";
    });
    await bare.fetch(new Request("http://app/a", { method: "POST", body: "{" }));
    assert.deepEqual(seen, [undefined, undefined, undefined]);
  });

  test("a synchronous contract without a body runs the handler in the same turn", () => {
    const order: string[] = [];
    const sync = created().get("/a/{id}", { params: z.object({ id: z.string() }) }, () => void order.push("handled"));
    void sync.fetch(new Request("http://app/a/1"));
    order.push("returned");
    assert.deepEqual(order.slice(0, 1), ["handled"]);
  });

  test("CONTRACT-007: a form's fields are its body", async () => {
    const forms = created().post(
      "/a",
      { body: form(z.object({ name: z.string(), tag: z.array(z.string()) })) },
      (ctx) => {
        expectTypeOf(ctx.input.body).toEqualTypeOf<{ name: string; tag: string[] }>();
        return ctx.input.body;
      },
    );
    const sent = { method: "POST", body: new URLSearchParams("name=a+b%26&tag=1") };
    assert.deepEqual(await asked(forms, "/a", sent), [200, { name: "a b&", tag: ["1"] }]);
    assert.equal((await asked(forms, "/a", { json: {} }))[0], 415);
    const broken = {
      method: "POST",
      body: "name=%zz",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    };
    assert.deepEqual((await asked(forms, "/a", broken))[0], 400);
  });

  test("CONTRACT-008: QUERY accepts the type of its contract's body, and advertises it", async () => {
    const search = created().query("/search", { body: z.object({ text: z.string() }) }, (ctx) => ctx.input.body);
    const sent = { method: "QUERY", headers: { "content-type": "text/plain" }, body: "x" };
    const response = await search.fetch(new Request("http://app/search", sent));
    assert.deepEqual([response.status, response.headers.get("accept-query")], [415, "application/json"]);
  });
});

describe("schemas", () => {
  const Line = Type.Object({ sku: Type.String(), quantity: Type.Integer({ minimum: 1 }) });
  // A separate constant, because in place TypeBox would infer its result type from there.
  const compiled = Compile(Line);
  const handWritten: JsonSchema = JSON.parse(JSON.stringify(Line));
  const json = { sku: "a", quantity: 2 };
  const wrong = { sku: "a", quantity: "2" };
  type Expected = { sku: string; quantity: number };
  const app = created({ compileSchema: Compile })
    .post("/zod", { body: z.object({ sku: z.string(), quantity: z.number() }) }, (ctx) => {
      expectTypeOf(ctx.input.body).toEqualTypeOf<Expected>();
      return ctx.input.body;
    })
    .post("/valibot", { body: v.object({ sku: v.string(), quantity: v.number() }) }, (ctx) => {
      expectTypeOf(ctx.input.body).toEqualTypeOf<Expected>();
      return ctx.input.body;
    })
    .post("/arktype", { body: type({ sku: "string", quantity: "number" }) }, (ctx) => {
      expectTypeOf(ctx.input.body).toEqualTypeOf<Expected>();
      return ctx.input.body;
    })
    .post("/typebox", { body: Line }, (ctx) => {
      expectTypeOf(ctx.input.body).toEqualTypeOf<Expected>();
      return ctx.input.body;
    })
    .post("/compiled", { body: compiled }, (ctx) => {
      expectTypeOf(ctx.input.body).toEqualTypeOf<Expected>();
      return ctx.input.body;
    })
    .post("/json-schema", { body: handWritten }, (ctx) => {
      expectTypeOf(ctx.input.body).toEqualTypeOf<unknown>();
      return ctx.input.body;
    })
    .post(
      "/parse",
      { body: { parse: (value: unknown) => z.object({ sku: z.string(), quantity: z.number() }).parse(value) } },
      (ctx) => {
        expectTypeOf(ctx.input.body).toEqualTypeOf<Expected>();
        return ctx.input.body;
      },
    )
    .post("/function", { body: (value: unknown): value is Expected => (value as Expected).quantity === 2 }, (ctx) => {
      expectTypeOf(ctx.input.body).toEqualTypeOf<Expected>();
      return ctx.input.body;
    });
  for (const name of ["zod", "valibot", "arktype", "typebox", "compiled", "json-schema", "parse", "function"])
    test(`a schema of ${name} types, accepts and rejects`, async () => {
      assert.deepEqual(await asked(app, `/${name}`, { json }), [200, json]);
      const [status, problem] = await asked(app, `/${name}`, { json: wrong });
      const [issue] = (problem as { errors: { in: string; pointer: string; message: string }[] }).errors;
      assert.deepEqual([status, issue?.in, issue?.pointer], [422, "body", name === "function" ? "" : "/quantity"]);
      assert.ok((issue?.message.length ?? 0) > 3);
    });

  test("an asynchronous schema is awaited, together with the issues of the others", async () => {
    const later = z.object({ id: z.string().refine(async (id) => (await Promise.resolve(id)) !== "2") });
    const late = created().get(
      "/a/{id}",
      { params: later, query: z.object({ q: z.string() }) },
      (ctx) => ctx.input.params,
    );
    assert.deepEqual(await asked(late, "/a/1?q="), [200, { id: "1" }]);
    const [status, problem] = await asked(late, "/a/2");
    assert.deepEqual(
      [status, (problem as { errors: { in: string }[] }).errors.map((one) => one.in).toSorted()],
      [422, ["params", "query"]],
    );
  });

  test("a throwing schema is the app's own fault: 500, and a log line", async () => {
    const errors: unknown[] = [];
    const throwing = {
      "~standard": {
        version: 1,
        vendor: "x",
        validate: () => {
          throw new Error("boom");
        },
      },
    } as const;
    const app = Framework.create({ logger: { error: (_line, error) => void errors.push(String(error)) } });
    app.get("/a", { query: throwing }, () => "");
    assert.equal((await asked(app, "/a"))[0], 500);
    assert.deepEqual(errors, ["Error: boom"]);
  });
});

describe("ctx.reply", () => {
  const Order = z.object({ id: z.string() });
  const Conflict = z.object({ reason: z.string() });
  const app = created()
    .post("/orders", { responses: { 201: Order, 204: null, 409: Conflict } }, (ctx) => {
      const kind = ctx.queryParam("kind");
      if (kind === "conflict") return ctx.reply(409, { reason: "taken" });
      if (kind === "empty") return ctx.reply(204);
      // @ts-expect-error -- 500 is not in the contract
      if (kind === "never") return ctx.reply(500, {});
      // @ts-expect-error -- a 201 has an id
      if (kind === "never") return ctx.reply(201, { reason: "" });
      return ctx.reply(201, { id: "o-1" });
    })
    .get("/plain", { responses: { 200: Order } }, () => ({ id: "o-2" }))
    // @ts-expect-error -- a plain return is the 2xx of the contract
    .get("/wrong", { responses: { 200: Order } }, () => ({ reason: "" }))
    .get("/any", (ctx) => ctx.reply(202, { any: 1 }));

  test("CONTRACT-012: sends a status with the JSON declared for it", async () => {
    assert.deepEqual(await asked(app, "/orders", { method: "POST" }), [201, { id: "o-1" }]);
    assert.deepEqual(await asked(app, "/orders?kind=conflict", { method: "POST" }), [409, { reason: "taken" }]);
    assert.deepEqual(await asked(app, "/orders?kind=empty", { method: "POST" }), [204, undefined]);
    assert.deepEqual(await asked(app, "/plain"), [200, { id: "o-2" }]);
    assert.deepEqual(await asked(app, "/any"), [202, { any: 1 }]);
  });
});

describe("contract", () => {
  const show = contract({
    params: z.object({ id: z.coerce.number() }),
    responses: { 200: z.object({ id: z.number() }) },
  });
  class Orders {
    show(ctx: ContextOf<typeof show>): Responded {
      return ctx.reply(200, { id: ctx.input.params.id });
    }
    other(ctx: ContextOf<{ params: typeof show.params; body: typeof show.params }>): unknown {
      return ctx.input.body;
    }
    plain(ctx: Context<"id">): { id: number } {
      return { id: ctx.pathParamAsInt("id") };
    }
    text(ctx: Context<"id">): string {
      return ctx.pathParam("id");
    }
  }

  test("types the method of a bean by its contract", () => {
    const app = created();
    app.get("/a/{id}", show, [Orders, "show"]);
    app.get("/b/{id}", show, [Orders, "plain"]);
    // @ts-expect-error -- what that method returns is no 200 of the contract
    app.get("/d/{id}", show, [Orders, "text"]);
    // @ts-expect-error -- that method wants a body that the contract does not declare
    app.get("/c/{id}", show, [Orders, "other"]);
    expectTypeOf<Parameters<Orders["show"]>[0]["input"]["params"]>().toEqualTypeOf<{ id: number }>();
    assert.deepEqual(
      app.routes().map(({ path }) => path),
      ["/a/{id}", "/b/{id}", "/c/{id}", "/d/{id}"],
    );
  });
});

describe("shared contracts of a group", () => {
  test("come before the route's parts and merge with them", async () => {
    const app = created().group(
      "/admin",
      { headers: z.object({ "x-tenant": z.string() }), tags: ["admin"], meta: { role: "admin", audit: true } },
      (api) =>
        api
          .get("/a", { headers: z.object({ "x-more": z.string() }), meta: { role: "owner" } }, (ctx) => {
            expectTypeOf(ctx.input.headers).toExtend<{ "x-tenant": string; "x-more": string }>();
            return { headers: ctx.input.headers, meta: ctx.meta };
          })
          .get("/b", (ctx) => {
            expectTypeOf(ctx.input.headers).toEqualTypeOf<{ "x-tenant": string }>();
            return ctx.meta;
          }),
    );
    const headers = { "x-tenant": "t", "x-more": "m" };
    assert.deepEqual(await asked(app, "/admin/a", { headers }), [
      200,
      { headers: { "x-tenant": "t", "x-more": "m" }, meta: { role: "owner", audit: true } },
    ]);
    assert.deepEqual(await asked(app, "/admin/b", { headers }), [200, { role: "admin", audit: true }]);
    assert.equal((await asked(app, "/admin/b"))[0], 422);
  });
});

describe("an invalid contract", () => {
  const rejected: Readonly<Record<string, readonly [string, () => unknown]>> = {
    "a params schema that names no parameter of the path": [
      "GET /a/{id}: its params name {order}, which is not in the path: it has {id}",
      () => created().get("/a/{id}", { params: z.object({ order: z.string() }) }, () => ""),
    ],
    "params of a path without parameters": [
      "GET /a: its params name parameters of the path, and it has none",
      () => created().get("/a", { params: z.object({}) }, () => ""),
    ],
    "a header in upper case": [
      'GET /a: its headers name "X-Tenant": write "x-tenant"',
      () => created().get("/a", { headers: z.object({ "X-Tenant": z.string() }) }, () => ""),
    ],
    "a body of GET": [
      "GET /a: its body cannot be: GET has none; QUERY is the GET with a body",
      () => created().get("/a", { body: z.string() }, () => ""),
    ],
    "a body of HEAD": [
      "HEAD /a: its body cannot be: HEAD has none; QUERY is the GET with a body",
      () => created().head("/a", { body: z.string() }, () => ""),
    ],
    "a params schema that lacks a parameter of the path": [
      "GET /a/{id}/{line}: its params lack {line}, which is in the path: it has {id}, {line}",
      () => created().get("/a/{id}/{line}", { params: z.object({ id: z.string() }) }, () => ""),
    ],
    "a query that accepts no object": [
      "GET /a: its query takes no object: values by their names are what a schema gets there",
      () => created().get("/a", { query: z.string() }, () => ""),
    ],
    ...Object.fromEntries(
      ["params", "headers", "cookies"].map((part) => [
        `${part} that take no object`,
        [
          `GET /a/{id}: its ${part} takes no object: values by their names are what a schema gets there`,
          () => created().get("/a/{id}", { [part]: z.string() }, () => ""),
        ],
      ]),
    ),
    ...Object.fromEntries(
      [205, 304].map((status) => [
        `a response ${status} that has a schema`,
        [
          `POST /a: its response ${status} has a schema, and no content: write null`,
          () => created().post("/a", { responses: { [status]: z.string() } }, (ctx) => ctx.text("")),
        ],
      ]),
    ),
    ...Object.fromEntries(
      ["1200", "2000", "600", "100"].map((status) => [
        `a response of the status ${status}`,
        [
          `POST /a: its responses name the status ${status}: 200 to 599 is allowed`,
          () => created().post("/a", { responses: { [status]: null } }, (ctx) => ctx.text("")),
        ],
      ]),
    ),
    "a form that accepts no object": [
      "POST /a: its body takes no object: values by their names are what a schema gets there",
      () => created().post("/a", { body: form(z.array(z.string())) }, () => ""),
    ],
    "a QUERY that accepts no type of its body": [
      "QUERY /a: it accepts text/plain, and its body is JSON: application/json is allowed",
      () => created().query("/a", { accept: ["text/plain"], body: z.string() }, () => ""),
    ],
    "a QUERY that accepts no type of its form": [
      "QUERY /a: it accepts application/json, and its body is a form: application/x-www-form-urlencoded is allowed",
      () => created().query("/a", { accept: ["application/json"], body: form(z.object({})) }, () => ""),
    ],
    "a response that has a schema and no content": [
      "POST /a: its response 204 has a schema, and no content: write null",
      () => created().post("/a", { responses: { 204: z.string() } }, (ctx) => ctx.text("")),
    ],
    "a response of no final status": [
      "POST /a: its responses name the status 103: 200 to 599 is allowed",
      () => created().post("/a", { responses: { 103: null } }, (ctx) => ctx.text("")),
    ],
    "a Standard Schema that validates nothing": [
      "POST /a: its body is a Standard Schema without validate: nothing can be held against it",
      () => created().post("/a", { body: { "~standard": { version: 1 } } as never }, () => ""),
    ],
    "half a TypeBox validator": [
      "POST /a: its body is a TypeBox validator without Check or Errors: nothing can be held against it",
      () => created().post("/a", { body: { Check: () => true } as never }, () => ""),
    ],
    "an invalid status": [
      "GET /a: its responses name the status 99: 200 to 599 is allowed",
      () => created().get("/a", { responses: { 99: z.string() } }, (ctx) => ctx.text("")),
    ],
    "an invalid schema": [
      "POST /a: its body is string: a Standard Schema, a compiled TypeBox validator, an object with parse, a function or a JSON Schema is allowed",
      () => created().post("/a", { body: "string" as never }, () => ""),
    ],
    ...Object.fromEntries(
      [null, 1, [], {}].map((schema) => [
        `a schema that is ${JSON.stringify(schema)}`,
        [
          `POST /a: its body is ${schema === null ? "null" : typeof schema}: a Standard Schema, a compiled TypeBox validator, an object with parse, a function or a JSON Schema is allowed`,
          () => created().post("/a", { body: schema as never }, () => ""),
        ],
      ]),
    ),
    "an invalid schema of a response": [
      "GET /a: its response 200 is string: a Standard Schema, a compiled TypeBox validator, an object with parse, a function or a JSON Schema is allowed",
      () => created().get("/a", { responses: { 200: "string" as unknown as z.ZodString } }, () => ""),
    ],
    ...Object.fromEntries(
      [null, "validate", { validate: true }, undefined].map((standard) => [
        `a Standard Schema that is ${JSON.stringify(standard)}`,
        [
          "POST /a: its body is a Standard Schema without validate: nothing can be held against it",
          () => created().post("/a", { body: { "~standard": standard } as never }, () => ""),
        ],
      ]),
    ),
    ...Object.fromEntries(
      ["type", "properties", "anyOf", "allOf", "oneOf", "enum", "const", "$ref", "~kind"].map((keyword) => [
        `a JSON Schema that has ${keyword} alone, and that nothing compiles`,
        [
          "POST /a: its body is a JSON Schema, and nothing compiles it: Framework.create({ compileSchema: Compile }) with TypeBox's Compile does",
          () =>
            created()
              .post("/a", { body: { [keyword]: [] } }, () => "")
              .ready(),
        ],
      ]),
    ),
    "a JSON Schema that cannot be compiled": [
      "POST /a: its body cannot be compiled: no such keyword",
      () =>
        created({
          compileSchema: () => {
            throw new Error("no such keyword");
          },
        })
          .post("/a", { body: { type: "string" } }, () => "")
          .ready(),
    ],
    "a JSON Schema whose compiler throws a text": [
      "POST /a: its body cannot be compiled: no such keyword",
      () =>
        created({
          compileSchema: () => {
            // eslint-disable-next-line no-throw-literal, typescript/only-throw-error -- what a compiler throws is its own business
            throw "no such keyword";
          },
        })
          .post("/a", { body: { type: "string" } }, () => "")
          .ready(),
    ],
    "a JSON Schema without a compiler": [
      "POST /a: its body is a JSON Schema, and nothing compiles it: Framework.create({ compileSchema: Compile }) with TypeBox's Compile does",
      () =>
        created()
          .post("/a", { body: Type.String() }, () => "")
          .ready(),
    ],
    "one operationId for two routes": [
      'GET /a and GET /b have the operationId "one": each route has its own',
      () =>
        created()
          .get("/a", { operationId: "one" }, () => "")
          .get("/b", { operationId: "one" }, () => "")
          .ready(),
    ],
  };
  for (const [what, [message, make]] of Object.entries(rejected))
    test(`is rejected with ${what}, before any request`, async () => {
      await assert.rejects(async () => make(), { name: "TypeError", code: "CONTRACT_INVALID", message });
    });

  test("does not reject a contract that requests can fulfil", async () => {
    const app = created({ compileSchema: Compile })
      .get("/open/{id}/{more}", { params: z.looseObject({ id: z.string() }) }, (ctx) => ctx.input.params)
      .get("/record/{id}", { params: z.record(z.string(), z.string()) }, (ctx) => ctx.input.params)
      .get("/function/{id}", { params: (value: unknown) => value }, (ctx) => ctx.input.params)
      .query("/ranges", { accept: ["text/plain", "application/*"], body: z.string() }, (ctx) => ctx.input.body)
      .query("/json", { accept: ["application/problem+json"], body: z.string() }, (ctx) => ctx.input.body)
      .post("/checks", { body: Object.assign((value: unknown) => value, { Check: 1 }) }, (ctx) => ctx.input.body);
    assert.deepEqual(await asked(app, "/checks", { json: 1 }), [200, 1]);
    assert.deepEqual(await asked(app, "/open/1/2"), [200, { id: "1", more: "2" }]);
    assert.deepEqual(await asked(app, "/record/1"), [200, { id: "1" }]);
    assert.deepEqual(await asked(app, "/function/1"), [200, { id: "1" }]);
  });

  test("names the wrong order of options and handler", () => {
    const app = created();
    assert.throws(() => app.get("/a", (() => "") as never, { tags: [] } as never), {
      code: "ROUTE_OPTIONS",
      message: "GET /a has its options behind its handler: (path, options, handler) is the order",
    });
  });
});

describe("response checks", () => {
  const Order = z.object({ id: z.string() });
  const build = (
    options: FrameworkOptions,
  ): { readonly app: Framework; readonly lines: string[]; readonly issues: unknown[] } => {
    const lines: string[] = [];
    const issues: unknown[] = [];
    const app = Framework.create({
      ...options,
      logger: { warn: (line) => void lines.push(line), error: (line) => void lines.push(line) },
    });
    app.use(async (ctx, next) => {
      ctx.onComplete(() => void issues.push(ctx.attribute("contractIssues")));
      await next();
    });
    app
      .get("/ok", { responses: { 200: Order } }, () => ({ id: "1" }))
      .get("/wrong", { responses: { 200: Order } }, (ctx) => ctx.json({ id: 1, secret: "s3cr3t" }))
      .get("/status", { responses: { 200: Order } }, (ctx) => ctx.status(201).json({ id: "1" }))
      .get("/teapot", { responses: { 200: Order } }, (ctx) => ctx.reply(418 as never, {} as never))
      .get("/empty", { responses: { 204: null } }, (ctx) =>
        ctx
          .json({ a: 1 })
          .status(204 as never)
          .status(200),
      )
      .get("/missing", { responses: { 200: Order } }, () => {
        throw new Error("bad");
      })
      .get("/late", { responses: { 200: z.object({ id: z.string().refine(async () => false) }) } }, () => ({
        id: "1",
      }));
    return { app, lines, issues };
  };

  test("off checks nothing", async () => {
    const { app, lines } = build({ responseChecks: "off" });
    assert.deepEqual(await asked(app, "/wrong"), [200, { id: 1, secret: "s3cr3t" }]);
    assert.deepEqual(lines, []);
  });

  test("warn changes no byte, and logs once for each route and status", async () => {
    const { app, lines, issues } = build({ responseChecks: "warn" });
    assert.deepEqual(await asked(app, "/ok"), [200, { id: "1" }]);
    assert.deepEqual(await asked(app, "/wrong"), [200, { id: 1, secret: "s3cr3t" }]);
    await asked(app, "/wrong");
    assert.deepEqual(await asked(app, "/status"), [201, { id: "1" }]);
    assert.equal((await asked(app, "/teapot"))[0], 418);
    await asked(app, "/late");
    assert.equal((await asked(app, "/missing"))[0], 500);
    assert.deepEqual(lines, [
      "GET /wrong: the response 200 breaks its contract at /id: Invalid input: expected string, received number, and at /secret: not in the contract",
      "GET /status: the response 201 breaks its contract: the status 201 is not in the contract, which names 200",
      "GET /teapot: the response 418 breaks its contract: the status 418 is not in the contract, which names 200",
      "GET /late: the response 200 breaks its contract at /id: Invalid input",
      "GET /missing failed",
    ]);
    assert.deepEqual(
      issues.map((one) => one !== undefined),
      [false, true, true, true, true, true, false],
    );
  });

  test("CONTRACT-019: enforce responds 500 and reveals nothing of the value", async () => {
    const { app, lines } = build({ responseChecks: "enforce" });
    assert.deepEqual(await asked(app, "/ok"), [200, { id: "1" }]);
    const [status, problem] = await asked(app, "/wrong");
    assert.deepEqual([status, JSON.stringify(problem).includes("s3cr3t")], [500, false]);
    assert.equal(lines.length, 1);
  });
});

describe("pointerOf", () => {
  test("writes a path as a JSON pointer", () => {
    assert.deepEqual([pointerOf([]), pointerOf(["a/b", 0, "m~n"])], ["", "/a~1b/0/m~0n"]);
  });
});
