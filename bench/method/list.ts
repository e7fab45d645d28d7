/**
 * A list: up to eight servers doing comparable work, measured against each other.
 *
 *   run 1 … 3, fresh processes each:
 *     round 1   bare  twin  ours  hand  fastify  hono
 *     round 2   twin  ours  hand  fastify  hono  bare      interleaved, rotated by one each round
 *     …                                                    until all are warm: none has become cheaper lately
 *
 * Every server answers the probe correctly before the first slice.
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
  /** Rounds in a run: so many at least, then until every server is warm. */
  readonly rounds: { readonly least: number; readonly most: number };
}

/** The slices of every contender: by run, then by round. */
export type Measured = ReadonlyMap<string, readonly (readonly Slice[])[]>;

/** Rounds in which nobody may have become cheaper, and by how much, for all to be warm. */
const steady = 5;
const cheaper = 0.9;

/**
 * Have the first rounds seen the last of the compiler? They cost up to ten times as much, and how long that takes depends
 * on the server, the Node and the machine.
 */
export function areWarm(slices: readonly (readonly Slice[])[]): boolean {
  return slices.every((own) => {
    const cost = own.map(({ cpuUs }) => cpuUs);
    return Math.min(...cost.slice(-steady)) > cheaper * Math.min(...cost.slice(0, -steady));
  });
}

/** Processes alive at a time; an idle one among many comes back slower than it left. */
export const maxAlive = 8;

/** The order of a round: the list, rotated by the number of the round. */
export function rotated<T>(list: readonly T[], round: number): T[] {
  const by = round % Math.max(1, list.length);
  return [...list.slice(by), ...list.slice(0, by)];
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
    const servers: { readonly contender: Contender; readonly server: ServerProcess; readonly slices: Slice[] }[] = [];
    try {
      for (const contender of rotated(contenders, run)) {
        const server = await ServerProcess.start(hostOf(contender), contender.module, contender.work);
        const slices: Slice[] = [];
        servers.push({ contender, server, slices });
        measured.get(contender.name)?.push(slices);
        await checkAnswer(contender.name, server.port, probes[contender.work.kind], contender.work);
      }
      const { least, most } = shape.rounds;
      const isOver = (round: number): boolean =>
        round >= most || (round >= least && areWarm(servers.map(({ slices }) => slices)));
      for (let round = 0; !isOver(round); round += 1)
        for (const { contender, server, slices } of rotated(servers, round))
          slices.push(await slice(contender, server, shape));
    } finally {
      for (const { server } of servers) await server.stop();
    }
  }
  return measured;
}

const slice = ({ work }: Contender, server: ServerProcess, shape: SliceShape): Promise<Slice> =>
  runSlice(server, probes[work.kind], shape, work.engine);
