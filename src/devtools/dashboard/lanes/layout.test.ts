/**
 * layout: bands and lanes of runs, slices of time, and the moves of the brush.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { traceOf } from "../../run/traces.testkit.ts";
import type { Between } from "../runs/history.ts";
import {
  bandsOf,
  boxAt,
  changed,
  endOf,
  extentOf,
  mostAtOnce,
  newestStretch,
  pathOf,
  scaleOf,
  slicesOf,
  type LaneRun,
} from "./layout.ts";

const run = (sequence: number, startedAt: number, ms: number, more: Partial<LaneRun> = {}): LaneRun =>
  traceOf([], { sequence, startedAt, durationUs: ms * 1_000, ...more });

const runs = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 80 })), { minLength: 1, maxLength: 60 })
  .map((all) => all.map(([at, ms], i) => run(i, at, ms, { route: i % 3 === 0 ? "/a" : "/b" })));

describe("bandsOf", () => {
  test("has a band a route, the busiest first, and a lane for each run that overlaps", () => {
    const bands = bandsOf([
      run(1, 0, 10, { route: "/a" }),
      run(2, 0, 10),
      run(3, 5, 10),
      run(4, 10, 10),
      run(5, 0, 1, { route: null }),
    ]);
    assert.deepEqual(
      bands.map(({ route, top, height, boxes }) => [
        route,
        top,
        height,
        boxes.map((box) => [box.run.sequence, box.top]),
      ]),
      [
        [
          "/x/{id}",
          0,
          42,
          [
            [2, 6],
            [3, 20],
            [4, 6],
          ],
        ],
        ["/a", 42, 42, [[1, 48]]],
        ["no route", 84, 42, [[5, 90]]],
      ],
    );
  });

  test("never has two runs of a lane at the same time, and has each run once", () => {
    fc.assert(
      fc.property(runs, (all) => {
        const boxes = bandsOf(all).flatMap((band) => band.boxes);
        assert.equal(boxes.length, all.length);
        for (const [i, a] of boxes.entries())
          for (const b of boxes.slice(i + 1))
            assert.ok(a.top !== b.top || endOf(a.run) <= b.run.startedAt || endOf(b.run) <= a.run.startedAt);
      }),
    );
  });
});

describe("pathOf", () => {
  test("is a rectangle a run, at least two pixels wide", () => {
    const { x } = scaleOf([0, 100], 200);
    const [band] = bandsOf([run(1, 10, 20), run(2, 50, 0)]);
    assert.equal(pathOf(band?.boxes ?? [], x), "M20.0 6.0h40.0v12h-40.0zM100.0 6.0h2.0v12h-2.0z");
    assert.equal(pathOf(band?.boxes.slice(1) ?? [], x, 2), "M98.0 4.0h6.0v16h-6.0z");
  });
});

describe("boxAt", () => {
  test("is the run under the point, or the nearest one within five pixels", () => {
    const bands = bandsOf([run(1, 10, 20), run(2, 34, 2)]);
    const { x } = scaleOf([0, 100], 100);
    const at = (left: number, y = 10): number | undefined => boxAt(bands, x, left, y)?.run.sequence;
    assert.deepEqual(
      [at(10), at(31), at(33), at(41), at(42), at(20, 30), at(20, 300)],
      [1, 1, 2, 2, undefined, undefined, undefined],
    );
  });
});

describe("newestStretch", () => {
  test("begins after the last pause of five minutes", () => {
    const all = [run(1, 0, 5), run(2, 400_000, 5), run(3, 500_000, 5)];
    assert.deepEqual(
      [newestStretch(all), newestStretch(all.slice(1)), newestStretch([])],
      [[400_000, 500_005], [400_000, 500_005], null],
    );
    assert.deepEqual(extentOf(all), [0, 500_005]);
  });
});

describe("changed", () => {
  const within: Between = [0, 1_000];

  test("moves both ends, or one of them", () => {
    assert.deepEqual(changed([100, 200], [0.1, 0.1], within), [110, 210]);
    assert.deepEqual(changed([100, 200], [0, 0.5], within), [100, 250]);
    assert.deepEqual(changed([100, 200], [-0.5, 0], within), [50, 200]);
  });

  test("keeps its length at the ends of time, and never leaves them", () => {
    assert.deepEqual(changed([950, 1_000], [1, 1], within), [950, 1_000]);
    assert.deepEqual(changed([20, 120], [-1, -1], within), [0, 100]);
    const part = fc.double({ min: -3, max: 3, noNaN: true });
    const range = fc.tuple(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 1, max: 100 }));
    fc.assert(
      fc.property(range, part, part, ([from, length], a, b) => {
        const [start, end] = changed([from, from + length], [a, b], within);
        assert.ok(start >= 0 && end <= 1_000 && start < end, `${start} ${end}`);
      }),
    );
  });
});

describe("slicesOf", () => {
  test("counts each run where it begins, and the failed ones", () => {
    const all = [run(1, 0, 5), run(2, 10, 50), run(3, 60, 5, { status: 500 }), run(4, 100, 0)];
    assert.deepEqual(slicesOf(all, [0, 100], 2), [
      { all: 2, failed: 0 },
      { all: 2, failed: 1 },
    ]);
  });
});

describe("mostAtOnce", () => {
  test("is the largest number in progress; one that ends when another begins is not", () => {
    assert.equal(mostAtOnce([run(1, 0, 10), run(2, 5, 10), run(3, 10, 10)]), 2);
    assert.equal(mostAtOnce([]), 0);
  });
});
