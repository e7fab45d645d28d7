/** Searching: a table of queries over a few runs, with the places that each finds. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Json, Trace } from "../shapes.ts";
import { documentOf } from "./document.ts";
import { searchOf, type Found } from "./match.ts";
import { parseQuery } from "./query.ts";
import { callOf, runOf } from "./runs.testkit.ts";

const place: Trace = {
  ...runOf({
    id: "req-place",
    sequence: 1,
    method: "POST",
    path: "/orders",
    route: "/orders",
    status: 201,
    durationUs: 25_500,
    correlationId: "page-1",
    annotations: [{ name: "agent", value: { agent: "claude-code", tool: "search-products", thread: "3f2a90c1" } }],
    request: {
      pathParams: {},
      query: { dry: ["no"] },
      headers: { "x-tenant": ["Acme"] },
      body: { item: "Green Tea", total: 120 },
    },
    response: { headers: {}, body: { id: "A-1" }, bytes: 12 },
    calls: [
      callOf(0, "OrderController", "create", { args: [{ $context: "POST /orders" }] }),
      callOf(1, "OrderRepository", "find", {
        args: [7],
        params: ["id"],
        result: { id: 7, total: 99, lines: [{ sku: "tea" }] },
      }),
      callOf(2, "OrderRepository", "find", {
        args: [8],
        params: ["id"],
        result: { id: 8, total: 250 },
        durationUs: 9_000,
      }),
      callOf(3, "Mailer", "send", { args: ["to ada", { $$price: { $bigint: "12" }, at: { $date: "2026-11-25" } }] }),
    ],
    leaves: [
      {
        id: 0,
        parentId: 1,
        kind: "sql",
        name: "update",
        startUs: 1,
        durationUs: 5,
        error: null,
        detail: { system: "", statement: "UPDATE orders SET total = 120", parameters: [], rows: null },
      },
      {
        id: 1,
        parentId: 3,
        kind: "log",
        name: "warn",
        startUs: 2,
        durationUs: 0,
        error: null,
        detail: { level: "warn", message: "timeout of the mailer", fields: {} },
      },
      {
        id: 2,
        parentId: null,
        kind: "http",
        name: "GET",
        startUs: 2,
        durationUs: 9,
        detail: {
          method: "GET",
          url: "https://api.example/rates",
          status: null,
          run: null,
          requestHeaders: {},
          responseHeaders: {},
        },
        error: { name: "FetchError", message: "refused" },
      },
    ],
  }),
};

const fail = runOf({
  sequence: 2,
  status: 500,
  durationUs: 900,
  calls: [
    callOf(0, "OrderRepository", "save", {
      error: { name: "TypeError", message: "x is not a function" },
      durationUs: 10,
    }),
  ],
  error: { name: "TypeError", message: "x is not a function", causes: [{ name: "RangeError", message: "too far" }] },
});
const missing = runOf({
  sequence: 3,
  path: "/nowhere",
  route: null,
  status: 404,
  response: { headers: {}, body: null, bytes: 0 },
});
const job = runOf({
  sequence: 4,
  kind: "background",
  method: "RUN",
  path: "warm the cache",
  route: null,
  aborted: true,
});
const broken = runOf({ sequence: 5, contractIssues: [{ pointer: "/id", message: "must be string" }] });
const runs = [place, fail, missing, job, broken];
const documents = runs.map(documentOf);

/** By sequence, the found places in short: `c1 c2 l0 path`. */
function found(text: string): Readonly<Record<number, string>> {
  const { query, issues } = parseQuery(text);
  assert.ok(query !== undefined, JSON.stringify(issues));
  const search = searchOf(query);
  const rows = documents.map((document) => [document.sequence, search(document)] as const);
  return Object.fromEntries(rows.flatMap(([sequence, hit]) => (hit === undefined ? [] : [[sequence, places(hit)]])));
}

const places = ({ calls, leaves, parts }: Found): string =>
  [...calls.map((id) => `c${id}`), ...leaves.map((id) => `l${id}`), ...parts].join(" ");

const all = { 1: "", 2: "", 3: "", 4: "", 5: "" };
const table: Readonly<Record<string, Readonly<Record<string, Readonly<Record<number, string>>>>>> = {
  "SEARCH-001: every term must hold": {
    "": all,
    "status:500 path:/orders": { 2: "path run" },
    "status:500 path:/nowhere": {},
  },
  "SEARCH-003: what follows a bean is about one call of it": {
    "bean:OrderRepository": { 1: "c1 c2", 2: "c0" },
    "bean=orderrepository method=find": { 1: "c1 c2" },
    "bean:OrderRepository method:find arg.id=7": { 1: "c1" },
    "bean:OrderRepository method:find arg.id=7 result.total>100": {},
    "bean:OrderRepository arg.id=8 result.total>100": { 1: "c2" },
    "arg.id=7 bean:OrderRepository": { 1: "c1" },
    "bean:OrderRepository arg.id=7 bean:Mailer method:send": { 1: "c1 c3" },
    "bean:OrderRepository method!=find": { 2: "c0" },
    "bean:Repository took>5ms": { 1: "c2" },
    "method:post": { 1: "run" },
    "method:get arg.id=7": {},
    "bean:get": {},
    "method:save": { 2: "c0" },
  },
  "SEARCH-004: a term behind a minus holds nowhere in the run": {
    "-bean:OrderRepository": { 3: "", 4: "", 5: "" },
    "-bean=mailer": { 2: "", 3: "", 4: "", 5: "" },
    "-bean:Mailer,Nobody": { 2: "", 3: "", 4: "", 5: "" },
    "-bean!=OrderRepository": { 2: "", 3: "", 4: "", 5: "" },
    "bean:OrderController -bean:Nobody method:find": {},
    "bean:OrderRepository -method:find": { 2: "c0" },
    "-status:2xx": { 2: "", 3: "" },
    '-"green tea" path:/orders': { 2: "path", 5: "path" },
  },
  "SEARCH-005: words in quotes stand in that order": {
    '"green tea"': { 1: "body" },
    '"tea green"': {},
    "GREEN TEA": { 1: "c1 body" },
  },
  "SEARCH-006: a status is a number, a class or a comparison": {
    "status:5xx": { 2: "run" },
    "status:404,500": { 2: "run", 3: "run" },
    "status>=400 status<500": { 3: "run" },
    "status<404": { 1: "run", 4: "run", 5: "run" },
    "status<=404": { 1: "run", 3: "run", 4: "run", 5: "run" },
    "status>404": { 2: "run" },
    "status>=404": { 2: "run", 3: "run" },
    "status!=200": { 1: "", 2: "", 3: "" },
  },
  "times are in microseconds, milliseconds, seconds or minutes": {
    "dur>20ms": { 1: "run" },
    "dur>20": { 1: "run" },
    "dur<1ms": { 2: "run" },
    "dur>=.0255s": { 1: "run" },
    "dur<=900us": { 2: "run" },
    "dur>1m": {},
  },
  "SEARCH-008: keys are those at the end, and the value there is held against": {
    "arg.id=7": { 1: "c1" },
    "result.sku:te": { 1: "c1" },
    "result.lines.0.sku=tea": { 1: "c1" },
    "result.total>100": { 1: "c2" },
    "result.total<100": { 1: "c1" },
    "arg=7": { 1: "c1" },
    "result>100": { 1: "c2" },
    'arg:""': { 1: "c0 c1 c2 c3" },
    'arg.id:""': { 1: "c1 c2" },
    "arg.$price=12": { 1: "c3" },
    "arg.at:2026-11": { 1: "c3" },
    "arg.0:ada": { 1: "c3" },
    "body.item:tea": { 1: "body" },
    "body.item=tea": {},
    "body.total:tea": {},
    "body.total>=119": { 1: "body" },
    "body.total<=121": { 1: "body" },
    "body.item>=0": {},
    "header.x-tenant=acme": { 1: "header" },
    "query.dry=no": { 1: "query" },
    "param.id=7": { 2: "param", 3: "param", 4: "param", 5: "param" },
    "response.id=A-1": { 1: "response" },
    "response.total!=120": { 1: "", 3: "" },
    "path:/nowhere": { 3: "path" },
    "id:req-place": { 1: "run" },
    "id=b7a1.2": { 2: "run" },
    "id:page-1": { 1: "run" },
    "session:xx,b7": { 1: "run", 2: "run", 3: "run", 4: "run", 5: "run" },
    "session:7a": {},
    "session:b7": { 1: "run", 2: "run", 3: "run", 4: "run", 5: "run" },
  },
  "SEARCH-009: a route is found with its method and without": {
    'route:"POST /orders"': { 1: "run" },
    "route=/orders": { 1: "run" },
    "route:{id}": { 2: "run", 5: "run" },
  },
  "SEARCH-010: errors are those of the run, its calls and its leaves, and what caused them": {
    "error:TypeError": { 2: "c0 error" },
    "error:RangeError": { 2: "error" },
    "error:refused": { 1: "l2" },
    'error:"not a function"': { 2: "c0 error" },
  },
  "SEARCH-013: a word without a field is found anywhere": {
    timeout: { 1: "l1" },
    tea: { 1: "c1 body" },
    sku: { 1: "c1" },
    mailer: { 1: "c3 l1" },
    nowhere: { 3: "path" },
    "must be string": { 5: "contract" },
    arg: {},
  },
  "is: says what a run is": {
    "is:mine": { 1: "run" },
    "is:failed": { 2: "run" },
    "is:aborted": { 4: "run" },
    "is:broken": { 5: "run" },
    "is:unmatched": { 3: "run" },
    "is:background": { 4: "run" },
    "is:request is:failed,broken": { 2: "run", 5: "run" },
    "is:trace": {},
  },
  "the calls of agents are found by agent, tool and conversation": {
    "agent:claude": { 1: "run" },
    "agent=claude": {},
    "tool=search-products thread:3f2a": { 1: "run" },
    "agent:claude -tool:search": {},
    "thread:/orders": {},
  },
  "leaves are found by their kind, and all by leaf": {
    'sql:"update orders"': { 1: "l0" },
    "log:timeout": { 1: "l1" },
    "http:api.example": { 1: "l2" },
    "leaf:update": { 1: "l0" },
    "leaf:example,timeout": { 1: "l1 l2" },
    "leaf:tea": {},
    "leaf:refused": {},
    "sql:timeout": {},
  },
};

describe("searchOf", () => {
  for (const [title, queries] of Object.entries(table))
    it(title, () => {
      const seen = Object.keys(queries).map((query) => [query, found(query)]);
      assert.deepEqual(Object.fromEntries(seen), queries);
    });

  it("SEARCH-003: compares each call with its declaring class, several names, times and negations", () => {
    const run = runOf({
      durationUs: 5_000,
      calls: [
        callOf(0, "Sub", "find", { declaredBy: "Base", args: [7], params: ["id"] }),
        callOf(1, "Other", "save", { durationUs: null, args: [8], params: ["id"] }),
      ],
    });
    const calls = (text: string): string => {
      const { query = assert.fail(text) } = parseQuery(text);
      const hit = searchOf(query)(documentOf(run));
      return hit === undefined ? "-" : places(hit);
    };
    const expected: Readonly<Record<string, string>> = {
      "bean:base": "c0",
      "bean:sub": "c0",
      "bean!=base": "c1",
      "method:save,find": "c0 c1",
      "method!=find": "c1",
      "method!=get": "c0 c1",
      "arg.id!=7": "c1",
      "bean:sub arg.id!=7": "-",
      "took<20ms": "c0",
      "took>=1ms": "c0",
      "took>1ms": "-",
      "dur>5ms": "-",
      "dur>=5ms": "run",
      "dur<5ms": "-",
      "bean:sub method:get": "-",
      "method:get": "run",
    };
    assert.deepEqual(Object.fromEntries(Object.keys(expected).map((text) => [text, calls(text)])), expected);
  });

  it("SEARCH-008: takes an empty text not as a number, and SEARCH-013: takes the name of a part not as a key", () => {
    const request = { pathParams: { id: "" }, query: {}, headers: {}, body: null };
    const document = documentOf(runOf({ path: "/", request, response: { headers: {}, body: null, bytes: 0 } }));
    const isFound = (text: string): boolean =>
      searchOf(parseQuery(text).query ?? assert.fail(text))(document) !== undefined;
    assert.deepEqual(["param.id<1", "param.id>=0", 'param.id=""', "y", "i"].map(isFound), [
      false,
      false,
      true,
      false,
      true,
    ]);
  });

  it("finds as its own only requests of the page that asks", () => {
    const { query = { terms: [] } } = parseQuery("is:mine");
    const [document = assert.fail()] = documents;
    assert.ok(searchOf(query, { mine: new Set(["page-1"]) })(document));
    assert.equal(searchOf(query, { mine: new Set(["page-2"]) })(document), undefined);
  });

  const texts = fc.string({ maxLength: 12, unit: "binary" });
  const { json } = fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 3 },
      texts,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("json"), { maxLength: 3 }),
      fc.dictionary(fc.oneof(texts, fc.constantFrom("id", "$map", "$date", "$string", "$$x")), tie("json"), {
        maxKeys: 3,
      }),
    ),
  }));

  it("finds a text of an argument by that text, and by its key", () => {
    const text = fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" }).filter((one) => /\S/.test(one));
    fc.assert(
      fc.property(text, json, (needle, other) => {
        const run = runOf({ calls: [callOf(0, "A", "b", { args: [other, { key: needle }] })] });
        const value = `"${needle.replace(/["\\]/g, String.raw`\$&`)}"`;
        for (const text of [value, `arg.key=${value}`, `arg:${value}`]) {
          const { query = assert.fail(text) } = parseQuery(text);
          assert.ok(searchOf(query)(documentOf(run))?.calls.includes(0), text);
          const [positive, negative] = [query, { terms: query.terms.map((term) => ({ ...term, isNegated: true })) }];
          assert.notEqual(searchOf(positive)(documentOf(run)), undefined);
          assert.equal(searchOf(negative)(documentOf(run)), undefined);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("is not affected by values, even if they contain its own marks", () => {
    const marks = fc.string({ maxLength: 12, unit: fc.constantFrom(..."\u001c\u001d\u001e\u001f\n.c0az") });
    fc.assert(
      fc.property(marks, fc.dictionary(marks, marks), (path, body) => {
        const run = runOf({ path, request: { pathParams: {}, query: {}, headers: {}, body } });
        const { query = assert.fail() } = parseQuery("arg:c0 bean:c0");
        assert.equal(searchOf(query)(documentOf(run)), undefined);
      }),
      { numRuns: 500 },
    );
  });
});
