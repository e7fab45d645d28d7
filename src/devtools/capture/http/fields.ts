/**
 * Fields: headers, queries and the like in a trace, each name with all of its values.
 *
 * Spec: spec/trace.md
 */
import type { Context } from "framework";
import { REDACTED } from "../../run/wire.ts";
import type { Redactor } from "../redact.ts";
import { hasParams } from "./shown-paths.ts";
import type { Snapshotter } from "../snapshot.ts";

/** Values by name. */
export type Fields = Record<string, string[]>;

/** A name and a value. */
export type Pair = readonly [name: string, value: string];

/** The tools to show fields. */
export interface FieldTools {
  readonly redactor: Redactor;
  readonly snapshots: Snapshotter;
}

const noPairs: readonly Pair[] = [];

/** The current path parameters of a request. */
export function paramsOf(ctx: Context): readonly Pair[] {
  const { route } = ctx;
  if (route !== undefined && !hasParams(route)) return noPairs;
  try {
    return Object.entries(ctx.params);
  } catch {
    return noPairs;
  }
}

/** The current parameters of a request's query, empty if it cannot be read. */
export function queryOf(ctx: Context): readonly Pair[] {
  if (ctx.search === "") return noPairs;
  try {
    return Object.entries(ctx.query).flatMap(([name, values]) => values.map((value): Pair => [name, value]));
  } catch {
    return noPairs;
  }
}

/** Path parameters in their shown form. */
export function shownParams(params: readonly Pair[], tools: FieldTools): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [key, value] of params) shown[key] = shownValue(key, value, tools);
  return shown;
}

/** Parameters of a query in their shown form. */
export function shownQuery(query: readonly Pair[], tools: FieldTools): Fields {
  const shown: Fields = {};
  for (const [key, value] of query) addField(shown, key, shownValue(key, value, tools));
  return shown;
}

function shownValue(key: string, value: string, { redactor, snapshots }: FieldTools): string {
  if (!redactor.hides(key, value)) return snapshots.text(value);
  redactor.remember(value);
  return REDACTED;
}

/** Adds a header by its name in lower case. The value of a secret one is hidden here and everywhere else. */
export function addHeader(shown: Fields, name: string, value: string, { redactor, snapshots }: FieldTools): void {
  const key = name.toLowerCase();
  const isSecret = redactor.hidesHeader(key, value);
  if (isSecret && key.endsWith("cookie")) redactor.secrets?.addCookies(value);
  else if (isSecret) redactor.remember(value);
  addField(shown, key, isSecret ? REDACTED : snapshots.text(value));
}

/** Adds a value. A name of Object.prototype (`constructor`, `__proto__`) is an ordinary field. */
export function addField(fields: Fields, key: string, value: string): void {
  if (!(key in fields)) fields[key] = [value];
  else if (Object.hasOwn(fields, key)) fields[key]?.push(value);
  else Object.defineProperty(fields, key, { value: [value], enumerable: true, configurable: true, writable: true });
}

/** The memory of fields. */
export function sizeOfFields(fields: { readonly [key: string]: readonly string[] }): number {
  let size = 0;
  for (const key of Object.keys(fields)) {
    size += 64 + key.length;
    for (const value of fields[key] ?? []) size += 32 + value.length;
  }
  return size;
}
