/**
 * The package `ws` on a host that speaks the WebSocket protocol itself: Bun, Deno and workers. There it may be missing. `imports` in
 * package.json chooses between this module and the package itself.
 */
import type * as Ws from "ws";

const ws: typeof Ws | undefined = await import("ws").catch((error: unknown) => {
  if (Reflect.get(Object(error), "code") === "ERR_MODULE_NOT_FOUND") return undefined;
  throw error;
});

/** Undefined when the package is not installed. */
export const WebSocketServer: typeof Ws.WebSocketServer | undefined = ws?.WebSocketServer;

/** Undefined when the package is not installed. */
export const WebSocket: typeof Ws.WebSocket | undefined = ws?.WebSocket;
