/**
 * Forms: patterns and records that several shapes share.
 */
import { Type, type Static, type TSchema, type TUnsafe } from "typebox";

/** Requirements for the names of a record. */
interface Names {
  readonly pattern?: string;
  readonly minLength?: number;
}

/**
 * A record with arbitrary names and values of one shape. Type.Record would not check a value if its name does not match the
 * pattern.
 */
export function recordOf<T extends TSchema>(value: T, names?: Names): TUnsafe<Record<string, Static<T>>> {
  const bounds = names === undefined ? {} : { propertyNames: names };
  return Type.Unsafe<Record<string, Static<T>>>({ type: "object", ...bounds, additionalProperties: value });
}

/** A time in ISO 8601 (RFC 3339), in UTC and with milliseconds. A leap second is allowed. */
export const utcTime =
  "^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)\\.[0-9]{3}Z$";

/** This number of hexadecimal digits, not all zero. It uses no lookahead, since some validators do not support it. */
const hexadecimal = (digits: number) => ({ pattern: `^[0-9a-f]{${digits}}$`, not: { const: "0".repeat(digits) } });

/** A trace id of W3C Trace Context. */
export const traceIdForm = hexadecimal(32);

/** A span id of W3C Trace Context. */
export const spanIdForm = hexadecimal(16);

/** A process of the application. */
export const instance = "^[A-Za-z0-9-]{1,64}$";

/** `<instance>.<sequence>`: a run. */
export const runKey = "^[A-Za-z0-9-]{1,64}\\.[1-9][0-9]{0,15}$";

/** A commit of git. */
export const commit = "^(?:[0-9a-f]{40}|[0-9a-f]{64})$";

/** An id that a client may give a request. */
export const correlationId = "^[A-Za-z0-9._-]{1,128}$";

/** A JSON pointer (RFC 6901). */
export const jsonPointer = "^(?:/(?:[^~/]|~[01])*)*$";

/** A path, or the pattern of one. */
export const path = "^/";
