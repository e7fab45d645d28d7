/**
 * createUse, useSlice: one instance of each slice for a page, which its views find.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createUse, useSlice, type Slice, type Use } from "./slice.ts";

let made = 0;
const lowSlice = (): { readonly id: number } => ({ id: (made += 1) });
const highSlice = (use: Use): { readonly below: unknown } => ({ below: use(lowSlice) });

describe("createUse", () => {
  test("makes a slice once, and passes the same one to the slices that depend on it", () => {
    const use = createUse();
    const before = made;
    assert.equal(use(highSlice).below, use(lowSlice));
    assert.equal(use(highSlice), use(highSlice));
    assert.equal(made, before + 1);
  });

  test("makes nothing before its first use, and each page its own", () => {
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
  test("gives every view the one slice of the page, which differs from a test's", () => {
    assert.equal(useSlice(lowSlice), useSlice(lowSlice));
    assert.equal(useSlice(highSlice).below, useSlice(lowSlice));
    assert.notEqual(useSlice(lowSlice), createUse()(lowSlice));
  });
});
