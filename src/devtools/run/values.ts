/**
 * Values of JSON, of storage, of a file: guards for them, and ways to read them. Pure.
 */
import type { Json, JsonObject } from "./shapes.ts";

/** The value of a JSON text, or undefined if it is not JSON. */
export function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** A text unchanged, anything else as JSON. */
export const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The keys of a JSON Pointer. */
export const keysOf = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));

/** Whether it is a text. */
export const isText = (value: unknown): value is string => typeof value === "string";
/** Whether it is a number that JSON has. */
export const isNumber = (value: unknown): value is number => Number.isFinite(value);
/** Whether it is true or false. */
export const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
/** Whether it is a list of texts. */
export const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
/** Whether it has members and is not a list. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** Whether it is a JSON object, not a list. */
export const isObject = (value: Json | undefined): value is JsonObject => isRecord(value);
/** Whether it is a JSON list. */
export const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

/** Percent-decoded once; unchanged if it is malformed. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Items by a key, in their order. */
export function groupBy<K, T>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
