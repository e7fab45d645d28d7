/**
 * RedisBroadcast: a broadcast between all processes that are connected to one Redis or Valkey, by PUBLISH and SUBSCRIBE.
 *
 * Redis stores no published texts, so a process never gets those published while it is disconnected.
 *
 * Spec: spec/websocket.md
 */
import { commandsOf } from "../internal/redis.ts";
import { checkDuplicable, isConnected, subscriberOf, type RedisPubSubClient } from "./redis-subscriber.ts";
import { checkedOptions, ServerBroadcast, type ServerBroadcastOptions } from "./server-broadcast.ts";

/** Options of a RedisBroadcast. */
export interface RedisBroadcastOptions extends ServerBroadcastOptions {
  /** The app's own connected client, which publishes. A duplicate of it subscribes. */
  readonly client: RedisPubSubClient;
  /** The prefix of each channel's name. Default: `broadcast:`. */
  readonly prefix?: string | undefined;
}

/** Calls the listeners in every process. */
export class RedisBroadcast extends ServerBroadcast {
  /** @throws TypeError when an option is invalid. */
  constructor(options: RedisBroadcastOptions) {
    const { client, prefix = "broadcast:" } = options;
    const checked = checkedOptions("RedisBroadcast", options);
    const send = commandsOf(client, checked.timeoutMs);
    checkDuplicable(client);
    const server = {
      owner: "RedisBroadcast",
      name: "Redis",
      command: "SUBSCRIBE",
      subscriber: (events: Parameters<typeof subscriberOf>[2]) => subscriberOf(client, prefix, events),
      send: async (channel: string, text: string) => {
        // A disconnected client queues commands, so the text would arrive when no caller waits for it any more.
        if (!isConnected(client)) throw new Error("Redis is not connected: nothing was published");
        await send("PUBLISH", prefix + channel, text);
      },
    };
    super(server, checked);
  }
}
