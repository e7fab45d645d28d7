/**
 * A list: up to eight servers doing comparable work, measured against each other.
 *
 *   run 1 … 3, fresh processes each:
 *     round 1   bare  hono  bare-twin  fastify  ours  hand
 *     round 2   bare-twin  bare  ours  hono  hand  fastify      interleaved, each behind every other equally often
 *     slice     connect ──▶ warm, unmeasured ──▶ usage ──▶ measured ──▶ usage ──▶ disconnect
 *                                                  └─ CPU per request = Δ CPU ÷ Δ responses ─┘
 *
 * Every server gives the expected response, and is warm, before the first slice that counts.
 */
import { setTimeout as delay } from "node:timers/promises";
import { originOf, type Probe } from "../work.ts";
import { checkResponse, probeOf } from "./check-response.ts";
import { loadOf, type LoadShape } from "./load.ts";
import { ServerProcess, type Contender } from "./process.ts";
import { quantile, type Values } from "./stats.ts";

/** The measuring parameters of a list. Times in milliseconds. */
export interface ListShape extends LoadShape {
  readonly runs: number;
  /** The maximum number of warming rounds, with longer slices, or 0 for none. */
  readonly warming: { readonly measuredMs: number; readonly rounds: number };
  /** Rounds in a run. */
  readonly rounds: number;
  readonly warmMs: number;
  readonly measuredMs: number;
}

/** Microseconds of CPU per request, and milliseconds of the 99th percentile, of every server by name. */
export interface Measured {
  readonly cpuUs: ReadonlyMap<string, Values>;
  readonly p99Ms: ReadonlyMap<string, Values>;
}

/** Processes alive at a time. An idle one among many comes back slower than it left. */
export const maxAlive = 8;

/**
 * The order of a round. Over as many rounds as there are members, twice as many if that is odd, each member comes in each place
 * and directly after each other member equally often (a Williams design). A server after a busy one finds its caches cold, so
 * this must happen to all equally often.
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

/** A running server of a list. */
type Runner = readonly [Contender, ServerProcess, Probe];

/** Measures a list on the given Node. @throws (rejects) if a server's response is wrong. */
export async function measureList(contenders: readonly Contender[], node: string, shape: ListShape): Promise<Measured> {
  if (contenders.length > maxAlive)
    throw new RangeError(`${contenders.length} servers; at most ${maxAlive} may be alive`);
  const cpuUs = new Map<string, number[][]>(contenders.map(({ name }) => [name, []]));
  const p99Ms = new Map<string, number[][]>(contenders.map(({ name }) => [name, []]));
  for (let run = 0; run < shape.runs; run += 1) {
    const servers: ServerProcess[] = [];
    const runners: Runner[] = [];
    try {
      for (const contender of ordered(contenders, run)) {
        const server = await ServerProcess.start(node, contender);
        servers.push(server);
        const probe = await probeOf(contender, server.port);
        await checkResponse(contender, server.port, probe);
        runners.push([contender, server, probe]);
        for (const values of [cpuUs, p99Ms]) values.get(contender.name)?.push([]);
      }
      await warm(runners, shape);
      for (let round = 0; round < shape.rounds; round += 1)
        for (const runner of ordered(runners, round)) {
          const slice = await runSlice(runner, shape);
          cpuUs.get(runner[0].name)?.at(-1)?.push(slice.cpuUs);
          p99Ms.get(runner[0].name)?.at(-1)?.push(slice.p99Ms);
        }
    } finally {
      for (const server of servers) await server.stop();
    }
  }
  return { cpuUs, p99Ms };
}

/** The number of rounds without an improvement that make a server warm, and the smallest improvement that counts. */
const steady = 4;
const cheaper = 0.9;

/** Has the compiler finished optimizing a server? @param cpuUs the cost of requests, round by round */
export const isWarm = (cpuUs: readonly number[]): boolean =>
  Math.min(...cpuUs.slice(-steady)) > cheaper * Math.min(...cpuUs.slice(0, -steady));

/** Loads the servers as in the measurement until none becomes cheaper, or until the maximum number of rounds. */
async function warm(runners: readonly Runner[], shape: ListShape): Promise<void> {
  const { measuredMs, rounds } = shape.warming;
  const cpuUs = new Map<Runner, number[]>(runners.map((runner) => [runner, []]));
  for (let round = 0; round < rounds && ![...cpuUs.values()].every(isWarm); round += 1)
    for (const runner of ordered(runners, round))
      cpuUs.get(runner)?.push((await runSlice(runner, { ...shape, measuredMs, rate: undefined })).cpuUs);
}

/** The factor by which a slice may be longer if the machine is too busy for one response per connection. */
const patience = 10;

/** @throws (rejects) if a response has another status than the probe's, or none comes. */
async function runSlice(runner: Runner, shape: ListShape): Promise<Record<keyof Measured, number>> {
  const [[{ name, work }, server, probe], { warmMs, measuredMs, connections }] = [runner, shape];
  const start = loadOf(work, shape);
  let [responses, wrong] = [0, 0];
  let times: number[] = [];
  const stop = start(originOf(work, server.port), probe, shape, (status, ms) => {
    responses += 1;
    if (status !== probe.status) wrong += 1;
    times.push(ms);
  });
  // Responses are counted before and after each usage query. The mean of the two is the border.
  const border = async (): Promise<readonly [cpuUs: number, responses: number]> => {
    const before = responses;
    const { cpuUs } = await server.usage();
    return [cpuUs, (before + responses) / 2];
  };
  await delay(warmMs);
  const from = await border();
  times = [];
  let to = from;
  for (let part = 0; part < patience && to[1] - from[1] < connections; part += 1) {
    await delay(measuredMs);
    to = await border();
  }
  await stop();
  const served = to[1] - from[1];
  const what = `${name} to ${probe.method} ${probe.path}`;
  if (wrong > 0) throw new Error(`${wrong} of ${responses} responses of ${what} were wrong`);
  if (served <= 0) throw new Error(`no response of ${what} within ${patience * measuredMs} ms`);
  return { cpuUs: (to[0] - from[0]) / served, p99Ms: quantile(times, 0.99) };
}
