/**
 * Rows of sums, and their order. Pure.
 *
 *   Aggregates ──▶ a row a route, a row a bean ──▶ sorted by a column
 */

import type { Aggregates } from "../../run/shapes.ts";

/** A row of either table. */
export interface SumRow {
  readonly name: string;
  /** Runs of a route; calls of a bean. */
  readonly count: number;
  readonly errors: number;
  readonly p50: number;
  readonly p95: number;
  /** Keys of its newest runs. */
  readonly runs: readonly string[];
}

/** The column to sort by. */
export type Column = "name" | "count" | "errors" | "p50" | "p95";

/** The runs by route. Requests that no route took are one row. */
export function routeRows({ routes }: Aggregates): SumRow[] {
  return routes.map(({ method, route, count, errors, p50Us, p95Us, runs }) => ({
    name: `${method} ${route ?? "(no route)"}`.trim(),
    count,
    errors,
    p50: p50Us,
    p95: p95Us,
    runs,
  }));
}

/** The calls by bean. */
export function beanRows({ beans }: Aggregates): SumRow[] {
  return beans.map(({ bean, calls, errors, p50Us, p95Us, runs }) => ({
    name: bean,
    count: calls,
    errors,
    p50: p50Us,
    p95: p95Us,
    runs,
  }));
}

/** Names from A to Z, numbers from the largest, and equal ones by name. */
export function sorted(rows: readonly SumRow[], by: Column): SumRow[] {
  const byName = (a: SumRow, b: SumRow): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  return rows.toSorted((a, b) => (by === "name" ? 0 : b[by] - a[by]) || byName(a, b));
}
