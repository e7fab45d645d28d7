/** Sockets without traffic: which are closed, and which are left alone (LIFE). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { Framework } from "../index.ts";

const idleMs = 200;
const large = "x".repeat(24 * 1_048_576);

describe("NodeHttpEngine, idleMs", () => {
  const app = Framework.create({ host: "127.0.0.1", timeouts: { idleMs }, logger: { warn: () => undefined } });
  const opened: Socket[] = [];
  before(async () => {
    app.get("/", () => "hello");
    app.get("/large", () => large);
    app.get("/stream", (ctx) => ctx.send(endless()));
    app.get("/slow", async () => {
      await new Promise((resolve) => setTimeout(resolve, 3 * idleMs));
      return "slow";
    });
    await app.start(0);
  });
  after(async () => {
    for (const socket of opened) socket.destroy();
    await app.stop({ graceMs: 0 });
  });

  async function open(path?: string): Promise<Socket> {
    const socket = connect(app.port, "127.0.0.1");
    opened.push(socket);
    socket.on("error", () => undefined);
    await once(socket, "connect");
    if (path !== undefined) socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    return socket;
  }

  test("closes a connection that never sends a request", async () => {
    const socket = await open();
    socket.resume();
    await once(socket, "close");
    assert.equal(socket.bytesRead, 0);
  });

  test("closes a connection that sends no more requests", async () => {
    const socket = await open("/");
    const [response] = (await once(socket, "data")) as [Buffer];
    assert.match(response.toString(), /^HTTP\/1\.1 200 OK\r\n/);
    socket.resume();
    await once(socket, "close");
  });

  for (const path of ["/large", "/stream"])
    test(`cuts a client that does not read ${path}`, async () => {
      const ended = new Promise<boolean>((resolve) => {
        waiting.push(resolve);
      });
      await open(path);
      assert.equal(await ended, true);
    });

  test("waits for a handler that takes longer", async () => {
    const socket = await open("/slow");
    const [response] = (await once(socket, "data")) as [Buffer];
    assert.match(response.toString(), /slow$/);
  });

  /** The result of the next request for /large or /stream, with `aborted`. */
  const waiting: ((aborted: boolean) => void)[] = [];
  app.use((ctx, next) => {
    if (ctx.path === "/large" || ctx.path === "/stream") ctx.onComplete(({ aborted }) => waiting.shift()?.(aborted));
    return next();
  });
});

async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) yield new Uint8Array(65_536);
}
