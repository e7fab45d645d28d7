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
  /** The 90th percentile of the response times, milliseconds, however many were asked. */
  readonly ninetieth: number;
  readonly asked: number;
  /** Requests without the response that was expected. */
  readonly failures: number;
}

const thread = (data: object): Worker =>
  new Worker(new URL("./canary-thread.js", import.meta.url), { workerData: { everyMs: 20, ...data } });

/** A server of Node that does nothing, in a thread of its own. */
export async function bareServer(wire: Wire): Promise<{ readonly port: number; close(): Promise<unknown> }> {
  const server = thread({ wire });
  const [port] = (await once(server, "message")) as [number];
  return { port, close: () => server.terminate() };
}

/** Begins to ask, every 20 ms, each time over a new connection; what it returns ends it. */
export async function canary(wire: Wire, port: number): Promise<() => Promise<CanaryResult>> {
  const control = await bareServer(wires[0] as Wire);
  const askers = [thread({ wire, port }), thread({ wire: wires[0], port: control.port })];
  return async () => {
    const [own, bare] = (await Promise.all(askers.map(countsOf))) as [Counts, Counts];
    await control.close();
    const percentile = own.times.length < 1_000 ? 90 : 99;
    const [slowest, machineSlowest] = [own, bare].map(({ times }) => quantile(times, percentile / 100)) as [
      number,
      number,
    ];
    const ninetieth = quantile(own.times, 0.9);
    return { slowest, machineSlowest, percentile, ninetieth, asked: own.times.length, failures: own.failures };
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

/** How many times as long as beside a bare server under the same flood a canary may wait. */
export const FLOOD_RATIO = 5;

/** Was it quick beside a bare server that was flooded in the same way? A handshake for each connection costs both. */
export const isQuickBeside = (seen: CanaryResult, bare: CanaryResult, settings: Settings): boolean =>
  settings.fast ? isQuick(seen, settings) : seen.ninetieth <= FLOOD_RATIO * bare.ninetieth || isCrowded();

/** A result as text. */
export const canaryText = ({ slowest, machineSlowest, percentile, asked, failures }: CanaryResult): string =>
  `canary p${percentile} ${slowest.toFixed(1)} ms (a bare server at the same time ${machineSlowest.toFixed(1)} ms; ${asked} asked, ${failures} failed` +
  `${isCrowded() ? `; not held: load ${loadavg()[0]?.toFixed(0)} on ${cpus().length} cores` : ""})`;
