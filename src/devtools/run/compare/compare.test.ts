/**
 * The calls of two runs side by side, and the first statement that differs.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Leaf } from "../shapes.ts";
import { compareCalls, firstOtherStatement, responseOf } from "./compare.ts";
import { callOf, sqlOf, traceOf } from "../traces.testkit.ts";

describe("compareCalls", () => {
  const load = (id: number, more: Parameters<typeof callOf>[3] = {}) =>
    callOf(id, null, "Db", { method: "load", args: [], ...more });

  test("aligns by bean and method, and compares arguments and results of the same call", () => {
    const one = [load(0, { args: [1] }), callOf(1, null, "Cache"), load(2, { result: { n: 1 } })];
    const two = [load(0, { args: [2] }), load(1, { result: { n: 1 } }), callOf(2, null, "Mail")];
    assert.deepEqual(
      compareCalls(one, two).map(({ side, a, b, differences }) => [side, a?.id, b?.id, differences]),
      [
        ["both", 0, 0, [{ path: "$.args[0]", kind: "changed", before: 1, after: 2 }]],
        ["a", 1, undefined, []],
        ["both", 2, 1, []],
        ["b", undefined, 2, []],
      ],
    );
  });

  test("shows that only one of the two threw", () => {
    const [only] = compareCalls([load(0)], [load(0, { error: { name: "Error", message: "no" } })]);
    assert.deepEqual(only?.differences, [
      { path: "$.error", kind: "added", after: { name: "Error", message: "no" } },
      { path: "$.result", kind: "removed", before: null },
    ]);
  });

  test("compares calls in entry order, two methods of a class as two, and errors by name and message", () => {
    const fail = (message: string, stack: number) => ({
      error: { name: "E", message, stack: [{ name: "f", file: "a", line: stack, column: 1, own: true }] },
    });
    const one = [load(1, fail("x", 1)), load(0), load(2, { method: "save", result: 1 })];
    const two = [load(2, { method: "save", result: 2 }), load(1, fail("y", 2)), load(0)];
    assert.deepEqual(
      compareCalls(one, two).map(({ side, a, b, differences }) => [side, a?.id, b?.id, differences]),
      [
        ["both", 0, 0, []],
        ["both", 1, 1, [{ path: "$.error.message", kind: "changed", before: "x", after: "y" }]],
        ["both", 2, 2, [{ path: "$.result", kind: "changed", before: 1, after: 2 }]],
      ],
    );
    assert.deepEqual([one[0]?.id, two[0]?.id], [1, 2]);
    const [same] = compareCalls([load(0, fail("x", 1))], [load(0, { ...fail("x", 9), result: 5 })]);
    assert.deepEqual(same?.differences, []);
  });

  test("lists the calls of only one run between and after the common calls", () => {
    const sides = (a: string, b: string): string =>
      compareCalls(
        [...a].map((bean, id) => callOf(id, null, bean)),
        [...b].map((bean, id) => callOf(id, null, bean, { args: [] })),
      )
        .map(({ side, a: one, b: other }) => `${side === "both" ? "" : side}${one?.bean ?? ""}${other?.bean ?? ""}`)
        .join(" ");
    assert.deepEqual(
      [sides("AXB", "AYZB"), sides("A", "AB"), sides("AB", "B"), sides("", "A"), sides("A", ""), sides("AB", "BA")],
      ["AA aX bY bZ BB", "AA bB", "aA BB", "bA", "aA", "aA BB bA"],
    );
  });

  test("is empty for two runs without calls", () => {
    assert.deepEqual(compareCalls([], []), []);
  });
});

describe("firstOtherStatement", () => {
  const sent = (statements: readonly string[]) => statements.map((text, id) => sqlOf(id, null, text));

  test("finds the first statement that differs, also if one run sent no more", () => {
    const found = (a: readonly string[], b: readonly string[]) => firstOtherStatement(sent(a), sent(b));
    assert.equal(found(["a", "b"], ["a", "b"]), null);
    assert.deepEqual(found(["a", "b"], ["a", "c"]), { index: 1, a: "b", b: "c" });
    assert.deepEqual(found(["a"], ["a", "c"]), { index: 1, a: null, b: "c" });
    assert.deepEqual(found(["a", "c"], ["a"]), { index: 1, a: "c", b: null });
    assert.deepEqual(found(["b", "x"], ["a", "y"]), { index: 0, a: "b", b: "a" });
    const others = sent(["a"]).map((leaf) => ({ ...leaf, kind: "span" }) as unknown as Leaf);
    assert.equal(firstOtherStatement([...others, ...sent(["a"])], sent(["a"])), null);
  });
});

describe("responseOf", () => {
  test("is status and body", () => {
    const response = { headers: { etag: ["x"] }, body: { n: 1 }, bytes: 7 };
    assert.deepEqual(responseOf(traceOf([], { status: 203, response })), { status: 203, body: { n: 1 } });
  });
});
