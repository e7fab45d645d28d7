/**
 * bestFit: no bean under what lies over the graph, and no more room given away than needed.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bestFit, MINIMAP_FROM } from "./camera-fit.ts";
import type { Layout } from "./shapes.ts";

const layoutOf = (...at: (readonly [x: number, y: number])[]): Layout => ({
  width: 0,
  height: 0,
  beans: new Map(at.map(([x, y], i) => [`B${i}`, { id: `B${i}`, x, y, layer: 0, width: 124, height: 44 }])),
  edges: [],
  layers: [],
});

/** A host of 1000 × 400 at 10, 20 in the window, with these parts over it. */
function hostWith(...over: (readonly [x: number, y: number, width: number, height: number])[]): HTMLElement {
  const box = ([x, y, width, height]: readonly number[]) => ({
    getBoundingClientRect: () => ({ x: (x ?? 0) + 10, y: (y ?? 0) + 20, width, height }),
  });
  const given: unknown = {
    clientWidth: 1_000,
    clientHeight: 400,
    ...box([0, 0, 1_000, 400]),
    parentElement: { querySelectorAll: () => over.map(box) },
  };
  return given as HTMLElement;
}

/** Top and bottom edge of the beans on the screen. */
function extent(layout: Layout, host: HTMLElement): [top: number, bottom: number] {
  const camera = bestFit(host, layout, [...layout.beans.keys()], null);
  assert.ok(camera);
  const beans = [...layout.beans.values()];
  const y = (of: number): number => Math.round(of * camera.scale + camera.y);
  return [y(Math.min(...beans.map((b) => b.y))), y(Math.max(...beans.map((b) => b.y + b.height)))];
}

describe("bestFit", () => {
  const tall = layoutOf([0, 0], [0, 900], [600, 450]);

  test("uses the whole height where nothing lies over it", () => {
    const [top, bottom] = extent(tall, hostWith());
    assert.deepEqual([top > 20 && top < 30, bottom], [true, 384]);
  });

  test("leaves the height to a legend that covers no bean", () => {
    assert.deepEqual(extent(tall, hostWith([800, 5, 190, 40])), extent(tall, hostWith()));
  });

  test("keeps away from a footer that would cover a bean", () => {
    assert.equal(extent(tall, hostWith([0, 350, 1_000, 40]))[1], 346);
  });

  test("keeps away from a legend that would cover a bean", () => {
    assert.ok(extent(tall, hostWith([0, 5, 1_000, 40]))[0] >= 56);
  });

  test("has the widest margins where nothing helps", () => {
    const [top, bottom] = extent(tall, hostWith([0, 0, 1_000, 400]));
    assert.deepEqual([top >= 56, bottom], [true, 346]);
  });

  test("keeps the right border free for the minimap of a large graph", () => {
    const many = layoutOf(...Array.from({ length: MINIMAP_FROM }, (_, i) => [0, i * 2_000] as const));
    const wide = layoutOf([0, 0], [0, 40_000]);
    const x = (layout: Layout): number => bestFit(hostWith(), layout, ["B0"], null)?.x ?? NaN;
    assert.equal(x(wide) - x(many), 80);
  });

  test("is null without a bean", () => assert.equal(bestFit(hostWith(), tall, [], null), null));
});
