/**
 * Middleware: the types, and the chain they are composed into.
 *
 *   anything with handle(ctx, next) ──▶ a separate `next` for each request
 *   HookMiddleware                  ──▶ before ──▶ inside: no `next`, nothing made for each request
 *   below a prefix                  ──▶ the path is checked; outside the prefix the inner chain runs directly
 *
 * Spec: spec/middleware.md
 */
import type { Context } from "../http/context.ts";
import { begin, ended, type PhaseListener, type Step, stepName, tellPhase, timed } from "../http/phases.ts";
import { type AsyncScope, currentScope } from "../internal/async-scope.ts";
import { heardTracing, runTraced } from "../internal/tracing-channels.ts";
import { stateError } from "../internal/usage-errors.ts";
import { HookMiddleware, runBefore } from "../middleware/hooks.ts";
import type { MiddlewareFunction, MiddlewareLike } from "../middleware/types.ts";
import { isUnder } from "../routing/pattern.ts";
import { isThenable } from "../internal/thenable.ts";

/** A composed chain. Returns a promise only when some part of it is asynchronous. */
export type Run<C extends RunContext = RunContext> = (ctx: C) => unknown;

/** The part of a request's context that composing needs. */
export interface RunContext extends Context {
  /** Records the return value of a handler, or of a middleware that did not call `next`. */
  recordValue(value: unknown): void;
  readonly services: { report(what: string, error: unknown): void };
  /** The scope of the innermost `next()` so far. Work for the request outside the chain runs in it. */
  scope: AsyncScope | undefined;
  /** The middleware that neither continued nor responded. */
  silentMiddleware: object | undefined;
  /** The path that a prefix is compared with, as a handler may read it. */
  readonly readablePath: string;
}

/** A middleware as it is composed. */
export type Layer = MiddlewareFunction | HookMiddleware | readonly Choice[];

/** Several choices. The first one with a literal prefix that matches the path runs. If none matches, none runs. */
export interface Choice {
  readonly prefix: string;
  readonly layer: MiddlewareFunction | HookMiddleware;
}

/** Picks how a middleware is composed. A custom or wrapped `handle` is called. */
export function layerOf(middleware: MiddlewareLike): Choice["layer"] {
  const hasHooks = middleware instanceof HookMiddleware && middleware.handle === HookMiddleware.prototype.handle;
  return hasHooks ? middleware : functionOf(middleware);
}

/** Does it see errors of the inner chain? */
export const seesErrors = (layer: Layer): boolean =>
  Array.isArray(layer) ? layer.some((choice) => seesErrors(choice.layer)) : typeof layer === "function";

/** Any middleware as a function. */
export function functionOf(middleware: MiddlewareLike): MiddlewareFunction {
  if (typeof middleware === "function") return middleware;
  const handleMiddleware: MiddlewareFunction = (ctx, next) => middleware.handle(ctx, next);
  return Object.defineProperty(handleMiddleware, "name", { value: middleware.constructor.name });
}

/**
 * The middleware around the handler, the first outermost. The caller of a chain records its result. @param phases get the time
 * of each middleware
 * @param step the handler, if its time is wanted
 */
export function compose<C extends RunContext>(
  layers: readonly Layer[],
  handler: Run<C>,
  phases: readonly PhaseListener[] = [],
  step?: Step,
): Run<C> {
  const own = phases.length === 0 ? undefined : step;
  if (layers.length === 0) return own === undefined ? handler : timed(handler, own, phases);
  const innermost = own === undefined ? recording(handler) : recordingTimed(handler, own, phases);
  return layers.reduceRight<Run<C>>((inner, outer) => around(outer, inner, phases), innermost);
}

function around<C extends RunContext>(outer: Layer, inner: Run<C>, phases: readonly PhaseListener[]): Run<C> {
  if (typeof outer !== "function" && !(outer instanceof HookMiddleware)) return chosen(outer, inner, phases);
  const tracing = heardTracing("middleware");
  if (tracing === undefined) return layer(outer, inner, phases);
  const name = stepName(outer);
  const run = layer(outer, inner, phases);
  return (ctx) => runTraced(tracing, { ctx, name }, () => run(ctx));
}

/** One middleware and the rest of the chain. */
function layer<C extends RunContext>(
  outer: MiddlewareFunction | HookMiddleware,
  inner: Run<C>,
  phases: readonly PhaseListener[],
): Run<C> {
  if (phases.length === 0) return typeof outer === "function" ? link(outer, inner) : hooked(outer, inner);
  const step: Step = { kind: "middleware", name: stepName(outer), of: outer };
  return typeof outer === "function" ? timed(link(outer, inner), step, phases) : timedHooks(outer, inner, step, phases);
}

/** `hooked` with its time. Not `timed` around it, since each function more is a frame more in the stack of an error. */
function timedHooks<C extends RunContext>(
  hooks: HookMiddleware,
  inner: Run<C>,
  step: Step,
  phases: readonly PhaseListener[],
): Run<C> {
  return function runHooks(ctx) {
    const startedAt = begin(ctx, step);
    try {
      return ended(runBefore(hooks, ctx, inner), { ctx, step, listeners: phases, startedAt });
    } catch (error) {
      tellPhase(phases, ctx, step, startedAt);
      throw error;
    }
  };
}

/** The first choice that matches the path, around the rest of the chain. */
function chosen<C extends RunContext>(
  choices: readonly Choice[],
  inner: Run<C>,
  phases: readonly PhaseListener[],
): Run<C> {
  const runs = choices.map(({ prefix, layer }) => ({ prefix, run: around(layer, inner, phases) }));
  return function runBelowPrefix(ctx) {
    const path = ctx.readablePath;
    for (const { prefix, run } of runs) if (isUnder(path, prefix)) return run(ctx);
    return inner(ctx);
  };
}

/** A middleware that only acts before, and the rest of the chain. */
function hooked<C extends RunContext>(hooks: HookMiddleware, inner: Run<C>): Run<C> {
  return function runHooks(ctx) {
    return runBefore(hooks, ctx, inner);
  };
}

/** Notes which middleware ended the chain without a response, for the warning. */
function noteSilent(ctx: RunContext, middleware: MiddlewareFunction): void {
  if (!ctx.responded) ctx.silentMiddleware = middleware;
}

/** A handler inside middleware. Its result is recorded before the middleware continues. */
function recording<C extends RunContext>(handler: Run<C>): Run<C> {
  return function runHandler(ctx) {
    const value = handler(ctx);
    if (isThenable(value)) return value.then((settled) => ctx.recordValue(settled));
    return ctx.recordValue(value);
  };
}

/** `recording` with the time of the handler, as one function, as in `timedHooks`. */
function recordingTimed<C extends RunContext>(handler: Run<C>, step: Step, phases: readonly PhaseListener[]): Run<C> {
  return function runHandler(ctx) {
    const startedAt = performance.now();
    let value: unknown;
    try {
      value = ended(handler(ctx), { ctx, step, listeners: phases, startedAt });
    } catch (error) {
      tellPhase(phases, ctx, step, startedAt);
      throw error;
    }
    if (isThenable(value)) return value.then((settled) => ctx.recordValue(settled));
    return ctx.recordValue(value);
  };
}

/**
 * One middleware around the rest of the chain. The promise of `next()` is always awaited, even if the middleware did not return
 * it. Its failure becomes the request's failure unless the middleware used the promise and settled without an error.
 */
function link<C extends RunContext>(middleware: MiddlewareFunction, inner: Run<C>): Run<C> {
  return function runMiddleware(ctx) {
    let called = false;
    let over = false;
    let waiting = false;
    let inside: Inside | undefined;
    const next = (): void | Promise<void> => {
      if (over) return reportLost(ctx, stateError("NEXT_LATE", "next() was called after its middleware had settled"));
      if (called) throw stateError("NEXT_TWICE", "next() was called twice in one middleware");
      called = true;
      ctx.scope = currentScope();
      const value = inner(ctx);
      if (!isThenable(value)) return undefined;
      inside = new Inside(value);
      if (waiting) inside.watch();
      return inside;
    };
    let value: unknown;
    try {
      value = middleware(ctx, next);
    } catch (error) {
      over = true;
      if (inside === undefined) throw error;
      return rethrowAfter(ctx, inside, error);
    }
    if (!isThenable(value)) {
      over = true;
      if (!called) recordOwn(ctx, middleware, value);
      return inside?.started;
    }
    if (inside === value) return inside.started;
    waiting = true;
    inside?.watch();
    return settleAfter(ctx, middleware, value, () => {
      over = true;
      return called ? { inside } : undefined;
    });
  };
}

/** Records the return value of a middleware that did not call `next`. */
function recordOwn(ctx: RunContext, middleware: MiddlewareFunction, value: unknown): void {
  ctx.recordValue(value);
  noteSilent(ctx, middleware);
}

/**
 * The promise of `next()` as the middleware gets it. It knows whether the middleware used it. `await`, `then`, `catch` and
 * `finally` all count as use. `void next()` does not.
 */
class Inside implements Promise<void> {
  readonly [Symbol.toStringTag]: string = "Promise";
  readonly started: Promise<void>;
  seen = false;
  settled = false;

  constructor(value: PromiseLike<unknown>) {
    this.started = value instanceof Promise ? value : Promise.resolve(value).then(() => undefined);
  }

  /** Notices from now on when it has settled. */
  watch(): void {
    const settle = (): void => {
      this.settled = true;
    };
    this.started.then(settle, settle);
  }

  // oxlint-disable-next-line unicorn/no-thenable -- being one is its purpose
  then<A = void, B = never>(
    resolved?: ((value: void) => A | PromiseLike<A>) | null,
    rejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.seen = true;
    return this.started.then(resolved, rejected);
  }

  catch<B = never>(rejected?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<void | B> {
    return this.then(undefined, rejected);
  }

  finally(run?: (() => void) | null): Promise<void> {
    this.seen = true;
    return this.started.finally(run);
  }
}

/** Waits for an asynchronous middleware, then for any promise of `next()` that it did not await. */
async function settleAfter(
  ctx: RunContext,
  middleware: MiddlewareFunction,
  pending: PromiseLike<unknown>,
  end: () => { readonly inside: Inside | undefined } | undefined,
): Promise<void> {
  let value: unknown;
  try {
    value = await pending;
  } catch (error) {
    return rethrowAfter(ctx, end()?.inside, error);
  }
  const called = end();
  if (called === undefined) return recordOwn(ctx, middleware, value);
  const { inside } = called;
  if (inside !== undefined && !(inside.settled && inside.seen)) await inside.started;
}

/** A middleware failed. Its `next()` settles first, then the failure is passed on. */
async function rethrowAfter(ctx: RunContext, inside: Inside | undefined, error: unknown): Promise<never> {
  await inside?.started.catch((inner: unknown) => {
    if (!inside.seen && inner !== error) reportLost(ctx, inner);
  });
  throw error;
}

/** Logs a failure that cannot become the request's own, because another one has, or the request is over. */
function reportLost(ctx: RunContext, error: unknown): void {
  ctx.services.report(`${ctx.method} ${ctx.route ?? ctx.url}: a failure beside the response`, error);
}
