/**
 * Canary: somebody else who uses the app meanwhile. Asks for one path over and over, from a thread of its own, so that
 * what it measures is the app's slowness and not that of the one who attacks it.
 */
import { once } from "node:events";
import { cpus, loadavg } from "node:os";
import { Worker } from "node:worker_threads";
import { quantile } from "./rows.ts";

/** What the canary saw. */
export interface Sighting {
  /** The 99th percentile of the answers' times, milliseconds. */
  readonly p99: number;
  /** The same of a bare server that was asked at the same moments: the share of the machine in it. */
  readonly machineP99: number;
  readonly asked: number;
  /** Requests without the answer that was expected. */
  readonly failures: number;
}

interface Told {
  readonly times: readonly number[];
  readonly failures: number;
}

/** A running canary. */
export class Canary {
  readonly #asker: Worker;
  readonly #control: Worker;
  readonly #controlAsker: Worker;

  private constructor(asker: Worker, control: Worker, controlAsker: Worker) {
    this.#asker = asker;
    this.#control = control;
    this.#controlAsker = controlAsker;
  }

  /** Begins to ask, every 20 ms, each time over a new connection. */
  static async start(port: number, path = "/canary"): Promise<Canary> {
    const control = new Worker(new URL("./control-thread.js", import.meta.url));
    const [controlPort] = (await once(control, "message")) as [number];
    const asker = (to: number): Worker =>
      new Worker(new URL("./canary-thread.js", import.meta.url), { workerData: { port: to, path, everyMs: 20 } });
    return new Canary(asker(port), control, asker(controlPort));
  }

  /** Ends it. */
  async stop(): Promise<Sighting> {
    const [own, control] = await Promise.all([told(this.#asker), told(this.#controlAsker)]);
    await this.#control.terminate();
    return {
      p99: quantile(own.times, 0.99),
      machineP99: quantile(control.times, 0.99),
      asked: own.times.length,
      failures: own.failures,
    };
  }
}

async function told(asker: Worker): Promise<Told> {
  const answer = once(asker, "message") as Promise<[Told]>;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  asker.postMessage("stop");
  const [told] = await answer;
  await asker.terminate();
  return told;
}

/** More than this many runnable processes a core: whoever works waits for his turn, and times say nothing of the app. */
const CROWD = 3;
const isCrowded = (): boolean => (loadavg()[0] ?? 0) > CROWD * cpus().length;

/**
 * Was it quick? A bare server's own p99 counts three times over, since whoever has work to do waits for his turn more
 * often than one who has none. On a machine with a crowd of other processes the time is shown and not held.
 */
export const isQuick = ({ p99, machineP99 }: Sighting, allowedMs: number): boolean =>
  p99 <= allowedMs + 3 * machineP99 || isCrowded();

/** A sighting as text. */
export const sighted = ({ p99, machineP99, asked, failures }: Sighting): string =>
  `canary p99 ${p99.toFixed(1)} ms (a bare server at the same time ${machineP99.toFixed(1)} ms; ${asked} asked, ${failures} failed` +
  `${isCrowded() ? `; not held: load ${loadavg()[0]?.toFixed(0)} on ${cpus().length} cores` : ""})`;
