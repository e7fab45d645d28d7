/**
 * What a value is: of JSON, of storage, of a file. Pure.
 */

import type { Json, JsonObject } from "../../run/shapes.ts";

/** The value of a JSON text; undefined where it is none. */
export function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** A text as it is, anything else as JSON. */
export const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The keys of a JSON Pointer. */
export const keysOf = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));

/** Is it a text? */
export const isText = (value: unknown): value is string => typeof value === "string";
/** Is it a number that JSON has? */
export const isNumber = (value: unknown): value is number => Number.isFinite(value);
/** Is it true or false? */
export const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
/** Is it a list of texts? */
export const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
/** Does it have members, and is it no list? */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** Is it an object of JSON, no list? */
export const isObject = (value: Json | undefined): value is JsonObject => isRecord(value);
