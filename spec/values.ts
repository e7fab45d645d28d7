/**
 * Values: any JSON, for several shapes.
 *
 * Spec: trace.md, "Values that JSON lacks"
 */
import { Type } from "typebox";

/** A JSON value as a type. As a schema it is `{}`, which accepts every value. */
type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** A JSON value. An object may be one of the forms of TaggedValue. */
export const Json = Type.Unsafe<JsonValue>(Type.Unknown());

/** A JSON object. Keys that start with `$` are ours (TaggedValue). A user's own such key is written with `$$`. */
export const JsonObject = Type.Unsafe<{ readonly [key: string]: JsonValue }>({ type: "object" });
