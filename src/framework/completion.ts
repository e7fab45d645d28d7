/**
 * Completion: who is told when a request is over, and what.
 *
 *   the request ends ──▶ one Completion ──▶ every listener in order, once; late ones at once
 *
 * A listener that throws or rejects is reported and harms nobody.
 *
 * Spec: spec/context.md (CTX)
 */
import type { Completion, CompletionListener, Context } from "./context.ts";
import { isThenable } from "./pipeline.ts";

/** The listeners of one request. Made when the first one registers. */
export class CompletionListeners {
  readonly #ctx: Context;
  readonly #reporter: Reporter;
  readonly #waiting: CompletionListener[] = [];
  #completion: Completion | undefined;

  constructor(ctx: Context, reporter: Reporter) {
    this.#ctx = ctx;
    this.#reporter = reporter;
  }

  /** Registers a listener; once the request is over, it runs at once. */
  add(listener: CompletionListener): void {
    if (this.#completion === undefined) this.#waiting.push(listener);
    else this.#tell(listener, this.#completion);
  }

  /** The request is over: tells everybody. Later calls do nothing. */
  settle(completion: Completion): void {
    if (this.#completion !== undefined) return;
    this.#completion = completion;
    for (const listener of this.#waiting) this.#tell(listener, completion);
  }

  #tell(listener: CompletionListener, completion: Completion): void {
    try {
      const result = listener(completion, this.#ctx);
      if (isThenable(result)) result.then(undefined, (error: unknown) => this.#failed(error));
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    this.#reporter.report("an onComplete listener", error);
  }
}

/** Where a listener's fault goes. */
interface Reporter {
  report(what: string, error: unknown): void;
}

/** What a context knows of its end. */
interface Ended {
  readonly statusCode: number;
  readonly startedAt: number;
  readonly error: unknown;
  readonly head: readonly string[];
  readonly payload: unknown;
}

/** What the listeners of a request are told: `bytes` of body went out, `aborted` when cut short. */
export function completionOf(
  { statusCode, startedAt, error, head, payload }: Ended,
  bytes: number,
  aborted: boolean,
): Completion {
  const body = typeof payload === "string" || payload instanceof Uint8Array ? payload : undefined;
  return { status: statusCode, bytes, durationMs: performance.now() - startedAt, aborted, error, headers: head, body };
}
