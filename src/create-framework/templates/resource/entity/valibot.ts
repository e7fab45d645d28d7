/**
 * The stored data of __plural__, and the data that clients may send.
 */
import * as v from "valibot";

/** One in a response. */
export const __variable__Schema = v.object({ id: v.string(), name: v.string() });
export const __variable__List = v.array(__variable__Schema);
export type __Type__ = Readonly<v.InferOutput<typeof __variable__Schema>>;

/** The body of a request: the fields that a client sets. */
export const __variable__Input = v.strictObject({
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200)),
});
export type __Type__Input = v.InferOutput<typeof __variable__Input>;
