/**
 * Reach: the reachable part of a graph.
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
  test("are dependencies, or dependents, of every bean in the graph", () => {
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
  test("is everything after the entries, including them, also in cycles", () => {
    const of = graph("ABCDE", "AB BC CA DE EZ");
    assert.deepEqual(
      [["A"], ["C"], ["D", "A"], ["Nobody"], []].map((entries) => [...reachable(of, entries)].sort().join("")),
      ["ABC", "ABC", "ABCDEZ", "", ""],
    );
  });
});
