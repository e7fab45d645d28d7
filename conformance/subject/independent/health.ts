/**
 * Health: three paths with two checks, each a mode. Written from spec/health.md.
 */
import { setTimeout } from "node:timers/promises";
import type { Reply } from "./exchange.ts";

const asked: Readonly<Record<string, readonly string[]>> = {
  "/health": ["db", "disk"],
  "/health/live": ["disk"],
  "/health/ready": ["db"],
};

/** Is this one of the three paths? */
export const isHealth = (path: string): boolean => Object.hasOwn(asked, path);

/** The response on a health path, or undefined elsewhere. */
export async function healthReply(
  checks: ReadonlyMap<string, string>,
  method: string,
  path: string,
): Promise<Reply | undefined> {
  const names = asked[path];
  if (names === undefined || (method !== "GET" && method !== "HEAD")) return undefined;
  const states = await Promise.all(names.map(async (name) => [name, await stateOf(checks.get(name))] as const));
  const up = states.every(([, state]) => state === "UP");
  return {
    status: up ? 200 : 503,
    headers: { "Content-Type": "application/json", "Cache-Control": "no-store" },
    body: JSON.stringify({ status: up ? "UP" : "DOWN", checks: Object.fromEntries(states) }),
  };
}

/** A hanging check is given up after a second. */
async function stateOf(mode: string | undefined): Promise<"UP" | "DOWN"> {
  if (mode === "hang") return await setTimeout(1_000, "DOWN");
  return mode === "up" ? "UP" : "DOWN";
}
