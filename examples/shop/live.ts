/**
 * What clients see live: the board of new orders, and the alerts of products that are running out.
 *
 *   POST /orders ──▶ 201 ──▶ onResponse: published ──▶ each WebSocket at /orders/live
 *                                                └───▶ each event stream at /stock/alerts
 *
 * With MemoryBroadcast it works within one process, with RedisBroadcast across all of them.
 */
import type { Framework, Group, Routes } from "framework";
import { idempotencyOf } from "framework/idempotency";
import { type Broadcast, messagesOf, type Subscription } from "framework/broadcast";
import { webSocket } from "framework/websocket";
import * as contracts from "./contracts.ts";
import { Database } from "./database/database.ts";

/** The channel of placed orders, as JSON. */
const PLACED = "placed";

/** Products with fewer left cause an alert. */
const few = 20;

/** Adds the board to the group of the orders, and publishes each placed order. */
export function addBoard(orders: Routes & Pick<Group, "onResponse">, broadcast: Broadcast): void {
  const leaving = new WeakMap<object, Subscription>();
  orders.onResponse(async (ctx, { status, body }) => {
    const isPlaced = ctx.method === "POST" && status === 201 && idempotencyOf(ctx)?.isReplay !== true;
    if (isPlaced && typeof body === "string") await broadcast.publish(PLACED, body);
  });
  orders.ws(
    "/live",
    contracts.board,
    webSocket({
      async open(socket) {
        leaving.set(
          socket,
          await broadcast.subscribe(PLACED, (order) => void socket.send(JSON.parse(order) as contracts.Order)),
        );
      },
      close: (socket) => leaving.get(socket)?.(),
    }),
  );
}

/** Adds the alerts. Each placed order is looked up for products that are running out. */
export function addAlerts(app: Framework, broadcast: Broadcast): void {
  app.get("/stock/alerts", { ...contracts.alerts, beans: [Database] }, async function* (ctx) {
    const orders = messagesOf(broadcast, PLACED, { signal: ctx.signal, limit: 100 });
    for await (const text of orders) {
      const { id, lines } = JSON.parse(text) as contracts.Order;
      const products = lines.map(({ productId }) => productId);
      const low = await ctx.get(Database).query<contracts.LowStock>(
        `select id as product, name, quantity as left from stock join products on id = product_id
         where quantity < $1 and id = any($2) order by quantity, id`,
        [few, products],
      );
      for (const data of low) yield { event: data.left === 0 ? "soldOut" : "low", data, id };
    }
  });
}
