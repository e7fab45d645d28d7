/**
 * Framing cases: every server in front must see the same boundary between two requests as this one.
 *
 *   POST /echo, framed in some unclear way · [1] · GET /any/smuggled/x      one response, an error, and the connection ends
 *
 * HTTP/1.1: RFC 9112 §2.2, §3, §5, §6, §7.1. HTTP/2: RFC 9113 §8.1.1, §8.2, §8.3.
 */
import { block, frame, goaway, greeting, pseudo, statusesOf, type Line } from "../frames.ts";
import { each } from "../rows.ts";
import type { Wire } from "../wires.ts";
import type { Attack } from "./aim.ts";
import { exchanged } from "./exchange.ts";
import { listed } from "./vocabulary.ts";

const smuggled = "GET /any/smuggled/x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
const start = "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
const three = "Content-Length: 3\r\n";

/** Codings that are not exactly `chunked`, and correct ones that an additional length makes ambiguous. */
const codings = listed(String.raw`
  chunked, identity | identity, chunked\r\nTransfer-Encoding: identity | chunked\r\nTransfer-Encoding: identity | x
  chunked, x | xchunked | chunked;q=1 | x\r\n chunked | \u000bchunked | chunk\u0000ed | identity | "chunked"
`).map((coding) => `Transfer-Encoding: ${coding}\r\n`);
const chunked = ["Transfer-Encoding: chunked\r\n", "transfer-encoding:CHUNKED\r\n", "Transfer-Encoding:\tchunked\r\n"];
/** Invalid lengths, or two of them. */
const lengths = listed(String.raw`
  3, 4 | 3\r\nContent-Length: 4 | 3\r\nContent-Length: 3 | +3 | -3 | 0x3 | 3 3 | 3_0 | 3, | 3.0 | 3e0 | \u00b3 | 3\r\n 4
  3\nX: y | 99999999999999999999
`).map((length) => `Content-Length: ${length}\r\n`);
/** Invalid lines; then lines that Node's parser accepts, so that a host must reject them. */
const lines = listed(String.raw`
  X: a\r\n folded | X: a\nY: b | X: a\rY: b | X: a\u0000b | NoColon | : empty | X Y: a | X\u0000: a | X(: a | Content-Length : 3
  Transfer-Encoding : chunked | Transfer-Encoding\t: chunked | X: y\nTransfer-Encoding: chunked | X: y\rTransfer-Encoding: chunked
`);
const hosts = ["Host: other", "Host: localhost", "Host: a, b", "Host: user@b"];
/** Invalid chunks. */
const chunks = listed(String.raw`
  3\n[1]\r\n0\r\n\r\n | 0x3\r\n[1]\r\n0\r\n\r\n | +3\r\n[1]\r\n0\r\n\r\n | -3\r\n[1]\r\n0\r\n\r\n | 3 \r\n[1]\r\n0\r\n\r\n
  \r\n[1]\r\n0\r\n\r\n | 3\r\n[1]0\r\n\r\n | 3\r\n[1]\n0\r\n\r\n | 3\r\n[1]xx0\r\n\r\n | 2\r\n[1]\r\n0\r\n\r\n | 3\r\n[1]\r\n0\n\n
  3;a\nb\r\n[1]\r\n0\r\n\r\n | 3;a\rb\r\n[1]\r\n0\r\n\r\n | 3;a=\u0000\r\n[1]\r\n0\r\n\r\n | FFFFFFFFFFFFFFFF3\r\n[1]\r\n0\r\n\r\n
  10000000000000003\r\n[1]\r\n0\r\n\r\n | 3\r\n[1]\r\n0\r\nX: a\n\r\n | 3\r\n[1]\r\n0\r\nNoColon\r\n\r\n
`);
/** Invalid first lines; then again those for a host to reject. */
const firsts = listed(String.raw`
  GET\t/canary HTTP/1.1 | GET /canary HTTP/1.1 x | GET /canary HTTP/1.1\n | GET /can ary HTTP/1.1 | GET /can\u0000ary HTTP/1.1
  GET /canary HTTP/1.2x | GET /canary HTTP/3.0 | GET /canary http/1.1 | GET canary HTTP/1.1 | get /canary HTTP/1.1 | G\u0000T / HTTP/1.1
`);
const odd = ["GET /canary HTTP/0.9", "GET /canary", "GET /canary#x HTTP/1.1"];

function http1Cases({ engine }: Wire): readonly Buffer[] {
  const isHosted = engine === "listener" || engine === "fetch";
  const heads = [
    ...codings.flatMap((coding) => [coding, three + coding, coding + three]),
    ...chunked.flatMap((coding) => [three + coding, coding + three]),
    ...lengths,
    ...[...lines, ...(isHosted ? [] : hosts)].flatMap((line) => [`${line}\r\n${three}`, `${three}${line}\r\n`]),
  ].map((head) => `${start}${head}\r\n[1]`);
  const bodies = chunks.map((body) => `${start}Transfer-Encoding: chunked\r\n\r\n${body}`);
  const others = [...firsts, ...(isHosted ? [] : odd)].map((line) => `${line}\r\nHost: localhost\r\n\r\n`);
  return [...heads, ...bodies, ...others].map((text) => Buffer.from(text + smuggled, "latin1"));
}

/** Lines that HTTP/2 does not allow and that a gateway to HTTP/1.1 would interpret. */
const fields = listed(String.raw`
  content-length=4 | content-length=2 | content-length=+3 | content-length=3, 3 | content-length=x | transfer-encoding=chunked
  connection=close | keep-alive=1 | upgrade=h2c | proxy-connection=x | te=gzip | x=a\r\nTransfer-Encoding: chunked | x=a\nb: c
  x=a\rb | x=a\u0000b | x\r\ny=a | x: a\r\ny=b | X-Upper=a | x y=a | =a | :path=/canary | :method=GET | :status=200 | :x=y | x:y=a
`).map((text): Line => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)]);
const targets = ["", "canary", "/a b", "/a\r\nX: y", "/a\0", "/a\nb", "/ HTTP/1.1\r\nHost: b\r\n\r\nGET /"];

/** Heads and bodies that would be two requests to such a gateway, and frames in a wrong order. */
function http2Cases(): readonly Buffer[] {
  const sound = pseudo("POST", "/echo");
  const heads = [
    ...fields
      .flatMap((line) => [
        [...sound, line],
        [line, ...sound],
      ])
      .filter(([line]) => line?.[0] !== ":path"),
    ...[0, 1, 3].map((at) => sound.toSpliced(at, 1)),
    ...targets.map((target) => pseudo("POST", target)),
    ...["G T", "GET /x HTTP/1.1\r\nHost: a", "", "CONNECT"].map((method) => pseudo(method, "/echo")),
  ];
  const [head, body, again] = [frame(1, 4, 1, block(sound)), frame(0, 1, 1, Buffer.from("[1]")), frame(9, 4, 1)];
  const [open, even, zero] = [frame(1, 0, 1, block(sound)), frame(1, 4, 2, block(sound)), frame(1, 4, 0, block(sound))];
  const padded = frame(0, 9, 1, Buffer.from([200, 1]));
  const orders = [
    [body, head],
    [head, body, body],
    [head, again, body],
    [open, body],
    [even],
    [zero],
    [head, padded],
    [head, head],
  ];
  const all = [...heads.map((lines) => [frame(1, 4, 1, block(lines)), body]), ...orders];
  return all.map((frames) => Buffer.concat([greeting, ...frames, goaway]));
}

/** Every case alone: at most one response, no success, and no effect of the bytes after it. */
export const framing: Attack = async ({ wire, subject }) => {
  const cases = wire.isHttp2 ? http2Cases() : http1Cases(wire);
  const responded = async (bytes: Buffer): Promise<readonly string[]> =>
    statusesOf(wire, await exchanged(wire, subject.port, [bytes], { quietMs: 5_000, isPatient: true }));
  const taken: string[] = [];
  let errors = 0;
  await each(cases, 16, async (bytes) => {
    const statuses = await responded(bytes);
    const isRejected = statuses.length <= 1 && statuses.every((status) => /^(4..|501|505|\?)$/.test(status));
    if (isRejected) errors += statuses.length;
    else taken.push(`${statuses.join()} for ${JSON.stringify(bytes.toString("latin1", wire.isHttp2 ? 33 : 0, 200))}`);
  });
  // A valid request must work, or the rejections above prove nothing.
  const sound = `${start}Transfer-Encoding: chunked\r\n\r\n3;x=y\r\n[1]\r\n0\r\nX: y\r\n\r\n${smuggled}`;
  const control = wire.isHttp2 ? "200,200" : (await responded(Buffer.from(sound))).join();
  return {
    figure: `${cases.length} cases: ${errors} rejected with an error, ${cases.length - errors - taken.length} cut, ${taken.length} taken ${taken.slice(0, 8).join("; ")}`,
    target: "0 taken",
    met: taken.length === 0 && control === "200,200",
  };
};
