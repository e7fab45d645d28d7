/**
 * Middleware: the types, and the chain they are composed into.
 *
 *   anything with handle(ctx, next) ──▶ a `next` of its own for each request
 *   HookMiddleware                  ──▶ before ──▶ inside: no `next`, nothing made for each request
 *   below a prefix                  ──▶ the path is looked at; where it lies elsewhere the inside runs at once
 *
 * Spec: spec/middleware.md
 */
import type { Context } from "../http/context.ts";
import { type AsyncScope, currentScope } from "../internal/async-scope.ts";
import { stateError } from "../internal/usage-errors.ts";
import { HookMiddleware, runBefore } from "../middleware/hooks.ts";
import type { MiddlewareFunction, MiddlewareLike } from "../middleware/types.ts";
import { isUnder } from "../routing/pattern.ts";
import { isThenable } from "../internal/thenable.ts";

/** A composed chain. Returns a promise only when something in it is asynchronous. */
export type Run<C extends RunContext = RunContext> = (ctx: C) => unknown;

/** The part of a request's context that composing needs. */
export interface RunContext extends Context {
  /** Records what a handler, or a middleware that did not call `next`, returned. */
  recordValue(value: unknown): void;
  readonly services: { report(what: string, error: unknown): void };
  /** Of the innermost `next()` so far: what runs for the request outside the chain runs in it. */
  scope: AsyncScope | undefined;
  /** The middleware that neither continued nor responded. */
  silentMiddleware: object | undefined;
  /** What a prefix is compared with: the path as a handler can come to read it. */
  readonly readablePath: string;
}

/** A middleware as it is composed. */
export type Layer = MiddlewareFunction | HookMiddleware | readonly Choice[];

/** One of several: the first whose literal prefix a request lies at or below runs; where there is none, none does. */
export interface Choice {
  readonly prefix: string;
  readonly layer: MiddlewareFunction | HookMiddleware;
}

/** How a middleware is composed. One whose `handle` is its own, or wrapped, is called by it. */
export function layerOf(middleware: MiddlewareLike): Choice["layer"] {
  const hasHooks = middleware instanceof HookMiddleware && middleware.handle === HookMiddleware.prototype.handle;
  return hasHooks ? middleware : functionOf(middleware);
}

/** Does it see what is thrown inside of it? */
export const seesErrors = (layer: Layer): boolean =>
  Array.isArray(layer) ? layer.some((choice) => seesErrors(choice.layer)) : typeof layer === "function";

/** Any middleware as a function. */
export function functionOf(middleware: MiddlewareLike): MiddlewareFunction {
  if (typeof middleware === "function") return middleware;
  const handleMiddleware: MiddlewareFunction = (ctx, next) => middleware.handle(ctx, next);
  return Object.defineProperty(handleMiddleware, "name", { value: middleware.constructor.name });
}

/** The middleware around the handler, the first outermost. What a chain returns is recorded by whoever runs it. */
export function compose<C extends RunContext>(layers: readonly Layer[], handler: Run<C>): Run<C> {
  if (layers.length === 0) return handler;
  return layers.reduceRight<Run<C>>((inner, outer) => around(outer, inner), recording(handler));
}

function around<C extends RunContext>(outer: Layer, inner: Run<C>): Run<C> {
  if (typeof outer === "function") return link(outer, inner);
  return outer instanceof HookMiddleware ? hooked(outer, inner) : chosen(outer, inner);
}

/** The first choice that the path fits around the rest of the chain. */
function chosen<C extends RunContext>(choices: readonly Choice[], inner: Run<C>): Run<C> {
  const runs = choices.map(({ prefix, layer }) => ({ prefix, run: around(layer, inner) }));
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

/** Keeps which middleware ended the chain without a response, for the warning. */
function noteSilent(ctx: RunContext, middleware: MiddlewareFunction): void {
  if (!ctx.responded) ctx.silentMiddleware = middleware;
}

/** A handler inside of middleware: what it returns is recorded before the middleware goes on. */
function recording<C extends RunContext>(handler: Run<C>): Run<C> {
  return function runHandler(ctx) {
    const value = handler(ctx);
    if (isThenable(value)) return value.then((settled) => ctx.recordValue(settled));
    return ctx.recordValue(value);
  };
}

/**
 * One middleware around the rest of the chain. Whatever `next()` started is waited for, whether the middleware
 * returned it or not; its failure is the request's failure unless the middleware looked at it and outlived it.
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

/** Records what a middleware returned that did not call `next`. */
function recordOwn(ctx: RunContext, middleware: MiddlewareFunction, value: unknown): void {
  ctx.recordValue(value);
  noteSilent(ctx, middleware);
}

/**
 * What `next()` started, as its middleware gets it: a promise that knows whether anybody looked at it. `await`,
 * `then`, `catch` and `finally` all count as looking; `void next()` does not.
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

/** Waits for an asynchronous middleware, then for what it started and did not wait for. */
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

/** A middleware failed: what it started comes to its end first, whichever way, then the failure goes on. */
async function rethrowAfter(ctx: RunContext, inside: Inside | undefined, error: unknown): Promise<never> {
  await inside?.started.catch((inner: unknown) => {
    if (!inside.seen && inner !== error) reportLost(ctx, inner);
  });
  throw error;
}

/** Logs a failure that cannot become the request's own: another one has, or the request is over. */
function reportLost(ctx: RunContext, error: unknown): void {
  ctx.services.report(`${ctx.method} ${ctx.route ?? ctx.url}: a failure beside the response`, error);
}
