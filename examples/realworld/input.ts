/**
 * What all inputs share, as Zod schemas: `ctx.body(schema)` returns the typed value, or the response is 422 with the issues.
 */
import type { Context } from "framework";
import { z } from "zod";
import { InvalidInputError } from "./errors.ts";

/** Text that is not blank, trimmed, of at most `max` characters. */
export const text = (max: number): z.ZodString =>
  z.string("can't be blank").trim().min(1, "can't be blank").max(max, `is longer than ${max} characters`);

/** A part of a list. */
export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** `?limit=20&offset=0`. @throws InvalidInputError (422) naming what is allowed. */
export function pageOf(ctx: Context<never>): Page {
  return { limit: integer(ctx, "limit", 20, 1, 100), offset: integer(ctx, "offset", 0, 0, 1_000_000) };
}

function integer(ctx: Context<never>, name: string, fallback: number, min: number, max: number): number {
  const given = ctx.queryParam(name);
  if (given === undefined) return fallback;
  const value = Number(given);
  if (/^\d+$/.test(given) && value >= min && value <= max) return value;
  throw new InvalidInputError(`${name} must be a whole number from ${min} to ${max}`);
}
