/**
 * Canary: somebody else who uses the app meanwhile. Asks for one path over and over, from a thread of its own, so that
 * what it measures is the app's slowness and not that of the one who attacks it.
 */
import { once } from "node:events";
import { cpus, loadavg } from "node:os";
import { Worker } from "node:worker_threads";
import { quantile } from "./rows.ts";
import type { Settings } from "./settings.ts";
import { wires, type Wire } from "./wires.ts";

/** What the canary saw. */
export interface CanaryResult {
  /** The 99th percentile of the response times, milliseconds; of fewer than a thousand, the 90th: one moment must not decide. */
  readonly slowest: number;
  /** The same of a bare server that was asked at the same moments: the share of the machine in it. */
  readonly machineSlowest: number;
  readonly percentile: 90 | 99;
  readonly asked: number;
  /** Requests without the response that was expected. */
  readonly failures: number;
}

/** Begins to ask, every 20 ms, each time over a new connection; what it returns ends it. */
export async function canary(wire: Wire, port: number): Promise<() => Promise<CanaryResult>> {
  const thread = (data: object): Worker =>
    new Worker(new URL("./canary-thread.js", import.meta.url), { workerData: { everyMs: 20, ...data } });
  const control = thread({});
  const [controlPort] = (await once(control, "message")) as [number];
  const askers = [thread({ wire, port }), thread({ wire: wires[0], port: controlPort })];
  return async () => {
    const [own, bare] = (await Promise.all(askers.map(countsOf))) as [Counts, Counts];
    await control.terminate();
    const percentile = own.times.length < 1_000 ? 90 : 99;
    const [slowest, machineSlowest] = [own, bare].map(({ times }) => quantile(times, percentile / 100)) as [
      number,
      number,
    ];
    return { slowest, machineSlowest, percentile, asked: own.times.length, failures: own.failures };
  };
}

interface Counts {
  readonly times: readonly number[];
  readonly failures: number;
}

async function countsOf(asker: Worker): Promise<Counts> {
  const reported = once(asker, "message") as Promise<[Counts]>;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  asker.postMessage("stop");
  const [counts] = await reported;
  await asker.terminate();
  return counts;
}

/** More than this many runnable processes a core: whoever works waits for his turn, and times say nothing of the app. */
const CROWD = 3;
const isCrowded = (): boolean => (loadavg()[0] ?? 0) > CROWD * cpus().length;

/** Milliseconds that a canary may wait. The short form shares its cores with another row: there it must only be served. */
export const allowedMs = ({ fast }: Settings): number => (fast ? 2_000 : 50);

/**
 * Was it quick? A bare server's own time counts three times over, since whoever has work to do waits for his turn more
 * often than one who has none. On a machine with a crowd of other processes the time is shown and not held.
 */
export const isQuick = ({ slowest, machineSlowest }: CanaryResult, settings: Settings): boolean =>
  slowest <= allowedMs(settings) + 3 * machineSlowest || isCrowded();

/** A result as text. */
export const canaryText = ({ slowest, machineSlowest, percentile, asked, failures }: CanaryResult): string =>
  `canary p${percentile} ${slowest.toFixed(1)} ms (a bare server at the same time ${machineSlowest.toFixed(1)} ms; ${asked} asked, ${failures} failed` +
  `${isCrowded() ? `; not held: load ${loadavg()[0]?.toFixed(0)} on ${cpus().length} cores` : ""})`;
