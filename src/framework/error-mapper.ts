/**
 * Error mapping: from what was thrown to the answer that goes out.
 *
 *   thrown ──▶ exception(nearest class) ──▶ error(status) ──▶ problem+json
 *              each step answers, or leaves it to the next; one that fails itself is logged and skipped
 *
 * Runs outside the middleware chain. Headers that describe the discarded answer go; the rest (CORS, Vary,
 * X-Request-Id) stay.
 *
 * Spec: spec/errors.md (ERR)
 */
import type { Class } from "./beans/types.ts";
import type { Context } from "./context.ts";
import { HttpError, problemOf } from "./errors.ts";
import { withoutFields } from "./headers.ts";
import { isThenable } from "./pipeline.ts";
import type { RequestContext } from "./request-context.ts";

/** Answers an error of a class. */
export type ExceptionHandler = (error: never, ctx: Context) => unknown;

/** Renders an error status. */
export type StatusHandler = (ctx: Context) => unknown;

const describesTheAnswer = (name: string): boolean =>
  name.startsWith("content-") || name === "etag" || name === "last-modified" || name === "cache-control";

/** Forgets the answer so far, for the error's status and headers. */
function startOver(ctx: RequestContext, status: number, error: unknown, kept: string[]): void {
  ctx.discard(kept);
  ctx.statusCode = status;
  if (error instanceof HttpError) for (const [name, value] of Object.entries(error.headers)) ctx.header(name, value);
}

/** The answer when nobody else gives one: problem+json. */
function answerAs(ctx: RequestContext, status: number, error: unknown, kept: string[]): void {
  startOver(ctx, status, error, kept);
  ctx.header("Content-Type", "application/problem+json");
  ctx.json(problemOf(error instanceof HttpError ? error : 500));
}

/** The app's error handlers, and the answer when none fits. */
export class ErrorMapper {
  readonly #byClass: Map<object, ExceptionHandler> = new Map();
  readonly #byStatus: Map<number, StatusHandler> = new Map();
  readonly #log: (what: string, error: unknown) => void;

  constructor(log: (what: string, error: unknown) => void) {
    this.#log = log;
  }

  /** @throws TypeError when `type` is no class, or has a handler already. */
  onClass(type: Class<object>, handler: ExceptionHandler): void {
    const prototype: unknown = Reflect.get(type, "prototype");
    if (typeof prototype !== "object" || prototype === null)
      throw new TypeError("app.exception takes an error class first");
    if (this.#byClass.has(prototype)) throw new TypeError(`${type.name} has an exception handler already`);
    this.#byClass.set(prototype, handler);
  }

  /** @throws RangeError when `status` is no error status, TypeError when it has a handler already. */
  onStatus(status: number, handler: StatusHandler): void {
    if (!Number.isInteger(status) || status < 400 || status > 599)
      throw new RangeError(`app.error takes a status from 400 to 599, not ${status}`);
    if (this.#byStatus.has(status)) throw new TypeError(`status ${status} has a handler already`);
    this.#byStatus.set(status, handler);
  }

  /** Records the answer to `error`; returns a promise when a handler is asynchronous. */
  map(ctx: RequestContext, error: unknown): void | Promise<void> {
    const status = error instanceof HttpError ? error.status : 500;
    const kept = withoutFields(ctx.head, describesTheAnswer);
    const byClass = this.#byClass.size === 0 ? undefined : this.#nearest(error);
    const byStatus = this.#byStatus.get(status);
    if (byClass === undefined && !(error instanceof HttpError)) this.report(ctx, error);
    if (byClass === undefined && byStatus === undefined) return answerAs(ctx, status, error, kept);
    const noteUnanswered = (): void => {
      if (!(error instanceof HttpError)) this.report(ctx, error);
    };
    const steps = [
      ...(byClass === undefined ? [] : [(): unknown => byClass(error as never, ctx), noteUnanswered]),
      ...(byStatus === undefined ? [] : [(): unknown => byStatus(ctx)]),
    ];
    const start = (): void => startOver(ctx, status, error, [...kept]);
    return this.#attempt(ctx, steps, start, () => answerAs(ctx, status, error, kept));
  }

  /** Logs an unexpected error, once, with what is needed to find the request again. */
  report(ctx: RequestContext, error: unknown): void {
    const id = ctx.attribute("requestId");
    this.#log(`${ctx.method} ${ctx.route ?? ctx.url} failed${id === undefined ? "" : ` (request id ${id})`}`, error);
  }

  #attempt(
    ctx: RequestContext,
    steps: readonly (() => unknown)[],
    start: () => void,
    finish: () => void,
  ): void | Promise<void> {
    const [step, ...rest] = steps;
    if (step === undefined) return finish();
    const next = (): void | Promise<void> => this.#attempt(ctx, rest, start, finish);
    const failed = (error: unknown): void | Promise<void> => {
      this.report(ctx, error);
      return next();
    };
    const settle = (value: unknown): void | Promise<void> => {
      ctx.answer(value);
      return ctx.answered ? undefined : next();
    };
    try {
      start();
      const value = step();
      if (isThenable(value)) return Promise.resolve(value).then(settle).catch(failed);
      return settle(value);
    } catch (error) {
      return failed(error);
    }
  }

  /** The handler of the nearest class. One for Error does not catch HttpErrors: those are answers. */
  #nearest(error: unknown): ExceptionHandler | undefined {
    if (typeof error !== "object" || error === null) return undefined;
    for (let at: object | null = Object.getPrototypeOf(error); at !== null; at = Object.getPrototypeOf(at)) {
      const handler = this.#byClass.get(at);
      if (handler !== undefined) return handler;
      if (at === HttpError.prototype) return undefined;
    }
    return undefined;
  }
}
