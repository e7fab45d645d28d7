/**
 * Middleware: its interface, and the app's interface to it.
 *
 * Spec: spec/middleware.md
 */
import type { DeclaredRoute } from "../contract/contract.ts";
import type { JsonSchemaOf } from "../contract/json-schema.ts";
import type { Context, ResponseHook } from "../http/context.ts";
import type { Exchange, RejectedRequest } from "../http/exchange.ts";
import type { JobOrigin, JobSending } from "../http/job-origin.ts";
import type { PhaseListener } from "../http/phases.ts";
import type { WorkOrigin } from "../http/services.ts";

/** Runs the inner chain. Returns its promise, or undefined when it was synchronous. */
export type Next = () => void | Promise<void>;

/** A middleware as a function. */
export type MiddlewareFunction = (ctx: Context, next: Next) => unknown;

/** Wraps a job that is sent. It must call `send` once, and return or throw its outcome. */
export type SendWrap = (sending: JobSending, send: () => unknown) => unknown;

/** The app as a middleware sees it at its installation, start and stop. */
export interface Lifecycle {
  /** True when `app.stop()` was called and requests in flight are draining. Readiness should then be 503. */
  readonly draining: boolean;
  /** Open connections of the engine. Undefined before the start, and where the platform keeps them. */
  readonly connections: number | undefined;
  /**
   * A path as routes compare it: `/a/` is `/a`, unless the app's `strictSlash` distinguishes them. For the middleware's own
   * path.
   */
  comparedPath(path: string): string;
  /** Runs once, like listeners of `app.onStart`. A failing listener fails the start. */
  onStart(listener: () => unknown): void;
  /** The name of the engine of `app.start`, e.g. `node-http`. */
  readonly engine: string;
  onStop(listener: () => void | Promise<void>): void;
  /** Sees every recorded response just before it is sent, like `app.onResponse`, for a middleware installed anywhere. */
  onResponse(hook: ResponseHook): void;
  /**
   * Gets the app's routes when it is configured: at its start, or before the first request of a host. A failing listener fails
   * the start.
   */
  onRoutes(listener: (routes: readonly DeclaredRoute[]) => void): void;
  /** Gets each step of a request, as `app.observe({ phase })` does. Before the first request. */
  onPhase(listener: PhaseListener): void;
  /**
   * Called for requests that never become a Context: the parser rejected them (400, 408, 413, 414, 431), or an HTTP/2
   * connection was ended because its client cancelled too many (429, once for the connection).
   */
  onRejected(listener: (request: RejectedRequest) => void): void;
  /** Provides a converter for schemas without JSON Schema, if the app's options have none. It is used for the app's contracts. */
  convertSchemas(jsonSchemaOf: JsonSchemaOf): void;
  /**
   * Wraps each piece of background work, each event of a WebSocket and each attempt at a job. Returns or throws the outcome of
   * `work`.
   */
  wrapBackground(around: (name: string, work: () => unknown, origin?: WorkOrigin, job?: JobOrigin) => unknown): void;
  /** Wraps each job that is sent. Returns or throws the outcome of `send`. */
  wrapSending(around: SendWrap): void;
  /** Handles a request that a middleware makes, through the whole chain, as an engine's. */
  dispatch(exchange: Exchange): void;
  /** Adds a middleware outside all of `app.use`, like `app.wrap`. Only before the start. */
  wrap(middleware: MiddlewareLike): void;
  /**
   * Sends a request to the app itself, as `app.fetch` does. `platform` is `ctx.platform` there. For work of a middleware beside a
   * request.
   */
  fetch(request: Request, ...platform: readonly unknown[]): Promise<Response>;
  /** One line to the app's logger. */
  warn(line: string): void;
}

/** A middleware as an object. */
export interface Middleware {
  handle(ctx: Context, next: Next): unknown;
  /**
   * Called once for an app, by the first `app.use`, `app.wrap` or `group.use`, or for a route's own `use` when the app starts.
   */
  installed?(app: Lifecycle): void;
  /**
   * For a group: true makes it also run for unhandled paths under the group. Middleware of the app always runs for those. In a
   * group and in a route's `use` it runs before all others for a preflight.
   */
  readonly unmatched?: boolean | undefined;
  /**
   * A name shared by middlewares of which only one may act on a request. The innermost runs, at the position of the outermost.
   * `CorsMiddleware` uses `"cors"`.
   */
  readonly exclusive?: string | undefined;
}

/** The argument of `app.use`. */
export type MiddlewareLike = Middleware | MiddlewareFunction;
