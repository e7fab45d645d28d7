/** Unit tests of errors.ts: every named error, and its problem (ERR). */
import assert from "node:assert/strict";
import { STATUS_CODES } from "node:http";
import { describe, test } from "node:test";
import { Framework } from "../index.ts";
import * as errors from "./errors.ts";

const problemJson = { type: "about:blank", title: "Not Found", status: 404 };

describe("HttpError", () => {
  const named: readonly (readonly [errors.HttpError, string, number, string])[] = [
    [new errors.BadRequestError(), "BadRequestError", 400, "Bad Request"],
    [new errors.UnauthorizedError(), "UnauthorizedError", 401, "Unauthorized"],
    [new errors.ForbiddenError("no"), "ForbiddenError", 403, "no"],
    [new errors.NotFoundError("x"), "NotFoundError", 404, "x"],
    [new errors.MethodNotAllowedError("GET"), "MethodNotAllowedError", 405, "allowed here: GET"],
    [new errors.ConflictError(), "ConflictError", 409, "Conflict"],
    [new errors.GoneError(), "GoneError", 410, "Gone"],
    [new errors.ContentTooLargeError(9), "ContentTooLargeError", 413, "the body may have at most 9 bytes"],
    [new errors.UnsupportedMediaTypeError(), "UnsupportedMediaTypeError", 415, "Unsupported Media Type"],
    [new errors.UnprocessableContentError([]), "UnprocessableContentError", 422, "the body does not fit its schema"],
    [new errors.UnprocessableContentError("too late"), "UnprocessableContentError", 422, "too late"],
    [new errors.UnprocessableContentError(), "UnprocessableContentError", 422, "Unprocessable Content"],
    [new errors.MethodNotAllowedError("GET", "read only"), "MethodNotAllowedError", 405, "read only"],
    [new errors.ContentTooLargeError("5 pictures at most"), "ContentTooLargeError", 413, "5 pictures at most"],
    [new errors.PreconditionRequiredError(), "PreconditionRequiredError", 428, "Precondition Required"],
    [new errors.TooManyRequestsError(), "TooManyRequestsError", 429, "Too Many Requests"],
    [new errors.ServiceUnavailableError(), "ServiceUnavailableError", 503, "Service Unavailable"],
  ];
  for (const [error, name, status, message] of named)
    test(`is ${status} as ${name}`, () =>
      assert.deepEqual([error.name, error.status, error.message], [name, status, message]));

  test("accepts error statuses only", () => {
    for (const status of [200, 399, 600, 404.5])
      assert.throws(() => new errors.HttpError(status), {
        name: "RangeError",
        message: `HttpError takes a status from 400 to 599, not ${status}`,
      });
    assert.deepEqual([new errors.HttpError(599).message, new errors.HttpError(400).message], ["Error", "Bad Request"]);
  });

  test("has the headers that its status requires", () => {
    const headers = [
      new errors.MethodNotAllowedError("GET"),
      new errors.ContentTooLargeError(9),
      new errors.ContentTooLargeError("no", { headers: { "X-A": "1" } }),
      new errors.MethodNotAllowedError("GET", "no", { headers: { "X-A": "1" } }),
      new errors.UnprocessableContentError("no", { headers: { "X-A": "1" } }),
      new errors.GoneError(),
    ];
    assert.deepEqual(
      headers.map((error) => error.headers),
      [
        { Allow: "GET" },
        { Connection: "close" },
        { Connection: "close", "X-A": "1" },
        { Allow: "GET", "X-A": "1" },
        { "X-A": "1" },
        {},
      ],
    );
  });

  test("is recognized by another copy of the package, and an object that only looks like one is not", async () => {
    const copy = (await import(new URL("./errors.js?copy", import.meta.url).href)) as typeof errors;
    const foreign = new copy.NotFoundError("x");
    const broken = Object.assign(new copy.NotFoundError("x"), { status: 200 });
    const alike = Object.assign(new Error("x"), { status: 404, headers: {} });
    const seen = [foreign, broken, alike, { ...foreign }, new errors.GoneError(), undefined].map(
      (error) => error instanceof errors.HttpError,
    );
    assert.deepEqual(seen, [true, false, false, false, true, false]);
    assert.deepEqual(
      [foreign instanceof errors.NotFoundError, new errors.GoneError() instanceof errors.NotFoundError],
      [false, false],
    );
    const app = Framework.create().get("/", () => {
      throw foreign;
    });
    const response = await app.request("/");
    assert.deepEqual([response.status, JSON.parse(await response.text())], [404, { ...problemJson, detail: "x" }]);
  });

  test("has a cause only when one is given, even undefined", () => {
    const has = (options?: object): boolean => "cause" in new errors.GoneError("x", options);
    assert.deepEqual([has(), has({}), has({ cause: undefined })], [false, false, true]);
  });

  test("tells whether only the body was rejected, and how many issues are not listed", () => {
    const issue = { path: [], message: "no" };
    const of = (...parts: readonly errors.RequestPart[]): errors.UnprocessableContentError =>
      new errors.UnprocessableContentError(
        parts.map((part) => ({ ...issue, in: part })),
        parts.length - 1,
      );
    const seen = [of("body"), of("body", "query"), of("query")].map(({ message, moreIssues }) => [message, moreIssues]);
    assert.deepEqual(seen, [
      ["the body does not fit its schema", undefined],
      ["the request does not fit its contract", 1],
      ["the request does not fit its contract", undefined],
    ]);
  });

  test("keeps its cause, headers and code", () => {
    const cause = new Error("c");
    const error = new errors.HttpError(418, "teapot", { cause, headers: { "X-A": "1" }, code: "TEA" });
    assert.deepEqual(
      [error.cause, error.headers, error.code, String(new errors.ClientGoneError())],
      [cause, { "X-A": "1" }, "TEA", "ClientGoneError: the client left before the request was whole"],
    );
  });
});

describe("UnauthorizedError", () => {
  test("sends a challenge in addition to its own headers", () => {
    const challenge = 'Bearer realm="shop"';
    assert.deepEqual(new errors.UnauthorizedError("x", { challenge }).headers, { "WWW-Authenticate": challenge });
    const own = new errors.UnauthorizedError("x", { challenge, headers: { "X-A": "1" }, code: "c" });
    assert.deepEqual([own.headers, own.code], [{ "WWW-Authenticate": challenge, "X-A": "1" }, "c"]);
    assert.deepEqual(new errors.UnauthorizedError().headers, {});
  });
});

describe("TooManyRequestsError", () => {
  test("sends when to try again, as whole seconds or a date", () => {
    const headersOf = (retryAfter: number | Date): unknown =>
      new errors.TooManyRequestsError("x", { retryAfter }).headers;
    assert.deepEqual(headersOf(1.2), { "Retry-After": "2" });
    assert.deepEqual(headersOf(0), { "Retry-After": "0" });
    assert.deepEqual(headersOf(new Date(0)), { "Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT" });
    assert.deepEqual(headersOf(new Date(-1_000)), { "Retry-After": "Wed, 31 Dec 1969 23:59:59 GMT" });
    for (const odd of [-1, Number.NaN, Infinity, new Date(Number.NaN)])
      assert.throws(() => headersOf(odd), {
        name: "RangeError",
        message: `retryAfter takes seconds from 0, or a Date, not ${String(odd)}`,
      });
  });
});

describe("noBeans", () => {
  test("names the code that needs a bean, and the call to add", () => {
    const error = errors.noBeans("GET /: ");
    assert.deepEqual(
      [error.message, Reflect.get(error, "code")],
      ["GET /: no beans are attached: call app.beans(beans) before app.start()", "BEANS_NOT_ATTACHED"],
    );
    assert.match(errors.noBeans().message, /^no beans are attached/);
  });
});

describe("problemOf", () => {
  test("ERR-001: titles every error status that Node knows with its own phrase", () => {
    const known = Object.keys(STATUS_CODES).map(Number);
    const titles = known.filter((status) => status >= 400).map((status) => errors.problemOf(status).title);
    assert.ok(titles.length > 38);
    assert.deepEqual([titles.includes("Error"), new Set(titles).size], [false, titles.length]);
    assert.equal(errors.problemOf(418).title, "I'm a Teapot");
  });

  test("holds exactly the given data", () => {
    const sent = (of: Parameters<typeof errors.problemOf>[0]): unknown =>
      JSON.parse(JSON.stringify(errors.problemOf(of)));
    const base = { type: "about:blank", title: "Not Found", status: 404 };
    assert.deepEqual(sent(404), base);
    assert.deepEqual(sent(new errors.NotFoundError()), base);
    assert.deepEqual(sent(new errors.NotFoundError("")), base);
    const whole = { ...base, detail: "d", code: "C", errors: [] };
    assert.deepEqual(sent(new errors.NotFoundError("d", { code: "C", issues: [] })), whole);
    assert.deepEqual(sent(new errors.NotFoundError("d", { code: "C", issues: [], moreIssues: 2 })), {
      ...whole,
      moreErrors: 2,
    });
  });
});

describe("withoutStack", () => {
  test("makes the error, and does not change the stacks of other errors", () => {
    const error = errors.withoutStack(() => new errors.NotFoundError("gone"));
    assert.equal(error.stack?.includes("\n    at "), false);
    assert.throws(
      () =>
        errors.withoutStack(() => {
          throw new RangeError("from inside");
        }),
      RangeError,
    );
    assert.equal(new Error("after").stack?.includes("\n    at "), true);
  });

  test("makes it with its stack when the intrinsics are frozen", (t) => {
    t.mock.method(Object, "isExtensible", () => false);
    const { stack } = errors.withoutStack(() => new errors.NotFoundError("gone"));
    assert.equal(stack?.includes("\n    at "), true);
  });
});
