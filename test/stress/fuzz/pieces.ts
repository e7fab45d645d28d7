/**
 * Pieces: requests that arrive in two halves or byte by byte, requests that never end, and clients that leave.
 *
 *   sound request ──▶ split at every byte ──▶ the responses that it gets whole
 *                 ──▶ cut at every byte, held ──▶ costs nothing ──▶ left, reset, or timed out ──▶ nothing is left
 */
import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { TLSSocket } from "node:tls";
import { block, frame, goaway, greeting, pseudo, requestBytes, statusesOf } from "../frames.ts";
import { each, grouped } from "../rows.ts";
import { dial, type Wire } from "../wires.ts";
import { percent, type Attack } from "./aim.ts";
import { exchanged, written } from "./exchange.ts";
import { everyByte, splitAt, type Input } from "./inputs.ts";

/** Valid connections, each with its own end, including methods that begin like the preface of HTTP/2. */
const samples = (wire: Wire, version: string): readonly Buffer[] => [
  requestBytes(wire, ["GET /r/text/1"]),
  requestBytes(wire, ["POST /echo [1]"]),
  requestBytes(wire, ["PUT /upload 12", "GET /r/stream/2"]),
  wire.isHttp2 ? split(version) : chunked,
  requestBytes(wire, ["PROPFIND /", 'QUERY /echo?a=1 "x"', "PATCH /", "HEAD /nowhere"]),
];

const chunked = Buffer.from(
  "GET /canary HTTP/1.1\r\nHost: a\r\n\r\nPOST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n" +
    "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n1;x=y\r\n[\r\n2\r\n1]\r\n0\r\nX-T: 1\r\n\r\n",
);

/**
 * Two requests, the head of one in three frames with padding and a priority, the body of the other in two. The parser of
 * Node 20 counts the pieces of a CONTINUATION as frames and soon has too many, so there the head is one frame.
 */
function split(version: string): Buffer {
  const [get, put] = [block(pseudo("GET", "/canary")), block(pseudo("PUT", "/upload"))];
  const padded = (part: Buffer): Buffer => Buffer.concat([Buffer.from([3, 0, 0, 0, 0, 9]), part, Buffer.alloc(3)]);
  const continued = [frame(9, 0, 1, get.subarray(5, 9)), frame(9, 4, 1, get.subarray(9))];
  const heads = version.startsWith("20.")
    ? [frame(1, 0x2d, 1, padded(get))]
    : [frame(1, 0x29, 1, padded(get.subarray(0, 5))), ...continued];
  const body = [
    frame(1, 4, 3, put),
    frame(8, 0, 0, Buffer.from([0, 0, 1, 0])),
    frame(0, 0, 3, Buffer.from("P")),
    frame(0, 1, 3, Buffer.from("RI")),
  ];
  return Buffer.concat([greeting, ...heads, ...body, goaway]);
}

/** Every sample in two pieces, at every byte, and byte by byte. */
export const pieces: Attack = async ({ wire, settings, subject }) => {
  const wrong: string[] = [];
  let sent = 0;
  const ask = async (input: Input): Promise<string> => {
    const responses = await exchanged(wire, subject.port, input, { quietMs: 10_000, isPatient: true });
    return statusesOf(wire, responses).join();
  };
  for (const [at, whole] of samples(wire, settings.version)
    .slice(0, settings.fast ? 4 : undefined)
    .entries()) {
    const expected = await ask([whole]);
    if (expected === "") wrong.push(`sample ${at} gets no response`);
    const inputs = [everyByte(whole), ...Array.from(whole, (_, byte) => splitAt(whole, byte))];
    await each(inputs, 24, async (input) => {
      sent += 1;
      const responses = await ask(input);
      if (responses !== expected)
        wrong.push(`sample ${at}, ${input.length} pieces, first ${input[0]?.length}: ${responses}, not ${expected}`);
    });
  }
  return {
    figure:
      `${grouped(sent)} connections in pieces, ${wrong.length} with another outcome than whole ${wrong.slice(0, 3).join("; ")}`.trimEnd(),
    target: "0 otherwise",
    met: wrong.length === 0 && sent > 100,
  };
};

/** Every sample cut at every byte: all of them open together, then a third leave, a third reset, a third time out. */
export const held: Attack = async ({ wire, settings, subject }) => {
  const wholes = samples(wire, settings.version).slice(0, settings.fast ? 4 : undefined);
  // The shortest come last, so that their cost falls into the observed second.
  const cuts = wholes.flatMap((whole) => Array.from(whole, (_, at) => whole.subarray(0, at)));
  const sockets: Socket[] = [];
  await each(
    cuts.toSorted((a, b) => b.length - a.length),
    50,
    async (cut) => {
      const socket = dial(wire, subject.port).resume();
      sockets.push(socket);
      await written(socket, [cut]);
    },
  );
  await subject.ask("turn"); // On a busy machine the subject has not read them yet.
  const share = await subject.idleShare(10);
  for (const [at, socket] of sockets.entries()) if (at % 3 < 2) (at % 3 === 0 ? leave.close : leave.reset)(socket);
  const { connections } = await subject.stateWhen((state) => state.connections === 0);
  for (const socket of sockets) socket.destroy();
  return {
    figure: `${grouped(cuts.length)} unfinished connections open at once: ${percent(share)} of a core, ${connections} left in the end`,
    target: "less than 20 %, 0 left",
    met: share < 0.2 && connections === 0 && cuts.length > 100,
  };
};

const targets =
  "/r/text/1 /r/json/2 /r/fail/3 /r/slow/4 /r/stream/5 /big /events /health /framework/dev/api/stream".split(" ");

/** Clients that leave after this many bytes of a response, or after 60 ms; 0 is immediately. */
export const disconnects: Attack = async ({ wire, settings, subject }) => {
  const rounds = Array.from({ length: settings.amount(20, 2) }, () => Object.values(leave));
  const ways = rounds.flat().flatMap((how) => [0, 1, 100, 10_000].map((moment) => ({ how, moment })));
  const cases = ways.flatMap((way) => targets.map((target) => ({ ...way, target })));
  const before = await subject.ask("state");
  await each(cases, 16, async ({ target, moment, how }) => {
    const socket = dial(wire, subject.port);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await written(socket, [requestBytes(wire, [`GET ${target}`], wire.isHttp2)]);
    const enough = new AbortController();
    socket.on("data", () => socket.bytesRead >= moment && enough.abort());
    if (moment > 0) await setTimeout(60, undefined, enough).catch(() => undefined);
    how(socket);
    await Promise.race([closed, setTimeout(200)]);
    socket.destroy();
  });
  const isOver = (now: typeof before): boolean => now.connections + now.streams + now.unlogged === 0;
  const { connections, streams, entered, unlogged } = await subject.stateWhen(isOver);
  return {
    figure: `${grouped(cases.length)} left, ${grouped(entered.count - before.entered.count)} of them handled: ${unlogged} without a log line, ${connections} connections and ${streams} streams left`,
    target: "0 without, 0 left",
    met: unlogged + connections + streams === 0 && entered.count > before.entered.count,
  };
};

/** Ways to leave. Over HTTP/1.1 the last one is garbage after a request. A TLS socket has no reset. */
const leave: Readonly<Record<"close" | "half" | "reset" | "cancel", (socket: Socket) => void>> = {
  close: (socket) => void socket.destroy(),
  half: (socket) => void socket.end(),
  reset: (socket) => void (socket instanceof TLSSocket ? socket.destroy() : socket.resetAndDestroy()),
  cancel: (socket) => void socket.write(frame(3, 0, 1, Buffer.from([0, 0, 0, 8]))),
};
