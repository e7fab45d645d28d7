/**
 * The structural difference of two JSON values, by path. Pure.
 *
 *   before, after ──▶ number every distinct subtree ──▶ walk where numbers differ ──▶ changed | added | removed
 *
 * Arrays of objects are aligned by their unique `id`s, other arrays by their longest common subsequence
 * (diff-align.ts). Items in the same gap on both sides are compared one by one. Equal subtrees have equal
 * numbers and are never entered, so the cost depends on the size of the two values and of their differences.
 */

import type { Json, JsonObject } from "../shapes.ts";
import { align, type Gap } from "./diff-align.ts";
import { isList, isObject } from "../values.ts";

/** One difference. `path` is a JSONPath into the newer value; for a removed value, into the older one. */
export type Difference =
  | { readonly path: string; readonly kind: "changed"; readonly before: Json; readonly after: Json }
  | { readonly path: string; readonly kind: "added"; readonly after: Json }
  | { readonly path: string; readonly kind: "removed"; readonly before: Json };

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Every difference, in the order of the newer value. Empty when the two are equal, in any key order. */
export function diffJson(before: Json, after: Json): Difference[] {
  const found: Difference[] = [];
  compare({ path: "$", oldPath: "$", before, after }, numbering(), found);
  return found;
}

/** Gives equal values equal numbers, in any order of their keys. */
export type Numbering = (value: Json) => number;

/** A fresh numbering, which visits every distinct subtree once. */
export function numbering(): Numbering {
  const numbers = new Map<string, number>();
  const seen = new WeakMap<object, number>();
  const numberOf = (key: string): number => {
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, numbers.size);
    return numbers.size - 1;
  };
  const number = (value: Json): number => {
    if (value === null || typeof value !== "object") return numberOf(`${typeof value} ${String(value)}`);
    const known = seen.get(value);
    if (known !== undefined) return known;
    const key = isList(value)
      ? `[${value.map(number).join()}`
      : `{${Object.keys(value)
          .sort()
          .map((name) => `${JSON.stringify(name)}:${number(value[name] ?? null)}`)
          .join()}`;
    const own = numberOf(key);
    seen.set(value, own);
    return own;
  };
  return number;
}

/** Two values to compare, each with its own path, since items before it may have come or gone. */
interface Pair<Value extends Json = Json> {
  readonly path: string;
  readonly oldPath: string;
  readonly before: Value;
  readonly after: Value;
}

function compare(pair: Pair, number: Numbering, found: Difference[]): void {
  const { path, before, after } = pair;
  if (number(before) === number(after)) return;
  if (isList(before) && isList(after)) return compareArrays({ ...pair, before, after }, number, found);
  if (isObject(before) && isObject(after)) return compareRecords({ ...pair, before, after }, number, found);
  found.push({ path, kind: "changed", before, after });
}

function compareRecords(
  { path, oldPath, before, after }: Pair<JsonObject>,
  number: Numbering,
  found: Difference[],
): void {
  for (const [key, value] of Object.entries(after)) {
    const step = memberStep(key);
    const old = own(before, key);
    if (old === undefined) found.push({ path: path + step, kind: "added", after: value });
    else compare({ path: path + step, oldPath: oldPath + step, before: old, after: value }, number, found);
  }
  for (const [key, value] of Object.entries(before))
    if (own(after, key) === undefined) found.push({ path: oldPath + memberStep(key), kind: "removed", before: value });
}

function compareArrays(pair: Pair<readonly Json[]>, number: Numbering, found: Difference[]): void {
  const { path, oldPath, before, after } = pair;
  const ids = [uniqueIds(before), uniqueIds(after)] as const;
  if (ids[0] !== undefined && ids[1] !== undefined) {
    const old = new Map(ids[0].map((id, i) => [id, { oldPath: `${oldPath}[${i}]`, before: before[i] ?? null }]));
    ids[1].forEach((id, i) => {
      const [at, now, then] = [`${path}[${i}]`, after[i] ?? null, old.get(id)];
      if (then === undefined) found.push({ path: at, kind: "added", after: now });
      else compare({ path: at, after: now, ...then }, number, found);
      old.delete(id);
    });
    for (const gone of old.values()) found.push({ path: gone.oldPath, kind: "removed", before: gone.before });
    return;
  }
  for (const gap of align(before.map(number), after.map(number))) compareGap(pair, gap, number, found);
}

/** Compares the items between two common items pairwise; the rest of the longer side is added or removed. */
function compareGap(
  { path, oldPath, before, after }: Pair<readonly Json[]>,
  { from, to, fromEnd, toEnd }: Gap,
  number: Numbering,
  found: Difference[],
): void {
  const common = Math.min(fromEnd - from, toEnd - to);
  after.slice(to, toEnd).forEach((value, i) => {
    const at = `${path}[${to + i}]`;
    const old = i < common ? before[from + i] : undefined;
    if (old === undefined) found.push({ path: at, kind: "added", after: value });
    else compare({ path: at, oldPath: `${oldPath}[${from + i}]`, before: old, after: value }, number, found);
  });
  before
    .slice(from + common, fromEnd)
    .forEach((value, i) => found.push({ path: `${oldPath}[${from + common + i}]`, kind: "removed", before: value }));
}

/** The `id` of every item, if all are objects and no two are the same. */
function uniqueIds(items: readonly Json[]): string[] | undefined {
  const ids: string[] = [];
  for (const item of items) {
    const id = isObject(item) ? own(item, "id") : undefined;
    if (typeof id !== "string" && typeof id !== "number") return undefined;
    ids.push(`${typeof id} ${id}`);
  }
  return new Set(ids).size === ids.length ? ids : undefined;
}

function own(record: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** A member's step of a JSONPath. */
export function memberStep(key: string): string {
  return IDENTIFIER.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
