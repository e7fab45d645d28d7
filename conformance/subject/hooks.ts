/**
 * The webhooks that the subject receives.
 *
 * Spec: spec/subject.md
 */
import type { Framework } from "framework";
import { IdempotencyMiddleware } from "framework/idempotency";
import { WebhookMiddleware, webhookOf } from "framework/webhooks";

/** The secrets of spec/subject.md. */
const secrets = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_c2VjcmV0IG9mIHRoZSBsYXN0IHJvdGF0aW9u"];

/** Adds `POST /hooks/{name}`. */
export function addHooks(app: Framework): void {
  const verified = new WebhookMiddleware({ secrets });
  const once = new IdempotencyMiddleware({ caller: (ctx) => ctx.path, key: (ctx) => webhookOf(ctx)?.id });
  app.post("/hooks/{name}", { use: [verified, once] }, (ctx) => ctx.status(201).json({ id: crypto.randomUUID() }));
}
