/**
 * Webhook job: sends webhooks as jobs, so that one survives a crash and an endpoint that is away.
 *
 *   work.send(placed.job, { endpoint: "7", payload }) ──▶ attempt ──▶ endpoint("7") ──▶ POST, signed, with the job's id
 *     2xx ──▶ done        410 ──▶ gone("7"), a dead letter        no such endpoint, no such URL ──▶ a dead letter
 *     any other status, a redirect, no response in time ──▶ another attempt, until there are none left
 *
 * A job holds neither URL nor secret: both are looked up for each attempt, so a change of them applies to jobs that wait.
 *
 * Spec: spec/webhooks.md
 */
import type { Job, JobRun } from "../app/work.ts";
import { checkOptionNames } from "../internal/option-names.ts";
import { ignore } from "../internal/thenable.ts";
import { shown, usageError } from "../internal/usage-errors.ts";
import { DeadLetterError } from "../work/dead-letter.ts";
import { job, type JobOptions } from "../work/job.ts";
import { signWebhook } from "./signer.ts";

/** The input of a webhook's job. */
export interface WebhookInput {
  /** Where to send it: a name that `endpoint` of the options knows. */
  readonly endpoint: string;
  /** The body, as JSON: by Standard Webhooks `{ type, timestamp, data }`. */
  readonly payload: unknown;
}

/** The schema of a webhook's job. */
export interface WebhookSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): unknown;
    readonly types?: { readonly input: WebhookInput; readonly output: WebhookInput } | undefined;
  };
}

/** A receiver of webhooks. */
export interface WebhookEndpoint {
  /** An `https:` URL. Redirects are not followed. */
  readonly url: string | URL;
  /** Its own secrets, such as `whsec_…`. During a rotation there are two, and a webhook is signed with both. */
  readonly secrets: string | readonly string[];
}

/** Options of {@link webhookJob}. */
export interface WebhookJobOptions extends Omit<JobOptions<WebhookSchema>, "input"> {
  /** The endpoint of that name, or undefined when there is none any more. Called for each attempt. */
  readonly endpoint: (name: string, run: JobRun) => WebhookEndpoint | undefined | Promise<WebhookEndpoint | undefined>;
  /** Called when the endpoint has responded 410: it wants no more webhooks. */
  readonly gone?: ((name: string, run: JobRun) => unknown) | undefined;
  /** Are `http:` URLs allowed? Default false. For development. */
  readonly allowHttp?: boolean | undefined;
  /** Sends the request. Default: the global `fetch`. One that rejects addresses of your own network belongs here. */
  readonly fetch?: ((url: URL, init: RequestInit) => Promise<Response>) | undefined;
}

/** A kind of job that sends webhooks, and its handler: `app.job(placed.job, placed.handler)`. */
export interface WebhookJob {
  readonly job: Job<WebhookSchema>;
  readonly handler: (input: WebhookInput, run: JobRun) => Promise<void>;
}

/** In addition to those of a job. */
const ownNames = ["endpoint", "gone", "allowHttp", "fetch"];
const jobNames = ["attempts", "backoff", "timeoutMs", "concurrency"];
/** The attempts are within two days. */
const defaults = {
  attempts: 16,
  backoff: { kind: "exponential", delayMs: 5_000 },
  timeoutMs: 20_000,
  concurrency: 10,
} as const;

const schema: WebhookSchema = {
  "~standard": {
    version: 1,
    vendor: "framework",
    validate(value) {
      const { endpoint, payload } = Object(value) as Partial<WebhookInput>;
      if (typeof endpoint === "string" && payload !== undefined) return { value: { endpoint, payload } };
      return { issues: [{ message: "a webhook has the name of an endpoint and a payload", path: [] }] };
    },
  },
};

/**
 * Declares a kind of job that sends webhooks. Default: 16 attempts within two days, 20 seconds for each, 10 at a time.
 *
 * @throws TypeError (`WEBHOOK`, `WORK_INVALID`) naming what is not allowed.
 * @example
 * ```ts
 * const endpoints = new Map([["7", { url: "https://customer.example/hooks", secrets: "whsec_…" }]]);
 * const placed = webhookJob("order-placed", { endpoint: (name) => endpoints.get(name) });
 * app.job(placed.job, placed.handler);
 * await ctx.get(Work).send(placed.job, { endpoint: "7", payload: { type: "order.placed", data: { id: "o-1" } } });
 * ```
 */
export function webhookJob(name: string, options: WebhookJobOptions): WebhookJob {
  checkOptionNames("webhookJob", options, [...ownNames, ...jobNames], "WEBHOOK");
  const { endpoint, gone, allowHttp, fetch, ...limits } = options;
  if (typeof endpoint !== "function") throw invalid("endpoint", endpoint, "a function (name, run) => { url, secrets }");
  if (gone !== undefined && typeof gone !== "function") throw invalid("gone", gone, "a function (name, run)");
  if (allowHttp !== undefined && typeof allowHttp !== "boolean") throw invalid("allowHttp", allowHttp, "a boolean");
  if (fetch !== undefined && typeof fetch !== "function") throw invalid("fetch", fetch, "a function like fetch");
  return {
    job: job(name, { ...defaults, ...limits, input: schema }),
    handler: (input, run) => deliver(options, input, run),
  };
}

async function deliver(options: WebhookJobOptions, { endpoint: name, payload }: WebhookInput, run: JobRun) {
  const endpoint = await options.endpoint(name, run);
  if (endpoint === undefined) throw new DeadLetterError(`there is no endpoint ${shown(name)}`);
  const url = checkedUrl(name, endpoint.url, options.allowHttp === true);
  const body = JSON.stringify(payload);
  const headers = await signWebhook(endpoint.secrets, { id: run.id, body });
  const status = await post(options, name, url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
    redirect: "manual",
    signal: run.signal,
  });
  if (status >= 200 && status <= 299) return;
  if (status !== 410) throw new Error(`the endpoint ${shown(name)} responded ${status}`);
  await options.gone?.(name, run);
  throw new DeadLetterError(`the endpoint ${shown(name)} responded 410: it wants no more webhooks`);
}

/** The status of the response. Its body is not read. */
async function post(options: WebhookJobOptions, name: string, url: URL, init: RequestInit): Promise<number> {
  const { fetch: send = fetch } = options;
  try {
    const response = await send(url, init);
    response.body?.cancel().catch(ignore);
    return response.status;
  } catch (error) {
    init.signal?.throwIfAborted();
    const { cause = error } = Object(error) as { readonly cause?: unknown };
    const why = String(Object(cause).code ?? Object(cause).message ?? cause);
    throw new Error(`the endpoint ${shown(name)} was not reached: ${why}`, { cause: error });
  }
}

/** @throws DeadLetterError when no request can go there. */
function checkedUrl(name: string, given: string | URL, allowHttp: boolean): URL {
  const url = URL.canParse(String(given)) ? new URL(String(given)) : undefined;
  const isAllowed = url?.protocol === "https:" || (allowHttp && url?.protocol === "http:");
  if (url !== undefined && isAllowed && url.username === "" && url.password === "") return url;
  throw new DeadLetterError(
    `the endpoint ${shown(name)} has no ${allowHttp ? "http" : "https"} URL without a password`,
  );
}

const invalid = (name: string, value: unknown, allowed: string): TypeError =>
  usageError("WEBHOOK", `webhookJob: ${name} is ${shown(value)}: ${allowed} is allowed`);
