import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { methodLabel, routeLabel } from "./labels.ts";

describe("methodLabel", () => {
  for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "QUERY"]) {
    test(`keeps ${method}`, () => assert.equal(methodLabel(method), method));
  }
  for (const method of ["get", "PROPFIND", "", "__proto__", "GET "]) {
    test(`turns ${JSON.stringify(method)} into _OTHER`, () => assert.equal(methodLabel(method), "_OTHER"));
  }
});

describe("routeLabel", () => {
  test("keeps a pattern", () => assert.equal(routeLabel("/users/{id}"), "/users/{id}"));
  test("turns null into UNMATCHED", () => assert.equal(routeLabel(null), "UNMATCHED"));
});
