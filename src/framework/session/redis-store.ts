/**
 * Sessions in Redis or Valkey, for apps with several processes, through the app's node-redis or ioredis client.
 *
 *   read ──▶ GET    write ──▶ SET … PX ttl NX | XX    touch ──▶ PEXPIRE    destroy ──▶ DEL
 *
 * Each is one command, so it is atomic across processes. The server expires sessions itself.
 *
 * Spec: spec/session.md
 */
import { checkTimeout } from "../internal/option-values.ts";
import { commandsOf, type RedisClient, type SendCommand } from "../internal/redis.ts";
import type { SessionStore, SessionWrite } from "./store.ts";

/** Options of {@link RedisSessionStore}. */
export interface RedisSessionOptions {
  /** The prefix of the keys. Default `session:`. */
  readonly prefix?: string | undefined;
  /** The time limit of a reply. Default 1,000. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Keeps sessions in Redis. The app connects the client, and closes it.
 *
 * @example
 * ```ts
 * const client = await createClient().connect();
 * app.use(new SessionMiddleware({ store: new RedisSessionStore(client) }));
 * ```
 */
export class RedisSessionStore implements SessionStore {
  readonly #send: SendCommand;
  readonly #prefix: string;

  /** @throws TypeError when it is not such a client, or `timeoutMs` is not a number above 0. */
  constructor(client: RedisClient, { prefix = "session:", timeoutMs = 1_000 }: RedisSessionOptions = {}) {
    checkTimeout("RedisSessionStore", timeoutMs);
    this.#send = commandsOf(client, timeoutMs);
    this.#prefix = prefix;
  }

  async read(key: string): Promise<string | undefined> {
    const text = await this.#send("GET", this.#prefix + key);
    return text === null || text === undefined ? undefined : String(text);
  }

  async write(key: string, text: string, { ttlMs, mode }: SessionWrite): Promise<boolean> {
    const condition = mode === "create" ? "NX" : "XX";
    return (await this.#send("SET", this.#prefix + key, text, "PX", String(ttlMs), condition)) !== null;
  }

  async touch(key: string, ttlMs: number): Promise<boolean> {
    return Number(await this.#send("PEXPIRE", this.#prefix + key, String(ttlMs))) === 1;
  }

  async destroy(key: string): Promise<void> {
    await this.#send("DEL", this.#prefix + key);
  }
}
