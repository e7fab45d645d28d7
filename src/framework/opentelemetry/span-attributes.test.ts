/** The attributes of a span about the client and the requested server (SPAN). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Attributes } from "@opentelemetry/api";
import { type Context, Framework, type FrameworkOptions } from "../index.ts";
import { knownMethods } from "../metrics/labels.ts";
import { spanName, startAttributes } from "./span-attributes.ts";

const proxied = {
  Host: "app:8080",
  "X-Forwarded-For": "1.2.3.4",
  "X-Forwarded-Proto": "https",
  "X-Forwarded-Host": "shop.example",
};

/** All attributes of a request. One with another method than GET matches no route. */
async function allOf(request: Request, peerAddress?: string): Promise<Attributes> {
  let found: Attributes = {};
  const app = Framework.create()
    .use((ctx, next) => {
      found = startAttributes(ctx, knownMethods());
      return next();
    })
    .get("/users/{id}", () => "someone");
  await app.fetch(request, peerAddress === undefined ? {} : { peerAddress });
  return found;
}

/** Scheme, server and client of a request with these headers. */
async function told(headers: Record<string, string>, options: FrameworkOptions = {}): Promise<readonly unknown[]> {
  let found: Attributes = {};
  const app = Framework.create(options).get(
    "/",
    (ctx) => void (found = startAttributes(ctx.status(204), knownMethods())),
  );
  await app.fetch(new Request("http://h/", { headers }), { peerAddress: "::ffff:127.0.0.1" });
  return ["url.scheme", "server.address", "server.port", "client.address"].map((name) => found[name]);
}

describe("startAttributes", () => {
  const trusting: FrameworkOptions = { trustProxy: true };
  const cases: readonly (readonly [string, Record<string, string>, FrameworkOptions, readonly unknown[]])[] = [
    ["of nobody trusted", proxied, {}, ["http", "app", 8080, "127.0.0.1"]],
    ["of a trusted proxy", proxied, trusting, ["https", "shop.example", 443, "1.2.3.4"]],
    ["and its port", { ...proxied, "X-Forwarded-Port": "8443" }, trusting, ["https", "shop.example", 8443, "1.2.3.4"]],
    ["of a host without a port", { Host: "app" }, {}, ["http", "app", 80, "127.0.0.1"]],
    ["of IPv6 without one", { Host: "[::1]" }, {}, ["http", "::1", 80, "127.0.0.1"]],
    ["of IPv6", { Host: "[::1]:99" }, {}, ["http", "::1", 99, "127.0.0.1"]],
  ];
  for (const [what, headers, options, expected] of cases)
    test(`SPAN-004: have the server ${what}`, async () => assert.deepEqual(await told(headers, options), expected));

  test("SPAN-003: have only the path of a target in absolute form, which may also name a user", () => {
    const pathOf = (url: string): unknown => {
      const ctx = {
        url,
        method: "GET",
        scheme: "http",
        httpVersion: "1.1",
        header: () => undefined,
      } as unknown as Context;
      return startAttributes(ctx, knownMethods())["url.path"];
    };
    assert.deepEqual(["/a", "http://h/a", "HTTPS://user:secret@h:1/a/b", "http://h", "*", "/http://h/a"].map(pathOf), [
      "/a",
      "/a",
      "/a/b",
      "/",
      "*",
      "/http://h/a",
    ]);
  });

  test("have the route, the client and its user agent, if they exist", async () => {
    const headers = { host: "app", "user-agent": "tester" };
    const server = { "server.address": "app", "server.port": 80 };
    const sent = { "url.scheme": "http", "network.protocol.version": "1.1", ...server };
    assert.deepEqual(await allOf(new Request("http://h/users/7?a=1", { headers }), "10.0.0.1"), {
      ...sent,
      "http.request.method": "GET",
      "url.path": "/users/7",
      "http.route": "/users/{id}",
      "user_agent.original": "tester",
      "client.address": "10.0.0.1",
    });
    const request = new Request("http://h/users/7", { method: "PROPFIND", headers: { host: "app" } });
    assert.deepEqual(await allOf(request), {
      ...sent,
      "http.request.method": "_OTHER",
      "url.path": "/users/7",
      "http.request.method_original": "PROPFIND",
    });
  });
});

describe("spanName", () => {
  for (const [method, route, expected] of [
    ["GET", "/users/{id}", "GET /users/{id}"],
    ["GET", undefined, "GET"],
    ["PROPFIND", "/users/{id}", "HTTP /users/{id}"],
    ["PROPFIND", undefined, "HTTP"],
  ] as const)
    test(`is ${expected} of ${method} ${route ?? "without a route"}`, () =>
      assert.equal(spanName(method, route, knownMethods()), expected));
});
