/**
 * Reports over HTTP.
 */
import { type Context, HttpError, Interface } from "framework";
import type { SalesReport } from "../domain.ts";
import type { ReportService } from "../services/reports.ts";

export interface ReportController {
  sales(ctx: Context<"month">): Promise<SalesReport>;
}
export const ReportController: Interface<ReportController> = Interface("ReportController");

export class HttpReports implements ReportController {
  readonly #service: ReportService;

  constructor(service: ReportService) {
    this.#service = service;
  }

  async sales(ctx: Context<"month">): Promise<SalesReport> {
    const month = ctx.pathParam("month");
    if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) throw new HttpError(400, "Write the month as in 2026-10");
    return this.#service.salesOf(month);
  }
}
