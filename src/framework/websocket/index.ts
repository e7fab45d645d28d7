/**
 * framework/websocket: WebSockets (RFC 6455) with the app's routes and middleware.
 *
 * Needs the optional peer `ws`.
 *
 * Spec: spec/websocket.md
 */
export type { ServerWebSocket } from "./server-web-socket.ts";
export type { MessageOf, SocketOf, WebSocketOptions } from "./options.ts";
export type { AllowedOrigins } from "./settings.ts";
export { webSocket } from "./web-socket.ts";
