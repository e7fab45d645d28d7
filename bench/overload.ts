/**
 * `make bench ONLY=overload`: what a server still does when three times as many requests come as it can serve.
 *
 *   48 connections that always have a request ──▶ capacity: 200s for each second of the server's CPU time
 *   3 x capacity, whatever comes back ──▶ goodput: 200s within a second, likewise     p50 and p99 of all 200s
 *
 * Rounds of all servers are interleaved, and goodput is divided by CPU time, since a neighbour may take the core away.
 *
 * Ours with OverloadMiddleware, Fastify with @fastify/under-pressure at the same limit, and ours without, in one run. A handler
 * takes CPU time alone (`cpu`), or waits first, as for a database (`waits`). The exit code is 1 when ours keeps less than 80 % of
 * its capacity, or its p99 is over a second. FAST=1 only proves that it runs.
 */
import { Agent } from "node:http";
import { setTimeout } from "node:timers/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ask as send, startPaced } from "./method/load.ts";
import { pinLoad, ServerProcess, type Contender } from "./method/process.ts";
import { quantile } from "./method/stats.ts";
import { fromEnvironment, root } from "../test/environment.ts";
import { markdown, savedTable } from "./report.ts";
import { settingsOf } from "./settings.ts";
import { work } from "./work.ts";

/** Where the event loop may be behind by 100 ms, a response may take ten times that. */
const bound = { goodput: 0.8, p99Ms: 1_000 };
const settings = fromEnvironment(settingsOf);
const shape = settings.fast ? { rounds: 1, ms: 300 } : { rounds: 5, ms: 2_000 };

const own = pathToFileURL(join(root, ".build", "bench", "servers", "busy.js")).href;
const contenders: readonly Contender[] = [
  { name: "OverloadMiddleware", module: own, work: work({ server: "protected" }) },
  {
    name: "@fastify/under-pressure",
    module: pathToFileURL(join(root, "bench", "peers", "under-pressure.mjs")).href,
    work: work(),
  },
  { name: "without", module: own, work: work({ server: "open" }) },
];

/** A response: its status, and its time. */
type Reply = readonly [status: number, ms: number];

const ask = (agent: Agent, port: number, path: string): Promise<Reply> =>
  new Promise((resolve) => {
    send(agent, `http://127.0.0.1:${port}${path}`, (status, ms) => resolve([status, ms]));
  });

/** What a round of one server gives. */
interface Round {
  /** 200s a second of its CPU time, and of the clock. */
  readonly perCpu: number;
  readonly perSecond: number;
  readonly replies: readonly Reply[];
}

/** Runs a load, and divides its 200s in time by the CPU time that the server took for all of it. */
async function during(server: ServerProcess, load: () => Promise<readonly Reply[]>): Promise<Round> {
  const before = await server.usage();
  const startedAt = performance.now();
  const replies = await load();
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpuSeconds = ((await server.usage()).cpuUs - before.cpuUs) / 1e6;
  const good = replies.filter(([status, ms]) => status === 200 && ms <= bound.p99Ms).length;
  return { perCpu: good / cpuSeconds, perSecond: good / seconds, replies };
}

/** 48 connections that always have a request. */
async function steady(port: number, path: string): Promise<readonly Reply[]> {
  const agent = new Agent({ keepAlive: true });
  const replies: Reply[] = [];
  const end = performance.now() + shape.ms;
  const client = async (): Promise<void> => {
    while (performance.now() < end) replies.push(await ask(agent, port, path));
  };
  await Promise.all(Array.from({ length: 48 }, client));
  agent.destroy();
  return replies;
}

/** Open connections, as a proxy has them. New ones would wait in the system, since Node accepts one in each turn. */
const connections = { keepAlive: true, maxSockets: 400, maxFreeSockets: 400 };

/** Sends that many requests a second, whatever comes back. */
async function flood(agent: Agent, port: number, path: string, rate: number): Promise<readonly Reply[]> {
  const replies: Promise<Reply>[] = [];
  const stop = startPaced(rate, () => replies.push(ask(agent, port, path)));
  await setTimeout(shape.ms);
  stop();
  return Promise.all(replies);
}

/** One server in all rounds of one path. */
interface Measured {
  readonly capacity: number;
  readonly goodput: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly rejected: number;
  readonly lost: number;
}

async function roundOf(server: ServerProcess, agent: Agent, path: string): Promise<Measured> {
  const calm = await during(server, () => steady(server.port, path));
  const over = await during(server, () => flood(agent, server.port, path, 3 * calm.perSecond));
  const times = over.replies.flatMap(([status, ms]) => (status === 200 ? [ms] : []));
  const share = (wanted: number): number =>
    over.replies.filter(([status]) => status === wanted).length / over.replies.length;
  return {
    capacity: calm.perSecond,
    goodput: over.perCpu / calm.perCpu,
    p50Ms: times.length === 0 ? Infinity : quantile(times, 0.5),
    p99Ms: times.length === 0 ? Infinity : quantile(times, 0.99),
    rejected: share(503),
    lost: share(0),
  };
}

const isPinned = pinLoad();
const rows: string[][] = [];
let failed = 0;
for (const path of ["/cpu", "/waits"]) {
  const servers = await Promise.all(contenders.map((one) => ServerProcess.start(settings.node, one)));
  const rounds: Measured[][] = servers.map(() => []);
  const agents = servers.map(() => new Agent(connections));
  for (const [at, { port }] of servers.entries()) {
    await steady(port, path);
    await Promise.all(Array.from({ length: connections.maxSockets }, () => ask(agents[at] ?? new Agent(), port, path)));
  }
  for (let round = 0; round < shape.rounds; round += 1)
    for (const [at, server] of servers.entries())
      rounds[at]?.push(await roundOf(server, agents[at] ?? new Agent(), path));
  for (const agent of agents) agent.destroy();
  await Promise.all(servers.map((server) => server.stop()));
  for (const [at, { name }] of contenders.entries()) {
    const middle = (figure: keyof Measured): number =>
      quantile(
        (rounds[at] ?? []).map((one) => one[figure]),
        0.5,
      );
    const percent = (figure: keyof Measured): string => `${(middle(figure) * 100).toFixed(0)} %`;
    const whole = (figure: keyof Measured): string => middle(figure).toFixed(0);
    const shares = [percent("rejected"), percent("lost")];
    const row = [path.slice(1), name, whole("capacity"), percent("goodput"), whole("p50Ms"), whole("p99Ms"), ...shares];
    rows.push(row);
    process.stdout.write(`${row.join(" · ")}\n`);
    const isMet = middle("goodput") >= bound.goodput && middle("p99Ms") <= bound.p99Ms;
    if (at === 0 && !isMet && !settings.fast) failed += 1;
  }
}
const head = ["handler", "protection", "capacity/s", "goodput", "p50 ms", "p99 ms", "503", "no response in 10 s"];
const caption =
  `Node ${settings.versions.node}, ${new Date().toISOString().slice(0, 10)}; ${isPinned ? "server and load pinned to a core each" : "not pinned"}; ` +
  `the median of ${shape.rounds} rounds, each ${shape.ms / 1_000} s at 3 x the capacity just measured; the limit is an event loop 100 ms ` +
  "behind; asked of OverloadMiddleware: goodput of 80 %, p99 of 1,000 ms.";
if (!settings.fast)
  savedTable(`${caption}\n\n${markdown([head, ...rows])}`, [
    "<!-- written by make bench ONLY=overload -->",
    "<!-- end of overload -->",
  ]);
process.stdout.write(`${contenders.length * 2 - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
