/**
 * Webhook middleware: only webhooks of a sender with a known secret, and of this moment, reach the handler.
 *
 *   headers ──▶ missing, malformed: 400
 *       └────▶ timestamp too old or too new: 401, and the body is not read
 *                 └──▶ body, byte by byte ──▶ no signature fits: 401
 *                                                └──▶ webhookOf(ctx) ──▶ handler
 *
 * Whether an id has come before is known by `IdempotencyMiddleware` with `key: (ctx) => webhookOf(ctx)?.id`.
 *
 * Spec: spec/webhooks.md
 */
import type { Context } from "../http/context.ts";
import { BadRequestError, UnauthorizedError } from "../internal/errors.ts";
import { checkOptionNames } from "../internal/option-names.ts";
import { checkWholeNumbers } from "../internal/option-values.ts";
import type { Next } from "../middleware/types.ts";
import { isWebhookId, Signer } from "./signer.ts";

/** Options of {@link WebhookMiddleware}. */
export interface WebhookOptions {
  /** The secrets that the sender may sign with, such as `whsec_…`. During a rotation there are two. */
  readonly secrets: string | readonly string[];
  /** How old or how far ahead a webhook's timestamp may be, in milliseconds. Default 300,000. */
  readonly toleranceMs?: number | undefined;
  /** The time in milliseconds since 1970. Default `Date.now`. For tests. */
  readonly now?: (() => number) | undefined;
}

/** A verified webhook, for its handler. */
export interface Webhook {
  /** The id of the event, which is the same in each attempt to send it. */
  readonly id: string;
  /** When this attempt was made. */
  readonly timestamp: Date;
}

const slot: unique symbol = Symbol("framework/webhooks");

/** The verified webhook of this request, or undefined where no {@link WebhookMiddleware} has run. */
export const webhookOf = (ctx: Context): Webhook | undefined => ctx.attribute(slot) as Webhook | undefined;

/** The longest `webhook-signature`, in characters: about 80 signatures. */
const longestSignatures = 4_096;

/**
 * Verifies webhooks by Standard Webhooks.
 *
 * @example
 * ```ts
 * const verified = new WebhookMiddleware({ secrets: process.env["PAYMENTS_SECRET"] ?? "" });
 * app.post("/webhooks/payments", { use: [verified] }, async (ctx) => console.log(await ctx.body()));
 * ```
 */
export class WebhookMiddleware {
  readonly #signer: Signer;
  readonly #toleranceMs: number;
  readonly #now: () => number;

  /** @throws TypeError (`WEBHOOK`) naming the option and the allowed values. The message never holds a secret. */
  constructor(options: WebhookOptions) {
    checkOptionNames("WebhookMiddleware", options, ["secrets", "toleranceMs", "now"], "WEBHOOK");
    checkWholeNumbers("WebhookMiddleware", options, ["toleranceMs"], "WEBHOOK");
    this.#signer = new Signer("WebhookMiddleware", options.secrets);
    this.#toleranceMs = options.toleranceMs ?? 300_000;
    this.#now = options.now ?? Date.now;
  }

  async handle(ctx: Context, next: Next): Promise<void> {
    const id = headerOf(ctx, "webhook-id", isWebhookId);
    const seconds = Number(headerOf(ctx, "webhook-timestamp", (value) => /^\d{1,12}$/.test(value)));
    const signatures = headerOf(ctx, "webhook-signature", (value) => value.length <= longestSignatures);
    this.#checkTime(seconds);
    if (!(await this.#signer.verifies(signatures, id, seconds, await ctx.bodyAsBytes())))
      throw rejected("no signature of this webhook fits its content and a known secret", "webhook_signature_invalid");
    ctx.attribute(slot, { id, timestamp: new Date(seconds * 1_000) } satisfies Webhook);
    await next();
  }

  /** Beyond it a webhook may be a recorded one that is sent again. */
  #checkTime(seconds: number): void {
    const ageMs = this.#now() - seconds * 1_000;
    if (Math.abs(ageMs) <= this.#toleranceMs) return;
    const allowed = `${this.#toleranceMs / 1_000} s are allowed`;
    const age = `${Math.abs(Math.round(ageMs / 1_000))} s ${ageMs > 0 ? "old" : "ahead"}`;
    throw rejected(`the timestamp of this webhook is ${age}: ${allowed}`, "webhook_timestamp_invalid");
  }
}

/** A header of the webhook. @throws HttpError (400) when it is missing or malformed. */
function headerOf(ctx: Context, name: string, isValid: (value: string) => boolean): string {
  const value = ctx.header(name);
  if (value !== undefined && isValid(value)) return value;
  const what = value === undefined ? "missing" : "malformed";
  throw new BadRequestError(`${name} is ${what}: a webhook has an id, a timestamp in seconds and signatures`, {
    code: "webhook_headers_invalid",
  });
}

const rejected = (message: string, code: string): UnauthorizedError =>
  new UnauthorizedError(message, { code, challenge: "Webhook" });
