/**
 * Slow attacks: openings, heads, bodies and readers that never finish, all together, while others use the app.
 *
 *     200 silent, 200 half opened: of a ClientHello, a handshake, a preface
 *   1,000 slow heads ──┐
 *   1,000 slow bodies ─┼──▶ subject ◀── canary: must hardly notice
 *   500 slow uploads ──┤       └── cuts each of them in time
 *   200 slow readers ──┘   60 over TLS and by app.fetch
 */
import { once } from "node:events";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { allowedMs, canary, isQuick, canaryText } from "../canary.ts";
import { block, frame, framesOf, greeting, pseudo, requestBytes, statusesOf } from "../frames.ts";
import { grouped, type Figure } from "../rows.ts";
import type { Settings } from "../settings.ts";
import { SubjectProcess } from "../subject/child.ts";
import { dial, getOnce, type Wire } from "../wires.ts";

const timeouts = { headersMs: 2_000, requestMs: 3_000, idleMs: 2_000, checkMs: 500 };
/**
 * When each kind must have been cut: its timeout, the checking interval twice, a second, and three more for a busy machine.
 * For a reader the idle time restarts with each piece that the kernels' buffers still accept, which happens once or twice.
 */
const limits = {
  silent: 8_000,
  opening: 8_000,
  head: 8_000,
  body: 9_000,
  upload: 9_000,
  read: 3 * timeouts.idleMs + 5_000,
} as const;
type Kind = keyof typeof limits;
const kinds: readonly Kind[] = ["silent", "opening", "head", "body", "upload", "read"];

/** All attacks together. */
export async function slowAttacks(settings: Settings, wire: Wire): Promise<Figure> {
  const scale = settings.fast ? 0.05 : 1;
  // TLS encrypts a response before its first byte waits, and a web Response copies it. Many readers would measure only that.
  const isCostly = wire.engine === "fetch" || (wire.engine === "tls" && !wire.isHttp2);
  const readers = isCostly ? 60 : 200;
  const begun = { silent: 200 * scale, opening: 200 * scale, head: 1_000 * scale };
  const counts = { ...begun, body: 1_000 * scale, upload: 500 * scale, read: readers * scale };
  return await SubjectProcess.during(settings, wire.engine, { timeouts }, async (subject) => {
    const stopCanary = await canary(wire, subject.port);
    const { attackers, sleepers } = await attackedBy(wire, subject.port, counts);
    await pause(sleepers.length > 0 ? limits.read : 0);
    const late = (await Promise.all(attackers)).map((cut) => cut.filter((isInTime) => !isInTime).length);
    const seen = await stopCanary();
    const { connections, unhandled } = await subject.stateWhen((state) => state.connections === 0);
    const served = sleepers.filter((socket) => socket.bytesRead > 0).length;
    for (const socket of sleepers) socket.destroy();
    const wrong = connections + unhandled.length + seen.failures + sleepers.length - served;
    const bad = late.reduce((sum, count) => sum + count, wrong);
    return {
      figure:
        `${counts.silent} silent, ${counts.opening} half opened, ${grouped(counts.head)} slow heads, ` +
        `${grouped(counts.body)} slow bodies, ${counts.upload} slow uploads, ` +
        `${counts.read} slow readers: ${late.join(" + ")} cut late, ` +
        `${sleepers.length > 0 ? `${served} responses begun, ` : ""}${connections} connections left, ` +
        `${unhandled.length} unhandled; ${canaryText(seen)}`,
      target: `0 cut late, ${sleepers.length > 0 ? "all begun, " : ""}0 left, canary <= ${allowedMs(settings)} ms and three times a bare server's, 0 failed`,
      met: bad === 0 && isQuick(seen, settings),
    };
  });
}

/**
 * A server's backlog of unaccepted connections holds 511 (Node's default). More wait for seconds. A TLS handshake counts towards
 * `headersMs` and costs both sides milliseconds, so with more of them some would be cut for being late, and the canary would
 * only measure the handshakes in front of its own.
 */
const atOnce = ({ engine }: Wire): number => (engine === "tls" ? 50 : 400);

/**
 * Opens them all, a limited number in parallel, and resolves with the result of each kind. A reader over HTTP/1.1 sleeps: its
 * response begins, then it does not see that it was cut, and its kernel may hold the whole response. For those, only the
 * server's remaining connections show the result.
 */
async function attackedBy(
  wire: Wire,
  port: number,
  counts: Readonly<Record<Kind, number>>,
): Promise<{ readonly attackers: readonly Promise<readonly boolean[]>[]; readonly sleepers: readonly Socket[] }> {
  const attackers: Record<Kind, Promise<boolean>[]> = {
    silent: [],
    opening: [],
    head: [],
    body: [],
    upload: [],
    read: [],
  };
  const sleepers: Socket[] = [];
  const openings = await openingsOf(wire);
  let dialed = 0;
  for (const kind of kinds)
    for (let number = 0; number < counts[kind]; number += 1) {
      const opening = openings[number % openings.length] ?? Buffer.of();
      const sent = { silent: [Buffer.of()] as const, opening: [opening] as const, ...beginnings(wire) };
      if (kind === "read" && !wire.isHttp2) sleepers.push(await asleep(wire, port));
      else attackers[kind].push(attack(wire, port, kind, sent[kind]));
      dialed += 1;
      // The backlog is served in order, so a response here means that all earlier connections are accepted.
      if (dialed % atOnce(wire) === 0) await getOnce(wire, port, { path: "/canary" });
    }
  return { attackers: kinds.map((kind) => Promise.all(attackers[kind])), sleepers };
}

/**
 * Requests much and reads none of it, after its handshake. A server that encrypts many responses has no time for the
 * handshakes of others, and cuts them.
 */
async function asleep(wire: Wire, port: number): Promise<Socket> {
  const socket = dial(wire, port);
  if (wire.engine === "tls") await once(socket, "secureConnect").catch(() => undefined);
  socket.write(beginnings(wire).read[0]);
  return socket;
}

/** Was it cut in time: its connection closed, or over HTTP/2 its request rejected or reset? */
function attack(wire: Wire, port: number, kind: Kind, [first, drop]: Beginning): Promise<boolean> {
  const isRaw = kind === "silent" || kind === "opening";
  const socket = dial(isRaw ? { ...wire, engine: "http1" } : wire, port);
  let startedAt = performance.now();
  socket.once("connect", () => (startedAt = performance.now()));
  if (first.length > 0) socket.write(first);
  const drip = setInterval(() => drop !== undefined && socket.write(drop), 500);
  const giveUp = setTimeout(() => socket.destroy(), limits[kind] + 10_000);
  if (wire.isHttp2) {
    let received = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      const isReset = framesOf(received).some(({ type }) => type === 3 || type === 7);
      if (isReset || statusesOf(wire, received).some((status) => status !== "200")) socket.destroy();
    });
  } else socket.resume();
  socket.once("end", () => socket.destroy());
  return new Promise((resolve) => {
    socket.once("close", () => {
      clearInterval(drip);
      clearTimeout(giveUp);
      resolve(performance.now() - startedAt <= limits[kind]);
    });
  });
}

/** The first bytes of a connection, after which the client stops. With TLS they are those of a ClientHello. */
async function openingsOf({ engine, isHttp2 }: Wire): Promise<readonly Buffer[]> {
  if (engine !== "tls") return isHttp2 ? [greeting.subarray(0, 2), greeting.subarray(0, 10)] : [Buffer.from("GE")];
  const pipe = new Duplex({
    read: () => undefined,
    write: (bytes, _encoding, done) => (pipe.emit("flight", bytes), done()),
  });
  const flight = once(pipe, "flight") as Promise<[Buffer]>;
  const client = connectTls({ socket: pipe, ALPNProtocols: [isHttp2 ? "h2" : "http/1.1"] });
  client.on("error", () => undefined);
  const [hello] = await flight;
  client.destroy();
  return [hello.subarray(0, 3), hello];
}

/** The first bytes of an attacker, and the bytes that follow every half second. */
type Beginning = readonly [first: Buffer, drop?: Buffer];

/** The bytes of each kind that sends at least part of a request. */
function beginnings(wire: Wire): Readonly<Record<Exclude<Kind, "silent" | "opening">, Beginning>> {
  const body = [...pseudo("POST", "/echo"), ["content-type", "application/json"]] as const;
  const form = [...pseudo("POST", "/e/form"), ["content-type", "multipart/form-data; boundary=x"]] as const;
  const [head, x] = [requestBytes(wire, ["GET /canary"], true), Buffer.from("x")];
  const posted = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n";
  const part = Buffer.from('--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n');
  const uploaded = posted.replace("/echo", "/e/form").replace("application/json", "multipart/form-data; boundary=x");
  return {
    head: wire.isHttp2
      ? [Buffer.concat([greeting, frame(1, 4, 1, Buffer.alloc(1_000)).subarray(0, 20)]), x]
      : [Buffer.concat([head.subarray(0, -2), Buffer.from("X-Slow: ")]), x],
    body: wire.isHttp2
      ? [Buffer.concat([greeting, frame(1, 4, 1, block(body))]), frame(0, 0, 1, x)]
      : [Buffer.from(posted), x],
    upload: wire.isHttp2
      ? [Buffer.concat([greeting, frame(1, 4, 1, block(form)), frame(0, 0, 1, part)]), frame(0, 0, 1, x)]
      : [Buffer.concat([Buffer.from(uploaded), part]), x],
    // Over HTTP/2 no sleep is needed: without a window a client gets only the first bytes.
    read: [requestBytes(wire, ["GET /big"], true)],
  };
}
