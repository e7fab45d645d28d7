/**
 * Findings: facts about a run, and how their sentences write calls and values. Pure.
 */
import { oneLine } from "../statements.ts";
import type { Call, Json, JsonObject, StackFrame, Trace } from "../shapes.ts";
import { isObject } from "../values.ts";

/** The subject of a finding. */
export type FindingKind =
  | "error"
  | "contract"
  | "difference"
  | "swallowed"
  | "unfinished"
  | "logged"
  | "failed-request"
  | "retry"
  | "origin"
  | "interleaved"
  | "repeated-statement"
  | "repeated-request"
  | "repeated-call"
  | "sequence"
  | "slow"
  | "own-time"
  | "line"
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
  /** How many calls or operations it is about, if it is about several. */
  readonly times: number | null;
  readonly message: string;
  /** What else is known, after the sentence. Empty if nothing is. */
  readonly detail: string;
}

/** A finding with the given members. */
export function finding(kind: FindingKind, message: string, more: Partial<Finding> = {}): Finding {
  const none = { call: null, leafId: null, frame: null, code: null, costUs: null, times: null, detail: "" };
  return { kind, message, ...none, ...more };
}

/** The findings that are a share of the run. */
const SHARES: ReadonlySet<FindingKind> = new Set(["slow", "own-time", "line"]);

/** The finding in a sign: `65 %` of the run, `30×`, `≠` for a difference, `→` for a way, `…` for what is not there. */
export function signOf({ kind, costUs, times }: Finding, { durationUs }: Pick<Trace, "durationUs">): string {
  if (times !== null) return `${times}×`;
  if (SHARES.has(kind)) return `${Math.round((100 * (costUs ?? 0)) / Math.max(1, durationUs))} %`;
  if (kind === "difference") return "≠";
  return kind === "dropped" ? "…" : kind === "origin" || kind === "critical-path" ? "→" : "!";
}

/** The sentence with all that is known. */
export const sentenceOf = ({ message, detail }: Finding): string =>
  detail === "" ? message : `${message} (${detail})`;

/** `OrderService.find`. */
export const nameOf = ({ bean, method }: Call): string => `${bean}.${method}`;

/** The call by its name; without one it is the handler that acts. */
export const whoOf = (call: Call | null | undefined): string => (call ? nameOf(call) : "the handler");

const VALUE_CHARS = 120;

/** A value as JSON, cut if it is long. A date is its text, and an object of a class one without its name. */
export function short(value: Json): string {
  const text =
    typeof value === "string"
      ? JSON.stringify(oneLine(value)).replaceAll('\\"', '"')
      : JSON.stringify(value, (_, part: Json) => (isObject(part) ? withoutMarks(part) : part));
  return text.length > VALUE_CHARS ? `${text.slice(0, VALUE_CHARS)}…` : text;
}

function withoutMarks({ $class: _, ...part }: JsonObject): Json {
  return part["$date"] ?? part["$bigint"] ?? part;
}
