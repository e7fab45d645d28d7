/**
 * The calls of a run as rows: own time, critical path, repeats and attempts.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Json } from "./shapes.ts";
import { timelineRows } from "./timeline-rows.ts";
import { callOf, traceOf } from "./traces.testkit.ts";

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
      [1, 2, 3].map((attempt) => [undefined, { attempt, attempts: 3 }]),
    );
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
