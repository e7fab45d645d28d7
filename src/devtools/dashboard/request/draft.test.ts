/**
 * draft: drafts, examples from traces, and the requests that they make.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject, RouteContract, RouteInfo } from "../../run/shapes.ts";
import { traceOf } from "../../run/traces.testkit.ts";
import {
  contentType,
  draftProblems,
  draftUrl,
  exampleDraft,
  isBinary,
  isMultipart,
  isSafe,
  isSameRequest,
  mediaTypes,
  toRequest,
} from "./draft.ts";
import type { Draft } from "./draft-text.ts";

const post: RouteInfo = { method: "POST", path: "/shop/users/{id}/notes", pathParams: ["id"], beans: [] };
const query: RouteInfo = { method: "QUERY", path: "/search", pathParams: [], beans: [], accept: ["application/json"] };
const draft = (more: Partial<Draft> = {}): Draft => ({
  params: { id: "1" },
  query: "",
  headers: [],
  body: "",
  ...more,
});

describe("exampleDraft", () => {
  test("leaves a parameter empty without a source, whatever its name", () => {
    const route = { method: "GET", path: "/x/{constructor}", pathParams: ["constructor"], beans: [] };
    const draft = exampleDraft(route, undefined);
    assert.deepEqual([draft.params, draftUrl(route, draft)], [{ constructor: "" }, "/x/{constructor}"]);
  });

  test("takes parameters, query, headers and body from a trace, never secrets or transport headers", () => {
    const trace = traceOf([], {
      request: {
        pathParams: { id: "a b" },
        query: { tag: ["x", "y z"], q: ["&"] },
        headers: {
          host: ["h"],
          "x-tenant": ["acme"],
          authorization: ["[redacted]"],
          "x-framework-dev": ["d"],
          "x-framework-replay": ["i1.1;beans=Repo"],
        },
        body: { a: 1 },
      },
    });
    assert.deepEqual(exampleDraft(post, trace), {
      params: { id: "a b" },
      query: "tag=x&tag=y+z&q=%26",
      headers: [["x-tenant", "acme"]],
      body: '{\n  "a": 1\n}',
      leftOut: ["header authorization: hidden"],
    });
  });

  test("DASH-037: names the missing parts of the run, wherever they were", () => {
    const trace = traceOf([], {
      request: {
        pathParams: { id: "[redacted]" },
        query: { token: ["[redacted]"], q: ["a"] },
        headers: { authorization: ["Bearer [redacted]"] },
        body: { a: 1, list: [{ $truncated: 2 }] },
      },
    });
    assert.deepEqual(exampleDraft(post, trace), {
      params: { id: "" },
      query: "token=&q=a",
      headers: [],
      body: '{\n  "a": 1,\n  "list": []\n}',
      leftOut: ["id: hidden", "query token: hidden", "header authorization: hidden", "list: 2 more were not recorded"],
    });
  });

  test("keeps a malformed body as its text, and a JSON string as JSON", () => {
    const request = { pathParams: {}, query: {}, headers: { "content-type": ["application/json"] }, body: "{oh" };
    assert.equal(exampleDraft(post, traceOf([], { status: 400, request })).body, "{oh");
    assert.equal(exampleDraft(post, traceOf([], { request: { ...request, body: "oh" } })).body, '"oh"');
  });

  test("DASH-072: makes the values that the contract requires without an example", () => {
    const text = { type: "string" };
    const object = (properties: JsonObject, ...required: string[]) => ({
      schema: { type: "object", properties, required },
    });
    const contract: RouteContract = {
      params: object({ id: { type: "integer", minimum: 7 } }),
      query: object(
        { page: { type: "integer" }, tag: { type: "array", items: text, minItems: 2 }, more: text },
        "page",
        "tag",
      ),
      headers: object({ "x-tenant": text, "x-more": text, "x-own": text }, "x-tenant", "x-own"),
      body: { kind: "json", ...object({ sku: text, note: text }, "sku") },
    };
    const example = { path: {}, query: { page: ["3"] }, headers: { "X-Own": "o" } };
    assert.deepEqual(exampleDraft({ ...post, contract, example }, undefined), {
      params: { id: "7" },
      query: "page=3&tag=text&tag=text",
      headers: [
        ["x-tenant", "text"],
        ["X-Own", "o"],
      ],
      body: '{\n  "sku": "text"\n}',
    });
    const form: RouteContract = {
      body: { kind: "form", ...object({ sku: text, tag: { type: "array", items: text } }, "sku", "tag") },
    };
    const formRoute = { ...post, contract: form };
    const made = exampleDraft(formRoute, undefined);
    assert.deepEqual(
      [made.body, contentType(formRoute, made)],
      ["sku=text&tag=text", "application/x-www-form-urlencoded"],
    );
    const untold: RouteContract = { query: { schema: null }, body: { kind: "json", schema: null } };
    assert.deepEqual(exampleDraft({ ...post, contract: untold }, undefined).body, "{}");
  });

  test("DASH-040: takes the route's declared example before any run", () => {
    const example = {
      path: { id: "7" },
      query: { a: ["1", "2"], b: ["x y"] },
      headers: { "X-A": "1" },
      body: { n: 1 },
    };
    assert.deepEqual(exampleDraft({ ...post, example }, undefined), {
      params: { id: "7" },
      query: "a=1&a=2&b=x+y",
      headers: [["X-A", "1"]],
      body: '{\n  "n": 1\n}',
    });
    const text = { ...example, body: "as it is" };
    assert.equal(exampleDraft({ ...post, example: text }, undefined).body, "as it is");
    assert.equal(exampleDraft({ ...post, example }, traceOf([])).params["id"], "1");
  });

  test("has the example's body for a run that a guard rejected before its body was read", () => {
    const rejected = traceOf([], {
      status: 401,
      request: { pathParams: { id: "7" }, query: {}, headers: {}, body: null },
    });
    const schema: JsonObject = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
    const declared: RouteInfo = { ...post, contract: { body: { kind: "json", schema } } };
    const { params, body, leftOut } = exampleDraft(declared, rejected);
    assert.deepEqual(
      [params, JSON.parse(body), leftOut],
      [{ id: "7" }, { text: "text" }, ["body: it was not read, so this is the example"]],
    );
    const given = { ...post, example: { path: {}, query: {}, headers: {}, body: { text: "given" } } };
    assert.deepEqual(JSON.parse(exampleDraft(given, rejected).body), { text: "given" });
    const bodies = [exampleDraft(post, rejected), exampleDraft(declared, { ...rejected, status: 200 })];
    assert.deepEqual(
      bodies.map(({ body }) => body),
      ["", ""],
    );
  });

  test("is empty without a trace", () => {
    assert.deepEqual(exampleDraft(post, undefined), { params: { id: "" }, query: "", headers: [], body: "{}" });
  });
});

describe("draftUrl", () => {
  test("escapes parameters, keeps missing ones visible, and splits a wildcard into segments", () => {
    assert.equal(
      draftUrl(post, draft({ params: { id: "a/b ?" }, query: "?x=1" })),
      "/shop/users/a%2Fb%20%3F/notes?x=1",
    );
    assert.equal(draftUrl(post, draft({ params: {} })), "/shop/users/{id}/notes");
    assert.equal(draftUrl({ ...post, path: "/files/*path" }, draft({ params: { path: "a/b c" } })), "/files/a/b%20c");
  });
});

describe("toRequest", () => {
  test("types a body as JSON unless a header says otherwise", () => {
    assert.deepEqual(toRequest(post, draft({ body: "{}" })), {
      method: "POST",
      url: "/shop/users/1/notes",
      headers: [["Content-Type", "application/json"]],
      body: "{}",
    });
    assert.deepEqual(
      toRequest(
        post,
        draft({
          body: "x",
          headers: [
            ["content-type", "text/plain"],
            ["", "dropped"],
          ],
        }),
      ).headers,
      [["content-type", "text/plain"]],
    );
  });

  test("sends QUERY with a type even when the body is empty, GET without a body", () => {
    assert.deepEqual(toRequest(query, draft()), {
      method: "QUERY",
      url: "/search",
      headers: [["Content-Type", "application/json"]],
      body: undefined,
    });
    assert.equal(toRequest({ ...query, method: "GET" }, draft({ body: "{}" })).body, undefined);
  });
});

describe("draftProblems", () => {
  const cases: Record<string, [RouteInfo, Draft, string[]]> = {
    "nothing for a complete draft": [post, draft({ body: "{}" }), []],
    "a missing path parameter": [post, draft({ params: {} }), ["Fill in the path parameter id."]],
    "a bad header name": [post, draft({ headers: [["a b", "1"]] }), ["“a b” is not a header name."]],
    "a line break in a header": [
      post,
      draft({ headers: [["a", "1\n2"]] }),
      ["The value of a has characters that a header cannot carry."],
    ],
    "invalid JSON, with its place": [post, draft({ body: '{\n  "a":x}' }), ["Body: line 2, column 7: invalid symbol."]],
    "a method that browsers do not send": [
      { ...query, method: "TRACE" },
      draft(),
      ["Browsers do not send TRACE. Copy it as cURL instead."],
    ],
  };
  for (const [title, [route, value, expected]] of Object.entries(cases)) {
    test(`names ${title}`, () => assert.deepEqual(draftProblems(route, value), expected));
  }

  test("leaves a body alone that is not JSON", () => {
    assert.deepEqual(draftProblems(post, draft({ body: "{", headers: [["Content-Type", "text/plain"]] })), []);
  });
});

describe("mediaTypes", () => {
  test("offers the types that the route accepts, or else the usual ones, the draft's own first", () => {
    const own = draft({ headers: [["content-type", "text/csv"]] });
    assert.deepEqual(mediaTypes({ ...query, accept: ["application/sql", "text/csv"] }, own), [
      "text/csv",
      "application/sql",
    ]);
    assert.deepEqual(mediaTypes({ ...post, accept: [] }, draft()), [
      "application/json",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "text/plain",
      "application/octet-stream",
    ]);
  });
});

describe("isSameRequest", () => {
  test("compares method, address, headers and body, JSON by its value", () => {
    const one = draft({ query: "a=1", headers: [["X-A", "1"]], body: '{"a":1}' });
    const others = { query: "a=2", headers: [["X-A", "2"]] as const, body: '{"a":2}', params: { id: "2" } };
    assert.ok(isSameRequest(post, one, { ...one, headers: [["x-a", "1"]], body: '{ "a": 1 }' }));
    for (const [part, value] of Object.entries(others))
      assert.ok(!isSameRequest(post, one, { ...one, [part]: value }), part);
  });
});

describe("isSafe", () => {
  test("recognises the methods that change nothing, QUERY among them", () => {
    const all = ["GET", "HEAD", "OPTIONS", "QUERY", "POST", "PUT", "PATCH", "DELETE"];
    assert.deepEqual(all.filter(isSafe), ["GET", "HEAD", "OPTIONS", "QUERY"]);
  });
});

describe("a form with files", () => {
  const schema = { type: "object", properties: { alt: { type: "string", examples: ["A lamp"] } }, required: ["alt"] };
  const files = { picture: { schema: { type: "string" }, isRequired: true } };
  const body = { kind: "multipart", schema, files } as const;
  const route: RouteInfo = { method: "PUT", path: "/p", pathParams: [], beans: [], contract: { body } };
  const file = new File(["x"], "lamp.png", { type: "image/png" });
  const chosen = [{ name: "picture", files: [file] }];

  test("DASH-090: starts with the required texts, also if a run has recorded no body", () => {
    assert.equal(exampleDraft(route, undefined).body, "alt=A+lamp");
    assert.equal(exampleDraft(route, traceOf([], { method: "PUT", path: "/p", route: "/p" })).body, "alt=A+lamp");
  });

  test("DASH-090: is sent with its texts and its files, and leaves the Content-Type to the browser", () => {
    const headers = [
      ["Content-Type", "multipart/form-data"],
      ["X-A", "b"],
    ] as const;
    const sent = toRequest(route, draft({ body: "alt=A+lamp&=&more=%26", headers }), chosen);
    assert.deepEqual(
      { ...sent, form: sent.form?.map(([name, value]) => [name, typeof value === "string" ? value : value.name]) },
      {
        method: "PUT",
        url: "/p",
        headers: [["X-A", "b"]],
        body: undefined,
        form: [
          ["alt", "A lamp"],
          ["more", "&"],
          ["picture", "lamp.png"],
        ],
      },
    );
  });

  test("is text if the Content-Type has its boundary, and another body with another type", () => {
    const written = draft({ headers: [["Content-Type", "multipart/form-data; boundary=x"]], body: "--x--" });
    assert.deepEqual([isMultipart(route, draft()), isMultipart(route, written)], [true, false]);
    assert.deepEqual(
      [toRequest(route, written, chosen).body, toRequest(route, written, chosen).form],
      ["--x--", undefined],
    );
  });

  test("a file can be the whole body if that is bytes", () => {
    const bytes = draft({ headers: [["Content-Type", "application/octet-stream"]], body: "typed" });
    assert.deepEqual([isBinary(route, bytes), isBinary(post, draft())], [true, false]);
    assert.equal(toRequest(route, bytes).body, "typed");
    assert.equal(toRequest(route, bytes, [{ name: "", files: [file] }]).body, file);
  });

  test("makes another request when one of its texts changes", () => {
    const one = draft({ body: "alt=a" });
    assert.deepEqual(
      [isSameRequest(route, one, draft({ body: "alt=a" })), isSameRequest(route, one, draft({ body: "alt=b" }))],
      [true, false],
    );
  });
});
