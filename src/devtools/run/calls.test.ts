/**
 * Self time, critical path and repeats of a run's calls.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Call, Json } from "./shapes.ts";
import {
  byParent,
  callerOf,
  coveredUs,
  endOf,
  repeatsOf,
  retriesOf,
  rootOf,
  threwHere,
  timelineRows,
} from "./calls.ts";
import { callOf, sqlOf, traceOf } from "./traces.testkit.ts";

describe("timelineRows", () => {
  test("subtracts overlapping children only once", () => {
    const calls = [
      callOf(0, null, "A", { startUs: 0, durationUs: 100 }),
      callOf(1, 0, "B", { startUs: 10, durationUs: 50 }),
      callOf(2, 0, "C", { startUs: 30, durationUs: 50 }),
    ];
    assert.deepEqual(
      timelineRows(traceOf(calls)).map((r) => r.selfUs),
      [30, 50, 50],
    );
  });

  test("finds the chain that bounds the end, without the calls that it hides", () => {
    const calls = [
      callOf(0, null, "A", { startUs: 0, durationUs: 100 }),
      callOf(1, 0, "B", { startUs: 5, durationUs: 20 }),
      callOf(2, 0, "C", { startUs: 30, durationUs: 60 }),
      callOf(3, 0, "D", { startUs: 30, durationUs: 40 }),
      callOf(4, 2, "E", { startUs: 40, durationUs: 45 }),
    ];
    assert.deepEqual(
      timelineRows(traceOf(calls)).map((r) => r.critical),
      [true, true, true, false, true],
    );
  });

  test("are in entry order, each with whether its error began in it", () => {
    const [error, other] = [
      { name: "E", message: "no" },
      { name: "E", message: "other" },
    ];
    const calls = [
      callOf(3, 0, "D", { error: other }),
      callOf(1, 0, "B", { error }),
      callOf(0, null, "A", { error }),
      callOf(2, 1, "C"),
    ];
    const rows = timelineRows(traceOf(calls));
    assert.deepEqual(
      rows.map(({ call, threw }) => `${call.bean} ${threw}`),
      ["A false", "B true", "C false", "D true"],
    );
    assert.equal(calls[0]?.bean, "D");
  });

  test("takes the later start of two calls with the same end, and continues where it began", () => {
    const calls = [
      callOf(0, null, "A", { startUs: 0, durationUs: 20 }),
      callOf(1, null, "B", { startUs: 20, durationUs: 70 }),
      callOf(2, null, "C", { startUs: 20, durationUs: 70 }),
      callOf(3, 2, "D", { startUs: 20, durationUs: 80 }),
      callOf(4, 2, "E", { startUs: 30, durationUs: 60 }),
    ];
    assert.deepEqual(
      timelineRows(traceOf(calls)).map((r) => r.critical),
      [true, false, true, false, true],
    );
  });

  test("keeps own time at zero or above, and counts a child no longer than its call", () => {
    const calls = [
      callOf(0, null, "A", { startUs: 10, durationUs: 20 }),
      callOf(1, 0, "B", { startUs: 0, durationUs: 15 }),
      callOf(2, 0, "C", { startUs: 25, durationUs: 50 }),
      callOf(3, 0, "D", { startUs: 60, durationUs: 5 }),
    ];
    assert.equal(timelineRows(traceOf(calls))[0]?.selfUs, 10);
  });

  test("compares calls by bean, method and arguments with complete values", () => {
    const args: Json[] = [{ a: null, b: [true, "x"], $class: "Money", name: "Proxy" }];
    const same = { args, method: "read", durationUs: null };
    const calls = [
      callOf(0, null, "A", same),
      callOf(1, null, "B", same),
      callOf(2, null, "A", { ...same, method: "write" }),
      callOf(3, null, "A", { ...same, args: [...args, 1] }),
      callOf(4, null, "A", same),
      callOf(5, null, "A", { ...same, durationUs: 7 }),
    ];
    assert.deepEqual(
      timelineRows(traceOf(calls)).map(({ repeat }) => repeat),
      [
        { index: 1, count: 3, repeatsUs: 7 },
        undefined,
        undefined,
        undefined,
        { index: 2, count: 3, repeatsUs: 7 },
        { index: 3, count: 3, repeatsUs: 7 },
      ],
    );
  });

  const error = { name: "E", message: "no" };
  /** Equal calls, each with whether it threw, when it began and for how long. */
  const equal = (...calls: readonly (readonly [threw: boolean, startUs: number, durationUs: number])[]) =>
    calls.map(([threw, startUs, durationUs], id) =>
      callOf(id, null, "A", { args: [1], startUs, durationUs, error: threw ? error : null }),
    );

  test("calls a call after one that threw a retry, not a repeat", () => {
    const rows = timelineRows(traceOf(equal([true, 0, 10], [true, 10, 20], [false, 40, 5])));
    assert.deepEqual(
      rows.map(({ repeat, retry }) => [repeat, retry]),
      [1, 2, 3].map((attempt) => [undefined, { attempt, attempts: 3, retriesUs: 25 }]),
    );
    assert.deepEqual(repeatsOf(rows), []);
  });

  test("calls an equal call after a successful retry a repeat, and one beside a call that threw too", () => {
    const again = timelineRows(traceOf(equal([true, 0, 10], [false, 10, 20], [false, 40, 5])));
    assert.deepEqual(
      again.map(({ repeat, retry }) => [repeat?.index, repeat?.count, repeat?.repeatsUs, retry?.attempt]),
      [
        [undefined, undefined, undefined, 1],
        [1, 2, 5, 2],
        [2, 2, 5, undefined],
      ],
    );
    const beside = timelineRows(traceOf(equal([true, 0, 10], [true, 5, 10])));
    assert.deepEqual(
      beside.map(({ repeat, retry }) => [repeat?.index, retry]),
      [
        [1, undefined],
        [2, undefined],
      ],
    );
  });

  test("flags the same call with the same arguments, with the time of the repeats", () => {
    const calls = [
      callOf(0, null, "A", { args: [1] }),
      callOf(1, null, "A", { args: [1], durationUs: 9 }),
      callOf(2, null, "A", { args: [2] }),
    ];
    assert.deepEqual(
      timelineRows(traceOf(calls)).map((r) => r.repeat),
      [{ index: 1, count: 2, repeatsUs: 9 }, { index: 2, count: 2, repeatsUs: 9 }, undefined],
    );
  });

  const partial: Readonly<Record<string, Json>> = {
    "a function": { $function: "done" },
    "a cut text": { $string: "abc", $truncated: 9 },
    "a cut list": [1, { $truncated: 9 }],
    "a hidden value": { password: "[redacted]" },
    "a text with a hidden part": "https://x?token=[redacted]",
    bytes: { $bytes: 9 },
    "a proxy": { $class: "Proxy" },
    "an object with private fields": { $class: "Money", $private: true },
    "a value that is no longer kept": { $evicted: true },
    ...Object.fromEntries(
      ["symbol", "stream", "thenable", "pending", "circular"].map((form) => [
        `a ${form} within`,
        { a: [{ [`$${form}`]: true }] },
      ]),
    ),
  };
  for (const [what, arg] of Object.entries(partial))
    test(`DASH-132: flags no similar calls with ${what}`, () => {
      const calls = [callOf(0, null, "A", { args: [arg] }), callOf(1, null, "A", { args: [arg] })];
      assert.deepEqual(
        timelineRows(traceOf(calls)).map((row) => row.repeat),
        [undefined, undefined],
      );
    });

  test("lets a pending call run to the end of the request", () => {
    const [row] = timelineRows(traceOf([callOf(0, null, "A", { startUs: 40, durationUs: null })]));
    assert.deepEqual([row?.totalUs, row?.selfUs], [null, 60]);
  });
});

describe("rootOf", () => {
  test("DASH-055: has the time before the first call, and the time without a running call", () => {
    const calls = [
      callOf(0, null, "A", { startUs: 20, durationUs: 30 }),
      callOf(1, null, "B", { startUs: 40, durationUs: 20 }),
    ];
    assert.deepEqual(rootOf(traceOf(calls)), { selfUs: 60, firstUs: 20 });
    const inner = callOf(2, 1, "C", { startUs: 10, durationUs: 85 });
    assert.deepEqual(rootOf(traceOf([...calls, inner])), { selfUs: 60, firstUs: 10 });
    assert.deepEqual(rootOf(traceOf([])), { selfUs: 100, firstUs: 100 });
  });
});

describe("repeatsOf", () => {
  test("names each repeated call once, the longest first", () => {
    const calls = [
      callOf(0, null, "A", { args: [1] }),
      callOf(1, null, "A", { args: [1], durationUs: 9 }),
      callOf(2, null, "B", { args: [] }),
      callOf(3, null, "B", { args: [], durationUs: 40 }),
      callOf(4, null, "B", { args: [], durationUs: 2 }),
      callOf(5, null, "A", { args: [2] }),
    ];
    assert.deepEqual(repeatsOf(timelineRows(traceOf(calls))), [
      { bean: "B", method: "run", count: 3, repeatsUs: 42 },
      { bean: "A", method: "run", count: 2, repeatsUs: 9 },
    ]);
  });
});

describe("retriesOf", () => {
  test("names each call that was tried again once, the longest first, and whether it failed in the end", () => {
    const error = { name: "E", message: "no" };
    const calls = [
      callOf(0, null, "A", { args: [1], startUs: 0, error }),
      callOf(1, null, "A", { args: [1], startUs: 10 }),
      callOf(2, null, "B", { args: [1], startUs: 20, error }),
      callOf(3, null, "B", { args: [1], startUs: 30, durationUs: 9, error }),
      callOf(4, null, "C", { args: [1], startUs: 50, error }),
    ];
    assert.deepEqual(retriesOf(timelineRows(traceOf(calls))), [
      { bean: "B", method: "run", attempts: 2, retriesUs: 9, failed: true },
      { bean: "A", method: "run", attempts: 2, retriesUs: 5, failed: false },
    ]);
  });
});

describe("byParent, callerOf", () => {
  test("finds the calls below a call, and the call around it", () => {
    const calls = [callOf(0, null, "A"), callOf(1, 0, "B"), callOf(2, 0, "C")];
    const [a, b, c] = calls;
    assert.deepEqual(
      [...byParent(calls)],
      [
        [null, [a]],
        [0, [b, c]],
      ],
    );
    const byId = new Map(calls.map((call) => [call.id, call]));
    assert.deepEqual(
      [1, 9, null].map((parentId) => callerOf(sqlOf(0, parentId, "select 1"), byId)),
      [b, undefined, undefined],
    );
  });
});

describe("endOf", () => {
  test("is the run's end for a call that had not settled, and never before the call began", () => {
    const ends = [
      { startUs: 3, durationUs: 4 },
      { startUs: 3, durationUs: null },
      { startUs: 120, durationUs: null },
    ];
    assert.deepEqual(
      ends.map((times) => endOf(callOf(0, null, "A", times), traceOf([]))),
      [7, 100, 120],
    );
  });
});

describe("coveredUs", () => {
  test("counts overlaps once, in any order, between two times", () => {
    const spans = [
      { startUs: 50, endUs: 60 },
      { startUs: 0, endUs: 20 },
      { startUs: 5, endUs: 10 },
      { startUs: 15, endUs: 30 },
    ];
    const end = ({ endUs }: { endUs: number }): number => endUs;
    assert.deepEqual(
      [coveredUs(spans, end, 100), coveredUs(spans, end, 55, 8), coveredUs(spans, end, 0), coveredUs([], end, 9)],
      [40, 27, 0, 0],
    );
  });
});

describe("threwHere", () => {
  const error = { name: "E", message: "no" };
  const call = callOf(0, null, "A", { error });
  const below: Readonly<Record<string, readonly [Partial<Call>, boolean]>> = {
    "the same error": [{ error: { ...error } }, false],
    "another name": [{ error: { ...error, name: "F" } }, true],
    "another message": [{ error: { ...error, message: "yes" } }, true],
    "no error": [{}, true],
    "the same error of a call that it did not make": [{ error, parentId: 7 }, true],
  };
  for (const [what, [more, expected]] of Object.entries(below))
    test(`is ${expected} with ${what} below`, () =>
      assert.equal(threwHere(call, [callOf(1, 0, "C"), callOf(2, 0, "B", more)]), expected));
  test("is false without an error", () => assert.equal(threwHere(callOf(0, null, "A"), []), false));
});
