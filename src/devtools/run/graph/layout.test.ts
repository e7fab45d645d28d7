/**
 * layout: for any graph, nothing overlaps and no edge runs under a bean.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { routeAround } from "./detour.ts";
import { PILL, pillX } from "./geometry.ts";
import { layout, ROOMY, type Spacing } from "./layout.ts";
import { DENSE } from "./groups.ts";
import { points } from "./points.testkit.ts";
import type { Layout } from "./shapes.ts";
import type { BeanEdge } from "../shapes.ts";

const sizeOf = (id: string) => ({ width: 80 + ((id.length * 67) % 280), height: 44 });

const graphs = fc
  .integer({ min: 1, max: 30 })
  .chain((n) =>
    fc.record({
      ids: fc.constant(Array.from({ length: n }, (_, i) => `Bean${"x".repeat(i % 9)}${i}`)),
      pairs: fc.array(fc.tuple(fc.nat(n - 1), fc.nat(n - 1)), { maxLength: 3 * n }),
    }),
  );

const edgesOf = (ids: readonly string[], pairs: readonly (readonly [number, number])[]): BeanEdge[] =>
  pairs.map(([from, to]) => ({ from: ids[from] ?? "", to: ids[to] ?? "" }));

const spacings: Readonly<Record<string, Spacing>> = {
  roomy: ROOMY,
  dense: DENSE,
  "of two rows": { ...DENSE, rows: 2 },
  "of five rows, late": { ...DENSE, rows: 5, late: true },
};

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
  for (const [name, spacing] of Object.entries(spacings))
    test(`places every bean, none over another, and no edge under one, ${name}`, () => {
      fc.assert(
        fc.property(graphs, ({ ids, pairs }) => {
          const picture = layout(ids, edgesOf(ids, pairs), sizeOf, spacing);
          const columns = picture.layers.filter(
            (_, i) => i < picture.layers.length - (picture.shelf === Infinity ? 0 : 1),
          );
          assert.ok(columns.every((column) => column.length <= spacing.rows));
          assert.deepEqual([...picture.beans.keys()].sort(), [...ids].sort());
          assert.deepEqual(overlaps(picture), []);
          assert.deepEqual(edgesBehindBeans(picture), []);
          assert.deepEqual(picture.layers.flat().sort(), [...ids].sort());
        }),
        { numRuns: 200 },
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

  test("draws every edge that closes no cycle from left to right", () => {
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

  test("draws a call without a dependency round every bean", () => {
    fc.assert(
      fc.property(graphs, fc.nat(), fc.nat(), fc.constantFrom(ROOMY, DENSE), ({ ids, pairs }, a, b, spacing) => {
        const picture = layout(ids, edgesOf(ids, pairs), sizeOf, spacing);
        const [from, to] = [ids[a % ids.length] ?? "", ids[b % ids.length] ?? ""];
        const [source, target] = [picture.beans.get(from), picture.beans.get(to)];
        if (source === undefined || target === undefined || from === to) return;
        const d = routeAround(picture, source, target);
        assert.deepEqual(edgesBehindBeans({ ...picture, edges: [{ from, to, back: false, d }] }), []);
        const entry = routeAround(picture, { x: pillX(picture) + PILL.width, y: target.y }, target);
        assert.deepEqual(edgesBehindBeans({ ...picture, edges: [{ from: "", to, back: false, d: entry }] }), []);
      }),
      { numRuns: 400 },
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

  test("is empty without beans and ignores edges to unknown ones", () => {
    assert.deepEqual(layout([], [{ from: "A", to: "B" }], sizeOf), {
      beans: new Map(),
      edges: [],
      layers: [],
      width: 0,
      height: 0,
      layerGap: 76,
      shelf: Infinity,
    });
  });
});
