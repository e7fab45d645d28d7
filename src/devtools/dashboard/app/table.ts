/**
 * Rows of sums, and their order. Pure.
 *
 *   Aggregates ──▶ a row a route, a row a bean ──▶ sorted by a column
 */

import type { Aggregates, BeanAggregate } from "../../run/shapes.ts";

/** A row of either table: the runs of a route, or the calls of a bean. */
export interface SumRow extends Pick<BeanAggregate, "errors" | "p50Us" | "p95Us" | "runs"> {
  readonly name: string;
  readonly count: number;
}

/** The column to sort by. */
export type Column = Exclude<keyof SumRow, "runs">;

/** The runs by route. Requests that no route took are one row. */
export const routeRows = ({ routes }: Aggregates): SumRow[] =>
  routes.map((one) => ({ ...one, name: `${one.method} ${one.route ?? "(no route)"}`.trim() }));

/** The calls by bean. */
export const beanRows = ({ beans }: Aggregates): SumRow[] =>
  beans.map((one) => ({ ...one, name: one.bean, count: one.calls }));

/** Names from A to Z, numbers from the largest, and equal ones by name. */
export function sorted(rows: readonly SumRow[], by: Column): SumRow[] {
  const byName = (a: SumRow, b: SumRow): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  return rows.toSorted((a, b) => (by === "name" ? 0 : b[by] - a[by]) || byName(a, b));
}
