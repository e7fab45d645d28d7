/**
 * The stored data of __plural__, and the data that clients may send.
 */
import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";

const sent = Type.Object({ id: Type.String(), name: Type.String() });
const fields = Type.Object({ name: Type.String({ maxLength: 200, pattern: "\\S" }) }, { additionalProperties: false });

/** One in a response. */
export const __variable__Schema = Compile(sent);
export const __variable__List = Compile(Type.Array(sent));
export type __Type__ = Readonly<Static<typeof sent>>;

/** The body of a request: the fields that a client sets. */
export const __variable__Input = Compile(fields);
export type __Type__Input = Static<typeof fields>;
