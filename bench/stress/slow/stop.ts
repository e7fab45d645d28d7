/**
 * Stopping: SIGTERM while requests are in flight and clients of every awkward kind hold on.
 */
import { Agent, get } from "node:http";
import { connect, type Socket } from "node:net";
import { grouped, type Row } from "../rows.ts";
import type { Settings } from "../settings.ts";
import { SubjectProcess } from "../subject/child.ts";

const graceMs = 2_000;

/** A request of the steady load. */
interface Sent {
  readonly at: number;
  isAnswered: boolean;
}

/** SIGTERM at 200 requests a second, each 40 ms in flight: those that were sent before are answered, the rest may not be. */
export async function stopUnderLoad(settings: Settings): Promise<Row> {
  const rounds = settings.fast ? 2 : 5;
  let failed = 0;
  let answered = 0;
  const endings: string[] = [];
  let isInTime = true;
  for (let round = 0; round < rounds; round += 1) {
    const subject = await SubjectProcess.start(settings, { shutdownGraceMs: graceMs });
    const awkward = hold(subject.port);
    const pipelined = pipeline(subject.port);
    const { sent, stop } = steady(subject.port);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    pipelined.send();
    await new Promise((resolve) => setTimeout(resolve, 30));
    const signalledAt = performance.now();
    subject.signal("SIGTERM");
    const { code, signal } = await subject.ended;
    const took = performance.now() - signalledAt;
    stop();
    for (const socket of awkward) socket.destroy();
    // What was written less than 20 ms before may not have been read by then.
    const owed = sent.filter(({ at }) => at < signalledAt - 20);
    failed += owed.filter(({ isAnswered }) => !isAnswered).length + pipelined.missing();
    answered += owed.length;
    isInTime &&= code === 0 && took <= graceMs + 500;
    endings.push(`${code ?? signal} after ${Math.round(took)} ms`);
  }
  return {
    name: "stop under load",
    figure: `${grouped(answered)} requests before SIGTERM, ${failed} failed in flight; exit ${endings.join(", ")}`,
    target: `0 failed, exit 0 within ${graceMs + 500} ms with half-open, streaming, stalled and pipelining clients`,
    met: failed === 0 && isInTime && answered > 0,
  };
}

/** Clients that never finish by themselves. */
function hold(port: number): readonly Socket[] {
  const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  return [
    "",
    "GET / HT",
    "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
    request("/events"),
    request("/framework/dev/api/stream"),
    request("/big"),
  ].map((bytes) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    if (bytes.includes("/big")) socket.pause();
    else socket.resume();
    return socket.on("error", () => undefined);
  });
}

/** Five requests in one packet: all of them are in flight when the signal comes. */
function pipeline(port: number): { send(): void; missing(): number } {
  const count = 5;
  let text = "";
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined).on("data", (chunk) => (text += chunk.toString("latin1")));
  const requests = Array.from(
    { length: count },
    (_, index) => `GET /r/slow/${index} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  );
  return {
    send: () => void socket.write(requests.join("")),
    missing: () => count - (text.match(/HTTP\/1\.1 200/g)?.length ?? 0),
  };
}

function steady(port: number): { readonly sent: readonly Sent[]; stop(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const sent: Sent[] = [];
  const timer = setInterval(() => {
    const one: Sent = { at: performance.now(), isAnswered: false };
    sent.push(one);
    get({ agent, port, host: "127.0.0.1", path: `/r/slow/${sent.length}` }, (response) => {
      response.resume().once("end", () => (one.isAnswered = response.statusCode === 200));
      response.once("error", () => undefined);
    }).on("error", () => undefined);
  }, 5);
  return {
    sent,
    stop() {
      clearInterval(timer);
      agent.destroy();
    },
  };
}

/** A second SIGTERM ends a process that is still draining. */
export async function secondSignal(settings: Settings): Promise<Row> {
  const subject = await SubjectProcess.start(settings, { shutdownGraceMs: 10_000 });
  const [socket] = hold(subject.port).slice(-1);
  await new Promise((resolve) => setTimeout(resolve, 300));
  subject.signal("SIGTERM");
  await new Promise((resolve) => setTimeout(resolve, 300));
  const wasDraining = !subject.hasEnded;
  const startedAt = performance.now();
  subject.signal("SIGTERM");
  await subject.ended;
  const took = performance.now() - startedAt;
  socket?.destroy();
  return {
    name: "second SIGTERM",
    figure: `${wasDraining ? "draining" : "ended already"}, then ended after ${Math.round(took)} ms`,
    target: "draining, then ended at once (500 ms)",
    met: wasDraining && took < 500,
  };
}
