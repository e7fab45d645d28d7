/**
 * Nanoseconds per operation, without a network.
 *
 *   run 1 … 3, a process for each group ──▶ round 1: a b c … ──▶ round 2: b c … a ──▶ the median of each slice
 *
 * Each group has a separate process because its figures depend on the other code that the compiler has seen there. tinybench
 * times a slice: it and mitata do this well, and tinybench is released regularly.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Bench } from "tinybench";
import { ordered } from "./list.ts";
import { onCore } from "./process.ts";
import type { Values } from "./stats.ts";

/** One measured thing. */
export interface Case {
  readonly id: string;
  /** The number of operations of one call of `run`. The figure is per operation. */
  readonly per: number;
  readonly run: () => unknown;
}

/** How long to measure: rounds, and the milliseconds of a slice. */
export interface MicroShape {
  readonly runs: number;
  readonly rounds: number;
  readonly sliceMs: number;
}

/** The times of every case, round by round. @throws (rejects) the error of a case. */
export async function takeSlices(
  cases: readonly Case[],
  { rounds, sliceMs }: MicroShape,
): Promise<Readonly<Record<string, readonly number[]>>> {
  const taken: Record<string, number[]> = Object.fromEntries(cases.map(({ id }) => [id, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const { id, per, run } of ordered(cases, round)) {
      const bench = new Bench({ time: sliceMs, iterations: 1, warmupTime: sliceMs, warmupIterations: 1, throws: true });
      const [task] = await bench.add(id, run).run();
      if (task?.result.state === "completed") taken[id]?.push((task.result.latency.p50 * 1e6) / per);
    }
  return taken;
}

const entry = fileURLToPath(new URL("../micro.js", import.meta.url));

/**
 * The values of a group's cases. Each run is a fresh process on the servers' core, like an application under development.
 *
 * @throws Error naming the group that failed.
 */
export function measureMicro(group: string, node: string, shape: MicroShape): ReadonlyMap<string, Values> {
  const all = new Map<string, number[][]>();
  for (let run = 0; run < shape.runs; run += 1) {
    const [command, ...args] = onCore(0, node, entry, group, JSON.stringify(shape));
    const env = { ...process.env, NODE_ENV: "development", FRAMEWORK_DEVTOOLS: "true" };
    const { status, stdout } = spawnSync(command, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    if (status !== 0) throw new Error(`the group ${group} of the micro bench ended with ${String(status)}`);
    for (const [id, values] of Object.entries(JSON.parse(String(stdout)) as Record<string, number[]>))
      all.set(id, [...(all.get(id) ?? []), values]);
  }
  return all;
}
