/**
 * Event streams: reading clients together with stalled ones, and thousands of clients that connect and leave.
 */
import { requestBytes } from "../frames.ts";
import { grouped, type Figure } from "../rows.ts";
import type { Settings } from "../settings.ts";
import { SubjectProcess } from "../subject/child.ts";
import { Client, dial, type Wire } from "../wires.ts";

/** 50 clients, 10 of them stalled. */
export const events = (settings: Settings, wire: Wire): Promise<Figure> =>
  SubjectProcess.during(settings, wire.engine, {}, async (subject) => {
    const count = settings.amount(10_000, 2_000);
    const stalled = Array.from({ length: 10 }, () => dial(wire, subject.port).pause());
    for (const socket of stalled) socket.write(requestBytes(wire, ["GET /events"], true));
    const withinMs = settings.seconds(120, 60) * 1_000;
    const readers = Array.from({ length: 40 }, () => reader(wire, subject.port, count, withinMs));
    await subject.stateWhen(({ streams }) => streams === 50);
    await subject.ask("publish", count);
    const whole = (await Promise.all(readers)).filter((received) => received === count).length;
    const { mostBuffered, unhandled } = await subject.ask("state");
    for (const socket of stalled) socket.destroy();
    const { streams } = await subject.stateWhen((state) => state.streams === 0);
    return {
      figure: `${whole} of 40 readers got ${grouped(count)} events in order beside 10 stalled; at most ${(mostBuffered / 1_048_576).toFixed(1)} MiB held for one; ${streams} streams left`,
      target: "40 of 40; 4 MiB and an event; 0 left",
      met: whole === 40 && mostBuffered <= 4 * 1_048_576 + 4_096 && streams + unhandled.length === 0,
    };
  });

/** Resolves with the number of events received in order. */
async function reader(wire: Wire, port: number, count: number, withinMs: number): Promise<number> {
  const client = new Client(wire, port);
  let received = 0;
  try {
    const { body } = await client.ask({ path: "/events", signal: AbortSignal.timeout(withinMs) });
    let rest = "";
    for await (const chunk of body.setEncoding("utf8")) {
      const lines = (rest + String(chunk)).split("\n\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.startsWith(`data: ${received + 1} `)) received += 1;
      if (received === count) break;
    }
  } catch {
    // The stream broke off: count the received events.
  }
  client.close();
  return received;
}

/** Clients that connect, read a little and leave. */
export const reconnects = (settings: Settings, wire: Wire): Promise<Figure> =>
  SubjectProcess.during(settings, wire.engine, {}, async (subject) => {
    const count = settings.amount(10_000, 200);
    const some = async (path: string, times: number): Promise<void> => {
      for (let i = 0; i < times; i += 1) {
        const client = new Client(wire, subject.port);
        await client.ask({ path }).then(
          ({ body }) => body.destroy(),
          () => undefined,
        );
        client.close();
      }
    };
    const all = async (times: number): Promise<void> => {
      const paths = Array.from({ length: 5 }, () => ["/events", "/framework/dev/api/stream"]).flat();
      await Promise.all(paths.map((path) => some(path, times / 10)));
    };
    await all(200);
    const before = await subject.stateWhen(({ connections }) => connections === 0);
    await all(count);
    const after = await subject.stateWhen(({ connections, streams }) => connections + streams === 0);
    const grown = (after.heapBytes - before.heapBytes) / 1_048_576;
    return {
      figure: `${grouped(count)} streams opened and left: ${after.streams} streams and ${after.connections} connections left, heap grown by ${grown.toFixed(1)} MiB`,
      target: "0 left, at most 5 MiB",
      met: after.streams + after.connections + after.unhandled.length === 0 && grown <= 5,
    };
  });
