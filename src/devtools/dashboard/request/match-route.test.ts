/**
 * matchRoute finds the route that the application itself would take, and its parameters.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { RouteInfo } from "../../run/shapes.ts";
import { matchRoute } from "./match-route.ts";

const route = (method: string, path: string): RouteInfo => {
  const pathParams = [...path.matchAll(/[{*]([\w-]+)/g)].map(([, name = ""]) => name);
  return { method, path, pathParams, beans: [] };
};
const routes = [
  route("GET", "/users/{id}"),
  route("GET", "/users/me"),
  route("GET", "/files/*path"),
  route("GET", "/users/{id}/orders/{order-id}"),
  route("DELETE", "/users/{id}"),
  route("GET", "/v1.0/x"),
];
const found = (path: string, method = "GET"): unknown => {
  const match = matchRoute(routes, method, path);
  return match && [match.route.path, match.params];
};

describe("matchRoute", () => {
  test("prefers fixed segments, then parameters, then the wildcard", () => {
    assert.deepEqual(found("/users/me"), ["/users/me", {}]);
    assert.deepEqual(found("/users/7"), ["/users/{id}", { id: "7" }]);
    assert.deepEqual(found("/files/a/b%20c"), ["/files/*path", { path: "a/b c" }]);
  });

  test("decodes parameters, and leaves malformed ones unchanged", () => {
    assert.deepEqual(found("/users/a%2Fb/orders/%zz"), [
      "/users/{id}/orders/{order-id}",
      { id: "a/b", "order-id": "%zz" },
    ]);
  });

  test("finds nothing for another method, a longer path or a lookalike", () => {
    assert.deepEqual(
      [found("/users/7", "POST"), found("/users/7/x"), found("/v1x0/x"), found("/")],
      Array<undefined>(4).fill(undefined),
    );
  });
});
