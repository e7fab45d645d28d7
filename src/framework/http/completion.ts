/**
 * Completion: the listeners for a request's end and their argument.
 *
 *   the request ends ──▶ one Completion ──▶ every listener in order, once; late ones immediately
 *
 * A listener that throws or rejects is reported and has no other effect.
 *
 * Spec: spec/context.md
 */
import type { Completion, CompletionListener, Context, RecordedResponse } from "./context.ts";
import { isThenable } from "../internal/thenable.ts";

/** A listener for a request's end, and the next one. The last leads to the first. */
export class Listening {
  readonly listener: CompletionListener;
  later: Listening;

  /** @param last the last one so far. The new one follows it */
  constructor(listener: CompletionListener, last: Listening | undefined) {
    this.listener = listener;
    this.later = last === undefined ? this : last.later;
    if (last !== undefined) last.later = this;
  }
}

/** Calls all listeners, the first first. */
export function tellAll(last: Listening, completion: Completion, ctx: Context, reporter: Reporter): void {
  let at = last;
  do {
    at = at.later;
    tell(at.listener, completion, ctx, reporter);
  } while (at !== last);
}

/** Calls one listener. Errors and rejections are reported. */
export function tell(listener: CompletionListener, completion: Completion, ctx: Context, reporter: Reporter): void {
  try {
    const result = listener(completion, ctx);
    if (isThenable(result)) result.then(undefined, (error: unknown) => reporter.report(what, error));
  } catch (error) {
    reporter.report(what, error);
  }
}

const what = "an onComplete listener";

/** Receives the error of a listener. */
interface Reporter {
  report(what: string, error: unknown): void;
}

/** Facts that a context knows about its end. */
interface Ended extends RecordedResponse {
  readonly startedAt: number;
  readonly error: unknown;
}

/** Builds the listeners' argument. `bytes` of body were sent, `aborted` when cut short. */
export function completionOf(
  { status, startedAt, error, headers, body }: Ended,
  bytes: number,
  aborted: boolean,
): Completion {
  const whole = typeof body === "string" || body instanceof Uint8Array ? body : undefined;
  return { status, bytes, durationMs: performance.now() - startedAt, aborted, error, headers, body: whole };
}
