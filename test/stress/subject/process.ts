/**
 * The process of the app under test: serves until SIGTERM, responds to questions of its parent.
 *
 *   SIGTERM ──▶ stop within the grace ──▶ exit 0          a second one ──▶ exit 1 at once
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { FrameworkOptions } from "framework";
import { getOnce, type EngineName, type Wire } from "../wires.ts";
import { makeSubject } from "./app.ts";
import { appFor } from "./serve.ts";

const unhandled: string[] = [];
for (const event of ["uncaughtException", "unhandledRejection"] as const)
  process.on(event, (error: unknown) => {
    unhandled.push(`${event}: ${error instanceof Error ? error.stack : String(error)}`);
  });

const engine = process.env["STRESS_ENGINE"] as EngineName;
const subject = makeSubject(engine, JSON.parse(process.env["STRESS_OPTIONS"] ?? "{}") as FrameworkOptions);
const delay = monitorEventLoopDelay({ resolution: 1 });
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
let mostBuffered = 0;

const questions = {
  /** Its whole state, after a forced collection. */
  async state() {
    const loopDelayMs = delay.max / 1e6;
    for (let turn = 0; turn < 2; turn += 1) {
      globalThis.gc?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    delay.reset();
    const { seen, metrics, streams } = subject;
    return {
      ...seen,
      unhandled,
      open: open(),
      connections: process.getActiveResourcesInfo().filter((kind) => kind === "TCPSocketWrap").length,
      /** Requests without a record. Those that the parser rejected never entered, and have a line. */
      unlogged: Math.abs(seen.entered.count + seen.rejected - seen.lines.count),
      heapBytes: process.memoryUsage().heapUsed,
      measured: metrics.snapshot().routes.reduce((sum, { count }) => sum + count, 0),
      /** Longest delay of the event loop since the last question. */
      loopDelayMs,
      /** Clients of `/events`, and the most bytes buffered for one. */
      streams: streams.size,
      mostBuffered,
    };
  },
  /** Responds after received data is read: each turn of the loop advances the connections by one step. */
  async turn() {
    for (let step = 0; step < 4; step += 1) await new Promise((resolve) => setImmediate(resolve));
  },
  /** Milliseconds of CPU so far. */
  cpu() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  /**
   * Sends this many numbered events on `/events`, only as fast as all clients except ten can follow. Returns without waiting
   * for them.
   */
  publish(count: number) {
    void publishAll(count);
  },
  /** The open handles before and after this many apps have started, served and stopped. */
  async cycle(wire: Wire, count: number) {
    await cycle(wire);
    const before = await settled("");
    for (let i = 0; i < count; i += 1) await cycle(wire);
    return [before, await settled(before)] as const;
  },
};

/** The parent's questions, with their replies. */
export type Questions = typeof questions;

/** Handles by kind and listeners on the process by event, as text. */
function open(): string {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo())
    if (/Socket|TCP|Server|Timeout/.test(kind)) counts[kind] = (counts[kind] ?? 0) + 1;
  for (const event of process.eventNames()) counts[String(event)] = process.listenerCount(event);
  return JSON.stringify(counts);
}

async function settled(expected: string): Promise<string> {
  for (let i = 0; i < 40 && open() !== expected; i += 1) await pause(50);
  return open();
}

async function cycle(wire: Wire): Promise<void> {
  const { app, serve } = appFor(wire.engine, {});
  app.get("/", () => "x");
  const { port, stop } = await serve();
  await getOnce(wire, port, { path: "/" });
  await stop();
}

async function publishAll(count: number): Promise<void> {
  const slow = (): number => [...subject.streams].filter(({ bufferedBytes }) => bufferedBytes > 1_048_576).length;
  for (let next = 1; next <= count; next += 1) {
    for (const stream of subject.streams) {
      stream.send(`${next} ${"x".repeat(1_000)}`);
      mostBuffered = Math.max(mostBuffered, stream.bufferedBytes);
    }
    if (next % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    while (slow() > 10) await pause(2);
  }
}

type Message = { readonly id: number; readonly name: keyof Questions; readonly given: readonly unknown[] };
process.on("message", ({ id, name, given }: Message) => {
  const ask = questions[name] as (...given: readonly unknown[]) => unknown;
  void Promise.resolve(ask(...given)).then((reply) => process.send?.({ id, reply }));
});

let stopping = false;
process.on("SIGTERM", () => {
  if (stopping) process.exit(1);
  stopping = true;
  void serving.stop().then(() => process.exit(0));
});
// Ends with its parent, so that it never outlives a run.
process.on("disconnect", () => process.exit(1));

const serving = await subject.serve();
delay.enable();
process.send?.({ port: serving.port });
