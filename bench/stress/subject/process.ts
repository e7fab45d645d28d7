/**
 * The process of the app under test: serves until SIGTERM, answers questions of its parent.
 *
 *   SIGTERM ──▶ stop within the grace ──▶ exit 0          a second one ──▶ exit 1 at once
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { FrameworkOptions } from "framework";
import { makeSubject, type Subject } from "./app.ts";
import type { Question, SubjectState } from "./state.ts";

const unhandled: string[] = [];
for (const event of ["uncaughtException", "unhandledRejection"] as const)
  process.on(
    event,
    (error: unknown) => void unhandled.push(`${event}: ${error instanceof Error ? error.stack : String(error)}`),
  );

const size = Number(process.env["STRESS_SIZE"] ?? 1);
const subject = makeSubject(size, JSON.parse(process.env["STRESS_OPTIONS"] ?? "{}") as FrameworkOptions);
const delay = monitorEventLoopDelay({ resolution: 1 });

function byName(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

async function stateOf({ metrics, errors, seen }: Subject): Promise<SubjectState> {
  const loopDelayMs = delay.max / 1e6;
  for (let turn = 0; turn < 2; turn += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const resources = process.getActiveResourcesInfo();
  const state = {
    ...seen,
    heapBytes: process.memoryUsage().heapUsed,
    handles: byName(resources.filter((kind) => /Socket|TCP|Server|Timeout/.test(kind))),
    listeners: Object.fromEntries(process.eventNames().map((event) => [String(event), process.listenerCount(event)])),
    connections: resources.filter((kind) => kind === "TCPSocketWrap").length,
    unhandled,
    errors,
    measured: metrics.snapshot().routes.reduce((sum, { count }) => sum + count, 0),
    loopDelayMs,
    streams: subject.streams.size,
    mostBuffered: most,
  };
  delay.reset();
  return state;
}

async function reply(question: Question): Promise<unknown> {
  if (question.ask === "compare") return subject.tally.compare(Buffer.from(question.traces, "base64"));
  return await stateOf(subject);
}

process.on(
  "message",
  (message: { readonly id: number; readonly question: Question | { readonly publish: number } }) => {
    if ("publish" in message.question) {
      void publishAll(message.question.publish);
      return;
    }
    void reply(message.question).then((answer) => process.send?.({ id: message.id, answer }));
  },
);

let most = 0;

/** So many events, numbered, no faster than all clients but ten can follow. */
async function publishAll(count: number): Promise<void> {
  const slow = (): number => [...subject.streams].filter(({ bufferedBytes }) => bufferedBytes > 1_048_576).length;
  for (let next = 1; next <= count; next += 1) {
    for (const stream of subject.streams) {
      stream.send(`${next} ${"x".repeat(1_000)}`);
      most = Math.max(most, stream.bufferedBytes);
    }
    if (next % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    while (slow() > 10) await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

let stopping = false;
process.on("SIGTERM", () => {
  if (stopping) process.exit(1);
  stopping = true;
  void subject.app.stop().then(() => process.exit(0));
});
// Without its parent the subject ends: it must never outlive a run.
process.on("disconnect", () => process.exit(1));

await subject.app.start(0);
delay.enable();
process.send?.({ port: subject.app.port });
