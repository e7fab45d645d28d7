/** Webhooks that are sent as jobs: attempts, their outcomes, and what is signed (HOOK). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Framework } from "framework";
import { Webhook as Reference } from "standardwebhooks";
import { memoryWork, Work } from "../work/index.ts";
import { webhookJob, type WebhookEndpoint, type WebhookJobOptions } from "./index.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const payload = { type: "order.placed", timestamp: "2026-11-03T20:26:10Z", data: { id: "o-1" } };
const at = { url: "https://hooks.example/in", secrets: secret };

interface Sent {
  readonly url: string;
  readonly init: RequestInit;
}

/** An app that has sent one webhook, whose endpoint responds as given, one after the other. */
async function sentTo(responses: readonly (Response | Error)[], options: Partial<WebhookJobOptions> = {}) {
  const sent: Sent[] = [];
  const jobs = memoryWork({ manual: true });
  const app = Framework.create({ logger: { warn: () => undefined, error: () => undefined } }).work(jobs);
  const { job, handler } = webhookJob("placed", {
    endpoint: () => at,
    fetch: async (url, init) => {
      const response = responses[sent.push({ url: url.href, init }) - 1] ?? new Response(null, { status: 204 });
      if (response instanceof Error) throw response;
      return response;
    },
    ...options,
  });
  await app.job(job, handler).ready();
  const id = await jobs.work.send(job, { endpoint: "7", payload });
  const run = () => jobs.run({ at: Date.now() + 365 * 86_400_000 });
  return { id, sent, run, dead: () => jobs.work.dead(job) };
}
const status = (code: number, headers = {}): Response => new Response(null, { status: code, headers });

describe("webhookJob", () => {
  test("posts the payload with a signature that the library standardwebhooks accepts", async () => {
    const { id, sent, run } = await sentTo([]);
    await run();
    const [one] = sent;
    const { method, headers, body, redirect } = one?.init ?? {};
    const { "webhook-id": sentId, "content-type": type } = headers as Record<string, string>;
    assert.deepEqual(new Reference(secret).verify(String(body), headers as Record<string, string>), payload);
    assert.deepEqual(
      [one?.url, method, type, redirect, sentId],
      ["https://hooks.example/in", "POST", "application/json", "manual", id],
    );
  });

  test("tries again after each response that is not 2xx, with one id and a timestamp of its own", async () => {
    const failures = [status(500), status(404), status(302, { location: "http://10.0.0.1/" }), new TypeError("reset")];
    const { id, sent, run } = await sentTo(failures);
    const ran = await run();
    assert.deepEqual(
      ran.map(({ outcome, reason }) => [outcome, reason]),
      [
        ["failed", 'the endpoint "7" responded 500'],
        ["failed", 'the endpoint "7" responded 404'],
        ["failed", 'the endpoint "7" responded 302'],
        ["failed", 'the endpoint "7" was not reached: reset'],
        ["done", ""],
      ],
    );
    assert.deepEqual([...new Set(sent.map(({ init }) => Object(init.headers)["webhook-id"] as string))], [id]);
    assert.deepEqual([...new Set(sent.map(({ url }) => url))], ["https://hooks.example/in"]);
  });

  test("is tried 16 times within two days", async () => {
    const { run, dead } = await sentTo(Array.from({ length: 20 }, () => status(503)));
    const ran = await run();
    const hours = ((ran.at(-1)?.at ?? 0) - (ran[0]?.at ?? 0)) / 3_600_000;
    assert.deepEqual([ran.length, Math.round(hours), (await dead()).length], [16, 46, 1]);
  });

  test("is a dead letter at 410, and the application is told that the endpoint is gone", async () => {
    const gone: string[] = [];
    const { run, dead } = await sentTo([status(410)], { gone: (name) => void gone.push(name) });
    assert.deepEqual(
      (await run()).map(({ outcome }) => outcome),
      ["dead"],
    );
    assert.deepEqual(
      [gone, (await dead())[0]?.reason],
      [["7"], 'the endpoint "7" responded 410: it wants no more webhooks'],
    );
  });

  const nowhere: Record<string, [endpoint: WebhookEndpoint | undefined, reason: RegExp]> = {
    "no endpoint": [undefined, /^there is no endpoint "7"$/],
    "a URL that is none": [{ ...at, url: "hooks" }, /has no https URL/],
    "an http URL": [{ ...at, url: "http://hooks.example/" }, /has no https URL/],
    "a file": [{ ...at, url: "file:///etc/passwd" }, /has no https URL/],
    "a URL with a password": [{ ...at, url: "https://a:b@hooks.example/" }, /URL without a password/],
  };
  for (const [title, [endpoint, reason]] of Object.entries(nowhere))
    test(`is a dead letter with ${title}, and nothing is sent`, async () => {
      const { sent, run } = await sentTo([], { endpoint: () => endpoint });
      const ran = await run();
      assert.deepEqual([ran.length, ran[0]?.outcome, sent], [1, "dead", []]);
      assert.match(ran[0]?.reason ?? "", reason);
    });

  test("looks the endpoint up for each attempt, so that a rotated secret and a new URL apply", async () => {
    const endpoints = [at, { url: new URL("https://new.example/"), secrets: `whsec_${btoa("n".repeat(32))}` }];
    const { sent, run } = await sentTo([status(500)], { endpoint: () => endpoints.shift() });
    await run();
    const signatures = sent.map(({ init }) => Object(init.headers)["webhook-signature"] as string);
    assert.deepEqual([sent[1]?.url, signatures[0] === signatures[1]], ["https://new.example/", false]);
  });

  test("follows no redirect of a real server, and gives up when its time is over", async () => {
    const paths: string[] = [];
    const server = Framework.create({ host: "127.0.0.1" });
    server.post("/moved", (ctx) => (paths.push(ctx.path), ctx.redirect("/inside", 307)));
    server.post("/inside", (ctx) => (paths.push(ctx.path), "inside"));
    server.post("/slow", (ctx) => new Promise((resolve) => ctx.signal.addEventListener("abort", resolve)));
    const port = await server.start(0).then(() => server.port);
    const reasons: unknown[] = [];
    for (const path of ["/moved", "/slow"]) {
      const url = `http://127.0.0.1:${port}${path}`;
      const options = { endpoint: () => ({ url, secrets: secret }), fetch: undefined, allowHttp: true };
      const { run } = await sentTo([], { ...options, attempts: 1, timeoutMs: 500 });
      reasons.push((await run())[0]?.reason);
    }
    await server.stop();
    assert.deepEqual(reasons, ['the endpoint "7" responded 307', "the job placed did not settle within 500 ms"]);
    assert.deepEqual(paths, ["/moved"]);
  });

  test("rejects an input without an endpoint or a payload when it is sent", async () => {
    const { job, handler } = webhookJob("placed", { endpoint: () => at });
    const app = Framework.create().work(memoryWork({ manual: true }));
    await app.job(job, handler).ready();
    const work = app.container?.get(Work);
    for (const input of [{}, { endpoint: "7" }, { endpoint: 7, payload }])
      await assert.rejects(work?.send(job, input as never) ?? Promise.resolve(), { code: "WORK_INPUT" });
  });

  test("throws on options that are not allowed", () => {
    const make = (options: object) => () => webhookJob("placed", { endpoint: () => at, ...options });
    assert.throws(make({ url: "x" }), { code: "WEBHOOK", message: /webhookJob has no option url/ });
    assert.throws(make({ endpoint: 7 }), { code: "WEBHOOK", message: /endpoint is 7: a function/ });
    assert.throws(make({ gone: 7 }), { code: "WEBHOOK", message: /gone is 7/ });
    assert.throws(make({ allowHttp: 7 }), { code: "WEBHOOK", message: /allowHttp is 7/ });
    assert.throws(make({ fetch: 7 }), { code: "WEBHOOK", message: /fetch is 7/ });
    assert.throws(make({ attempts: 0 }), { code: "WORK_INVALID", message: /attempts: 0/ });
  });
});
