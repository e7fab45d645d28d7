/**
 * The package `ws` on a host that speaks the WebSocket protocol itself: Bun, Deno and workers. There it may be missing. `imports` in
 * package.json chooses between this module and the package itself.
 */
import type * as Ws from "ws";
import { ifMissing } from "../internal/peers.ts";

const ws: typeof Ws | undefined = await import("ws").catch(ifMissing);

/** Undefined when the package is not installed. */
export const WebSocketServer: typeof Ws.WebSocketServer | undefined = ws?.WebSocketServer;

/** Undefined when the package is not installed. */
export const WebSocket: typeof Ws.WebSocket | undefined = ws?.WebSocket;
