/** In node-redis and ioredis, a command is a leaf. Both publish its name and its arguments, with `?` for most values. */
import { type Message, type Source, tracingSource } from "../channels.ts";
import type { Description } from "../descriptions.ts";

/** The channels of both clients. */
export const redis: readonly Source[] = ["node-redis:command", "ioredis:command"].map((name) =>
  tracingSource(name, "cache", describe, foundBy),
);

/** Commands that find something or nothing. */
const lookups: ReadonlySet<string> = new Set(["GET", "GETDEL", "GETEX", "HGET", "LINDEX", "LPOP", "RPOP", "SPOP"]);

function describe({ command, args }: Message): Description {
  const given: readonly unknown[] = Array.isArray(args) ? args : [];
  const name = typeof command === "string" ? command : String(given[0] ?? "");
  const rest = String(given[0] ?? "").toUpperCase() === name.toUpperCase() ? given.slice(1) : given;
  const [key, ...values] = rest;
  return { system: "redis", command: name, key: typeof key === "string" ? key : "", args: values };
}

/** Whether a command that looks something up has found it. */
export function foundBy(message: Message): Description {
  const { command, args, result } = message;
  const name = typeof command === "string" ? command : Array.isArray(args) ? String(args[0]) : "";
  return lookups.has(name.toUpperCase()) && "result" in message ? { hit: result !== null && result !== undefined } : {};
}
