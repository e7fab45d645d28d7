/**
 * Sales reports. Contains a bug on purpose, to be found in the dashboard (see README.md).
 */
import { Interface } from "framework";
import type { OrderLine, SalesReport } from "../domain.ts";
import { Money } from "../money.ts";
import type { OrderRepository } from "../repositories/orders.ts";

export interface ReportService {
  /** `month` as in `2026-10`. */
  salesOf(month: string): Promise<SalesReport>;
}
export const ReportService: Interface<ReportService> = Interface("ReportService");

export class SalesReports implements ReportService {
  readonly #orders: OrderRepository;

  constructor(orders: OrderRepository) {
    this.#orders = orders;
  }

  async salesOf(month: string): Promise<SalesReport> {
    const from = new Date(`${month}-01T00:00:00Z`);
    const to = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1));
    const orders = await this.#orders.paidBetween(from, to);
    const bestSeller = mostOrdered(orders.flatMap((order) => order.lines));
    return { month, orders: orders.length, revenue: Money.sum(orders.map((order) => order.total)), bestSeller };
  }
}

/** The bug: a month without an order has no most ordered product, and `reduce` of an empty list throws. */
function mostOrdered(lines: readonly OrderLine[]): string {
  return lines.reduce((best, line) => (line.quantity > best.quantity ? line : best)).name;
}
