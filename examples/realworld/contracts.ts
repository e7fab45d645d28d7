/**
 * Shared parts of the contracts of every resource: texts and numbers, pages, error responses, and accounts.
 *
 * A contract is in the folder of its resource and has the operation id of RealWorld's specification.
 */
import type { BeanType } from "framework";
import { z } from "zod";
import { SessionService } from "./auth/sessions.ts";

/** Non-blank text, trimmed, of at most `max` characters. */
export const text = (max: number): z.ZodString =>
  z.string("can't be blank").trim().min(1, "can't be blank").max(max, `is longer than ${max} characters`);

/** A text that may be omitted or removed. An empty one removes it. */
export const optionalText = (max: number): z.ZodType<string | null, string | null> =>
  z
    .string("is no text")
    .max(max, `is longer than ${max} characters`)
    .nullable()
    .transform((value) => (value === "" ? null : value));

/** A whole number, written in digits, since paths and queries are text. */
export function whole(min: number, max: number): z.ZodType<number> {
  const message = `must be a whole number from ${min} to ${max}`;
  const digits = (value: unknown): unknown =>
    typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return z.preprocess(digits, z.int(message).min(min, message).max(max, message));
}

/** A part of a list: `?limit=20&offset=0`. */
export const pageQuery = { limit: whole(1, 100).prefault(20), offset: whole(0, 1_000_000).prefault(0) };

/** A part of a list. */
export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** The body of every error response: the errors, by field or subject. */
export const errorBody: z.ZodObject<{ errors: z.ZodRecord<z.ZodString, z.ZodArray<z.ZodString>> }> = z
  .object({ errors: z.record(z.string(), z.array(z.string())) })
  .meta({ id: "GenericErrorModel", description: "What is wrong, by the field or the thing that it is about" });

/** Error responses of these statuses. */
export const failing = <const S extends number>(...statuses: readonly S[]): Readonly<Record<S, typeof errorBody>> =>
  Object.fromEntries(statuses.map((status) => [status, errorBody])) as Record<S, typeof errorBody>;

/** The required account, see auth/guard.ts, and its form in the document. */
interface Account {
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly meta: { readonly account: "required" | "optional" };
  readonly beans: readonly BeanType<object>[];
}

/** Only with a token. */
export const signedIn: Account = { security: [{ Token: [] }], meta: { account: "required" }, beans: [SessionService] };

/** With or without a token. An invalid one is rejected. */
export const anyone: Account = {
  security: [{ Token: [] }, {}],
  meta: { account: "optional" },
  beans: [SessionService],
};
