/** How WebSockets end: by the app, by silence, by a client that does not read, and inside a host (WS, LIFE). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { connect, type AddressInfo, type Socket } from "node:net";
import { describe, test } from "node:test";
import { connect as connectTls } from "node:tls";
import fc from "fast-check";
import { WebSocketServer } from "ws";
import { type Completion, type Framework, type Middleware, RequestLoggingMiddleware } from "../index.ts";
import { PeerEvents } from "../internal/peer-events.ts";
import { certificate } from "../testing/certificate.testkit.ts";
import { created, responsesOf, serving, until, wire } from "../testing/harness.testkit.ts";
import { closing, frame, handshake, opened, rawSocket } from "../testing/web-socket-client.testkit.ts";
import { type ServerWebSocket, webSocket, type WebSocketOptions } from "./index.ts";

/** An app with one WebSocket at `/ws`, its sockets and the ends of its requests. */
function withApp<T>(
  options: WebSocketOptions,
  use: (served: {
    app: Framework;
    port: number;
    url: string;
    sockets: ServerWebSocket[];
    ended: Completion[];
    errors: { line: string; error: unknown }[];
  }) => Promise<T>,
): Promise<T> {
  const sockets: ServerWebSocket[] = [];
  const ended: Completion[] = [];
  const open: WebSocketOptions["open"] = (socket, ctx) => {
    sockets.push(socket);
    ctx.onComplete((completion) => void ended.push(completion));
    return options.open?.(socket, ctx);
  };
  return serving(
    (app) => app.ws("/ws", webSocket({ ...options, open })),
    ({ app, port, errors }) => use({ app, port, url: `ws://127.0.0.1:${port}/ws`, sockets, ended, errors }),
  );
}

const ignore = (): void => undefined;
const upgrade = { upgrade: "websocket", connection: "Upgrade" };

/** May that code be in a close frame (RFC 6455 §7.4)? */
const isCloseCode = (code: number): boolean =>
  (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999);

describe("app.stop", () => {
  test("closes every WebSocket with 1001, and waits for their close handlers", () => {
    let closed = 0;
    const slowly = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      closed += 1;
    };
    return withApp(
      { close: slowly, message: (socket, message) => void socket.send(message) },
      async ({ app, url, ended }) => {
        const clients = await Promise.all(Array.from({ length: 200 }, () => opened(url)));
        for (const { socket } of clients) socket.send("x");
        await Promise.all(clients.map(({ got }) => got(1)));
        const stopping = app.stop({ graceMs: 5_000 });
        for (const { socket } of clients) if (socket.readyState === socket.OPEN) socket.send("on the way");
        const codes = await Promise.all(clients.map((client) => client.closed));
        await stopping;
        assert.deepEqual([[...new Set(codes)], closed, ended.length], [[1001], 200, 200]);
        assert.deepEqual([...new Set(ended.map(({ status, aborted }) => `${status} ${aborted}`))], ["101 false"]);
        await assert.rejects(opened(url));
      },
    );
  });

  test("cuts a client that does not respond to that, after the grace", () =>
    withApp({}, async ({ app, port, ended, sockets }) => {
      const raw = await rawSocket(port, handshake("/ws"));
      await until(() => sockets.length === 1);
      const from = performance.now();
      await app.stop({ graceMs: 100 });
      await raw.ended;
      const took = performance.now() - from;
      assert.ok(took >= 90 && took < 2_000, `${took} ms`);
      assert.deepEqual(raw.frames()[0]?.payload.subarray(0, 2), closing(1001));
      assert.deepEqual(
        ended.map(({ status, aborted }) => [status, aborted]),
        [[101, true]],
      );
    }));

  test("closes sockets that open while it stops", async () => {
    const { app } = created({ shutdownGraceMs: 1_000 });
    let release: (() => void) | undefined;
    const held: Middleware = {
      async handle(_ctx, next) {
        await new Promise<void>((resolve) => (release = resolve));
        return next();
      },
    };
    await app.ws("/ws", { use: [held] }, webSocket({})).start(0);
    const opening = opened(`ws://127.0.0.1:${app.port}/ws`);
    await until(() => release !== undefined);
    const stopping = app.stop();
    release?.();
    assert.equal(await (await opening).closed, 1001);
    await stopping;
  });
});

describe("a WebSocket", () => {
  test("is cut when nothing comes between two pings, and kept by any data", () =>
    withApp({ pingMs: 40 }, async ({ port, ended, url }) => {
      const lively = await opened(url);
      let pings = 0;
      lively.socket.on("ping", () => (pings += 1));
      const dead = await rawSocket(port, handshake("/ws"));
      await dead.ended;
      assert.deepEqual(
        dead.frames().map(({ opcode }) => opcode),
        [9],
      );
      await until(() => pings >= 3);
      assert.equal(lively.socket.readyState, lively.socket.OPEN);
      assert.deepEqual(
        ended.map(({ aborted }) => aborted),
        [true],
      );
      lively.socket.terminate();
    }));

  test("is kept while a message arrives that takes longer than the time between two pings", () => {
    const got: unknown[] = [];
    return withApp({ pingMs: 40, message: (_socket, message) => void got.push(message) }, async ({ port }) => {
      const raw = await rawSocket(port, handshake("/ws"));
      const pings = (): number => raw.frames().filter(({ opcode }) => opcode === 9).length;
      for (const byte of frame(1, "slowly")) {
        raw.socket.write(Uint8Array.of(byte));
        await new Promise((resolve) => setTimeout(resolve, 12));
      }
      await until(() => got.length > 0);
      assert.deepEqual([got, pings() >= 2], [["slowly"], true]);
      raw.socket.destroy();
    });
  });

  test("is closed with 1001 when no message comes for idleMs", () =>
    withApp({ idleMs: 40, pingMs: 10 }, async ({ url }) => {
      const client = await opened(url);
      assert.equal(await client.closed, 1001);
    }));

  test("is not closed because of waiting messages while a handler is busy for longer", () => {
    const got: unknown[] = [];
    const message: WebSocketOptions["message"] = async (_socket, text) => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      got.push(text);
    };
    return withApp({ idleMs: 25, message }, async ({ url }) => {
      const client = await opened(url);
      client.socket.send("first");
      client.socket.send("second");
      assert.deepEqual([await client.closed, got], [1001, ["first", "second"]]);
    });
  });

  test("reports that its client is slow, and when it no longer is", () =>
    withApp({}, async ({ url, sockets }) => {
      const client = await opened(url);
      const [socket] = sockets;
      assert.ok(socket !== undefined);
      assert.equal(socket.send("x"), true);
      client.socket.pause();
      const chunk = new Uint8Array(100_000);
      let sent = 0;
      while (socket.send(chunk) || socket.bufferedBytes < 200_000) sent += 1;
      assert.ok(socket.bufferedBytes >= 200_000, `${sent} sent`);
      const drained = socket.drained();
      client.socket.resume();
      await drained;
      assert.ok(socket.bufferedBytes < 65_536);
      await socket.drained();
      client.socket.terminate();
      await client.closed;
      await until(() => !socket.isOpen);
      assert.deepEqual([socket.send("late"), socket.sentBytes > 200_000], [false, true]);
      await socket.drained();
    }));

  test("is cut when its client leaves more than maxBufferedBytes unread", () => {
    const codes: number[] = [];
    return withApp(
      { maxBufferedBytes: 100_000, close: (_socket, code) => void codes.push(code) },
      async ({ url, sockets }) => {
        const client = await opened(url);
        client.socket.pause();
        const chunk = new Uint8Array(50_000);
        while (sockets[0]?.isOpen === true) sockets[0].send(chunk);
        await until(() => codes.length > 0);
        assert.deepEqual(codes, [1006]);
        client.socket.terminate();
      },
    );
  });

  test("is cut when its client pings and leaves more pongs than that unread", async () => {
    const ended: string[] = [];
    const peer = Object.assign(new PeerEvents(), {
      protocol: "",
      readyState: 1,
      isPaused: false,
      bufferedAmount: 0,
      send: ignore,
      ping: ignore,
      close: ignore,
      pause: ignore,
      resume: ignore,
      terminate: () => void ended.push("cut"),
    });
    const { app } = created();
    app.ws("/ws", webSocket({ maxBufferedBytes: 100_000 }));
    const headers = { ...upgrade, "sec-websocket-version": "13", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" };
    const opening = { open: () => ({ peer, response: new Response("opened") }) };
    await app.fetch(new Request("http://x/ws", { headers }), { webSocket: opening });
    peer.bufferedAmount = 100_000;
    peer.emit("ping");
    assert.deepEqual(ended, []);
    peer.bufferedAmount = 100_001;
    peer.emit("ping");
    assert.deepEqual(ended, ["cut"]);
  });

  test("is cut when its client does not respond to a close within closeMs, and reports the sent code", () => {
    const codes: number[] = [];
    const close: WebSocketOptions["close"] = (_socket, code) => void codes.push(code);
    return withApp({ closeMs: 30, open: (socket) => socket.close(4000, "go"), close }, async ({ port, ended }) => {
      const raw = await rawSocket(port, handshake("/ws"));
      await raw.ended;
      await until(() => ended.length > 0);
      assert.deepEqual(raw.frames(), [{ opcode: 8, payload: Buffer.concat([closing(4000), Buffer.from("go")]) }]);
      assert.deepEqual([codes, ended.map(({ aborted }) => aborted)], [[4000], [true]]);
    });
  });

  test("also closes while a handler is busy, and passes that handler's socket nothing more", () => {
    const log: string[] = [];
    let release = (): void => undefined;
    const message: WebSocketOptions["message"] = async (socket, text) => {
      log.push(String(text));
      await new Promise(setImmediate);
      socket.close(4001);
      await new Promise<void>((resolve) => (release = resolve));
    };
    return withApp({ message, close: () => void log.push("close"), closeMs: 60_000 }, async ({ url, ended }) => {
      const client = await opened(url);
      client.socket.send("1");
      client.socket.send("2");
      assert.deepEqual([await client.closed, log], [4001, ["1"]]);
      release();
      await until(() => ended.length > 0);
      assert.deepEqual(log, ["1", "close"]);
    });
  });

  test("names an invalid code, reason or message", () =>
    withApp({}, async ({ url, sockets }) => {
      const client = await opened(url);
      const [socket] = sockets;
      assert.ok(socket !== undefined);
      for (const code of [999, 1004, 1005, 1006, 1010, 1015, 2000, 5000, 1000.5])
        assert.throws(() => socket.close(code), {
          code: "WEBSOCKET_INVALID",
          message: `socket.close() has the code ${code}: 1000, 1001, 1003, 1007 to 1014 and 3000 to 4999 are allowed`,
        });
      const message = "socket.close() has a reason of more than 123 bytes";
      assert.throws(() => socket.close(1000, "ä".repeat(62)), { code: "WEBSOCKET_INVALID", message });
      assert.throws(() => socket.send({} as never), { message: "socket.send() takes text or bytes, not object" });
      assert.throws(() => socket.send(null as never), { message: "socket.send() takes text or bytes, not null" });
      socket.close(1000, "ä".repeat(61));
      socket.close(1001);
      assert.equal(await client.closed, 1000);
    }));

  test("is closed with each valid code and reason", () =>
    withApp({ message: (socket, code) => socket.close(Number(code), `${"ä".repeat(61)}x`) }, async ({ url }) => {
      for (const code of [1000, 1001, 1003, 1007, 1008, 1009, 1011, 1012, 1013, 1014, 3000, 4999]) {
        const client = await opened(url);
        client.socket.send(String(code));
        assert.equal(await client.closed, code);
      }
    }));

  test("is one line of the access log, with 101, when it is over", () => {
    const lines: string[] = [];
    return serving(
      (app) =>
        app
          .use(RequestLoggingMiddleware.json({ write: (line) => void lines.push(line) }))
          .ws("/ws", webSocket({ open: (socket) => void socket.send("hello") })),
      async ({ port }) => {
        const client = await opened(`ws://127.0.0.1:${port}/ws`);
        await client.got(1);
        assert.deepEqual(lines, []);
        client.socket.close();
        await until(() => lines.length > 0);
        const { method, status, bytes } = JSON.parse(lines[0] ?? "") as Record<string, unknown>;
        assert.deepEqual([method, status, bytes, lines.length], ["GET", 101, 5, 1]);
      },
    );
  });

  test("aborts the signal of its context when it is over", () => {
    let signal: AbortSignal | undefined;
    return withApp({ open: (_socket, ctx) => void (signal = ctx.signal) }, async ({ url }) => {
      const client = await opened(url);
      await until(() => signal !== undefined);
      assert.equal(signal?.aborted, false);
      client.socket.close();
      await until(() => signal?.aborted === true);
    });
  });

  for (const [how, leave] of Object.entries({
    "ends its connection": (client: Socket) => client.end(),
    "resets it": (client: Socket) => client.resetAndDestroy(),
  }))
    test(`aborts that signal while a handler waits for it, when its client ${how}`, () => {
      const events: string[] = [];
      const open: WebSocketOptions["open"] = async (_socket, { signal }) => {
        events.push("open");
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        events.push("aborted");
      };
      const close = (): void => void events.push("close");
      return withApp({ open, close, pingMs: 20 }, async ({ port, ended }) => {
        const raw = await rawSocket(port, handshake("/ws"));
        await until(() => events.length > 0);
        leave(raw.socket);
        raw.socket.destroySoon();
        await until(() => ended.length > 0);
        assert.deepEqual(events, ["open", "aborted", "close"]);
      });
    });

  test("leaves no timer and no socket", async () => {
    const count = (): number =>
      process.getActiveResourcesInfo().filter((name) => /Timeout|TCPSocketWrap/.test(name)).length;
    const before = count();
    await withApp({ idleMs: 60_000, pingMs: 30_000 }, async ({ url, ended }) => {
      const clients = await Promise.all(Array.from({ length: 20 }, () => opened(url)));
      for (const { socket } of clients) socket.close();
      await until(() => ended.length === 20);
    });
    await until(() => count() <= before);
  });

  const opcode = fc.constantFrom(0, 1, 2, 3, 8, 9, 10, 11);
  const frames = fc.array(
    fc.record({
      opcode,
      payload: fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.string({ maxLength: 20 }), fc.constant(closing(1000))),
      fin: fc.boolean(),
      mask: fc.nat(9).map((n) => n > 0),
      rsv: fc.nat(9).map((n) => (n === 0 ? 4 : 0)),
    }),
    { minLength: 1, maxLength: 8 },
  );
  test("survives any frames in any pieces, and each request is over once", () =>
    withApp(
      { maxMessageBytes: 256, message: (socket, message) => void socket.send(message) },
      async ({ port, ended, errors }) => {
        let count = 0;
        await fc.assert(
          fc.asyncProperty(frames, fc.array(fc.nat(400), { maxLength: 4 }), async (sent, cuts) => {
            const bytes = Buffer.concat(sent.map(({ opcode: code, payload, ...rest }) => frame(code, payload, rest)));
            const raw = await rawSocket(port, handshake("/ws"));
            count += 1;
            const at = [...new Set(cuts)].filter((cut) => cut < bytes.length).toSorted((a, b) => a - b);
            for (const [index, from] of [0, ...at].entries())
              raw.socket.write(bytes.subarray(from, at[index] ?? bytes.length));
            raw.socket.end();
            await raw.ended;
            await until(() => ended.length === count);
            const ends = raw.frames().filter((one) => one.opcode === 8 && one.payload.length > 0);
            return ends.every(({ payload }) => isCloseCode(payload.readUInt16BE(0)));
          }),
          { numRuns: 150 },
        );
        assert.deepEqual([errors, ended.length], [[], count]);

        const last = await rawSocket(port, handshake("/ws"), frame(1, "alive"));
        await until(() => last.frames().length > 0);
        assert.equal(String(last.frames()[0]?.payload), "alive");
        last.socket.destroy();
      },
    ));
});

describe("app.upgradeListener", () => {
  test("serves the app's WebSockets on a host's server, next to those of the host", async () => {
    const { app } = created();
    app.get("/plain", () => "plain").ws("/ws", webSocket({ message: (socket, message) => void socket.send(message) }));
    const own = new WebSocketServer({ noServer: true });
    const server = createServer(app.listener());
    const upgrade = app.upgradeListener();
    server.on("upgrade", (req, socket, head) =>
      upgrade(req, socket, head, () =>
        own.handleUpgrade(req, socket, head, (peer) => {
          peer.send(`host ${req.url}`);
          peer.close();
        }),
      ),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    try {
      const client = await opened(`ws://127.0.0.1:${port}/ws`);
      client.socket.send("mine");
      assert.deepEqual(await client.got(1), ["mine"]);
      const other = await opened(`ws://127.0.0.1:${port}/theirs`);
      assert.deepEqual(await other.got(1), ["host /theirs"]);
      const { closed, text } = wire(port, handshake("/plain"));
      await closed;
      assert.match(text(), /^HTTP\/1.1 200 OK\r\n[^]*Connection: close\r\n[^]*plain$/i);
      await app.stop();
      assert.equal(await client.closed, 1001);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  for (const tls of [false, true])
    test(`WS-004: an upgrade with a body is handled as an ordinary request${tls ? ", over TLS" : ""}`, async () => {
      const { app } = created();
      app.ws("/ws", webSocket({})).post("/body", (ctx) => ctx.bodyAsString());
      const server = tls ? createSecureServer(certificate, app.listener()) : createServer(app.listener());
      server.on("upgrade", app.upgradeListener()).listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const socket = tls
        ? connectTls({ port, host: "127.0.0.1", ca: certificate.cert, servername: "localhost" })
        : connect(port, "127.0.0.1");
      let text = "";
      socket.on("data", (bytes) => void (text += bytes.toString("latin1")));
      const upgrade = "Host: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n";
      const bodies: string[] = [];
      for (const body of [
        "Content-Length: 5\r\n\r\nhe|llo",
        "Transfer-Encoding: chunked\r\n\r\n3\r\nä!|\r\n0\r\n\r\n",
      ]) {
        const [begin = "", rest = ""] = body.split("|");
        socket.write(`POST /body HTTP/1.1\r\n${upgrade}${begin}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
        socket.write(rest);
        await until(() => responsesOf(text).length === bodies.length + 1);
        bodies.push(responsesOf(text).at(-1)?.body ?? "");
      }
      socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      assert.deepEqual(bodies, ["hello", "ä!"]);
    });

  test("without it a host's server turns an upgrade into an ordinary request, which is 501", async () => {
    const { app } = created();
    app.ws("/ws", webSocket({}));
    const server = createServer(app.listener()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.write(handshake("/ws"));
    const [data] = (await once(socket, "data")) as [Buffer];
    assert.equal(String(data).slice(9, 12), "501");
    socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
});
