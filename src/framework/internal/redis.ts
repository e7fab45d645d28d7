/**
 * Commands to Redis or Valkey through the app's client: node-redis or ioredis, distinguished by their methods.
 *
 *   store ──▶ send(command, …arguments) ──▶ client ──▶ server
 *                └─ no reply in time: rejected; a later reply is ignored
 *
 * No client is imported here. Code that uses Redis gets one.
 */
import { inTime } from "./in-time.ts";
import { usageError } from "./usage-errors.ts";

/** A connected client: node-redis (`sendCommand`), or ioredis (`call`). */
export type RedisClient =
  | { sendCommand(command: string[]): Promise<unknown> }
  | { call(command: string, ...args: string[]): Promise<unknown> };

/** Sends one command. @throws (rejects) the client's error, and Error when no reply comes in time. */
export type SendCommand = (command: string, ...args: string[]) => Promise<unknown>;

/** A function that sends commands through that client. @throws TypeError when it is neither. */
export function commandsOf(client: RedisClient, timeoutMs: number): SendCommand {
  const send = senderOf(client);
  return (command, ...args) =>
    inTime(send(command, args), timeoutMs, `Redis did not reply to ${command} within ${timeoutMs} ms`);
}

/** Runs a script. @throws (rejects) as a command does. */
export type RunScript = (keys: readonly string[], args: readonly string[]) => Promise<unknown>;

/** A script of the server, which is atomic. It is sent by its hash, and whole to a server that has forgotten it. */
export function scriptOf(send: SendCommand, script: string): RunScript {
  let sha: Promise<string> | undefined;
  return async (keys, args) => {
    const rest = [String(keys.length), ...keys, ...args];
    try {
      return await send("EVALSHA", await (sha ??= sha1(script)), ...rest);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
      return send("EVAL", script, ...rest);
    }
  };
}

async function sha1(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function senderOf(client: RedisClient): (command: string, args: readonly string[]) => Promise<unknown> {
  // First, because ioredis also has a `sendCommand`, which takes its own object.
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
