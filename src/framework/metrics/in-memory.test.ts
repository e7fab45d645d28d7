import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Observation } from "./collector.ts";
import { InMemoryMetricsCollector } from "./in-memory.ts";

const users: Observation = { method: "GET", route: "/users/{id}", status: 200, durationSeconds: 0.02, aborted: false };

function collectorOf(...observations: Partial<Observation>[]): InMemoryMetricsCollector {
  const collector = new InMemoryMetricsCollector();
  for (const one of observations) collector.record({ ...users, ...one });
  return collector;
}

/** The snapshot's routes without their durations. */
function counts(collector: InMemoryMetricsCollector): unknown[] {
  return collector.snapshot().routes.map(({ durationSeconds: _, ...rest }) => rest);
}

describe("InMemoryMetricsCollector", () => {
  test("aggregates by method and route, sorted by route, then method", () => {
    const collector = collectorOf(
      {},
      { status: 500 },
      { status: 499, aborted: true },
      { method: "DELETE" },
      { route: null, status: 404 },
      { route: "/" },
    );
    assert.deepEqual(counts(collector), [
      { method: "GET", route: "/", count: 1, errors: 0, aborted: 0, statuses: { 200: 1 } },
      { method: "DELETE", route: "/users/{id}", count: 1, errors: 0, aborted: 0, statuses: { 200: 1 } },
      { method: "GET", route: "/users/{id}", count: 3, errors: 1, aborted: 1, statuses: { 200: 1, 499: 1, 500: 1 } },
      { method: "GET", route: "UNMATCHED", count: 1, errors: 0, aborted: 0, statuses: { 404: 1 } },
    ]);
  });

  test("sorts by route before method, for any order of arrival", () => {
    const names = (collector: InMemoryMetricsCollector): readonly string[] =>
      collector.snapshot().routes.map(({ method, route }) => `${method} ${route}`);
    const [delete1, get1, get2] = [{ method: "DELETE" }, { method: "GET" }, { method: "GET", route: "/a" }];
    const expected = ["GET /a", "DELETE /users/{id}", "GET /users/{id}"];
    assert.deepEqual(names(collectorOf(delete1, get1, get2)), expected);
    assert.deepEqual(names(collectorOf(get2, get1, delete1)), expected);
    assert.deepEqual(names(collectorOf(get2, delete1, get1)), expected);
  });

  test("summarises the durations of all statuses of a route", () => {
    const [route] = collectorOf({ durationSeconds: 0.01 }, { durationSeconds: 0.03, status: 404 }).snapshot().routes;
    const { sum, min, max, mean, buckets } = route?.durationSeconds ?? assert.fail("no route");
    assert.deepEqual({ sum, min, max, mean }, { sum: 0.04, min: 0.01, max: 0.03, mean: 0.02 });
    assert.deepEqual(buckets.at(-1), { le: null, count: 2 });
  });

  test("gives a snapshot that later requests do not change", () => {
    const collector = collectorOf({});
    const before = collector.snapshot();
    const copy = structuredClone(before);
    collector.record(users);
    assert.deepEqual(before, copy);
    assert.notDeepEqual(collector.snapshot(), copy);
  });

  test("forgets on reset, except requests in flight", () => {
    const collector = collectorOf({});
    collector.started();
    const { since } = collector.snapshot();
    collector.reset();
    const after = collector.snapshot();
    assert.deepEqual([after.routes, after.activeRequests, after.since >= since], [[], 1, true]);
  });

  test("counts a request as active from started to record, and never below zero", () => {
    const collector = new InMemoryMetricsCollector();
    const active: number[] = [];
    const note = (): void => void active.push(collector.snapshot().activeRequests);
    collector.started();
    collector.started();
    note();
    collector.record(users);
    note();
    collector.record(users);
    collector.record(users);
    note();
    assert.deepEqual(active, [2, 1, 0]);
  });

  test("counts everything new under _OTHER OVERFLOW when 10,000 series exist", () => {
    const collector = collectorOf(...Array.from({ length: 10_005 }, (_, index) => ({ route: `/r${index}` })), {
      route: "/r0",
    });
    const routes = counts(collector);
    assert.equal(routes.length, 10_001);
    assert.deepEqual(routes[0], { method: "GET", route: "/r0", count: 2, errors: 0, aborted: 0, statuses: { 200: 2 } });
    assert.deepEqual(routes.at(-1), {
      method: "_OTHER",
      route: "OVERFLOW",
      count: 5,
      errors: 0,
      aborted: 0,
      statuses: { 200: 5 },
    });
  });

  test("counts a new status of a known route under OVERFLOW when it is full", () => {
    const collector = new InMemoryMetricsCollector({ maxSeries: 1 });
    collector.record(users);
    collector.record({ ...users, status: 503 });
    assert.deepEqual(counts(collector), [
      { method: "GET", route: "/users/{id}", count: 1, errors: 0, aborted: 0, statuses: { 200: 1 } },
      { method: "_OTHER", route: "OVERFLOW", count: 1, errors: 1, aborted: 0, statuses: { 503: 1 } },
    ]);
  });

  test("keeps routes named like members of Object apart", () => {
    const collector = collectorOf({ route: "__proto__" }, { route: "constructor" });
    assert.equal(counts(collector).length, 2);
    assert.equal(Object.hasOwn(Object.prototype, "count"), false);
  });

  for (const maxSeries of [0, -1, 1.5, NaN]) {
    test(`rejects maxSeries ${maxSeries}`, () => {
      assert.throws(
        () => new InMemoryMetricsCollector({ maxSeries }),
        /maxSeries is .*an integer of at least 1 is allowed/,
      );
    });
  }
});
