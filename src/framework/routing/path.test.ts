/** Unit tests of path.ts: the routed path, the readable path, and the placeholders of slashes (ROUTE). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { isSeparator, readablePath, routedPath, shownPath, valueOf } from "./path.ts";

const slash = "\ud800\ud800";
const backslash = "\ud800\ud801";

describe("routedPath", () => {
  const routed: Readonly<Record<string, string | undefined>> = {
    "/": "/",
    "/a/b": "/a/b",
    "/a//b/": "/a//b/",
    "/.a": "/.a",
    "/a.b/..c/d..": "/a.b/..c/d..",
    "/...": "/...",
    "/a/.": undefined,
    "/a/..": undefined,
    "/./a": undefined,
    "/../a": undefined,
    "/a/../b": undefined,
    "/caf%C3%A9": "/café",
    "/a%2Fb": `/a${slash}b`,
    "/a%2fb%2Fc": `/a${slash}b${slash}c`,
    "/a%5Cb": `/a${backslash}b`,
    "/a\\b": `/a${backslash}b`,
    "/a\\b\\c": `/a${backslash}b${backslash}c`,
    "/a%252Fb": "/a%2Fb",
    "/%2e": undefined,
    "/%2E%2e/a": undefined,
    "/a%2F..": undefined,
    "/a%5C..%5Cb": undefined,
    "/a\\..\\b": undefined,
    "/a%2F.b": `/a${slash}.b`,
    "/%": undefined,
    "/%zz": undefined,
    "/%C3": undefined,
    "/a%00": undefined,
  };
  for (const [path, expected] of Object.entries(routed))
    test(`makes ${JSON.stringify(expected)} of ${path}`, () => assert.equal(routedPath(path), expected));

  test("gives the same string when there is nothing to decode", () => {
    const path = ["", "users", "7.json"].join("/");
    assert.ok(Object.is(routedPath(path), path));
  });
});

describe("readablePath", () => {
  const read: Readonly<Record<string, string>> = {
    "/": "/",
    "/a/b": "/a/b",
    "//a": "/a",
    "/a///b//": "/a/b/",
    [`/a${slash}b`]: "/a/b",
    [`/a${backslash}b`]: "/a/b",
    [`/a${slash}${backslash}/b`]: "/a/b",
  };
  for (const [routed, expected] of Object.entries(read))
    test(`makes ${expected} of ${shownPath(routed)}`, () => assert.equal(readablePath(routed), expected));
});

describe("isSeparator", () => {
  test("finds slashes, and the placeholders of slashes and backslashes", () => {
    const path = `/a${slash}b${backslash}\ud83d\ude00\ud800b`;
    const separators = Array.from({ length: path.length }, (_, at) => at).filter((at) => isSeparator(path, at));
    assert.deepEqual(separators, [0, 2, 5]);
  });

  test("accepts no other character before a placeholder as a slash", () => {
    assert.equal(isSeparator(`a${slash}`, 0), false);
    assert.equal(isSeparator(`\ud83d\ude00`, 0), false);
    assert.equal(isSeparator(`\ud800x`, 0), false);
  });
});

describe("valueOf and shownPath", () => {
  test("give held characters back plain, and escaped", () => {
    const raw = `a${slash}b${backslash}c${slash}`;
    assert.deepEqual([valueOf(raw), shownPath(raw)], ["a/b\\c/", "a%2Fb\\c%2F"]);
    assert.deepEqual([valueOf("plain"), shownPath("/plain")], ["plain", "/plain"]);
  });

  test("undo routedPath, segment by segment", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme", minLength: 1 }), { minLength: 1 }), (segments) => {
        fc.pre(
          !segments.some(
            (segment) => segment.includes("\0") || segment.split(/[/\\]/).some((one) => /^\.{1,2}$/.test(one)),
          ),
        );
        const routed = routedPath(`/${segments.map(encodeURIComponent).join("/")}`);
        assert.deepEqual(routed?.slice(1).split("/").map(valueOf), segments);
      }),
    );
  });
});
