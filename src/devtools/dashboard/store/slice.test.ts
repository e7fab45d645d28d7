/**
 * createUse, useSlice: one instance of each slice for a page, and views find it.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { h, render } from "preact";
import { createUse, PageStore, useSlice, useStore } from "./slice.ts";
import type { Slice, Use } from "./slice.ts";

let made = 0;
const lowSlice = (): { readonly id: number } => ({ id: (made += 1) });
const highSlice = (use: Use): { readonly below: unknown } => ({ below: use(lowSlice) });

describe("createUse", () => {
  test("makes a slice once, and hands the same one to the slices that stand on it", () => {
    const use = createUse();
    const before = made;
    assert.equal(use(highSlice).below, use(lowSlice));
    assert.equal(use(highSlice), use(highSlice));
    assert.equal(made, before + 1);
  });

  test("makes nothing before it is asked for, and each page its own", () => {
    const before = made;
    const [one, two] = [createUse(), createUse()];
    assert.equal(made, before);
    assert.notEqual(one(lowSlice), two(lowSlice));
  });

  test("uses a given instance instead, also one that is undefined", () => {
    const given = { id: 70 };
    const use = createUse(new Map<Slice<unknown>, unknown>([[lowSlice, given]]));
    assert.equal(use(highSlice).below, given);
    const none: Slice<number | undefined> = () => 1;
    assert.equal(createUse(new Map<Slice<unknown>, unknown>([[none, undefined]]))(none), undefined);
  });
});

describe("useSlice", () => {
  const seen: unknown[] = [];
  const View = (): null => {
    seen.push(useSlice(lowSlice), useStore());
    return null;
  };
  // A view that draws nothing needs nothing of the element it is rendered into.
  const nowhere = (): Element => ({ childNodes: [], nodeType: 1 }) as unknown as Element;

  test("gives a view the slice of its page", () => {
    const use = createUse();
    render(h(PageStore.Provider, { value: use, children: h(View, {}) }), nowhere());
    assert.deepEqual(seen.splice(0), [use(lowSlice), use]);
  });

  test("says that a view is rendered outside a page", () => {
    assert.throws(() => render(h(View, {}), nowhere()), /^Error: A view is outside PageStore\.Provider\.$/);
  });
});
