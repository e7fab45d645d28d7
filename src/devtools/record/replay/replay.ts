/**
 * Replay: one request on its way whose chosen beans return what a recording holds.
 *
 *   call of a bean ──▶ chosen? ── no ──▶ the bean itself
 *                        │ yes
 *                        ▼
 *                     recorded with these arguments? ── no ──▶ ended: every further call throws, the response is a 409
 *                        │ yes
 *                        ▼
 *                     returned, thrown or settled as it was
 *
 * Once ended it stays ended, whatever the application makes of the error: no bean is called any more, chosen or not.
 *
 * Spec: spec/replay.md
 */
import { types } from "node:util";
import { HttpError } from "framework";
import type { Json, ReplayEnd, ReplayOf } from "../../run/shapes.ts";
import type { Callable } from "../spy/spy.ts";
import { flawOfArguments, flawOfCall, type RecordedCall } from "./flaws.ts";
import { RecordedCalls } from "./recorded-calls.ts";
import type { Reviver } from "../../capture/revive.ts";
import { handled, Settling } from "./settling.ts";

/** What is thrown at the code that asks for what a recording does not have. */
export class ReplayEnded extends HttpError {
  constructor(reason: string) {
    super(409, `the replay has ended: ${reason}`);
  }
}

/** What is replayed. */
export interface RecordedRun extends Omit<ReplayOf, "ended"> {
  /** Those of the chosen beans, in the order in which they began. */
  readonly calls: readonly RecordedCall[];
}

/** The call of a bean that is under way. */
export interface ReplayedCall {
  readonly bean: string;
  readonly method: string;
  /** As they are shown; undefined where the call is not kept: after the request was over, or over the bound of calls. */
  readonly args: readonly Json[] | undefined;
  /** What is called, for a method that returned its own bean. */
  readonly self: object;
  /** What would run. */
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

  /** Why it could not go on; null while it can. */
  get ended(): ReplayEnd | null {
    return this.#ended;
  }

  /** Calls that were recorded, and that nobody has made. */
  get left(): readonly RecordedCall[] {
    return this.#calls.left;
  }

  /** As a trace tells of it. */
  get shown(): ReplayOf {
    const { instance, sequence, beans, notes } = this.#recorded;
    return { instance, sequence, beans, notes, ended: this.#ended };
  }

  /** What is to be called in place of a bean's method; undefined for the method itself. */
  instead(asked: ReplayedCall): Callable | undefined {
    const { bean, method, self, code } = asked;
    if (this.#ended === null && !this.#beans.has(bean)) return undefined;
    const call = this.#ended?.reason ?? this.#taken(asked);
    if (typeof call !== "string") {
      const outcome = (): unknown => this.#outcomeOf(call, self);
      return call.async ? () => this.#settling.promise(call.endUs, outcome) : outcome;
    }
    const ended = this.end(bean, method, call);
    // Thrown at once, it could end the process, where code is ready for a rejection.
    if (types.isAsyncFunction(code) || this.#calls.isAsync(bean, method)) return () => handled(Promise.reject(ended));
    return () => {
      throw ended;
    };
  }

  /** Ends it. @returns what is to be thrown */
  end(bean: string | null, method: string | null, reason: string): ReplayEnded {
    this.#ended ??= { bean, method, reason };
    return new ReplayEnded(reason);
  }

  /** What the call came to when it was recorded, or why that is not to be had. */
  #taken({ bean, method, args }: ReplayedCall): RecordedCall | string {
    if (args === undefined) return notKept;
    const flaw = flawOfArguments(args);
    if (flaw !== undefined) return `${bean}.${method}() cannot be looked up: ${flaw}`;
    const call = this.#calls.take(bean, method, args);
    if (typeof call === "string") return call;
    const lost = flawOfCall(call, this.#reviver);
    return lost === undefined ? call : `${bean}.${method}() cannot be replayed: ${lost}`;
  }

  #outcomeOf(call: RecordedCall, self: object): unknown {
    const { bean, result, error } = call;
    const own = { id: bean, bean: self };
    if (error !== null) throw this.#made(call, () => this.#reviver.error(error, own));
    return this.#made(call, () => this.#reviver.value(result, own));
  }

  /** The application's own way to make a value may fail. */
  #made({ bean, method }: RecordedCall, make: () => unknown): unknown {
    try {
      return make();
    } catch (failure) {
      const why = failure instanceof Error ? failure.message : String(failure);
      throw this.end(bean, method, `${bean}.${method}() cannot be replayed: what it came to could not be made: ${why}`);
    }
  }
}

const notKept = "it was called after the request was over, or when no more calls are kept";
