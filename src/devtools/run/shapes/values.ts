/**
 * Wire, values: how any value is written as JSON.
 *
 * Spec: spec/trace.md
 */

/** A JSON object. Keys that start with `$` are ours (TaggedValue); a user's own such key is written with `$$`. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** A JSON value; objects may be one of the forms of TaggedValue. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** The forms in which values that JSON lacks are written (the table of spec/trace.md). */
export type TaggedValue =
  | { readonly $bigint: string }
  | { readonly $number: "NaN" | "Infinity" | "-Infinity" | "-0" }
  | { readonly $undefined: true }
  | { readonly $symbol: string }
  | { readonly $function: string }
  | { readonly $date: string }
  | { readonly $map: readonly Json[] }
  | { readonly $set: readonly Json[] }
  | { readonly $bytes: number }
  /** What it was caused by, and ten at most of the errors that it stands for. */
  | {
      readonly $error: {
        readonly name: string;
        readonly message: string;
        readonly cause?: Json;
        readonly errors?: readonly Json[];
      };
    }
  | { readonly $stream: string }
  | { readonly $thenable: true }
  | { readonly $pending: true }
  | { readonly $bean: string }
  | { readonly $context: string }
  | { readonly $circular: true }
  | { readonly $evicted: true }
  /** A cut string: its head, and how many characters are left out. */
  | { readonly $string: string; readonly $truncated: number }
  /** A cut array's last item, a cut object's last key, or all there is of a node below the depth bound. */
  | { readonly $truncated: number };
