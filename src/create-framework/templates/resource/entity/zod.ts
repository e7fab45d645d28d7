/**
 * The stored data of __plural__, and the data that clients may send.
 */
import { z } from "zod";

/** One in a response. `meta` names it in the OpenAPI document. */
export const __variable__Schema = z.object({ id: z.string(), name: z.string() }).meta({ id: "__Type__" });
export const __variable__List = z.array(__variable__Schema);
export type __Type__ = Readonly<z.infer<typeof __variable__Schema>>;

/** The body of a request: the fields that a client sets. */
export const __variable__Input = z.strictObject({ name: z.string().trim().min(1).max(200) });
export type __Type__Input = z.infer<typeof __variable__Input>;
