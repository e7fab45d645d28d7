/**
 * The connection to Redis. A command that cannot be sent immediately fails immediately: no request waits for Redis to come back.
 */
import { createClient } from "redis";

/** Not connected yet. Reports when Redis is away, and when it is back. */
export function createRedis(url: string, say: (line: string) => void) {
  const client = createClient({ url, disableOfflineQueue: true });
  let isAway = false;
  const become = (away: boolean, line: string): void => {
    if (isAway !== away) say(line);
    isAway = away;
  };
  client.on("error", (error: Error) => become(true, `Redis is away: ${error.message}`));
  client.on("ready", () => become(false, "Redis is back"));
  return client;
}

export type RedisClient = ReturnType<typeof createRedis>;
