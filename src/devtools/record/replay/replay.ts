/**
 * Replay: one request in progress, in which chosen beans return recorded results, and chosen calls have another outcome.
 *
 *   call of a bean ──▶ chosen? ── no ──▶ the bean itself
 *                        │ yes
 *                        ▼
 *                     recorded with these arguments? ── no ──▶ ended: every further call throws, the response is a 409
 *                        │ yes
 *                        ▼
 *                     returned, thrown or settled as it was
 *
 * A call with another outcome (what-if.ts) gets that instead. After it has ended it stays ended, even if the application swallows the error. No bean is called any more, chosen or not.
 *
 * Spec: spec/replay.md
 */
import { types } from "node:util";
import { HttpError } from "framework";
import type { Json, ReplayEnd, ReplayOf } from "../../run/shapes.ts";
import type { Callable } from "../spy/parameters.ts";
import type { Profiling } from "../profile/profiling.ts";
import { flawOfArguments, flawOfCall, type RecordedCall } from "./flaws.ts";
import { RecordedCalls } from "./recorded-calls.ts";
import type { Reviver } from "../../capture/revive.ts";
import { handled, Settling } from "./settling.ts";
import type { SupposedCalls } from "./what-if.ts";

/** Thrown at code that makes a call without a recording. */
export class ReplayEnded extends HttpError {
  constructor(reason: string) {
    super(409, `the replay has ended: ${reason}`);
  }
}

/** The replayed run. */
export interface RecordedRun extends Omit<ReplayOf, "ended"> {
  /** The calls of `whatIf`. */
  readonly supposed?: SupposedCalls | undefined;
  /** Undefined if it is not profiled. */
  readonly profiling?: Profiling | undefined;
  /** The calls of the chosen beans, in the order of their starts. */
  readonly calls: readonly RecordedCall[];
}

/** The outcome of a call. */
type Outcome = Pick<RecordedCall, "bean" | "method" | "result" | "error">;

/** A bean's call in progress. */
export interface ReplayedCall {
  readonly bean: string;
  readonly method: string;
  /** In their shown form. Undefined if the call is not kept, after the request or over the bound of calls. */
  readonly args: readonly Json[] | undefined;
  /** The wrapper, for a method that returned its own bean. */
  readonly self: object;
  readonly code: Callable;
}

/** One replay. */
export class Replay {
  readonly #recorded: RecordedRun;
  readonly #beans: ReadonlySet<string>;
  readonly #calls: RecordedCalls;
  readonly #reviver: Reviver;
  readonly #settling = new Settling();
  #ended: ReplayEnd | null = null;

  constructor(recorded: RecordedRun, reviver: Reviver) {
    this.#recorded = recorded;
    this.#beans = new Set(recorded.beans);
    this.#calls = new RecordedCalls(recorded.calls);
    this.#reviver = reviver;
  }

  /** Why it could not continue, or null while it can. */
  get ended(): ReplayEnd | null {
    return this.#ended;
  }

  get profiling(): Profiling | undefined {
    return this.#recorded.profiling;
  }

  get left(): readonly RecordedCall[] {
    return this.#calls.left;
  }

  get shown(): ReplayOf {
    const { instance, sequence, beans, notes, whatIf } = this.#recorded;
    return { instance, sequence, beans, ...(whatIf === undefined ? {} : { whatIf }), notes, ended: this.#ended };
  }

  /** The replacement of a bean's method, or undefined for the method itself. */
  instead(asked: ReplayedCall): Callable | undefined {
    const { bean, method, args, code, self } = asked;
    const recorded = this.#insteadOf(asked);
    const supposed = args && this.#ended === null ? this.#recorded.supposed?.take(bean, method, args) : undefined;
    if (supposed === undefined) return recorded;
    const { afterMs, outcome } = supposed;
    const run = outcome === undefined ? (recorded ?? code) : () => this.#outcomeOf({ bean, method, ...outcome }, self);
    return supposed.async || types.isAsyncFunction(code) ? later(run, afterMs) : blocking(run, afterMs);
  }

  #insteadOf(asked: ReplayedCall): Callable | undefined {
    const { bean, method, self, code } = asked;
    if (this.#ended === null && !this.#beans.has(bean)) return undefined;
    const call = this.#ended?.reason ?? this.#taken(asked);
    if (typeof call !== "string") {
      const outcome = (): unknown => this.#outcomeOf(call, self);
      return call.async ? () => this.#settling.promise(call.endUs, outcome) : outcome;
    }
    const ended = this.end(bean, method, call);
    // A synchronous throw could end the process if code only handles a rejection.
    if (types.isAsyncFunction(code) || this.#calls.isAsync(bean, method)) return () => handled(Promise.reject(ended));
    return () => {
      throw ended;
    };
  }

  /** Ends it. @returns the error to throw */
  end(bean: string | null, method: string | null, reason: string): ReplayEnded {
    this.#ended ??= { bean, method, reason };
    return new ReplayEnded(reason);
  }

  /** The recorded call, or why it cannot be replayed. */
  #taken({ bean, method, args }: ReplayedCall): RecordedCall | string {
    if (args === undefined) return notKept;
    const flaw = flawOfArguments(args);
    if (flaw !== undefined) return `${bean}.${method}() cannot be looked up: ${flaw}`;
    const call = this.#calls.take(bean, method, args);
    if (typeof call === "string") return call;
    const lost = flawOfCall(call, this.#reviver);
    return lost === undefined ? call : `${bean}.${method}() cannot be replayed: ${lost}`;
  }

  #outcomeOf(call: Outcome, self: object): unknown {
    const { bean, result, error } = call;
    const own = { id: bean, bean: self };
    if (error !== null) throw this.#made(call, () => this.#reviver.error(error, own));
    return this.#made(call, () => this.#reviver.value(result, own));
  }

  /** The application's maker of a value may fail. */
  #made({ bean, method }: Outcome, make: () => unknown): unknown {
    try {
      return make();
    } catch (failure) {
      const why = failure instanceof Error ? failure.message : String(failure);
      throw this.end(bean, method, `${bean}.${method}() cannot be replayed: what it came to could not be made: ${why}`);
    }
  }
}

const notKept = "it was called after the request was over, or when no more calls are kept";

/** An asynchronous method that begins after that time. */
function later(run: Callable, ms: number): Callable {
  return function (this: unknown, ...args: never[]): Promise<unknown> {
    const made = ms === 0 ? Promise.resolve() : new Promise((resolve) => void setTimeout(resolve, ms));
    return handled(made.then(() => Reflect.apply(run, this, args)));
  };
}

/** A synchronous method that begins after that time. It blocks the event loop, as a slow one does. */
function blocking(run: Callable, ms: number): Callable {
  return function (this: unknown, ...args: never[]): unknown {
    if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    return Reflect.apply(run, this, args) as unknown;
  };
}
