/**
 * Findings: facts about a run, and how their sentences write calls and values. Pure.
 */
import { oneLine } from "../statements.ts";
import type { Call, Json, StackFrame } from "../shapes.ts";

/** The subject of a finding. */
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
  /** The call that it is about, or null for the request's handler, or the run as a whole. */
  readonly call: Call | null;
  readonly leafId: number | null;
  /** Where it was thrown, if it was. */
  readonly frame: StackFrame | null;
  /** The line of code there. */
  readonly code: string | null;
  /** Its cost, if known. */
  readonly costUs: number | null;
  readonly message: string;
}

/** A finding with the given members. */
export function finding(kind: FindingKind, message: string, more: Partial<Finding> = {}): Finding {
  return { kind, call: null, leafId: null, frame: null, code: null, costUs: null, message, ...more };
}

/** `OrderService.find`. */
export const nameOf = ({ bean, method }: Call): string => `${bean}.${method}`;

/** The call by its name; without one it is the handler that acts. */
export const whoOf = (call: Call | null | undefined): string => (call ? nameOf(call) : "the handler");

const VALUE_CHARS = 120;

/** A value as JSON, cut if it is long. */
export function short(value: Json): string {
  const text =
    typeof value === "string" ? JSON.stringify(oneLine(value)).replaceAll('\\"', '"') : JSON.stringify(value);
  return text.length > VALUE_CHARS ? `${text.slice(0, VALUE_CHARS)}…` : text;
}
