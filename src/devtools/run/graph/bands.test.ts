/**
 * banded: a chain in rows, with its edges round every bean.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { banded, moved } from "./bands.ts";
import { layout } from "./layout.ts";
import { points } from "./points.testkit.ts";

const spacing = { gap: 7, layerGap: 28, bendGap: 4, lane: 4, shelf: 900, rows: Infinity };
const chain = (length: number, more: readonly { readonly from: string; readonly to: string }[] = []) => {
  const ids = Array.from({ length }, (_, i) => `B${i}`);
  const edges = ids.slice(1).map((to, i) => ({ from: `B${i}`, to }));
  return layout(ids, [...edges, ...more], () => ({ width: 150, height: 32 }), spacing);
};

describe("banded", () => {
  test("continues a chain in rows that are no wider than the room, and draws each edge under no bean", () => {
    const at = banded(chain(40), 1_500);
    assert.ok(at);
    const beans = [...at.beans.values()];
    assert.equal(new Set(beans.map(({ y }) => y)).size, 5);
    assert.ok(at.width <= 1_500 && at.height < 320, `${at.width} × ${at.height}`);
    assert.equal(at.edges.length, 39);
    for (const { from, to, d } of at.edges)
      for (const [x, y] of points(d))
        for (const bean of beans)
          if (bean.id !== from && bean.id !== to)
            assert.ok(x < bean.x || x > bean.x + bean.width || y < bean.y || y > bean.y + bean.height, `${from}>${to}`);
  });

  test("ends each edge at its beans, from row to row too", () => {
    const at = banded(chain(12), 700);
    for (const { from, to, d } of at?.edges ?? []) {
      const [a, b] = [at?.beans.get(from), at?.beans.get(to)];
      const all = points(d);
      const [endX = 0, endY = 0] = all.at(-1) ?? [];
      assert.ok(a && b && d.startsWith(`M${a.x + a.width},${a.y + 16}`), `${from}: ${d}`);
      assert.deepEqual([Math.round(endX), Math.round(endY)], [b.x, b.y + 16]);
    }
  });

  test("is null for one row, and where an edge would skip a row", () => {
    assert.equal(banded(chain(4), 1_500), null);
    assert.equal(banded(chain(40, [{ from: "B0", to: "B39" }]), 1_500), null);
  });
});

describe("moved", () => {
  test("moves every point of a path, for any commands", () => {
    assert.equal(
      moved("M1,2C3,4 5,6 7,-8.5H9V10L1,1Q2,2 3,3", 100, 10),
      "M101,12C103,14 105,16 107,1.5H109V20L101,11Q102,12 103,13",
    );
  });
});
