/**
 * graphKey: the bean that each key leads to, and the effect of the other keys.
 */

import assert from "node:assert/strict";
import { after, beforeEach, describe, test } from "node:test";
import { signal } from "@preact/signals";
import { applicationSlice } from "../store/application.ts";
import { selectionSlice } from "../store/selection.ts";
import { createUse, type Slice } from "../store/slice.ts";
import { setGlobals } from "../testing/fake-page.ts";
import { graphOf } from "../../run/traces.testkit.ts";
import { graphKey } from "./graph-keys.ts";
import { graphSlice } from "./picture.ts";
import type { Layout, PlacedBean } from "../../run/graph/shapes.ts";

class FakeElement {
  readonly queries: string[] = [];
  focused = 0;
  querySelector(selector: string): FakeElement {
    this.queries.push(selector);
    return this;
  }
  focus(): void {
    this.focused++;
  }
}

let active: string | null = null;
const bean = { getAttribute: () => active };
const restore = setGlobals({
  document: {
    get activeElement() {
      return { closest: () => (active === null ? null : bean) };
    },
  },
  Element: FakeElement,
  CSS: { escape: (text: string) => text.replace("#", "\\#") },
  location: { pathname: "/framework/dev" },
});
after(restore);

const placed = (id: string, layer: number, y: number): PlacedBean => ({
  id,
  layer,
  x: layer * 200,
  y,
  width: 124,
  height: 44,
});
const beans = [placed("Web", 0, 0), placed("Admin", 0, 100), placed("Far", 1, 0), placed("Near#2", 1, 90)];
const layout: Layout = {
  width: 400,
  height: 200,
  beans: new Map(beans.map((b) => [b.id, b])),
  edges: [],
  layers: [
    ["Web", "Admin"],
    ["Far", "Near#2"],
  ],
  layerGap: 76,
  shelf: Infinity,
};

const use = createUse(new Map<Slice<unknown>, unknown>([[graphSlice, { picture: signal(layout) }]]));
const { live, routes } = use(applicationSlice);
const { routeId, bean: selected } = use(selectionSlice);

/** Presses a key on a bean; returns what the camera did, whether the key was used, and the new focus. */
function press(
  key: string,
  on: string | null,
  more: Readonly<Record<string, unknown>> = {},
): { did: unknown[]; used: boolean; host: FakeElement } {
  active = on;
  const did: unknown[] = [];
  const host = new FakeElement();
  let used = false;
  const event: unknown = { key, currentTarget: host, preventDefault: () => void (used = true), ...more };
  graphKey(use, event as KeyboardEvent, {
    fit: (all) => did.push(["fit", all]),
    show: (id) => did.push(["show", id]),
    zoom: (factor) => did.push(["zoom", factor]),
  });
  return { did, used, host };
}
const leads = (key: string, on: string | null): unknown => press(key, on).did[0];

beforeEach(() => {
  live.value = graphOf({ Web: ["Far"], Admin: ["Far", "Near#2"], Far: [], "Near#2": [] });
  routes.value = [{ method: "GET", path: "/admin", pathParams: [], beans: ["Admin"] }];
  routeId.value = null;
  selected.value = null;
});

describe("graphKey", () => {
  test("fits and zooms", () => {
    const did = ["f", "0", "+", "=", "-"].map((key) => leads(key, null));
    assert.deepEqual(did, [
      ["fit", undefined],
      ["fit", true],
      ["zoom", 1.25],
      ["zoom", 1.25],
      ["zoom", 0.8],
    ]);
  });

  test("leaves the browser's own combinations and unknown keys alone", () => {
    for (const more of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }])
      assert.deepEqual(press("f", "Web", more), { did: [], used: false, host: new FakeElement() });
    assert.deepEqual(press("x", "Web"), { did: [], used: false, host: new FakeElement() });
  });

  test("opens the bean in focus, and closes it", () => {
    for (const key of ["Enter", " "]) {
      assert.equal(press(key, "Far").used, true);
      assert.equal(selected.value, "Far");
      assert.equal(press("Escape", "Far").used, true);
      assert.equal(selected.value, null);
    }
    assert.equal(press("Enter", null).used, false);
  });

  test("walks along dependencies to the nearest", () => {
    assert.deepEqual(
      [leads("ArrowRight", "Admin"), leads("ArrowLeft", "Far"), leads("ArrowLeft", "Near#2")],
      [
        ["show", "Near#2"],
        ["show", "Web"],
        ["show", "Admin"],
      ],
    );
  });

  test("walks through a column, and stays at its ends", () => {
    assert.deepEqual(
      [leads("ArrowDown", "Web"), leads("ArrowUp", "Near#2")],
      [
        ["show", "Admin"],
        ["show", "Far"],
      ],
    );
    assert.deepEqual(
      [leads("ArrowUp", "Web"), leads("ArrowDown", "Admin"), leads("ArrowRight", "Far")],
      [undefined, undefined, undefined],
    );
  });

  test("begins at the route's entry bean, or else at the first", () => {
    assert.deepEqual(
      [leads("Home", "Far"), leads("ArrowDown", null), leads("ArrowUp", "gone")],
      [
        ["show", "Web"],
        ["show", "Web"],
        ["show", "Web"],
      ],
    );
    routeId.value = "GET /admin";
    assert.deepEqual(leads("Home", "Far"), ["show", "Admin"]);
  });

  test("moves the focus with it", () => {
    const { host, used } = press("ArrowDown", "Far");
    assert.deepEqual([host.queries, host.focused, used], [['[data-bean="Near\\#2"] .handle'], 1, true]);
  });
});
