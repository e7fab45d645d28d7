/**
 * Values: any JSON, and shapes within shapes.
 *
 * Spec: trace.md (TRACE), "Values that JSON lacks"
 */
import { type Static, type TSchema, Type } from "typebox";

/** A JSON value, to the compiler; `{}` as a schema, which takes every one. */
type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Any JSON value. */
export const Json = Type.Unsafe<JsonValue>(Type.Unknown());

/** Any JSON object. */
export const JsonObject = Type.Unsafe<{ readonly [key: string]: JsonValue }>(Type.Object({}));

/** A shape of another chapter without its `$id`: in one validator an id is defined once, by its own chapter. */
export function within<T extends TSchema>(schema: T) {
  return Type.Unsafe<Static<T>>(Object.fromEntries(Object.entries(schema).filter(([key]) => key !== "$id")));
}
