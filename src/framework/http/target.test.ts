/** Unit tests of target.ts: paths are decoded once, dot segments rejected, queries parsed (ROUTE). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { assertLinear } from "../dispatch/scaling.testkit.ts";
import { originForm, parsePairs, parseQuery, pathOf, searchOf } from "./target.ts";
import { isSeparator, readablePath, routedPath, shownPath, valueOf } from "../routing/path.ts";

describe("pathOf", () => {
  test("cuts the query off", () => {
    assert.deepEqual(["/a?b?c", "/a", "?x"].map(pathOf), ["/a", "/a", ""]);
  });
});

describe("searchOf", () => {
  test("is the rest, with its question mark", () => {
    assert.deepEqual(["/a?b?c", "/a", "?x", "/?"].map(searchOf), ["?b?c", "", "?x", "?"]);
  });
});

describe("parsePairs", () => {
  test("rejects too many pairs and a malformed escape, with the reason", () => {
    const rejected = [
      ["a&b", 1, "query", "the query has more than 1 parameters"],
      ["a&b", 1, "form", "the form has more than 1 fields"],
      ["%", 9, "query", "the query holds a malformed percent-escape"],
      ["a=%zz", 9, "form", "the form holds a malformed percent-escape"],
    ] as const;
    for (const [text, most, where, message] of rejected)
      assert.throws(() => parsePairs(text, most, where), { status: 400, message });
    assert.deepEqual(Object.entries(parsePairs("", 0, "form")), []);
    assert.deepEqual(Object.entries(parsePairs("&a&&a=+&=", 3, "form")), [
      ["a", ["", " "]],
      ["", [""]],
    ]);
  });
});

describe("originForm", () => {
  test("takes the path from an absolute form, and leaves other targets unchanged", () => {
    const given = ["http://h/a/b", "HTTPS://h", "/http://x", "*", "ftp://h/a", "xhttp://h/a"];
    assert.deepEqual(given.map(originForm), ["/a/b", "/", "/http://x", "*", "ftp://h/a", "xhttp://h/a"]);
  });
});

describe("routedPath", () => {
  const rejected = [
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
    "/a\\..\\b",
    "/..\\b",
    "/a\\.",
    "/a%5c..%5Cb",
    "/a%5C%2e",
    "/a/..%5cb",
    "/a%2F.%5Cb",
  ];
  for (const path of rejected) {
    test(`rejects ${path}`, () => assert.equal(routedPath(path), undefined));
  }

  test("decodes exactly once", () => {
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

  test("keeps a backslash inside its segment, and reports a different spelling", () => {
    for (const path of ["/a\\b/c", "/a%5Cb/c", "/a%5cb/c"]) {
      const routed = routedPath(path) ?? "";
      assert.notEqual(routed, path);
      assert.equal(routed.includes("\\"), false);
      assert.deepEqual([routed.split("/").map(valueOf), shownPath(routed)], [["", "a\\b", "c"], "/a\\b/c"]);
    }
    for (const plain of ["/", "/a/b", "/a.b//c/", "/caf\u00e9"]) assert.equal(routedPath(plain), plain);
  });

  test("returns every encoded value as one segment", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 1 }),
        fc.string({ unit: "binary-ascii", minLength: 1 }),
        (...values) => {
          const routed = routedPath(`/${values.map(encodeURIComponent).join("/")}`);
          const rejected = values.some(
            (value) => value.includes("\0") || value.split(/[/\\]/).some((part) => part === "." || part === ".."),
          );
          assert.deepEqual(routed?.split("/").map(valueOf), rejected ? undefined : ["", ...values]);
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

describe("readablePath", () => {
  test("is the same for all spellings of a path", () => {
    const spellings = [
      "/a/b/c",
      "/a//b/c",
      "/a%2Fb/c",
      "/a%2f%2Fb//c",
      "/a%5Cb\\c",
      "/a\\/b/%63",
      "/a/%5c/b%2fc",
      "/a///b/c",
    ];
    for (const path of spellings) assert.equal(readablePath(routedPath(path) ?? ""), "/a/b/c", path);
    const others = {
      "/a/b%252Fc": "/a/b%2Fc",
      "/a/b/": "/a/b/",
      "/a%2F": "/a/",
      "//": "/",
      "/\u{10000}%2Fb": "/\u{10000}/b",
    };
    for (const [path, read] of Object.entries(others)) assert.equal(readablePath(routedPath(path) ?? ""), read, path);
  });

  test("has no double slash, backslash or lone surrogate, and is its own readable path", () => {
    const piece = fc.constantFrom("/", "//", "\\", "%2F", "%5c", "a", "%61", "%F0%90%80%80", "\u{10000}");
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }).map((parts) => `/${parts.join("")}`),
        (path) => {
          const read = readablePath(routedPath(path) ?? "");
          assert.doesNotMatch(read, /\/\/|\\|[\ud800-\udbff](?![\udc00-\udfff])/);
          assert.equal(
            read,
            `/${decodeURIComponent(path)
              .split(/[/\\]+/)
              .filter((part, at, all) => part !== "" || at === all.length - 1)
              .join("/")}`,
          );
          assert.equal(readablePath(routedPath(encodeURI(read)) ?? ""), read);
        },
      ),
      { numRuns: Number(process.env["FC_RUNS"] ?? 3_000) },
    );
  });
});

describe("isSeparator", () => {
  test("accepts slashes, encoded ones and backslashes, and nothing else", () => {
    const routed = routedPath("/%2Fa%5C\u{10000}a") ?? "";
    assert.deepEqual(
      [...routed].map((_, at) => at).filter((at) => isSeparator(routed, at)),
      [0, 1, 4],
    );
    assert.equal(isSeparator("/", 1), false);
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

  test("rejects a malformed escape and too many pairs with 400", () => {
    assert.throws(() => parseQuery("/a?x=%zz", 10), {
      status: 400,
      message: "the query holds a malformed percent-escape",
    });
    assert.deepEqual({ ...parseQuery("?x=1", 10) }, { x: ["1"] });
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
