/**
 * layout: for any graph, nothing overlaps and no edge runs behind a bean.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { layout } from "./layout.ts";
import type { Layout, LayoutEdge } from "./shapes.ts";

const sizeOf = (id: string) => ({ width: 80 + ((id.length * 67) % 280), height: 44 });

const graphs = fc.integer({ min: 1, max: 30 }).chain((n) =>
  fc.record({
    ids: fc.constant(Array.from({ length: n }, (_, i) => `Bean${"x".repeat(i % 9)}${i}`)),
    pairs: fc.array(fc.tuple(fc.nat(n - 1), fc.nat(n - 1)), { maxLength: 3 * n }),
  }),
);

const edgesOf = (ids: readonly string[], pairs: readonly (readonly [number, number])[]): LayoutEdge[] =>
  pairs.map(([from, to]) => ({ from: ids[from] ?? "", to: ids[to] ?? "" }));

/** Points of a path made of M, H and absolute C, every few pixels. */
function points(d: string): [number, number][] {
  const found: [number, number][] = [];
  let [x, y] = [0, 0];
  for (const [, command, rest] of d.matchAll(/([MHC])([^MHC]*)/g)) {
    const [a = 0, b = 0, c = 0, e = 0, f = 0, g = 0] = (rest ?? "").trim().split(/[ ,]+/).map(Number);
    const from = [x, y] as const;
    const end = command === "C" ? [f, g] : command === "H" ? [a, from[1]] : [a, b];
    for (let i = 1; i <= 40; i++) {
      const t = i / 40;
      const cubic = (p: number, q: number, r: number, s: number) =>
        (1 - t) ** 3 * p + 3 * (1 - t) ** 2 * t * q + 3 * (1 - t) * t ** 2 * r + t ** 3 * s;
      if (command === "C") found.push([cubic(from[0], a, c, f), cubic(from[1], b, e, g)]);
      if (command === "H") found.push([from[0] + (a - from[0]) * t, from[1]]);
    }
    [x, y] = [end[0] ?? 0, end[1] ?? 0];
  }
  return found;
}

function overlaps(picture: Layout): string[] {
  const all = [...picture.beans.values()];
  return all.flatMap((a, i) =>
    all
      .slice(i + 1)
      .flatMap((b) =>
        a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
          ? [`${a.id} ${b.id}`]
          : [],
      ),
  );
}

function edgesBehindBeans(picture: Layout): string[] {
  return picture.edges
    .filter((edge) => edge.from !== edge.to)
    .flatMap((edge) =>
      [...picture.beans.values()]
        .filter((bean) => bean.id !== edge.from && bean.id !== edge.to)
        .filter((bean) =>
          points(edge.d).some(
            ([x, y]) => x > bean.x && x < bean.x + bean.width && y > bean.y && y < bean.y + bean.height,
          ),
        )
        .map((bean) => `${edge.from}>${edge.to} behind ${bean.id}`),
    );
}

describe("layout", () => {
  test("places every bean, none over another, and no edge behind one", () => {
    fc.assert(
      fc.property(graphs, ({ ids, pairs }) => {
        const picture = layout(ids, edgesOf(ids, pairs), sizeOf);
        assert.deepEqual([...picture.beans.keys()].sort(), [...ids].sort());
        assert.deepEqual(overlaps(picture), []);
        assert.deepEqual(edgesBehindBeans(picture), []);
        assert.deepEqual(picture.layers.flat().sort(), [...ids].sort());
      }),
      { numRuns: 300 },
    );
  });

  test("draws each dependency once, self-loops and cycles included", () => {
    fc.assert(
      fc.property(graphs, ({ ids, pairs }) => {
        const edges = edgesOf(ids, pairs);
        const unique = [...new Map(edges.map((e) => [`${e.from}>${e.to}`, e])).values()];
        const drawn = layout(ids, unique, sizeOf).edges.map((e) => `${e.from}>${e.to}`);
        assert.deepEqual(drawn.sort(), unique.map((e) => `${e.from}>${e.to}`).sort());
      }),
      { numRuns: 200 },
    );
  });

  test("leads every edge that closes no cycle to the right", () => {
    fc.assert(
      fc.property(graphs, ({ ids, pairs }) => {
        const picture = layout(ids, edgesOf(ids, pairs), sizeOf);
        for (const edge of picture.edges.filter((e) => e.from !== e.to)) {
          const [from, to] = [picture.beans.get(edge.from)?.layer ?? 0, picture.beans.get(edge.to)?.layer ?? 0];
          assert.ok(edge.back ? to < from : from < to, `${edge.from}>${edge.to}`);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("draws the same picture of the same graph", () => {
    fc.assert(
      fc.property(graphs, ({ ids, pairs }) =>
        assert.deepEqual(layout(ids, edgesOf(ids, pairs), sizeOf), layout(ids, edgesOf(ids, pairs), sizeOf)),
      ),
      { numRuns: 50 },
    );
  });

  test("turns exactly the edge that closes a cycle", () => {
    const picture = layout(
      ["A", "B", "C"],
      [
        { from: "A", to: "B" },
        { from: "B", to: "C" },
        { from: "C", to: "A" },
      ],
      sizeOf,
    );
    assert.deepEqual(
      picture.edges.map((e) => [e.from, e.to, e.back]),
      [
        ["A", "B", false],
        ["B", "C", false],
        ["C", "A", true],
      ],
    );
    assert.deepEqual(picture.layers, [["A"], ["B"], ["C"]]);
  });

  test("is empty for no beans and ignores edges to unknown ones", () => {
    assert.deepEqual(layout([], [{ from: "A", to: "B" }], sizeOf), {
      beans: new Map(),
      edges: [],
      layers: [],
      width: 0,
      height: 0,
    });
  });
});
