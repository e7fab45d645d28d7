import assert from "node:assert/strict";
import { STATUS_CODES } from "node:http";
import { describe, test } from "node:test";
import { asksForWebSocket, isToken, isWithoutContent, listHas, reasonPhrase } from "./http-rules.ts";

describe("isToken", () => {
  test("accepts the characters of RFC 9110 §5.6.2, one at least", () => {
    const taken = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code))
      .filter(isToken)
      .join("");
    assert.equal(taken, "!#$%&'*+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz|~");
    assert.deepEqual(["M-SEARCH", "", "a b", " a", "a\n"].map(isToken), [true, false, false, false, false]);
  });
});

describe("listHas", () => {
  test("finds a word in any case, whole and with blanks around it", () => {
    const lists = ["a", "A", "b, a", "b ,\ta ", "ab", "b", "", undefined];
    const found = lists.map((list) => listHas(list, "a"));
    assert.deepEqual(found, [true, true, true, true, false, false, false, false]);
  });
});

describe("asksForWebSocket", () => {
  test("is a GET of HTTP/1.1 with an upgrade of its connection", () => {
    const asked = (more: object, fields: Readonly<Record<string, string>> = {}): boolean => {
      const all: Readonly<Record<string, string>> = {
        upgrade: "websocket",
        connection: "keep-alive, Upgrade",
        ...fields,
      };
      return asksForWebSocket({ method: "GET", httpVersion: "1.1", header: (name) => all[name], ...more });
    };
    const others = [{ method: "POST" }, { httpVersion: "1.0" }].map((more) => asked(more));
    const fields = [{ upgrade: "h2c" }, { connection: "close" }].map((more) => asked({}, more));
    assert.deepEqual([asked({}), others, fields], [true, [false, false], [false, false]]);
  });
});

describe("reasonPhrase", () => {
  test("is that of RFC 9110 when Node has an older one, and Error for an unknown status", () => {
    const newer = { 413: "Content Too Large", 422: "Unprocessable Content", 509: "Bandwidth Limit Exceeded" };
    const statuses = Object.keys(STATUS_CODES)
      .map(Number)
      .filter((status) => status >= 400);
    const expected = Object.fromEntries(statuses.map((status) => [status, STATUS_CODES[status]]));
    const found = Object.fromEntries(statuses.map((status) => [status, reasonPhrase(status)]));
    assert.deepEqual(found, { ...expected, ...newer });
    assert.deepEqual([200, 499, 599].map(reasonPhrase), ["Error", "Error", "Error"]);
  });
});

describe("isWithoutContent", () => {
  test("is 204, 205 and 304", () => {
    assert.deepEqual([200, 204, 205, 206, 304, 404].filter(isWithoutContent), [204, 205, 304]);
  });
});
