/**
 * listenForKeys: what each key does, where it is off, and that the location follows the selection.
 */

import assert from "node:assert/strict";
import { after, afterEach, beforeEach, describe, test } from "node:test";
import { memoryStorage, setGlobals } from "../testing/fake-page.ts";
import { callOf, graphOf, traceOf } from "../testing/fixtures.ts";

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
const location = { pathname: "/dev", hash: "" };
const focused: string[] = [];
const written: string[] = [];
const sent: string[] = [];
const focusable = (name: string): { focus: () => void } => ({ focus: () => void focused.push(name) });
const restore = setGlobals({
  location,
  document: {
    visibilityState: "visible",
    getElementById: (id: string) => focusable(`#${id}`),
    querySelector: focusable,
  },
  history: { replaceState: (_state: unknown, _title: string, url: string) => void written.push(url) },
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
const { store } = await import("../store/browser.ts");
const { listenForKeys, shortcuts } = await import("./shortcuts.ts");

/** Presses a key somewhere; was it used? */
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
  location.hash = "";
  for (const list of [focused, written, sent]) list.length = 0;
  store.live.value = graphOf({ Web: ["Repo"], Repo: [] });
  store.routes.value = [{ method: "POST", path: "/x", pathParams: [], beans: ["Web"] }];
  store.traces.value = [run];
  store.routeId.value = null;
  store.traceId.value = null;
  store.bean.value = null;
  store.dialog.value = null;
  store.loaded.value = true;
  stop = listenForKeys();
});
afterEach(() => stop());

describe("listenForKeys", () => {
  test("moves the focus, shows lists, theme and help", () => {
    assert.deepEqual(
      ["/", "g", "h", "t", "?"].map((key) => press(key)),
      [true, true, true, true, true],
    );
    assert.deepEqual(
      [focused, store.list.value, store.theme.value, store.dialog.value],
      [["#find", ".graph"], "history", "dark", "help"],
    );
    press("r");
    press("t");
    assert.deepEqual([store.list.value, store.theme.value], ["requests", "light"]);
  });

  test("steps through the calls and replays them", () => {
    store.selectTrace(run);
    const steps: unknown[] = [];
    for (const key of ["[", "[", "[", "]", "]", "]"]) {
      press(key);
      steps.push(store.step.value);
    }
    assert.deepEqual(steps, [1, 0, 0, 1, 2, 2]);
    const before = store.replays.value;
    press("p");
    assert.deepEqual([store.step.value, store.replays.value], [null, before + 1]);
    press("]");
    assert.equal(store.step.value, 2);
  });

  test("turns on only what is reachable, and off again", () => {
    store.selectRoute("POST /x");
    press("o");
    assert.equal(store.focused.value, true);
    press("o");
    assert.equal(store.focused.value, false);
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
    assert.equal(store.dialog.value, null);
  });

  test("opens the palette and sends from everywhere, fields too", () => {
    const field = new FakeElement(true);
    assert.equal(press("K", { ctrlKey: true }, field), true);
    assert.equal(store.dialog.value, "palette");
    store.selectRoute("POST /x");
    assert.equal(press("Enter", { metaKey: true }, field), true);
    assert.deepEqual(sent, ["/x"]);
    assert.equal(press("Enter"), false);
  });

  test("does nothing more once stopped", () => {
    stop();
    assert.equal(press("?"), false);
    location.hash = "#bean=Repo";
    page.dispatchEvent(new Event("hashchange"));
    store.selectRoute("POST /x");
    assert.deepEqual([store.bean.value, written], [null, []]);
  });

  test("writes the selection into the location, and takes it away again", () => {
    store.selectRoute("POST /x");
    location.hash = "#route=POST+%2Fx";
    store.routeId.value = null;
    assert.deepEqual(written, ["#route=POST+%2Fx", "/dev"]);
  });

  test("writes nothing before the first load, so that a link is still there to be followed", () => {
    store.loaded.value = false;
    store.selectRoute("POST /x");
    assert.deepEqual(written, []);
  });

  test("follows a link in the location", () => {
    location.hash = "#bean=Repo";
    page.dispatchEvent(new Event("hashchange"));
    assert.equal(store.bean.value, "Repo");
    assert.deepEqual(written, []);
    store.detail.value = "response";
    page.dispatchEvent(new Event("hashchange"));
    assert.equal(store.detail.value, "response");
  });
});

describe("shortcuts", () => {
  test("lists every letter that does something", () => {
    const listed = new Set(shortcuts.flatMap(([keys]) => keys.split(/\s+/)));
    assert.deepEqual(
      ["/", "r", "h", "g", "p", "[", "]", "o", "t", "?"].filter((key) => !listed.has(key)),
      [],
    );
  });
});
