/**
 * Reconnects: clients of event streams that come and go by the thousand.
 */
import { get } from "node:http";
import { grouped, type Row } from "../rows.ts";
import type { Settings } from "../settings.ts";
import { SubjectProcess } from "../subject/child.ts";
import { stateWhen } from "../subject/waiting.ts";

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
    const before = await stateWhen(subject, ({ connections }) => connections === 0);
    await all(count);
    const after = await stateWhen(subject, ({ connections, streams }) => connections + streams === 0);
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
