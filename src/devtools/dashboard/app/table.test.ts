import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Aggregates } from "../../run/shapes.ts";
import { beanRows, routeRows, sorted, type Column } from "./table.ts";

const times = { p50Us: 5, p95Us: 9, maxUs: 10 };
const sums: Aggregates = {
  count: 4,
  since: 1,
  routes: [
    {
      kind: "request",
      method: "GET",
      route: "/b",
      count: 1,
      errors: 1,
      aborted: 0,
      ...times,
      runs: ["i.1"],
      slowest: "",
    },
    {
      kind: "request",
      method: "GET",
      route: "/a",
      count: 1,
      errors: 0,
      aborted: 0,
      ...times,
      p50Us: 7,
      runs: ["i.2"],
      slowest: "",
    },
    {
      kind: "request",
      method: "GET",
      route: null,
      count: 3,
      errors: 0,
      aborted: 0,
      ...times,
      p95Us: 8,
      runs: [],
      slowest: "",
    },
  ],
  beans: [{ bean: "Repo", calls: 6, errors: 2, ...times, count: 3, runs: ["i.3"] }],
};

describe("routeRows", () => {
  test("have a name each, those without a route too", () => {
    assert.deepEqual(
      routeRows(sums).map(({ name }) => name),
      ["GET /b", "GET /a", "GET (no route)"],
    );
  });
});

describe("beanRows", () => {
  test("count calls, and know their runs", () => {
    const [{ name, count, errors, runs } = assert.fail()] = beanRows(sums);
    assert.deepEqual({ name, count, errors, runs }, { name: "Repo", count: 6, errors: 2, runs: ["i.3"] });
  });
});

describe("sorted", () => {
  const orders: Readonly<Record<Column, readonly string[]>> = {
    name: ["GET (no route)", "GET /a", "GET /b"],
    count: ["GET (no route)", "GET /a", "GET /b"],
    errors: ["GET /b", "GET (no route)", "GET /a"],
    p50Us: ["GET /a", "GET (no route)", "GET /b"],
    p95Us: ["GET /a", "GET /b", "GET (no route)"],
  };
  for (const column of ["name", "count", "errors", "p50Us", "p95Us"] as const)
    test(`by ${column}, equal ones by name`, () => {
      assert.deepEqual(
        sorted(routeRows(sums), column).map(({ name }) => name),
        orders[column],
      );
    });
});
