/** Unit tests of pattern.ts: parsing, joining and comparing patterns by segments (ROUTE). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isUnder, joinPatterns, parsePattern } from "./pattern.ts";

describe("parsePattern", () => {
  test("names the parameters in order", () => {
    assert.deepEqual(parsePattern("/users/{id}/files/*path"), {
      text: "/users/{id}/files/*path",
      names: ["id", "path"],
      isWild: true,
    });
  });

  test("drops a trailing slash, and keeps it when it matters", () => {
    assert.deepEqual(parsePattern("/a/"), { text: "/a", names: [], isWild: false });
    assert.deepEqual(parsePattern("/a/", true), { text: "/a/", names: [], isWild: false });
    assert.deepEqual(parsePattern("/"), { text: "/", names: [], isWild: false });
  });

  const rejected: Readonly<Record<string, RegExp>> = {
    users: /starts without a slash: write "\/users"/,
    "/a?b=1": /holds \? or #/,
    "/a#b": /holds \? or #/,
    "/a//b": /holds an empty segment/,
    "/a//": /holds an empty segment/,
    "/a/./b": /holds a dot segment/,
    "/a/..": /holds a dot segment/,
    "/:id": /holds :id: write \{id\}/,
    "/{}": /a parameter without a name in \{\}/,
    "/*": /a parameter without a name in \*/,
    "/*rest/more": /the wildcard \*rest before its end/,
    "/a{id}": /mixes text and a parameter in a\{id\}/,
    "/{id}.json": /mixes text and a parameter/,
    "/{a-b}": /a parameter with the name "a-b"/,
    "/{1}": /a parameter with the name "1"/,
    "/{id}/{id}": /uses the name id twice/,
    "/{id}/*id": /uses the name id twice/,
    "/caf%C3%A9/{id}": /holds %, and paths are matched decoded: write "\/café\/\{id\}"/,
    "/caf%C3%A9/a%2Fb": /write the decoded characters/,
    "/a%2Fb": /write the decoded characters, or \{name\} for the segment/,
    "/a%5Cb": /write the decoded characters/,
    "/%7Bid%7D": /write the decoded characters/,
    "/100%25": /write the decoded characters/,
    "/100%": /write the decoded characters/,
    "/a%ff": /write the decoded characters/,
    "/a\\b": /holds a backslash: write \/ between segments/,
  };
  for (const [pattern, sentence] of Object.entries(rejected)) {
    test(`rejects ${pattern}`, () => {
      assert.throws(() => parsePattern(pattern), { name: "TypeError", code: "ROUTE_PATTERN", message: sentence });
    });
  }

  test("rejects an empty segment before the end also when a trailing slash matters", () => {
    assert.throws(() => parsePattern("/a//b/", true), /holds an empty segment/);
  });
});

describe("joinPatterns", () => {
  const joined: readonly (readonly [string, string, string])[] = [
    ["", "/a", "/a"],
    ["/", "/a", "/a"],
    ["/api", "/a", "/api/a"],
    ["/api/", "/a", "/api/a"],
    ["/api", "a", "/api/a"],
    ["/api", "/", "/api"],
    ["/api", "", "/api"],
    ["", "/", "/"],
    ["/", "/", "/"],
    ["", "a", "a"],
    ["/", "a", "a"],
  ];
  for (const [prefix, path, whole] of joined) {
    test(`makes ${whole} of ${JSON.stringify(prefix)} and ${JSON.stringify(path)}`, () => {
      assert.equal(joinPatterns(prefix, path), whole);
    });
  }
});

describe("isUnder", () => {
  test("compares whole segments", () => {
    assert.deepEqual(
      ["/api", "/api/", "/api/x", "/apix", "/ap", "/"].map((path) => isUnder(path, "/api")),
      [true, true, true, false, false, false],
    );
    assert.equal(isUnder("/anything", "/"), true);
  });
});
