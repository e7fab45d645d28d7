/**
 * run-rows: the order of runs in the table, and their axis of time.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sqlOf, traceOf } from "../../run/traces.testkit.ts";
import type { Trace } from "../../run/shapes.ts";
import { axisOf, entryOf, orderAfter, placeOn, sortedRuns, type RunColumn } from "./run-rows.ts";

const run = (sequence: number, more: Partial<Trace>): Trace => traceOf([], { sequence, startedAt: sequence, ...more });
const runs = [
  run(1, {
    method: "PUT",
    path: "/b",
    status: 500,
    durationUs: 9_000,
    response: { headers: {}, body: null, bytes: 5 },
  }),
  run(2, { path: "/a", status: 200, durationUs: 100, response: { headers: {}, body: null, bytes: 50 } }),
  run(3, {
    path: "/a",
    status: 404,
    durationUs: 200,
    request: { pathParams: {}, query: { q: ["a b", "c"] }, headers: {}, body: null },
    response: { headers: {}, body: null, bytes: 0 },
    leaves: [sqlOf(0, null, "select 1", { durationUs: 7 }), sqlOf(1, null, "select 2", { startUs: 50, durationUs: 8 })],
  }),
];

describe("entryOf", () => {
  test("has the query, the end and the SQL of a run, and is the same for the same run", () => {
    const [, , last = run(0, {})] = runs;
    const { query, endedAt, sqlCount, sqlUs } = entryOf(last);
    assert.deepEqual([query, endedAt, sqlCount, sqlUs], ["q=a+b&q=c", 3.2, 2, 15]);
    assert.equal(entryOf(last), entryOf(last));
  });
});

describe("sortedRuns", () => {
  test("sorts by each column in both directions, and equal runs by their start, newest first", () => {
    const orders: Readonly<Record<RunColumn, string>> = {
      start: "321",
      method: "132",
      route: "132",
      status: "132",
      duration: "132",
      end: "132",
      sql: "321",
      sqlTime: "321",
      size: "213",
    };
    for (const [by, expected] of Object.entries(orders)) {
      const order = (isUp: boolean): string =>
        sortedRuns(runs.map(entryOf), { by: by as RunColumn, isUp })
          .map(({ trace }) => trace.sequence)
          .join("");
      assert.equal(order(false), expected, by);
      const up = by === "method" ? "321" : by.startsWith("sql") ? "213" : [...expected].toReversed().join("");
      assert.equal(order(true), up, `${by}, up`);
    }
  });
});

describe("sortedRuns by route", () => {
  test("follows the text that the column shows", () => {
    const paths = ["/orders", "/orders/1", "/caf%C3%A9", "/cafe"].map((path, i) => entryOf(run(i, { path })));
    const shown = sortedRuns(paths, { by: "route", isUp: true }).map(({ trace }) => trace.path);
    assert.deepEqual(shown, ["/cafe", "/caf%C3%A9", "/orders", "/orders/1"]);
  });
});

describe("orderAfter", () => {
  test("begins with the largest number and the first name, and turns at the second click", () => {
    const first = orderAfter({ by: "start", isUp: false }, "duration");
    assert.deepEqual(first, { by: "duration", isUp: false });
    assert.deepEqual(orderAfter(first, "duration"), { by: "duration", isUp: true });
    assert.deepEqual(orderAfter(first, "route"), { by: "route", isUp: true });
  });
});

describe("axisOf", () => {
  const at = (text: string): number => new Date(`2026-11-29T${text}`).getTime();
  const labels = (from: string, to: string): string[] | undefined =>
    axisOf([entryOf(run(1, { startedAt: at(from), durationUs: (at(to) - at(from)) * 1_000 }))], 230)?.marks.map(
      ({ label }) => label,
    );

  test("has at most six marks, as exact as their distance needs", () => {
    assert.deepEqual(labels("09:42:03.900", "09:42:08.100"), [":04", ":05", ":06", ":07", ":08"]);
    assert.deepEqual(labels("09:42:03.900", "09:42:04.250"), [":03.9", ":04.0", ":04.1", ":04.2"]);
    assert.deepEqual(labels("09:42:03.900", "09:42:03.904"), [":03.900", ":03.901", ":03.902", ":03.903", ":03.904"]);
    assert.deepEqual(labels("09:42:03.900", "09:47:03.000"), ["09:43", "09:44", "09:45", "09:46", "09:47"]);
    assert.deepEqual(labels("09:41:25.000", "09:42:35.000"), [":30", ":45", "09:42", ":15", ":30"]);
    assert.equal(axisOf([], 230), null);
  });

  test("places a time on it", () => {
    const axis = axisOf([entryOf(run(1, { startedAt: 1_000, durationUs: 4_000_000 }))], 230);
    assert.ok(axis);
    assert.deepEqual(
      [1_000, 2_000, 5_000].map((time) => placeOn(axis, time)),
      [0, 25, 100],
    );
  });
});
