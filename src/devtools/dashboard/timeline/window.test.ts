/**
 * window: zoom, pan and places of the shown part of a run.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { between, momentAt, panned, placeOf, zoomed } from "./window.ts";

const whole = { fromUs: 0, toUs: 1_000 };
const part = { fromUs: 200, toUs: 400 };

describe("placeOf, momentAt", () => {
  test("are each other's inverse", () => {
    assert.deepEqual([placeOf(250, part, 800), momentAt(200, part, 800)], [200, 250]);
    assert.equal(momentAt(0, part, 0), 200);
  });
});

describe("zoomed", () => {
  test("keeps the moment under the pointer at its place", () => {
    const next = zoomed(whole, 2, 250, 1_000);
    assert.deepEqual(next, { fromUs: 125, toUs: 625 });
    assert.equal(next && placeOf(250, next, 100), placeOf(250, whole, 100));
  });
  test("ends at the whole run, at its borders and at the resolution of the recording", () => {
    assert.equal(zoomed(part, 0.1, 300, 1_000), null);
    assert.deepEqual(zoomed({ fromUs: 0, toUs: 200 }, 0.5, 150, 1_000), { fromUs: 0, toUs: 400 });
    assert.deepEqual(zoomed(part, 1e9, 300, 1_000), { fromUs: 298, toUs: 302 });
    assert.equal(zoomed({ fromUs: 0, toUs: 2 }, 9, 1, 2), null);
  });
});

describe("panned", () => {
  test("moves by a share of the window, to the borders at most", () => {
    assert.deepEqual(panned(part, 0.5, 1_000), { fromUs: 300, toUs: 500 });
    assert.deepEqual(panned(part, -9, 1_000), { fromUs: 0, toUs: 200 });
    assert.deepEqual(panned(part, 9, 1_000), { fromUs: 800, toUs: 1_000 });
    assert.equal(panned(whole, 1, 1_000), null);
  });
});

describe("between", () => {
  test("is in either order and within the run", () => {
    assert.deepEqual(between(700, 300, 1_000), { fromUs: 300, toUs: 700 });
    assert.deepEqual(between(-50, 300, 1_000), { fromUs: 0, toUs: 300 });
    assert.deepEqual(between(500, 500, 1_000), { fromUs: 500, toUs: 504 });
    assert.equal(between(-50, 5_000, 1_000), null);
  });
});
