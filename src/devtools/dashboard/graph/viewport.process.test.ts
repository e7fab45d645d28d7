/**
 * createViewport: the camera after each gesture, and the release of everything when stopped.
 */

import assert from "node:assert/strict";
import { after, afterEach, beforeEach, describe, test } from "node:test";
import { FakeDocument, setGlobals } from "../testing/fake-page.ts";
import type { Layout, PlacedBean } from "../../run/graph/shapes.ts";
import { createViewport, type Viewport } from "./viewport.ts";

class FakeElement extends EventTarget {
  readonly dataset: Record<string, string> = {};
  clientWidth = 800;
  clientHeight = 600;
  captured: number[] = [];
  inNode = false;
  transform = "";
  getBoundingClientRect(): { left: number; top: number } {
    return { left: 100, top: 50 };
  }
  setPointerCapture(id: number): void {
    this.captured.push(id);
  }
  closest(): FakeElement | null {
    return this.inNode ? this : null;
  }
  setAttribute(_name: string, value: string): void {
    this.transform = value;
  }
}

let frames = new Map<number, (now: number) => void>();
let resized = (): void => undefined;
let watched: unknown[] = [];
let now = 0;
let calm = false;
let requested = 0;
const document = new FakeDocument();
class FakeResizeObserver {
  constructor(run: () => void) {
    resized = run;
  }
  observe(target: unknown): void {
    watched.push(target);
  }
  disconnect(): void {
    watched = [];
  }
}
const restore = setGlobals({
  document,
  Element: FakeElement,
  ResizeObserver: FakeResizeObserver,
  performance: { now: () => now },
  matchMedia: () => ({ matches: calm }),
  requestAnimationFrame: (run: (now: number) => void) => frames.set(++requested, run) && requested,
  cancelAnimationFrame: (id: number) => frames.delete(id),
});
after(restore);

/** Draws one frame at this time. */
function frame(at: number): void {
  const due = [...frames.values()];
  frames = new Map();
  now = at;
  for (const run of due) run(at);
}

const bean: PlacedBean = { id: "A", x: 0, y: 0, layer: 0, width: 124, height: 44 };
const layout: Layout = {
  width: 400,
  height: 200,
  beans: new Map([["A", bean]]),
  edges: [],
  layers: [["A"]],
  layerGap: 76,
  shelf: Infinity,
};
const start = "translate(160 80) scale(1)";
let host = new FakeElement();
let group = new FakeElement();
let viewport: Viewport;

beforeEach(() => {
  [host, group, now, calm, frames] = [new FakeElement(), new FakeElement(), 0, false, new Map()];
  document.visibilityState = "visible";
  const given: readonly unknown[] = [host, group];
  viewport = createViewport(given[0] as HTMLElement, [given[1] as SVGGElement]);
});
afterEach(() => viewport.stop());

/** A gesture on the host, or on something in it; returns whether the browser's own was prevented. */
function act(name: string, more: Readonly<Record<string, unknown>>, target?: FakeElement): boolean {
  const event = Object.assign(new Event(name, { cancelable: true }), {
    button: 0,
    pointerId: 5,
    clientX: 0,
    clientY: 0,
    deltaX: 0,
    deltaY: 0,
    deltaMode: 0,
    ...more,
  });
  if (target !== undefined) Object.defineProperty(event, "target", { value: target });
  host.dispatchEvent(event);
  return event.defaultPrevented;
}
const camera = (): { x: number; y: number; scale: number } => {
  const [x = Number.NaN, y = Number.NaN, scale = Number.NaN] = (
    group.transform.match(/-?[\d.]+(?:e-?\d+)?/g) ?? []
  ).map(Number);
  return { x, y, scale };
};

describe("wheel", () => {
  test("pans with two fingers", () => {
    assert.equal(act("wheel", { deltaX: 10, deltaY: -20 }), true);
    assert.equal(group.transform, "translate(150 100) scale(1)");
  });

  test("zooms at the pointer with a mouse wheel, with Ctrl and by lines", () => {
    for (const more of [
      { deltaY: -100 },
      { deltaY: -100, ctrlKey: true },
      { deltaY: -3, deltaMode: 1 },
      { deltaY: -100, metaKey: true },
    ]) {
      const before = group.transform === "" ? { x: 160, y: 80, scale: 1 } : camera();
      act("wheel", { ...more, clientX: 400, clientY: 250 });
      const now = camera();
      const factor = Math.exp(0.15);
      assert.ok(Math.abs(now.scale / before.scale - factor) < 1e-9, JSON.stringify(more));
      assert.ok(Math.abs((300 - before.x) / before.scale - (300 - now.x) / now.scale) < 1e-6);
    }
  });
});

describe("drag", () => {
  test("moves the camera with the pointer until it is released", () => {
    for (const end of ["pointerup", "pointercancel"]) {
      const before = group.transform === "" ? { x: 160, y: 80 } : camera();
      act("pointerdown", { clientX: 10, clientY: 10 });
      act("pointermove", { clientX: 30, clientY: 5 });
      act(end, {});
      act("pointermove", { clientX: 500, clientY: 500 });
      assert.deepEqual(camera(), { x: before.x + 20, y: before.y - 5, scale: 1 });
    }
    assert.deepEqual(host.captured, [5, 5]);
  });

  test("does not begin on a bean or with another button", () => {
    const node = new FakeElement();
    node.inNode = true;
    act("pointerdown", {}, node);
    act("pointermove", { clientX: 30 });
    act("pointerdown", { button: 2 });
    act("pointermove", { clientX: 30 });
    assert.deepEqual([group.transform, host.captured], ["", []]);
  });
});

describe("zoom", () => {
  test("keeps the middle in place, and leaves texts out when far away", () => {
    viewport.zoom(0.5);
    assert.deepEqual([group.transform, host.dataset["detail"]], ["translate(280 190) scale(0.5)", "near"]);
    viewport.zoom(0.5);
    assert.equal(host.dataset["detail"], "far");
  });
});

describe("fit", () => {
  test("is at the end immediately, the first time", () => {
    viewport.fit(layout, ["A"], null);
    assert.deepEqual([camera().scale, frames.size], [1.15, 0]);
  });

  test("moves there smoothly later on, and ends exactly there", () => {
    viewport.fit(layout, ["A"], null);
    const end = group.transform;
    viewport.zoom(0.5);
    viewport.fit(layout, ["A"], null);
    frame(100);
    assert.ok(camera().scale > 0.575 && camera().scale < 1.15);
    frame(320);
    assert.deepEqual([group.transform, frames.size], [end, 0]);
  });

  test("moves immediately if less motion is preferred, and in a hidden tab", () => {
    for (const still of [
      () => {
        calm = true;
      },
      () => {
        calm = false;
        document.visibilityState = "hidden";
      },
    ]) {
      still();
      viewport.fit(layout, ["A"], null);
      viewport.zoom(0.5);
      viewport.fit(layout, ["A"], null);
      assert.deepEqual([camera().scale, frames.size], [1.15, 0]);
    }
  });

  test("is interrupted by a gesture", () => {
    viewport.fit(layout, ["A"], null);
    viewport.zoom(0.5);
    viewport.fit(layout, ["A"], null);
    act("wheel", { deltaX: 10 });
    assert.equal(frames.size, 0);
  });

  test("moves nothing without a visible graph", () => {
    viewport.fit(layout, ["gone"], null);
    assert.deepEqual([group.transform, frames.size], ["", 0]);
  });

  test("follows the window's size until the user moves the camera", () => {
    viewport.fit(layout, ["A"], null);
    const before = camera();
    host.clientWidth = 1_000;
    resized();
    assert.deepEqual(camera(), { ...before, x: before.x + 100 });
    act("wheel", { deltaX: 10 });
    host.clientWidth = 800;
    resized();
    assert.deepEqual(camera(), { ...before, x: before.x + 90 });
  });
});

describe("reveal", () => {
  test("leaves the camera if the bean is in sight", () => {
    viewport.reveal(bean);
    viewport.reveal(undefined);
    assert.equal(group.transform, "");
  });

  test("brings a bean out of sight to the middle", () => {
    viewport.reveal({ ...bean, x: 2_000, y: 1_000 });
    assert.equal(group.transform, `translate(${400 - 2_062} ${300 - 1_022}) scale(1)`);
  });

  test("uses the target of a moving camera", () => {
    viewport.fit(layout, ["A"], null);
    viewport.fit({ ...layout, beans: new Map([["A", { ...bean, x: 4_000 }]]) }, ["A"], null);
    viewport.reveal(bean);
    frame(now + 400);
    const { x, y, scale } = camera();
    assert.deepEqual([x + 62 * scale, y + 22 * scale], [400, 300]);
  });

  test("zooms in to a bean that is too small to read", () => {
    viewport.zoom(0.5);
    viewport.reveal(bean);
    assert.deepEqual(camera(), { x: 400 - 62 * 0.75, y: 300 - 22 * 0.75, scale: 0.75 });
  });
});

describe("stop", () => {
  test("releases the host, its size and the next frame", () => {
    resized();
    assert.deepEqual([group.transform, watched], [start, [host]]);
    viewport.fit(layout, ["A"], null);
    viewport.zoom(0.5);
    viewport.fit(layout, ["A"], null);
    const before = group.transform;
    viewport.stop();
    act("wheel", { deltaX: 10 });
    assert.deepEqual([watched, frames.size, group.transform], [[], 0, before]);
  });
});
