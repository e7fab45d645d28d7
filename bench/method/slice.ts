/**
 * One slice: a short load on one server, and what the server spent on it.
 *
 *   connect ──▶ warm, unmeasured ──▶ usage ──▶ measured ──▶ usage ──▶ disconnect
 *                                      └── CPU per request = Δ CPU ÷ Δ answers ──┘
 *
 * Answers are counted before and after each question for the usage; the mean of the two is the border.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Probe } from "../work.ts";
import { startLoad } from "./autocannon.ts";
import { startHttp2Load } from "./http2-load.ts";
import type { ServerProcess } from "./server-process.ts";
import { quantile } from "./stats.ts";

/** How long and how hard. Times in milliseconds. */
export interface SliceShape {
  readonly warmMs: number;
  readonly measuredMs: number;
  readonly connections: number;
}

/** What one slice showed. */
export interface Slice {
  /** CPU time of the server's whole process per answer. */
  readonly cpuUs: number;
  /** 99th percentile of the answers' times, in milliseconds. */
  readonly p99Ms: number;
}

/** How many times as long a slice may last when the machine is too busy for one answer per connection. */
const patience = 10;

/** A load on one server by what it is asked. */
function loadOn(
  { port }: ServerProcess,
  { path, method, headers, body }: Probe,
  connections: number,
  engine: string | undefined,
): ReturnType<typeof startLoad> {
  const url = `http://127.0.0.1:${port}${path}`;
  const start = engine === "node-http2" ? startHttp2Load : startLoad;
  return start({ url, method, headers, body, connections, duration: 60, sampleInt: 5 });
}

/** Runs one slice. @throws (rejects) when an answer has another status than the probe's, or none comes. */
export async function runSlice(
  server: ServerProcess,
  probe: Probe,
  shape: SliceShape,
  engine?: string,
): Promise<Slice> {
  const { load, over } = loadOn(server, probe, shape.connections, engine);
  let answers = 0;
  let wrong = 0;
  let times: number[] = [];
  load.on("response", (_client: unknown, status: number, _bytes: number, ms: number) => {
    answers += 1;
    if (status !== probe.status) wrong += 1;
    times.push(ms);
  });
  load.on("reqError", () => {
    wrong += 1;
  });
  const border = async (): Promise<{ readonly cpuUs: number; readonly answers: number }> => {
    const before = answers;
    const { cpuUs } = await server.usage();
    return { cpuUs, answers: (before + answers) / 2 };
  };
  await delay(shape.warmMs);
  const from = await border();
  times = [];
  let to = from;
  for (let part = 0; part < patience && to.answers - from.answers < shape.connections; part += 1) {
    await delay(shape.measuredMs);
    to = await border();
  }
  load.stop();
  await over;
  const served = to.answers - from.answers;
  if (wrong > 0) throw new Error(`${wrong} of ${answers} answers to ${probe.method} ${probe.path} were wrong`);
  if (served <= 0)
    throw new Error(`no answer to ${probe.method} ${probe.path} within ${patience * shape.measuredMs} ms`);
  return {
    cpuUs: (to.cpuUs - from.cpuUs) / served,
    p99Ms: quantile(times, 0.99),
  };
}
