/**
 * Middleware: the types, and the chain they are composed into.
 *
 * Spec: spec/middleware.md (MW)
 */
import type { Context } from "./context.ts";
import { untimely } from "./errors.ts";

/** Runs what is inside. Returns the inner promise when there is one; undefined when the inside was synchronous. */
export type Next = () => void | Promise<void>;

/** A middleware as a function. */
export type MiddlewareFunction = (ctx: Context, next: Next) => unknown;

/** What `app` tells a middleware when it is installed, started and stopped. */
export interface Lifecycle {
  /** Readiness should turn 503: `app.stop()` was called and requests in flight are draining. */
  readonly draining: boolean;
  onStop(listener: () => void | Promise<void>): void;
  /** Requests the parser refused (400, 408, 413, 414, 431): they never become a Context. */
  onRefused(listener: (refused: Refused) => void): void;
  /** One line to the app's logger. */
  warn(line: string): void;
}

/** A request that the HTTP parser refused before any routing. */
export interface Refused {
  readonly status: number;
  readonly durationMs: number;
  readonly bytes: number;
  readonly remoteAddress: string | undefined;
}

/** A middleware as an object. */
export interface Middleware {
  handle(ctx: Context, next: Next): unknown;
  /** Called once by `app.use`/`app.wrap`, before the app starts. */
  installed?(app: Lifecycle): void;
}

/** What `app.use` takes. */
export type MiddlewareLike = Middleware | MiddlewareFunction;

/** A composed chain. Returns a promise only when something in it is asynchronous. */
export type Run = (ctx: RunContext) => unknown;

/** The part of a request's context that composing needs. */
export interface RunContext extends Context {
  /** Records what a handler, or a middleware that did not call `next`, returned. */
  answer(value: unknown): void;
}

/** Is `value` something to wait for? */
export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";

/** The middleware around `inside`, the first outermost. */
export function compose(middleware: readonly MiddlewareFunction[], inside: Run): Run {
  return middleware.reduceRight<Run>((inner, outer) => link(outer, inner), inside);
}

/** A handler as the innermost part of a chain: what it returns is recorded. */
export function terminal(handler: (ctx: Context) => unknown): Run {
  return function runHandler(ctx) {
    const value = handler(ctx);
    if (isThenable(value)) return value.then((settled) => ctx.answer(settled));
    return ctx.answer(value);
  };
}

/**
 * One middleware around the rest of the chain. Whatever `next()` started is waited for, whether the middleware
 * returned it or not; its failure is the request's failure unless the middleware was still there to see it.
 */
function link(middleware: MiddlewareFunction, inner: Run): Run {
  return function runMiddleware(ctx) {
    let called = false;
    let started: Promise<void> | undefined;
    let inside: Inside | undefined = undefined;
    const next = (): void | Promise<void> => {
      if (called) throw untimely("NEXT_TWICE", "next() was called twice in one middleware");
      called = true;
      const value = inner(ctx);
      if (!isThenable(value)) return undefined;
      started = asVoid(value);
      if (inside !== undefined) watch(inside, started);
      return started;
    };
    let value: unknown;
    try {
      value = middleware(ctx, next);
    } catch (error) {
      if (started === undefined) throw error;
      return rethrowAfter(started, error);
    }
    if (!isThenable(value)) {
      if (!called) ctx.answer(value);
      return started;
    }
    if (started === value) return value;
    inside = { started: undefined, settled: false };
    if (started !== undefined) watch(inside, started);
    return outlast(ctx, value, inside, () => called);
  };
}

/** What a middleware that is still running has started by `next()`, and whether that is over. */
interface Inside {
  started: Promise<void> | undefined;
  settled: boolean;
}

const asVoid = (value: PromiseLike<unknown>): Promise<void> =>
  value instanceof Promise ? value : Promise.resolve(value).then(() => undefined);

function watch(inside: Inside, started: Promise<void>): void {
  const settle = (): void => {
    inside.settled = true;
  };
  inside.started = started;
  started.then(settle, settle);
}

/** Waits for an asynchronous middleware, then for what it started and did not wait for. */
async function outlast(
  ctx: RunContext,
  middleware: PromiseLike<unknown>,
  inside: Inside,
  called: () => boolean,
): Promise<void> {
  let value: unknown;
  try {
    value = await middleware;
  } catch (error) {
    return rethrowAfter(inside.started, error);
  }
  if (!called()) ctx.answer(value);
  else if (inside.started !== undefined && !inside.settled) await inside.started;
}

/** A middleware failed: what it started comes to its end first, whichever way, then the failure goes on. */
async function rethrowAfter(started: Promise<void> | undefined, error: unknown): Promise<never> {
  await started?.catch(() => undefined);
  throw error;
}
