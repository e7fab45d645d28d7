/** Requests that arrive byte by byte, and clients that close their half, on every engine of Node's (ENGINE). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { describe, it } from "node:test";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { exchange, responsesOf, serving, until, wire } from "../testing/harness.testkit.ts";
import { NodeHttp2Engine, NodeHttpEngine, type Framework } from "../index.ts";
import type { ServerEngine } from "./index.ts";
import { certificate } from "../testing/certificate.testkit.ts";
import { overHttp1, overHttp2, type Seen, type Sent } from "../testing/clients.testkit.ts";

const tls = { ca: certificate.cert, servername: "localhost" };
const tlsOn = (port: number, protocol: string): TLSSocket =>
  connectTls({ ...tls, port, host: "127.0.0.1", ALPNProtocols: [protocol] });

async function http2(url: string, request: Sent): Promise<Seen> {
  const session = connectHttp2(url, tls);
  session.on("error", () => undefined);
  try {
    return await overHttp2(session, request);
  } finally {
    session.destroy();
  }
}

/** A way to send requests: the engine, and its client on a given port. */
interface Way {
  readonly engine: () => ServerEngine;
  ask(port: number, request: Sent): Promise<Seen>;
}

const ways: Readonly<Record<string, Way>> = {
  "node:http": { engine: () => new NodeHttpEngine(), ask: plain },
  "HTTP/1.1 beside h2c": { engine: () => new NodeHttp2Engine(), ask: plain },
  h2c: { engine: () => new NodeHttp2Engine(), ask: (port, sent) => http2(`http://127.0.0.1:${port}`, sent) },
  "HTTP/1.1 over TLS": {
    engine: () => new NodeHttp2Engine(certificate),
    ask: (port, sent) => overHttp1(tlsOn(port, "http/1.1"), sent),
  },
  "h2 over TLS": {
    engine: () => new NodeHttp2Engine(certificate),
    ask: (port, sent) => http2(`https://127.0.0.1:${port}`, sent),
  },
};

function plain(port: number, request: Sent): Promise<Seen> {
  return overHttp1(connect(port, "127.0.0.1"), request);
}

/** A proxy in front of `port` that forwards the client's bytes one by one, one in each turn of the event loop. */
async function dripping<T>(port: number, use: (port: number) => Promise<T>): Promise<T> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
    for (const socket of [client, upstream]) sockets.add(socket.on("error", () => undefined));
    upstream.pipe(client);
    drip(client, upstream).catch(() => upstream.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await use((server.address() as AddressInfo).port);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

async function drip(from: Socket, to: Socket): Promise<void> {
  for await (const chunk of from.iterator({ destroyOnReturn: false }))
    for (const byte of chunk as Buffer) {
      to.write(Uint8Array.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
  to.end();
}

function define(app: Framework): void {
  app
    .any("/", (ctx) => ctx.method)
    .post("/echo", (ctx) => ctx.bodyAsString())
    .get("/later", () => new Promise((resolve) => setImmediate(() => resolve("later"))));
}

for (const [name, { engine, ask }] of Object.entries(ways))
  describe(`ENGINE-012: on ${name}, byte by byte`, () => {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
      it(`serves ${method}`, () =>
        serving(
          define,
          ({ port }) =>
            dripping(port, async (slow) => {
              const { status, body } = await ask(slow, { method, target: "/" });
              assert.deepEqual([status, body], [200, method]);
            }),
          { engine: engine() },
        ));

    it("reads a body, in chunks and whole", () =>
      serving(
        define,
        ({ port }) =>
          dripping(port, async (slow) => {
            for (const body of ["Priority", ["PR", "I"]]) {
              const seen = await ask(slow, { method: "POST", target: "/echo", body });
              assert.deepEqual([seen.status, seen.body], [200, [body].flat().join("")]);
            }
          }),
        { engine: engine() },
      ));
  });

const http1Ways = ["node:http", "HTTP/1.1 beside h2c"] as const;
const request = (method: string, target: string): string => `${method} ${target} HTTP/1.1\r\nHost: x\r\n\r\n`;

for (const name of http1Ways)
  describe(`on ${name}, a client that closes its half`, () => {
    const engine = (): ServerEngine | undefined => ways[name]?.engine();

    it("gets 400 after part of a request of any length, and is cut without one", () => {
      const rejected: number[] = [];
      const whole = request("POST", "/");
      return serving(
        (app) =>
          app.use({
            installed: (life) => life.onRejected(({ status }) => void rejected.push(status)),
            handle: (_ctx, next) => next(),
          }),
        async ({ port }) => {
          for (let length = 1; length < whole.length; length += 1) {
            const { socket, text, closed } = wire(port);
            socket.end(whole.slice(0, length));
            await closed;
            assert.deepEqual([length, responsesOf(text()).map(({ status }) => status)], [length, [400]]);
          }
          assert.deepEqual([rejected.length, new Set(rejected)], [whole.length - 1, new Set([400])]);
          const silent = wire(port);
          silent.socket.end();
          await silent.closed;
          assert.equal(silent.text(), "");
        },
        { engine: engine() },
      );
    });

    it("gets an immediate response immediately", () =>
      serving(
        define,
        async ({ port }) => {
          const { socket, text, closed } = wire(port);
          socket.end(request("PUT", "/"));
          await closed;
          assert.deepEqual(
            responsesOf(text()).map(({ status, body }) => [status, body]),
            [[200, "PUT"]],
          );
        },
        { engine: engine() },
      ));
  });

describe("a connection that sends too little", () => {
  for (const name of http1Ways)
    for (const piece of ["P", "PR", "PRO", "G"])
      it(`on ${name}, gets 408 after ${piece}, and costs nothing while it waits`, () =>
        serving(
          define,
          async ({ port }) => {
            const before = process.cpuUsage();
            const startedAt = performance.now();
            const [response] = await exchange(port, piece);
            const { user, system } = process.cpuUsage(before);
            const busy = (user + system) / 1_000 / (performance.now() - startedAt);
            assert.equal(response?.status, 408);
            assert.ok(busy < 0.8, `busy for ${Math.round(busy * 100)} % of the wait`);
          },
          { engine: ways[name]?.engine(), timeouts: { headersMs: 400, requestMs: 400, checkMs: 20 } },
        ));
});

describe("an HTTP/2 session whose client closes its half", () => {
  for (const name of ["h2c", "h2 over TLS"] as const)
    it(`on ${name}, is over`, () =>
      serving(
        define,
        async ({ port }) => {
          const socket = name === "h2c" ? connect(port, "127.0.0.1") : tlsOn(port, "h2");
          socket.on("error", () => undefined);
          let received = 0;
          socket.on("data", (chunk: Buffer) => void (received += chunk.length));
          socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0");
          await until(() => received > 0);
          const closed = once(socket, "close");
          socket.end();
          await closed;
        },
        { engine: ways[name]?.engine() },
      ));
});
