/** Unit tests of query.ts: the requirements of a QUERY, and the advertisement of `accept` (QUERY). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Context } from "../http/context.ts";
import { acceptQueryField, checkAccept, queryCheck } from "./query.ts";

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
    test(`responds ${status} to ${type ?? "no type"} when ${accept?.join(" ") ?? "any"} is accepted`, () => {
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
    test(`accepts ${type} when ${accept?.join(" ") ?? "any"} is accepted`, () => {
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
  test("writes a structured list: tokens, and strings for types that are not tokens", () => {
    assert.equal(acceptQueryField(["application/json", "*/*", "3gpp/x"]), 'application/json, */*, "3gpp/x"');
  });
});

describe("checkAccept", () => {
  const json = (value: unknown): unknown => value;
  const form = { form: json };
  const takes = (where: string, accept: readonly string[] | undefined, body: object | undefined): boolean => {
    try {
      checkAccept(where, { accept, body } as never);
      return true;
    } catch (error) {
      assert.equal((error as { code?: unknown }).code, "CONTRACT_INVALID");
      return false;
    }
  };

  test("compares the accepted types of a QUERY with those that its body is read from", () => {
    const sound: readonly (readonly [string, readonly string[] | undefined, object | undefined])[] = [
      ["QUERY /", ["text/csv", "application/json"], json],
      ["QUERY /", ["application/*"], json],
      ["QUERY /", ["application/vnd.x+json"], json],
      ["QUERY /", ["application/x-www-form-urlencoded"], form],
      ["QUERY /", undefined, json],
      ["QUERY /", ["text/csv"], undefined],
      ["POST /", ["text/csv"], json],
    ];
    for (const [where, accept, body] of sound)
      assert.equal(takes(where, accept, body), true, `${where} ${String(accept)}`);
    const odd: readonly (readonly [readonly string[], object])[] = [
      [["text/csv"], json],
      [[], json],
      [["application/json"], form],
      [["application/vnd.x+json"], form],
    ];
    for (const [accept, body] of odd) assert.equal(takes("QUERY /", accept, body), false, String(accept));
  });

  test("names the type of the body and the allowed types", () => {
    const accept = ["text/csv", "text/plain"];
    assert.throws(() => checkAccept("QUERY /a", { accept, body: json } as never), {
      message: "QUERY /a: it accepts text/csv, text/plain, and its body is JSON: application/json is allowed",
    });
    assert.throws(() => checkAccept("QUERY /a", { accept, body: form } as never), {
      message:
        "QUERY /a: it accepts text/csv, text/plain, and its body is a form: application/x-www-form-urlencoded is allowed",
    });
  });
});
