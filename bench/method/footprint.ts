/**
 * Footprint: what it takes to be there at all.
 *
 *   run 1 … 3:
 *     start       spawn ──▶ first accepted connection, the servers in turn, again and again
 *     memory      resident set once listening
 *     connection  live memory at 1,000 and at 3,000 idle keep-alive connections, per connection: the resident set grows
 *                 in steps of the heap's own, which are larger than what is asked for here
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { probes } from "../work.ts";
import { ordered, type Contender } from "./list.ts";
import { ServerProcess, type Host } from "./server-process.ts";

/** The samples of one server, by run. */
export interface Footprint {
  readonly startMs: number[][];
  readonly rssMb: number[][];
  readonly connectionKb: number[][];
}

/** Both, as if they were the runs of one measurement. */
export const bothFootprints = (one: Footprint, other: Footprint): Footprint => ({
  startMs: [...one.startMs, ...other.startMs],
  rssMb: [...one.rssMb, ...other.rssMb],
  connectionKb: [...one.connectionKb, ...other.connectionKb],
});

/** How often, and with how many connections. */
export interface FootprintShape {
  readonly runs: number;
  /** Starts of each server in a run; its memory is looked at once. */
  readonly starts: number;
  readonly few: number;
  readonly many: number;
}

/** The footprint of every contender. */
export async function measureFootprints(
  contenders: readonly Contender[],
  host: Host,
  shape: FootprintShape,
): Promise<ReadonlyMap<string, Footprint>> {
  const all = new Map<string, Footprint>();
  for (const { name } of contenders) all.set(name, { startMs: [], rssMb: [], connectionKb: [] });
  for (let run = 0; run < shape.runs; run += 1) {
    for (const { startMs } of all.values()) startMs.push([]);
    for (let start = 0; start < shape.starts; start += 1)
      for (const contender of ordered(contenders, start))
        all
          .get(contender.name)
          ?.startMs.at(-1)
          ?.push(await timeOfStart(contender, host));
    for (const contender of ordered(contenders, run)) {
      const { rssMb, connectionKb } = await memoryOf(contender, host, shape);
      all.get(contender.name)?.rssMb.push([rssMb]);
      all.get(contender.name)?.connectionKb.push([connectionKb]);
    }
  }
  return all;
}

/** Milliseconds until a fresh process has answered on its first connection. */
async function timeOfStart(contender: Contender, host: Host): Promise<number> {
  const from = performance.now();
  return withServer(contender, host, async ({ port }, sockets) => {
    await open(port, sockets, 1);
    return performance.now() - from;
  });
}

function memoryOf(
  contender: Contender,
  host: Host,
  { few, many }: FootprintShape,
): Promise<{ rssMb: number; connectionKb: number }> {
  return withServer(contender, host, async (server, sockets) => {
    await open(server.port, sockets, 1);
    const { rss } = await server.usage();
    await open(server.port, sockets, few);
    const { heap: before } = await server.usage("collected");
    await open(server.port, sockets, many);
    const { heap: after } = await server.usage("collected");
    return { rssMb: rss / 2 ** 20, connectionKb: (after - before) / 1024 / (many - few) };
  });
}

/** Runs `use` with a fresh process and a list for the sockets it opens. */
async function withServer<T>(
  { module, work }: Contender,
  host: Host,
  use: (server: ServerProcess, sockets: Socket[]) => Promise<T>,
): Promise<T> {
  const server = await ServerProcess.start(host, module, work);
  const sockets: Socket[] = [];
  try {
    return await use(server, sockets);
  } finally {
    for (const socket of sockets) socket.destroy();
    await server.stop();
  }
}

/** Opens connections until there are `count`, with one answered request on each. */
async function open(port: number, sockets: Socket[], count: number): Promise<void> {
  const { method, path } = probes.hello;
  while (sockets.length < count) {
    const socket = connect(port, "127.0.0.1");
    sockets.push(socket);
    await once(socket, "connect");
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`);
    await once(socket, "data");
  }
}
