/**
 * A list: up to eight servers doing comparable work, measured against each other.
 *
 *   run 1 … 3, fresh processes each:
 *     round 1   bare  hono  twin  fastify  ours  hand
 *     round 2   twin  bare  ours  hono  hand  fastify      interleaved, each behind every other equally often
 *     …
 *
 * Every server answers the probe correctly, and is warm, before the first slice.
 */
import { probes, type Work } from "../work.ts";
import { checkAnswer } from "./check-answer.ts";
import { ServerProcess, type Host } from "./server-process.ts";
import { runSlice, type Slice, type SliceShape } from "./slice.ts";

/** One server of a list. */
export interface Contender {
  /** How it is called in the table: `bare`, `twin`, `ours`, `hand`, or a peer's name. */
  readonly name: string;
  /** URL of its module. */
  readonly module: string;
  readonly work: Work;
}

/** How a list is measured. */
export interface ListShape extends SliceShape {
  readonly runs: number;
  /** Servers are warmed in so many rounds at most, of longer slices; none, and they are not. */
  readonly warming: { readonly measuredMs: number; readonly rounds: number };
  /** Rounds in a run. */
  readonly rounds: number;
}

/** The slices of every contender: by run, then by round. */
export type Measured = ReadonlyMap<string, readonly (readonly Slice[])[]>;

/** Both, as if they were the runs of one measurement of the same list. */
export const together = (one: Measured, other: Measured): Measured =>
  new Map(Array.from(one, ([name, runs]) => [name, [...runs, ...(other.get(name) ?? [])]]));

/** Processes alive at a time; an idle one among many comes back slower than it left. */
export const maxAlive = 8;

/**
 * The order of a round. Over as many rounds as there are members, twice as many when that is odd, everybody comes in
 * every place and right behind everybody else equally often (a Williams design): who comes behind a busy server finds
 * its caches cold, and nobody shall do so more often than others.
 */
export function ordered<T>(list: readonly T[], round: number): T[] {
  const size = Math.max(1, list.length);
  const by = round % size;
  const left = [...list.slice(by), ...list.slice(0, by)];
  const order: T[] = [];
  while (left.length > 0) order.push(...left.splice(order.length % 2 === 0 ? 0 : -1, 1));
  const isSecondHalf = Math.floor(round / size) % 2 === 1;
  return size % 2 === 1 && isSecondHalf ? order.toReversed() : order;
}

/** A server of a list at work, and what it took so far in this run. */
interface Runner {
  readonly contender: Contender;
  readonly server: ServerProcess;
  readonly slices: Slice[];
}

/** Measures a list. @throws (rejects) when a server does not answer as it must. */
export async function measureList(
  contenders: readonly Contender[],
  hostOf: (contender: Contender) => Host,
  shape: ListShape,
): Promise<Measured> {
  if (contenders.length > maxAlive)
    throw new RangeError(`${contenders.length} servers; at most ${maxAlive} may be alive`);
  const measured = new Map<string, Slice[][]>(contenders.map(({ name }) => [name, []]));
  for (let run = 0; run < shape.runs; run += 1) {
    const runners: Runner[] = [];
    try {
      for (const contender of ordered(contenders, run)) {
        const server = await ServerProcess.start(hostOf(contender), contender.module, contender.work);
        const slices: Slice[] = [];
        runners.push({ contender, server, slices });
        measured.get(contender.name)?.push(slices);
        await checkAnswer(contender.name, server.port, probes[contender.work.kind], contender.work);
      }
      await warm(runners, shape);
      for (let round = 0; round < shape.rounds; round += 1)
        for (const runner of ordered(runners, round)) runner.slices.push(await sliceOf(runner, shape));
    } finally {
      for (const { server } of runners) await server.stop();
    }
  }
  return measured;
}

/** Rounds in which a warm server has not become cheaper, and by how much. */
const steady = 5;
const cheaper = 0.9;

/** Has a server seen the last of the compiler? @param cpuUs what requests took, round by round */
export const isWarm = (cpuUs: readonly number[]): boolean =>
  Math.min(...cpuUs.slice(-steady)) > cheaper * Math.min(...cpuUs.slice(0, -steady));

/** Loads the servers as they will be measured until none becomes cheaper, or for as many rounds as that may take. */
async function warm(runners: readonly Runner[], shape: ListShape): Promise<void> {
  const { measuredMs, rounds } = shape.warming;
  const cpuUs = new Map<Runner, number[]>(runners.map((runner) => [runner, []]));
  for (let round = 0; round < rounds && ![...cpuUs.values()].every(isWarm); round += 1)
    for (const runner of ordered(runners, round))
      cpuUs.get(runner)?.push((await sliceOf(runner, { ...shape, measuredMs })).cpuUs);
}

const sliceOf = ({ contender: { work }, server }: Runner, shape: SliceShape): Promise<Slice> =>
  runSlice(server, probes[work.kind], shape, work.engine);
