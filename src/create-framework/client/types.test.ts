/**
 * Tests the types of schemas, for requests and responses, and that they compile.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { clientOf, compiled, documentOf } from "./harness.testkit.ts";

const none = { 204: { description: "" } };
const text = { type: "string" };

/** The declaration of a component with that schema, without its keywords. */
function typeOf(schema: unknown, others: Record<string, unknown> = {}): string {
  const components = { schemas: { Subject: schema, ...others } };
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Subject" } } };
  const written = clientOf(documentOf({ "/": { get: { responses: { 200: { content } } } } }, { components }));
  const found = /^export (?:type|interface) Subject (?:= )?([^]*?)\n(?:\n|\/\*\*|export)/m.exec(written)?.[1] ?? "";
  return found.replace(/;$/, "").replaceAll(/\s+/g, " ");
}

describe("Types", () => {
  it("gives schemas their types", () => {
    const types: readonly (readonly [schema: unknown, type: string])[] = [
      [
        { type: "object", properties: { a: text, "b-c": { type: "integer" } }, required: ["a"] },
        '{ readonly a: string; readonly "b-c"?: number | undefined; }',
      ],
      [{ type: "array", items: { type: ["string", "null"] } }, "readonly (string | null)[]"],
      [{ type: "string", nullable: true }, "string | null"],
      [{ enum: ["a", 'b"', 1, null] }, '"a" | "b\\"" | 1 | null'],
      [{ const: { a: [true] } }, "{ readonly a: readonly [true] }"],
      [{ anyOf: [text, { type: "number" }, text] }, "string | number"],
      [
        { allOf: [{ properties: { a: text } }, { anyOf: [{ properties: { b: text } }, { type: "null" }] }] },
        "{ readonly a?: string | undefined; } & ({ readonly b?: string | undefined; } | null)",
      ],
      [{ type: "object", additionalProperties: { type: "number" } }, "{ readonly [name: string]: number; }"],
      [
        { type: "object", properties: { a: text }, additionalProperties: { type: "number" } },
        "{ readonly a?: string | undefined; readonly [name: string]: unknown; }",
      ],
      [{ prefixItems: [text, { type: "number" }], items: false, minItems: 2 }, "readonly [string, number]"],
      [{}, "unknown"],
      [false, "never"],
    ];
    assert.deepEqual(
      types.map(([schema]) => typeOf(schema)),
      types.map(([, type]) => type),
    );
  });

  it("leaves read-only properties out of requests, and write-only ones out of responses", () => {
    const refer = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
    const components = {
      schemas: {
        Id: { type: "string", readOnly: true },
        Plain: { type: "object", properties: { a: text } },
        Order: {
          type: "object",
          properties: {
            id: refer("Id"),
            at: { allOf: [text], readOnly: true },
            name: text,
            secret: { type: "string", writeOnly: true },
            plain: refer("Plain"),
          },
          required: ["id", "at", "name", "secret"],
        },
        Page: { type: "object", properties: { orders: { type: "array", items: refer("Order") } } },
        Named: { allOf: [refer("Order"), { properties: { more: text } }], required: ["id", "secret", "more"] },
      },
    };
    const operation = {
      requestBody: { content: { "application/json": { schema: refer("Page") } } },
      responses: { 200: { content: { "application/json": { schema: { anyOf: [refer("Page"), refer("Named")] } } } } },
    };
    const inner = { post: { requestBody: { content: { "a/json": { schema: refer("Named") } } }, responses: none } };
    const written = clientOf(documentOf({ "/a": { post: operation }, "/b": inner }, { components }));
    const declared = [...written.matchAll(/^export (?:type|interface) (\w+) (?:= )?([^]*?)\n(?=\n)/gm)].map(
      ([, name = "", type = ""]) => `${name} ${type.replace(/;$/, "").replaceAll(/\s+/g, " ")}`,
    );
    assert.deepEqual(
      declared.filter((one) => /^(?:Id|Plain|Order|Page|Named)/.test(one)),
      [
        "Id string",
        "Named Order & { readonly more?: string | undefined; } & { readonly id: {} | null; readonly more: string; }",
        "NamedInput OrderInput & { readonly more?: string | undefined; } & { readonly secret: string; readonly more: string; }",
        "Order { readonly id: Id; readonly at: string; readonly name: string; readonly plain?: Plain | undefined; }",
        "OrderInput { readonly name: string; readonly secret: string; readonly plain?: Plain | undefined; }",
        "Page { readonly orders?: readonly Order[] | undefined; }",
        "PageInput { readonly orders?: readonly OrderInput[] | undefined; }",
        "Plain { readonly a?: string | undefined; }",
      ],
    );
  });

  it("requires properties that other schemas of the value define, with the type from there", async () => {
    const refer = { $ref: "#/components/schemas/Base" };
    const base = {
      type: "object",
      properties: { a: text, b: { type: "object", properties: { c: text } }, d: { type: "string", nullable: true } },
    };
    const required = ["a", "b", "d", "e"];
    const schemas = {
      Beside: { allOf: [refer], required },
      Within: { allOf: [refer, { required }] },
      Either: { ...base, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    };
    const demanded = "{ readonly a: string; readonly b: {} | null; readonly d: string | null; readonly e: {} | null; }";
    assert.deepEqual(
      Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, typeOf(schema, { Base: base })])),
      {
        Beside: `Base & ${demanded}`,
        Within: `Base & ${demanded}`,
        Either:
          "({ readonly a: string; } | { readonly b: {} | null; }) & { readonly a?: string | undefined; " +
          "readonly b?: { readonly c?: string | undefined } | undefined; readonly d?: string | null | undefined; }",
      },
    );
    const content = { "application/json": { schema: { $ref: "#/components/schemas/Beside" } } };
    const written = clientOf(
      documentOf(
        { "/": { get: { responses: { 200: { content } } } } },
        { components: { schemas: { ...schemas, Base: base } } },
      ),
    );
    const caller =
      'import type { Beside } from "./client.ts";\nexport const c = (one: Beside): string | undefined => one.b.c;\n';
    assert.deepEqual((await compiled({ "client.ts": written, "caller.ts": caller })).errors, []);
  });

  it("lets alternatives extend their parent, and distinguishes them", async () => {
    const refer = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
    const extending = (name: string, properties: object): object => ({
      type: "object",
      allOf: [refer(name), { type: "object", properties, required: Object.keys(properties) }],
    });
    const components = {
      schemas: {
        Pet: {
          type: "object",
          properties: { kind: text, name: text },
          required: ["kind", "name"],
          discriminator: { propertyName: "kind", mapping: { tom: "#/components/schemas/Cat", cat: "Cat" } },
          oneOf: [refer("Cat"), refer("Dog")],
        },
        Cat: extending("Pet", { lives: { type: "integer" } }),
        Dog: extending("Pet", { bark: { oneOf: [refer("Loud"), { type: "boolean" }] } }),
        Loud: { anyOf: [extending("Loud", { at: refer("Pet") }), { type: "null" }] },
        Shape: { discriminator: { propertyName: "kind" }, oneOf: [refer("Circle"), refer("Square")] },
        Circle: { allOf: [refer("Shape"), { properties: { kind: { const: "circle" }, radius: { type: "number" } } }] },
        Square: { properties: { kind: { enum: ["square"] }, side: { type: "number" } }, required: ["kind"] },
      },
    };
    const content = { "application/json": { schema: { prefixItems: [refer("Pet"), refer("Shape")], minItems: 2 } } };
    const written = clientOf(documentOf({ "/a": { get: { responses: { 200: { content } } } } }, { components }));
    const caller = `import type { Pet, PetBase, Shape } from "./client.ts";
export function told(pet: Pet): number | string | boolean | null | object {
  if (pet.kind === "Dog") return pet.bark;
  const kind: "tom" | "cat" = pet.kind;
  return kind + pet.lives.toFixed() + pet.name;
}
export const side = (shape: Shape): number | undefined => (shape.kind === "square" ? shape.side : shape.radius);
export const named = (pet: PetBase): string => pet.name;
`;
    assert.deepEqual((await compiled({ "client.ts": written, "caller.ts": caller })).errors, []);
    assert.match(written, /^export type Circle = \{/m);
    assert.doesNotMatch(written, /ShapeBase/);
  });

  it("works in proportion to the references that follow one another", () => {
    const row = Array.from({ length: 5000 }, (_, at) => ({ $ref: `#/components/schemas/S${at + 1}` }));
    const following: Readonly<Record<string, (next: object) => object>> = {
      alone: (next) => next,
      extended: (next) => ({ allOf: [next], required: ["id"] }),
      alternative: (next) => ({
        oneOf: [next, { type: "null" }],
        properties: { id: { type: "string", readOnly: true } },
      }),
    };
    for (const [how, of] of Object.entries(following)) {
      const last = { properties: { id: { type: "string", readOnly: true } } };
      const schemas = Object.fromEntries([...row.map((next, at) => [`S${at}`, of(next)]), ["S5000", last]]);
      const content = { "application/json": { schema: { $ref: "#/components/schemas/S0" } } };
      const document = documentOf({ "/": { post: { requestBody: { content }, responses: { 200: { content } } } } });
      const before = process.cpuUsage();
      const written = clientOf({ ...document, components: { schemas } });
      const { user } = process.cpuUsage(before);
      assert.equal(written.match(/^export type S\d+(?:Input)? /gm)?.length, 10_000, how);
      assert.ok(user < 5_000_000, `${how}: ${user / 1000} ms`);
    }
  });

  it("follows ten thousand references in a circle, and a name with a percent sign", () => {
    const refer = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
    const row = Array.from({ length: 10_000 }, (_, at) => [`S${at}`, refer(`S${(at + 1) % 10_000}`)] as const);
    const responses = {
      200: { content: { "application/json": { schema: { anyOf: [refer("S0"), refer("a%2541")] } } } },
    };
    const schemas = { ...Object.fromEntries(row), "a%41": text };
    const client = clientOf(documentOf({ "/a": { get: { responses } } }, { components: { schemas } }));
    assert.match(client, /export type S0 = unknown;/);
    assert.match(client, /export type A41 = string;/);
  });

  it("names recursive schemas, and gives a schema of only itself no values", async () => {
    const components = {
      schemas: {
        Tree: {
          type: "object",
          properties: { children: { type: "array", items: { $ref: "#/components/schemas/Tree" } } },
        },
        Json: {
          anyOf: [
            text,
            { type: "array", items: { $ref: "#/components/schemas/Json" } },
            { type: "object", additionalProperties: { $ref: "#/components/schemas/Json" } },
          ],
        },
        Circle: { anyOf: [{ $ref: "#/components/schemas/Other" }, { type: "null" }] },
        Other: { allOf: [{ $ref: "#/components/schemas/Circle" }] },
        Inner: {
          type: "object",
          properties: { a: { type: "object", properties: { b: { $ref: "#/components/schemas/Inner/properties/a" } } } },
        },
      },
    };
    const content = Object.fromEntries(
      Object.keys(components.schemas).map((name) => [
        `/${name}`,
        {
          get: {
            responses: {
              200: { content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } } },
            },
          },
        },
      ]),
    );
    const written = clientOf(documentOf(content, { components }));
    assert.deepEqual((await compiled({ "client.ts": written })).errors, []);
    assert.match(written, /export interface Tree \{\n {2}readonly children\?: readonly Tree\[\] \| undefined;\n\}/);
    assert.match(written, /readonly b\?: A \| undefined;/);
  });
});
