/**
 * The board of new orders: every client connected to `/orders/live` gets each order as it is placed.
 *
 *   POST /orders ──▶ 201 ──▶ onResponse: published ──▶ every WebSocket at /orders/live
 *
 * With MemoryBroadcast it works within one process, with RedisBroadcast across all of them.
 */
import type { Routes, Group } from "framework";
import { MemoryBroadcast, type Subscription } from "framework/broadcast";
import { type ServerWebSocket, webSocket } from "framework/websocket";

/** Adds the board to the group of the orders. */
export function addBoard(orders: Routes & Pick<Group, "onResponse">): void {
  const broadcast = new MemoryBroadcast();
  const leaving = new WeakMap<ServerWebSocket, Subscription>();
  orders.onResponse(async (ctx, { status, body }) => {
    if (ctx.method === "POST" && status === 201 && typeof body === "string") await broadcast.publish("placed", body);
  });
  orders.ws(
    "/live",
    webSocket({
      async open(socket) {
        leaving.set(socket, await broadcast.subscribe("placed", (order) => void socket.send(order)));
      },
      close: (socket) => leaving.get(socket)?.(),
    }),
  );
}
