/** Fastify 5 with @fastify/under-pressure: the same handlers and the same limit as bench/servers/busy.ts. */
import { setTimeout } from "node:timers/promises";
import underPressure from "@fastify/under-pressure";
import Fastify from "fastify";
import { busy } from "../../.build/bench/values.js";

export async function serve() {
  const app = Fastify();
  await app.register(underPressure, { maxEventLoopDelay: 100, retryAfter: 1 });
  app.get("/cpu", async () => ({ sum: busy() }));
  app.get("/waits", async () => {
    await setTimeout(20);
    return { sum: busy() };
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  return app.server.address().port;
}
