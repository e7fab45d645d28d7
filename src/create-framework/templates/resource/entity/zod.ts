/**
 * What is kept of __plural__, and what clients may say of one.
 */
import { z } from "zod";

export interface __Type__ {
  readonly id: string;
  readonly name: string;
}

/** The body of a request: what a client sets. */
export const __variable__Input = z.strictObject({ name: z.string().trim().min(1).max(200) });
export type __Type__Input = z.infer<typeof __variable__Input>;
