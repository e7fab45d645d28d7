/** Real schemas of libraries: their results, their error messages, and late ones (CONTRACT). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type } from "arktype";
import { expectTypeOf } from "expect-type";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import * as v from "valibot";
import { z } from "zod";
import { Framework, type FrameworkOptions, type JsonSchema, type StandardSchema } from "../index.ts";
import { HttpError } from "../internal/errors.ts";
import { check, checkerOf, isBodyType, listed } from "./schema.ts";

const quiet = { error: () => undefined, warn: () => undefined };
const created = (options: FrameworkOptions = {}): Framework => Framework.create({ logger: quiet, ...options });

/** The status and the JSON of the response to a body. */
async function posted(app: Framework, path: string, body: unknown): Promise<readonly [status: number, body: unknown]> {
  const headers = { "content-type": "application/json" };
  const request = new Request(`http://app${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const response = await app.fetch(request);
  return [response.status, await response.json()];
}

const pointersOf = (problem: unknown): readonly string[] =>
  (problem as { errors: { pointer: string }[] }).errors.map((issue) => issue.pointer);

describe("a schema that changes the value", () => {
  type Made = { at: number; tags: string[] };
  const app = created()
    .post(
      "/zod",
      { body: z.object({ at: z.string().transform(Number), tags: z.array(z.string()).default(["a"]) }) },
      (ctx) => {
        expectTypeOf(ctx.input.body).toEqualTypeOf<Made>();
        return ctx.input.body;
      },
    )
    .post(
      "/coerced",
      { body: z.object({ at: z.coerce.number(), tags: z.array(z.string()).default(["a"]) }) },
      (ctx) => {
        expectTypeOf(ctx.input.body).toEqualTypeOf<Made>();
        return ctx.input.body;
      },
    )
    .post(
      "/valibot",
      { body: v.object({ at: v.pipe(v.string(), v.transform(Number)), tags: v.optional(v.array(v.string()), ["a"]) }) },
      (ctx) => {
        expectTypeOf(ctx.input.body).toEqualTypeOf<Made>();
        return ctx.input.body;
      },
    )
    .post(
      "/arktype",
      { body: type({ at: "string.numeric.parse", tags: type("string[]").default(() => ["a"]) }) },
      (ctx) => {
        expectTypeOf(ctx.input.body).toEqualTypeOf<Made>();
        return ctx.input.body;
      },
    );
  for (const name of ["zod", "coerced", "valibot", "arktype"])
    test(`of ${name} passes its result to the handler`, async () => {
      assert.deepEqual(await posted(app, `/${name}`, { at: "7" }), [200, { at: 7, tags: ["a"] }]);
    });
});

describe("an issue inside a value", () => {
  const Lines = Type.Object({ "a/b": Type.Array(Type.Object({ "m~n": Type.Number() })) });
  const compiled = Compile(Lines);
  const handWritten: JsonSchema = JSON.parse(JSON.stringify(Lines));
  const app = created({ compileSchema: Compile })
    .post("/zod", { body: z.object({ "a/b": z.array(z.object({ "m~n": z.number() })) }) }, () => "")
    .post("/valibot", { body: v.object({ "a/b": v.array(v.object({ "m~n": v.number() })) }) }, () => "")
    .post("/arktype", { body: type({ "a/b": type({ "m~n": "number" }).array() }) }, () => "")
    .post("/typebox", { body: Lines }, () => "")
    .post("/compiled", { body: compiled }, () => "")
    .post("/json-schema", { body: handWritten }, () => "");
  for (const name of ["zod", "valibot", "arktype", "typebox", "compiled", "json-schema"])
    test(`CONTRACT-027, CONTRACT-028: of ${name} has its path step by step, and an escaped pointer`, async () => {
      const [status, problem] = await posted(app, `/${name}`, { "a/b": [{ "m~n": 1 }, { "m~n": "x" }] });
      assert.deepEqual([status, pointersOf(problem)], [422, ["/a~1b/1/m~0n"]]);
      assert.deepEqual((problem as { errors: { path: unknown }[] }).errors[0]?.path, ["a/b", 1, "m~n"]);
    });
});

describe("an asynchronous schema", () => {
  const isFree = async (name: string): Promise<boolean> => (await Promise.resolve(name)) !== "taken";
  const app = created()
    .post("/zod", { body: z.object({ name: z.string().refine(isFree) }) }, (ctx) => {
      expectTypeOf(ctx.input.body).toEqualTypeOf<{ name: string }>();
      return ctx.input.body;
    })
    .post("/valibot", { body: v.objectAsync({ name: v.pipeAsync(v.string(), v.checkAsync(isFree)) }) }, (ctx) => {
      expectTypeOf(ctx.input.body).toEqualTypeOf<{ name: string }>();
      return ctx.input.body;
    });
  for (const name of ["zod", "valibot"])
    test(`of ${name} is awaited`, async () => {
      assert.deepEqual(await posted(app, `/${name}`, { name: "free" }), [200, { name: "free" }]);
      const [status, problem] = await posted(app, `/${name}`, { name: "taken" });
      assert.deepEqual([status, pointersOf(problem)], [422, ["/name"]]);
    });

  /** A Standard Schema with that `validate`. */
  const standard = (validate: (value: unknown) => unknown): StandardSchema<unknown> => ({
    "~standard": { version: 1, vendor: "test", validate },
  });
  const logged = (): { readonly errors: string[]; readonly logger: FrameworkOptions["logger"] } => {
    const errors: string[] = [];
    return { errors, logger: { error: (line, error) => void errors.push(`${line}: ${String(error)}`) } };
  };

  test("that never settles causes a 500, and the log names route and part", async () => {
    const { errors, logger } = logged();
    const never = standard(() => new Promise(() => undefined));
    const app = created({ logger, timeouts: { requestMs: 5 } }).post("/a", { body: never }, () => "");
    assert.equal((await posted(app, "/a", {}))[0], 500);
    assert.deepEqual(errors, ["POST /a failed: Error: POST /a: its body: the schema did not settle within 5 ms"]);
  });

  test("that fails after another one threw does not end the process", async () => {
    const { errors, logger } = logged();
    const app = created({ logger }).get(
      "/a/{id}",
      {
        params: standard(() => Promise.reject(new Error("late"))),
        query: standard(() => {
          throw new Error("at once");
        }),
      },
      () => "",
    );
    const failures: unknown[] = [];
    const onFailure = (error: unknown): void => void failures.push(error);
    process.on("unhandledRejection", onFailure);
    const { status } = await app.fetch(new Request("http://app/a/1"));
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", onFailure);
    assert.deepEqual([status, errors, failures], [500, ["GET /a/{id} failed: Error: at once"], []]);
  });

  test("of a part has its issues in the order of the parts", async () => {
    const late = standard(async () => ({ issues: [{ message: "late" }] }));
    const soon = standard(() => ({ issues: [{ message: "soon" }] }));
    const app = created().group("/a", { query: late }, (api) =>
      api.post("/{id}", { params: late, query: soon, body: soon }, () => ""),
    );
    const [, problem] = await posted(app, "/a/1", {});
    assert.deepEqual(
      (problem as { errors: { in: string; message: string }[] }).errors.map((one) => `${one.in} ${one.message}`),
      ["params late", "query late", "query soon", "body soon"],
    );
  });
});

describe("isBodyType", () => {
  test("recognizes the four forms by their members", () => {
    const parse = (): unknown => 1;
    const those = [parse, { "~standard": {} }, { Check: 1 }, { parse }];
    assert.deepEqual([...those, null, undefined, "a", {}, { parse: 1 }, { other: parse }].map(isBodyType), [
      ...those.map(() => true),
      ...Array.from({ length: 6 }, () => false),
    ]);
  });
});

describe("checkerOf", () => {
  const rejectedWith = (message: string): unknown => ({ issues: [{ path: [], message }] });
  const throwing = (thrown: unknown) => (): never => {
    throw thrown;
  };

  test("a function rejects with false, keeps with true, and changes with anything else", async () => {
    assert.deepEqual(
      [check(1, () => false), check(1, () => true), check(1, () => 2), await check(1, async () => 3)],
      [rejectedWith("rejected"), { value: 1 }, { value: 2 }, { value: 3 }],
    );
  });

  test("an object with parse returns the value, or throws", async () => {
    const errors = [{ message: "wrong" }];
    const made = (parse: (value: unknown) => unknown): unknown => checkerOf({ parse })(1);
    assert.deepEqual(
      [
        made((value) => [value]),
        await made(async () => 2),
        made(throwing(new Error("wrong"))),
        made(throwing(null)),
        made(throwing({ issues: errors })),
        made(throwing({ errors })),
        made(throwing({ errors: "wrong" })),
        await made(() => Promise.reject(new Error("late"))),
      ],
      [
        { value: [1] },
        { value: 2 },
        rejectedWith("wrong"),
        rejectedWith("rejected"),
        { issues: errors },
        { issues: errors },
        rejectedWith("rejected"),
        rejectedWith("late"),
      ],
    );
  });

  test("an HttpError is passed on", async () => {
    const error = new HttpError(409, "taken");
    assert.throws(() => check(1, throwing(error)), error);
    await assert.rejects(async () => check(1, () => Promise.reject(error)), error);
  });

  test("a Standard Schema that does not return an object has no value", () => {
    const results = ["a", null, undefined, 1, { issues: "none", value: 2 }, { issues: [1] }];
    assert.deepEqual(
      results.map((result) => checkerOf({ "~standard": { version: 1, vendor: "test", validate: () => result } })(1)),
      [...Array.from({ length: 4 }, () => ({ value: undefined })), { value: 2 }, { issues: [1] }],
    );
  });
});

describe("listed", () => {
  test("CONTRACT-027: reads the paths and messages of every library", () => {
    const found = [
      null,
      { message: 1, path: 2 },
      { message: "a", instancePath: "/a1/1b/10/x~1y~01" },
      { message: "b", path: ["a", 1, { key: "c" }, { key: 2 }, Symbol("d")] },
    ];
    assert.deepEqual(
      listed([["body", found]])[0].map(({ path, message }) => [path, message]),
      [
        [[], "rejected"],
        [[], "rejected"],
        [["a1", "1b", 10, "x/y~1"], "a"],
        [["a", 1, "c", 2, "Symbol(d)"], "b"],
      ],
    );
  });

  test("CONTRACT-039: lists one more issue when the earlier ones reach the character limit, and none when they exceed it", () => {
    const [exact, over] = [65_536, 65_537].map((characters) =>
      listed([["body", [{ message: "x".repeat(characters) }, { message: "a" }]]]),
    );
    assert.deepEqual([exact?.[0].length, exact?.[1], over?.[0].length, over?.[1]], [2, 0, 1, 1]);
  });
});
