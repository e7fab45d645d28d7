/** Unit tests of router.ts, with a naive matcher as the reference (ROUTE). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { assertLinear } from "../dispatch/scaling.testkit.ts";
import { Router } from "./router.ts";

function routerOf(patterns: readonly string[], strictSlash = false): Router<string> {
  const router = new Router<string>(strictSlash);
  for (const pattern of patterns) router.add("GET", pattern, pattern);
  return router;
}

/** The expected match, by segments: a literal wins over {name}, and that over *name, at the first position with a difference. */
function reference(patterns: readonly string[], path: string): { target: string; values: string[] } | undefined {
  const end = path.length > 1 && path.endsWith("/") && !path.endsWith("//") ? "/" : "";
  const trimmed = end === "" ? path : path.slice(0, -1);
  const segments = trimmed.slice(1).split("/");
  const rank = (part: string): number => (part.startsWith("{") ? 1 : part.startsWith("*") ? 2 : 0);
  const matches = patterns.flatMap((pattern) => {
    const parts = pattern.slice(1).split("/");
    const values: string[] = [];
    for (const [index, part] of parts.entries()) {
      const segment = segments[index];
      if (segment === undefined) return [];
      if (part.startsWith("*")) {
        const rest = segments.slice(index);
        if (rest[0] === "") return [];
        return [{ target: pattern, values: [...values, rest.join("/") + end], ranks: parts.map(rank) }];
      }
      if (part.startsWith("{")) {
        if (segment === "") return [];
        values.push(segment);
      } else if (part !== segment) return [];
    }
    return parts.length === segments.length ? [{ target: pattern, values, ranks: parts.map(rank) }] : [];
  });
  const better = (a: number[], b: number[]): number => {
    const at = a.findIndex((value, index) => value !== b[index]);
    return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
  };
  const [best] = matches.sort((a, b) => better(a.ranks, b.ranks));
  return best === undefined ? undefined : { target: best.target, values: best.values };
}

describe("Router", () => {
  test("finds literals, parameters and wildcards", () => {
    const router = routerOf(["/", "/users", "/users/{id}", "/users/{id}/posts", "/files/*path"]);
    const found = (path: string): unknown => router.find("GET", path);
    for (const rest of ["a/", "a//b/", "a//", "a/\ud800\ud800b"])
      assert.deepEqual(found(`/files/${rest}`), { target: "/files/*path", values: [rest] });
    assert.deepEqual(found("/"), { target: "/", values: [] });
    assert.deepEqual(found("/users/"), { target: "/users", values: [] });
    assert.deepEqual(found("/users/7"), { target: "/users/{id}", values: ["7"] });
    assert.deepEqual(found("/users/7/posts"), { target: "/users/{id}/posts", values: ["7"] });
    assert.deepEqual(found("/files/a/b.txt"), { target: "/files/*path", values: ["a/b.txt"] });
    for (const miss of [
      "/files",
      "/files/",
      "/users//posts",
      "//users",
      "/users/7/",
      "/nope",
      "/files//a",
      "/files/\ud800\ud800a",
      "/files/\ud800\ud801a",
      "/users//",
      "//",
    ])
      assert.deepEqual(found(miss), miss === "/users/7/" ? { target: "/users/{id}", values: ["7"] } : undefined, miss);
  });

  test("prefers a literal to {name} to *name, and backtracks when that fails", () => {
    const router = routerOf(["/a/b/c", "/a/{x}/d", "/a/*rest", "/{y}/b/e"]);
    const targets = ["/a/b/c", "/a/b/d", "/a/b/z", "/a/b/e", "/q/b/e"].map((path) => router.find("GET", path));
    assert.deepEqual(targets, [
      { target: "/a/b/c", values: [] },
      { target: "/a/{x}/d", values: ["b"] },
      { target: "/a/*rest", values: ["b/z"] },
      { target: "/a/*rest", values: ["b/e"] },
      { target: "/{y}/b/e", values: ["q"] },
    ]);
  });

  test("keeps /a and /a/ apart under strictSlash", () => {
    const router = routerOf(["/a", "/b/", "/{x}/c/"], true);
    const found = ["/a", "/a/", "/b", "/b/", "/z/c/", "/z/c"].map((path) => router.find("GET", path)?.target);
    assert.deepEqual(found, ["/a", undefined, undefined, "/b/", "/{x}/c/", undefined]);
  });

  test("keeps methods apart and lists them", () => {
    const router = new Router<string>();
    router.add("GET", "/a/{id}", "get");
    router.add("QUERY", "/a/{id}", "query");
    router.add("POST", "/a", "post");
    assert.deepEqual([...router.methods], ["GET", "QUERY", "POST"]);
    const found = [...router.methods, "DELETE"].map((method) => router.find(method, "/a/1")?.target);
    assert.deepEqual(found, ["get", "query", undefined, undefined]);
  });

  test("ignores a trailing slash by default, and finds characters outside Latin in a wildcard", () => {
    const router = new Router<string>();
    router.add("GET", "/a", "a");
    router.add("GET", "/files/*path", "files");
    const found = ["/a/", "/files/\ud83d\ude00", "/files/\ufb01"].map((path) => router.find("GET", path));
    assert.deepEqual(found, [
      { target: "a", values: [] },
      { target: "files", values: ["\ud83d\ude00"] },
      { target: "files", values: ["\ufb01"] },
    ]);
  });

  const clashes: readonly (readonly [first: string, second: string, code: string, sentence: string])[] = [
    ["/a", "/a/", "ROUTE_DUPLICATE", "GET /a is registered already"],
    ["/a/{id}", "/a/{id}", "ROUTE_DUPLICATE", "GET /a/{id} is registered already"],
    ["/a/*x", "/a/*y", "ROUTE_DUPLICATE", "GET /a/*y is registered already as /a/*x"],
    [
      "/a/{id}",
      "/a/{key}/b",
      "ROUTE_NAMES",
      "GET /a/{key}/b names a parameter {key} where /a/{id} names it {id}: use one name",
    ],
  ];
  for (const [first, second, code, message] of clashes) {
    test(`rejects ${second} next to ${first}`, () => {
      const router = routerOf([first]);
      assert.throws(() => router.add("GET", second, ""), { name: "TypeError", code, message });
    });
  }

  test("takes time linear in the path, also when every prefix fails", () => {
    const router = new Router<number>();
    for (const pattern of ["/a/{x}/a/{y}/b", "/{a}/a/{c}/c", "/a/a/a/{d}/d", "/*rest", "/a/*rest", "/aaaa/{x}"])
      router.add("GET", pattern, 1);
    for (const unit of ["/", "/a", "a", "/aaaa", "/a/"])
      assertLinear(
        (path) => router.find("GET", path),
        unit,
        (text) => `/${text}`,
      );
  });

  test("agrees with the reference matcher on any set of routes", () => {
    const part = fc.constantFrom("a", "ab", "b", "abc", "{x}", "{x}");
    const pattern = fc
      .tuple(fc.array(part, { minLength: 1, maxLength: 4 }), fc.boolean())
      .map(([parts, wild]) => [
        ...parts.map((text, index) => (text === "{x}" ? `{x${index}}` : text)),
        ...(wild ? ["*w"] : []),
      ])
      .map((parts) => `/${parts.join("/")}`);
    const path = fc
      .array(fc.constantFrom("a", "ab", "b", "abc", "abcd", "c", ""), { minLength: 1, maxLength: 5 })
      .map((segments) => `/${segments.join("/")}`);
    fc.assert(
      fc.property(fc.uniqueArray(pattern, { maxLength: 12 }), fc.array(path, { maxLength: 8 }), (patterns, paths) => {
        const router = routerOf(patterns);
        for (const one of paths)
          assert.deepEqual(router.find("GET", one), reference(patterns, one), `${one} in ${patterns.join(" ")}`);
      }),
      { numRuns: Number(process.env["FC_RUNS"] ?? 3_000) },
    );
  });
});
