/** Every document is taken or refused as it says, and without any one keyword of a shape a document would be taken. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import { Check } from "typebox/schema";
import { requirements } from "../../spec/requirements.ts";
import { misfit } from "../kit/shape.ts";
import { readShapes, type Schema } from "../kit/schema-files.ts";
import { corpusDocument, CorpusShape, documentsOf, readCorpus, valueOf, type CorpusDocument } from "./corpus.ts";

const shapes = readShapes();
const documents = readCorpus();
const ajv = new Ajv2020({ strict: true, allErrors: true, schemas: [...shapes.values()] });

const nameOf = (one: CorpusDocument): string =>
  `${one.schema}: ${"legal" in one ? one.legal : `${one.why} (${one.breaks})`}`;

function errorsOf(one: CorpusDocument): readonly ErrorObject[] {
  const validate = ajv.getSchema(one.schema);
  assert.ok(validate, one.schema);
  return validate(valueOf(one)) === true ? [] : (validate.errors ?? []);
}

describe("the corpus", () => {
  const judged = documents.map((one) => ({ one, errors: errorsOf(one) }));
  const of = new Map([...shapes.keys()].map((id) => [id, judged.filter(({ one }) => one.schema === id)]));

  it("is a document of its shape", () => {
    assert.equal(misfit(CorpusShape, JSON.parse(JSON.stringify(corpusDocument()))), undefined);
  });

  it("has documents of both kinds for every shape, each named once", () => {
    for (const kind of ["legal", "breaks"]) {
      const named = new Set(documents.filter((one) => kind in one).map(({ schema }) => schema));
      assert.deepEqual([...named].toSorted(), [...shapes.keys()].toSorted(), kind);
    }
    const names = documents.map((one) => nameOf(one));
    assert.deepEqual(
      names.filter((name, at) => names.indexOf(name) !== at),
      [],
    );
  });

  it("is taken and refused as it says", () => {
    const wrong = judged.filter(({ one, errors }) => "legal" in one !== (errors.length === 0));
    assert.deepEqual(
      wrong.map(({ one, errors }) => [nameOf(one), errors[0]]),
      [],
    );
  });

  it("breaks clauses that exist", () => {
    const unknown = documents.filter((one) => "breaks" in one && !(one.breaks in requirements));
    assert.deepEqual(unknown.filter((one) => !one.schema.startsWith("Subject")).map(nameOf), []);
  });

  it("needs every keyword of every shape", () => {
    const found = [...shapes].flatMap(([id, schema]) =>
      demandsOf(schema, "#", undefined).map((one) => ({ id, ...one })),
    );
    const refusedBy = (id: string, at: string) =>
      (of.get(id) ?? []).filter(({ errors }) => errors.some((error) => isBy(error, at)));
    const kept = new Set<string>();
    for (const { id, at, name, without } of found) {
      const schema = shapes.get(id);
      if (kept.has(name) || schema === undefined) continue;
      if (refusedBy(id, at).some(({ one }) => without(() => Check(schema, valueOf(one))))) kept.add(name);
    }
    const idle = new Map(found.filter(({ name }) => !kept.has(name)).map(({ id, at, name }) => [name, `${id}${at}`]));
    assert.deepEqual(
      [...idle.values()].filter((demand) => !unneeded.has(demand)),
      [],
    );
  });

  it("is judged alike by a second validator", () => {
    const differing = judged.filter(({ one, errors }) => {
      const schema = shapes.get(one.schema);
      return schema === undefined || Check(schema, valueOf(one)) !== (errors.length === 0);
    });
    assert.deepEqual(
      differing.map(({ one }) => nameOf(one)),
      [],
    );
  });
});

/** Something that a shape demands. */
interface Demand {
  /** Where its keyword is, as Ajv says it; of `required`, with the name. */
  readonly at: string;
  /** The same wherever an object of the same definition stands: a stack within an error is as one within a call. */
  readonly name: string;
  /** What comes of something while the shape does not demand it. */
  without(run: () => boolean): boolean;
}

/** Says nothing of what is taken. */
const annotations = new Set(["$id", "$schema", "title", "description", "default"]);

/** What `type` refuses, `const` beside it refuses too; and `{}`, as of recorded values, refuses nothing. */
const isIdle = (keyword: string, part: unknown, { const: value }: Schema): boolean =>
  (keyword === "type" && value !== undefined) || (isSchema(part) && Object.keys(part).length === 0);

/** No document needs them. */
const unneeded = new Set([
  // Without its head a cut string is a cut node, and proxies without their addresses are one proxy.
  "TaggedValue#/anyOf/17/required $string",
  "config.schema#/properties/trustProxy/anyOf/2/required from",
]);

interface Definition {
  readonly text: string;
  readonly at: string;
}

function demandsOf(schema: Schema, at: string, outer: Definition | undefined): readonly Demand[] {
  const own = outer === undefined || schema["properties"] !== undefined ? { text: textOf(schema), at } : outer;
  const demand = (where: string, without: Demand["without"]): Demand => ({
    at: where,
    name: own.text + where.slice(own.at.length),
    without,
  });
  const below = (keyword: string, part: unknown): readonly Demand[] =>
    isSchema(part) ? demandsOf(part, `${at}/${keyword}`, own) : [];
  return Object.entries(schema).flatMap(([keyword, value]): readonly Demand[] => {
    const here = `${at}/${keyword}`;
    if (annotations.has(keyword) || isIdle(keyword, value, schema)) return [];
    if (keyword === "properties" && isSchema(value))
      return Object.entries(value).flatMap(([name, part]) => {
        const own = isIdle(name, part, {}) ? [] : [demand(`${here}/${escaped(name)}`, swapped(value, name, {}))];
        return [...own, ...below(`properties/${escaped(name)}`, part)];
      });
    if (keyword === "required" && Array.isArray(value))
      return value.map((name: string) =>
        demand(
          `${here} ${name}`,
          swapped(
            schema,
            keyword,
            value.filter((other) => other !== name),
          ),
        ),
      );
    // Without what is in a `not`, more would be refused.
    if (keyword === "not") return [demand(here, swapped(schema, keyword, undefined))];
    const parts = Array.isArray(value) ? value.flatMap((part, index) => below(`${keyword}/${index}`, part)) : [];
    return [demand(here, swapped(schema, keyword, undefined)), ...parts, ...below(keyword, value)];
  });
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textOf = ({ $id, $schema, ...schema }: Schema): string => JSON.stringify(schema);

/** As Ajv writes it in the paths of its errors. */
const escaped = (name: string): string => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));

/** Puts something in the place of a part for a while; nothing where it is undefined. */
function swapped(owner: Schema, key: string, part: unknown): Demand["without"] {
  return (run) => {
    const kept = owner[key];
    if (part === undefined) delete owner[key];
    else owner[key] = part;
    try {
      return run();
    } finally {
      owner[key] = kept;
    }
  };
}

/** Is the error this keyword's, or that of one below it? */
function isBy({ schemaPath, params }: ErrorObject, at: string): boolean {
  const missing: unknown = Reflect.get(params, "missingProperty");
  const path = typeof missing === "string" ? `${schemaPath} ${missing}` : schemaPath;
  return path === at || path.startsWith(`${at}/`);
}

describe("documentsOf", () => {
  const lines = (...many: readonly object[]): string => many.map((line) => `${JSON.stringify(line)}\n`).join("");
  const whole = { schema: "X", legal: "whole", document: { "a/b": [{ n: 1 }], text: "ab" } };
  const changes = {
    "another value": [
      { at: "/a~1b/0/n", value: 2 },
      { "a/b": [{ n: 2 }], text: "ab" },
    ],
    nothing: [{ at: "/text", remove: true }, { "a/b": [{ n: 1 }] }],
    "a list so many times as long": [
      { at: "/a~1b", times: 2 },
      { "a/b": [{ n: 1 }, { n: 1 }], text: "ab" },
    ],
    "a text so many times as long": [
      { at: "/text", times: 3 },
      { "a/b": [{ n: 1 }], text: "aaa" },
    ],
    "another document": [{ at: "", value: [] }, []],
  } as const;
  for (const [what, [change, expected]] of Object.entries(changes))
    it(`makes ${what} of a legal document, which stays as it is`, () => {
      const [first, second] = documentsOf(
        lines(whole, { schema: "X", breaks: "A-001", why: "so", of: "whole", ...change }),
      );
      assert.deepEqual(first, whole);
      assert.deepEqual(second, { schema: "X", breaks: "A-001", why: "so", document: expected });
    });

  it("keeps a text as it is spelt, and reads it", () => {
    const [one] = documentsOf(lines({ schema: "X", legal: "spelt", text: '{"n":1e3}' }));
    assert.deepEqual(one, { schema: "X", legal: "spelt", text: '{"n":1e3}' });
    assert.deepEqual(one && valueOf(one), { n: 1000 });
  });

  it("says which document is not there", () => {
    assert.throws(() => documentsOf(lines({ schema: "X", legal: "b", of: "a", at: "", value: 1 })), /document X a/);
  });
});
