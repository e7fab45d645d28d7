/**
 * Fields: headers, queries and their like in a trace, each name with all of its values.
 *
 * Spec: spec/trace.md (TRACE)
 */
import { REDACTED } from "../wire.ts";
import type { Redactor } from "./redact.ts";
import type { Snapshotter } from "./snapshot.ts";

/** Values by name. */
export type Fields = Record<string, string[]>;

/** Adds a header by its name in lower case; the value of one that is secret is hidden here and wherever else it stands. */
export function addHeader(
  shown: Fields,
  name: string,
  value: string,
  { redactor, snapshots }: { readonly redactor: Redactor; readonly snapshots: Snapshotter },
): void {
  const key = name.toLowerCase();
  const isSecret = redactor.hidesHeader(key, value);
  if (isSecret && key.endsWith("cookie")) redactor.secrets?.addCookies(value);
  else if (isSecret) redactor.remember(value);
  addField(shown, key, isSecret ? REDACTED : snapshots.text(value));
}

/** Adds a value; a field of Object.prototype's names (`constructor`, `__proto__`) is one like any other. */
export function addField(fields: Fields, key: string, value: string): void {
  if (!(key in fields)) fields[key] = [value];
  else if (Object.hasOwn(fields, key)) fields[key]?.push(value);
  else Object.defineProperty(fields, key, { value: [value], enumerable: true, configurable: true, writable: true });
}

/** What fields take in memory. */
export function sizeOfFields(fields: { readonly [key: string]: readonly string[] }): number {
  let size = 0;
  for (const key of Object.keys(fields)) {
    size += 64 + key.length;
    for (const value of fields[key] ?? []) size += 32 + value.length;
  }
  return size;
}
