/**
 * fromConnect: a middleware of Express or Connect as one of ours.
 *
 *   (req, res, next) ──▶ next()       what it has set on res goes into the recorded response ──▶ inside
 *                    ──▶ next(error)  thrown, so that it is mapped like any error
 *                    ──▶ res.end(…)   becomes the recorded response: hooks, log and CORS see it
 *                          └─ an error while it is written in pieces cuts it
 *
 * It needs Node's own req and res, which HTTP/1.1 on `node:http` has, and a host. Where there are none (HTTP/2, `app.fetch`)
 * it is an error that names the middleware: at `app.use` when the engine is known to lack them, else at the first request.
 *
 * Spec: spec/connect.md (CONNECT)
 */
import { HttpError } from "framework";
import type { Context } from "../http/context.ts";
import { isThenable } from "../internal/thenable.ts";
import { stateError, usageError } from "../internal/usage-errors.ts";
import type { Lifecycle, Middleware, Next } from "../middleware/types.ts";
import { type Captured, captureOf, type NodeResponse, record, takeOver } from "./capture.ts";

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
      `fromConnect(${name}): a handler of errors is for app.exception: (req, res, next) is allowed`,
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
    const earlier = { headers: { ...res.getHeaders() }, status: res.statusCode };
    const settle = (outcome: Outcome): unknown => {
      if (outcome === "left") return undefined;
      if (typeof outcome === "object" && "captured" in outcome) return record(ctx, res, outcome.captured, earlier);
      takeOver(ctx, res, earlier);
      if (outcome === "next") return next();
      throw outcome.error;
    };
    const outcome = this.#run(ctx, req, res);
    return isThenable(outcome) ? outcome.then(settle) : settle(outcome);
  }

  /** Calls the middleware; a promise where it does not come to an end at once. */
  #run(ctx: Context, req: object, res: NodeResponse): Outcome | Promise<Outcome> {
    const capture = captureOf(res);
    let outcome: Outcome | undefined;
    let wake: ((outcome: Outcome) => void) | undefined;
    const breakOff = (what: Outcome, later: Outcome): void => {
      if (typeof what === "object" && "captured" in what && typeof later === "object" && "error" in later)
        capture.breakOff(later.error);
    };
    const end = (what: Outcome): void => {
      if (outcome !== undefined) return breakOff(outcome, what);
      outcome = what;
      if (typeof what !== "object" || !("captured" in what)) capture.pass();
      wake?.(what);
    };
    capture.begin((captured) => end({ captured }));
    const proceed = (error?: unknown): void =>
      end(error === undefined || error === null || error === false ? "next" : { error: errorOf(error, this.#name) });
    try {
      const result = this.#middleware(req, res, proceed);
      if (isThenable(result)) result.then(undefined, (error: unknown) => end({ error }));
    } catch (error) {
      end({ error });
    }
    if (outcome !== undefined) return outcome;
    ctx.onComplete(() => end("left"));
    return new Promise((resolve) => {
      wake = resolve;
    });
  }
}

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
