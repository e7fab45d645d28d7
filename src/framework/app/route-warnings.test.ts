/** Unit tests of route-warnings.ts: the warnings and their frequency (CTX, CONTRACT). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Context } from "../http/context.ts";
import type { ProblemIssue } from "../internal/errors.ts";
import { safeLogger } from "../internal/logger.ts";
import { RouteWarnings } from "./route-warnings.ts";

/** The warnings object of one app, and its lines. */
function warning(): { readonly warnings: RouteWarnings; readonly lines: string[] } {
  const lines: string[] = [];
  return { warnings: new RouteWarnings(safeLogger({ warn: (line) => void lines.push(line) })), lines };
}

/** A context with the parts that warnings use. Its attributes are added to `told`. */
function contextOf(method: string, route: string | undefined, statusCode = 200, told: unknown[] = []): Context {
  const attribute = (...given: unknown[]): number => told.push(given);
  return { method, route, url: "/url", statusCode, attribute } as unknown as Context;
}

/** Runs `act` under that NODE_ENV. */
function under(environment: string | undefined, act: () => void): void {
  const before = process.env["NODE_ENV"];
  const set = (value: string | undefined): void => {
    if (value === undefined) delete process.env["NODE_ENV"];
    else process.env["NODE_ENV"] = value;
  };
  set(environment);
  try {
    act();
  } finally {
    set(before);
  }
}

const sentence = (route: string): string =>
  `${route} sent nothing and returned nothing: 204. Return a value or its promise, or say ctx.status(204).`;

describe("a response whose JSON has a {}", () => {
  const later = Promise.resolve(1);

  test("is reported once for each route with the lost value, in production too", () =>
    under("production", () => {
      const { warnings, lines } = warning();
      for (const route of ["/a", "/a", "/b", undefined]) warnings.lost(contextOf("GET", route), { items: [later] });
      const what = "a Promise at items[0], which JSON writes as {}: await it";
      assert.deepEqual(lines, [`the response of GET /a has ${what}`, `the response of GET /b has ${what}`]);
    }));

  test("is searched 20 times for each route, so that empty objects cost nothing", () => {
    const { warnings, lines } = warning();
    const empty = { times: 0, of: {} };
    const value = Object.defineProperty({}, "member", { get: () => ((empty.times += 1), empty.of), enumerable: true });
    for (let at = 0; at < 30; at += 1) warnings.lost(contextOf("GET", "/a"), value);
    warnings.lost(contextOf("GET", "/a"), { later });
    assert.deepEqual([empty.times, lines], [20, []]);
  });
});

describe("a handler that sends and returns nothing", () => {
  test("is reported once for each route and method, when a route matched", () => {
    for (const environment of [undefined, "development"])
      under(environment, () => {
        const { warnings, lines } = warning();
        for (const [method, route] of [
          ["GET", "/a"],
          ["GET", "/a"],
          ["POST", "/a"],
          ["GET", "/b"],
          ["GET", undefined],
        ] as const)
          warnings.silent(contextOf(method, route));
        assert.deepEqual(lines, ["GET /a", "POST /a", "GET /b"].map(sentence));
      });
  });

  test("reports the middleware that did not respond or call next(), once, also when no route matched", () => {
    const named = function requireUser(): void {};
    const sentences = [
      "GET /a: the middleware requireUser neither responded nor went on: 204. Call next(), or respond.",
      "GET /url: the middleware guard neither responded nor went on: 204. Call next(), or respond.",
      "GET /b: a middleware without a name neither responded nor went on: 204. Call next(), or respond.",
    ];
    const { warnings, lines } = warning();
    for (const [route, silentMiddleware] of [
      ["/a", named],
      ["/b", named],
      [undefined, function guard(): void {}],
      [
        "/b",
        (
          () => () =>
            undefined
        )(),
      ],
    ] as const)
      warnings.silent({ ...contextOf("GET", route), silentMiddleware });
    assert.deepEqual(lines, sentences);
  });

  test("is not reported in production", () =>
    under("production", () => {
      const { warnings, lines } = warning();
      warnings.silent(contextOf("GET", "/a"));
      assert.deepEqual(lines, []);
    }));
});

describe("a response that breaks its contract", () => {
  const issue = (pointer: string, message: string): ProblemIssue => ({ in: "body", pointer, path: [], message });

  test("is reported once for each route and status, and its issues are set each time", () => {
    const { warnings, lines } = warning();
    const told: unknown[] = [];
    const broken = "breaks its contract at /a/0: is no number, and at /b: is no text, and at /c: is long, and 1 more";
    const issues = [issue("/a/0", "is no number"), issue("/b", "is no text"), issue("/c", "is long"), issue("/d", "")];
    for (const [route, status] of [
      ["/a", 200],
      ["/a", 200],
      ["/a", 201],
      [undefined, 200],
    ] as const)
      warnings.broken(contextOf("GET", route, status, told), issues, false);
    warnings.broken(contextOf("PUT", "/b", 200, told), [issue("", "is missing")], false);
    warnings.broken(contextOf("PUT", "/c"), [{ in: "body", path: [], message: "is missing" }], false);
    assert.deepEqual(lines, [
      `GET /a: the response 200 ${broken}`,
      `GET /a: the response 201 ${broken}`,
      `GET /url: the response 200 ${broken}`,
      "PUT /b: the response 200 breaks its contract: is missing",
      "PUT /c: the response 200 breaks its contract: is missing",
    ]);
    assert.deepEqual(told, [
      ...Array.from({ length: 4 }, () => ["contractIssues", issues]),
      ["contractIssues", [issue("", "is missing")]],
    ]);
  });

  test("is an error each time when it is enforced, without a log line", () => {
    const { warnings, lines } = warning();
    for (let time = 0; time < 2; time += 1)
      assert.throws(() => warnings.broken(contextOf("GET", "/a"), [issue("/a", "is no number")], true), {
        message: "GET /a: the response 200 breaks its contract at /a: is no number",
      });
    assert.deepEqual(lines, []);
  });
});
