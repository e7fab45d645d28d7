/**
 * Host: what devtools need of the application and of the bean container, and nothing more.
 *
 * Spec: spec/devtools.md (DEV)
 */
import type { BeanGraph, Context, Middleware, Next } from "framework";
import type { RouteInfo } from "../wire.ts";

/** What devtools need of an application; `Framework` has it. */
export interface DevtoolsHost {
  readonly contextPath: string;
  readonly host: string | undefined;
  readonly url: string;
  /** The application's container; undefined while it has none. */
  readonly container?: unknown;
  readonly logger: { warn(line: string): void };
  wrap(middleware: Middleware | ((ctx: Context, next: Next) => unknown)): unknown;
  routes(): readonly RouteInfo[];
  onStart(listener: () => void | Promise<void>): unknown;
  onStop(listener: () => void | Promise<void>): unknown;
}

/** What devtools need of a bean container. */
export interface DevtoolsBeans {
  graph(): BeanGraph;
}
