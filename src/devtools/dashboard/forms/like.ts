/**
 * Whether a value looks like its schema, to find the event, row or message that broke its contract. Pure.
 *
 * Kinds, choices, limits and required members are compared. A keyword that is not known here rejects nothing.
 */

import type { Json, JsonObject } from "../../run/shapes.ts";
import { fieldOf, fits, listOf, objectOf } from "./schema.ts";

/** Deeper values are not looked at. */
const DEEPEST = 20;

/** Whether the value has the kinds, choices, limits and required members of the schema. */
export function isLike(root: JsonObject, schema: Json | undefined, value: Json | undefined, depth = 0): boolean {
  const field = fieldOf(root, schema);
  if (depth > DEEPEST) return true;
  if (value === undefined || !fits(field, value)) return false;
  const next = (of: Json | undefined, one: Json | undefined): boolean => isLike(root, of, one, depth + 1);
  if (field.kind === "variants") return field.variants.some((one) => next(one, value));
  if (field.kind === "list") return listOf(value).every((one) => next(field.item, one));
  const own = objectOf(value);
  if (field.kind === "object")
    return (
      field.required.every((name) => Object.hasOwn(own, String(name))) &&
      Object.entries(field.members).every(([name, of]) => !Object.hasOwn(own, name) || next(of, own[name]))
    );
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength } = field.schema;
  if (type === "object") return value === own;
  if (type === "array") return Array.isArray(value);
  if (typeof value === "string") {
    const { length } = Array.from(value);
    return !(length < limit(minLength) || length > limit(maxLength));
  }
  if (typeof value !== "number") return true;
  const isBelow = value < limit(minimum) || value <= limit(exclusiveMinimum);
  const isAbove = value > limit(maximum) || value >= limit(exclusiveMaximum);
  return !isBelow && !isAbove && (type !== "integer" || Number.isInteger(value));
}

/** A missing limit, which nothing is compared with. */
const limit = (value: Json | undefined): number => (typeof value === "number" ? value : Number.NaN);
