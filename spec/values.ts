/**
 * Values: any JSON, as several shapes hold it.
 *
 * Spec: trace.md, "Values that JSON lacks"
 */
import { Type } from "typebox";

/** A JSON value, to the compiler; `{}` as a schema, which takes every one. */
type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** A JSON value; objects may be one of the forms of TaggedValue. */
export const Json = Type.Unsafe<JsonValue>(Type.Unknown());

/** A JSON object. Keys that start with `$` are ours (TaggedValue); a user's own such key is written with `$$`. */
export const JsonObject = Type.Unsafe<{ readonly [key: string]: JsonValue }>({ type: "object" });
