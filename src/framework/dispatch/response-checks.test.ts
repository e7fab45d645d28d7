/** Unit tests of response checks: how a response can break its contract (CONTRACT). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import * as v from "valibot";
import { z } from "zod";
import type { Contract } from "../contract/contract.ts";
import type { Side } from "../contract/json-schema.ts";
import type { Schema } from "../contract/schema.ts";
import { declaredResponses } from "../http/declared-responses.ts";
import { responseCheck, type SentResponse } from "./response-checks.ts";

const Order = z.object({ id: z.string() });

const jsonSchemaOf = (schema: v.GenericSchema, side: Side): object | undefined =>
  schema["~standard"].vendor === "valibot" ? toJsonSchema(schema, { typeMode: side, errorMode: "ignore" }) : undefined;

/** The messages of a response's issues, each after its pointer. */
async function issuesOf(contracts: readonly Contract[], sent: Partial<SentResponse>): Promise<unknown> {
  const settings = {
    compileSchema: Compile as never,
    jsonSchemaOf,
    responseChecks: "warn",
    broken: () => assert.fail(),
  } as const;
  const declared = declaredResponses("GET /a", contracts, settings);
  if (declared === undefined) return undefined;
  const check = responseCheck("GET /a", contracts, declared, settings);
  const issues = await check({ status: 200, contentType: "application/json", body: undefined, ...sent });
  return issues.map(({ path, pointer, message }) => [path, pointer, message]);
}
const whole = (message: string): unknown => [[[], "", message]];

describe("responseCheck", () => {
  test("checks nothing when no contract declares a response", async () => {
    assert.deepEqual(
      [await issuesOf([], {}), await issuesOf([{}, { query: Order }], {}), await issuesOf([{ responses: {} }], {})],
      [undefined, undefined, undefined],
    );
  });

  test("uses the statuses of every contract, the route's own before its groups'", async () => {
    const contracts: readonly Contract[] = [
      { responses: { 200: z.string(), 201: null } },
      {},
      { responses: { 200: Order } },
    ];
    assert.deepEqual(await issuesOf(contracts, { body: '{"id":"1"}' }), []);
    assert.deepEqual(
      await issuesOf(contracts, { status: 202 }),
      whole("the status 202 is not in the contract, which names 200, 201"),
    );
  });

  test("accepts an undeclared 304 and undeclared problems", async () => {
    const type = "application/problem+json";
    const issues = async (status: number, media?: string): Promise<unknown> =>
      issuesOf([{ responses: { 200: Order } }], { status, contentType: media });
    const unknown = (status: number): unknown => whole(`the status ${status} is not in the contract, which names 200`);
    assert.deepEqual(
      [await issues(304), await issues(400, type), await issues(500, type), await issues(400), await issues(399, type)],
      [[], [], [], unknown(400), unknown(399)],
    );
  });

  test("rejects content that is not declared, and missing content that is declared", async () => {
    const contracts: readonly Contract[] = [{ responses: { 200: Order, 204: null } }];
    assert.deepEqual(await issuesOf(contracts, { status: 204 }), []);
    assert.deepEqual(await issuesOf(contracts, { status: 204, body: "" }), whole("no content was declared for 204"));
    assert.deepEqual(await issuesOf(contracts, {}), whole("200 was sent without content"));
  });

  test("checks JSON as a client parses it, other texts unchanged, and no bytes", async () => {
    const json: readonly Contract[] = [{ responses: { 200: z.literal(1) } }];
    const text: readonly Contract[] = [{ responses: { 200: z.literal("{") } }];
    const contentType = "text/plain; charset=utf-8";
    assert.deepEqual(await issuesOf(json, { body: "1" }), []);
    assert.deepEqual(await issuesOf(json, { body: '"1"' }), whole("Invalid input: expected 1"));
    assert.deepEqual(await issuesOf(json, { body: new Uint8Array(1) }), []);
    assert.deepEqual(await issuesOf(text, { body: "{", contentType }), []);
    assert.deepEqual(await issuesOf(text, { body: "}", contentType }), whole('Invalid input: expected "{"'));
  });

  const at = new Date(0);
  const Dated = z.object({
    at: z.codec(z.iso.datetime(), z.date(), { decode: (text) => new Date(text), encode: String }),
  });
  const Rest = z.object({ id: z.number().default(7) });
  /** A returned value of a schema, and a wrong one, in JSON as a document describes it. */
  const documented: Readonly<
    Record<string, readonly [schema: Schema, fits: readonly unknown[], breaks: readonly unknown[]]>
  > = {
    "an object of Zod, which leaves members out": [Rest, [{ id: 1 }], [{ id: 1, hash: "x" }, {}, { id: "1" }]],
    "a nested one": [z.array(z.object({ of: Rest })), [[{ of: { id: 1 } }]], [[{ of: { id: 1, hash: "x" } }]]],
    "one that keeps other members": [z.looseObject({ a: z.string() }), [{ a: "", b: 1 }], [{ b: 1 }]],
    "a codec": [Dated, [{ at }], [{ at: "yesterday" }, { at: 1 }]],
    "a transform with an output schema": [z.string().transform(Number).pipe(z.number()), [1], ["1", {}]],
    "a Date": [z.array(z.date()), [[at]], [["x"], [null]]],
    "a value that a schema corrects": [z.object({ a: z.string().catch("x") }), [{ a: "" }], [{ a: 1 }, {}]],
    "a check that JSON Schema cannot express": [z.string().refine((text) => text === "a"), ["a"], ["b"]],
    "two objects in one": [
      z.object({ a: z.string() }).and(z.object({ b: z.string() })),
      [{ a: "", b: "" }],
      [{ a: "", b: "", c: "" }],
    ],
    alternatives: [
      z.discriminatedUnion("k", [z.object({ k: z.literal("a"), n: z.number() }), z.object({ k: z.literal("b") })]),
      [{ k: "a", n: 1 }, { k: "b" }],
      [{ k: "b", n: 1 }, { k: "c" }],
    ],
    "a morph of ArkType": [type({ at: "Date", n: "string.numeric.parse" }), [{ at, n: 1 }], [{ at, n: "1" }, { n: 1 }]],
    "a closed object of ArkType": [type({ "+": "reject", id: "string" }), [{ id: "" }], [{ id: "", hash: "x" }]],
    "a transform of Valibot": [v.pipe(v.string(), v.transform(Number), v.number()), [1], ["1"]],
    "a strict object of Valibot": [v.strictObject({ a: v.string() }), [{ a: "" }], [{ a: "", hash: "x" }, {}]],
    "a type that its converter cannot express": [v.object({ at: v.date() }), [{ at }], [{}]],
    "a type of TypeBox": [
      Type.Object({ a: Type.String() }, { additionalProperties: false }),
      [{ a: "" }],
      [{ a: "", b: 1 }],
    ],
  };
  const sentOf = (value: unknown): Partial<SentResponse> =>
    typeof value === "string" ? { body: value, contentType: "text/plain" } : { body: JSON.stringify(value) };
  for (const [what, [schema, fits, breaks]] of Object.entries(documented))
    test(`checks the JSON against the document: ${what}`, async () => {
      const broken = async (value: unknown): Promise<boolean> =>
        ((await issuesOf([{ responses: { 200: schema } }], sentOf(value))) as unknown[]).length > 0;
      assert.deepEqual(
        [await Promise.all(fits.map(broken)), await Promise.all(breaks.map(broken))],
        [fits.map(() => false), breaks.map(() => true)],
      );
    });

  test("names the member that the document lacks", async () => {
    const seen = await issuesOf([{ responses: { 200: Rest } }], { body: '{"hash":"x"}' });
    assert.deepEqual(seen, [
      [["id"], "/id", "missing"],
      [["hash"], "/hash", "not in the contract"],
    ]);
  });
});
