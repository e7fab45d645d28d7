/**
 * Canary: another client that uses the app during an attack. It requests one path repeatedly from a separate thread. So it
 * measures the slowness of the app and not of the attacker.
 */
import { once } from "node:events";
import { cpus, loadavg } from "node:os";
import { Worker } from "node:worker_threads";
import { quantile } from "./rows.ts";
import type { Settings } from "./settings.ts";
import type { Wire } from "./wires.ts";

/** The canary's measurements. */
export interface CanaryResult {
  /**
   * The 99th percentile of the response times, milliseconds. With fewer than a thousand, the 90th, so that one outlier does not
   * decide.
   */
  readonly slowest: number;
  /** The same for a minimal server at the same time: the machine's share of it. */
  readonly machineSlowest: number;
  readonly percentile: 90 | 99;
  /** The 90th percentile of the response times, milliseconds, for any number of requests. */
  readonly ninetieth: number;
  readonly asked: number;
  /** Requests without the expected response. */
  readonly failures: number;
}

const thread = (data: object): Worker =>
  new Worker(new URL("./canary-thread.js", import.meta.url), { workerData: { everyMs: 20, ...data } });

/** A minimal Node server in a separate thread. */
export async function bareServer(wire: Wire): Promise<{ readonly port: number; close(): Promise<unknown> }> {
  const server = thread({ wire });
  const [port] = (await once(server, "message")) as [number];
  return { port, close: () => server.terminate() };
}

/** Starts requests every 20 ms, each over a new connection. The returned function stops it. */
export async function canary(wire: Wire, port: number): Promise<() => Promise<CanaryResult>> {
  const control = await bareServer(wire);
  const askers = [thread({ wire, port }), thread({ wire, port: control.port })];
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

/** With more runnable processes per core than this, each must wait for its turn, and times say nothing about the app. */
const CROWD = 3;
const isCrowded = (): boolean => (loadavg()[0] ?? 0) > CROWD * cpus().length;

/** The allowed milliseconds of a canary. The short form shares its cores with another row, so there it must only be served. */
export const allowedMs = ({ fast }: Settings): number => (fast ? 2_000 : 50);

/**
 * Was it quick? A minimal server's time counts three times, since a process with work waits for its turn more often than an
 * idle one. On an overloaded machine the time is shown but not checked.
 */
export const isQuick = ({ slowest, machineSlowest }: CanaryResult, settings: Settings): boolean =>
  slowest <= allowedMs(settings) + 3 * machineSlowest || isCrowded();

/** The allowed factor of a canary's time to its time with a minimal server under the same flood. */
export const FLOOD_RATIO = 5;

/** Was it quick compared with a minimal server under the same flood? A handshake for each connection costs both. */
export const isQuickBeside = (seen: CanaryResult, bare: CanaryResult, settings: Settings): boolean =>
  settings.fast ? isQuick(seen, settings) : seen.ninetieth <= FLOOD_RATIO * bare.ninetieth || isCrowded();

/** A result as text. */
export const canaryText = ({ slowest, machineSlowest, percentile, asked, failures }: CanaryResult): string =>
  `canary p${percentile} ${slowest.toFixed(1)} ms (a bare server at the same time ${machineSlowest.toFixed(1)} ms; ${asked} asked, ${failures} failed` +
  `${isCrowded() ? `; not held: load ${loadavg()[0]?.toFixed(0)} on ${cpus().length} cores` : ""})`;
