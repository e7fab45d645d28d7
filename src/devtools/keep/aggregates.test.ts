/** Statistics of runs, compared with sums made the long way. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { documentOf } from "../run/search/document.ts";
import { callOf, runOf } from "../run/search/runs.testkit.ts";
import type { Trace } from "../run/shapes.ts";
import { aggregatesOf } from "./aggregates.ts";
import { traceKey } from "../run/format.ts";

const kept = (runs: readonly Trace[]) => runs.map((run) => ({ key: traceKey(run), document: documentOf(run) }));

describe("aggregatesOf", () => {
  it("HISTORY-014: counts by route and by bean, with percentiles that occurred", () => {
    const runs = [
      runOf({
        sequence: 5,
        durationUs: 50,
        status: 500,
        calls: [callOf(0, "B", "x", { durationUs: 5, error: { name: "E", message: "" } })],
      }),
      runOf({
        sequence: 4,
        durationUs: 40,
        calls: [
          callOf(0, "A", "x", { durationUs: 9 }),
          callOf(1, "B", "x", { durationUs: null }),
          callOf(2, "A", "y", { durationUs: 3 }),
        ],
      }),
      runOf({ sequence: 3, durationUs: 10, aborted: true, status: 499 }),
      runOf({ sequence: 2, route: null, status: 404, startedAt: 7 }),
      runOf({ sequence: 1, kind: "background", method: "RUN", path: "warm", route: null }),
    ];
    const times = { p50Us: 12_000, p95Us: 12_000, maxUs: 12_000 };
    assert.deepEqual(aggregatesOf(kept(runs)), {
      count: 5,
      since: 7,
      routes: [
        {
          kind: "request",
          method: "GET",
          route: null,
          count: 1,
          errors: 0,
          aborted: 0,
          ...times,
          runs: ["b7a1.2"],
          slowest: "b7a1.2",
        },
        {
          kind: "request",
          method: "GET",
          route: "/orders/{id}",
          count: 3,
          errors: 1,
          aborted: 1,
          p50Us: 40,
          p95Us: 50,
          maxUs: 50,
          runs: ["b7a1.5", "b7a1.4", "b7a1.3"],
          slowest: "b7a1.5",
        },
        {
          kind: "background",
          method: "RUN",
          route: "warm",
          count: 1,
          errors: 0,
          aborted: 0,
          ...times,
          runs: ["b7a1.1"],
          slowest: "b7a1.1",
        },
      ],
      beans: [
        { bean: "A", calls: 2, errors: 0, p50Us: 3, p95Us: 9, maxUs: 9, count: 1, runs: ["b7a1.4"] },
        { bean: "B", calls: 2, errors: 1, p50Us: 5, p95Us: 5, maxUs: 5, count: 2, runs: ["b7a1.5", "b7a1.4"] },
      ],
    });
  });

  it("HISTORY-014: names the newest 20 runs of each route and of each bean, and counts all", () => {
    const runs = Array.from({ length: 21 }, (_, at) =>
      runOf({ sequence: 21 - at, calls: [callOf(0, "A", "x"), callOf(1, "A", "y")] }),
    );
    const newest = Array.from({ length: 20 }, (_, at) => `b7a1.${21 - at}`);
    const { routes, beans } = aggregatesOf(kept(runs));
    assert.deepEqual(
      [routes.map(({ count, runs: named }) => [count, named]), beans.map(({ count, runs: named }) => [count, named])],
      [[[21, newest]], [[21, newest]]],
    );
  });

  it("HISTORY-014: has requests before other kinds, then routes and methods by code unit, and beans likewise", () => {
    const calls = ["b", "C", "a", "B"].map((bean, id) => callOf(id, bean, "x"));
    const runs = [
      runOf({ kind: "background", method: "RUN", path: "a", route: null, calls }),
      runOf({ method: "POST", route: "/b" }),
      runOf({ method: "GET", route: "/b" }),
      runOf({ method: "PUT", route: "/b" }),
      runOf({ method: "GET", route: "/a" }),
      runOf({ method: "GET", route: null }),
      runOf({ method: "GET", route: "/Z" }),
      runOf({ kind: "background", method: "RUN", path: "/0", route: null }),
    ];
    const { routes, beans } = aggregatesOf(kept(runs.map((run, at) => ({ ...run, sequence: 9 - at }))));
    assert.deepEqual(
      routes.map(({ kind, method, route }) => `${kind} ${method} ${route}`),
      [
        "request GET null",
        "request GET /Z",
        "request GET /a",
        "request GET /b",
        "request POST /b",
        "request PUT /b",
        "background RUN /0",
        "background RUN a",
      ],
    );
    assert.deepEqual(
      beans.map(({ bean }) => bean),
      ["B", "C", "a", "b"],
    );
  });

  it("is empty without runs", () => {
    assert.deepEqual(aggregatesOf([]), { count: 0, since: null, routes: [], beans: [] });
  });

  it("has at least half of the times at or below the median, and 95 % at or below p95", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 60 }), (durations) => {
        const { routes } = aggregatesOf(
          kept(durations.map((durationUs, at) => runOf({ sequence: at + 1, durationUs }))),
        );
        const [{ p50Us, p95Us, maxUs, runs, slowest } = assert.fail()] = routes;
        const share = (most: number): number => durations.filter((one) => one <= most).length / durations.length;
        assert.ok(share(p50Us) >= 0.5 && share(p50Us - 1) < 0.5 && share(p95Us) >= 0.95 && share(p95Us - 1) < 0.95);
        assert.deepEqual([maxUs, runs.length], [Math.max(...durations), Math.min(20, durations.length)]);
        assert.equal(slowest, `b7a1.${durations.indexOf(maxUs) + 1}`);
      }),
      { numRuns: 300 },
    );
  });
});
