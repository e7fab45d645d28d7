/**
 * diffJson finds the exact differences, by path, in values of any shape and size.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { cpuShare } from "../../cpu-time.testkit.ts";
import type { Json } from "../shapes.ts";
import { diffJson } from "./diff.ts";

const values = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);

/** The value at a JSONPath as diffJson writes it. */
function at(value: Json, path: string): unknown {
  const steps = [...path.matchAll(/\.([A-Za-z_$][\w$]*)|\[(\d+|"(?:[^"\\]|\\.)*")\]/g)];
  return steps.reduce<unknown>((node, [, name, index]) => {
    const key = name ?? String(JSON.parse(index ?? "null"));
    return (node as Record<string, unknown>)[key];
  }, value);
}

describe("diffJson", () => {
  test("finds nothing between equal values, in any order of keys", () => {
    assert.deepEqual(diffJson({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }), []);
  });

  test("names changed, added and removed values by path", () => {
    assert.deepEqual(
      diffJson({ a: 1, b: { "two words": true }, c: "x" }, { a: 2, b: { "two words": false, new: null } }),
      [
        { path: "$.a", kind: "changed", before: 1, after: 2 },
        { path: '$.b["two words"]', kind: "changed", before: true, after: false },
        { path: "$.b.new", kind: "added", after: null },
        { path: "$.c", kind: "removed", before: "x" },
      ],
    );
  });

  test("treats a value and another type with the same text as different", () => {
    assert.deepEqual(diffJson([1, null], ["1", "null"]), [
      { path: "$[0]", kind: "changed", before: 1, after: "1" },
      { path: "$[1]", kind: "changed", before: null, after: "null" },
    ]);
  });

  test("recognises an equal item of a list in any order of its keys, and pairs no more items than there are between two", () => {
    assert.deepEqual(diffJson([{ a: 1, b: 2 }], [{ c: 3 }, { b: 2, a: 1 }]), [
      { path: "$[0]", kind: "added", after: { c: 3 } },
    ]);
    assert.deepEqual(diffJson([1, 2, 3], [1, 4, 5, 3]), [
      { path: "$[1]", kind: "changed", before: 2, after: 4 },
      { path: "$[2]", kind: "added", after: 5 },
    ]);
  });

  test("aligns moved objects by id", () => {
    const before = [
      { id: 1, n: "a" },
      { id: 2, n: "b" },
      { id: 3, n: "c" },
    ];
    const after = [
      { id: 3, n: "c" },
      { id: 1, n: "A" },
      { id: 4, n: "d" },
    ];
    assert.deepEqual(diffJson(before, after), [
      { path: "$[1].n", kind: "changed", before: "a", after: "A" },
      { path: "$[2]", kind: "added", after: { id: 4, n: "d" } },
      { path: "$[1]", kind: "removed", before: { id: 2, n: "b" } },
    ]);
  });

  test("aligns objects only by ids that are unique, present in all, and a text or a number", () => {
    const changed = (before: Json, after: Json): readonly string[] =>
      diffJson(before, after).map(({ path, kind }) => `${kind} ${path}`);
    const moved = (id: Json, other: Json): readonly string[] =>
      changed([{ id, n: 1 }, { id: other, n: 2 }, "x"].slice(0, 2), [
        { id: other, n: 2 },
        { id, n: 3 },
      ]);
    assert.deepEqual(moved("a", "b"), ["changed $[1].n"]);
    assert.deepEqual(moved(1, "1"), ["changed $[1].n"]);
    assert.deepEqual(moved("a", "a"), ["removed $[0]", "added $[1]"]);
    assert.deepEqual(moved(true, false), ["removed $[0]", "added $[1]"]);
    assert.deepEqual(moved("a", null), ["removed $[0]", "added $[1]"]);
  });

  test("aligns other arrays by their common items", () => {
    assert.deepEqual(diffJson(["a", "b", "c", "d"], ["x", "a", "c", "d", "e"]), [
      { path: "$[0]", kind: "added", after: "x" },
      { path: "$[1]", kind: "removed", before: "b" },
      { path: "$[4]", kind: "added", after: "e" },
    ]);
  });

  test("compares items in the same gap with each other", () => {
    assert.deepEqual(diffJson([{ n: 1, same: true }, "end"], [{ n: 2, same: true }, "end"]), [
      { path: "$[0].n", kind: "changed", before: 1, after: 2 },
    ]);
  });

  test("does not mistake inherited names for members", () => {
    assert.deepEqual(diffJson({}, { constructor: 1 }), [{ path: "$.constructor", kind: "added", after: 1 }]);
  });

  test("is empty exactly when two values are equal, and is true at every path", () => {
    fc.assert(
      fc.property(values, values, (before, after) => {
        const found = diffJson(before, after);
        assert.equal(found.length === 0, isDeepStrictEqual(normal(before), normal(after)));
        for (const one of found) {
          if (one.kind !== "removed") assert.deepEqual(at(after, one.path), one.after);
          else assert.deepEqual(at(before, one.path), one.before);
        }
      }),
      {
        numRuns: 300,
        examples: [
          [{ a: [1] }, { a: [1] }],
          // A removed item has its place in the older value if earlier items were added or removed.
          [
            [{}, null, [null]],
            [null, []],
          ],
          [[{ id: 1 }, { id: 2, n: 1 }], [{ id: 2 }]],
        ],
      },
    );
  });

  test("compares a megabyte with a thousand differences without noticeable delay", () => {
    const rows = (change: boolean): Json[] =>
      Array.from({ length: 10_000 }, (_, i) => ({
        sku: `p-${i}`,
        name: `A product with a name of some length, ${i}`,
        price: change && i % 10 === 0 ? i + 1 : i,
        tags: ["one", "two"],
      }));
    const [before, after] = [rows(false), rows(true)];
    assert.ok(JSON.stringify(before).length > 1_000_000);
    // The limit leaves room for coverage, but not for a quadratic algorithm.
    const share = cpuShare(() => assert.equal(diffJson(before, after).length, 1_000), 3);
    assert.ok(share < 48, `${share} times the yardstick`);
  });
});

/** JSON has neither a negative zero nor an order of keys. */
function normal(value: Json): unknown {
  return JSON.parse(JSON.stringify(value), (_, node: unknown) => (Object.is(node, -0) ? 0 : node));
}
