/** Unit tests of body.ts: text, JSON, and the four forms of a body type (CTX). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { Type } from "typebox";
import { Compile } from "typebox/schema";
import { z } from "zod";
import { pointerOf, type BodyType } from "../contract/schema.ts";
import { decodeText, parseJson, validate } from "./body.ts";
import { NotFoundError, UnprocessableContentError } from "../internal/errors.ts";

describe("decodeText", () => {
  test("decodes UTF-8 and drops a byte order mark", () => {
    assert.equal(decodeText(new TextEncoder().encode("é€😀")), "é€😀");
    assert.equal(decodeText(new Uint8Array([0xef, 0xbb, 0xbf, 0x61])), "a");
  });

  test("gives the same for a Buffer, also when the text itself holds a replacement character", () => {
    for (const text of ["é€😀", "", "a\ufffdb"]) assert.equal(decodeText(Buffer.from(text)), text);
    assert.equal(decodeText(Buffer.from([0xef, 0xbb, 0xbf, 0x61])), "a");
  });

  test("uses the strict decoder only when the fast one may have found an error", (t) => {
    const decode = t.mock.method(TextDecoder.prototype, "decode");
    const calls = ["abc", "a\ufffdb"].map((text) => {
      const bytes = Buffer.from(text);
      decode.mock.resetCalls();
      decodeText(bytes);
      return decode.mock.callCount();
    });
    assert.deepEqual(calls, [1, 2]);
  });

  test("rejects anything else with 400", () => {
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80]])
      for (const form of [Uint8Array, Buffer])
        assert.throws(() => decodeText(form.from(bytes)), { status: 400, message: "the body is not valid UTF-8" });
  });
});

describe("parseJson", () => {
  const rejected: Readonly<Record<string, RegExp>> = {
    "": /empty/,
    " \n": /empty/,
    "{": /not valid JSON: (?:it ends too early|at position|it is malformed)/,
    '{"a":sekret}': /not valid JSON/,
    '{"__proto__":{"admin":true}}': /"__proto__", which is rejected/,
    '[{"a":{"__proto__":1}}]': /"__proto__", which is rejected/,
    '{"constructor":{"prototype":{}}}': /"constructor", which is rejected/,
    '{"\\u005f_proto__":{}}': /"__proto__", which is rejected/,
    '{"\\u0063onstructor":{"prototype":{}}}': /"constructor", which is rejected/,
    "[[[[1]]]]": /nested too deeply/,
    '[[],[{"a":[[]]}]]': /nested too deeply/,
    '{"a":{"b":{"c":{}}}}': /nested too deeply/,
  };
  for (const [text, sentence] of Object.entries(rejected))
    test(`rejects ${JSON.stringify(text)}`, () => {
      assert.throws(() => parseJson(text, 3), { status: 400, message: sentence });
    });

  test("says where the text breaks off or is malformed, and keeps the error", () => {
    const said = ["", "[", '{"a":1,}', '{"a":sekret}'].map((text) => {
      try {
        return parseJson(text, 9);
      } catch (error) {
        return error instanceof Error ? [error.message, error.cause instanceof SyntaxError] : error;
      }
    });
    const where = Number.parseInt(process.versions.node, 10) >= 22 ? " (line 1 column 8)" : "";
    assert.deepEqual(said, [
      ["the body is empty; JSON was expected", false],
      ["the body is not valid JSON: it ends too early", true],
      [`the body is not valid JSON: at position 7${where}`, true],
      ["the body is not valid JSON: it is malformed", true],
    ]);
  });

  test("gives the full position of an error far from the start", () => {
    const text = `${"\n".repeat(11)}{"name":"value", }`;
    const where = Number.parseInt(process.versions.node, 10) >= 22 ? " (line 12 column 18)" : "";
    assert.throws(() => parseJson(text, 9), { message: `the body is not valid JSON: at position 28${where}` });
  });

  test("also gives the line and the column when V8 does", (t) => {
    t.mock.method(JSON, "parse", () => {
      throw new SyntaxError("Expected double-quoted property name in JSON at position 28 (line 12 column 18)");
    });
    const message = "the body is not valid JSON: at position 28 (line 12 column 18)";
    assert.throws(() => parseJson("{", 9), { message });
  });

  test("accepts texts that only look like the rejected ones", () => {
    const harmless = ['"__proto__"', "null", '{"constructor":null}', '{"constructor":[1]}', '["a\\u0062",null]'];
    for (const text of [...harmless, '{"constructor":1,"a":{"prototype":1}}'])
      assert.deepEqual(parseJson(text, 2), JSON.parse(text));
    assert.throws(() => parseJson("[[]]", 1), { status: 400, message: "the body is nested too deeply" });
    assert.throws(() => parseJson('{"a":{}}', 1), { status: 400, message: "the body is nested too deeply" });
    assert.throws(() => parseJson('[{"__proto__":1}]', 9), {
      message: 'the body holds the key "__proto__", which is rejected',
    });
  });

  test("walks the keys only when the text may hold a rejected key or too many levels", (t) => {
    const keys = t.mock.method(Object, "keys");
    const looksAtKeys = (text: string, maxDepth: number): boolean => {
      keys.mock.resetCalls();
      parseJson(text, maxDepth);
      return keys.mock.callCount() > 0;
    };
    const cases: readonly (readonly [text: string, maxDepth: number])[] = [
      ...['{"a":1}', '{"_":"proto"}', String.raw`{"a":"\n"}`, '"__proto__"', '[1,"constructor"]'].map(
        (text) => [text, 3] as const,
      ),
      ['{"a":{"b":1}}', 2],
      [`{"":"${"[".repeat(8)}"}`, 8],
      [`{"":"${"[".repeat(9)}"}`, 8],
    ];
    for (const [text, maxDepth] of cases) assert.equal(looksAtKeys(text, maxDepth), false, text);
    for (const text of ['{"a":"__proto__"}', String.raw`{"a":"\u0061"}`, '{"a":"constructor"}', '{"a":"[[[["}'])
      assert.equal(looksAtKeys(text, 3), true, text);
  });

  test("counts levels, not brackets", () => {
    const text = '[{"a":"{{{{[[[["},[],[],[],{"constructor":1}]';
    assert.deepEqual(parseJson(text, 3), JSON.parse(text));
  });

  test("quotes no part of the body", () => {
    assert.throws(
      () => parseJson('{"a":sekret}', 9),
      (error: Error) => !error.message.includes("sekret"),
    );
  });

  test("accepts exactly the maximum depth, and `constructor` without `prototype`", () => {
    assert.deepEqual(parseJson("[[[1]]]", 3), [[[1]]]);
    assert.deepEqual(parseJson('{"constructor":{"a":1},"prototype":2}', 3), { constructor: { a: 1 }, prototype: 2 });
  });

  test("gives the same as JSON.parse for every value without those keys", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value);
        if (!text.includes("__proto__") && !text.includes("constructor"))
          assert.deepEqual(parseJson(text, 10), JSON.parse(text));
      }),
    );
  });
});

/** The contents of a rejection. */
async function rejection(value: unknown, type: BodyType): Promise<unknown> {
  const error: unknown = await validate(value, type).then(
    () => assert.fail("was accepted"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof UnprocessableContentError);
  assert.equal(error.status, 422);
  return error.issues?.map(({ in: part, pointer, path, message }) => {
    assert.deepEqual([part, pointer], ["body", pointerOf(path)]);
    return { path, message };
  });
}

describe("validate", () => {
  test("accepts a Standard Schema and gives its output or its issues", async () => {
    const schema = z.object({ n: z.coerce.number(), tags: z.array(z.string()) });
    assert.deepEqual(await validate({ n: "3", tags: [] }, schema), { n: 3, tags: [] });
    const issues = (await rejection({ n: 1, tags: ["a", 2] }, schema)) as { path: unknown; message: unknown }[];
    assert.deepEqual(
      issues.map(({ path }) => path),
      [["tags", 1]],
    );
    assert.match(String(issues[0]?.message), /string/);
  });

  test("accepts a Standard Schema that is a function or asynchronous, with path segments as objects", async () => {
    const callable = Object.assign(() => "not called", {
      "~standard": {
        version: 1 as const,
        vendor: "x",
        validate: async () => ({ issues: [{ message: "no", path: [{ key: "a" }, 0, Symbol("s")] }] }),
      },
    });
    assert.deepEqual(await rejection({}, callable), [{ path: ["a", 0, "Symbol(s)"], message: "no" }]);
  });

  test("accepts a compiled TypeBox validator and gives the value, or its errors as paths", async () => {
    const schema = Compile(Type.Object({ "a/b": Type.Array(Type.Number()) }));
    assert.deepEqual(await validate({ "a/b": [1] }, schema as unknown as BodyType), { "a/b": [1] });
    const legacy: BodyType = {
      Check: () => false,
      Errors: () => [{ instancePath: "/a~1b/0", message: "must be number" }, {}],
    };
    assert.deepEqual(await rejection({}, legacy), [
      { path: ["a/b", 0], message: "must be number" },
      { path: [], message: "rejected" },
    ]);
  });

  test("accepts an object with `parse` and gives its value, or the error that it throws", async () => {
    assert.equal(await validate("1", { parse: Number }), 1);
    const throwing = (error: unknown): BodyType => ({
      parse: () => {
        throw error;
      },
    });
    assert.deepEqual(await rejection("1", throwing(new Error("bad"))), [{ path: [], message: "bad" }]);
    assert.deepEqual(await rejection("1", throwing("bad")), [{ path: [], message: "rejected" }]);
    assert.deepEqual(await rejection("1", throwing({ issues: [{ path: ["x"], message: "m" }] })), [
      { path: ["x"], message: "m" },
    ]);
    await assert.rejects(validate("1", throwing(new NotFoundError("gone"))), { status: 404 });
  });

  test("accepts a function. `true` accepts the value, `false` or a throw rejects it, any other result replaces it", async () => {
    assert.equal(await validate("v", () => true), "v");
    assert.equal(await validate("v", async (value: unknown) => `${String(value)}!`), "v!");
    assert.equal(await validate("v", () => undefined), undefined);
    assert.deepEqual(await rejection("v", () => false), [{ path: [], message: "rejected" }]);
    assert.deepEqual(
      await rejection("v", () => {
        throw new RangeError("over");
      }),
      [{ path: [], message: "over" }],
    );
  });

  test("rejects anything that is not a body type, with a sentence", async () => {
    await assert.rejects(validate(1, {} as BodyType), { name: "TypeError", message: /takes a Standard Schema/ });
  });
});
