/** Finds the run to compare a failed one with. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Trace } from "../shapes.ts";
import { traceOf } from "../traces.testkit.ts";
import { isBefore, lastGood } from "./last-good.ts";

describe("isBefore", () => {
  it("goes by the number within a process, and by time between two", () => {
    const place = { instance: "a", sequence: 2, startedAt: 5 };
    const others = [
      { ...place, sequence: 3, startedAt: 1 },
      { ...place, sequence: 1, startedAt: 9 },
      place,
      { instance: "b", sequence: 1, startedAt: 6 },
      { instance: "b", sequence: 9, startedAt: 4 },
      { ...place, instance: "b" },
    ];
    assert.deepEqual(
      others.map((other) => isBefore(place, other)),
      [true, false, false, true, false, false],
    );
  });
});

describe("lastGood", () => {
  const runOf = (sequence: number, more: Partial<Trace> = {}): Trace =>
    traceOf([], { sequence, startedAt: sequence, route: "/orders/{id}", path: "/orders/7", ...more });
  const failed = runOf(9, { status: 500 });
  const found = (...runs: readonly Trace[]): number | undefined => lastGood(runs, failed)?.sequence;

  it("is the last run of the same request that worked, in any order of runs", () => {
    assert.equal(found(runOf(3), runOf(8), runOf(5), failed), 8);
  });

  it("is not a later run, or a run of another path, query or body", () => {
    const { request } = failed;
    const others = [
      runOf(10),
      runOf(1, { path: "/orders/8" }),
      runOf(2, { method: "PUT" }),
      runOf(3, { request: { ...request, query: { page: ["2"] } } }),
      runOf(4, { request: { ...request, body: { id: 1 } } }),
      runOf(5, { route: null }),
    ];
    const worked = runOf(9);
    assert.equal(lastGood(others, worked), undefined);
    assert.equal(found(...others.filter(({ route, method }) => route === null || method === "PUT")), undefined);
  });

  it("is for a run that failed also the last run of its route that worked, if the same request never did", () => {
    const other = (sequence: number): Trace => runOf(sequence, { path: `/orders/${sequence}` });
    assert.equal(found(other(5), other(6)), 6);
    assert.equal(found(other(6), runOf(3)), 3);
    assert.equal(found(other(10), runOf(4, { path: "/orders/1", status: 404 })), undefined);
  });

  it("is not a replay, a failed run, or one that broke its contract or was left by its client", () => {
    const error = { name: "Error", message: "no" };
    const replayOf = { instance: "a", sequence: 1, beans: ["A"], notes: [], ended: null };
    const others = [
      runOf(1, { status: 404 }),
      runOf(2, { error }),
      runOf(3, { contractIssues: [{ pointer: "", message: "no" }] }),
      runOf(4, { aborted: true }),
      runOf(5, { replayOf }),
    ];
    assert.equal(found(...others), undefined);
  });

  it("is a run of an earlier process rather than of the same one, because code changes between processes", () => {
    assert.equal(found(runOf(8), runOf(2, { instance: "earlier" }), runOf(1, { instance: "earlier" })), 2);
  });
});
