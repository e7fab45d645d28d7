/**
 * Forms: what texts and records have to look like in several shapes.
 */
import { Type, type Static, type TSchema, type TUnsafe } from "typebox";

/** What the names of a record have to be. */
interface Names {
  readonly pattern?: string;
  readonly minLength?: number;
}

/**
 * Members of names that a shape does not know, each of one shape. Type.Record would leave alone what stands under a name
 * that its pattern does not match.
 */
export function recordOf<T extends TSchema>(value: T, names?: Names): TUnsafe<Record<string, Static<T>>> {
  const bounds = names === undefined ? {} : { propertyNames: names };
  return Type.Unsafe<Record<string, Static<T>>>({ type: "object", ...bounds, additionalProperties: value });
}

/** A time as ISO 8601 (RFC 3339) writes it, in UTC and with milliseconds. A leap second is one. */
export const utcTime =
  "^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)\\.[0-9]{3}Z$";

/** So many hexadecimal digits that are not all zero, without a lookahead, which not every validator's patterns have. */
const hexadecimal = (digits: number) => ({ pattern: `^[0-9a-f]{${digits}}$`, not: { const: "0".repeat(digits) } });

/** The id of a trace, of W3C Trace Context. */
export const traceIdForm = hexadecimal(32);

/** The id of a span, of W3C Trace Context. */
export const spanIdForm = hexadecimal(16);

/** A process of the application. */
export const instance = "^[A-Za-z0-9-]{1,64}$";

/** `<instance>.<sequence>`: a run. */
export const runKey = "^[A-Za-z0-9-]{1,64}\\.[1-9][0-9]{0,15}$";

/** A commit of git. */
export const commit = "^(?:[0-9a-f]{40}|[0-9a-f]{64})$";

/** What a client may call a request by. */
export const correlationId = "^[A-Za-z0-9._-]{1,128}$";

/** A JSON pointer (RFC 6901). */
export const jsonPointer = "^(?:/(?:[^~/]|~[01])*)*$";

/** A path, or the pattern of one. */
export const path = "^/";
