/**
 * Properties of WebSocket frames, on a real server: it reacts to any client as RFC 6455 requires, and survives.
 *
 *   frames, valid or not, in any pieces ──▶ server ──▶ echoes, pongs, a close code      as the rule below has it
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isUtf8 } from "node:buffer";
import fc from "fast-check";
import { created, until } from "../testing/harness.testkit.ts";
import {
  closing,
  frame,
  handshake,
  opened,
  rawSocket,
  type ServerFrame,
} from "../testing/web-socket-client.testkit.ts";
import { webSocket } from "./index.ts";

const numRuns = Number(process.env["FC_RUNS"] ?? 60);
const maxMessageBytes = 1_000;
const { app, errors, warnings } = created();
const ends: number[] = [];
app.ws(
  "/ws",
  webSocket({
    maxMessageBytes,
    message: (socket, message) => void socket.send(message),
    close: (_socket, code) => void ends.push(code),
  }),
);
before(() => app.start(0));
after(() => app.stop({ graceMs: 50 }));

/** A frame before it is written. */
interface Sent {
  readonly opcode: number;
  readonly payload: Buffer;
  readonly fin: boolean;
  readonly mask: boolean;
  readonly rsv: number;
}

const text = fc.oneof(fc.string({ unit: "grapheme", maxLength: 20 }), fc.constantFrom("", "\ufeff", "é".repeat(300)));
const bytes = fc.oneof(
  text.map((one) => Buffer.from(one)),
  fc.uint8Array({ maxLength: 20 }).map((list) => Buffer.from(list)),
  fc.constantFrom(125, 126, 600, maxMessageBytes, maxMessageBytes + 1).map((length) => Buffer.alloc(length, "a")),
  fc.constantFrom(maxMessageBytes, maxMessageBytes + 1).map((length) => Buffer.alloc(length, "a")),
);
const rarely = <T>(usual: T, ...odd: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 30, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...odd) });
const data: fc.Arbitrary<Sent> = fc.record({
  opcode: fc.oneof({ weight: 12, arbitrary: fc.constantFrom(0, 0, 1, 2) }, { weight: 1, arbitrary: fc.nat(15) }),
  payload: bytes,
  fin: fc.constantFrom(true, true, false),
  mask: rarely(true, false),
  rsv: rarely(0, 1, 2, 4),
});
const control: fc.Arbitrary<Sent> = fc.record({
  opcode: fc.constantFrom(9, 9, 10),
  payload: fc.oneof(
    text.map((one) => Buffer.from(one).subarray(0, 125)),
    rarely(Buffer.from("x"), Buffer.alloc(126)),
  ),
  fin: rarely(true, false),
  mask: rarely(true, false),
  rsv: rarely(0, 4),
});
const code = fc.oneof(fc.constantFrom(1000, 1001, 1005, 1006, 1011, 1015, 999, 3000, 4999, 5000), fc.nat(65_535));
const close: fc.Arbitrary<Sent> = fc
  .oneof(
    code.map(closing),
    fc.tuple(code, text).map(([number, reason]) => Buffer.concat([closing(number), Buffer.from(reason)])),
    fc.constantFrom(Buffer.alloc(0), Buffer.alloc(1), Buffer.from([3, 232, 0xff])),
  )
  .map((payload) => ({ opcode: 8, payload: payload.subarray(0, 126), fin: true, mask: true, rsv: 0 }));
const conversation = fc.array(
  fc.oneof({ weight: 6, arbitrary: data }, { weight: 3, arbitrary: control }, { weight: 1, arbitrary: close }),
  { maxLength: 8 },
);

/** Codes that may be in a frame (RFC 6455 §7.4). */
const isCode = (number: number): boolean =>
  (number >= 1000 && number <= 1014 && ![1004, 1005, 1006].includes(number)) || (number >= 3000 && number <= 4999);

/** The expected reaction to these frames, up to the close: echoes and pongs in order, then the code of its close. */
function rule(frames: readonly Sent[]): { readonly said: readonly ServerFrame[]; readonly codes: readonly number[] } {
  const said: ServerFrame[] = [];
  const ended = (...codes: readonly number[]) => ({ said, codes });
  let parts: Buffer[] | undefined;
  let kind = 0;
  for (const { opcode, payload, fin, mask, rsv } of frames) {
    const isControl = opcode >= 8;
    if (rsv !== 0 || !mask || ![0, 1, 2, 8, 9, 10].includes(opcode)) return ended(1002);
    if (isControl && (!fin || payload.length > 125)) return ended(1002);
    if (opcode === 8) {
      if (payload.length === 0) return ended(1005);
      const number = payload.length < 2 ? 0 : payload.readUInt16BE(0);
      if (!isCode(number)) return ended(1002);
      return isUtf8(payload.subarray(2)) ? ended(number) : ended(1007);
    }
    if (opcode === 9) said.push({ opcode: 10, payload });
    if (isControl) continue;
    if ((opcode === 0) !== (parts !== undefined)) return ended(1002);
    if (opcode !== 0) kind = opcode;
    parts = [...(parts ?? []), payload];
    const message = Buffer.concat(parts);
    if (message.length > maxMessageBytes) return ended(1009);
    if (!fin) continue;
    if (kind === 1 && !isUtf8(message)) return ended(1007);
    said.push({ opcode: kind, payload: message });
    parts = undefined;
  }
  return ended();
}

const written = ({ opcode, payload, ...how }: Sent): Buffer => frame(opcode, payload, how);

/** Has the test's own ping come back? It comes after everything else. */
const last = Buffer.from("the last one");

async function talk(frames: readonly Sent[], cuts: readonly number[]): Promise<readonly ServerFrame[]> {
  const whole = Buffer.concat([...frames.map(written), frame(9, last)]);
  const raw = await rawSocket(app.port, handshake("/ws"), cuts.length === 0 ? whole : undefined);
  const places = [0, ...cuts.map((share) => Math.floor(share * whole.length)).toSorted((a, b) => a - b), whole.length];
  if (cuts.length > 0)
    for (const [at, from] of places.slice(0, -1).entries()) {
      if (raw.socket.destroyed) break;
      raw.socket.write(whole.subarray(from, places[at + 1]));
      await new Promise(setImmediate);
    }
  let isOver = false;
  void raw.ended.then(() => (isOver = true));
  await until(() => isOver || raw.frames().some(({ opcode, payload }) => opcode === 8 || payload.equals(last)));
  const said = raw.frames().filter(({ payload }) => !payload.equals(last));
  raw.socket.destroy();
  return said;
}

const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { maxLength: 6 });

describe("a WebSocket", () => {
  test("reacts to any frames as RFC 6455 requires, for any split into pieces", async () => {
    const before = ends.length;
    let talks = 0;
    await fc.assert(
      fc.asyncProperty(conversation, cuts, async (frames, cuts) => {
        talks += 1;
        const said = await talk(frames, cuts);
        const { said: expected, codes } = rule(frames);
        const [closed, ...more] = said.filter(({ opcode }) => opcode === 8);
        assert.deepEqual(more, []);
        const number =
          closed === undefined ? undefined : closed.payload.length < 2 ? 1005 : closed.payload.readUInt16BE(0);
        assert.deepEqual(
          [number].flatMap((one) => one ?? []),
          codes,
        );
        assert.deepEqual(
          said.filter(({ opcode }) => opcode !== 8),
          expected,
        );
      }),
      { numRuns },
    );
    await until(() => ends.length === before + talks);
    assert.deepEqual([errors, warnings], [[], []]);
    const { socket, got } = await opened(`ws://127.0.0.1:${app.port}/ws`);
    socket.send("still there");
    assert.deepEqual(await got(1), ["still there"]);
    socket.terminate();
  });
});
