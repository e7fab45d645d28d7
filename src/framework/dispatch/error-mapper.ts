/**
 * Error mapping: turns a thrown value into the response.
 *
 *   thrown ──▶ exception(nearest class) ──▶ error(status) ──▶ problem+json
 *              of the route's groups, the innermost first, then of the app
 *              each step responds, or leaves it to the next; one that fails itself is logged and skipped;
 *              one that only sets a status has responded with the problem of that status;
 *              one that throws or returns an HttpError starts this again with it, and is not called again
 *
 * Runs outside the middleware chain. Headers that describe the discarded response are dropped. The rest (CORS, Vary,
 * X-Request-Id) stay.
 *
 * Spec: spec/errors.md
 */
import type { Class } from "../beans/types.ts";
import type { Context } from "../http/context.ts";
import type { ErrorHandler } from "../http/error-handlers.ts";
import { ExceptionHandlers } from "./exception-handlers.ts";
import { HttpError, noHeaders, problemOf, type Rejection } from "../internal/errors.ts";
import { checkField, describesContent } from "../http/headers.ts";
import { jsonText } from "../http/outgoing.ts";
import { isThenable } from "../internal/thenable.ts";
import type { RequestContext } from "../http/request-context.ts";

/** Renders an error status. */
export type StatusHandler = (ctx: Context) => unknown;

/** Headers of one response only, in addition to those that describe its content. */
const ofResponse = ["content-location", "location", "etag", "last-modified", "cache-control", "expires"];

const describesResponse = (name: string): boolean => describesContent(name) || ofResponse.includes(name);

const noHandlers: readonly unknown[] = [];
const noneAsked: readonly ErrorHandler[] = [];

const PROBLEM_TYPE = "application/problem+json";

/** The handlers for one error, and its response if none of them responds. */
interface Asked {
  readonly rejection: Rejection;
  readonly status: number;
  readonly byClass: readonly ErrorHandler[];
  readonly byStatus: StatusHandler | undefined;
  /** Handlers already called for this request. */
  readonly before: readonly unknown[];
}

/** The steps for one error, in order. */
interface Attempt {
  readonly steps: readonly (() => unknown)[];
  /** Resets the response to the state at the start of each step. */
  readonly start: () => void;
  readonly asked: unknown[];
  /** The status of the error. */
  readonly mapped: number;
}

/** A step that remembers the called handler. */
const asking =
  (handler: unknown, asked: unknown[], ask: () => unknown): (() => unknown) =>
  () => {
    asked.push(handler);
    return ask();
  };

/** The app's error handlers, and the default response. */
export class ErrorMapper {
  readonly #byClass: ExceptionHandlers = new ExceptionHandlers();
  #hasClasses = false;
  readonly #byStatus: Map<number, StatusHandler> = new Map();
  readonly #log: (what: string, error: unknown) => void;

  constructor(log: (what: string, error: unknown) => void) {
    this.#log = log;
  }

  /** @throws TypeError when `type` is not a class, or has a handler already. */
  onClass(type: Class<object>, handler: ErrorHandler): void {
    this.#byClass.add(type, handler, "app.onError");
    this.#hasClasses = true;
  }

  /** @throws RangeError when `status` is not an error status, TypeError when it has a handler already. */
  onStatus(status: number, handler: StatusHandler): void {
    if (!Number.isInteger(status) || status < 400 || status > 599)
      throw new RangeError(`app.onStatus takes a status from 400 to 599, not ${status}`);
    if (this.#byStatus.has(status)) throw new TypeError(`status ${status} has a handler already`);
    this.#byStatus.set(status, handler);
  }

  /** Responds to a rejection immediately. False when an error handler of the app, or the host, must be called. */
  reject(ctx: RequestContext, rejection: Rejection): boolean {
    if (this.#hasClasses || this.#byStatus.size > 0 || ctx.exchange.pass !== undefined) return false;
    this.respond(ctx, rejection);
    return true;
  }

  /**
   * Records the problem of `rejection` without a handler. Some headers of the discarded response stay.
   *
   * @param status used when its own is not an error status
   */
  respond(ctx: RequestContext, rejection: Rejection, status: number = rejection.status): void {
    const fields = this.#headersOf(ctx, rejection);
    ctx.replaceWith(status, fields, PROBLEM_TYPE, this.#problemText(ctx, rejection, status), describesResponse);
  }

  /**
   * Records the response to `error`. Returns a promise when a handler is asynchronous. Never throws, never rejects.
   *
   * @param before handlers already called for this request. Each is called once, so this terminates
   */
  map(ctx: RequestContext, error: unknown, before: readonly unknown[] = noHandlers): void | Promise<void> {
    const known = error instanceof HttpError ? error : undefined;
    const rejection: Rejection = known ?? unexpected;
    const status = isErrorStatus(rejection.status) ? rejection.status : 500;
    const byClass = this.#ofClass(ctx, error, before);
    const byStatus = this.#renderer(status, before);
    if (byClass.length === 0 && known === undefined) this.report(ctx, error);
    if (byClass.length === 0 && byStatus === undefined) return this.respond(ctx, rejection, status);
    return ctx.inScope(() => this.#ask(ctx, error, { rejection, status, byClass, byStatus, before }));
  }

  /** Calls the app's handlers for that error. */
  #ask(
    ctx: RequestContext,
    error: unknown,
    { rejection, status, byClass, byStatus, before }: Asked,
  ): void | Promise<void> {
    const kept = ctx.headWithout(describesResponse);
    const vary = ctx.responseHeader("vary");
    const own = this.#headersOf(ctx, rejection);
    const start = (): void => {
      ctx.discard([...kept]);
      ctx.status(status);
      for (const [name, value] of own) ctx.setHeader(name, value);
    };
    const logSilent = (): void => {
      if (!(error instanceof HttpError)) this.report(ctx, error);
    };
    const asked = [...before];
    const steps = [
      ...byClass.map((handler) => asking(handler, asked, () => handler(error as never, ctx))),
      ...(byClass.length === 0 ? [] : [logSilent]),
      ...(byStatus === undefined ? [] : [asking(byStatus, asked, () => byStatus(ctx))]),
    ];
    const settle = (): void => {
      if (!ctx.responded) {
        start();
        this.#problem(ctx, rejection, status);
      }
      if (ctx.isReady) ctx.keepVary(vary);
    };
    start();
    const outcome = this.#attempt(ctx, { steps, start, asked, mapped: status });
    return outcome === undefined ? settle() : outcome.then(settle);
  }

  /** The headers of a rejection. Those that no response may carry are logged and left out. */
  #headersOf(ctx: RequestContext, { headers }: Rejection): readonly (readonly [string, string])[] {
    if (headers === noHeaders) return [];
    return Object.entries(headers).flatMap(([name, value]) => {
      try {
        return [[name, checkField(name, value)] as const];
      } catch (fault) {
        this.report(ctx, fault);
        return [];
      }
    });
  }

  #problem(ctx: RequestContext, about: Rejection | number, status: number): void {
    ctx.setHeader("Content-Type", PROBLEM_TYPE);
    ctx.text(this.#problemText(ctx, about, status));
  }

  /** The problem of an error, or of its status alone when its fields have no JSON form. */
  #problemText(ctx: RequestContext, about: Rejection | number, status: number): string {
    try {
      return jsonText(problemOf(about), ctx);
    } catch (fault) {
      this.report(ctx, fault);
      return jsonText(problemOf(status));
    }
  }

  /** Logs an unexpected error, once, with data to find the request again. */
  report(ctx: RequestContext, error: unknown): void {
    const id = ctx.attribute("requestId");
    const what = `${ctx.method} ${ctx.route ?? ctx.url} failed${id === undefined ? "" : ` (request id ${id})`}`;
    ctx.inScope(() => this.#log(what, error));
  }

  /** Runs each step in turn until one has responded. */
  #attempt(ctx: RequestContext, attempt: Attempt): void | Promise<void> {
    const { steps, start, asked, mapped } = attempt;
    const [step, ...rest] = steps;
    if (step === undefined) return undefined;
    const next = (): void | Promise<void> => this.#attempt(ctx, { ...attempt, steps: rest });
    const failed = (error: unknown): void | Promise<void> => {
      if (error instanceof HttpError) return this.map(ctx, error, asked);
      this.report(ctx, error);
      if (!ctx.isReady) return undefined;
      start();
      return next();
    };
    const settle = (value: unknown): void | Promise<void> => {
      ctx.recordValue(value);
      if (!ctx.responded && ctx.statusCode !== mapped) return this.#chosen(ctx, asked);
      return ctx.responded ? undefined : next();
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

  /** A handler set only a status. Its renderer responds, else its problem. Below 400 the body is empty. */
  #chosen(ctx: RequestContext, asked: unknown[]): void | Promise<void> {
    const { statusCode } = ctx;
    const head = ctx.headWithout(() => false);
    const start = (): void => {
      ctx.discard([...head]);
      ctx.status(statusCode);
    };
    const finish = (): void => {
      if (ctx.responded) return;
      if (statusCode >= 400) this.#problem(ctx, statusCode, statusCode);
      else ctx.recordEmpty();
    };
    const render = this.#renderer(statusCode, asked);
    if (render === undefined) return finish();
    const steps = [asking(render, asked, () => render(ctx))];
    const rendered = this.#attempt(ctx, { steps, start, asked, mapped: statusCode });
    return rendered === undefined ? finish() : rendered.then(finish);
  }

  /** The handler of that status, unless it was called already. */
  #renderer(status: number, asked: readonly unknown[]): StatusHandler | undefined {
    const handler = this.#byStatus.get(status);
    return asked.includes(handler) ? undefined : handler;
  }

  /** The handlers for an error's class: one of each group of the route, the innermost first, then the app's. */
  #ofClass(ctx: RequestContext, error: unknown, asked: readonly unknown[]): readonly ErrorHandler[] {
    const { errorHandlers } = ctx.target;
    if (errorHandlers === undefined && !this.#hasClasses) return noneAsked;
    const places = errorHandlers === undefined ? [this.#byClass] : [...errorHandlers, this.#byClass];
    const handlers = new Set(places.map((place) => place.nearest(error, asked)));
    return [...handlers].filter((handler) => handler !== undefined);
  }
}

/** An unexpected error as a rejection. It reveals nothing of the error. */
const unexpected: Rejection = { status: 500, message: "", headers: noHeaders };

const isErrorStatus = (status: number): boolean => Number.isInteger(status) && status >= 400 && status <= 599;
