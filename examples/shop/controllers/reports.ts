/**
 * Reports over HTTP.
 */
import { type ContextOf, Interface } from "framework";
import type { salesReport } from "../contracts.ts";
import type { SalesReport } from "../domain.ts";
import type { ReportService } from "../services/reports.ts";

export interface ReportController {
  sales(ctx: ContextOf<typeof salesReport>): Promise<SalesReport>;
}
export const ReportController: Interface<ReportController> = Interface("ReportController");

export class HttpReports implements ReportController {
  readonly #service: ReportService;

  constructor(service: ReportService) {
    this.#service = service;
  }

  async sales(ctx: ContextOf<typeof salesReport>): Promise<SalesReport> {
    return this.#service.salesOf(ctx.input.params.month);
  }
}
