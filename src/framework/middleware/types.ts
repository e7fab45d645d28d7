/**
 * Middleware: what it is, and what the app tells it.
 *
 * Spec: spec/middleware.md
 */
import type { DeclaredRoute } from "../contract/contract.ts";
import type { JsonSchemaOf } from "../contract/json-schema.ts";
import type { Context, ResponseHook } from "../http/context.ts";
import type { RejectedRequest } from "../http/exchange.ts";

/** Runs what is inside. Returns the inner promise when there is one; undefined when the inside was synchronous. */
export type Next = () => void | Promise<void>;

/** A middleware as a function. */
export type MiddlewareFunction = (ctx: Context, next: Next) => unknown;

/** What `app` tells a middleware when it is installed, started and stopped. */
export interface Lifecycle {
  /** Readiness should turn 503: `app.stop()` was called and requests in flight are draining. */
  readonly draining: boolean;
  /** A path as routes compare it: `/a/` is `/a`, unless the app's `strictSlash` tells them apart. For a path of its own. */
  comparedPath(path: string): string;
  /** Runs once, as those of `app.onStart`. What a listener throws or rejects with fails the start. */
  onStart(listener: () => unknown): void;
  /** The name of the engine that `app.start` serves with, e.g. `node-http`. */
  readonly engine: string;
  onStop(listener: () => void | Promise<void>): void;
  /** Sees every recorded response just before it is sent, as `app.onResponse`, wherever the middleware is installed. */
  onResponse(hook: ResponseHook): void;
  /**
   * Hears of the app's routes once it is configured: at its start, or before the first request of a host. What a listener
   * throws fails the start.
   */
  onRoutes(listener: (routes: readonly DeclaredRoute[]) => void): void;
  /**
   * Requests that never become a Context: the parser rejected them (400, 408, 413, 414, 431), or a connection of HTTP/2
   * was ended because its client took too many back (429, once for the connection).
   */
  onRejected(listener: (request: RejectedRequest) => void): void;
  /** Hands a converter over for schemas without JSON Schema, where the app's options have none: its contracts are read by it. */
  convertSchemas(jsonSchemaOf: JsonSchemaOf): void;
  /** Stands around each piece of background work and each event of a WebSocket. Returns or throws what `work` did. */
  wrapBackground(around: (name: string, work: () => unknown) => unknown): void;
  /** One line to the app's logger. */
  warn(line: string): void;
}

/** A middleware as an object. */
export interface Middleware {
  handle(ctx: Context, next: Next): unknown;
  /** Called once for an app: by the first `app.use`, `app.wrap` or `group.use`, or for a route's own `use` when the app starts. */
  installed?(app: Lifecycle): void;
  /**
   * In a group: true lets it also run for paths below the group that no route has. Middleware of the app runs for those
   * anyway. In a group and in a route's `use` it runs before all others where a preflight is asked.
   */
  readonly unmatched?: boolean | undefined;
  /**
   * A name that middlewares share of which only one may act on a request: the innermost runs, and it runs where the
   * outermost stands. That of `CorsMiddleware` is `"cors"`.
   */
  readonly exclusive?: string | undefined;
}

/** What `app.use` takes. */
export type MiddlewareLike = Middleware | MiddlewareFunction;
