/**
 * The mail that jobs send. A job is done at least once, so a process that dies at the wrong moment sends one twice.
 */
import { Interface } from "framework";
import { UnknownError } from "../errors.ts";
import type { CustomerRepository } from "../repositories/customers.ts";
import type { OrderRepository } from "../repositories/orders.ts";
import type { Clock } from "./clock.ts";
import type { Mailer } from "./mailer.ts";
import type { ReportService } from "./reports.ts";

export interface MailJobs {
  /** Thanks the customer for an order. */
  confirm(job: { readonly order: string }): Promise<void>;
  /** Mails the sales of the month so far. */
  report(): Promise<void>;
}
export const MailJobs: Interface<MailJobs> = Interface("MailJobs");

/** What mail is made of. */
export interface MailParts {
  readonly orders: OrderRepository;
  readonly customers: CustomerRepository;
  readonly reports: ReportService;
  readonly mailer: Mailer;
  readonly clock: Clock;
}

const office = "office@shop.example";

export class ShopMailJobs implements MailJobs {
  readonly #parts: MailParts;

  constructor(parts: MailParts) {
    this.#parts = parts;
  }

  async confirm({ order: id }: { readonly order: string }): Promise<void> {
    const order = await this.#parts.orders.find(id);
    if (order === undefined) throw new UnknownError("order", id);
    const customer = await this.#parts.customers.find(order.customerId);
    if (customer === undefined) throw new UnknownError("customer", order.customerId);
    const subject = `Thank you for order ${id}`;
    await this.#parts.mailer.send({ to: customer.email, subject, text: `${customer.name}, it is on its way.` });
  }

  async report(): Promise<void> {
    const month = this.#parts.clock.now().toISOString().slice(0, 7);
    const { orders, revenue, bestSeller } = await this.#parts.reports.salesOf(month);
    const text = `${orders} orders, ${revenue.amount} EUR. Best seller: ${bestSeller}.`;
    await this.#parts.mailer.send({ to: office, subject: `Sales of ${month}`, text });
  }
}
