/**
 * Orders over HTTP.
 */
import { type Context, Interface } from "framework";
import type { Order } from "../domain.ts";
import type { OrderService } from "../services/orders.ts";
import { orderInput } from "./input.ts";

export interface OrderController {
  place(ctx: Context): Promise<Order>;
  show(ctx: Context<"id">): Promise<Order>;
  cancel(ctx: Context<"id">): Promise<void>;
}
export const OrderController: Interface<OrderController> = Interface("OrderController");

export class HttpOrders implements OrderController {
  readonly #service: OrderService;

  constructor(service: OrderService) {
    this.#service = service;
  }

  async place(ctx: Context): Promise<Order> {
    const order = await this.#service.place(await ctx.body(orderInput));
    ctx.status(201).header("Location", `/orders/${order.id}`);
    return order;
  }

  show(ctx: Context<"id">): Promise<Order> {
    return this.#service.find(ctx.pathParam("id"));
  }

  async cancel(ctx: Context<"id">): Promise<void> {
    await this.#service.cancel(ctx.pathParam("id"));
    ctx.status(204);
  }
}
