/**
 * What is kept of __plural__, and what clients may say of one.
 */
import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";

export interface __Type__ {
  readonly id: string;
  readonly name: string;
}

/** The body of a request: what a client sets. */
const fields = Type.Object({ name: Type.String({ maxLength: 200, pattern: "\\S" }) }, { additionalProperties: false });
export const __variable__Input = Compile(fields);
export type __Type__Input = Static<typeof fields>;
