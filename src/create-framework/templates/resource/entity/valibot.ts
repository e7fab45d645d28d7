/**
 * What is kept of __plural__, and what clients may say of one.
 */
import * as v from "valibot";

export interface __Type__ {
  readonly id: string;
  readonly name: string;
}

/** The body of a request: what a client sets. */
export const __variable__Input = v.strictObject({
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200)),
});
export type __Type__Input = v.InferOutput<typeof __variable__Input>;
