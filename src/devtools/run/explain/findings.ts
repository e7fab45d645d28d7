/**
 * Findings: what a run says of itself, one fact each, and the words in which calls and values stand in them. Pure.
 */
import { oneLine } from "../statements.ts";
import type { Call, Json, StackFrame } from "../shapes.ts";

/** What a finding is about. */
export type FindingKind =
  | "error"
  | "contract"
  | "difference"
  | "swallowed"
  | "unfinished"
  | "logged"
  | "failed-request"
  | "repeated-statement"
  | "repeated-call"
  | "sequence"
  | "slow"
  | "own-time"
  | "critical-path"
  | "dropped";

/** One fact of a run. */
export interface Finding {
  readonly kind: FindingKind;
  /** The call whose code it is about; null where it is about the request's handler, or the run as a whole. */
  readonly call: Call | null;
  /** What below the calls it is seen at. */
  readonly leafId: number | null;
  /** Where it was thrown, where it was. */
  readonly frame: StackFrame | null;
  /** The line of code there. */
  readonly code: string | null;
  /** What it costs, where that can be said. */
  readonly costUs: number | null;
  readonly message: string;
}

/** A finding from what there is of it. */
export function finding(kind: FindingKind, message: string, more: Partial<Finding> = {}): Finding {
  return { kind, call: null, leafId: null, frame: null, code: null, costUs: null, message, ...more };
}

/** `OrderService.find`. */
export const nameOf = ({ bean, method }: Call): string => `${bean}.${method}`;

/** How much of a value a sentence has. */
const VALUE_CHARS = 120;

/** A value as JSON, cut where it is long. */
export function short(value: Json): string {
  const text = JSON.stringify(typeof value === "string" ? oneLine(value) : value);
  return text.length > VALUE_CHARS ? `${text.slice(0, VALUE_CHARS)}…` : text;
}
