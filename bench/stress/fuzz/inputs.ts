/**
 * Fuzzed requests: most of them well enough formed to pass the parser, each spoiled in some way.
 *
 *   60 %  a sound head, odd contents          20 %  the same, one header or the framing spoiled
 *   15 %  the same, some bytes changed, cut or doubled       5 %  noise
 */
import type { Random } from "../prng.ts";
import { bodies, contentTypes, headers, methods, paths, queries } from "./vocabulary.ts";

/** The bytes of one fuzzed connection: one request, or several pipelined. */
export function fuzzedInput(random: Random): Buffer {
  const kind = random.next();
  if (kind > 0.95) return noise(random);
  const isSound = kind < 0.6;
  const count = random.chance(0.1) ? 1 + random.below(4) : 1;
  const text = Array.from({ length: count }, () => request(random, isSound)).join("");
  const bytes = Buffer.from(text, "latin1");
  return kind < 0.8 ? bytes : mutated(bytes, random);
}

const harmless = headers.filter(
  (line) =>
    line.includes(": ") &&
    !/^(host|content-length|transfer-encoding|x-long|\s|:|x\0)/i.test(line) &&
    !line.includes("\0") &&
    !/^[^:]* :/.test(line),
);

function request(random: Random, isSound: boolean): string {
  const method = isSound ? random.pick(methods.slice(0, 12)) : random.pick(methods);
  // The list of traces is megabytes: seldom, or the run measures nothing else.
  const target = (random.chance(0.002) ? "/framework/dev/api/requests" : random.pick(paths)) + random.pick(queries);
  const version =
    isSound || random.chance(0.8) ? "HTTP/1.1" : random.pick(["HTTP/1.0", "HTTP/2.0", "HTTP/0.9", "HTTP/1.1.1", ""]);
  const body = latin1(random.pick(bodies));
  const lines = [`${method} ${isSound ? latin1(target).replace(/[^!-~]/g, "") : latin1(target)} ${version}`.trimEnd()];
  if (isSound || random.chance(0.8))
    lines.push(`Host: ${random.pick(["localhost", "localhost:80", "evil.test", "[::1]", "127.0.0.1"])}`);
  const from = isSound ? harmless : headers;
  for (let i = random.below(5); i > 0; i -= 1) lines.push(latin1(random.pick(from)));
  if (random.chance(0.02)) for (let i = 0; i < 120; i += 1) lines.push(`X-${i}: ${i}`);
  if (random.chance(0.8)) lines.push(`Content-Type: ${random.pick(contentTypes)}`);
  const framed = framing(random, body, isSound);
  return `${[...lines, ...framed.lines].join("\r\n")}\r\n\r\n${framed.body}`;
}

function framing(
  random: Random,
  body: string,
  isSound: boolean,
): { readonly lines: readonly string[]; readonly body: string } {
  if (random.chance(0.3)) return { lines: [], body: "" };
  if (random.chance(0.3)) {
    const size =
      isSound || random.chance(0.7)
        ? body.length.toString(16)
        : random.pick(["-1", "ffffffffffffffffff", "0x5", "", "5 ;a=b", "zz"]);
    const end =
      isSound || random.chance(0.7) ? "0\r\n\r\n" : random.pick(["", "0\r\nX-T: 1\r\n\r\n", "0\n\n", "00\r\n"]);
    return { lines: ["Transfer-Encoding: chunked"], body: body === "" ? end : `${size}\r\n${body}\r\n${end}` };
  }
  const length = isSound || random.chance(0.8) ? body.length : body.length + random.below(20) - 10;
  return { lines: [`Content-Length: ${length}`], body };
}

function mutated(bytes: Buffer, random: Random): Buffer {
  let result = Buffer.from(bytes);
  for (let i = 1 + random.below(3); i > 0; i -= 1) {
    const at = random.below(Math.max(1, result.length));
    const how = random.below(4);
    if (how === 0) result[at] = random.below(256);
    else if (how === 1) result = result.subarray(0, at);
    else if (how === 2)
      result = Buffer.concat([result.subarray(0, at), Buffer.from([random.below(256)]), result.subarray(at)]);
    else
      result = Buffer.concat([result.subarray(0, at), result.subarray(random.below(at + 1), at), result.subarray(at)]);
  }
  return result;
}

const noise = (random: Random): Buffer =>
  Buffer.from(Array.from({ length: 1 + random.below(200) }, () => random.below(256)));

/** Characters as single bytes, those above U+00FF cut: what goes over the wire is bytes. */
const latin1 = (text: string): string => Buffer.from(text, "latin1").toString("latin1");
