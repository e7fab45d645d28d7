/** The end of a connection with a client that still sends. It can read its response, and cannot send for ever (ERR). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, Socket, type AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { connect as connectTls } from "node:tls";
import { NodeHttp2Engine, NodeHttpEngine, type Framework } from "../index.ts";
import { certificate } from "../testing/certificate.testkit.ts";
import { created, responsesOf, serving, until, wire } from "../testing/harness.testkit.ts";
import type { ServerEngine } from "./index.ts";
import { linger } from "./lingering.ts";

/** More than the kernels of both sides buffer, so the client can send it only if the server reads it. */
const much = Buffer.alloc(12_582_912, "x");
const crlf = "\r\n";

const define = (app: Framework): unknown =>
  app
    .get("/last", (ctx) => {
      ctx.setHeader("Connection", "close");
      return "the last";
    })
    .post("/bytes", async (ctx) => (await ctx.bodyAsBytes()).length)
    .post("/stream", async (ctx) => {
      let bytes = 0;
      for await (const piece of ctx.bodyAsStream()) bytes += piece.length;
      return bytes;
    })
    .post("/unread", { maxBodyBytes: 1e9 }, (ctx) => {
      ctx.status(401).setHeader("Connection", "close");
      return "who are you?";
    });

const head = (path: string, ...lines: readonly string[]): string =>
  [`POST ${path} HTTP/1.1`, "Host: localhost", ...lines, "", ""].join(crlf);
const counted = `Content-Length: ${much.length}`;
const chunks = Buffer.concat([Buffer.from(`${much.length.toString(16)}\r\n`), much, Buffer.from("\r\n0\r\n\r\n")]);

/** Bytes sent in one piece, and the status of the response read after them. */
const early: Readonly<Record<string, readonly [sent: readonly (string | Buffer)[], status: number]>> = {
  "a body that says that it is too large": [[head("/bytes", counted), much], 413],
  "a body in chunks that turns out to be too large": [[head("/bytes", "Transfer-Encoding: chunked"), chunks], 413],
  "a stream that says that it is too large": [[head("/stream", counted), much], 413],
  "a stream that turns out to be too large": [[head("/stream", "Transfer-Encoding: chunked"), chunks], 413],
  "a body that nobody reads": [[head("/unread", counted), much], 401],
  "a body that nobody reads, in chunks": [[head("/unread", "Transfer-Encoding: chunked"), chunks], 401],
  "a body whose chunks are malformed": [[head("/bytes", "Transfer-Encoding: chunked"), "zz\r\n", much], 400],
  "a body behind a response that closes": [
    ["GET /last HTTP/1.1\r\nHost: localhost\r\n\r\n", head("/bytes", counted), much],
    200,
  ],
  "what is no request": [["NONSENSE\r\n\r\n", much], 400],
  "a head that is too large": [["GET / HTTP/1.1\r\nX-Large: ", much], 431],
};

/** Sends everything before it reads a byte of the response. */
async function statusBehind(socket: Socket, sent: readonly (string | Buffer)[]): Promise<number | undefined> {
  let failure: Error | undefined;
  socket.on("error", (error) => (failure = error));
  await new Promise<void>((resolve, reject) =>
    socket.write(Buffer.concat(sent.map((piece) => Buffer.from(piece))), (error) =>
      error ? reject(error) : resolve(),
    ),
  );
  let text = "";
  socket.on("data", (bytes: Buffer) => (text += bytes.toString("latin1")));
  await once(socket, "close");
  assert.equal(failure, undefined);
  return responsesOf(text)[0]?.status;
}

/** One of each kind: a response to a request, and one to invalid bytes. */
const onEach: ReadonlySet<string> = new Set([
  "a body in chunks that turns out to be too large",
  "a head that is too large",
]);

const plain = (port: number): Socket => connect(port, "127.0.0.1");
const secure = (port: number): Socket =>
  connectTls({ port, host: "127.0.0.1", ca: certificate.cert, servername: "localhost", ALPNProtocols: ["http/1.1"] });
const wires: Readonly<Record<string, readonly [engine: () => ServerEngine, dial: (port: number) => Socket]>> = {
  "HTTP/1.1": [() => new NodeHttpEngine(), plain],
  "HTTP/1.1 beside h2c": [() => new NodeHttp2Engine(), plain],
  "HTTP/1.1 over TLS": [() => new NodeHttp2Engine(certificate), secure],
};

describe("a client that sends more than it gets a response for", () => {
  for (const [wireName, [engine, dial]] of Object.entries(wires))
    for (const [what, [sent, status]] of Object.entries(early).filter(
      ([what]) => wireName === "HTTP/1.1" || onEach.has(what),
    ))
      it(`reads its response after ${what}, over ${wireName}`, () =>
        serving(define, async ({ port }) => assert.equal(await statusBehind(dial(port), sent), status), {
          engine: engine(),
        }));

  it("reads its response after a body that is too large inside a host", async () => {
    const { app } = created();
    define(app);
    const server = createServer(app.listener()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const seen: unknown[] = [];
    for (const what of ["a body that says that it is too large", "a stream that turns out to be too large"])
      seen.push(await statusBehind(plain(port), early[what]?.[0] ?? []));
    server.close();
    assert.deepEqual(seen, [413, 413]);
  });

  it("does not block the end of the app, however long it sends", async () => {
    const { app } = created();
    define(app);
    await app.start(0);
    const { socket, text, closed } = wire(app.port, head("/bytes", counted));
    const drip = setInterval(() => socket.write("x"), 5);
    await until(() => text().includes("413"));
    await app.stop({ graceMs: 50 });
    await closed;
    clearInterval(drip);
  });
});

describe("a client that waits for 100 (Continue)", () => {
  const expecting = (path: string, length: number): string =>
    head(path, `Content-Length: ${length}`, "Expect: 100-continue");

  /** The status lines received when the body is sent after a 100, and whether the last response closes. */
  const asked = (path: string, length: number, engine: ServerEngine): Promise<unknown> =>
    serving(
      (app) => {
        define(app);
        app.post("/later", async (ctx) => {
          await new Promise((resolve) => setTimeout(resolve, 5));
          return (await ctx.bodyAsBytes()).length;
        });
        app.post("/platform", async (ctx) => {
          let bytes = 0;
          for await (const piece of ctx.platform[0] as AsyncIterable<Buffer>) bytes += piece.length;
          return bytes;
        });
      },
      async ({ port }) => {
        const { socket, text } = wire(port, expecting(path, length));
        const lines = (): readonly string[] => text().match(/^HTTP\/1\.1 \d+/gm) ?? [];
        await until(() => lines().length === 1);
        if (lines()[0] === "HTTP/1.1 100") socket.write("x".repeat(length));
        await until(() => text().includes("\r\nContent-Length"));
        socket.destroy();
        return [lines().map((line) => Number(line.slice(9))), /^connection: close/im.test(text())];
      },
      { engine },
    );

  for (const [wireName, engine] of [
    ["HTTP/1.1", (): ServerEngine => new NodeHttpEngine()],
    ["HTTP/1.1 beside h2c", (): ServerEngine => new NodeHttp2Engine()],
  ] as const) {
    for (const path of ["/bytes", "/stream"])
      it(`gets 413 immediately from ${path} over ${wireName} when its body is announced as too large`, async () =>
        assert.deepEqual(await asked(path, 2_000_000, engine()), [[413], true]));
    for (const path of ["/bytes", "/stream", "/later", "/platform"])
      it(`is asked for its body when ${path} reads it, over ${wireName}`, async () =>
        assert.deepEqual(await asked(path, 1_000, engine()), [[100, 200], false]));
    it(`is not asked for an unread body, over ${wireName}, and its connection closes`, async () =>
      assert.deepEqual(await asked("/nowhere", 1_000, engine()), [[404], true]));
  }
});

/** An open socket that does not send its end. */
class Open extends Socket {
  override end(): this {
    return this;
  }
  override resume(): this {
    return this;
  }
}

describe("linger", () => {
  for (const [what, isBrief, ms] of [
    ["ten seconds", false, 10_000],
    ["a second for a client that was too slow before", true, 1_000],
  ] as const)
    it(`lingers ${what} at most, for any input`, (t) => {
      t.mock.timers.enable({ apis: ["setTimeout"] });
      const socket = new Open();
      linger(socket, isBrief);
      linger(socket, true);
      t.mock.timers.tick(ms - 1);
      assert.equal(socket.destroyed, false);
      t.mock.timers.tick(1);
      assert.equal(socket.destroyed, true);
    });

  it("reads 64 MiB at most, and none for an earlier reader", () => {
    const socket = new Open();
    let heard = 0;
    socket.on("data", () => (heard += 1));
    linger(socket, false);
    for (let n = 0; n < 64; n += 1) socket.emit("data", Buffer.alloc(1_048_576));
    assert.deepEqual([socket.destroyed, heard], [false, 0]);
    socket.emit("data", Buffer.from("x"));
    assert.equal(socket.destroyed, true);
  });

  it("waits two seconds without a byte at most", () => {
    const socket = new Open();
    linger(socket, false);
    assert.equal(socket.timeout, 2_000);
    socket.emit("timeout");
    assert.equal(socket.destroyed, true);
  });
});
