/** How the parts of a request reach their schemas, and how what several schemas make of one part is merged (CONTRACT). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { describe, test } from "node:test";
import { Type } from "typebox";
import { z } from "zod";
import { Framework, type FrameworkOptions } from "../index.ts";

const created = (options: FrameworkOptions = {}): Framework =>
  Framework.create({ logger: { error: () => undefined, warn: () => undefined }, ...options });

/** The status of a response, and its JSON: the issues alone where it has some. */
async function asked(app: Framework, path: string, headers: HeadersInit = {}): Promise<readonly [number, unknown]> {
  const response = await app.fetch(new Request(`http://app${path}`, { headers }));
  const value = (await response.json()) as { errors?: readonly { in: string; message: string }[] };
  return [response.status, value.errors?.map((one) => `${one.in} ${one.message}`) ?? value];
}

/** A schema without properties, as a function that shows what it was given. */
const given = (value: unknown): unknown => ({ ...(value as object) });

describe("the headers of a request", () => {
  const named = z.object({ "x-a": z.string().optional(), "x-list": z.array(z.string()).optional() });
  const app = created().get("/named", { headers: named }, (ctx) => {
    const { headers } = ctx.input;
    return { headers, names: Object.keys(headers) };
  });

  test("CONTRACT-029: where the schema says array a header is a list, also where it comes once", async () => {
    const headers = { "x-a": "1", "x-list": "2" };
    assert.deepEqual(await asked(app, "/named", headers), [
      200,
      { headers: { "x-a": "1", "x-list": ["2"] }, names: ["x-a", "x-list"] },
    ]);
  });

  test("CONTRACT-001: a header that does not come is not there, nor is an empty list of it", async () => {
    assert.deepEqual(await asked(app, "/named", { "x-other": "1" }), [200, { headers: {}, names: [] }]);
  });

  test("CONTRACT-001: a schema that names none gets them all, by their names in lower case", async (t) => {
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
  /** A route whose query is held against both. */
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
    test(`CONTRACT-014, CONTRACT-036: each sees the value and may reject it, ${how}`, async () => {
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
    test(`CONTRACT-014: objects merge, and what is none is the inner one's alone: ${what}`, async () => {
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

  test("CONTRACT-003: where both are synchronous the handler runs in the same turn", () => {
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
    test(`CONTRACT-015: that nothing compiles is named by its route and its part: ${part}`, async () => {
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

    test(`CONTRACT-038: that never settles is named in the log by its route and its part: ${part}`, async () => {
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

  test("CONTRACT-004: has its issues in the order of the parts, whichever of them settles last", async () => {
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
