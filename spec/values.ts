/**
 * Values: any JSON, as several shapes hold it.
 *
 * Spec: trace.md, "Values that JSON lacks"
 */
import { Type } from "typebox";

/** A JSON value, to the compiler; `{}` as a schema, which takes every one. */
type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Any JSON value. */
export const Json = Type.Unsafe<JsonValue>(Type.Unknown());

/** Any JSON object. */
export const JsonObject = Type.Unsafe<{ readonly [key: string]: JsonValue }>({ type: "object" });
