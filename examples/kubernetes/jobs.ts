/** The jobs of the shop, which its application sends and its worker does. */
import { job } from "framework/work";
import { z } from "zod";

/** Writes the invoice of an order. */
export const SendInvoice = job("send-invoice", {
  input: z.object({ order: z.string() }),
  attempts: 5,
  timeoutMs: 20_000,
  concurrency: 4,
});
