/**
 * The settings of a WebSocket route: its options with their defaults.
 *
 * Spec: spec/websocket.md
 */
import type { Context } from "../http/context.ts";

/**
 * The pages that may open a WebSocket here. A browser sends cookies with an opening handshake from any page, and CORS does not
 * apply. `"same-origin"`, the default, accepts only pages of the requested host, a list those origins, `"*"` all, and a
 * function those for which it returns exactly `true`. A client without an `Origin` is not a browser, and is accepted.
 */
export type AllowedOrigins =
  | "same-origin"
  | "*"
  | readonly string[]
  | ((origin: string, ctx: Context) => boolean | Promise<boolean>);

/** The options with their defaults. */
export interface Settings {
  readonly protocols: readonly string[];
  readonly allowOrigins: AllowedOrigins;
  readonly maxMessageBytes: number;
  readonly maxBufferedBytes: number;
  readonly maxQueuedBytes: number;
  readonly pingMs: number;
  readonly idleMs: number;
  readonly closeMs: number;
  readonly compression: boolean;
}
