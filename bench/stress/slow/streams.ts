/**
 * Event streams: clients that read, clients that do not, and clients that come and go.
 */
import { get } from "node:http";
import { connect } from "node:net";
import { grouped, type Row } from "../rows.ts";
import type { Settings } from "../settings.ts";
import { SubjectProcess } from "../subject/child.ts";

const head = "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n";

/** 50 clients, 10 of them stalled. */
export async function events(settings: Settings): Promise<Row> {
  const count = settings.amount(10_000, 10_000);
  const subject = await SubjectProcess.start(settings);
  try {
    const stalled = Array.from({ length: 10 }, () => {
      const socket = connect(subject.port, "127.0.0.1", () => socket.write(head));
      return socket.on("error", () => undefined).pause();
    });
    const readers = Array.from({ length: 40 }, () => reader(subject.port, count));
    await until(subject, ({ streams }) => streams === 50);
    subject.publish(count);
    const results = await Promise.race([
      Promise.all(readers),
      new Promise<readonly number[]>((resolve) =>
        setTimeout(() => resolve([]), settings.seconds(120, 60) * 1_000).unref(),
      ),
    ]);
    const { mostBuffered, unhandled } = await subject.state();
    for (const socket of stalled) socket.destroy();
    const left = (await until(subject, ({ streams }) => streams === 0)).streams;
    const whole = results.filter((received) => received === count).length;
    return {
      name: "event streams",
      figure: `${whole} of 40 readers got ${grouped(count)} events in order beside 10 stalled; at most ${(mostBuffered / 1_048_576).toFixed(1)} MiB held for one; ${left} streams left`,
      target: "40 of 40; 4 MiB and an event; 0 left",
      met: whole === 40 && mostBuffered <= 4 * 1_048_576 + 4_096 && left + unhandled.length === 0,
    };
  } finally {
    await subject.stop();
  }
}

/** Resolves to the number of events that came in order. */
function reader(port: number, count: number): Promise<number> {
  return new Promise((resolve) => {
    let received = 0;
    let rest = "";
    const request = get({ port, host: "127.0.0.1", path: "/events", agent: false }, (response) => {
      response.setEncoding("utf8").on("data", (chunk: string) => {
        const lines = (rest + chunk).split("\n\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line.startsWith(`data: ${received + 1} `)) received += 1;
        if (received === count) request.destroy();
      });
      response.on("error", () => undefined).on("close", () => resolve(received));
    });
    request.on("error", () => resolve(received));
  });
}

/** Clients that connect, read a little and leave. */
export async function reconnects(settings: Settings): Promise<Row> {
  const count = settings.amount(10_000, 1_000);
  const subject = await SubjectProcess.start(settings);
  try {
    const cycle = (path: string): Promise<void> =>
      new Promise((resolve) => {
        const request = get({ port: subject.port, host: "127.0.0.1", path, agent: false }, (response) => {
          response.on("error", () => undefined).on("close", resolve);
          request.destroy();
        });
        request.on("error", () => resolve());
      });
    const some = async (path: string, times: number): Promise<void> => {
      for (let i = 0; i < times; i += 1) await cycle(path);
    };
    const all = async (times: number): Promise<void> => {
      const lanes = Array.from({ length: 10 }, (_, lane) =>
        some(lane % 2 === 0 ? "/events" : "/framework/dev/api/stream", times / 10),
      );
      await Promise.all(lanes);
    };
    await all(200);
    const before = await until(subject, ({ connections }) => connections === 0);
    await all(count);
    const after = await until(subject, ({ connections, streams }) => connections + streams === 0);
    const grown = (after.heapBytes - before.heapBytes) / 1_048_576;
    return {
      name: "reconnects",
      figure: `${grouped(count)} streams opened and left: ${after.streams} streams and ${after.connections} connections left, heap grown by ${grown.toFixed(1)} MiB`,
      target: "0 left, at most 5 MiB",
      met: after.streams + after.connections + after.unhandled.length === 0 && grown <= 5,
    };
  } finally {
    await subject.stop();
  }
}

type State = Awaited<ReturnType<SubjectProcess["state"]>>;

/** The state once it is as it should be; at most ten seconds later. */
async function until(subject: SubjectProcess, isThere: (state: State) => boolean): Promise<State> {
  let state = await subject.state();
  for (let i = 0; i < 100 && !isThere(state); i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    state = await subject.state();
  }
  return state;
}
