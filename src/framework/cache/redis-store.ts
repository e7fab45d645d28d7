/**
 * Cached values in Redis or Valkey, shared by every process that uses it.
 *
 *   <length of the text>:<kind of the body><text><body, bytes in base64>      PX ttl
 *
 * The server expires values, and may evict any of them (`maxmemory-policy allkeys-lru`).
 *
 * Spec: spec/cache.md
 */
import { base64Of, bytesOfBase64 } from "../internal/base64.ts";
import { commandsOf, type RedisClient, type RunScript, scriptOf, type SendCommand } from "../internal/redis.ts";
import { shown, usageError } from "../internal/usage-errors.ts";
import type { CacheStore, CacheValue, CacheWrite } from "./store.ts";

/** Options of {@link RedisCacheStore}. */
export interface RedisCacheOptions {
  /** The prefix of the keys. Default `cache:`. */
  readonly prefix?: string | undefined;
  /** The time limit of a reply. Default 500. */
  readonly timeoutMs?: number | undefined;
}

/** `KEYS[1]` is written if each further key has its text. A `-` before a text distinguishes it from none. */
const writing = `
for at = 2, #KEYS do
  local kept = redis.call('GET', KEYS[at])
  local wanted = ARGV[at + 1]
  if wanted == '' then
    if kept then return 0 end
  elseif not kept or kept ~= string.sub(wanted, 2) then
    return 0
  end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`;

/** Keeps cached values in Redis. The app connects the client, and closes it. */
export class RedisCacheStore implements CacheStore {
  readonly #send: SendCommand;
  readonly #write: RunScript;
  readonly #prefix: string;

  /** @throws TypeError when it is not such a client, or `timeoutMs` is not a number above 0. */
  constructor(client: RedisClient, { prefix = "cache:", timeoutMs = 500 }: RedisCacheOptions = {}) {
    if (!(timeoutMs > 0 && timeoutMs < 2 ** 31))
      throw usageError("CACHE", `RedisCacheStore: timeoutMs is ${shown(timeoutMs)}: milliseconds above 0 are allowed`);
    this.#send = commandsOf(client, timeoutMs);
    this.#write = scriptOf(this.#send, writing);
    this.#prefix = prefix;
  }

  async read(keys: readonly string[]): Promise<readonly (CacheValue | undefined)[]> {
    const values = await this.#send("MGET", ...keys.map((key) => this.#prefix + key));
    if (!Array.isArray(values)) throw new TypeError("Redis replied with something else than a list");
    return values.map((value) => (value === null || value === undefined ? undefined : parsed(String(value))));
  }

  async write(key: string, value: CacheValue, { ttlMs, guards = [] }: CacheWrite): Promise<boolean> {
    const keys = [key, ...guards.map(([guard]) => guard)].map((one) => this.#prefix + one);
    const wanted = guards.map(([, text]) => (text === undefined ? "" : `-${written({ text })}`));
    return Number(await this.#write(keys, [written(value), String(Math.ceil(ttlMs)), ...wanted])) === 1;
  }

  async remove(keys: readonly string[]): Promise<void> {
    await this.#send("DEL", ...keys.map((key) => this.#prefix + key));
  }
}

function written({ text, body }: CacheValue): string {
  if (body === undefined) return `${text.length}:n${text}`;
  if (typeof body === "string") return `${text.length}:t${text}${body}`;
  return `${text.length}:b${text}${base64Of(body)}`;
}

function parsed(value: string): CacheValue | undefined {
  const [whole = "", digits, kind] = /^(\d{1,9}):([ntb])/.exec(value) ?? [];
  if (whole === "") return undefined;
  const end = whole.length + Number(digits);
  const [text, rest] = [value.slice(whole.length, end), value.slice(end)];
  if (kind === "n") return { text };
  if (kind === "t") return { text, body: rest };
  return { text, body: bytesOfBase64(rest) };
}
