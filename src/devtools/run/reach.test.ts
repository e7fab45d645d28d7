/**
 * Reach: what of a graph can be got to.
 *
 * Spec: spec/graph.md
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BeanGraph } from "./shapes.ts";
import { neighbours, reachable } from "./reach.ts";

const graph = (nodes: string, edges: string): BeanGraph => ({
  nodes: [...nodes].map((id) => ({
    id,
    name: id,
    stereotype: "bean" as const,
    implementation: id,
    traceable: true,
    dependencies: [],
  })),
  edges: edges.split(" ").map(([from = "", to = ""]) => ({ from, to })),
  unspied: [],
});

describe("neighbours", () => {
  test("are dependencies, or those that use it, of every bean that is there", () => {
    const of = graph("ABC", "AB AC ZA");
    assert.deepEqual(
      [...neighbours(of)],
      [
        ["A", ["B", "C"]],
        ["B", []],
        ["C", []],
      ],
    );
    assert.deepEqual(
      [...neighbours(of, true)],
      [
        ["A", ["Z"]],
        ["B", ["A"]],
        ["C", ["A"]],
      ],
    );
  });
});

describe("reachable", () => {
  test("is all behind the entries, themselves included, also where it goes round in circles", () => {
    const of = graph("ABCDE", "AB BC CA DE EZ");
    assert.deepEqual(
      [["A"], ["C"], ["D", "A"], ["Nobody"], []].map((entries) => [...reachable(of, entries)].sort().join("")),
      ["ABC", "ABC", "ABCDEZ", "", ""],
    );
  });
});
