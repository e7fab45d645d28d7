/** Each document is accepted or rejected as declared. Each keyword of a shape is needed to reject a document. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import { Check } from "typebox/schema";
import { requirements } from "../../spec/requirements.ts";
import { misfit } from "../kit/shape.ts";
import { readShapes } from "../kit/schema-files.ts";
import { CorpusShape, documentsOf, readCorpus, valueOf, type CorpusDocument } from "./corpus.ts";
import { demandsOf } from "./demands.ts";

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

/** Keywords that no document needs: without its head a cut string is a cut node, and proxies without addresses are one proxy. */
const unneeded = [
  "TaggedValue#/anyOf/17/required $string",
  "config.schema#/properties/trustProxy/anyOf/2/required from",
];

/** The path of an error's keyword, with the name for `required`. */
function pathOf({ schemaPath, params }: ErrorObject): string {
  const missing: unknown = Reflect.get(params, "missingProperty");
  return typeof missing === "string" ? `${schemaPath} ${missing}` : schemaPath;
}

describe("the corpus", () => {
  const judged = documents.map((one) => {
    const errors = errorsOf(one);
    return { one, errors, paths: [...new Set(errors.map(pathOf))] };
  });
  const of = new Map([...shapes.keys()].map((id) => [id, judged.filter(({ one }) => one.schema === id)]));

  it("matches its own shape", () => {
    assert.equal(misfit(CorpusShape, { format: 1, documents }), undefined);
  });

  it("has documents of both kinds for every shape, each name once", () => {
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

  it("is accepted and rejected as declared", () => {
    const wrong = judged.filter(({ one, errors }) => "legal" in one !== (errors.length === 0));
    assert.deepEqual(
      wrong.map(({ one, errors }) => [nameOf(one), errors[0]]),
      [],
    );
  });

  it("breaks only clauses that exist, or its own shape", () => {
    const unknown = documents.filter(
      (one) => "breaks" in one && !(one.breaks in requirements) && one.breaks !== one.schema,
    );
    assert.deepEqual(unknown.filter((one) => !one.schema.startsWith("Subject")).map(nameOf), []);
  });

  const demands = [...shapes].flatMap(([id, schema]) => demandsOf(schema).map((one) => ({ id, schema, ...one })));
  /** The demands that some document breaks alone. */
  const kept = new Set<string>();

  it("breaks exactly one demand in each rejected document", () => {
    const byPlace = new Map(demands.map((one) => [one.id + one.at, one]));
    const several = judged.filter(({ one, paths }) => {
      const broken = paths.flatMap((path) => byPlace.get(one.schema + path) ?? []);
      const only = broken.find(({ schema, without }) => without(() => Check(schema, valueOf(one))));
      if (only) kept.add(only.name);
      return "breaks" in one && only === undefined;
    });
    assert.deepEqual(
      several.map(({ one }) => nameOf(one)),
      [],
    );
  });

  it("needs every keyword of every shape", () => {
    const refusedBelow = (id: string, at: string) =>
      (of.get(id) ?? []).filter(({ paths }) => paths.some((path) => path === at || path.startsWith(`${at}/`)));
    for (const { id, schema, at, name, without } of demands)
      if (!kept.has(name) && refusedBelow(id, at).some(({ one }) => without(() => Check(schema, valueOf(one)))))
        kept.add(name);
    const idle = new Map(demands.filter(({ name }) => !kept.has(name)).map(({ id, at, name }) => [name, id + at]));
    assert.deepEqual([...idle.values()].toSorted(), unneeded);
  });

  it("gets the same verdict from a second validator", () => {
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
    it(`makes ${what} of a legal document without changing it`, () => {
      const [first, second] = documentsOf(
        lines(whole, { schema: "X", breaks: "A-001", why: "so", of: "whole", ...change }),
      );
      assert.deepEqual(first, whole);
      assert.deepEqual(second, { schema: "X", breaks: "A-001", why: "so", document: expected });
    });

  it("keeps a text as it is spelled, and parses it", () => {
    const [one] = documentsOf(lines({ schema: "X", legal: "spelt", text: '{"n":1e3}' }));
    assert.deepEqual(one, { schema: "X", legal: "spelt", text: '{"n":1e3}' });
    assert.deepEqual(one && valueOf(one), { n: 1000 });
  });

  it("names the missing document", () => {
    assert.throws(() => documentsOf(lines({ schema: "X", legal: "b", of: "a", at: "", value: 1 })), /document X a/);
  });
});
