/**
 * Dispatcher: leads a request from the engine to its response.
 *
 *   Exchange ──▶ route ──▶ chain (wrap, use, group, route, handler) ──▶ settled ──▶ response hooks ──▶ commit
 *                             └─ throw ──▶ failed: error mapping, outside the chain ──┘
 *
 * Synchronous when the chain is: a synchronous handler causes no promise.
 *
 * Spec: spec/routing.md, spec/errors.md
 */
import { type CompiledRoutes, rejectedBy } from "./route-table.ts";
import type { EngineHandler, Exchange, RejectedRequest } from "../http/exchange.ts";
import type { ErrorMapper } from "./error-mapper.ts";
import { ClientGoneError, HttpError, problemOf } from "../internal/errors.ts";
import type { Run } from "./composition.ts";
import type { Completion, Context, RecordedResponse, ResponseHook } from "../http/context.ts";
import { RequestContext } from "../http/request-context.ts";
import type { ContextServices } from "../http/services.ts";
import { TimedContext } from "../http/timed-context.ts";
import { pathInside } from "../http/target.ts";
import { routedPath } from "../routing/path.ts";
import { CLIENT_CLOSED_REQUEST } from "../internal/http-rules.ts";
import { isThenable } from "../internal/thenable.ts";
import { beginTraced, endTraced, isHeard, type Tracing, tracingOf } from "../internal/tracing-channels.ts";
import { tellWatchers } from "../internal/watchers.ts";

/** The app, as dispatching needs it. */
export interface DispatchServices extends ContextServices {
  readonly limits: { readonly headerBytes: number; readonly headerCount: number; readonly urlBytes: number };
  readonly warnSilent: (ctx: RequestContext) => void;
  rejected(request: RejectedRequest): void;
  /** Observers of sent responses. Empty without any. */
  readonly onSent: readonly ((ctx: Context, response: RecordedResponse) => unknown)[];
}

/** Passes every exchange through routing and its chain. */
export class Dispatcher implements EngineHandler {
  readonly #services: DispatchServices;
  readonly #routes: CompiledRoutes;
  readonly #errors: ErrorMapper;
  /** The class of its contexts. Another one if tools watch the time of requests. */
  readonly #Context: typeof RequestContext;
  readonly #tracing: Tracing | undefined = tracingOf("request");

  constructor(services: DispatchServices, routes: CompiledRoutes, errors: ErrorMapper) {
    this.#services = services;
    this.#routes = routes;
    this.#errors = errors;
    this.#Context = services.onPhase.length === 0 ? RequestContext : TimedContext;
  }

  handle(exchange: Exchange): void {
    const { limits, contextPath } = this.#services;
    const { target, headerBytes, headerCount } = exchange;
    if (headerBytes > limits.headerBytes) return this.reject(exchange, 431);
    if (target.length > limits.urlBytes) return this.reject(exchange, 414);
    if (headerCount > limits.headerCount) return this.reject(exchange, 431);
    const { flaw } = exchange;
    const path = pathInside(target, contextPath);
    const routed = path === undefined ? undefined : routedPath(path);
    const routes = this.#routes;
    const ctx = new this.#Context(exchange, this.#services, routes.unrouted, routed ?? path ?? "", routed === path);
    const run = flaw === undefined ? routes.route(ctx, path, routed) : routes.flawed(flaw);
    const tracing = this.#tracing;
    if (tracing !== undefined && isHeard(tracing)) this.#runTraced(tracing, ctx, run);
    else this.#run(ctx, run);
  }

  /** The request on the channel `tracing:framework.request`, until its response is over. */
  #runTraced(tracing: Tracing, ctx: RequestContext, run: Run<RequestContext>): void {
    const message: { [fact: string]: unknown; completion?: Completion; error?: unknown } = { ctx };
    ctx.onComplete((completion) => {
      message.completion = completion;
      message.error = completion.error;
      endTraced(tracing, message);
    });
    beginTraced(tracing, message, () => this.#run(ctx, run));
  }

  rejected(request: RejectedRequest): void {
    this.#services.rejected(request);
  }

  /** Responds to an unhandled request. No middleware runs for it. */
  reject(exchange: Exchange, status: number): void {
    respondUnhandled(exchange, status, (request) => this.#services.rejected(request));
  }

  #run(ctx: RequestContext, run: Run<RequestContext>): void {
    try {
      const value = run(ctx);
      // Inside the try, because a revoked proxy throws when it is inspected, and a query builder's `then` may.
      if (value instanceof Promise || isThenable(value)) return this.#wait(ctx, value);
      if (!ctx.settle(value, this.#services.warnSilent)) return;
    } catch (error) {
      return this.#failed(ctx, error);
    }
    this.#send(ctx);
  }

  /** The chain is asynchronous, so its client may leave during the wait, or its time may run out. */
  #wait(ctx: RequestContext, value: PromiseLike<unknown>): void {
    ctx.arm((error) => this.#brokenOff(ctx, error));
    const { handlerMs } = ctx.target;
    const limit = handlerMs === 0 ? undefined : setTimeout(() => this.#tookTooLong(ctx), handlerMs);
    value.then(
      (settled) => {
        if (limit !== undefined) clearTimeout(limit);
        this.#settled(ctx, settled);
      },
      (error: unknown) => {
        if (limit !== undefined) clearTimeout(limit);
        this.#failed(ctx, error);
      },
    );
  }

  #settled(ctx: RequestContext, value: unknown): void {
    try {
      if (!ctx.settle(value, this.#services.warnSilent)) return;
    } catch (error) {
      return this.#failed(ctx, error);
    }
    this.#send(ctx);
  }

  #failed(ctx: RequestContext, thrown: unknown): void {
    const error = sound(thrown);
    const isGone = error instanceof ClientGoneError;
    const rejected = rejectedBy(error);
    const failure = ctx.fail(error, rejected !== undefined);
    if (failure === "report") {
      if (!isGone && !ctx.signal.aborted) this.#errors.report(ctx, error);
    } else if (isGone) {
      ctx.leave();
      ctx.exchange.cut();
    } else if (failure === "cut") {
      this.#errors.report(ctx, error);
      ctx.cut();
    } else if (rejected !== "not found" || !ctx.handOver()) {
      const mapped = this.#errors.map(ctx, error);
      if (mapped === undefined) return this.#send(ctx);
      ctx.arm();
      const send = (): void => this.#send(ctx);
      mapped.then(send, send);
    }
  }

  /** The chain still runs and might respond at any time, so the app's error handlers are not called. */
  #brokenOff(ctx: RequestContext, error: HttpError): void {
    this.#errors.respond(ctx, error);
    this.#send(ctx);
  }

  /** The chain has not settled in time. Its client gets 503, unless a stream has begun. */
  #tookTooLong(ctx: RequestContext): void {
    if (ctx.committed || ctx.isOver) return;
    const { method, route, url } = ctx;
    const { handlerMs } = ctx.target;
    const sentence = `${method} ${route ?? url} did not settle within ${handlerMs} ms`;
    this.#services.report(`${sentence}: its client gets 503`, undefined);
    ctx.annotations?.add("handlerTimeout", { handlerMs });
    const error = new HttpError(503, `no response within ${handlerMs} ms`, { code: "HANDLER_TIMEOUT" });
    ctx.broken(error, new DOMException(sentence, "TimeoutError"));
  }

  /** Sends the recorded response, through the response hooks if there are any. */
  #send(ctx: RequestContext): void {
    const hooks = ctx.takeHooks();
    if (hooks !== undefined) return this.#sendThrough(ctx, hooks);
    const { onSent } = this.#services;
    if (onSent.length > 0 && ctx.isReady) ctx.inScope(() => tellWatchers(onSent, ctx, ctx.recorded()));
    try {
      ctx.commit();
    } catch (error) {
      this.#services.report(`${ctx.method} ${ctx.route ?? ctx.url}: the response could not be sent`, error);
      ctx.cut(error);
    }
  }

  /** The hooks may replace the response first. If they fail, the mapped error comes back here. */
  #sendThrough(ctx: RequestContext, hooks: readonly ResponseHook[]): void {
    let waiting: void | Promise<void>;
    try {
      waiting = ctx.inScope(() => throughHooks(ctx, hooks, 0));
    } catch (error) {
      return this.#failed(ctx, error);
    }
    if (waiting === undefined) return this.#send(ctx);
    ctx.arm();
    waiting.then(
      () => this.#send(ctx),
      (error: unknown) => this.#failed(ctx, error),
    );
  }
}

/** Responds to a request that never becomes a context, and reports it. */
export function respondUnhandled(
  exchange: Exchange,
  status: number,
  rejected: (request: RejectedRequest) => void,
): void {
  const startedAt = performance.now();
  const tell = (bytes: number, outcome: number): void =>
    rejected({
      status: outcome,
      bytes,
      durationMs: performance.now() - startedAt,
      remoteAddress: exchange.peer,
      scheme: exchange.secure ? "https" : "http",
    });
  if (exchange.gone) return tell(0, CLIENT_CLOSED_REQUEST);
  const head = ["Content-Type", "application/problem+json", "Connection", "close"];
  exchange.respond(status, head, JSON.stringify(problemOf(status)), {
    isWatched: true,
    delivered: (bytes) => tell(bytes, status),
  });
}

/** Passes the recorded response through the hooks from that one on. Returns a promise only for an asynchronous hook. */
function throughHooks(ctx: RequestContext, hooks: readonly ResponseHook[], from: number): void | Promise<void> {
  for (let at = from; at < hooks.length && ctx.isReady; at += 1) {
    const replaced = hooks[at]?.(ctx, ctx.recorded());
    if (isThenable(replaced)) {
      return replaced.then((settled) => {
        if (settled !== undefined) ctx.replace(settled);
        return throughHooks(ctx, hooks, at + 1);
      });
    }
    if (replaced !== undefined) ctx.replace(replaced);
  }
}

/** The thrown value, if it can be inspected. A proxy with throwing traps cannot. */
function sound(thrown: unknown): unknown {
  try {
    void (thrown instanceof Error);
    return thrown;
  } catch {
    return new TypeError("what was thrown cannot be looked at: looking at it throws");
  }
}
