/**
 * draft: drafts, examples from traces, and the requests that they make.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { RouteInfo } from "../../wire.ts";
import { traceOf } from "../testing/fixtures.ts";
import {
  contentType,
  draftProblems,
  draftUrl,
  exampleDraft,
  isSafe,
  mediaTypes,
  toRequest,
  withContentType,
} from "./draft.ts";
import type { Draft } from "./draft.ts";

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
  test("takes parameters, query, headers and body from a trace, never secrets or transport headers", () => {
    const trace = traceOf([], {
      request: {
        pathParams: { id: "a b" },
        query: { tag: ["x", "y z"], q: ["&"] },
        headers: { host: ["h"], "x-tenant": ["acme"], authorization: ["[redacted]"], "x-framework-dev": ["d"] },
        body: { a: 1 },
      },
    });
    assert.deepEqual(exampleDraft(post, trace), {
      params: { id: "a b" },
      query: "tag=x&tag=y+z&q=%26",
      headers: [["x-tenant", "acme"]],
      body: '{\n  "a": 1\n}',
    });
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
  test("offers what the route accepts, else the usual ones, the draft's own first", () => {
    const own = draft({ headers: [["content-type", "text/csv"]] });
    assert.deepEqual(mediaTypes({ ...query, accept: ["application/sql", "text/csv"] }, own), [
      "text/csv",
      "application/sql",
    ]);
    assert.deepEqual(mediaTypes({ ...post, accept: [] }, draft()), [
      "application/json",
      "application/x-www-form-urlencoded",
      "text/plain",
    ]);
  });
});

describe("withContentType", () => {
  test("replaces the header, however it is spelled", () => {
    const headers = withContentType(
      draft({
        headers: [
          ["X", "1"],
          ["content-TYPE", "a/b"],
        ],
      }),
      "text/plain",
    );
    assert.deepEqual(headers, [
      ["Content-Type", "text/plain"],
      ["X", "1"],
    ]);
    assert.equal(contentType(post, draft({ headers })), "text/plain");
  });
});

describe("isSafe", () => {
  test("knows the methods that change nothing, QUERY among them", () => {
    const all = ["GET", "HEAD", "OPTIONS", "QUERY", "POST", "PUT", "PATCH", "DELETE"];
    assert.deepEqual(all.filter(isSafe), ["GET", "HEAD", "OPTIONS", "QUERY"]);
  });
});
