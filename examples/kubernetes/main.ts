/**
 * The program of the container. Kubernetes sends SIGTERM: readiness turns 503, requests are served for ANNOUNCE_MS, then the
 * port closes and requests in flight finish. The metrics can be read until the end.
 */
import { createServers } from "./app.ts";

const { app, operations } = createServers({ ping: async () => undefined });

async function stop(): Promise<void> {
  await app.stop({ announceMs: Number(process.env["ANNOUNCE_MS"] ?? 0) });
  await operations.stop();
}
process.once("SIGTERM", () => void stop());

await operations.start(Number(process.env["METRICS_PORT"] ?? 9100));
await app.start(); // FRAMEWORK_PORT
console.log(`Listening on ${app.url}, metrics on ${operations.url}`);
