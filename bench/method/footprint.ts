/**
 * Footprint: what it takes to be there at all.
 *
 *   start       spawn ──▶ first accepted connection, the servers in turn
 *   memory      resident set once listening
 *   connection  live memory at 1,000 and at 3,000 idle keep-alive connections, per connection: the resident set grows in
 *               steps of the heap's own, which are larger than what is asked for here
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { probes } from "../work.ts";
import { rotated, type Contender } from "./list.ts";
import { quietRounds } from "./quiet.ts";
import { ServerProcess, type Host } from "./server-process.ts";

/** The samples of one server. */
export interface Footprint {
  readonly startMs: number[];
  readonly rssMb: number[];
  readonly connectionKb: number[];
}

/** How often, and with how many connections. */
export interface FootprintShape {
  readonly samples: number;
  readonly few: number;
  readonly many: number;
}

/** The footprint of every contender. */
export async function measureFootprints(
  contenders: readonly Contender[],
  host: Host,
  shape: FootprintShape,
): Promise<ReadonlyMap<string, Footprint>> {
  const all = new Map<string, Footprint>(
    contenders.map(({ name }) => [name, { startMs: [], rssMb: [], connectionKb: [] }]),
  );
  for (let sample = 0; sample < shape.samples; sample += 1) {
    for (const contender of rotated(contenders, sample)) {
      const { startMs, rssMb, connectionKb } = await footprintOf(contender, host, shape);
      const seen = all.get(contender.name);
      seen?.startMs.push(startMs);
      seen?.rssMb.push(rssMb);
      seen?.connectionKb.push(connectionKb);
    }
  }
  const quiet = quietRounds(Array.from(all.values(), ({ startMs }) => startMs));
  return new Map(
    Array.from(all, ([name, seen]) => [name, { ...seen, startMs: quiet.map((at) => seen.startMs[at] ?? Number.NaN) }]),
  );
}

async function footprintOf(
  { module, work }: Contender,
  host: Host,
  { few, many }: FootprintShape,
): Promise<{ startMs: number; rssMb: number; connectionKb: number }> {
  const from = performance.now();
  const server = await ServerProcess.start(host, module, work);
  const sockets: Socket[] = [];
  try {
    await open(server.port, sockets, 1);
    const startMs = performance.now() - from;
    const { rss } = await server.usage();
    await open(server.port, sockets, few);
    const { heap: before } = await server.usage("collected");
    await open(server.port, sockets, many);
    const { heap: after } = await server.usage("collected");
    return { startMs, rssMb: rss / 2 ** 20, connectionKb: (after - before) / 1024 / (many - few) };
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
