/**
 * flame: bars in lanes, the visible ones, and the way from one to another.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cpuShare } from "../../cpu-time.testkit.ts";
import type { Leaf } from "../../run/shapes.ts";
import { callOf, sqlOf, traceOf } from "../../run/traces.testkit.ts";
import { drawnBars, flameBars, flameBrackets, flameStep, windowOf } from "./flame.ts";

const trace = traceOf(
  [
    callOf(0, null, "Web", { startUs: 10, durationUs: 80 }),
    callOf(1, 0, "Repo", { startUs: 20, durationUs: 40 }),
    callOf(2, 0, "Other", { startUs: 30, durationUs: null }),
  ],
  { leaves: [sqlOf(0, 1, "select 1", { startUs: 25, durationUs: 10 }), sqlOf(1, null, "select 2", { startUs: 95 })] },
);
const bars = flameBars(trace);

describe("flameBars", () => {
  test("are below their callers, and one that overlaps with a sibling is below all that the sibling called", () => {
    assert.deepEqual(
      bars.map(({ call, leaf, parent, lane, level, startUs, endUs }) => [
        call?.bean ?? leaf?.id,
        parent,
        lane,
        level,
        startUs,
        endUs,
      ]),
      [
        [undefined, -1, 0, 0, 0, 100],
        ["Web", 0, 1, 1, 10, 90],
        ["Repo", 1, 2, 2, 20, 60],
        [0, 2, 3, 3, 25, 35],
        ["Other", 1, 4, 2, 30, 100],
        [1, 0, 5, 1, 95, 97],
      ],
    );
  });

  test("no two in one lane overlap, and each is lower than its caller", () => {
    const calls = Array.from({ length: 60 }, (_, id) =>
      callOf(id, id === 0 ? null : (id * 7) % id, "Bean", { startUs: id * 3, durationUs: ((id * 37) % 50) + 1 }),
    );
    const all = flameBars(traceOf(calls, { durationUs: 400 }));
    for (const [i, bar] of all.entries()) {
      assert.ok(bar.lane > (all[bar.parent]?.lane ?? -1));
      const after = all.slice(i + 1).find(({ lane }) => lane === bar.lane);
      assert.ok(after === undefined || after.startUs >= bar.endUs);
    }
  });
});

describe("flameBars, flameBrackets", () => {
  const beside = traceOf([
    callOf(0, null, "Web", { startUs: 0, durationUs: 100 }),
    callOf(1, 0, "A", { startUs: 10, durationUs: 40 }),
    callOf(2, 1, "Below", { startUs: 15, durationUs: 30 }),
    callOf(3, 0, "B", { startUs: 20, durationUs: 40 }),
    callOf(4, 0, "After", { startUs: 70, durationUs: 10 }),
    callOf(5, 4, "Below", { startUs: 72, durationUs: 5 }),
  ]);

  test("a call after those side by side is directly below its caller again, and the bracket spans theirs", () => {
    const all = flameBars(beside);
    assert.deepEqual(
      all.slice(1).map(({ call, lane }) => [call?.id, lane]),
      [
        [0, 1],
        [1, 2],
        [2, 3],
        [3, 4],
        [4, 2],
        [5, 3],
      ],
    );
    assert.deepEqual(flameBrackets(beside, all), [{ count: 2, startUs: 10, fromLane: 2, toLane: 4 }]);
  });
});

describe("drawnBars", () => {
  test("are those of the window and of the lanes on screen, in pixels", () => {
    assert.deepEqual(drawnBars(bars, { fromUs: 20, toUs: 60 }, 400, [2, 3], 0), [
      { at: 0, left: 0, width: 400 },
      { at: 2, left: 0, width: 400 },
      { at: 3, left: 50, width: 100 },
    ]);
  });

  test("5,000 leaves in a row are at most as many bars as there is room for, found in a frame's time", () => {
    const leaves: Leaf[] = Array.from({ length: 5_000 }, (_, id) =>
      sqlOf(id, null, "select 1", { startUs: id, durationUs: 1 }),
    );
    const many = flameBars(traceOf([], { leaves, durationUs: 5_000 }));
    const draw = () => drawnBars(many, windowOf(many, 0), 700, [0, 20], 4_321);
    const share = cpuShare(draw);
    assert.ok(share < 0.8, `${share} times the yardstick`);
    const drawn = draw();
    assert.ok(drawn.length > 200 && drawn.length < 250, `${drawn.length}`);
    assert.ok(drawn.some(({ at }) => at === 4_321));
    assert.equal(drawnBars(many, windowOf(many, 2_500), 700, [0, 20], 2_501).length > 40, true);
  });
});

describe("flameStep", () => {
  test("walks along bars of one depth, to a bar's caller, and to its first callee", () => {
    const step = (at: number, key: string): number | undefined => flameStep(bars, at, key);
    assert.deepEqual(
      [step(0, "ArrowDown"), step(1, "ArrowRight"), step(5, "ArrowLeft"), step(2, "ArrowRight"), step(3, "ArrowUp")],
      [1, 5, 1, 4, 2],
    );
    assert.deepEqual(
      [step(4, "Home"), step(0, "ArrowUp"), step(1, "x"), step(99, "Home")],
      [0, 0, undefined, undefined],
    );
  });
});

describe("windowOf", () => {
  test("is the bar's own, and some time around an instant", () => {
    assert.deepEqual(windowOf(bars, 2), { fromUs: 20, toUs: 60 });
    const instant = flameBars(
      traceOf([], { leaves: [sqlOf(0, null, "x", { startUs: 500, durationUs: 0 })], durationUs: 1_000 }),
    );
    assert.deepEqual(windowOf(instant, 1), { fromUs: 495, toUs: 505 });
  });
});
