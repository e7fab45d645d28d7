/**
 * Fuzzed connections: most are formed well enough to pass the parser, each with some defect.
 *
 *   60 %  sound requests, odd contents        20 %  the same, one header, frame or the framing spoiled
 *   15 %  the same, some bytes changed, cut or doubled        5 %  noise
 *
 * A tenth of all is written byte by byte, another tenth in two pieces.
 */
import fc, { type GeneratorValue } from "fast-check";
import { block, frame, goaway, greeting, ping, type Line } from "../frames.ts";
import type { Wire } from "../wires.ts";
import { bodies, contentTypes, headers, methods, paths, payloads, queries } from "./vocabulary.ts";

/** The bytes of one connection, in the pieces in which they are written. */
export type Input = readonly Buffer[];

/** Choices, each from the seed. */
class Dice {
  readonly #draw: GeneratorValue;

  constructor(draw: GeneratorValue) {
    this.#draw = draw;
  }

  below = (limit: number): number => this.#draw(natBelow, limit);
  chance = (percent: number): boolean => this.below(100) < percent;
  pick = <T>(list: readonly T[]): T => list[this.below(list.length)] as T;
  few = <T>(limit: number, make: () => T): T[] => Array.from({ length: this.below(limit) }, make);
}
/** Uniform, since `fc.nat` prefers the ends. */
const natBelow = (limit: number): fc.Arbitrary<number> => fc.noBias(fc.nat(limit - 1));

/** Connections for a wire. */
export const inputs = ({ isHttp2 }: Wire): fc.Arbitrary<Input> =>
  fc.gen().map((draw) => {
    const dice = new Dice(draw);
    const kind = dice.below(100);
    const make = isHttp2 ? http2 : http1;
    const whole =
      kind >= 95 ? noise(dice, isHttp2) : kind >= 80 ? mutated(dice, make(dice, false)) : make(dice, kind < 60);
    const manner = dice.below(10);
    if (manner === 0) return everyByte(whole);
    return manner === 1 ? splitAt(whole, dice.below(whole.length + 1)) : [whole];
  });

/** In two pieces. */
export const splitAt = (whole: Buffer, at: number): Input => [whole.subarray(0, at), whole.subarray(at)];

/** One byte at a time for the first few hundred, the rest in one piece. */
export const everyByte = (whole: Buffer): Input => [
  ...Array.from(whole.subarray(0, 300), (byte) => Buffer.from([byte])),
  whole.subarray(300),
];

/** Lines that the parser accepts, for any interpretation by the application. */
const harmless = headers.filter(
  (line) => /^[A-Za-z_-]+: [^\0]*$/.test(line) && !/^(host|content-length|transfer-encoding|x-long|expect)/i.test(line),
);

/** The list of traces is megabytes, so it is rare; else the run would measure nothing else. */
function targetOf(dice: Dice, isSound: boolean): string {
  const path = dice.below(500) === 0 ? "/framework/dev/api/requests" : dice.pick(paths);
  const target = path + dice.pick(queries);
  return isSound ? target.replace(/^[^/]*|[^!-~]|#/g, "") || "/" : target;
}

/** One request, or several pipelined. */
function http1(dice: Dice, isSound: boolean): Buffer {
  const count = dice.chance(10) ? 1 + dice.below(4) : 1;
  return Buffer.from(Array.from({ length: count }, () => request(dice, isSound)).join(""), "latin1");
}

function request(dice: Dice, isSound: boolean): string {
  const version =
    isSound || dice.chance(80) ? "HTTP/1.1" : dice.pick(["HTTP/1.0", "HTTP/2.0", "HTTP/0.9", "HTTP/1.1.1", ""]);
  const method = dice.pick(methods.slice(0, isSound ? 12 : undefined));
  const lines = [`${method} ${targetOf(dice, isSound)} ${version}`.trimEnd()];
  if (isSound || dice.chance(80))
    lines.push(`Host: ${dice.pick(["localhost", "localhost:80", "evil.test", "[::1]", "127.0.0.1"])}`);
  lines.push(...dice.few(5, () => dice.pick(isSound ? harmless : headers)));
  if (dice.chance(2)) lines.push(...Array.from({ length: 120 }, (_, i) => `X-${i}: ${i}`));
  if (dice.chance(80)) lines.push(`Content-Type: ${dice.pick(contentTypes)}`);
  const [framing, body] = framed(dice, Buffer.from(dice.pick(bodies), "latin1").toString("latin1"), isSound);
  return `${[...lines, ...framing].join("\r\n")}\r\n\r\n${body}`;
}

function framed(dice: Dice, body: string, isSound: boolean): readonly [readonly string[], string] {
  if (dice.chance(30)) return [[], ""];
  const isFine = (percent: number): boolean => isSound || dice.chance(percent);
  if (dice.chance(70))
    return [[`Content-Length: ${isFine(80) ? body.length : body.length + dice.below(20) - 10}`], body];
  const size = isFine(70)
    ? body.length.toString(16)
    : dice.pick(["-1", "ffffffffffffffffff", "0x5", "", "5 ;a=b", "zz"]);
  const end = isFine(70) ? "0\r\n\r\n" : dice.pick(["", "0\r\nX-T: 1\r\n\r\n", "0\n\n", "00\r\n"]);
  return [["Transfer-Encoding: chunked"], body === "" ? end : `${size}\r\n${body}\r\n${end}`];
}

/** One request, or three together, followed by a PING. */
function http2(dice: Dice, isSound: boolean): Buffer {
  const requests = (dice.chance(60) ? [1] : [1, 3, 5]).map((stream) => exchange(dice, stream, isSound));
  return Buffer.concat([greeting, ...requests, ping, ...(dice.chance(1) ? [goaway] : [])]);
}

/** Its head in one frame or two, its body in two, and possible frames between them. */
function exchange(dice: Dice, stream: number, isSound: boolean): Buffer {
  const head = fields(dice, isSound);
  const body = dice.chance(60) ? undefined : Buffer.from(dice.pick(bodies), "latin1").subarray(0, 16_384);
  const end = body === undefined ? 1 : 0;
  const [cut, at] = [dice.below(head.length), dice.below((body?.length ?? 0) + 1)];
  const heads = dice.chance(80)
    ? [frame(1, 4 + end, stream, head)]
    : [frame(1, end, stream, head.subarray(0, cut)), frame(9, 4, stream, head.subarray(cut))];
  const others = isSound ? [] : dice.few(4, () => odd(dice, stream));
  const data =
    body === undefined ? [] : [frame(0, 0, stream, body.subarray(0, at)), frame(0, 1, stream, body.subarray(at))];
  return Buffer.concat([...heads, ...others, ...data]);
}

/** A head: valid, or with lines that HTTP/2 does not allow, or without a required one. */
function fields(dice: Dice, isSound: boolean): Buffer {
  const lines = dice
    .few(5, () => dice.pick(isSound ? harmless : headers))
    .map((text): Line => {
      const [, name = "", value = ""] = /^([^:]*):? ?([^]*)$/.exec(text) ?? [];
      return [isSound || dice.chance(90) ? name.toLowerCase() : name, value.trim()];
    });
  const isAllowed = ([name, value]: Line): boolean =>
    !/^(connection|upgrade|te|__proto__)$/.test(name) && !/[\r\n]/.test(value);
  const method = dice.pick(methods.slice(0, isSound ? 12 : undefined));
  const pseudo: Line[] = [
    [":method", method],
    [":scheme", "http"],
    [":authority", "localhost"],
    [":path", targetOf(dice, isSound)],
  ];
  if (isSound) return block([...pseudo, ...lines.filter(isAllowed), ["content-type", dice.pick(contentTypes)]]);
  if (dice.chance(20)) pseudo.splice(dice.below(4), 1, ...lines.slice(0, 1));
  return block(dice.chance(90) ? [...pseudo, ...lines] : [...lines, ...pseudo]);
}

/** Any frame: every type, including unknown ones, on an invalid stream, with a payload that may not match. */
const odd = (dice: Dice, stream: number): Buffer =>
  frame(
    dice.pick([0, 1, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10, 255]),
    dice.chance(80) ? dice.pick([0, 1, 4, 5, 8, 32]) : dice.below(256),
    dice.chance(90) ? dice.pick([0, stream, stream, stream + 2, 2]) : dice.below(2 ** 31),
    dice.chance(60) ? dice.pick(payloads) : Buffer.from(dice.few(40, () => dice.below(256))),
  );

/** Bytes changed, cut, inserted or doubled. */
function mutated(dice: Dice, original: Buffer): Buffer {
  let result = original;
  for (let i = dice.below(3); i >= 0; i -= 1) {
    const at = dice.below(Math.max(1, result.length));
    const [before, after] = splitAt(result, at) as [Buffer, Buffer];
    const byte = Buffer.from([dice.below(256)]);
    const ways = [
      [before],
      [before, byte, after.subarray(1)],
      [before, byte, after],
      [before, result.subarray(dice.below(at + 1), at), after],
    ];
    result = Buffer.concat(dice.pick(ways));
  }
  return result;
}

const noise = (dice: Dice, isHttp2: boolean): Buffer =>
  Buffer.concat([...(isHttp2 ? [greeting] : []), Buffer.from(dice.few(200, () => dice.below(256)))]);
