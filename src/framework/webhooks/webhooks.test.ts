/** Webhooks that are received: which of them reach the handler (HOOK). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Framework } from "framework";
import { Webhook as Reference } from "standardwebhooks";
import { IdempotencyMiddleware } from "../idempotency/index.ts";
import { signWebhook, WebhookMiddleware, webhookOf, type WebhookOptions } from "./index.ts";

// The values of the tests of Standard Webhooks.
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
const body = `{"test": 2432232314}`;
const foreign = "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=";
const other = `whsec_${btoa("another secret of 32 characters.")}`;
const now = 1_614_265_330_000;

/** An app that receives webhooks, and a request to it with the given headers. */
function receiver(options: Partial<WebhookOptions> = {}) {
  const seen: unknown[] = [];
  const verified = new WebhookMiddleware({ secrets: secret, now: () => now, ...options });
  const app = Framework.create().post("/hooks", { use: [verified] }, async (ctx) => {
    seen.push([webhookOf(ctx), await ctx.bodyAsString()]);
    return ctx.status(204);
  });
  const send = async (headers: Readonly<Record<string, string | undefined>>, content: string = body) => {
    const given = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    const response = await app.request("/hooks", { method: "POST", headers: Object.fromEntries(given), body: content });
    const { code } = response.status === 204 ? {} : ((await response.json()) as { code?: string });
    return code === undefined ? response.status : `${response.status} ${code}`;
  };
  return { app, send, seen };
}
const signed = (at = now, secrets: string | readonly string[] = secret, content = body) =>
  signWebhook(secrets, { id, body: content, timestamp: new Date(at) });

describe("signWebhook", () => {
  test("makes the signature of the tests of Standard Webhooks", async () => {
    assert.deepEqual(await signed(), {
      "webhook-id": id,
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
  });

  test("signs with each secret, so that the receiver may know only one of them", async () => {
    const headers = await signed(Date.now(), [other, secret]);
    for (const one of [other, secret])
      assert.deepEqual(new Reference(one).verify(body, headers), { test: 2_432_232_314 });
  });

  test("signs bytes and characters beyond ASCII as the library standardwebhooks does", async () => {
    for (const content of ["", "äöü 🔔", "1.2.3"]) {
      const bytes = new TextEncoder().encode(content);
      const timestamp = new Date(now);
      const { "webhook-signature": signature } = await signWebhook(secret, { id, body: bytes, timestamp });
      assert.equal(signature, new Reference(secret).sign(id, timestamp, content));
    }
  });

  const wrong: Record<string, [secrets: unknown, more: object, message: RegExp]> = {
    "an empty secret": ["", {}, /a secret is of 0 bytes: whsec_ and 24 to 64 bytes as base64/],
    "no secret": [[], {}, /secrets is an empty list/],
    undefined: [undefined, {}, /a secret is undefined/],
    null: [[secret, null], {}, /a secret is null/],
    "a prefix alone": ["whsec_", {}, /a secret is of 0 bytes/],
    "a secret that could be guessed": [`whsec_${btoa("a".repeat(23))}`, {}, /a secret is of 23 bytes/],
    "one that is too long": [`whsec_${btoa("a".repeat(65))}`, {}, /a secret is of 65 bytes/],
    "one that is not base64": ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa_w", {}, /a secret is not base64/],
    "an asymmetric key": [`whpk_${btoa("a".repeat(32))}`, {}, /an asymmetric key, which is not supported/],
    "an id with a full stop": [secret, { id: "a.b" }, /id is 1 to 255 visible ASCII/],
    "an id that is too long": [secret, { id: "a".repeat(256) }, /id is 1 to 255 visible ASCII/],
    "a timestamp that is none": [secret, { timestamp: new Date("x") }, /timestamp is a Date from 1970 on/],
  };
  for (const [title, [secrets, more, message]] of Object.entries(wrong))
    test(`rejects ${title}, and does not show the secret`, async () => {
      const signing = signWebhook(secrets as string, { id, body, ...more });
      await assert.rejects(signing, (error: Error & { code?: string }) => {
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /MfKQ|YWFh/);
        return error.code === "WEBHOOK";
      });
    });
});

describe("WebhookMiddleware", () => {
  test("gives the handler the id, the timestamp and the body as it was sent", async () => {
    const { send, seen } = receiver();
    assert.equal(await send(await signed()), 204);
    assert.deepEqual(seen, [[{ id, timestamp: new Date(now) }, body]]);
  });

  test("accepts what the library standardwebhooks has signed, with and without the prefix of the secret", async () => {
    const headers = { ...(await signed()), "webhook-signature": new Reference(secret).sign(id, new Date(now), body) };
    for (const secrets of [secret, secret.slice("whsec_".length), [other, secret]])
      assert.equal(await receiver({ secrets }).send(headers), 204);
  });

  test("accepts one fitting signature among those of other secrets and kinds", async () => {
    const { "webhook-signature": own, ...rest } = await signed();
    const signatures = [foreign, foreign.replace("v1", "v1a"), "", own, foreign].join(" ");
    assert.equal(await receiver().send({ ...rest, "webhook-signature": signatures }), 204);
  });

  test("accepts an empty body", async () => {
    assert.equal(await receiver().send(await signed(now, secret, ""), ""), 204);
  });

  test("accepts timestamps within the tolerance on both sides, and no others", async () => {
    const outcomes: unknown[] = [];
    for (const offset of [-301_000, -300_000, 300_000, 301_000])
      outcomes.push(await receiver().send(await signed(now + offset)));
    const late = "401 webhook_timestamp_invalid";
    assert.deepEqual(outcomes, [late, 204, 204, late]);
    assert.equal(await receiver({ toleranceMs: 1_000 }).send(await signed(now - 2_000)), late);
  });

  const malformed: Record<string, Record<string, string | undefined>> = {
    "no id": { "webhook-id": undefined },
    "no timestamp": { "webhook-timestamp": undefined },
    "no signature": { "webhook-signature": undefined },
    "an id with a full stop": { "webhook-id": `${id}.1614265330` },
    "two ids": { "webhook-id": `${id}, ${id}` },
    "an id that is too long": { "webhook-id": "a".repeat(256) },
    "a timestamp that is a word": { "webhook-timestamp": "hello" },
    "a timestamp with more after it": { "webhook-timestamp": "1614265330a" },
    "a timestamp that is too long": { "webhook-timestamp": "1".repeat(13) },
    "signatures that are too long": { "webhook-signature": `${foreign} `.repeat(100) },
  };
  for (const [title, headers] of Object.entries(malformed))
    test(`responds 400 to ${title}`, async () => {
      const { send, seen } = receiver();
      assert.equal(await send({ ...(await signed()), ...headers }), "400 webhook_headers_invalid");
      assert.deepEqual(seen, []);
    });

  const forged: Record<string, (headers: Record<string, string>) => Record<string, string>> = {
    "a signature of another secret": (headers) => ({ ...headers, "webhook-signature": foreign }),
    "a signature that is cut": (headers) => ({ ...headers, "webhook-signature": "v1,g0hM9" }),
    "an empty signature": (headers) => ({ ...headers, "webhook-signature": "v1," }),
    "a signature of another kind": (headers) => ({
      ...headers,
      "webhook-signature": String(headers["webhook-signature"]).replace("v1", "v2"),
    }),
    "another id": (headers) => ({ ...headers, "webhook-id": "msg_other" }),
    "another timestamp": (headers) => ({ ...headers, "webhook-timestamp": "1614265331" }),
  };
  for (const [title, change] of Object.entries(forged))
    test(`responds 401 to ${title}`, async () => {
      const { send, seen } = receiver();
      assert.equal(await send(change(await signed())), "401 webhook_signature_invalid");
      assert.deepEqual(seen, []);
    });

  test("responds 401 to JSON that was parsed and written again", async () => {
    assert.equal(
      await receiver().send(await signed(), JSON.stringify(JSON.parse(body))),
      "401 webhook_signature_invalid",
    );
  });

  test("does not read the body of a webhook that is too old", async () => {
    const verified = new WebhookMiddleware({ secrets: secret, now: () => now });
    const app = Framework.create();
    let isRead = false;
    app.post("/", { use: [verified] }, () => "never");
    const stream = new ReadableStream({ pull: () => void (isRead = true) }, { highWaterMark: 0 });
    const init = { method: "POST", headers: await signed(now - 301_000), body: stream, duplex: "half" };
    const response = await app.fetch(new Request("http://localhost/", init as RequestInit));
    assert.deepEqual([response.status, response.headers.get("www-authenticate"), isRead], [401, "Webhook", false]);
  });

  test("says that the body was taken when another middleware reads it in pieces before", async () => {
    const errors: unknown[] = [];
    const app = Framework.create({ logger: { warn: () => undefined, error: (_, error) => void errors.push(error) } });
    app.use((ctx, next) => (ctx.bodyAsStream(), next()));
    app.use(new WebhookMiddleware({ secrets: secret, now: () => now })).post("/", () => "never");
    const response = await app.request("/", { method: "POST", headers: await signed(), body });
    assert.deepEqual([response.status, (errors[0] as { code?: string }).code], [500, "BODY_READ"]);
  });

  test("with IdempotencyMiddleware, a webhook that comes again has its effect once", async () => {
    const effects: string[] = [];
    const app = Framework.create();
    const verified = new WebhookMiddleware({ secrets: secret, now: () => now });
    const once = new IdempotencyMiddleware({ caller: () => "payments", key: (ctx) => webhookOf(ctx)?.id });
    app.post("/hooks", { use: [verified, once] }, async (ctx) => {
      effects.push(await ctx.bodyAsString());
      return ctx.status(202).json({ effects: effects.length });
    });
    const send = async (at: number) => {
      const response = await app.request("/hooks", { method: "POST", headers: await signed(at), body });
      return [response.status, await response.json()];
    };
    assert.deepEqual(
      [await send(now), await send(now + 5_000)],
      [
        [202, { effects: 1 }],
        [202, { effects: 1 }],
      ],
    );
    assert.deepEqual(effects, [body]);
  });

  test("throws on options that are not allowed", () => {
    const make = (options: object) => () => new WebhookMiddleware(options as WebhookOptions);
    assert.throws(make({ secret }), { code: "WEBHOOK", message: /no option secret: .*did you mean secrets/ });
    assert.throws(make({ secrets: secret, toleranceMs: 0 }), { code: "WEBHOOK", message: /toleranceMs is 0/ });
    assert.throws(make({ secrets: "short" }), { code: "WEBHOOK", message: /WebhookMiddleware: a secret is/ });
  });
});
