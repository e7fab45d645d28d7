/**
 * listenForKeys: the effect of each key, and where it is off.
 */

import assert from "node:assert/strict";
import { after, afterEach, beforeEach, describe, test } from "node:test";
import { graphSlice } from "../graph/picture.ts";
import { applicationSlice } from "../store/application.ts";
import { panelsSlice } from "../store/panels.ts";
import { selectionSlice } from "../store/selection.ts";
import { createUse } from "../store/slice.ts";
import { memoryStorage, setGlobals } from "../testing/fake-page.ts";
import { callOf, graphOf, traceOf } from "../../run/traces.testkit.ts";
import { listenForKeys } from "./page-keys.ts";
import { shortcuts } from "./shortcuts.ts";
import { themeSlice } from "./theme.ts";

class FakeElement {
  readonly field: boolean;
  constructor(field: boolean) {
    this.field = field;
  }
  closest(): FakeElement | null {
    return this.field ? this : null;
  }
}

const page = new EventTarget();
const focused: string[] = [];
const sent: string[] = [];
const focusable = (name: string): { focus: () => void } => ({ focus: () => void focused.push(name) });
const restore = setGlobals({
  document: {
    visibilityState: "visible",
    documentElement: { dataset: {} },
    getElementById: (id: string) => focusable(`#${id}`),
    querySelector: focusable,
  },
  location: { pathname: "/framework/dev" },
  matchMedia: () => ({ matches: false }),
  localStorage: memoryStorage(),
  sessionStorage: memoryStorage(),
  Element: FakeElement,
  addEventListener: page.addEventListener.bind(page),
  removeEventListener: page.removeEventListener.bind(page),
  fetch: async (url: string): Promise<Response> => {
    sent.push(url);
    throw new TypeError("Failed to fetch");
  },
});
after(restore);

const use = createUse();
const { live, routes, traces } = use(applicationSlice);
const { place, list, dialog } = use(panelsSlice);
const { routeId, traceId, step, replays, selectRoute, selectTrace } = use(selectionSlice);
const { theme } = use(themeSlice);
const { focused: onlyReachable } = use(graphSlice);

/** Presses a key somewhere; returns whether it was used. */
function press(
  key: string,
  more: Readonly<Record<string, unknown>> = {},
  target: FakeElement = new FakeElement(false),
): boolean {
  const event = Object.assign(new Event("keydown", { cancelable: true }), { key, ...more });
  Object.defineProperty(event, "target", { value: target });
  page.dispatchEvent(event);
  return event.defaultPrevented;
}

const run = traceOf([callOf(0, null, "Web"), callOf(1, 0, "Repo")], { method: "POST", route: "/x" });
let stop = (): void => undefined;

beforeEach(() => {
  for (const list of [focused, sent]) list.length = 0;
  live.value = graphOf({ Web: ["Repo"], Repo: [] });
  routes.value = [{ method: "POST", path: "/x", pathParams: [], beans: ["Web"] }];
  traces.value = [run];
  routeId.value = null;
  traceId.value = null;
  dialog.value = null;
  stop = listenForKeys(use);
});
afterEach(() => stop());

describe("listenForKeys", () => {
  test("moves the focus, shows lists, theme and help", () => {
    assert.deepEqual(
      ["/", "g", "h", "t", "?"].map((key) => press(key)),
      [true, true, true, true, true],
    );
    assert.deepEqual(
      [focused, list.value, theme.value, dialog.value],
      [["#find", ".graph"], "history", "dark", "help"],
    );
    press("r");
    press("t");
    assert.deepEqual([list.value, theme.value], ["requests", "light"]);
  });

  test("goes to Inspect and back, and shows a list in Compose", () => {
    const places = ["i", "c", "i", "h"].map((key) => [press(key), place.value]);
    assert.deepEqual(places, [
      [true, "inspect"],
      [true, "compose"],
      [true, "inspect"],
      [true, "compose"],
    ]);
    assert.equal(list.value, "history");
    press("r");
  });

  test("steps through the calls and replays them", () => {
    selectTrace(run);
    const steps: unknown[] = [];
    for (const key of ["[", "[", "[", "]", "]", "]"]) {
      press(key);
      steps.push(step.value);
    }
    assert.deepEqual(steps, [1, 0, 0, 1, 2, 2]);
    const before = replays.value;
    press("p");
    assert.deepEqual([step.value, replays.value], [null, before + 1]);
    press("]");
    assert.equal(step.value, 2);
  });

  test("turns only reachable beans on, and off again", () => {
    selectRoute("POST /x");
    press("o");
    assert.equal(onlyReachable.value, true);
    press("o");
    assert.equal(onlyReachable.value, false);
  });

  test("leaves letters to fields and to the browser's own combinations", () => {
    const field = new FakeElement(true);
    assert.deepEqual(
      [
        press("?", {}, field),
        press("?", { altKey: true }),
        press("?", { ctrlKey: true }),
        press("?", { metaKey: true }),
        press("x"),
      ],
      Array(5).fill(false),
    );
    assert.equal(dialog.value, null);
  });

  test("opens the palette and sends from everywhere, fields too", () => {
    const field = new FakeElement(true);
    assert.equal(press("K", { ctrlKey: true }, field), true);
    assert.equal(dialog.value, "palette");
    selectRoute("POST /x");
    assert.equal(press("Enter", { metaKey: true }, field), true);
    assert.deepEqual(sent, ["/x"]);
    assert.equal(press("Enter"), false);
  });

  test("does nothing more after the stop", () => {
    stop();
    assert.equal(press("?"), false);
  });
});

describe("shortcuts", () => {
  test("lists every letter with a function", () => {
    const listed = new Set(shortcuts.flatMap(([keys]) => keys.split(/\s+/)));
    assert.deepEqual(
      ["/", "c", "i", "r", "h", "g", "p", "[", "]", "o", "t", "?"].filter((key) => !listed.has(key)),
      [],
    );
  });
});
