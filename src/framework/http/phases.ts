/**
 * Phases: how long each step of a request took, for tools that watch.
 *
 *   middleware ──▶ reading the body ──▶ contract ──▶ handler ──▶ serialization ──▶ response hooks ──▶ sending
 *       └──────────────── each one, when it ends ──▶ app.observe({ phase })
 *
 * Without a listener none of this is in the request's way: the chain is composed without it, and the context has another class.
 *
 * Spec: spec/context.md
 */
import { ignore, isThenable } from "../internal/thenable.ts";
import type { Context } from "./context.ts";

/** A step of a request. A middleware and a handler contain the steps that ran inside of them. */
export interface Phase {
  readonly kind: "parsing" | "middleware" | "handler" | "serialization" | "compression" | "sending";
  /** The class or function of a middleware, a hook or a handler; the content coding; else what was read or sent. */
  readonly name: string;
  /** The middleware or hook as the app has it, to recognise it. Undefined for other steps. */
  readonly of: unknown;
  /** Of `performance.now()`. */
  readonly startedAt: number;
  /** Of `performance.now()`. */
  readonly endedAt: number;
}

/** Receives each step of a request when it has ended, inner steps first. Its errors are ignored. */
export type PhaseListener = (ctx: Context, phase: Phase) => unknown;

/** The identity of a step. */
export type Step = Pick<Phase, "kind" | "name" | "of">;

/** Reports a step that ends now. */
export function tellPhase(
  listeners: readonly PhaseListener[],
  ctx: Context,
  { kind, name, of }: Step,
  startedAt: number,
): void {
  const phase = { kind, name, of, startedAt, endedAt: performance.now() };
  // Several times a request, so without the functions that `tellWatchers` makes.
  for (const listener of listeners) {
    try {
      const result = listener(ctx, phase);
      if (isThenable(result)) result.then(undefined, ignore);
    } catch {
      // A fault of a watcher is not a fault of the app.
    }
  }
}

/** The name of a function, or of the class of an object. A bundler puts `_` before a class that names itself. */
export function stepName(of: object): string {
  const name: unknown = typeof of === "function" ? of.name : of.constructor?.name;
  return typeof name === "string" && name !== "" ? name.replace(/^_+(?=[A-Z])/, "") : "anonymous";
}

/** The context of a timed request. */
type Timed = Context & { reached?: string | undefined };

/** A part of the chain that reports its time. Its result is returned as it is. */
export function timed<C extends Timed>(
  run: (ctx: C) => unknown,
  step: Step,
  listeners: readonly PhaseListener[],
): (ctx: C) => unknown {
  return function runTimed(ctx) {
    const startedAt = begin(ctx, step);
    try {
      return ended(run(ctx), { ctx, step, listeners, startedAt });
    } catch (error) {
      tellPhase(listeners, ctx, step, startedAt);
      throw error;
    }
  };
}

/** The time at which a step begins. The context knows its innermost middleware from then on. */
export function begin(ctx: Timed, { kind, name }: Step): number {
  if (kind === "middleware") ctx.reached = name;
  return performance.now();
}

interface Begun {
  readonly ctx: Context;
  readonly step: Step;
  readonly listeners: readonly PhaseListener[];
  readonly startedAt: number;
}

/**
 * The result of a step, which is reported when the result is there. A promise is watched, any other thenable is not, since its
 * `then` may begin the work.
 */
export function ended(value: unknown, { ctx, step, listeners, startedAt }: Begun): unknown {
  const tell = (): void => tellPhase(listeners, ctx, step, startedAt);
  if (value instanceof Promise) value.then(tell, tell);
  else tell();
  return value;
}
