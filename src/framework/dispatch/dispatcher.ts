/**
 * Dispatcher: what happens to a request between the engine and its answer.
 *
 *   Exchange ──▶ route ──▶ chain (wrap, use, group, route, handler) ──▶ flush
 *                             └─ throw ──▶ error mapping, outside the chain ──▶ flush
 *
 * Synchronous all the way when the chain is: no promise is made for a synchronous handler.
 *
 * Spec: spec/routing.md (ROUTE), spec/errors.md (ERR), spec/lifecycle.md (LIFE)
 */
import { isNotFound, isRouterError, type CompiledRoutes } from "./route-table.ts";
import type { EngineHandler, Exchange, RefusedRequest } from "../http/exchange.ts";
import type { ErrorMapper } from "./error-mapper.ts";
import { ClientGoneError, problemOf, type HttpError } from "../internal/errors.ts";
import { isUnder } from "../routing/pattern.ts";
import type { Run } from "./composition.ts";
import { RequestContext } from "../http/request-context.ts";
import type { ContextServices } from "../http/services.ts";
import { originForm, pathOf } from "../http/target.ts";
import { routedPath } from "../routing/path.ts";
import { isThenable } from "../internal/thenable.ts";

/** What dispatching needs to know of the app. */
export interface DispatchServices extends ContextServices {
  readonly limits: { readonly headerBytes: number; readonly headerCount: number; readonly urlBytes: number };
  warnSilent(ctx: RequestContext): void;
  refused(request: RefusedRequest): void;
}

/** Hands every exchange through routing and its chain. */
export class Dispatcher implements EngineHandler {
  readonly #services: DispatchServices;
  readonly #routes: CompiledRoutes;
  readonly #errors: ErrorMapper;

  constructor(services: DispatchServices, routes: CompiledRoutes, errors: ErrorMapper) {
    this.#services = services;
    this.#routes = routes;
    this.#errors = errors;
  }

  handle(exchange: Exchange): void {
    const { limits } = this.#services;
    if (exchange.headerBytes > limits.headerBytes) return this.refuse(exchange, 431);
    if (exchange.target.length > limits.urlBytes) return this.refuse(exchange, 414);
    if (exchange.headerCount > limits.headerCount) return this.refuse(exchange, 431);
    const path = this.#inside(pathOf(exchange.target));
    const routed = path === undefined ? undefined : routedPath(path);
    const ctx = new RequestContext(exchange, this.#services, routed ?? path ?? "", routed === path);
    const { flaw } = exchange;
    this.#run(ctx, flaw === undefined ? this.#routes.route(ctx, path, routed) : this.#routes.flawed(flaw));
  }

  refused(request: RefusedRequest): void {
    this.#services.refused(request);
  }

  /** Answers a request that is not handled: no middleware runs for it. */
  refuse(exchange: Exchange, status: number): void {
    const startedAt = performance.now();
    const tell = (bytes: number, outcome: number): void =>
      this.#services.refused({
        status: outcome,
        bytes,
        durationMs: performance.now() - startedAt,
        remoteAddress: exchange.peer,
        scheme: exchange.secure ? "https" : "http",
      });
    if (exchange.gone) return tell(0, 499);
    const head = ["Content-Type", "application/problem+json", "Connection", "close"];
    exchange.respond(status, head, JSON.stringify(problemOf(status)), { delivered: (bytes) => tell(bytes, status) });
  }

  #run(ctx: RequestContext, run: Run<RequestContext>): void {
    let value: unknown;
    try {
      value = run(ctx);
    } catch (error) {
      return this.#fail(ctx, error);
    }
    if (!isThenable(value)) return this.#answer(ctx, value);
    ctx.arm((error) => this.#breakOff(ctx, error));
    value.then(
      (settled) => this.#answer(ctx, settled),
      (error: unknown) => this.#fail(ctx, error),
    );
  }

  #answer(ctx: RequestContext, value: unknown): void {
    try {
      ctx.answer(value);
    } catch (error) {
      return this.#fail(ctx, error);
    }
    this.#settle(ctx);
  }

  #settle(ctx: RequestContext): void {
    if (ctx.finished || ctx.committed) return;
    const failure = ctx.streamFailure();
    if (failure !== undefined) return this.#fail(ctx, failure);
    if (!ctx.answered && ctx.statusCode === 200) this.#services.warnSilent(ctx);
    this.#flush(ctx);
  }

  #flush(ctx: RequestContext): void {
    try {
      ctx.flush();
    } catch (error) {
      ctx.error ??= error;
      ctx.dismissStream();
      this.#services.report(`${ctx.method} ${ctx.route ?? ctx.url} could not be answered`, error);
      ctx.exchange.cut();
      ctx.complete(true);
    }
  }

  #fail(ctx: RequestContext, thrown: unknown): void {
    const error = sound(thrown);
    if (ctx.finished || ctx.spoilt) {
      if (!(error instanceof ClientGoneError) && !ctx.signal.aborted) this.#errors.report(ctx, error);
      return;
    }
    ctx.error = isRouterError(error) ? undefined : error;
    if (error instanceof ClientGoneError) {
      ctx.gone();
      ctx.exchange.cut();
      return;
    }
    if (ctx.committed) {
      this.#errors.report(ctx, error);
      ctx.exchange.cut();
      ctx.complete(true);
      return;
    }
    if (isNotFound(error) && ctx.exchange.pass?.(ctx.head, ctx) === true) {
      ctx.committed = true;
      ctx.dismissStream();
      return;
    }
    const mapped = this.#errors.map(ctx, error);
    if (isThenable(mapped)) {
      ctx.arm();
      mapped.then(
        () => this.#flush(ctx),
        () => this.#flush(ctx),
      );
    } else {
      this.#flush(ctx);
    }
  }

  /** The chain still runs and might answer at any time: no error handler of the app is asked beside it. */
  #breakOff(ctx: RequestContext, error: HttpError): void {
    ctx.error = error;
    this.#errors.answer(ctx, error);
    this.#flush(ctx);
  }

  /** The path inside the context path; undefined outside it. */
  #inside(raw: string): string | undefined {
    const path = originForm(raw);
    const { contextPath } = this.#services;
    if (contextPath === "/") return path;
    if (!isUnder(path, contextPath)) return undefined;
    return path.length === contextPath.length ? "/" : path.slice(contextPath.length);
  }
}

/** What was thrown, if it can be looked at: a proxy whose traps throw cannot, and must harm nobody further on. */
function sound(thrown: unknown): unknown {
  try {
    void (thrown instanceof Error);
    return thrown;
  } catch {
    return new TypeError("what was thrown cannot be looked at: looking at it throws");
  }
}
