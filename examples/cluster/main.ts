/**
 * Several processes on one port.
 *
 *   primary ──▶ forks WORKERS workers, starts another for each that dies; ends if one cannot start at all
 *      SIGTERM ──▶ "leave" to all ──▶ app.stop(): readiness 503 for DRAIN_MS, then requests in flight finish ──▶ exit 0
 *
 * PORT (8080), WORKERS (one a core), DRAIN_MS (5,000: longer than the period of the readiness probe), METRICS_PORT
 * (9100: worker n serves its metrics there plus n).
 */
import cluster from "node:cluster";
import { availableParallelism } from "node:os";
import { createWorker } from "./app.ts";

const number = (name: string, fallback: number): number => Number(process.env[name] ?? fallback);

if (cluster.isPrimary) lead();
else
  await serve().catch(({ message }: Error) => {
    console.error(message);
    process.exit(1);
  });

function lead(): void {
  const count = number("WORKERS", availableParallelism());
  let leaving = false;
  let listening = 0;
  const fork = (slot: number): void => {
    const worker = cluster.fork({ SLOT: slot });
    const bornAt = performance.now();
    let hasListened = false;
    worker.on("message", (url: string) => {
      hasListened = true;
      listening += 1;
      if (listening === count) console.log(`${count} workers on ${url}`);
    });
    worker.once("exit", (code, signal) => {
      if (leaving) return;
      // If a port is taken, it is taken for the next worker too.
      if (!hasListened && listening < count) return giveUp();
      console.error(`worker ${worker.process.pid} ended by ${signal ?? code}: starting another`);
      // A worker that dies at startup would otherwise be forked as fast as it dies.
      const pause = performance.now() - bornAt < 1_000 ? 1_000 : 0;
      setTimeout(() => !leaving && fork(slot), pause);
    });
  };
  const giveUp = (): void => {
    leaving = true;
    console.error("a worker could not start, so the others end too");
    process.exitCode = 1;
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill();
  };
  for (let slot = 0; slot < count; slot += 1) fork(slot);
  const leave = (): void => {
    leaving = true;
    for (const worker of Object.values(cluster.workers ?? {})) worker?.send("leave");
  };
  process.once("SIGTERM", leave).once("SIGINT", leave);
}

async function serve(): Promise<void> {
  const { app, metrics } = createWorker();
  await app.start(number("PORT", 8080));
  await metrics.start(number("METRICS_PORT", 9100) + number("SLOT", 0));
  process.send?.(app.url);
  let left = false;
  const end = async (): Promise<void> => {
    if (left) return;
    left = true;
    await app.stop({ announceMs: number("DRAIN_MS", 5_000) });
    await metrics.stop();
    process.disconnect();
  };
  // The primary handles a terminal's Ctrl-C too, which reaches every process of the group.
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => void end());
  process.on("message", (message) => message === "leave" && void end());
}
