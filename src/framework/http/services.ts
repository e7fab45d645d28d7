/**
 * What a request's context asks of the app around it.
 *
 * Spec: spec/context.md (CTX)
 */
import type { BeanResolver } from "../beans/types.ts";
import type { RequestSettings } from "./request.ts";
import type { LogServices } from "./request-log.ts";

/** What a response needs to know of the app. */
export interface ContextServices extends RequestSettings, LogServices {
  readonly contextPath: string;
  readonly beans: BeanResolver | undefined;
  report(what: string, error: unknown): void;
  /** Ends each open event stream and WebSocket, for when the app stops: its signal aborts. */
  readonly streams: Set<() => void>;
  /** Has `app.stop()` been called? What opens from then on is ended at once. */
  isStopping(): boolean;
  /** Runs work that is no request, inside of whoever watches the app's background work. */
  around(name: string, work: () => unknown): unknown;
}
