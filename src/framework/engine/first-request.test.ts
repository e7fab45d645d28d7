/** Clients that never send a first request. Their time runs from the TCP connect, on every wire (ENGINE). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { Duplex } from "node:stream";
import { describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { NodeHttp2Engine, NodeHttpEngine } from "../index.ts";
import { certificate } from "../testing/certificate.testkit.ts";
import { greeting } from "../testing/frames.testkit.ts";
import { exchange, serving, wire } from "../testing/harness.testkit.ts";
import type { ServerEngine } from "./index.ts";

/** The first flight of a TLS client. */
async function clientHello(): Promise<Buffer> {
  const pipe = new Duplex({
    read: () => undefined,
    write: (bytes, _encoding, done) => (pipe.emit("flight", bytes), done()),
  });
  const flight = once(pipe, "flight") as Promise<[Buffer]>;
  const client = connectTls({ socket: pipe, servername: "localhost", ALPNProtocols: ["h2", "http/1.1"] });
  client.on("error", () => undefined);
  const [bytes] = await flight;
  client.destroy();
  return bytes;
}

const hello = await clientHello();
const head = Buffer.from("GET / HTTP/1.1\r\nHost: local");

/** Bytes that a client sends before it goes silent. */
const beginnings: Readonly<
  Record<string, readonly [engine: () => ServerEngine, parts: Readonly<Record<string, Uint8Array>>]>
> = {
  "HTTP/1.1": [() => new NodeHttpEngine(), { nothing: Buffer.of(), "a part of a head": head }],
  "cleartext HTTP/2": [
    () => new NodeHttp2Engine(),
    {
      nothing: Buffer.of(),
      "a letter of the preface": Buffer.from("P"),
      "a part of a head": head,
      "a part of the preface": greeting.subarray(0, 10),
      "the preface": greeting,
    },
  ],
  TLS: [
    () => new NodeHttp2Engine(certificate),
    {
      nothing: Buffer.of(),
      "a part of a ClientHello": hello.subarray(0, 3),
      "half a handshake": hello,
      "no TLS": head,
    },
  ],
};

const timeouts = { headersMs: 60, requestMs: 120, idleMs: 60_000, checkMs: 10 };

describe("a client that sends part of the bytes before a first request", () => {
  for (const [name, [engine, parts]] of Object.entries(beginnings))
    for (const [what, bytes] of Object.entries(parts))
      it(`is disconnected after ${what} on ${name}`, () =>
        serving(
          (app) => app.get("/", () => "ok"),
          async ({ port }) => await wire(port, bytes).closed,
          { engine: engine(), timeouts },
        ));
});

/** Begins its handshake after `ms`. */
async function secured(port: number, protocol: string, ms: number): Promise<TLSSocket> {
  const raw = connect(port, "127.0.0.1");
  await once(raw, "connect");
  await pause(ms);
  const socket = connectTls({ socket: raw, ca: certificate.cert, servername: "localhost", ALPNProtocols: [protocol] });
  return socket.on("error", () => undefined);
}

describe("a client with a slow handshake", () => {
  const slow = { headersMs: 1_200, requestMs: 60_000, idleMs: 60_000, checkMs: 20 };
  for (const [protocol, bytes] of [
    ["h2", greeting],
    ["http/1.1", head],
  ] as const)
    it(`has the rest of its time for the head of its first request over ${protocol}`, () =>
      serving(
        (app) => app.get("/", () => "ok"),
        async ({ port }) => {
          const startedAt = performance.now();
          const socket = await secured(port, protocol, 800);
          socket.resume().write(bytes);
          await once(socket, "close");
          const tookMs = performance.now() - startedAt;
          assert.ok(tookMs < 800 + slow.headersMs, `${tookMs} ms`);
        },
        { engine: new NodeHttp2Engine(certificate), timeouts: slow },
      ));

  it("keeps its connection when it has sent a request in time", () =>
    serving(
      (app) => app.get("/", () => "ok"),
      async ({ port }) => {
        const socket = await secured(port, "http/1.1", 50);
        const ask = async (): Promise<string> => {
          socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
          return String((await once(socket, "data"))[0]).slice(0, 15);
        };
        const first = await ask();
        await pause(slow.headersMs);
        assert.deepEqual([first, await ask()], ["HTTP/1.1 200 OK", "HTTP/1.1 200 OK"]);
        socket.destroy();
      },
      { engine: new NodeHttp2Engine(certificate), timeouts: slow },
    ));
});

describe("a client of a cleartext HTTP/2 port whose first line fits no protocol", () => {
  const sent: Readonly<Record<string, readonly [bytes: string, statuses: readonly number[]]>> = {
    "is disconnected without a response": ["INVALID CONNECTION PREFACE\r\n\r\n", []],
    "is 400 when it names HTTP": ["INVALID / HTTP/1.1\r\nHost: x\r\n\r\n", [400]],
    "is 400 after a request": ["GET / HTTP/1.1\r\nHost: x\r\n\r\nINVALID CONNECTION PREFACE\r\n\r\n", [200, 400]],
  };
  for (const [fact, [bytes, statuses]] of Object.entries(sent))
    it(fact, () =>
      serving(
        (app) => app.get("/", () => "ok"),
        async ({ port }) => {
          const seen = await exchange(port, bytes);
          assert.deepEqual(
            seen.map(({ status }) => status),
            statuses,
          );
        },
        { engine: new NodeHttp2Engine(), timeouts },
      ),
    );
});
