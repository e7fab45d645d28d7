/**
 * Rate limit middleware: a client with too many requests gets 429 until its bucket has refilled.
 *
 *   request ──▶ key ──▶ store takes `cost` tokens ──▶ allowed: goes on      rejected: 429, Retry-After
 *                         └─ fails, or is late ──▶ "open": goes on, "closed": 503
 *   every response: RateLimit-Policy: "default";q=100;w=60      RateLimit: "default";r=99;t=1
 *
 * The fields are lists, so each of several policies adds its member. The app's functions (`key`, `cost`, `skip`, a store) may
 * fail. That is counted in `faults`, the first is logged, and a fault of `key` or `cost` never loosens the limit.
 *
 * Spec: spec/rate-limit.md
 */
import { HttpError, ServiceUnavailableError } from "../internal/errors.ts";
import { HookMiddleware } from "../middleware/hooks.ts";
import type { Context } from "../http/context.ts";
import { inTime } from "../internal/in-time.ts";
import { checkOptionNames } from "../internal/option-names.ts";
import { isThenable } from "../internal/thenable.ts";
import { shown, usageError } from "../internal/usage-errors.ts";
import { Faults } from "../metrics/faults.ts";
import type { Lifecycle } from "../middleware/types.ts";
import type { Bucket, RateLimitStore, Taken } from "./bucket.ts";
import { networkOf } from "./network.ts";
import { MemoryRateLimitStore } from "./memory-store.ts";

/** Options of {@link RateLimitMiddleware}. Times in milliseconds. */
export interface RateLimitOptions {
  /** This number of requests … */
  readonly limit: number;
  /** … in this number of milliseconds, on average. */
  readonly windowMs: number;
  /** The maximum burst after a pause. Default `limit`. */
  readonly burst?: number | undefined;
  /**
   * The key of the bucket, or undefined for an unlimited request, or a promise of it. Default `ctx.remoteAddress`, for IPv6 its first 64 bits.
   * Behind proxies that is the client only if `trustProxy` names them.
   */
  readonly key?: ((ctx: Context) => string | undefined | Promise<string | undefined>) | undefined;
  /** The name in the fields, and a part of the keys in the store. Default `default`. */
  readonly policyName?: string | undefined;
  /** Default: a separate `MemoryRateLimitStore`. */
  readonly store?: RateLimitStore | undefined;
  /** Without a reply of the store, `open`, the default, allows requests, and `closed` responds with 503. */
  readonly onStoreError?: "open" | "closed" | undefined;
  /** The time limit of the store, and of a promise of `key`. Default 500. */
  readonly storeTimeoutMs?: number | undefined;
  /** True for requests without a limit. */
  readonly skip?: ((ctx: Context) => boolean) | undefined;
  /** Tokens of a request, at most `burst`. Default 1. */
  readonly cost?: number | ((ctx: Context) => number) | undefined;
}

/**
 * Limits the requests of a client.
 *
 * @example
 * ```ts
 * app.use(new RateLimitMiddleware({ limit: 100, windowMs: 60_000 }));
 * ```
 */
export class RateLimitMiddleware extends HookMiddleware {
  readonly #options: RateLimitOptions;
  readonly #bucket: Bucket;
  readonly #store: RateLimitStore;
  readonly #name: string;
  readonly #policy: string;
  readonly #sentence: string;
  /** The policy in annotations. */
  readonly #annotation: object;
  readonly #faults = new Faults("RateLimitMiddleware: key, cost or skip");
  readonly #storeFaults: Faults;
  #warn: ((line: string) => void) | undefined;

  /** @throws TypeError naming the option, its value and the allowed values. */
  constructor(options: RateLimitOptions) {
    super();
    checkOptions(options);
    const { limit, windowMs, burst = limit, policyName = "default", onStoreError = "open" } = options;
    this.#options = options;
    this.#bucket = { intervalMs: windowMs / limit, burst };
    this.#store = options.store ?? new MemoryRateLimitStore();
    this.#name = `"${policyName}"`;
    this.#policy = `${this.#name};q=${limit};w=${Math.ceil(windowMs / 1_000)}`;
    this.#annotation = { policy: policyName, limit, windowMs, burst };
    this.#sentence = `more than ${limit} requests in ${windowMs / 1_000} s`;
    const outcome = onStoreError === "open" ? "requests are not limited" : "requests get 503";
    this.#storeFaults = new Faults(`RateLimitMiddleware ${this.#name}: ${outcome}: its store`);
  }

  /** How often `key`, `cost` or `skip` threw or returned invalid values, and the store failed or was late. */
  get faults(): number {
    return this.#faults.count + this.#storeFaults.count;
  }

  installed(app: Lifecycle): void {
    this.#faults.tell(app);
    this.#storeFaults.tell(app);
    this.#warn = (line) => app.warn(line);
  }

  before(ctx: Context): void | Promise<void> {
    const { skip } = this.#options;
    if (skip !== undefined && this.#faults.isTrue(skip, ctx)) return undefined;
    const key = this.#keyOf(ctx);
    return typeof key === "object" ? key.then((settled) => this.#take(ctx, settled)) : this.#take(ctx, key);
  }

  #take(ctx: Context, key: string | undefined): void | Promise<void> {
    const { storeTimeoutMs = 500 } = this.#options;
    if (key === undefined) return undefined;
    ctx.appendHeader("RateLimit-Policy", this.#policy);
    let taken: Taken | Promise<Taken>;
    try {
      taken = this.#store.take(`${this.#name}:${key}`, this.#bucket, this.#costOf(ctx));
    } catch (error) {
      return this.#storeFailed(error);
    }
    if (!isThenable(taken)) return this.#decided(ctx, key, taken);
    return inTime(taken, storeTimeoutMs, `it did not reply within ${storeTimeoutMs} ms`).then(
      (settled) => this.#decided(ctx, key, settled),
      (error: unknown) => this.#storeFailed(error),
    );
  }

  #decided(ctx: Context, key: string, taken: Taken): void {
    if (!isTaken(taken))
      return this.#storeFailed(new TypeError("it returned no allowed, remaining, resetMs and retryMs"));
    const { allowed, remaining, resetMs, retryMs } = taken;
    ctx.appendHeader("RateLimit", `${this.#name};r=${remaining};t=${secondsOf(resetMs)}`);
    ctx.annotations?.add("rateLimit", { ...this.#annotation, key, allowed, remaining, resetMs, retryMs });
    if (allowed) return undefined;
    const seconds = Math.max(1, secondsOf(retryMs));
    throw new HttpError(429, `${this.#sentence}: try again in ${seconds} s`, {
      headers: { "Retry-After": String(seconds) },
    });
  }

  #storeFailed(error: unknown): void {
    this.#storeFaults.note(error);
    if (this.#options.onStoreError !== "closed") return undefined;
    throw new ServiceUnavailableError("it is not known how often you have asked", { headers: { "Retry-After": "1" } });
  }

  /** The key of the bucket. A failing `key` is replaced by the address, so a fault does not loosen the limit. */
  #keyOf(ctx: Context): string | undefined | Promise<string | undefined> {
    const { key, storeTimeoutMs = 500 } = this.#options;
    if (key === undefined) return this.#addressOf(ctx);
    try {
      const made: unknown = key(ctx);
      if (!isThenable(made)) return this.#keyFrom(ctx, made);
      return inTime(made, storeTimeoutMs, `key did not settle within ${storeTimeoutMs} ms`).then(
        (settled) => this.#keyFrom(ctx, settled),
        (error: unknown) => this.#instead(ctx, error),
      );
    } catch (error) {
      return this.#instead(ctx, error);
    }
  }

  #keyFrom(ctx: Context, made: unknown): string | undefined {
    if (made === undefined || isKey(made)) return made;
    const given = typeof made === "string" ? `a text of ${made.length} characters` : typeof made;
    const allowed = `undefined or 1 to ${longestKey} characters are allowed`;
    return this.#instead(ctx, new TypeError(`key returned ${given}: ${allowed}`));
  }

  #instead(ctx: Context, fault: unknown): string {
    this.#faults.note(fault);
    return this.#addressOf(ctx);
  }

  #addressOf(ctx: Context): string {
    const address = ctx.remoteAddress;
    if (address !== undefined) return networkOf(address);
    this.#warn?.(
      "RateLimitMiddleware: this platform does not tell who its clients are, so all share one bucket: give it a `key`",
    );
    this.#warn = undefined;
    return "unknown";
  }

  #costOf(ctx: Context): number {
    const { cost = 1 } = this.#options;
    if (typeof cost === "number") return cost;
    try {
      const made: unknown = cost(ctx);
      if (typeof made === "number" && made >= 0) return Math.min(made, this.#bucket.burst);
      this.#faults.watch(made);
      this.#faults.note(new TypeError(`cost returned ${String(made)}: a number from 0 on is allowed`));
    } catch (error) {
      this.#faults.note(error);
    }
    return 1;
  }
}

const isTaken = (taken: unknown): taken is Taken =>
  typeof taken === "object" &&
  taken !== null &&
  "allowed" in taken &&
  typeof taken.allowed === "boolean" &&
  (["remaining", "resetMs", "retryMs"] as const).every((name) => Number.isFinite((taken as Partial<Taken>)[name]));

/** Maximum characters of a key, because client data must not fill the memory. */
const longestKey = 512;
const isKey = (made: unknown): made is string => typeof made === "string" && made !== "" && made.length <= longestKey;

/** Whole seconds, rounded up except for a rounding error: 20,000.000001 ms are 20 s. */
const secondsOf = (ms: number): number => Math.ceil(ms / 1_000 - 1e-6);

const optionNames: readonly string[] = [
  "limit",
  "windowMs",
  "burst",
  "key",
  "policyName",
  "store",
  "onStoreError",
  "storeTimeoutMs",
  "skip",
  "cost",
];

function checkOptions(options: RateLimitOptions): void {
  checkOptionNames("RateLimitMiddleware", options, optionNames, "RATE_LIMIT");
  const { limit, windowMs, burst, policyName, store, onStoreError, storeTimeoutMs, cost } = options;
  whole("limit", limit);
  whole("windowMs", windowMs);
  if (burst !== undefined) whole("burst", burst);
  if (storeTimeoutMs !== undefined) whole("storeTimeoutMs", storeTimeoutMs);
  if (policyName !== undefined && !/^[A-Za-z0-9_.:/-]{1,64}$/.test(policyName))
    throw invalid("policyName", policyName, "1 to 64 of A-Z a-z 0-9 _ . : / - are allowed");
  if (store !== undefined && typeof store?.take !== "function")
    throw invalid("store", store, "an object with a method take is allowed");
  if (onStoreError !== undefined && onStoreError !== "open" && onStoreError !== "closed")
    throw invalid("onStoreError", onStoreError, '"open" or "closed" is allowed');
  const most = burst ?? limit;
  if (typeof cost === "number" && !(cost >= 0 && cost <= most))
    throw invalid("cost", cost, `a number from 0 to ${most}, which is all that the bucket holds, is allowed`);
}

function whole(name: string, value: unknown): void {
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value < 2 ** 31) return;
  throw invalid(name, value, `a whole number from 1 to ${2 ** 31 - 1} is allowed`);
}

const invalid = (name: string, value: unknown, allowed: string): TypeError =>
  usageError("RATE_LIMIT", `RateLimitMiddleware: ${name} is ${shown(value)}: ${allowed}`);
