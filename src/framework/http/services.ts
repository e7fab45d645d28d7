/**
 * What a request's context asks of the app around it.
 *
 * Spec: spec/context.md (CTX)
 */
import type { BeanResolver } from "../beans/types.ts";
import type { RequestSettings } from "./request.ts";
import type { LogServices } from "./request-log.ts";
import type { UpgradeServices } from "./upgrade.ts";

/** What a response needs to know of the app. */
export interface ContextServices extends RequestSettings, LogServices, UpgradeServices {
  readonly contextPath: string;
  readonly beans: BeanResolver | undefined;
}
