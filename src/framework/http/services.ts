/**
 * What a request's context asks of the app around it.
 *
 * Spec: spec/context.md
 */
import type { BeanResolver } from "../beans/types.ts";
import type { RouteMeta } from "../contract/contract.ts";
import type { AnnotationListener } from "./annotations.ts";
import type { BodySettings } from "./body.ts";
import type { Context, ResponseHook } from "./context.ts";
import type { ErrorHandlers } from "./error-handlers.ts";
import type { LogServices } from "./request-log.ts";
import type { UpgradeServices } from "./leave-http.ts";
import type { Trust } from "./trust.ts";
import type { ConnectionEvent } from "./upgrade.ts";

/** What work is for: something that has happened on the connection that this request has opened. */
export interface WorkOrigin extends ConnectionEvent {
  readonly ctx: Context;
}

/** What is known of a request's route. */
export interface RouteTarget {
  /** Context path + pattern; undefined where no route matched. */
  readonly route: string | undefined;
  /** The names of its path parameters, in order. */
  readonly names: readonly string[];
  /** How large its body may be, in bytes. */
  readonly bodyLimit: number;
  /** How long its chain may take, in milliseconds; 0 where nothing limits it. */
  readonly handlerMs: number;
  /** What its groups and the app have registered, the innermost first; undefined where there is nothing. */
  readonly responseHooks: readonly ResponseHook[] | undefined;
  /** Of its groups, the innermost first; undefined where they have none. */
  readonly errorHandlers: readonly ErrorHandlers[] | undefined;
  readonly meta: RouteMeta;
}

/** What reading a request needs to know of the app. */
export interface RequestSettings extends BodySettings {
  readonly trustProxy: false | Trust;
}

/** What a response needs to know of the app. */
export interface ContextServices extends RequestSettings, LogServices, UpgradeServices {
  readonly contextPath: string;
  /** Hears of each response whose JSON has a `{}`, with the value that it was made of. */
  warnLost(ctx: Context, value: unknown): void;
  readonly beans: BeanResolver | undefined;
  /** Who hears of annotations; empty where nobody does. */
  readonly onAnnotation: readonly AnnotationListener[];
}
