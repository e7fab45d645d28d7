/**
 * Placing and cancelling orders.
 *
 *   price the lines ──▶ 200 EUR or more? discount ──▶ ┌ one transaction ─────┐ ──▶ charge ──▶ ┌ one transaction ─┐ ──▶ shipped
 *                                                     │ reserve, keep order  │       │        │ paid, and from   │
 *                                                     └──────────────────────┘       │        │ 500 EUR on a job │
 *                                                                                    │        └──────────────────┘
 *                                                                                    └─ declined: put everything back
 */
import { Interface } from "framework";
import type { Work } from "framework/work";
import type { Transactions } from "../database/transactions.ts";
import type { NewOrder, Order, OrderLine, OrderRequest } from "../domain.ts";
import { ConflictError, UnknownError } from "../errors.ts";
import { OrderConfirmation } from "../jobs.ts";
import { Money } from "../money.ts";
import type { CustomerRepository } from "../repositories/customers.ts";
import type { OrderRepository } from "../repositories/orders.ts";
import type { CatalogService } from "./catalog.ts";
import type { Clock } from "./clock.ts";
import type { InventoryService } from "./inventory.ts";
import type { PaymentGateway } from "./payments.ts";
import type { DiscountService, PricingService } from "./pricing.ts";
import type { ShippingGateway } from "./shipping.ts";

export interface OrderService {
  /** @throws UnknownError (404), OutOfStockError, PaymentDeclinedError (402); then nothing is reserved */
  place(request: OrderRequest): Promise<Order>;
  find(id: string): Promise<Order>;
  /** Returns everything to the stock. @throws ConflictError (409) unless it is paid */
  cancel(id: string): Promise<void>;
}
export const OrderService: Interface<OrderService> = Interface("OrderService");

/** The dependencies of orders. */
export interface OrderParts {
  readonly customers: CustomerRepository;
  readonly orders: OrderRepository;
  readonly catalog: CatalogService;
  readonly pricing: PricingService;
  readonly discounts: DiscountService;
  readonly inventory: InventoryService;
  readonly payments: PaymentGateway;
  readonly work: Work;
  readonly transactions: Transactions;
  /** Undefined if there is no shipping service. */
  readonly shipping: ShippingGateway | undefined;
  readonly clock: Clock;
}

const discountFrom = Money.ofCents(20_000);
const mailFrom = Money.ofCents(50_000);

export class ShopOrders implements OrderService {
  readonly #parts: OrderParts;

  constructor(parts: OrderParts) {
    this.#parts = parts;
  }

  async place(request: OrderRequest): Promise<Order> {
    const customer = await this.#parts.customers.find(request.customerId);
    if (customer === undefined) throw new UnknownError("customer", request.customerId);
    const order = await this.#reserve(await this.#priced(request));
    await this.#charge(order, request.card);
    await this.#parts.shipping?.book(order);
    return { ...order, status: "paid" };
  }

  async find(id: string): Promise<Order> {
    const order = await this.#parts.orders.find(id);
    if (order === undefined) throw new UnknownError("order", id);
    return order;
  }

  async cancel(id: string): Promise<void> {
    await this.#parts.transactions.run(async () => {
      const order = await this.find(id);
      if (order.status !== "paid")
        throw new ConflictError(`Order ${id} is ${order.status}, only a paid one is cancelled`);
      await this.#giveBack(order, "cancelled");
    });
  }

  async #priced(request: OrderRequest): Promise<NewOrder> {
    const lines = await Promise.all(request.lines.map((line) => this.#line(line.productId, line.quantity)));
    const subtotal = Money.sum(lines.map((line) => line.unitPrice.times(line.quantity)));
    const discount = subtotal.isAtLeast(discountFrom) ? this.#parts.discounts.discountOn(subtotal) : Money.zero;
    return { customerId: request.customerId, lines, discount, total: subtotal.minus(discount) };
  }

  async #line(productId: string, quantity: number): Promise<OrderLine> {
    const product = await this.#parts.catalog.find(productId);
    const { price } = await this.#parts.pricing.quote(product);
    return { productId, name: product.name, quantity, unitPrice: price };
  }

  #reserve(order: NewOrder): Promise<Order> {
    return this.#parts.transactions.run(async () => {
      await this.#parts.inventory.reserve(order.lines);
      return this.#parts.orders.create(order, this.#parts.clock.now());
    });
  }

  async #charge(order: Order, card: string): Promise<void> {
    try {
      await this.#parts.payments.charge(card, order.total, order.id);
    } catch (rejection) {
      await this.#parts.transactions.run(() => this.#giveBack(order, "declined"));
      throw rejection;
    }
    await this.#paid(order);
  }

  /** A paid order and its confirmation exist together, or neither does. */
  #paid({ id, total }: Order): Promise<void> {
    if (!total.isAtLeast(mailFrom)) return this.#parts.orders.setStatus(id, "paid");
    return this.#parts.transactions.run(async (tx) => {
      await this.#parts.orders.setStatus(id, "paid");
      await this.#parts.work.send(OrderConfirmation, { order: id }, { key: id, tx });
    });
  }

  async #giveBack(order: Order, status: "declined" | "cancelled"): Promise<void> {
    await this.#parts.inventory.release(order.lines);
    await this.#parts.orders.setStatus(order.id, status);
  }
}
