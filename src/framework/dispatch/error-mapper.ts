/**
 * Error mapping: from what was thrown to the response that goes out.
 *
 *   thrown ──▶ exception(nearest class) ──▶ error(status) ──▶ problem+json
 *              of the route's groups, the innermost first, then of the app
 *              each step responds, or leaves it to the next; one that fails itself is logged and skipped;
 *              one that only chooses a status has responded with the problem of that status;
 *              one that throws or returns an HttpError starts this anew with it, asked no more itself
 *
 * Runs outside the middleware chain. Headers that describe the discarded response go; the rest (CORS, Vary,
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

/** Of one response and no other, besides what describes its content. */
const ofResponse = ["content-location", "location", "etag", "last-modified", "cache-control", "expires"];

const describesResponse = (name: string): boolean => describesContent(name) || ofResponse.includes(name);

const noHandlers: readonly unknown[] = [];
const noneAsked: readonly ErrorHandler[] = [];

const PROBLEM_TYPE = "application/problem+json";

/** Who is asked about one error, and what it is as a response where none of them responds. */
interface Asked {
  readonly rejection: Rejection;
  readonly status: number;
  readonly byClass: readonly ErrorHandler[];
  readonly byStatus: StatusHandler | undefined;
  /** Those that were asked for this request already. */
  readonly before: readonly unknown[];
}

/** What is asked in turn for one error. */
interface Attempt {
  readonly steps: readonly (() => unknown)[];
  /** Puts the response back to where each step begins. */
  readonly start: () => void;
  readonly asked: unknown[];
  /** The status of the error. */
  readonly mapped: number;
}

/** A step that remembers whom it asked. */
const asking =
  (handler: unknown, asked: unknown[], ask: () => unknown): (() => unknown) =>
  () => {
    asked.push(handler);
    return ask();
  };

/** The app's error handlers, and the response when none fits. */
export class ErrorMapper {
  readonly #byClass: ExceptionHandlers = new ExceptionHandlers();
  #hasClasses = false;
  readonly #byStatus: Map<number, StatusHandler> = new Map();
  readonly #log: (what: string, error: unknown) => void;

  constructor(log: (what: string, error: unknown) => void) {
    this.#log = log;
  }

  /** @throws TypeError when `type` is no class, or has a handler already. */
  onClass(type: Class<object>, handler: ErrorHandler): void {
    this.#byClass.add(type, handler, "app.onError");
    this.#hasClasses = true;
  }

  /** @throws RangeError when `status` is no error status, TypeError when it has a handler already. */
  onStatus(status: number, handler: StatusHandler): void {
    if (!Number.isInteger(status) || status < 400 || status > 599)
      throw new RangeError(`app.onStatus takes a status from 400 to 599, not ${status}`);
    if (this.#byStatus.has(status)) throw new TypeError(`status ${status} has a handler already`);
    this.#byStatus.set(status, handler);
  }

  /** Responds to a rejection at once; false where an error handler of the app, or the host, is to be asked. */
  reject(ctx: RequestContext, rejection: Rejection): boolean {
    if (this.#hasClasses || this.#byStatus.size > 0 || ctx.exchange.pass !== undefined) return false;
    this.respond(ctx, rejection);
    return true;
  }

  /**
   * Records the problem that `rejection` is, no handler asked. Some headers of the discarded response stay.
   *
   * @param status what it gets, where its own is no error status
   */
  respond(ctx: RequestContext, rejection: Rejection, status: number = rejection.status): void {
    const fields = this.#headersOf(ctx, rejection);
    ctx.replaceWith(status, fields, PROBLEM_TYPE, this.#problemText(ctx, rejection, status), describesResponse);
  }

  /**
   * Records the response to `error`; returns a promise when a handler is asynchronous. Never throws, never rejects.
   *
   * @param before handlers that were asked for this request already: each is asked once, so that this comes to an end
   */
  map(ctx: RequestContext, error: unknown, before: readonly unknown[] = noHandlers): void | Promise<void> {
    const rejection: Rejection = error instanceof HttpError ? error : unexpected;
    const status = isErrorStatus(rejection.status) ? rejection.status : 500;
    const byClass = this.#ofClass(ctx, error, before);
    const byStatus = this.#renderer(status, before);
    if (byClass.length === 0 && !(error instanceof HttpError)) this.report(ctx, error);
    if (byClass.length === 0 && byStatus === undefined) return this.respond(ctx, rejection, status);
    return ctx.inScope(() => this.#ask(ctx, error, { rejection, status, byClass, byStatus, before }));
  }

  /** Asks the handlers that the app has for that error. */
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

  /** The headers that a rejection brings; those that no response may carry are logged and left out. */
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

  /** The problem of an error; of its status alone when what it carries has no JSON form. */
  #problemText(ctx: RequestContext, about: Rejection | number, status: number): string {
    try {
      return jsonText(problemOf(about), ctx);
    } catch (fault) {
      this.report(ctx, fault);
      return jsonText(problemOf(status));
    }
  }

  /** Logs an unexpected error, once, with what is needed to find the request again. */
  report(ctx: RequestContext, error: unknown): void {
    const id = ctx.attribute("requestId");
    const what = `${ctx.method} ${ctx.route ?? ctx.url} failed${id === undefined ? "" : ` (request id ${id})`}`;
    ctx.inScope(() => this.#log(what, error));
  }

  /** Asks each step in turn until one has responded. */
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

  /** A handler chose a status and said no more: its renderer responds, else the problem of it; below 400 nothing. */
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

  /** The handler of that status, unless it was asked. */
  #renderer(status: number, asked: readonly unknown[]): StatusHandler | undefined {
    const handler = this.#byStatus.get(status);
    return asked.includes(handler) ? undefined : handler;
  }

  /** Who is asked about an error of its class: a handler of each group of the route, the innermost first, and the app's. */
  #ofClass(ctx: RequestContext, error: unknown, asked: readonly unknown[]): readonly ErrorHandler[] {
    const { errorHandlers } = ctx.target;
    if (errorHandlers === undefined && !this.#hasClasses) return noneAsked;
    const places = errorHandlers === undefined ? [this.#byClass] : [...errorHandlers, this.#byClass];
    const handlers = new Set(places.map((place) => place.nearest(error, asked)));
    return [...handlers].filter((handler) => handler !== undefined);
  }
}

/** An unexpected error, as a rejection: nothing of it is shown. */
const unexpected: Rejection = { status: 500, message: "", headers: noHeaders };

const isErrorStatus = (status: number): boolean => Number.isInteger(status) && status >= 400 && status <= 599;
