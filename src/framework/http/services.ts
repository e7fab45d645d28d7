/**
 * The app, as a request's context needs it.
 *
 * Spec: spec/context.md
 */
import type { BeanResolver } from "../beans/types.ts";
import type { RouteMeta } from "../contract/contract.ts";
import type { AnnotationListener } from "./annotations.ts";
import type { BodySettings } from "./body.ts";
import type { Context, ResponseHook } from "./context.ts";
import type { DeclaredMessages } from "./declared-messages.ts";
import type { DeclaredResponses } from "./declared-responses.ts";
import type { ErrorHandlers } from "./error-handlers.ts";
import type { PhaseListener } from "./phases.ts";
import type { LogServices } from "./request-log.ts";
import type { UpgradeServices } from "./leave-http.ts";
import type { Trust } from "./trust.ts";
import type { ConnectionEvent } from "./upgrade.ts";

/** The event on the request's open connection that the work is for. */
export interface WorkOrigin extends ConnectionEvent {
  readonly ctx: Context;
}

/** Facts about a request's route. */
export interface RouteTarget {
  /** Context path + pattern, or undefined when no route matched. */
  readonly route: string | undefined;
  /** The names of its path parameters, in order. */
  readonly names: readonly string[];
  /** The maximum size of its body in bytes. */
  readonly bodyLimit: number;
  /** How long its chain may take, in milliseconds, or 0 without a limit. */
  readonly handlerMs: number;
  /** Hooks that its groups and the app have registered, the innermost first, or undefined without any. */
  readonly responseHooks: readonly ResponseHook[] | undefined;
  /** The error handlers of its groups, the innermost first, or undefined without any. */
  readonly errorHandlers: readonly ErrorHandlers[] | undefined;
  /** Its declared responses, or undefined without any. */
  readonly declared: DeclaredResponses | undefined;
  /** The declared messages of its WebSocket, or undefined without any. */
  readonly messages: DeclaredMessages | undefined;
  readonly meta: RouteMeta;
  /** Does its option `deprecated`, or that of a group, say so? */
  readonly isDeprecated: boolean;
  /** The name of its version, or undefined without one. */
  readonly apiVersion: string | undefined;
}

/** App settings for reading a request. */
export interface RequestSettings extends BodySettings {
  readonly trustProxy: false | Trust;
}

/** App settings for a response. */
export interface ContextServices extends RequestSettings, LogServices, UpgradeServices {
  readonly contextPath: string;
  /** Gets each response with a `{}` in its JSON, with the value that it was made of. */
  warnLost(ctx: Context, value: unknown): void;
  readonly beans: BeanResolver | undefined;
  /** Receives annotations. Empty without observers. */
  readonly onAnnotation: readonly AnnotationListener[];
  /** Receives the steps of requests. Empty without observers. */
  readonly onPhase: readonly PhaseListener[];
}
