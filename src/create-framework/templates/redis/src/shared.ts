/**
 * The state that all processes of the application share: sessions, the rate limit, messages, tasks.
 *
 *   REDIS_URL ──▶ Redis: any number of processes serve as one        none ──▶ memory: this process alone
 */
import { type Broadcast, MemoryBroadcast, RedisBroadcast } from "framework/broadcast";
import { MemoryRateLimitStore, type RateLimitStore, RedisRateLimitStore } from "framework/rate-limit";
import { MemorySessionStore, RedisSessionStore, type SessionStore } from "framework/session";
import { createRedis } from "./redis.ts";
import { RedisTaskRepository } from "./tasks/redis-task-repository.ts";
import type { TaskRepository } from "./tasks/task-repository.ts";

export interface Shared {
  readonly sessions: SessionStore;
  readonly limits: RateLimitStore;
  readonly broadcast: Broadcast;
  /** Undefined in memory; then DATA_FILE decides where tasks are. */
  readonly tasks: TaskRepository | undefined;
  close(): Promise<void>;
}

/** Connects, or waits until it can. After that, a command that cannot be sent immediately fails. */
export async function share(url: string | undefined, say: (line: string) => void = console.warn): Promise<Shared> {
  if (url === undefined) {
    say("REDIS_URL is not set: sessions, limits, messages and tasks are those of this process alone");
    return inMemory();
  }
  const client = createRedis(url, say);
  await client.connect();
  const broadcast = new RedisBroadcast({ client, whenDown: "drop", onError: () => undefined });
  return {
    sessions: new RedisSessionStore(client),
    limits: new RedisRateLimitStore(client),
    broadcast,
    tasks: new RedisTaskRepository(client),
    async close() {
      await broadcast.close();
      client.destroy();
    },
  };
}

function inMemory(): Shared {
  const broadcast = new MemoryBroadcast();
  return {
    sessions: new MemorySessionStore(),
    limits: new MemoryRateLimitStore(),
    broadcast,
    tasks: undefined,
    close: () => broadcast.close(),
  };
}
