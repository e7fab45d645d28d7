/**
 * fromConnect: a middleware of Express or Connect as one of ours.
 *
 *   (req, res, next) ──▶ next()       what it has set on res goes into the recorded response ──▶ inside
 *                    ──▶ next(error)  thrown, so that it is mapped like any error
 *                    ──▶ res.end(…)   becomes the recorded response: hooks, log and CORS see it
 *                          └─ an error while it is written in pieces cuts it
 *   behind any of these ──▶ an error becomes the response while the head is not out, else it is logged
 *                       ──▶ res.end(…) is the response where the inside has none yet
 *
 * It needs Node's own req and res, which HTTP/1.1 on `node:http` has, and a host. Where there are none (HTTP/2, `app.fetch`)
 * it is an error that names the middleware: at `app.use` when the engine is known to lack them, else at the first request.
 */
import { HttpError } from "../internal/errors.ts";
import type { Context } from "../http/context.ts";
import { isThenable } from "../internal/thenable.ts";
import { stateError, usageError } from "../internal/usage-errors.ts";
import type { Lifecycle, Middleware, Next } from "../middleware/types.ts";
import { type Captured, captureOf, drop, type Earlier, type NodeResponse, record, takeOver } from "./capture.ts";

/** A middleware of Express or Connect, whatever its types call `req` and `res`. */
export type ConnectMiddleware = (req: never, res: never, next: never) => unknown;

/** Options of {@link fromConnect}. */
export interface ConnectOptions {
  /** What errors call it; the function's own name by default. */
  readonly name?: string | undefined;
}

type Called = (req: object, res: object, next: (error?: unknown) => void) => unknown;

/** What a middleware did. */
type Outcome = { readonly error: unknown } | { readonly captured: Captured } | "next" | "left";

/**
 * Lets a middleware of Express or Connect run in front of routes.
 *
 * @throws TypeError when it is no function of `(req, res, next)`.
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

/** What middleware has left on `req`, e.g. `connectRequest<{ file?: File }>(ctx).file`. @throws Error where there is no `req`. */
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
  /** Has it responded while what its `next()` runs had not? */
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
    if (error instanceof HttpError && error.status === 404) this.#capture.pass(); // What is not found a host may have.
    throw error;
  }

  /** A response behind `next()`: it is the first, or none. */
  #respond(captured: Captured): void {
    const { responded } = this.#ctx;
    try {
      (responded ? drop : record)(this.#ctx, this.#res, captured, this.#earlier);
      this.#isFirst = !responded;
    } catch (error) {
      this.#fail(error);
    }
  }

  /** An error behind the outcome: it is the response where that can be changed, and never lost. */
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

/** An error of `http-errors`, which says itself that its message is for clients, is a response; any other stays as it is. */
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

/** `node:http2` has a response much like it, without the names as they were written. */
const isResponse = (value: unknown): value is NodeResponse =>
  hasMethod(value, "getHeaders") && hasMethod(value, "writeHead") && hasMethod(value, "getRawHeaderNames");
