/**
 * outsideParts: the time outside of calls, with and without phases.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { outsideParts, outsideSums, type Phase } from "./outside.ts";
import { callOf, traceOf } from "./traces.testkit.ts";

const calls = [
  callOf(0, null, "Web", { startUs: 20, durationUs: 20 }),
  callOf(1, 0, "Repo", { startUs: 25, durationUs: 90 }),
  callOf(2, null, "Mail", { startUs: 60, durationUs: 20 }),
];
const short = (phases?: readonly Phase[], of = calls): unknown[] =>
  outsideParts({ ...traceOf(of), phases }).map(({ kind, name, startUs, endUs }) => [kind, name, startUs, endUs]);

describe("outsideParts", () => {
  test("are before the first call, between calls and after the last one", () =>
    assert.deepEqual(short(), [
      ["before", "before the first call", 0, 20],
      ["between", "between calls", 40, 60],
      ["after", "after the last call", 80, 100],
    ]));

  test("are one part without calls, and none where calls fill the run", () => {
    assert.deepEqual(short(undefined, []), [["before", "no call", 0, 100]]);
    assert.deepEqual(short(undefined, [callOf(0, null, "Web", { startUs: 0, durationUs: null })]), []);
  });

  test("have the name of the innermost phase, and their place where there is none", () => {
    const phase = (kind: Phase["kind"], name: string, startUs: number, endUs: number): Phase => ({
      kind,
      name,
      startUs,
      durationUs: endUs - startUs,
    });
    const phases = [
      phase("event-loop", "event loop", 0, 3),
      phase("middleware", "auth", 5, 95),
      phase("parsing", "parsing", 8, 10),
      phase("handler", "handler", 12, 85),
      phase("sending", "sending", 95, 100),
    ];
    assert.deepEqual(short(phases), [
      ["event-loop", "event loop", 0, 3],
      ["before", "before the first call", 3, 5],
      ["middleware", "auth", 5, 8],
      ["parsing", "parsing", 8, 10],
      ["middleware", "auth", 10, 12],
      ["handler", "handler", 12, 20],
      ["handler", "handler", 40, 60],
      ["handler", "handler", 80, 85],
      ["middleware", "auth", 85, 95],
      ["sending", "sending", 95, 100],
    ]);
  });
});

describe("outsideSums", () => {
  test("is the time of each name, in the order of the first part", () => {
    const part = (name: string, startUs: number, endUs: number) =>
      ({ kind: "middleware", name, startUs, endUs }) as const;
    assert.deepEqual(outsideSums([part("log", 0, 5), part("auth", 5, 6), part("log", 90, 92)]), [
      { kind: "middleware", name: "log", us: 7 },
      { kind: "middleware", name: "auth", us: 1 },
    ]);
  });
});
