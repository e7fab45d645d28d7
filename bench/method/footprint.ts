/**
 * Footprint: the cost of starting, of idling, and of having served.
 *
 *   run 1 … 3:
 *     starts        spawn ──▶ first response, the servers in turn, again and again
 *     rssMb         resident set once listening
 *     connectionKb  live memory at 1,000 and at 3,000 idle keep-alive connections, per connection: the resident set
 *                   grows in steps of the heap's own, which are larger than what is asked for here
 *     loadedMb      resident set of a fresh process after that many requests
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { originOf, probes } from "../work.ts";
import { ordered } from "./list.ts";
import { loadOf } from "./load.ts";
import { ServerProcess, type Contender } from "./process.ts";
import type { Values } from "./stats.ts";

/** The number of measurements, connections and requests. */
export interface FootprintShape {
  readonly runs: number;
  /** Starts of each server in a run. Its memory is read once. */
  readonly starts: number;
  readonly few: number;
  readonly many: number;
  readonly requests: number;
}

/** The measured values of every server by name. */
type Measured = ReadonlyMap<string, Values>;

const empty = (contenders: readonly Contender[], runs: number): Map<string, number[][]> =>
  new Map(contenders.map(({ name }) => [name, Array.from({ length: runs }, () => [])]));

/** Milliseconds from the start of the process to its first response. */
export async function measureStarts(
  contenders: readonly Contender[],
  node: string,
  { runs, starts }: FootprintShape,
): Promise<Measured> {
  const startMs = empty(contenders, runs);
  for (let run = 0; run < runs; run += 1)
    for (let start = 0; start < starts; start += 1)
      for (const contender of ordered(contenders, start)) {
        const from = performance.now();
        await withServer(node, contender, async (openUpTo) => {
          await openUpTo(1);
          startMs.get(contender.name)?.[run]?.push(performance.now() - from);
        });
      }
  return startMs;
}

/** The memory of every contender. */
export async function measureMemory(
  contenders: readonly Contender[],
  node: string,
  { runs, few, many, requests }: FootprintShape,
): Promise<Readonly<Record<"rssMb" | "connectionKb" | "loadedMb", Measured>>> {
  const fresh = (): Map<string, number[][]> => empty(contenders, runs);
  const all = { rssMb: fresh(), connectionKb: fresh(), loadedMb: fresh() };
  for (let run = 0; run < runs; run += 1)
    for (const contender of ordered(contenders, run)) {
      const { name } = contender;
      await withServer(node, contender, async (openUpTo, server) => {
        await openUpTo(1);
        const { rss } = await server.usage();
        await openUpTo(few);
        const { heap: before } = await server.usage("collected");
        await openUpTo(many);
        const { heap: after } = await server.usage("collected");
        all.rssMb.get(name)?.[run]?.push(rss / 2 ** 20);
        all.connectionKb.get(name)?.[run]?.push((after - before) / 1024 / (many - few));
      });
      await withServer(node, contender, async (_openUpTo, server) => {
        await sendTo(server, contender, requests);
        all.loadedMb.get(name)?.[run]?.push((await server.usage()).rss / 2 ** 20);
      });
    }
  return all;
}

/** Sends that many requests over 64 connections. */
async function sendTo(server: ServerProcess, { work }: Contender, requests: number): Promise<void> {
  const shape = { connections: 64 };
  let responses = 0;
  await new Promise<void>((resolve) => {
    const stop = loadOf(work, shape)(originOf(work, server.port), probes[work.kind], shape, () => {
      responses += 1;
      if (responses === requests) stop().then(() => resolve());
    });
  });
}

/** Runs `use` with a fresh process, and with a function that opens connections up to a number. */
async function withServer(
  node: string,
  contender: Contender,
  use: (openUpTo: (count: number) => Promise<void>, server: ServerProcess) => Promise<void>,
): Promise<void> {
  const server = await ServerProcess.start(node, contender);
  const sockets: Socket[] = [];
  const { method, path } = probes[contender.work.kind];
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
