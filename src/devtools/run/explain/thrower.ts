/**
 * Thrower: the call in which the error of a run began, and its line. Pure.
 */
import { byParent } from "../calls.ts";
import type { Call, ErrorInfo, StackFrame, Trace } from "../shapes.ts";

/** The call in which the error of the run began, or null if that was outside of calls. */
export function throwerOf(trace: Trace): Call | null {
  const call = trace.calls.find(({ error }) => isSameError(error, trace.error));
  return call === undefined ? null : innermost(call, byParent(trace.calls));
}

type Children = ReadonlyMap<number | null, readonly Call[]>;

/** The call in which the error of this one began. A hand-written file may have calls in a circle. */
export function innermost(call: Call, children: Children): Call {
  const seen = new Set<Call>();
  let at = call;
  for (let below: Call | undefined = call; below !== undefined && !seen.has(below);) {
    at = below;
    seen.add(at);
    below = children.get(at.id)?.find((one) => isSameError(one.error, at.error));
  }
  return at;
}

/** Whether both are one error, as far as its name and its message tell. */
export const isSameError = (a: ErrorInfo | null, b: ErrorInfo | null): boolean =>
  a !== null && a.name === b?.name && a.message === b.message;

/** A place in the application's code. */
export interface ThrownAt {
  readonly frame: StackFrame | null;
  /** The line of code there. */
  readonly code: string | null;
}

/** The first place of a stack in the application's own code, and its line. */
export function placeOf({ stack = [], excerpt }: ErrorInfo): ThrownAt {
  const frame = stack.find((one) => one.own) ?? null;
  const code = excerpt?.lines[excerpt.line - excerpt.from]?.trim() ?? null;
  return { frame, code };
}

/** Where the error of the run began. Null without an error, and if the framework threw it because of a contract. */
export function thrownIn(trace: Trace): (ThrownAt & { readonly call: Call | null }) | null {
  if (trace.error === null) return null;
  const call = throwerOf(trace);
  if (call === null && trace.contractIssues !== undefined) return null;
  return { call, ...placeOf(call?.error ?? trace.error) };
}
