/**
 * Keys in Redis or Valkey, shared by every process that uses it.
 *
 *   running: R<owner><fingerprint>, PX lease        done: D<fingerprint><outcome>, PX ttl
 *
 * Each step is one script, so it is atomic across processes. The server expires leases and outcomes itself, by its own clock.
 * A server that loses its memory forgets keys: it needs `appendonly yes` and `maxmemory-policy noeviction`.
 *
 * Spec: spec/idempotency.md
 */
import { checkTimeout } from "../internal/option-values.ts";
import { commandsOf, type RedisClient, type RunScript, scriptOf } from "../internal/redis.ts";
import type { Attempt, Begun, IdempotencyStore } from "./store.ts";

/** Options of {@link RedisIdempotencyStore}. */
export interface RedisIdempotencyOptions {
  /** The prefix of the keys. Default `idempotency:`. */
  readonly prefix?: string | undefined;
  /** The time limit of a reply. Default 1,000. */
  readonly timeoutMs?: number | undefined;
}

const beginning = `
local kept = redis.call('GET', KEYS[1])
if kept then return kept end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ''
`;
/** Replaces the attempt's own key, or a missing one, by `ARGV[2]`. Deletes its own one without it. */
const replacing = `
local kept = redis.call('GET', KEYS[1])
if kept and kept ~= ARGV[1] then return 0 end
if ARGV[2] ~= '' then redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) elseif kept then redis.call('DEL', KEYS[1]) end
return 1
`;

const running = ({ owner, fingerprint }: Attempt): string => `R${owner}${fingerprint}`;
const ownerLength = 36;
const fingerprintLength = 43;

/** Keeps keys in Redis. The app connects the client, and closes it. */
export class RedisIdempotencyStore implements IdempotencyStore {
  readonly #begin: RunScript;
  readonly #replace: RunScript;
  readonly #prefix: string;

  /** @throws TypeError when it is not such a client, or `timeoutMs` is not a number above 0. */
  constructor(client: RedisClient, { prefix = "idempotency:", timeoutMs = 1_000 }: RedisIdempotencyOptions = {}) {
    checkTimeout("RedisIdempotencyStore", timeoutMs);
    const send = commandsOf(client, timeoutMs);
    this.#begin = scriptOf(send, beginning);
    this.#replace = scriptOf(send, replacing);
    this.#prefix = prefix;
  }

  async begin(attempt: Attempt, leaseMs: number): Promise<Begun> {
    const kept = String(await this.#begin([this.#prefix + attempt.key], [running(attempt), String(leaseMs)]));
    if (kept === "") return { state: "first" };
    if (kept.startsWith("R")) return { state: "running", fingerprint: kept.slice(1 + ownerLength) };
    const end = 1 + fingerprintLength;
    return { state: "done", fingerprint: kept.slice(1, end), outcome: kept.slice(end) };
  }

  renew(attempt: Attempt, leaseMs: number): Promise<boolean> {
    return this.#replaced(attempt, running(attempt), leaseMs);
  }

  finish(attempt: Attempt, outcome: string, ttlMs: number): Promise<boolean> {
    return this.#replaced(attempt, `D${attempt.fingerprint}${outcome}`, ttlMs);
  }

  async release(attempt: Attempt): Promise<void> {
    await this.#replaced(attempt, "", 0);
  }

  async #replaced(attempt: Attempt, value: string, ms: number): Promise<boolean> {
    const args = [running(attempt), value, String(ms)];
    return Number(await this.#replace([this.#prefix + attempt.key], args)) === 1;
  }
}
