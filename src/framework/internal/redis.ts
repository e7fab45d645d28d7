/**
 * Commands to Redis or Valkey through the client that the app has: node-redis or ioredis, which is told by its methods.
 *
 *   store ──▶ send(command, …arguments) ──▶ client ──▶ server
 *                └─ no reply in time: rejected; what comes later is ignored
 *
 * No client is imported here: what uses Redis is handed one.
 */
import { inTime } from "./in-time.ts";
import { usageError } from "./usage-errors.ts";

/** A connected client: node-redis (`sendCommand`), or ioredis (`call`). */
export type RedisClient =
  | { sendCommand(command: string[]): Promise<unknown> }
  | { call(command: string, ...args: string[]): Promise<unknown> };

/** Sends one command. @throws (rejects) what the client rejects with, and Error when no reply comes in time. */
export type SendCommand = (command: string, ...args: string[]) => Promise<unknown>;

/** How to send commands through that client. @throws TypeError when it is neither. */
export function commandsOf(client: RedisClient, timeoutMs: number): SendCommand {
  const send = senderOf(client);
  return (command, ...args) =>
    inTime(send(command, args), timeoutMs, `Redis did not reply to ${command} within ${timeoutMs} ms`);
}

function senderOf(client: RedisClient): (command: string, args: readonly string[]) => Promise<unknown> {
  // First: ioredis has a `sendCommand` too, which takes an object of its own.
  if (hasMethod(client, "call")) return (command, args) => client.call(command, ...args);
  if (hasMethod(client, "sendCommand")) return (command, args) => client.sendCommand([command, ...args]);
  const given = client === null ? "null" : typeof client;
  throw usageError(
    "REDIS_CLIENT",
    `the Redis client is ${given}: a client of redis (node-redis) or ioredis is allowed`,
  );
}

function hasMethod<C, N extends string>(client: C, name: N): client is Extract<C, Record<N, unknown>> {
  return (
    typeof client === "object" && client !== null && typeof (client as Record<string, unknown>)[name] === "function"
  );
}
