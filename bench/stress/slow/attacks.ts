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
import { bigBytes } from "../subject/routes.ts";

const timeouts = { headersMs: 2_000, requestMs: 4_000, idleMs: 3_000, checkMs: 500 };
/**
 * When each kind must have been cut: its timeout, the checking interval, a second, and another for a busy machine. For a
 * reader the idle time begins anew with each piece that the kernels' buffers still take, which is once or twice.
 */
const limits = { head: 4_500, body: 6_500, read: 3 * timeouts.idleMs + 2_000 } as const;

interface Attacker {
  readonly kind: keyof typeof limits;
  /** Was it cut in time? */
  readonly cut: Promise<boolean>;
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
    const cut = await Promise.all(attackers.map((attacker) => attacker.cut));
    const late = (["head", "body", "read"] as const).map(
      (kind) => attackers.filter((attacker, at) => attacker.kind === kind && cut[at] === false).length,
    );
    const lateAll = late.reduce((sum, count) => sum + count, 0);
    const during = await canary.stop();
    const { connections, unhandled } = await subject.state();
    const allowed = Math.max(2 * before.p99, 50);
    return {
      name: "slow attacks",
      figure:
        `${grouped(counts.head)} slow heads, ${grouped(counts.body)} slow bodies, ${counts.read} slow readers: ${late.join(" + ")} cut late, ` +
        `${connections} connections left, ${unhandled.length} unhandled; ${sighted(during)}, calm ${before.p99.toFixed(1)} ms`,
      target: `0 cut late, 0 left, canary p99 <= max(2 x calm, 50 ms) and three times a bare server's, 0 failed`,
      met: lateAll + connections + unhandled.length + during.failures === 0 && isQuick(during, allowed),
    };
  } finally {
    await subject.stop();
  }
}

function attack(port: number, kind: Attacker["kind"]): Attacker {
  const socket = connect(port, "127.0.0.1");
  const startedAt = performance.now();
  socket.on("error", () => undefined);
  const cut = new Promise<boolean>((resolve) => {
    const giveUp = setTimeout(() => {
      resolve(false);
      socket.destroy();
    }, limits[kind] + 10_000);
    socket.once("close", () => {
      clearTimeout(giveUp);
      // A reader that was cut while it slept gets what was on its way, never the whole; its end comes when TCP likes.
      const isInTime = performance.now() - startedAt <= limits[kind];
      resolve(kind === "read" ? socket.bytesRead < bigBytes : isInTime);
    });
  });
  begin[kind](socket);
  return { kind, cut };
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
    setTimeout(() => socket.resume(), limits.read).unref();
  },
};

/** One byte every half second. */
function drip(socket: Socket): void {
  const timer = setInterval(() => socket.write("x"), 500);
  socket.once("close", () => clearInterval(timer));
}
