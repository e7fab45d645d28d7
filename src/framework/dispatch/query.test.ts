/** Unit tests of query.ts: what a QUERY must bring, and how `accept` is advertised (QUERY). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Context } from "../http/context.ts";
import { acceptQueryField, queryCheck } from "./query.ts";

const asked = (contentType: string | undefined): Context => ({ header: () => contentType }) as unknown as Context;

describe("queryCheck", () => {
  const rejected: readonly (readonly [
    type: string | undefined,
    accept: readonly string[] | undefined,
    status: number,
    message: string,
  ])[] = [
    [undefined, undefined, 400, "QUERY needs a Content-Type (RFC 10008)"],
    ["json", undefined, 400, "the Content-Type is malformed"],
    ["application/json garbage", ["application/json"], 400, "the Content-Type is malformed"],
    [
      "text/csv",
      ["text/plain", "application/json"],
      415,
      "QUERY takes text/plain, application/json here, not text/csv",
    ],
    ["text/csv", ["application/*"], 415, "QUERY takes application/* here, not text/csv"],
    ["application/jsonp", ["application/json"], 415, "QUERY takes application/json here, not application/jsonp"],
    ["applications/json", ["application/*"], 415, "QUERY takes application/* here, not applications/json"],
    ["text/csv", [], 415, "QUERY takes nothing here, not text/csv"],
  ];
  for (const [type, accept, status, message] of rejected)
    test(`responds ${status} to ${type ?? "no type"} where ${accept?.join(" ") ?? "any"} is taken`, () => {
      assert.throws(() => queryCheck(accept)(asked(type)), { status, message });
    });

  const taken: readonly (readonly [string, readonly string[] | undefined])[] = [
    ["text/csv", undefined],
    ["APPLICATION/JSON; charset=utf-8", ["application/json"]],
    ["application/json", ["text/plain", "Application/JSON"]],
    ["text/csv", ["text/*"]],
    ["text/csv", ["*/*"]],
  ];
  for (const [type, accept] of taken)
    test(`takes ${type} where ${accept?.join(" ") ?? "any"} is taken`, () => {
      assert.equal(queryCheck(accept)(asked(type)), undefined);
    });

  for (const bad of ["json", "a/b; q=1", "", "a/b, c/d"])
    test(`rejects ${JSON.stringify(bad)} in accept at registration`, () => {
      assert.throws(() => queryCheck([bad]), {
        name: "TypeError",
        message: `accept holds ${JSON.stringify(bad)}: a media type such as "application/json" is allowed`,
      });
    });
});

describe("acceptQueryField", () => {
  test("writes a structured list: tokens, and strings for types that are no token", () => {
    assert.equal(acceptQueryField(["application/json", "*/*", "3gpp/x"]), 'application/json, */*, "3gpp/x"');
  });
});
