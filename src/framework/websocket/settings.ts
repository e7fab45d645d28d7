/**
 * What a WebSocket route goes by: its options with their defaults.
 *
 * Spec: spec/websocket.md
 */
import type { Context } from "../http/context.ts";

/**
 * Which pages may open a WebSocket here. A browser sends cookies with an opening handshake from any page, and no CORS
 * protects it: `"same-origin"`, the default, takes pages of the host that was asked alone, a list those origins, `"*"` all,
 * and a function those for which it returns `true` and nothing else.
 * A client that sends no `Origin` is no browser, and is let in.
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
