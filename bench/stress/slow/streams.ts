/**
 * Event streams: clients that read beside clients that do not.
 */
import { get } from "node:http";
import { connect } from "node:net";
import { grouped, type Row } from "../rows.ts";
import type { Settings } from "../settings.ts";
import { SubjectProcess } from "../subject/child.ts";
import { stateWhen } from "../subject/waiting.ts";

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
    await stateWhen(subject, ({ streams }) => streams === 50);
    subject.publish(count);
    const results = await Promise.race([
      Promise.all(readers),
      new Promise<readonly number[]>((resolve) =>
        setTimeout(() => resolve([]), settings.seconds(120, 60) * 1_000).unref(),
      ),
    ]);
    const { mostBuffered, unhandled } = await subject.state();
    for (const socket of stalled) socket.destroy();
    const left = (await stateWhen(subject, ({ streams }) => streams === 0)).streams;
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
