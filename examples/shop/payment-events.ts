/**
 * What the payment service tells the shop: webhooks by Standard Webhooks.
 *
 *   payment.charged_back ──▶ signed by the payment service ──▶ once for each id ──▶ the order is cancelled
 */
import type { Framework } from "framework";
import { IdempotencyMiddleware } from "framework/idempotency";
import { WebhookMiddleware, webhookOf } from "framework/webhooks";
import * as contracts from "./contracts.ts";
import { OrderService } from "./services/orders.ts";

/** For development. `PAYMENTS_SECRET` is another one. */
export const developmentSecret = "whsec_c2VjcmV0IG9mIHRoZSBzaG9wJ3MgcGF5bWVudHM=";

/** Adds the route of the payment service. */
export function addPaymentEvents(app: Framework, secret: string): void {
  const verified = new WebhookMiddleware({ secrets: secret });
  const once = new IdempotencyMiddleware({ caller: () => "payments", key: (ctx) => webhookOf(ctx)?.id });
  app.post(
    "/payments/events",
    { ...contracts.paymentEvent, tags: ["orders"], use: [verified, once], beans: [OrderService] },
    async (ctx) => {
      const { type, data } = ctx.input.body;
      if (type === "payment.charged_back") await ctx.get(OrderService).cancel(data.order);
      return ctx.status(204);
    },
  );
}
