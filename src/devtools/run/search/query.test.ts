/** Queries: how a text is read, and how a mistake in it is named. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { cpuShare } from "../../cpu-time.testkit.ts";
import { fields } from "./fields.ts";
import { MAX_QUERY_CHARS } from "../wire.ts";
import { parseQuery, type Term } from "./query.ts";

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
  "--x": ["--x"],
  '""': [""],
  '"a b"c': ["a bc"],
  '"a\nb"': ["a b"],
  "a\u0001\u0002b": ["a b"],
  "log:a,,b": ["log:a|b"],
  'log:"",b': ["log:|b"],
  "BEAN:X": ["bean:x"],
  "arg.Id=7": ["arg.id=7"],
  "1a:b": ["1a:b"],
  'bean:"a\nb" tea': ["bean:a b", "tea"],
  "http://api.example/x": ["http://api.example/x"],
};

const status = "is no status; write 404 or 4xx";
const time = "is no time; write 20ms, 1.5s or 300us";
const word = "is none of mine, failed, aborted, broken, unmatched, request, background, trace, job, dead";
const open = 'a quote is open: it ends with another "';

const mistakes: Readonly<Record<string, readonly [at: number, length: number, message: string, suggestion?: string]>> =
  {
    "beam:x": [0, 4, "beam is no field; a text with : in it needs quotes", "bean:x"],
    "tea stauts:5xx": [4, 6, "stauts is no field; a text with : in it needs quotes", "tea status:5xx"],
    "-baen:x": [1, 4, "baen is no field; a text with : in it needs quotes", "-bean:x"],
    "localhost:8080 tea": [0, 9, "localhost is no field; a text with : in it needs quotes", '"localhost:8080" tea'],
    "zzzz=a": [0, 4, "zzzz is no field; a text with = in it needs quotes", '"zzzz=a"'],
    'zzzz:"\\\\"': [0, 4, "zzzz is no field; a text with : in it needs quotes", '"zzzz:\\"\\\\\\\\\\""'],
    "bean:": [0, 5, "bean: lacks its value"],
    "log:,": [0, 4, "log: lacks its value"],
    'tea "open': [4, 5, open],
    'tea "open\\': [4, 6, open],
    'sql:"open': [4, 5, open],
    "status:5x": [7, 2, `5x ${status}`, "status:5xx"],
    "status:5": [7, 1, `5 ${status}`, "status:5xx"],
    "status:5*": [7, 2, `5* ${status}`, "status:5xx"],
    "status:5**": [7, 3, `5** ${status}`, "status:5xx"],
    "status:5xxx": [7, 4, `5xxx ${status}`, "status:5xx"],
    "status:5y": [7, 2, `5y ${status}`],
    "status:6": [7, 1, `6 ${status}`],
    "status:15": [7, 2, `15 ${status}`],
    "status:604": [7, 3, `604 ${status}`],
    "status:1404": [7, 4, `1404 ${status}`],
    "status:404,4044": [7, 8, `4044 ${status}`],
    "status:404,5": [7, 5, `5 ${status}`, "status:404,5xx"],
    "status:5,6": [7, 3, `5 ${status}`],
    "status>4xx": [7, 3, "4xx is no number"],
    "tea status:abc": [11, 3, `abc ${status}`],
    "dur:20ms": [3, 1, "dur is asked by > >= < <=", "dur>20ms"],
    "dur>soon": [4, 4, `soon ${time}`],
    "dur>1.s": [4, 3, `1.s ${time}`],
    "dur>1h": [4, 2, `1h ${time}`],
    "dur>about1ms": [4, 8, `about1ms ${time}`],
    'dur>""': [4, 2, `"" ${time}`],
    "result.total>many": [13, 4, "many is no number"],
    'result.total>" "': [13, 3, '" " is no number'],
    "result.total>1,many": [13, 6, "1,many is no number"],
    "result.total>1,2": [13, 3, "result.total> takes one number"],
    "bean>x": [4, 1, "bean is asked by : = !=", "bean:x"],
    "is:faild x": [3, 5, `faild ${word}`, "is:failed x"],
    "is:mine,faild x": [3, 10, `faild ${word}`, "is:mine,failed x"],
    "is:faild,minne": [3, 11, `faild ${word}`, "is:failed,mine"],
    "is:mine,toString": [3, 13, `tostring ${word}`],
    "bean.name:x": [0, 9, "bean has no keys; write bean:OrderRepository"],
  };

describe("parseQuery", () => {
  for (const [text, terms] of Object.entries(understood))
    it(`understands ${JSON.stringify(text)}`, () => assert.deepEqual(parseQuery(text).query?.terms.map(short), terms));

  for (const [text, [at, length, message, suggestion]] of Object.entries(mistakes))
    it(`SEARCH-011: names the mistake in ${JSON.stringify(text)}`, () => {
      const issue = { at, length, message, ...(suggestion === undefined ? {} : { suggestion }) };
      assert.deepEqual(parseQuery(text), { issues: [issue] });
      if (suggestion !== undefined) assert.ok(parseQuery(suggestion).query !== undefined, suggestion);
    });

  it("names every mistake of a text, and understands each suggestion", () => {
    const { issues = [] } = parseQuery("beam:x tea dur:1s");
    assert.deepEqual(
      issues.map(({ at, suggestion }) => [at, suggestion]),
      [
        [0, "bean:x tea dur:1s"],
        [14, "beam:x tea dur>1s"],
      ],
    );
  });

  it("rejects a text that is too long and marks the excess, and accepts the longest allowed one", () => {
    assert.equal(parseQuery("x".repeat(MAX_QUERY_CHARS)).query?.terms.length, 1);
    assert.deepEqual(parseQuery("x".repeat(MAX_QUERY_CHARS + 1)), {
      issues: [{ at: 1_000, length: 1, message: "a query has at most 1000 characters" }],
    });
  });

  it("reads times as microseconds, and milliseconds without a unit", () => {
    const times = {
      "2": 2_000,
      ".5": 500,
      "2us": 2,
      "2µs": 2,
      "2μs": 2,
      "1.5ms": 1_500,
      "1.25ms": 1_250,
      ".5s": 500_000,
      "2m": 120_000_000,
    };
    const read = Object.keys(times).map((time) => [time, parseQuery(`dur>${time}`).query?.terms[0]?.numbers[0]]);
    assert.deepEqual(Object.fromEntries(read), times);
  });

  it("reads every value as a number too, if it is one", () => {
    const [field] = parseQuery('arg.id=7,x,1e3,"" tea').query?.terms ?? [];
    assert.deepEqual(field?.numbers, [7, Number.NaN, 1_000, Number.NaN]);
    const anywhere = { field: undefined, path: "", operator: ":", isNegated: false, values: ["tea"], numbers: [] };
    assert.deepEqual(parseQuery("tea"), { query: { terms: [anywhere] } });
  });

  it("SEARCH-004: takes a lone minus as a text, and one before a text as not", () => {
    const anywhere = { field: undefined, path: "", operator: ":", numbers: [] };
    assert.deepEqual(parseQuery("- -a -").query?.terms, [
      { ...anywhere, isNegated: false, values: ["-"] },
      { ...anywhere, isNegated: true, values: ["a"] },
      { ...anywhere, isNegated: false, values: ["-"] },
    ]);
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

  it("never throws, and every mistake is within the text", () => {
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

  it("takes a quoted text literally", () => {
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

  it("reads the worst text of its length quickly", () => {
    const share = cpuShare(() => {
      for (const worst of ['"', "\\", '"\\', "a.", "-", ":", "a:,", '","'])
        parseQuery(worst.repeat(MAX_QUERY_CHARS).slice(0, MAX_QUERY_CHARS));
    });
    assert.ok(share < 4, `${share} times the yardstick`);
  });
});
