/**
 * Idempotency middleware: a request with a key has its effect once, however often it is sent.
 *
 *   key, caller, fingerprint ──▶ store.begin ──▶ first: the chain runs, its response is kept ──▶ sent
 *                                            ├─▶ done: the kept response, with Idempotency-Replayed
 *                                            ├─▶ running: 409, Retry-After
 *                                            └─▶ of another request: 422
 *   no key where one is required: 400        the store is away: 503, and nothing has happened
 *
 * By draft-ietf-httpapi-idempotency-key-header. The client may leave: the chain runs to its end, so that its outcome is kept.
 *
 * Spec: spec/idempotency.md
 */
import type { Context, ResponseHook } from "../http/context.ts";
import { HttpError, ServiceUnavailableError } from "../internal/errors.ts";
import { hashOf } from "../internal/hash.ts";
import { inTime } from "../internal/in-time.ts";
import { checkOptionNames } from "../internal/option-names.ts";
import { checkWholeNumbers } from "../internal/option-values.ts";
import { shown, usageError } from "../internal/usage-errors.ts";
import { Faults } from "../metrics/faults.ts";
import type { Lifecycle, Next } from "../middleware/types.ts";
import { fingerprintOf, keyOf } from "./key.ts";
import { MemoryIdempotencyStore } from "./memory-store.ts";
import { parsedOutcome, replay } from "./outcome.ts";
import { Running, type RunningSettings } from "./running.ts";
import type { Attempt, Begun, IdempotencyStore } from "./store.ts";

/** Options of {@link IdempotencyMiddleware}. Times in milliseconds. */
export interface IdempotencyOptions {
  /**
   * Who sends the request: a name that is the same when the client sends it again, and that no other client can have, such as
   * the id of the principal or of the session's user. Clients without one share their keys.
   */
  readonly caller: (ctx: Context) => string | undefined;
  /**
   * The key of a request, where another field than `Idempotency-Key` has it, such as the id of a webhook. Without one: undefined.
   * Default: the header `Idempotency-Key`.
   */
  readonly key?: ((ctx: Context) => string | undefined) | undefined;
  /** Default: a separate `MemoryIdempotencyStore`. */
  readonly store?: IdempotencyStore | undefined;
  /** Without a key: 400. Default false, which runs the request without protection. */
  readonly required?: boolean | undefined;
  /** The methods with keys. Others are idempotent anyway. Default POST and PATCH. */
  readonly methods?: readonly string[] | undefined;
  /** How long an outcome is kept. Default a day. */
  readonly ttlMs?: number | undefined;
  /** How long a key is locked after its process has died. A living one renews it. Default 30,000. */
  readonly leaseMs?: number | undefined;
  /** A larger body is not kept: a repeated request gets 409, and has no effect. Default 1,048,576. */
  readonly maxResponseBytes?: number | undefined;
  /** The time limit of the store. Default 3,000. */
  readonly storeTimeoutMs?: number | undefined;
  /**
   * Which outcomes are kept. The others may be tried again with the same key. Default: all below 500 except 401, 408, 421, 425
   * and 429.
   */
  readonly keeps?: ((status: number) => boolean) | undefined;
}

/** The key of a request, for its handler. */
export interface Idempotency {
  /** The key that the client sent. */
  readonly key: string;
  /** Is the response a kept one? For response hooks with an effect, since no handler runs then. */
  readonly isReplay: boolean;
  /**
   * Keeps a JSON response in a transaction of the handler, so that the effect and its outcome are there together, also when the
   * process dies. Call it as the last statement.
   *
   * @throws (rejects) Error `IDEMPOTENCY_LOST` when another process has taken the key. The transaction must then be rolled back.
   *   `IDEMPOTENCY` without a store in PostgreSQL.
   */
  commit(tx: object, status: number, value?: unknown): Promise<void>;
}

const slot: unique symbol = Symbol("framework/idempotency");

/** The key of a request, or undefined without one. */
export const idempotencyOf = (ctx: Context): Idempotency | undefined => ctx.attribute(slot) as Idempotency | undefined;

const transient: ReadonlySet<number> = new Set([401, 408, 421, 425, 429]);
const keepsByDefault = (status: number): boolean => status < 500 && !transient.has(status);

/**
 * Lets clients send a request again safely.
 *
 * @example
 * ```ts
 * app.post("/orders", { use: [new IdempotencyMiddleware({ caller: (ctx) => principalOf(ctx)?.id })] }, (ctx) => ctx.status(201).json({ id: 7 }));
 * ```
 */
export class IdempotencyMiddleware {
  readonly #caller: IdempotencyOptions["caller"];
  readonly #keyOf: (ctx: Context) => string | undefined;
  readonly #methods: ReadonlySet<string>;
  readonly #isRequired: boolean;
  readonly #settings: RunningSettings;
  readonly #faults = new Faults("IdempotencyMiddleware: its store");

  /** @throws TypeError (`IDEMPOTENCY`) naming the option, its value and the allowed values. */
  constructor(options: IdempotencyOptions) {
    checkOptions(options);
    const { caller, methods = ["POST", "PATCH"], required = false, storeTimeoutMs = 3_000 } = options;
    this.#caller = caller;
    this.#keyOf = options.key ?? keyOf;
    this.#methods = new Set(methods);
    this.#isRequired = required;
    this.#settings = {
      store: options.store ?? new MemoryIdempotencyStore(),
      leaseMs: options.leaseMs ?? 30_000,
      ttlMs: options.ttlMs ?? 86_400_000,
      maxResponseBytes: options.maxResponseBytes ?? 1_048_576,
      keeps: options.keeps ?? keepsByDefault,
      failed: (error) => this.#faults.note(error),
      inTime: (promise) => inTime(promise, storeTimeoutMs, `it did not reply within ${storeTimeoutMs} ms`),
    };
  }

  /** How often the store has failed, was late, or has given a key to another attempt before this one was over. */
  get faults(): number {
    return this.#faults.count;
  }

  installed(app: Lifecycle): void {
    this.#faults.tell(app);
  }

  handle(ctx: Context, next: Next): unknown {
    if (!this.#methods.has(ctx.method)) return next();
    const key = this.#keyOf(ctx);
    if (key !== undefined) return this.#once(ctx, key, next);
    if (!this.#isRequired) return next();
    ctx.annotations?.add("idempotency", { outcome: "missing" });
    throw new HttpError(400, "this request needs an Idempotency-Key", { code: "idempotency_key_missing" });
  }

  async #once(ctx: Context, key: string, next: Next): Promise<void> {
    const attempt = await this.#attemptOf(ctx, key);
    const begun = await this.#begin(ctx, key, attempt);
    const told = (outcome: string): void => ctx.annotations?.add("idempotency", { key, outcome });
    if (begun.state !== "first" && begun.fingerprint !== attempt.fingerprint) {
      told("reused");
      throw new HttpError(422, "this Idempotency-Key belongs to another request", { code: "idempotency_key_reused" });
    }
    told(begun.state === "done" ? "replayed" : begun.state === "running" ? "conflict" : "first");
    if (begun.state === "running") throw running();
    if (begun.state === "done") return repeat(ctx, key, begun.outcome);
    await this.#run(ctx, key, attempt, next);
  }

  async #attemptOf(ctx: Context, key: string): Promise<Attempt> {
    const caller = this.#caller(ctx);
    if (caller !== undefined && typeof caller !== "string")
      throw usageError(
        "IDEMPOTENCY",
        `IdempotencyMiddleware: caller returned ${shown(caller)}: a text or undefined is allowed`,
      );
    const [hashed, fingerprint] = await Promise.all([hashOf([caller ?? null, key]), fingerprintOf(ctx)]);
    return { key: hashed, fingerprint, owner: crypto.randomUUID() };
  }

  async #begin(ctx: Context, key: string, attempt: Attempt): Promise<Begun> {
    const { store, leaseMs, inTime: bounded } = this.#settings;
    try {
      return await bounded(store.begin(attempt, leaseMs));
    } catch (cause) {
      this.#faults.note(cause);
      ctx.annotations?.add("idempotency", { key, outcome: "unavailable" });
      throw new ServiceUnavailableError("it is not known whether this request was sent before", {
        cause,
        code: "idempotency_unavailable",
        headers: { "Retry-After": "1" },
      });
    }
  }

  async #run(ctx: Context, key: string, attempt: Attempt, next: Next): Promise<void> {
    const first = new Running(attempt, this.#settings);
    const hook: ResponseHook = (_, response) => first.responded(response);
    ctx.attribute(slot, {
      key,
      isReplay: false,
      commit: (tx: object, status: number, value?: unknown) => first.commit(tx, status, value),
    } satisfies Idempotency);
    ctx.outliveClient().onResponse(hook);
    ctx.onComplete(({ status }) => first.completed(status));
    try {
      await next();
    } catch (error) {
      await first.settled(true);
      throw error;
    }
    await first.settled(false);
  }
}

/** Records the kept response. @throws HttpError (409) when it cannot be repeated. */
function repeat(ctx: Context, key: string, text: string): void {
  const outcome = parsedOutcome(text);
  ctx.attribute(slot, { key, isReplay: true, commit: () => Promise.reject(new Error("a replay has no effect")) });
  if (outcome.lost === undefined) return replay(ctx, outcome);
  throw new HttpError(409, `this request was processed, and its response cannot be repeated: ${outcome.lost}`, {
    code: "idempotency_response_lost",
  });
}

const running = (): HttpError =>
  new HttpError(409, "the request with this Idempotency-Key is still being processed", {
    code: "idempotency_in_progress",
    headers: { "Retry-After": "1" },
  });

const optionNames = [
  "caller",
  "key",
  "store",
  "required",
  "methods",
  "ttlMs",
  "leaseMs",
  "maxResponseBytes",
  "storeTimeoutMs",
  "keeps",
];

function checkOptions(options: IdempotencyOptions): void {
  checkOptionNames("IdempotencyMiddleware", options, optionNames, "IDEMPOTENCY");
  const { caller, key, store, required, methods, keeps } = options;
  if (typeof caller !== "function") throw invalid("caller", caller, "a function (ctx) => string | undefined");
  if (key !== undefined && typeof key !== "function")
    throw invalid("key", key, "a function (ctx) => string | undefined");
  if (store !== undefined && typeof store?.begin !== "function") throw invalid("store", store, "an IdempotencyStore");
  if (required !== undefined && typeof required !== "boolean") throw invalid("required", required, "a boolean");
  if (keeps !== undefined && typeof keeps !== "function")
    throw invalid("keeps", keeps, "a function (status) => boolean");
  if (methods !== undefined && !(Array.isArray(methods) && methods.every((one) => /^[A-Z]+$/.test(String(one)))))
    throw invalid("methods", methods, "a list of methods");
  checkWholeNumbers(
    "IdempotencyMiddleware",
    options,
    ["ttlMs", "leaseMs", "maxResponseBytes", "storeTimeoutMs"],
    "IDEMPOTENCY",
  );
}

const invalid = (name: string, value: unknown, allowed: string): TypeError =>
  usageError("IDEMPOTENCY", `IdempotencyMiddleware: ${name} is ${shown(value)}: ${allowed} is allowed`);
