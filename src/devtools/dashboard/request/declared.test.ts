/**
 * declared: the parts of a request that a contract declares, read from the draft and written into it.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { RouteInfo } from "../../run/shapes.ts";
import { declaredIn, declaredValue, rowsBeside, withHeader, withValues, type TextPart } from "./declared.ts";
import type { Draft } from "./draft-text.ts";

const part = { schema: { type: "object", properties: { a: { type: "string" }, tag: { type: "array", items: {} } } } };
const route: RouteInfo = {
  method: "POST",
  path: "/{a}",
  pathParams: ["a"],
  beans: [],
  contract: { params: part, query: part, headers: part, cookies: part, body: { kind: "form", ...part } },
};
const draft: Draft = {
  params: { a: "1" },
  query: "x=%20&a=1&tag=p&a=2&tag=q",
  headers: [
    ["A", "1"],
    ["X", "y"],
    ["Cookie", "a=1; x=y=z"],
  ],
  body: "tag=p&a=b+c",
};

const value = (of: TextPart, name: string): unknown => declaredValue(declaredIn(route, of), of, draft, name);
const changed = (of: TextPart, name: string, texts: readonly string[]): Partial<Draft> =>
  withValues(declaredIn(route, of), of, draft, name, texts);

describe("declared values", () => {
  test("are read from each part: one text, or a list", () => {
    const parts = ["params", "query", "headers", "cookies", "body"] as const;
    assert.deepEqual(
      parts.map((of) => [value(of, "a"), value(of, "tag")]),
      [
        ["1", undefined],
        ["1", ["p", "q"]],
        ["1", undefined],
        ["1", undefined],
        ["b c", ["p"]],
      ],
    );
  });

  test("DASH-148: are set without a change to anything else", () => {
    assert.deepEqual(
      [
        changed("params", "a", ["2"]),
        changed("params", "a", []),
        changed("query", "a", ["ä"]),
        changed("query", "a", []),
        changed("query", "tag", ["r", "s", "t"]),
        changed("headers", "a", ["2"]).headers?.[0],
        changed("headers", "tag", ["2"]).headers?.at(-1),
        changed("cookies", "a", ["2"]).headers?.[0],
        changed("body", "a", ["b", "c"]),
      ],
      [
        { params: { a: "2" } },
        { params: { a: "" } },
        { query: "x=%20&a=%C3%A4&tag=p&a=2&tag=q" },
        { query: "x=%20&tag=p&a=2&tag=q" },
        { query: "x=%20&a=1&tag=r&tag=s&tag=t&a=2" },
        ["a", "2"],
        ["tag", "2"],
        ["Cookie", "a=2; x=y=z"],
        { body: "tag=p&a=b&a=c" },
      ],
    );
  });

  test("remove the Cookie header with the last of them", () => {
    const only: Draft = { ...draft, headers: [["cookie", "a=1"]] };
    assert.deepEqual(withValues(declaredIn(route, "cookies"), "cookies", only, "a", []), { headers: [] });
  });

  test("leave separate rows for undeclared and repeated names", () => {
    assert.deepEqual(
      [rowsBeside(route, "query", draft), rowsBeside(route, "headers", draft)],
      [
        [0, 3],
        [1, 2],
      ],
    );
  });

  test("are empty without a contract, or with one that has no members", () => {
    const none = { root: {}, members: {}, required: [] };
    for (const contract of [undefined, { query: { schema: null } }])
      assert.deepEqual(declaredIn({ ...route, contract }, "query"), none);
  });
});

test("withHeader replaces a header, in any spelling", () => {
  const headers = [
    ["X", "1"],
    ["content-TYPE", "a/b"],
  ] as const;
  assert.deepEqual(withHeader({ ...draft, headers }, "Content-Type", "text/plain"), {
    headers: [
      ["Content-Type", "text/plain"],
      ["X", "1"],
    ],
  });
  assert.deepEqual(withHeader({ ...draft, headers }, "Content-Type", ""), { headers: [["X", "1"]] });
});
