/**
 * Nanoseconds per operation, without a network.
 *
 *   run 1 … 3, a process for each group ──▶ round 1: a b c … ──▶ round 2: b c … a ──▶ the median of each slice
 *
 * A group has a process of its own because its figures depend on what else the compiler has seen there. A slice is
 * timed by tinybench: it and mitata do this well, and tinybench is the one that is released regularly.
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
  /** How many operations one call of `run` does; the figure is per operation. */
  readonly per: number;
  readonly run: () => unknown;
}

/** How long to measure: rounds, and the milliseconds of a slice. */
export interface MicroShape {
  readonly runs: number;
  readonly rounds: number;
  readonly sliceMs: number;
}

/** What every case took, round by round. @throws (rejects) what a case throws. */
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
 * The values of a group's cases, each run in a fresh process on the servers' core, as an application under development.
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
