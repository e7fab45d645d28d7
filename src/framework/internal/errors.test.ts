/** Unit tests of errors.ts: every named error, and the problem it becomes (ERR). */
import assert from "node:assert/strict";
import { STATUS_CODES } from "node:http";
import { describe, test } from "node:test";
import * as errors from "./errors.ts";

describe("HttpError", () => {
  const named: readonly (readonly [errors.HttpError, string, number, string])[] = [
    [new errors.BadRequestError(), "BadRequestError", 400, "Bad Request"],
    [new errors.NotFoundError("x"), "NotFoundError", 404, "x"],
    [new errors.MethodNotAllowedError("GET"), "MethodNotAllowedError", 405, "allowed here: GET"],
    [new errors.ContentTooLargeError(9), "ContentTooLargeError", 413, "the body may have at most 9 bytes"],
    [new errors.UnsupportedMediaTypeError(), "UnsupportedMediaTypeError", 415, "Unsupported Media Type"],
    [new errors.UnprocessableContentError([]), "UnprocessableContentError", 422, "the body does not fit its schema"],
    [new errors.ServiceUnavailableError(), "ServiceUnavailableError", 503, "Service Unavailable"],
  ];
  for (const [error, name, status, message] of named)
    test(`is ${status} as ${name}`, () =>
      assert.deepEqual([error.name, error.status, error.message], [name, status, message]));

  test("takes error statuses only", () => {
    for (const status of [200, 399, 600, 404.5]) assert.throws(() => new errors.HttpError(status), RangeError);
    assert.equal(new errors.HttpError(599).message, "Error");
  });

  test("keeps its cause, headers and code", () => {
    const cause = new Error("c");
    const error = new errors.HttpError(418, "teapot", { cause, headers: { "X-A": "1" }, code: "TEA" });
    assert.deepEqual(
      [error.cause, error.headers, error.code, new errors.ClientGoneError().name],
      [cause, { "X-A": "1" }, "TEA", "ClientGoneError"],
    );
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

  test("holds what there is to say, and no more", () => {
    const base = { type: "about:blank", title: "Not Found", status: 404 };
    assert.deepEqual(errors.problemOf(404), base);
    assert.deepEqual(errors.problemOf(new errors.NotFoundError()), base);
    assert.deepEqual(errors.problemOf(new errors.NotFoundError("")), base);
    assert.deepEqual(errors.problemOf(new errors.NotFoundError("d", { code: "C", issues: [] })), {
      ...base,
      detail: "d",
      code: "C",
      errors: [],
    });
  });
});

describe("withoutStack", () => {
  test("makes the error, and leaves other errors their stacks", () => {
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
});
