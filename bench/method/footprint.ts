/**
 * Footprint: the cost of starting and idling.
 *
 *   run 1 … 3:
 *     startMs       spawn ──▶ first response, the servers in turn, again and again
 *     rssMb         resident set once listening
 *     connectionKb  live memory at 1,000 and at 3,000 idle keep-alive connections, per connection: the resident set
 *                   grows in steps of the heap's own, which are larger than what is asked for here
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { probes } from "../work.ts";
import { ordered } from "./list.ts";
import { ServerProcess, type Contender } from "./process.ts";
import type { Values } from "./stats.ts";

/** The number of measurements and connections. */
export interface FootprintShape {
  readonly runs: number;
  /** Starts of each server in a run. Its memory is read once. */
  readonly starts: number;
  readonly few: number;
  readonly many: number;
}

/** The measured values, each for every server by name. */
export type Footprints = Readonly<Record<"startMs" | "rssMb" | "connectionKb", ReadonlyMap<string, Values>>>;

/** The footprint of every contender. */
export async function measureFootprints(
  contenders: readonly Contender[],
  node: string,
  { runs, starts, few, many }: FootprintShape,
): Promise<Footprints> {
  const empty = (): Map<string, number[][]> =>
    new Map(contenders.map(({ name }) => [name, Array.from({ length: runs }, () => [])]));
  const all = { startMs: empty(), rssMb: empty(), connectionKb: empty() };
  for (let run = 0; run < runs; run += 1) {
    for (let start = 0; start < starts; start += 1)
      for (const contender of ordered(contenders, start)) {
        const from = performance.now();
        await withServer(node, contender, async (openUpTo) => {
          await openUpTo(1);
          all.startMs.get(contender.name)?.[run]?.push(performance.now() - from);
        });
      }
    for (const contender of ordered(contenders, run))
      await withServer(node, contender, async (openUpTo, server) => {
        await openUpTo(1);
        const { rss } = await server.usage();
        await openUpTo(few);
        const { heap: before } = await server.usage("collected");
        await openUpTo(many);
        const { heap: after } = await server.usage("collected");
        all.rssMb.get(contender.name)?.[run]?.push(rss / 2 ** 20);
        all.connectionKb.get(contender.name)?.[run]?.push((after - before) / 1024 / (many - few));
      });
  }
  return all;
}

/** Runs `use` with a fresh process, and with a function that opens connections up to a number. */
async function withServer(
  node: string,
  contender: Contender,
  use: (openUpTo: (count: number) => Promise<void>, server: ServerProcess) => Promise<void>,
): Promise<void> {
  const server = await ServerProcess.start(node, contender);
  const sockets: Socket[] = [];
  const { method, path } = probes.hello;
  try {
    await use(async (count) => {
      while (sockets.length < count) {
        const socket = connect(server.port, "127.0.0.1");
        sockets.push(socket);
        await once(socket, "connect");
        socket.write(`${method} ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`);
        await once(socket, "data");
      }
    }, server);
  } finally {
    for (const socket of sockets) socket.destroy();
    await server.stop();
  }
}
