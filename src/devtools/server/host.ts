/**
 * Host: what devtools need of the application and of the bean container, and nothing more.
 *
 * Spec: spec/devtools.md (DEV)
 */
import type { BeanGraph, BeanType, Class, Context, Middleware, Next, RecordedResponse } from "framework";
import type { RouteExample, RouteInfo } from "../wire.ts";

/** A route as the application lists it: the body of its example and its contract are JSON, and not typed as such. */
export type HostRoute = Omit<RouteInfo, "example" | "contract"> & {
  readonly example?: (Omit<RouteExample, "body"> & { readonly body?: unknown }) | undefined;
  readonly contract?: object | undefined;
};

/** What devtools need of an application; `Framework` has it. */
export interface DevtoolsHost {
  readonly contextPath: string;
  readonly host: string | undefined;
  readonly url: string;
  /** The application's container; undefined while it has none. */
  readonly container?: unknown;
  readonly logger: { warn(line: string): void };
  wrap(middleware: Middleware | ((ctx: Context, next: Next) => unknown)): unknown;
  /** Missing where there is no work in the background. */
  wrapBackground?(around: (name: string, work: () => unknown) => unknown): unknown;
  /** Missing where listeners of `onStart` are not timed. */
  wrapStart?(around: (name: string, run: () => unknown) => unknown): unknown;
  /** Missing where what is installed is not told. */
  middlewareOf?<T extends object>(type: Class<T>): readonly T[];
  onResolve?(listener: (type: BeanType<object>) => void): unknown;
  /** Missing where responses are sent as they are recorded. */
  onResponse?(hook: (ctx: Context, response: RecordedResponse) => void): unknown;
  routes(): readonly HostRoute[];
  /** Checks responses against their contracts where the application leaves it open. */
  checkResponses(checks: "warn"): unknown;
  onStart(listener: () => void | Promise<void>): unknown;
  onStop(listener: () => void | Promise<void>): unknown;
}

/** What devtools need of a bean container. */
export interface DevtoolsBeans {
  graph(): BeanGraph;
  idOf?(type: BeanType<object>): string | undefined;
}
