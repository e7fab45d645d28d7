/**
 * The shop's jobs: work that survives the request, and the process, that sends it. pg-boss keeps them in the shop's database.
 *
 *   an order of 500 EUR is paid ──┐ one transaction
 *   order-confirmation is sent ───┘        └──▶ later: MailJobs.confirm ──▶ Mailer
 *   every night at three ──▶ nightly-report ──▶ MailJobs.report ──▶ Mailer
 */
import type { Framework, Job } from "framework";
import { job, type JobEngine } from "framework/work";
import { z } from "zod";
import { MailJobs } from "./services/mail-jobs.ts";

const confirmed = z.object({ order: z.string() });
const nothing = z.object({});

/** Thanks a customer for a large order. */
export const OrderConfirmation: Job<typeof confirmed> = job("order-confirmation", {
  input: confirmed,
  attempts: 3,
  backoff: { kind: "fixed", delayMs: 1_000 },
});

/** Mails the sales of the month to the office. */
export const NightlyReport: Job<typeof nothing> = job("nightly-report", { input: nothing });

/** Gives the app its engine, what does each job, and the schedule. */
export function addJobs(app: Framework, engine: JobEngine): void {
  app.work(engine);
  app.job(OrderConfirmation, [MailJobs, "confirm"]);
  app.job(NightlyReport, [MailJobs, "report"]);
  app.schedule("nightly-report", "0 3 * * *", { timeZone: "Europe/Berlin" }, NightlyReport, {});
}
