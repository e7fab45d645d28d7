/**
 * bestFit: as near as possible, and with a floor never too far away to read.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bestFit, MINIMAP_FROM } from "./viewport.ts";
import type { Layout } from "../../run/graph/shapes.ts";

const layoutOf = (...at: (readonly [x: number, y: number])[]): Layout => ({
  width: 0,
  height: 0,
  beans: new Map(at.map(([x, y], i) => [`B${i}`, { id: `B${i}`, x, y, layer: 0, width: 124, height: 44 }])),
  edges: [],
  layers: [],
  layerGap: 76,
  shelf: Infinity,
});
const given: unknown = { clientWidth: 1_000, clientHeight: 400 };
const host = given as HTMLElement;

describe("bestFit", () => {
  const tall = layoutOf([0, 0], [0, 900], [600, 450]);

  test("uses the whole height", () => {
    const camera = bestFit(host, tall, [...tall.beans.keys()], null);
    assert.ok(camera);
    assert.equal(Math.round(944 * camera.scale + camera.y), 392);
  });

  test("is no further away than the floor, and then at the left end of the shown part", () => {
    const wide = layoutOf([0, 0], [4_000, 0]);
    const camera = bestFit(host, wide, [...wide.beans.keys()], null, 0.85);
    assert.deepEqual([camera?.scale, camera?.x], [0.85, 14]);
  });

  test("keeps the right border free for the minimap of a large graph", () => {
    const many = layoutOf(...Array.from({ length: MINIMAP_FROM }, (_, i) => [0, i * 2_000] as const));
    const far = layoutOf([0, 0], [0, 40_000]);
    const x = (layout: Layout): number => bestFit(host, layout, ["B0"], null)?.x ?? NaN;
    assert.equal(x(far) - x(many), 88);
  });

  test("is null without a bean", () => assert.equal(bestFit(host, tall, [], null), null));
});
