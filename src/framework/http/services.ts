/**
 * What a request's context asks of the app around it.
 *
 * Spec: spec/context.md
 */
import type { BeanResolver } from "../beans/types.ts";
import type { AnnotationListener } from "./annotations.ts";
import type { Context } from "./context.ts";
import type { RequestSettings } from "./request.ts";
import type { LogServices } from "./request-log.ts";
import type { UpgradeServices } from "./leave-http.ts";
import type { ConnectionEvent } from "./upgrade.ts";

/** What work is for: something that has happened on the connection that this request has opened. */
export interface WorkOrigin extends ConnectionEvent {
  readonly ctx: Context;
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
