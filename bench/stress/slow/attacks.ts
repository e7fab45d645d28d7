/**
 * Slow attacks: heads, bodies and readers that take for ever, all at once, while others use the app.
 *
 *   1,000 slow heads ─┐
 *   1,000 slow bodies ┼──▶ subject ◀── canary: must hardly notice
 *   200 slow readers ─┘       └── cuts each of them in time
 */
import { connect, type Socket } from "node:net";
import { Canary, isQuick, sighted } from "../canary.ts";
import { grouped, type Row } from "../rows.ts";
import type { Settings } from "../settings.ts";
import { SubjectProcess } from "../subject/child.ts";

const timeouts = { headersMs: 2_000, requestMs: 4_000, idleMs: 3_000, checkMs: 500 };
/** When each kind must have been cut: its timeout, the checking interval, a second, and another for a busy machine. */
const limits = { head: 4_500, body: 6_500, read: 2 * timeouts.idleMs + 2_000 } as const;

interface Attacker {
  readonly kind: keyof typeof limits;
  /** How long it lived, milliseconds; undefined when it was still alive at the end. */
  readonly lived: Promise<number | undefined>;
}

/** Measures a calm moment, then the attack. */
export async function attacks(settings: Settings): Promise<Row> {
  const scale = settings.fast ? 0.2 : 1;
  const counts = { head: 1_000 * scale, body: 1_000 * scale, read: 200 * scale };
  const subject = await SubjectProcess.start(settings, { timeouts });
  try {
    const calm = await Canary.start(subject.port);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const before = await calm.stop();
    const canary = await Canary.start(subject.port);
    const attackers = (["head", "body", "read"] as const).flatMap((kind) =>
      Array.from({ length: counts[kind] }, () => attack(subject.port, kind)),
    );
    const lives = await Promise.all(
      attackers.map(async ({ kind, lived }) => ((await lived) ?? Infinity) - limits[kind]),
    );
    const late = lives.filter((overdue) => overdue > 0).length;
    const during = await canary.stop();
    const { connections, unhandled } = await subject.state();
    const allowed = Math.max(2 * before.p99, 50);
    return {
      name: "slow attacks",
      figure:
        `${grouped(counts.head)} slow heads, ${grouped(counts.body)} slow bodies, ${counts.read} slow readers: ${late} cut late, ` +
        `${connections} connections left, ${unhandled.length} unhandled; ${sighted(during)}, calm ${before.p99.toFixed(1)} ms`,
      target: `0 cut late, 0 left, canary p99 <= max(2 x calm, 50 ms) and three times a bare server's, 0 failed`,
      met: late + connections + unhandled.length + during.failures === 0 && isQuick(during, allowed),
    };
  } finally {
    await subject.stop();
  }
}

function attack(port: number, kind: Attacker["kind"]): Attacker {
  const socket = connect(port, "127.0.0.1");
  const startedAt = performance.now();
  socket.on("error", () => undefined);
  const lived = new Promise<number | undefined>((resolve) => {
    const giveUp = setTimeout(() => {
      resolve(undefined);
      socket.destroy();
    }, limits[kind] + 5_000);
    socket.once("close", () => {
      clearTimeout(giveUp);
      resolve(performance.now() - startedAt);
    });
  });
  begin[kind](socket);
  return { kind, lived };
}

const begin: Readonly<Record<Attacker["kind"], (socket: Socket) => void>> = {
  head(socket) {
    socket.resume().write("GET /canary HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
    drip(socket);
  },
  body(socket) {
    socket
      .resume()
      .write(
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n",
      );
    drip(socket);
  },
  read(socket) {
    socket.write("GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n");
    // A paused socket learns of its end only by reading: it does, after the time in which it must have been cut.
    socket.pause();
    setTimeout(() => socket.resume(), limits.read - 1_000).unref();
  },
};

/** One byte every half second. */
function drip(socket: Socket): void {
  const timer = setInterval(() => socket.write("x"), 500);
  socket.once("close", () => clearInterval(timer));
}
