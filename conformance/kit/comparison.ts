/**
 * Two values that should be equal and are not, as a person reads them: expected beside seen, and where they are tables,
 * row by row.
 *
 *   { "/users/%zz": 500, "/users/%": 400 }     ✗ /users/%zz   expected 400   seen 500
 *   { "/users/%zz": 400, "/users/%": 400 }     ✓ /users/%
 */
import { isDeepStrictEqual } from "node:util";
import type { Exchange } from "./exchange.ts";

/** One row of a table that was compared. */
export interface Row {
  readonly name: string;
  readonly held: boolean;
  readonly expected: string;
  readonly seen: string;
}

/** What was compared; `rows` is empty where it is no table. */
export interface Comparison {
  readonly what: string;
  readonly expected: string;
  readonly seen: string;
  readonly rows: readonly Row[];
}

/** A comparison, and which of the exchanges that were read it failed on. */
export interface Compared {
  readonly comparison: Comparison;
  readonly failed: readonly Exchange[];
}

/**
 * Compares what is not equal. A record with the same keys on both sides is a table, and so is a list with one item for
 * each exchange that was read for it: its rows go by those exchanges.
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

/** Keys of the rows and what they are called; none where the values are no table. */
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
