/**
 * The comparison of two different values for a reader: expected next to actual, and row by row for tables.
 *
 *   { "/users/%zz": 500, "/users/%": 400 }     ✗ /users/%zz   expected 400   seen 500
 *   { "/users/%zz": 400, "/users/%": 400 }     ✓ /users/%
 */
import { isDeepStrictEqual } from "node:util";
import type { Exchange } from "./exchange.ts";

/** One row of a compared table. */
export interface Row {
  readonly name: string;
  readonly held: boolean;
  readonly expected: string;
  readonly seen: string;
}

/** The comparison; `rows` is empty if it is not a table. */
export interface Comparison {
  readonly what: string;
  readonly expected: string;
  readonly seen: string;
  readonly rows: readonly Row[];
}

/** A comparison, and the exchanges that it failed on. */
export interface Compared {
  readonly comparison: Comparison;
  readonly failed: readonly Exchange[];
}

/**
 * Compares unequal values. A record with the same keys on both sides is a table, and so is a list with one item for each
 * exchange that was read for it. Its rows follow these exchanges.
 */
export function compare(what: string, seen: unknown, expected: unknown, read: readonly Exchange[]): Compared {
  const names = rowNames(seen, expected, read);
  const rows = names.map(([key, name]): Row => {
    const [one, other] = [Reflect.get(Object(seen), key), Reflect.get(Object(expected), key)];
    return { name, held: isDeepStrictEqual(one, other), expected: show(other), seen: show(one) };
  });
  const comparison = { what, expected: show(expected), seen: show(seen), rows };
  return { comparison, failed: rows.length === read.length ? read.filter((_, at) => rows[at]?.held === false) : read };
}

/** A value as JSON. */
export function show(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}

/** The keys of the rows and their names, or none if the values are not a table. */
function rowNames(
  seen: unknown,
  expected: unknown,
  read: readonly Exchange[],
): readonly (readonly [key: string, name: string])[] {
  if (!isTable(seen) || !isTable(expected) || Array.isArray(seen) !== Array.isArray(expected)) return [];
  const keys = Object.keys(seen);
  if (keys.length < 2 || !isDeepStrictEqual(keys.toSorted(), Object.keys(expected).toSorted())) return [];
  if (!Array.isArray(seen)) return keys.map((key) => [key, key]);
  return keys.length === read.length
    ? read.map(({ sent: { method, target } }, at) => [String(at), `${method} ${target}`])
    : [];
}

function isTable(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
