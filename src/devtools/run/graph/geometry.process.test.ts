/**
 * Geometry: widths, the entry pill and its paths, and cameras for given beans.
 */

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { BeanNode } from "../shapes.ts";
import {
  beanSize,
  fitCamera,
  fitRoute,
  foldName,
  PILL,
  placeEntry,
  textWidth,
  unseenBeans,
  zoomCamera,
} from "./geometry.ts";
import type { Layout, PlacedBean } from "./shapes.ts";

let canvas: unknown = null;
const document = { createElement: () => ({ getContext: () => canvas }) };
Object.assign(globalThis, { document });
after(() => void Reflect.deleteProperty(globalThis, "document"));

const placed = (id: string, x: number, y: number, layer: number): PlacedBean => ({
  id,
  x,
  y,
  layer,
  width: 124,
  height: 44,
});
const layoutOf = (...beans: PlacedBean[]): Layout => ({
  width: 1_000,
  height: 500,
  beans: new Map(beans.map((b) => [b.id, b])),
  edges: [],
  layers: [],
  layerGap: 76,
  shelf: Infinity,
});
const node = (name: string, traceable: boolean): BeanNode => ({
  id: name,
  name,
  stereotype: "bean",
  implementation: name,
  traceable,
  dependencies: [],
});

describe("textWidth", () => {
  test("estimates without a canvas, and measures in the graph's font with one", () => {
    assert.equal(textWidth("four"), 30);
    const pen = { font: "", measureText: (text: string) => ({ width: text.length * 8 }) };
    canvas = pen;
    assert.equal(textWidth("four"), 32);
    assert.match(pen.font, /^13px .*monospace$/);
  });
});

describe("beanSize", () => {
  test("has room for the name, and for the mark of an untraceable bean", () => {
    assert.deepEqual(beanSize(node("x".repeat(20), true)), { width: 222, height: 44 });
    assert.deepEqual(beanSize(node("x".repeat(20), false)), { width: 240, height: 44 });
  });

  test("is smaller if room is short", () => {
    assert.deepEqual(beanSize(node("x".repeat(20), true), "dense"), { width: 194, height: 32 });
    assert.deepEqual(beanSize(node("CustomerOrderRepository", true), "folded"), { width: 138, height: 47 });
    assert.deepEqual(beanSize(node("Database", true), "folded"), { width: 136, height: 32 });
  });

  test("has a least width, also for an unknown bean", () => {
    assert.deepEqual([beanSize(node("A", true)).width, beanSize(undefined).width], [148, 148]);
  });
});

describe("foldName", () => {
  test("splits a long name at the start of a word, in the middle if possible", () => {
    assert.deepEqual(
      [
        "CustomerOrderRepository",
        "ProductController",
        "HTTPServerThing",
        "orders.by-customer",
        "x".repeat(30),
        "Db",
      ].map(foldName),
      [
        ["CustomerOrder", "Repository"],
        ["Product", "Controller"],
        ["HTTPServer", "Thing"],
        ["orders.by-", "customer"],
        ["x".repeat(30)],
        ["Db"],
      ],
    );
  });
});

describe("placeEntry", () => {
  test("is null without a placed entry bean", () =>
    assert.equal(placeEntry(layoutOf(placed("A", 0, 0, 0)), ["B"]), null));

  test("is left of an entry bean in the first column, at its height", () => {
    const entry = placeEntry(layoutOf(placed("A", 0, 100, 0)), ["A"]);
    assert.deepEqual(entry, {
      x: -148,
      y: 122 - PILL.height / 2,
      edges: [{ bean: "A", d: "M-56,122C-28,122 -28,122 0,122" }],
    });
  });

  test("leads to an entry bean further right without passing under a bean", () => {
    const entry = placeEntry(layoutOf(placed("A", 0, 100, 0), placed("B", 300, 110, 1)), ["B"]);
    assert.deepEqual(entry?.edges, [
      { bean: "B", d: "M-56,153.5C-28,153.5 -28,153.5 0,153.5H238C258,153.5 258,132 300,132" },
    ]);
  });

  test("takes the nearest free height", () => {
    const entry = placeEntry(layoutOf(placed("A", 0, 100, 0), placed("B", 300, 85, 1)), ["B"]);
    assert.deepEqual(entry?.edges, [
      { bean: "B", d: "M-56,90.5C-28,90.5 -28,90.5 0,90.5H238C258,90.5 258,107 300,107" },
    ]);
  });

  test("has one path for each entry bean", () => {
    const entry = placeEntry(layoutOf(placed("A", 0, 0, 0), placed("B", 0, 100, 0)), ["A", "B", "gone"]);
    assert.deepEqual(
      entry?.edges.map((edge) => edge.bean),
      ["A", "B"],
    );
  });
});

describe("fitCamera", () => {
  const margins = { top: 10, right: 20, bottom: 30, left: 40 };
  const layout = layoutOf(placed("A", 0, 0, 0), placed("B", 2_000, 900, 1));

  test("is null without a placed bean", () =>
    assert.equal(fitCamera(layout, ["gone"], null, { width: 800, height: 600 }, margins), null));

  test("shows the beans and the pill inside the margins", () => {
    const entry = placeEntry(layout, ["A"]);
    const camera = fitCamera(layout, ["A", "B"], entry, { width: 800, height: 600 }, margins);
    assert.ok(camera !== null);
    const [left, right] = [-148 * camera.scale + camera.x, 2_124 * camera.scale + camera.x];
    const [top, bottom] = [camera.y, 944 * camera.scale + camera.y];
    assert.ok(left >= 39.9 && right <= 780 && top >= 10 && bottom <= 570, JSON.stringify({ left, right, top, bottom }));
  });

  test("zooms in no further than a readable size and stays usable in a window without room", () => {
    assert.equal(fitCamera(layout, ["A"], null, { width: 4_000, height: 4_000 }, margins)?.scale, 1.15);
    assert.equal(
      fitCamera(
        layoutOf(placed("A", 0, 0, 0), placed("B", 90_000, 0, 1)),
        ["A", "B"],
        null,
        { width: 0, height: 0 },
        margins,
      )?.scale,
      0.06,
    );
  });
});

describe("fitCamera with a floor", () => {
  const margins = { top: 10, right: 10, bottom: 10, left: 10 };
  const screen = { width: 800, height: 300 };
  const layout = layoutOf(placed("A", 0, 0, 0), placed("B", 0, 900, 0), placed("C", 3_000, 450, 1));

  test("is at the left end of the shown part and at the height of the entry", () => {
    const at = (id: string) => fitCamera(layout, layout.beans.keys(), placeEntry(layout, [id]), screen, margins, 1);
    assert.deepEqual([at("A")?.scale, at("A")?.x, at("A")?.y], [1, 158, 22]);
    assert.equal(at("B")?.y, 290 - 944);
  });

  test("names the beans outside of the screen then", () => {
    const camera = fitCamera(layout, layout.beans.keys(), null, screen, margins, 1);
    assert.ok(camera !== null);
    assert.deepEqual(unseenBeans(layout, new Set(["A", "B", "C", "gone"]), camera, screen), ["A", "B", "C"]);
    assert.deepEqual(unseenBeans(layout, new Set(["A"]), { scale: 1, x: 10, y: 10 }, screen), []);
  });
});

describe("zoomCamera", () => {
  test("keeps the given point where it is", () => {
    assert.deepEqual(zoomCamera({ scale: 1, x: 10, y: 20 }, 2, 110, 70), { scale: 2, x: -90, y: -30 });
  });

  test("zooms out no further than the floor", () =>
    assert.equal(zoomCamera({ scale: 1, x: 0, y: 0 }, 0.5, 0, 0, 0.85).scale, 0.85));

  test("stops at its bounds", () => {
    assert.deepEqual(
      [zoomCamera({ scale: 2, x: 0, y: 0 }, 9, 0, 0).scale, zoomCamera({ scale: 1, x: 0, y: 0 }, 0.001, 0, 0).scale],
      [2.5, 0.05],
    );
  });
});

describe("fitRoute", () => {
  const screen = { width: 1_000, height: 500 };
  const none = { top: 0, right: 0, bottom: 0, left: 0 };
  const [near, beside, far] = [placed("near", 0, 0, 0), placed("beside", 160, 0, 1), placed("far", 9_000, 0, 2)];

  test("shows everything if that is hardly smaller than the reachable part", () => {
    const layout = layoutOf(near, beside);
    assert.deepEqual(
      fitRoute(layout, ["near"], null, screen, none),
      fitCamera(layout, ["near", "beside"], null, screen, none),
    );
  });

  test("shows the reachable part if everything would be too small", () => {
    const layout = layoutOf(near, far);
    assert.deepEqual(fitRoute(layout, ["near"], null, screen, none), fitCamera(layout, ["near"], null, screen, none));
  });

  test("shows nothing for an empty graph", () => {
    assert.equal(fitRoute(layoutOf(near), [], null, screen, none), null);
  });
});
