/**
 * bars: stretches of a line and their pixels.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callOf, logOf, sqlOf, traceOf } from "../../run/traces.testkit.ts";
import { inTracks, isSynchronous, ownStretches, pathOf, piecesIn } from "./bars.ts";

const stretch = (startUs: number, endUs: number, track = 0) => ({ startUs, endUs, track });
const window = { fromUs: 100, toUs: 200 };

describe("piecesIn", () => {
  test("are those of the window in pixels, cut just outside of it", () => {
    assert.deepEqual(
      piecesIn([stretch(0, 50), stretch(90, 110), stretch(150, 160), stretch(190, 900)], window, 1_000),
      [
        { left: -2, width: 102, track: 0 },
        { left: 500, width: 100, track: 0 },
        { left: 900, width: 102, track: 0 },
      ],
    );
  });

  test("10,000 in a row are at most one for every three pixels, and keep a gap that is wide enough", () => {
    const many = Array.from({ length: 10_000 }, (_, i) => stretch(100 + i / 100, 100 + i / 100 + 0.004));
    assert.equal(piecesIn(many, window, 900).length, 1);
    const apart = piecesIn([stretch(110, 110), stretch(110.1, 110.1), stretch(120, 120)], window, 1_000);
    assert.deepEqual(
      apart.map(({ left, width }) => [left, Math.round(width)]),
      [
        [100, 3],
        [200, 2],
      ],
    );
  });

  test("leaves narrow ones out that would look like a long one, where that is wanted", () => {
    const slices = Array.from({ length: 30 }, (_, i) => stretch(100 + i, 100.01 + i));
    const seen = piecesIn([...slices, stretch(150, 160)], window, 150, { least: 1, sparse: 6 });
    assert.ok(seen.reduce((sum, one) => sum + one.width, 0) < 24, "15 pixels of work and some ticks");
    assert.deepEqual(seen.at(-1), { left: 75, width: 15, track: 0 });
  });

  test("keeps a gap between neighbours that are to be counted", () => {
    const ticks = [stretch(100, 110), stretch(110, 120), stretch(120, 130)];
    assert.equal(piecesIn(ticks, window, 100).length, 1);
    assert.deepEqual(piecesIn(ticks, window, 100, { least: 2, apart: true }), [
      { left: 0, width: 9, track: 0 },
      { left: 10, width: 9, track: 0 },
      { left: 20, width: 9, track: 0 },
    ]);
  });

  test("joins only neighbours of one track", () => {
    assert.equal(piecesIn([stretch(110, 120), stretch(115, 125, 1)], window, 100).length, 2);
  });
});

describe("pathOf", () => {
  test("is a rectangle for each piece", () => {
    const pieces = [
      { left: 1.04, width: 2, track: 0 },
      { left: 9, width: 3, track: 1 },
    ];
    assert.equal(
      pathOf(pieces, (track) => track * 5, 4),
      "M1 0h2v4h-2zM9 5h3v4h-3z",
    );
  });
});

describe("ownStretches", () => {
  test("are where neither a call nor a leaf below was running; a log line takes no time", () => {
    const call = callOf(0, null, "Web", { startUs: 10, durationUs: 80 });
    const below = [
      callOf(1, 0, "Repo", { startUs: 20, durationUs: 10 }),
      sqlOf(1, 0, "select 1", { startUs: 40, durationUs: null }),
      logOf(1, 0, "said"),
    ];
    assert.deepEqual(ownStretches(call, below, traceOf([call], { durationUs: 70 })), [
      stretch(10, 20),
      stretch(30, 40),
      stretch(70, 90),
    ]);
  });
});

describe("isSynchronous", () => {
  test("is a call that returned no promise; unknown for a pending one", () => {
    const of = (more: Parameters<typeof callOf>[3]): boolean => isSynchronous(callOf(0, null, "A", more));
    assert.deepEqual(
      [of({ async: false }), of({ async: true }), of({ async: false, durationUs: null })],
      [true, false, false],
    );
  });
});

describe("inTracks", () => {
  test("keeps each place, and has those side by side in tracks of their own", () => {
    const calls = [0, 1, 2, 3, 4, 5].map((id) => callOf(id, null, "A", { startUs: id, durationUs: 10 }));
    const after = callOf(6, null, "A", { startUs: 40, durationUs: 1 });
    assert.deepEqual(
      inTracks([after, ...calls], traceOf([])).map(({ startUs, track }) => [startUs, track]),
      [
        [0, 0],
        [1, 1],
        [2, 2],
        [3, 3],
        [4, 3],
        [5, 3],
        [40, 0],
      ],
    );
  });
});
