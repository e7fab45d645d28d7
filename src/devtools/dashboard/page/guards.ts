/**
 * Type guards for values of JSON, of storage, of a file. Pure.
 */

import type { Json, JsonObject } from "../../run/shapes.ts";

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
