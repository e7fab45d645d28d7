/**
 * Stopping: SIGTERM during requests in flight and with many kinds of stubborn clients; and repeated starts.
 */
import { requestBytes, statusesOf } from "../frames.ts";
import { grouped, type Figure } from "../rows.ts";
import type { Settings } from "../settings.ts";
import { SubjectProcess } from "../subject/child.ts";
import { Client, dial, getOnce, type Wire } from "../wires.ts";

const graceMs = 2_000;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * SIGTERM at 200 requests a second (in the short form 50), each 40 ms in flight. Requests sent before are served. Later ones may
 * not be.
 */
export async function stopUnderLoad(settings: Settings, wire: Wire): Promise<Figure> {
  let [failed, responded, isInTime] = [0, 0, true];
  const endings: string[] = [];
  for (let round = 0; round < (settings.fast ? 1 : 5); round += 1) {
    const subject = await SubjectProcess.start(settings, wire.engine, { shutdownGraceMs: graceMs });
    const leave = hold(wire, subject.port);
    const pipelined = dial(wire, subject.port);
    const chunks: Buffer[] = [];
    pipelined.on("data", (chunk) => void chunks.push(chunk));
    const { sent, stop } = steady(wire, subject.port, settings.fast ? 20 : 5);
    await pause(1_000);
    await keepsUp(sent);
    // Five requests in one packet on an existing connection. When a later one is read, these were read too, so they are in
    // flight.
    const five = ["GET /r/slow/1", "GET /r/slow/2", "GET /r/slow/3", "GET /r/slow/4", "GET /r/slow/5"] as const;
    await new Promise((written) => pipelined.write(requestBytes(wire, five), written));
    await getOnce(wire, subject.port, { path: "/canary" });
    await keepsUp(sent);
    const signalledAt = performance.now();
    subject.signal("SIGTERM");
    const ending = await subject.ended;
    const took = performance.now() - signalledAt;
    stop();
    leave();
    // A request written less than 20 ms before may not have been read by then.
    const owed = sent.filter(({ at }) => at < signalledAt - 20);
    const missing = 5 - statusesOf(wire, Buffer.concat(chunks)).filter((status) => status === "200").length;
    failed += owed.filter(({ isResponded }) => !isResponded).length + missing;
    responded += owed.length;
    isInTime &&= ending === 0 && took <= graceMs + 2_000;
    endings.push(`${ending} after ${Math.round(took)} ms`);
  }
  return {
    figure: `${grouped(responded)} requests before SIGTERM, ${failed} failed in flight; exit ${endings.join(", ")}`,
    target: `0 failed, exit 0 within ${graceMs + 2_000} ms with half-open, streaming, stalled and pipelining clients`,
    met: failed === 0 && isInTime && responded > 0,
  };
}

/**
 * Waits until the process keeps up. Connections during a busy phase are not accepted yet. The system resets them when the port
 * is closed, and no one can serve them.
 */
async function keepsUp(sent: readonly Sent[]): Promise<void> {
  const isLate = ({ at, isResponded }: Sent): boolean => !isResponded && at < performance.now() - 100;
  for (let tries = 0; tries < 1_000 && sent.some(isLate); tries += 1) await pause(10);
}

/** Clients that never finish on their own. The returned function makes them leave. */
function hold(wire: Wire, port: number): () => void {
  const open = (request: `${string} ${string}`): Buffer => requestBytes(wire, [request], true);
  const pieces = [
    open("POST /echo [1]").subarray(0, -2),
    open("GET /canary").subarray(0, 8),
    open("GET /canary").subarray(0, -5),
  ];
  const streams = [open("GET /events"), open("GET /framework/dev/api/stream")];
  const sockets = [Buffer.alloc(0), ...pieces, ...streams, open("GET /big")].map((bytes) => {
    const socket = dial(wire, port);
    socket.write(bytes);
    return bytes.includes("/big") ? socket.pause() : socket.resume();
  });
  return () => sockets.forEach((socket) => socket.destroy());
}

interface Sent {
  readonly at: number;
  isResponded: boolean;
}

function steady(wire: Wire, port: number, everyMs: number): { readonly sent: readonly Sent[]; stop(): void } {
  const client = new Client(wire, port, 32);
  const sent: Sent[] = [];
  const timer = setInterval(() => {
    const one: Sent = { at: performance.now(), isResponded: false };
    sent.push(one);
    void client.status({ path: `/r/slow/${sent.length}` }).then((status) => (one.isResponded = status === 200));
  }, everyMs);
  return {
    sent,
    stop() {
      clearInterval(timer);
      client.close();
    },
  };
}

/** A second SIGTERM ends a process that is still draining. */
export async function secondSignal(settings: Settings, wire: Wire): Promise<Figure> {
  const subject = await SubjectProcess.start(settings, wire.engine, { shutdownGraceMs: 10_000 });
  const leave = hold(wire, subject.port);
  await pause(300);
  subject.signal("SIGTERM");
  await pause(300);
  const wasDraining = !subject.hasEnded;
  const startedAt = performance.now();
  subject.signal("SIGTERM");
  await subject.ended;
  const took = performance.now() - startedAt;
  leave();
  return {
    figure: `${wasDraining ? "draining" : "ended already"}, then ended after ${Math.round(took)} ms`,
    target: "draining, then ended at once (2 s)",
    met: wasDraining && took < 2_000,
  };
}

/** An app that starts, serves and stops a hundred times in one process. */
export const cycles = (settings: Settings, wire: Wire): Promise<Figure> =>
  SubjectProcess.during(settings, wire.engine, {}, async (subject) => {
    const [before, after] = await subject.ask("cycle", wire, settings.fast ? 20 : 100);
    const figure = before === after ? "nothing more is open" : `before ${before}, after ${after}`;
    return { figure, target: "the same handles and listeners as before", met: before === after };
  });
