/**
 * Signer: the signatures of a webhook, one for each secret.
 *
 *   `<id>.<seconds>.<body>` ──▶ HMAC-SHA-256 by each secret ──▶ v1,<base64> v1,<base64>
 *
 * Each secret is used once for a webhook, however many signatures came with it, and signatures are compared in constant time.
 *
 * Spec: spec/webhooks.md
 */
import { base64Of, bytesOfBase64 } from "../internal/base64.ts";
import { joinedBytes, sameBytes } from "../internal/bytes.ts";
import { usageError } from "../internal/usage-errors.ts";

/** The argument of {@link signWebhook}. */
export interface WebhookToSign {
  /** The id of the event, which is the same in each attempt to send it: visible ASCII without a full stop, at most 255. */
  readonly id: string;
  /** The body as it is sent. A text is UTF-8. */
  readonly body: string | Uint8Array;
  /** When this attempt is made. Default: now. */
  readonly timestamp?: Date | undefined;
}

const encoder = /* @__PURE__ */ new TextEncoder();
const prefix = "whsec_";
/** The sizes of a secret, in bytes. */
const [least, most] = [24, 64];
/** Without a full stop, so that a signed text cannot be divided in another way. */
const idPattern = /^[!-\-/-~]{1,255}$/;

/** Can it be the id of a webhook? */
export const isWebhookId = (id: string): boolean => idPattern.test(id);

/** Signs webhooks with one or more secrets. */
export class Signer {
  readonly #keys: readonly (() => Promise<CryptoKey>)[];

  /** @throws TypeError (`WEBHOOK`) when there is no secret, or one that is no symmetric secret of Standard Webhooks. */
  constructor(owner: string, secrets: string | readonly string[]) {
    const all: readonly unknown[] = Array.isArray(secrets) ? (secrets as unknown[]) : [secrets];
    if (all.length === 0) throw usageError("WEBHOOK", `${owner}: secrets is an empty list: one or more are allowed`);
    this.#keys = all.map((secret) => lazyKey(keyBytes(owner, secret)));
  }

  /** The value of `webhook-signature`. */
  async sign(id: string, seconds: number, body: Uint8Array): Promise<string> {
    return (await this.#signatures(id, seconds, body)).join(" ");
  }

  /** Is one of the signatures made with one of the secrets? Signatures of other kinds are passed over. */
  async verifies(signatures: string, id: string, seconds: number, body: Uint8Array): Promise<boolean> {
    const expected = (await this.#signatures(id, seconds, body)).map((one) => encoder.encode(one));
    return signatures.split(" ").some((given) => {
      const bytes = encoder.encode(given);
      return expected.some((one) => sameBytes(bytes, one));
    });
  }

  #signatures(id: string, seconds: number, body: Uint8Array): Promise<string[]> {
    const signed = joinedBytes([encoder.encode(`${id}.${seconds}.`), body]);
    return Promise.all(
      this.#keys.map(async (key) => {
        const signature = await crypto.subtle.sign("HMAC", await key(), signed);
        return `v1,${base64Of(new Uint8Array(signature))}`;
      }),
    );
  }
}

/**
 * The three headers of a webhook, for a sender of your own. With several secrets it has a signature of each.
 *
 * @throws (rejects) TypeError (`WEBHOOK`) on a secret, an id or a timestamp that is not allowed.
 * @example
 * ```ts
 * const headers = await signWebhook(process.env["WEBHOOK_SECRET"] ?? "", { id: "msg_7", body: '{"type":"order.placed"}' });
 * ```
 */
export async function signWebhook(
  secrets: string | readonly string[],
  { id, body, timestamp = new Date() }: WebhookToSign,
): Promise<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> {
  const signer = new Signer("signWebhook", secrets);
  if (typeof id !== "string" || !isWebhookId(id))
    throw usageError("WEBHOOK", "signWebhook: id is 1 to 255 visible ASCII characters without a full stop");
  const seconds = Math.floor(timestamp.getTime() / 1_000);
  if (!(seconds >= 0)) throw usageError("WEBHOOK", "signWebhook: timestamp is a Date from 1970 on");
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": await signer.sign(id, seconds, bytes),
  };
}

/** The bytes of a secret. The message never holds it. */
function keyBytes(owner: string, secret: unknown): Uint8Array<ArrayBuffer> {
  const wrong = (what: string): TypeError =>
    usageError(
      "WEBHOOK",
      `${owner}: a secret is ${what}: ${prefix} and ${least} to ${most} bytes as base64 are allowed`,
    );
  if (typeof secret !== "string") throw wrong(secret === null ? "null" : typeof secret);
  if (/^wh[sp]k_/.test(secret)) throw wrong("an asymmetric key, which is not supported");
  const bytes = decoded(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret);
  if (bytes === undefined) throw wrong("not base64");
  if (bytes.length < least || bytes.length > most) throw wrong(`of ${bytes.length} bytes`);
  return bytes;
}

function decoded(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return bytesOfBase64(text);
  } catch {
    return undefined;
  }
}

/** The key of a secret, made on first use. */
function lazyKey(bytes: Uint8Array<ArrayBuffer>): () => Promise<CryptoKey> {
  let key: Promise<CryptoKey> | undefined;
  return () => (key ??= crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]));
}
