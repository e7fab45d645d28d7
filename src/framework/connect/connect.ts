/**
 * fromConnect: adapts a middleware of Express or Connect.
 *
 *   (req, res, next) ──▶ next()       its fields on res go into the recorded response ──▶ inside
 *                    ──▶ next(error)  thrown, so that it is mapped like any error
 *                    ──▶ res.end(…)   becomes the recorded response: hooks, log and CORS see it
 *                          └─ an error while it is written in pieces cuts it
 *   after any of these ──▶ an error becomes the response while the head is not out, else it is logged
 *                       ──▶ res.end(…) is the response if the inside has none yet
 *
 * It needs Node's own req and res, which exist for HTTP/1.1 on `node:http`, and in a host. Without them (HTTP/2, `app.fetch`)
 * it throws an error with the middleware's name: at `app.use` when the engine is known to lack them, else at the first request.
 */
import { HttpError } from "../internal/errors.ts";
import type { Context } from "../http/context.ts";
import { isThenable } from "../internal/thenable.ts";
import { stateError, usageError } from "../internal/usage-errors.ts";
import type { Lifecycle, Middleware, Next } from "../middleware/types.ts";
import { type Captured, captureOf, drop, type Earlier, type NodeResponse, record, takeOver } from "./capture.ts";

/** A middleware of Express or Connect, with any types of `req` and `res`. */
export type ConnectMiddleware = (req: never, res: never, next: never) => unknown;

/** Options of {@link fromConnect}. */
export interface ConnectOptions {
  /** Its name in errors. Default: the function's own name. */
  readonly name?: string | undefined;
}

type Called = (req: object, res: object, next: (error?: unknown) => void) => unknown;

/** The outcome of a middleware. */
type Outcome = { readonly error: unknown } | { readonly captured: Captured } | "next" | "left";

/**
 * Runs a middleware of Express or Connect in front of routes.
 *
 * @throws TypeError when it is not a function of `(req, res, next)`.
 *
 * @example
 * ```ts skip="helmet is the application's to install"
 * app.use(fromConnect(helmet()));
 * ```
 */
export function fromConnect(middleware: ConnectMiddleware, options: ConnectOptions = {}): Middleware {
  if (typeof middleware !== "function")
    throw usageError(
      "MIDDLEWARE_INVALID",
      `fromConnect got ${typeof middleware}: a function (req, res, next) is allowed`,
    );
  const name = options.name ?? (middleware.name || "an unnamed middleware");
  if (middleware.length > 3)
    throw usageError(
      "MIDDLEWARE_INVALID",
      `fromConnect(${name}): a handler of errors is for app.onError: (req, res, next) is allowed`,
    );
  return new FromConnect(middleware as unknown as Called, name);
}

/** The data that middleware has left on `req`, e.g. `connectRequest<{ file?: File }>(ctx).file`. @throws Error without `req`. */
export function connectRequest<T extends object>(ctx: Context): T {
  const [req] = ctx.platform;
  if (isRequest(req)) return req as T;
  throw unfit("connectRequest", "this request");
}

class FromConnect implements Middleware {
  readonly #middleware: Called;
  readonly #name: string;

  constructor(middleware: Called, name: string) {
    this.#middleware = middleware;
    this.#name = name;
  }

  installed(app: Lifecycle): void {
    if (app.engine === "node-http2") throw unfit(`fromConnect(${this.#name})`, "the engine NodeHttp2Engine");
  }

  handle(ctx: Context, next: Next): unknown {
    const [req, res] = ctx.platform;
    if (!isRequest(req) || !isResponse(res)) throw unfit(`fromConnect(${this.#name})`, "this request");
    return new Call(ctx, res, this.#name).run(this.#middleware, req, next);
  }
}

/** A middleware in one request. */
class Call {
  readonly #ctx: Context;
  readonly #res: NodeResponse;
  readonly #name: string;
  readonly #capture: ReturnType<typeof captureOf>;
  readonly #earlier: Earlier;
  #outcome: Outcome | undefined;
  /** Has it responded before the inner chain of its `next()` did? */
  #isFirst = false;
  #wake: () => void = () => undefined;

  constructor(ctx: Context, res: NodeResponse, name: string) {
    this.#ctx = ctx;
    this.#res = res;
    this.#name = name;
    this.#capture = captureOf(res);
    this.#earlier = { headers: { ...res.getHeaders() }, status: res.statusCode };
  }

  run(middleware: Called, req: object, inside: Next): unknown {
    this.#capture.begin({ respond: (captured) => this.#end({ captured }), isOut: () => this.#ctx.committed });
    try {
      const result = middleware(req, this.#res, (error) => this.#end(outcomeOf(error, this.#name)));
      if (isThenable(result)) result.then(undefined, (error: unknown) => this.#end({ error }));
    } catch (error) {
      this.#end({ error });
    }
    if (this.#outcome !== undefined) return this.#settle(inside);
    this.#ctx.onComplete(() => this.#end("left"));
    return new Promise<void>((resolve) => {
      this.#wake = resolve;
    }).then(() => this.#settle(inside));
  }

  #end(what: Outcome): void {
    if (this.#outcome === undefined) {
      this.#outcome = what;
      return this.#wake();
    }
    if (typeof what === "string" || this.#outcome === "left") return;
    if ("error" in what) this.#fail(what.error);
    else this.#respond(what.captured);
  }

  #settle(next: Next): unknown {
    const outcome = this.#outcome;
    if (typeof outcome === "object" && "captured" in outcome)
      return record(this.#ctx, this.#res, outcome.captured, this.#earlier);
    if (outcome === "left") return undefined;
    takeOver(this.#ctx, this.#res, this.#earlier);
    if (typeof outcome === "object") throw outcome.error;
    return this.#goInside(next);
  }

  #goInside(next: Next): unknown {
    let inside: unknown;
    try {
      inside = next();
    } catch (error) {
      return this.#insideFailed(error);
    }
    return isThenable(inside) ? inside.then(undefined, (error: unknown) => this.#insideFailed(error)) : undefined;
  }

  #insideFailed(error: unknown): void {
    if (this.#isFirst) return this.#report("what runs inside failed behind its response", error);
    if (error instanceof HttpError && error.status === 404) this.#capture.pass(); // A host may have an unregistered path.
    throw error;
  }

  /** A response after `next()` is the first, or ignored. */
  #respond(captured: Captured): void {
    const { responded } = this.#ctx;
    try {
      (responded ? drop : record)(this.#ctx, this.#res, captured, this.#earlier);
      this.#isFirst = !responded;
    } catch (error) {
      this.#fail(error);
    }
  }

  /** An error after the outcome becomes the response if that can be changed, and is never lost. */
  #fail(error: unknown): void {
    const ctx = this.#ctx;
    if (typeof this.#outcome === "object" && "captured" in this.#outcome && this.#capture.breakOff(error)) return;
    if (ctx.committed || ctx.signal.aborted) return this.#report("failed behind the response", error);
    try {
      ctx.onResponse(() => {
        throw error;
      });
    } catch {
      this.#report("failed behind the response", error); // The hooks have it already.
    }
  }

  #report(what: string, error: unknown): void {
    const { log, method, route, url, signal } = this.#ctx;
    if (!signal.aborted) log.error(`${method} ${route ?? url}: ${this.#name}: ${what}`, { error });
  }
}

const outcomeOf = (error: unknown, name: string): Outcome =>
  error === undefined || error === null || error === false ? "next" : { error: errorOf(error, name) };

/** An error of `http-errors` with a client-facing message becomes a response. Any other stays as it is. */
function errorOf(error: unknown, name: string): unknown {
  if (typeof error !== "object" || error === null)
    return new Error(
      `${name} called next(${JSON.stringify(error) ?? String(error)}): routes of Express are not known here`,
    );
  const status: unknown = Reflect.get(error, "status");
  const isShown = error instanceof Error && Reflect.get(error, "expose") === true;
  if (!isShown || error instanceof HttpError || typeof status !== "number" || status < 400 || status > 499)
    return error;
  return new HttpError(status, error.message, { cause: error });
}

const unfit = (what: string, where: string): Error =>
  stateError(
    "CONNECT_PLATFORM",
    `${what} needs req and res of node:http, which ${where} does not have: it runs on NodeHttpEngine, and behind app.listener()`,
  );

const hasMethod = (value: unknown, name: string): value is object =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, name) === "function";

const isRequest = (value: unknown): value is object => hasMethod(value, "on") && "rawHeaders" in value;

/** `node:http2` has a similar response, without the names as they were written. */
const isResponse = (value: unknown): value is NodeResponse =>
  hasMethod(value, "getHeaders") && hasMethod(value, "writeHead") && hasMethod(value, "getRawHeaderNames");
