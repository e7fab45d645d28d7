/** Unit tests of target.ts: paths decoded once, dot segments refused, queries read (ROUTE). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { assertLinear } from "./scaling.test.ts";
import { originForm, parseQuery, pathOf, routedPath, shownPath, valueOf } from "./target.ts";

describe("pathOf", () => {
  test("cuts the query off", () => {
    assert.deepEqual(["/a?b?c", "/a", "?x"].map(pathOf), ["/a", "/a", ""]);
  });
});

describe("originForm", () => {
  test("takes the path out of an absolute form, and leaves the rest alone", () => {
    const given = ["http://h/a/b", "HTTPS://h", "/http://x", "*", "ftp://h/a"];
    assert.deepEqual(given.map(originForm), ["/a/b", "/", "/http://x", "*", "ftp://h/a"]);
  });
});

describe("routedPath", () => {
  const refused = [
    "/a/..",
    "/./a",
    "/a/../b",
    "/%2e%2e/a",
    "/%2E/a",
    "/a/.%2e",
    "/a%2f..%2fb",
    "/%",
    "/%zz",
    "/%ff",
    "/a%c3",
    "/a%00b",
    "/a%2F..",
  ];
  for (const path of refused) {
    test(`refuses ${path}`, () => assert.equal(routedPath(path), undefined));
  }

  test("decodes once, and never twice", () => {
    assert.equal(routedPath("/caf%C3%A9"), "/café");
    assert.equal(routedPath("/%2541"), "/%41");
    assert.equal(routedPath("/a.b/.c/d.."), "/a.b/.c/d..");
    assert.equal(routedPath("/...%20"), "/... ");
  });

  test("keeps an encoded slash inside its segment", () => {
    const routed = routedPath("/a%2Fb/c") ?? "";
    assert.equal(routed.split("/").length, 3);
    assert.equal(valueOf(routed.split("/")[1] ?? ""), "a/b");
    assert.equal(shownPath(routed), "/a%2Fb/c");
    assert.equal(shownPath("/plain"), "/plain");
    assert.equal(valueOf("plain"), "plain");
  });

  test("gives back every value that was encoded as one segment", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 1 }),
        fc.string({ unit: "binary-ascii", minLength: 1 }),
        (...values) => {
          const routed = routedPath(`/${values.map(encodeURIComponent).join("/")}`);
          const refused = values.some(
            (value) => value.includes("\0") || value.split("/").some((part) => part === "." || part === ".."),
          );
          assert.deepEqual(routed?.split("/").map(valueOf), refused ? undefined : ["", ...values]);
        },
      ),
      { numRuns: Number(process.env["FC_RUNS"] ?? 3_000) },
    );
  });

  test("never throws, and never yields a dot segment", () => {
    const piece = fc.constantFrom("/", ".", "%2e", "%2f", "%", "a", "%c3%a9", "%ff", "%00");
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }).map((parts) => `/${parts.join("")}`),
        (path) => {
          const routed = routedPath(path);
          if (routed !== undefined)
            assert.ok(
              !valueOf(routed)
                .split("/")
                .some((segment) => segment === "." || segment === ".."),
            );
        },
      ),
      { numRuns: Number(process.env["FC_RUNS"] ?? 3_000) },
    );
  });
});

describe("targets", () => {
  test("take time linear in their length", () => {
    for (const unit of ["/", "/.", "/..a", "%2F", "%", "a%20", "/%2e", "//"]) {
      assertLinear(routedPath, unit, (text) => `/${text}`);
      assertLinear(originForm, unit, (text) => `http://${text}`);
    }
    for (const unit of ["&", "a=1&", "=", "+", "%41", "a&"])
      assertLinear((text) => parseQuery(`/?${text}`, 100_000), unit);
  });
});

describe("parseQuery", () => {
  test("collects values in order, with + as a space", () => {
    const query = parseQuery("/a?x=1&y=a+b%21&x=2&&z&=v&__proto__=p", 100);
    assert.deepEqual(Object.entries(query), [
      ["x", ["1", "2"]],
      ["y", ["a b!"]],
      ["z", [""]],
      ["", ["v"]],
      ["__proto__", ["p"]],
    ]);
    assert.equal(Object.getPrototypeOf(query), null);
    assert.deepEqual(Object.keys(parseQuery("/a", 1)), []);
  });

  test("refuses a malformed escape and too many pairs with 400", () => {
    assert.throws(() => parseQuery("/a?x=%zz", 10), { status: 400, message: /percent-escape/ });
    assert.throws(() => parseQuery("/a?x=1&x=2&x=3", 2), { status: 400, message: /more than 2/ });
    assert.equal(parseQuery("/a?x=1&x=2", 2)["x"]?.length, 2);
  });

  test("reads what URLSearchParams writes", () => {
    const pairs = fc.array(fc.tuple(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" })), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(pairs, (given) => {
        const search = new URLSearchParams(given);
        const query = parseQuery(`/?${search}`, 100);
        assert.deepEqual(Object.keys(query).sort(), [...new Set(search.keys())].sort());
        for (const name of Object.keys(query)) assert.deepEqual(query[name], search.getAll(name));
      }),
      { numRuns: Number(process.env["FC_RUNS"] ?? 2_000) },
    );
  });
});
