import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { KNOWN_METHODS, knownMethods, methodLabel, routeLabel } from "./labels.ts";

/** The result of `knownMethods` when the platform has this `process`. */
function knownWith(process: unknown): ReadonlySet<string> {
  const before = Object.getOwnPropertyDescriptor(globalThis, "process");
  Object.defineProperty(globalThis, "process", { value: process, configurable: true });
  try {
    return knownMethods();
  } finally {
    if (before !== undefined) Object.defineProperty(globalThis, "process", before);
  }
}

describe("knownMethods", () => {
  const listing = (methods: string) => ({ env: { OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS: methods } });

  test("is the framework's own ten when the environment lists none", () => {
    for (const process of [undefined, {}, { env: {} }, listing(""), listing("  ")])
      assert.equal(knownWith(process), KNOWN_METHODS);
  });

  test("is the environment's list instead", () => {
    assert.deepEqual([...knownWith(listing("GET, PURGE ,LINK"))], ["GET", "PURGE", "LINK"]);
  });
});

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
