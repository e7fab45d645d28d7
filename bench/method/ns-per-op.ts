/**
 * Nanoseconds per operation, in one process: batches of every case in turn, so that all meet the same disturbances.
 *
 *   calibrate: how many take `batchMs`? ──▶ sample 1: a b c … ──▶ sample 2: b c … a ──▶ the quieter half of them
 *
 * A case may name another as the part that is not its own: its figure is the paired difference. Tight loops flatter
 * whatever the compiler can inline; these figures compare commits, not libraries.
 */
import { ordered } from "./list.ts";
import { quietRounds } from "./quiet.ts";

/** Runs its operation `times` times. */
export type Batch = (times: number) => unknown;

/** One measured thing. */
export interface Case {
  readonly id: string;
  readonly title: string;
  readonly run: Batch;
  /** The case whose time is taken off. */
  readonly less?: string | undefined;
  /** Operations in one run of the batch's body; the figure is per operation. */
  readonly per?: number | undefined;
}

/** How long to measure. */
export interface MicroShape {
  readonly samples: number;
  readonly batchMs: number;
}

/** What was taken of every case, by its id: ns per operation. */
export type Samples = Readonly<
  Record<string, { readonly title: string; readonly less?: string; readonly ns: number[] }>
>;

/** Samples of every case, those of the quieter half. @throws Error when a case takes off one that is not there. */
export async function takeSamples(cases: readonly Case[], shape: MicroShape): Promise<Samples> {
  const times = new Map<string, number>();
  for (const one of cases) times.set(one.id, await calibrate(one.run, shape.batchMs));
  const taken = new Map<string, number[]>(cases.map(({ id }) => [id, []]));
  for (let sample = 0; sample < shape.samples; sample += 1) {
    for (const { id, run } of ordered(cases, sample)) taken.get(id)?.push(await time(run, times.get(id) ?? 1));
  }
  const quiet = quietRounds([...taken.values()], 1 / 2);
  return Object.fromEntries(
    cases.map(({ id, title, less, per = 1 }) => {
      const off = less === undefined ? undefined : taken.get(less);
      if (less !== undefined && off === undefined)
        throw new Error(`the case ${id} takes off ${less}, which is no case`);
      const all = taken.get(id) ?? [];
      const ns = quiet.map((sample) => ((all[sample] ?? 0) - (off?.[sample] ?? 0)) / per);
      return [id, { title, ns, ...(less === undefined ? {} : { less }) }];
    }),
  );
}

/** ns of CPU per run of the body: what other processes take of the core is not counted, garbage collection is. */
async function time(run: Batch, count: number): Promise<number> {
  const from = process.cpuUsage();
  await run(count);
  const { user, system } = process.cpuUsage(from);
  return ((user + system) * 1e3) / count;
}

/** How many runs take about `ms`; compiles the code on the way. */
async function calibrate(run: Batch, ms: number): Promise<number> {
  let count = 16;
  for (;;) {
    const spent = ((await time(run, count)) * count) / 1e6;
    if (spent >= ms) return Math.max(1, Math.round((count * ms) / spent));
    count *= spent < ms / 8 ? 4 : 2;
  }
}
