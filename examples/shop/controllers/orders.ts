/**
 * Orders over HTTP.
 */
import { type ContextOf, Interface } from "framework";
import type { cancelOrder, placeOrder, showOrder } from "../contracts.ts";
import type { Order } from "../domain.ts";
import type { OrderService } from "../services/orders.ts";

export interface OrderController {
  place(ctx: ContextOf<typeof placeOrder>): Promise<Order>;
  show(ctx: ContextOf<typeof showOrder, "id">): Promise<Order>;
  cancel(ctx: ContextOf<typeof cancelOrder, "id">): Promise<void>;
}
export const OrderController: Interface<OrderController> = Interface("OrderController");

export class HttpOrders implements OrderController {
  readonly #service: OrderService;

  constructor(service: OrderService) {
    this.#service = service;
  }

  async place(ctx: ContextOf<typeof placeOrder>): Promise<Order> {
    const order = await this.#service.place(ctx.input.body);
    ctx.status(201).setHeader("Location", `/orders/${order.id}`);
    return order;
  }

  show(ctx: ContextOf<typeof showOrder, "id">): Promise<Order> {
    return this.#service.find(ctx.pathParam("id"));
  }

  async cancel(ctx: ContextOf<typeof cancelOrder, "id">): Promise<void> {
    await this.#service.cancel(ctx.pathParam("id"));
    ctx.status(204);
  }
}
