/**
 * Storms: everybody asks for the health at once, and bodies that are far too large for anybody to look at.
 */
import { Agent, request } from "node:http";
import { grouped, quantile, type Row } from "../rows.ts";
import type { Settings } from "../settings.ts";
import { SubjectProcess } from "../subject/child.ts";

const timeoutMs = 500;

/** 1,000 requests at once to a health path one of whose checks hangs, twice. */
export async function healthStorm(settings: Settings): Promise<Row> {
  const count = 1_000;
  const subject = await SubjectProcess.start(settings);
  try {
    const storm = async (path: string): Promise<{ readonly ms: number; readonly bad: number }> => {
      const agent = new Agent({ maxSockets: count });
      const startedAt = performance.now();
      const statuses = await Promise.all(Array.from({ length: count }, () => send(agent, subject.port, "GET", path)));
      const ms = performance.now() - startedAt;
      agent.destroy();
      return { ms, bad: statuses.filter((status) => status !== (path === "/health" ? 503 : 200)).length };
    };
    // What a storm on an ordinary path takes is what the connections alone take on this machine.
    await storm("/canary");
    const calm = await storm("/canary");
    const first = await storm("/health");
    const second = await storm("/health");
    const { hangingStarts, unhandled } = await subject.state();
    const allowed = timeoutMs + 200 + 2 * calm.ms;
    return {
      name: "health storm",
      figure: `2 x ${grouped(count)} at once: the hanging check started ${hangingStarts} time(s), ${first.bad + second.bad} answers not 503, all after ${Math.round(first.ms)} and ${Math.round(second.ms)} ms`,
      target: `started once, all 503 within ${timeoutMs + 200} ms and twice what ${grouped(count)} plain requests take (${Math.round(calm.ms)} ms)`,
      met:
        hangingStarts === 1 &&
        first.bad + second.bad + calm.bad + unhandled.length === 0 &&
        first.ms <= allowed &&
        second.ms <= allowed,
    };
  } finally {
    await subject.stop();
  }
}

/** Bodies of 10 MiB in and out, with devtools and without, one after the other. */
export async function payloadBomb(settings: Settings): Promise<Row> {
  const count = settings.amount(200, 24);
  const body = Buffer.alloc(10 * 1_048_576, "x");
  const watched = await SubjectProcess.start(settings);
  const plain = await SubjectProcess.start(settings, {}, 1, { FRAMEWORK_DEVTOOLS: "off" });
  try {
    const agent = new Agent({ keepAlive: true });
    const timed = async (subject: SubjectProcess, nonce: number): Promise<number> => {
      const startedAt = performance.now();
      const status = await send(agent, subject.port, "POST", `/bomb/${nonce}`, body);
      if (status !== 200) throw new Error(`a payload was answered ${status}`);
      return performance.now() - startedAt;
    };
    for (let i = 0; i < 3; i += 1) for (const subject of [watched, plain]) await timed(subject, i);
    const before = await watched.state();
    const times = { plain: [] as number[], watched: [] as number[] };
    for (let i = 0; i < count; i += 1) {
      times.plain.push(await timed(plain, i));
      times.watched.push(await timed(watched, i));
    }
    const after = await watched.state();
    agent.destroy();
    const heap = (after.heapBytes - before.heapBytes) / 1_048_576;
    // Of the body, the argument, the result and the answer; the quick quarter of the runs, where the machine was free.
    const each = Math.max(0, quantile(times.watched, 0.25) - quantile(times.plain, 0.25)) / 4;
    return {
      name: "payload bomb",
      figure: `${count} x 10 MiB in and out: the heap grew by ${heap.toFixed(1)} MiB, a snapshot took ${each.toFixed(2)} ms`,
      target: "32 MiB + 20 %, 5 ms a snapshot",
      met: heap <= 32 * 1.2 && each <= 5 && after.unhandled.length === 0,
    };
  } finally {
    await Promise.all([watched.stop(), plain.stop()]);
  }
}

function send(agent: Agent, port: number, method: string, path: string, body?: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ agent, port, host: "127.0.0.1", method, path }, (response) => {
      response
        .resume()
        .once("end", () => resolve(response.statusCode ?? 0))
        .once("error", reject);
    });
    sent.once("error", reject);
    sent.end(body);
  });
}
