/**
 * Running: the first attempt at a request, from its beginning until its outcome is kept.
 *
 *   begun ──▶ the chain runs, its lease is renewed ──▶ response hook: kept, then sent
 *                                                  └──▶ a response that may be tried again (5xx …): released
 *   the response came before the chain was over (a timeout), or never to the hooks (a stream of events):
 *     the chain failed ──▶ released        it succeeded ──▶ kept as an outcome that cannot be repeated
 *
 * Spec: spec/idempotency.md
 */
import type { RecordedResponse } from "../http/context.ts";
import { unref } from "../internal/timers.ts";
import { stateError } from "../internal/usage-errors.ts";
import { type Outcome, lostOutcome, outcomeOf, outcomeOfJson } from "./outcome.ts";
import type { Attempt, IdempotencyStore } from "./store.ts";

/** The settings of the middleware that matter here. */
export interface RunningSettings {
  readonly store: IdempotencyStore;
  readonly leaseMs: number;
  readonly ttlMs: number;
  readonly maxResponseBytes: number;
  readonly keeps: (status: number) => boolean;
  readonly failed: (error: unknown) => void;
  /** Settles like the promise, or rejects when that takes too long. */
  readonly inTime: <T>(promise: Promise<T>) => Promise<T>;
}

/** How often a failing store is asked to keep an outcome. */
const attempts = 3;

/** One first attempt. */
export class Running {
  readonly #attempt: Attempt;
  readonly #settings: RunningSettings;
  readonly #timer: ReturnType<typeof setInterval>;
  #isChainOver = false;
  #hasFailed = false;
  #isSettled = false;
  #isCommitted = false;
  #status: number | undefined;

  constructor(attempt: Attempt, settings: RunningSettings) {
    this.#attempt = attempt;
    this.#settings = settings;
    const { store, leaseMs, failed } = settings;
    const renew = (): unknown => settings.inTime(store.renew(attempt, leaseMs)).catch(failed);
    this.#timer = unref(setInterval(renew, leaseMs / 3));
  }

  /** Keeps the outcome in the caller's transaction. @throws (rejects) when another attempt has taken the key. */
  async commit(tx: object, status: number, value: unknown): Promise<void> {
    const { store, ttlMs } = this.#settings;
    if (store.commit === undefined)
      throw stateError("IDEMPOTENCY", "commit() needs a store in the caller's database: PostgresIdempotencyStore");
    const outcome = JSON.stringify(outcomeOfJson(status, value));
    if (!(await store.commit(tx, this.#attempt, outcome, ttlMs)))
      throw stateError("IDEMPOTENCY_LOST", "another attempt has this key now: the transaction must have no effect");
    this.#isCommitted = true;
  }

  /** The response is recorded. Settles when its outcome is kept, so that a response that was seen can be repeated. */
  async responded(response: RecordedResponse): Promise<void> {
    const { keeps, maxResponseBytes } = this.#settings;
    this.#status = response.status;
    if (keeps(response.status)) return this.#finish(outcomeOf(response, maxResponseBytes));
    if (this.#isChainOver) return this.#release();
  }

  /** The chain has settled. */
  async settled(hasFailed: boolean): Promise<void> {
    this.#isChainOver = true;
    this.#hasFailed = hasFailed;
    if (this.#status !== undefined) await this.completed(this.#status);
  }

  /** The request is over, perhaps without having come to the response hooks. */
  async completed(status: number): Promise<void> {
    this.#status ??= status;
    if (!this.#isChainOver || this.#isSettled) return;
    if (this.#hasFailed) return this.#release();
    return this.#finish(lostOutcome(this.#status, "it was not kept"));
  }

  /** An outcome that a transaction has kept is not forgotten, and only a whole response is better. */
  async #finish(outcome: Outcome): Promise<void> {
    if (!this.#settle() || (this.#isCommitted && outcome.lost !== undefined)) return;
    const { store, ttlMs, failed, inTime } = this.#settings;
    for (let left = attempts; left > 0; left -= 1) {
      try {
        if (!(await inTime(store.finish(this.#attempt, JSON.stringify(outcome), ttlMs))))
          failed(new Error("another attempt has taken the key: its lease was over before this one was"));
        return;
      } catch (error) {
        failed(error);
      }
    }
  }

  async #release(): Promise<void> {
    if (!this.#settle()) return;
    const { store, failed, inTime } = this.#settings;
    await inTime(store.release(this.#attempt)).catch(failed);
  }

  /** False when it was settled already. */
  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    clearInterval(this.#timer);
    return true;
  }
}
