/**
 * framework/webhooks: webhooks by Standard Webhooks (https://www.standardwebhooks.com), received and sent. It has no dependency.
 *
 *   a request of another service ──▶ WebhookMiddleware ──▶ handler        app ──▶ webhookJob ──▶ a request to another service
 *
 * The signatures are our own code, as WebCrypto makes them on every platform. The package `standardwebhooks` needs Node's Buffer
 * and two more packages, and knows one secret at a time. The tests compare with it in both directions.
 *
 * Spec: spec/webhooks.md
 */
export { WebhookMiddleware, webhookOf, type Webhook, type WebhookOptions } from "./middleware.ts";
export { signWebhook, type WebhookToSign } from "./signer.ts";
export {
  webhookJob,
  type WebhookEndpoint,
  type WebhookInput,
  type WebhookJob,
  type WebhookJobOptions,
  type WebhookSchema,
} from "./job.ts";
