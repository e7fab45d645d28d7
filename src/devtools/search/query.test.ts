/** Queries: what is understood of a text, and how a mistake in it is named. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { cpuShare } from "../cpu-time.test.ts";
import { fields } from "./fields.ts";
import { MAX_QUERY_CHARS, parseQuery, type Term } from "./query.ts";

/** Terms in short: `-arg.id=7|8`. */
function short({ field, path, operator, isNegated, values }: Term): string {
  const name = field === undefined ? "" : `${field.name}${path === "" ? "" : `.${path}`}${operator}`;
  return `${isNegated ? "-" : ""}${name}${values.join("|")}`;
}

const understood: Readonly<Record<string, readonly string[]>> = {
  "": [],
  "   ": [],
  tea: ["tea"],
  "out stock": ["out", "stock"],
  '"out of stock"': ["out of stock"],
  '-"out of stock"': ["-out of stock"],
  "bean:OrderRepository method:find arg.id=7": ["bean:orderrepository", "method:find", "arg.id=7"],
  "arg.id=7,8": ["arg.id=7|8"],
  'log:"a,b"': ["log:a,b"],
  'log:"a",b': ["log:a|b"],
  "-status:5xx": ["-status:5xx"],
  "status:404,5xx": ["status:404|5xx"],
  'route:"GET /orders/{id}"': ["route:get /orders/{id}"],
  'sql:"say \\"hi\\""': ['sql:say "hi"'],
  "header.Content-Type:json": ["header.content-type:json"],
  "result.total>=100": ["result.total>=100"],
  "body.item!=tea": ["body.item!=tea"],
  "is:failed,aborted": ["is:failed|aborted"],
  "a,b": ["a,b"],
  "-": ["-"],
  '""': [""],
  "http://api.example/x": ["http://api.example/x"],
};

const mistakes: Readonly<Record<string, readonly [at: number, length: number, message: RegExp, suggestion?: string]>> =
  {
    "beam:x": [0, 4, /beam is no field/, "bean:x"],
    "tea stauts:5xx": [4, 6, /stauts is no field/, "tea status:5xx"],
    "-baen:x": [1, 4, /baen is no field/, "-bean:x"],
    "localhost:8080 tea": [0, 9, /needs quotes/, '"localhost:8080" tea'],
    "bean:": [0, 5, /bean: lacks its value/],
    'tea "open': [4, 5, /a quote is open/],
    'sql:"open': [4, 5, /a quote is open/],
    "status:5x": [7, 2, /5x is no status/, "status:5xx"],
    "tea status:abc": [11, 3, /abc is no status/],
    "dur:20ms": [3, 1, /dur is asked by > >= < <=/, "dur>20ms"],
    "dur>soon": [4, 4, /soon is no time/],
    "result.total>many": [13, 4, /many is no number/],
    "result.total>1,2": [13, 3, /takes one number/],
    "bean>x": [4, 1, /bean is asked by : = !=/, "bean:x"],
    "is:faild x": [3, 5, /faild is none of mine, failed/, "is:failed x"],
    "bean.name:x": [0, 9, /bean has no keys/],
  };

describe("parseQuery", () => {
  for (const [text, terms] of Object.entries(understood))
    it(`understands ${JSON.stringify(text)}`, () => assert.deepEqual(parseQuery(text).query?.terms.map(short), terms));

  for (const [text, [at, length, message, suggestion]] of Object.entries(mistakes))
    it(`SEARCH-011: names the mistake in ${JSON.stringify(text)}`, () => {
      const { issues = [] } = parseQuery(text);
      const [issue] = issues;
      assert.deepEqual([issues.length, issue?.at, issue?.length, issue?.suggestion], [1, at, length, suggestion]);
      assert.match(issue?.message ?? "", message);
    });

  it("SEARCH-012: names every mistake of a text, and understands each suggestion", () => {
    const { issues = [] } = parseQuery("beam:x tea dur:1s");
    assert.deepEqual(
      issues.map(({ at, suggestion }) => [at, suggestion]),
      [
        [0, "bean:x tea dur:1s"],
        [14, "beam:x tea dur>1s"],
      ],
    );
  });

  it("rejects a text that is too long, and takes the longest that is not", () => {
    assert.equal(parseQuery("x".repeat(MAX_QUERY_CHARS)).query?.terms.length, 1);
    assert.deepEqual(
      parseQuery("x".repeat(MAX_QUERY_CHARS + 1)).issues?.map(({ at }) => at),
      [MAX_QUERY_CHARS],
    );
  });

  it("understands the example of every field", () => {
    for (const { name, example } of fields)
      assert.equal(parseQuery(example).query?.terms[0]?.field?.name, name, example);
  });

  const piece = fc.oneof(
    fc.constantFrom(
      ...fields.map(({ name }) => name),
      "-",
      '"',
      "\\",
      ":",
      "=",
      "!=",
      ">",
      ",",
      ".",
      " ",
      "5xx",
      "20ms",
    ),
    fc.string({ maxLength: 6, unit: "binary" }),
  );
  const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));

  it("SEARCH-012: never throws, and every mistake lies within the text", () => {
    fc.assert(
      fc.property(text, (given) => {
        const { query, issues } = parseQuery(given);
        assert.notEqual(query === undefined, issues === undefined);
        for (const { at, length } of issues ?? []) {
          assert.ok(at >= 0 && length >= 0 && at + length <= given.length, JSON.stringify({ given, at, length }));
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it("takes a text in quotes for what it is, whatever is in it", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), (given) => {
        const quoted = `"${given.replace(/["\\]/g, String.raw`\$&`)}"`;
        assert.deepEqual(
          parseQuery(quoted).query?.terms.map(({ values }) => values),
          [[given.toLowerCase()]],
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it("reads the worst text of its length in a moment", () => {
    const share = cpuShare(() => {
      for (const worst of ['"', "\\", '"\\', "a.", "-", ":", "a:,", '","'])
        parseQuery(worst.repeat(MAX_QUERY_CHARS).slice(0, MAX_QUERY_CHARS));
    });
    assert.ok(share < 0.5, `${share} times the yardstick`);
  });
});
