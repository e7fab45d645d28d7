/**
 * wheelZoom: a mouse wheel and a pinch zoom, two fingers move.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { wheelZoom } from "./wheel.ts";

const turn = (deltaY: number, more: object = {}) =>
  wheelZoom({ ctrlKey: false, metaKey: false, deltaMode: 0, deltaY, ...more });

describe("wheelZoom", () => {
  test("zooms in upwards and out downwards by a mouse wheel, in pixels and in lines", () => {
    for (const factor of [turn(-100), turn(-3, { deltaMode: 1 })]) assert.ok(factor !== undefined && factor > 1);
    for (const factor of [turn(100), turn(3, { deltaMode: 1 })]) assert.ok(factor !== undefined && factor < 1);
  });
  test("zooms by a pinch, which has Ctrl, and with Meta", () => {
    for (const key of ["ctrlKey", "metaKey"]) assert.ok((turn(-4, { [key]: true }) ?? 0) > 1);
  });
  test("is undefined for two fingers", () =>
    assert.deepEqual([turn(4), turn(-60), turn(0)], [undefined, undefined, undefined]));
});
