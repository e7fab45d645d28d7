/**
 * Storms: many simultaneous health requests, and bodies that are far too large to inspect.
 */
import { grouped, quantile, type Figure } from "../rows.ts";
import type { Settings } from "../settings.ts";
import { SubjectProcess } from "../subject/child.ts";
import { Client, type Wire } from "../wires.ts";

const timeoutMs = 500;

/** 1,000 simultaneous requests to a health path with a hanging check, twice. */
export const healthStorm = (settings: Settings, wire: Wire): Promise<Figure> =>
  SubjectProcess.during(settings, wire.engine, {}, async (subject) => {
    const count = settings.amount(1_000, 200);
    const storm = async (path: string): Promise<{ readonly ms: number; readonly bad: number }> => {
      const client = new Client(wire, subject.port);
      const startedAt = performance.now();
      const statuses = await Promise.all(Array.from({ length: count }, () => client.status({ path })));
      const ms = performance.now() - startedAt;
      client.close();
      return { ms, bad: statuses.filter((status) => status !== (path === "/health" ? 503 : 200)).length };
    };
    // A storm on an ordinary path measures the cost of the connections alone on this machine.
    await storm("/canary");
    const calm = await storm("/canary");
    const storms = [await storm("/health"), await storm("/health")];
    const { hangingStarts, unhandled } = await subject.ask("state");
    // HTTP/2 has at most 128 open streams. The rest follow when these are served.
    const turns = wire.isHttp2 ? Math.ceil(count / 128) : 1;
    const allowed = turns * (timeoutMs + 200) + 2 * calm.ms;
    const bad = storms.reduce((sum, one) => sum + one.bad, calm.bad);
    const times = storms.map(({ ms }) => Math.round(ms));
    return {
      figure: `2 x ${grouped(count)} at once: the hanging check started ${hangingStarts} time(s), ${bad} responses not 503, all after ${times.join(" and ")} ms`,
      target: `started once, all 503 within ${turns} x ${timeoutMs + 200} ms and twice what ${grouped(count)} plain requests take (${Math.round(calm.ms)} ms)`,
      met: hangingStarts === 1 && bad + unhandled.length === 0 && times.every((ms) => ms <= allowed),
    };
  });

/** Bodies of 10 MiB in and out, with devtools and without, one after the other. */
export async function payloadBomb(settings: Settings, wire: Wire): Promise<Figure> {
  const count = settings.amount(200, 8);
  const body = Buffer.alloc(10 * 1_048_576, "x");
  const start = async (more: Readonly<Record<string, string>>) => {
    const subject = await SubjectProcess.start(settings, wire.engine, {}, more);
    return { subject, client: new Client(wire, subject.port, 1), times: [] as number[] };
  };
  const [watched, plain] = [await start({}), await start({ FRAMEWORK_DEVTOOLS: "off" })];
  const round = async (nonce: number): Promise<void> => {
    for (const { client, times } of [plain, watched]) {
      const startedAt = performance.now();
      const status = await client.status({ method: "POST", path: `/bomb/${nonce}`, body });
      if (status !== 200) throw new Error(`a payload got ${status}`);
      times.push(performance.now() - startedAt);
    }
  };
  for (let i = 0; i < 3; i += 1) await round(i);
  const before = await watched.subject.ask("state");
  for (let i = 0; i < count; i += 1) await round(i);
  const after = await watched.subject.ask("state");
  for (const { client } of [plain, watched]) client.close();
  await Promise.all([watched.subject.stop(), plain.subject.stop()]);
  const heap = (after.heapBytes - before.heapBytes) / 1_048_576;
  // Of the body, the argument, the result and the response. The fastest quarter of the runs, when the machine was free.
  const [own, other] = [watched, plain].map(({ times }) => quantile(times.slice(3), 0.25)) as [number, number];
  const each = Math.max(0, own - other) / 4;
  // A few runs say little about milliseconds, so there a snapshot may take a quarter of the time of the bytes alone.
  const allowed = 5 + (settings.fast ? other / 4 : 0);
  return {
    figure: `${count} x 10 MiB in and out: the heap grew by ${heap.toFixed(1)} MiB, a snapshot took ${each.toFixed(2)} ms`,
    target: `32 MiB + 20 %, ${allowed.toFixed(0)} ms a snapshot`,
    met: heap <= 32 * 1.2 && each <= allowed && after.unhandled.length === 0,
  };
}
