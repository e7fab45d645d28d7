/** WebSockets over HTTP/2, by extended CONNECT: with Node's HTTP/2 client, and with raw frames (WS). */
import assert from "node:assert/strict";
import { once } from "node:events";
import {
  connect,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from "node:http2";
import type { Duplex } from "node:stream";
import { describe, test } from "node:test";
import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import { HttpError, NodeHttp2Engine, type Completion, type Framework, type FrameworkOptions } from "../index.ts";
import { certificate } from "../testing/certificate.testkit.ts";
import { exchange, serving, until, type Served } from "../testing/harness.testkit.ts";
import { closing, frame, framesOf, handshake, type ServerFrame } from "../testing/web-socket-client.testkit.ts";
import { type ServerWebSocket, webSocket, type WebSocketOptions } from "./index.ts";

/** RFC 9113 §7. */
const cancelled = 8;

/** The stream of an extended CONNECT, and its received data. */
interface Tunnel {
  readonly stream: ClientHttp2Stream;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  text(): string;
  frames(): readonly ServerFrame[];
  /** The code with which the stream was closed. */
  readonly closed: Promise<number | undefined>;
}

/** Requests a WebSocket as a browser does, and waits for the response. */
async function tunnel(session: ClientHttp2Session, path: string, fields: OutgoingHttpHeaders = {}): Promise<Tunnel> {
  if (session.remoteSettings === undefined || session.pendingSettingsAck) await once(session, "remoteSettings");
  const stream = session.request({
    ":method": "CONNECT",
    ":protocol": "websocket",
    ":path": path,
    "sec-websocket-version": "13",
    ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value])),
  });
  let bytes = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => void (bytes = Buffer.concat([bytes, chunk])));
  stream.on("error", () => undefined);
  const closed = new Promise<number | undefined>((resolve) => stream.once("close", () => resolve(stream.rstCode)));
  const [headers] = (await once(stream, "response")) as [IncomingHttpHeaders];
  const status = Number(headers[":status"]);
  return { stream, status, headers, text: () => bytes.toString(), frames: () => framesOf(bytes), closed };
}

/** Sends everything back. */
const echo: WebSocketOptions = { message: (socket, message) => void socket.send(message) };

/** An app over HTTP/2 with one WebSocket at `/ws/{name}`, a client on one session, and the ends of its requests. */
function withSession(
  options: WebSocketOptions,
  use: (served: Served & { readonly session: ClientHttp2Session; readonly ended: Completion[] }) => Promise<unknown>,
  define: (app: Framework) => unknown = () => undefined,
  settings: FrameworkOptions = {},
): Promise<void> {
  const ended: Completion[] = [];
  return serving(
    (app) => {
      app.use((ctx, next) => {
        ctx.onComplete((completion) => void ended.push(completion));
        return next();
      });
      define(app);
      app.ws("/ws/{name}", webSocket(options)).get("/plain", () => "plain");
    },
    async (served) => {
      const session = connect(served.app.url, { ca: certificate.cert, servername: "localhost" });
      session.on("error", () => undefined);
      try {
        await use({ ...served, session, ended });
      } finally {
        session.destroy();
      }
    },
    { engine: new NodeHttp2Engine(), ...settings },
  );
}

/** The body of an ordinary request on that session. */
async function get(session: ClientHttp2Session, path: string): Promise<string> {
  const stream = session.request({ ":path": path });
  let body = "";
  stream.setEncoding("utf8").on("data", (text: string) => void (body += text));
  await once(stream, "end");
  return body;
}

describe("an app over HTTP/2", () => {
  test("announces extended CONNECT when a route takes WebSockets, and not otherwise", async () => {
    const announced = async (app: Framework): Promise<unknown> => {
      const session = connect(app.url);
      const [settings] = (await once(session, "remoteSettings")) as [{ enableConnectProtocol?: boolean }];
      session.destroy();
      return settings.enableConnectProtocol;
    };
    const settings = { engine: new NodeHttp2Engine() };
    await serving(
      (app) => app.ws("/ws", webSocket(echo)),
      async ({ app }) => assert.equal(await announced(app), true),
      settings,
    );
    await serving(
      (app) => app.get("/", () => "x"),
      async ({ app }) => assert.notEqual(await announced(app), true),
      settings,
    );
  });

  for (const [how, tls] of [
    ["in cleartext", undefined],
    ["over TLS", certificate],
  ] as const)
    test(`opens a WebSocket ${how}, with the app's headers and the chosen subprotocol`, () =>
      withSession(
        {
          open: (socket, ctx) => void socket.send(`${ctx.pathParam("name")} ${socket.protocol} ${ctx.scheme}`),
          ...echo,
          protocols: ["b"],
        },
        async ({ session, app, ended }) => {
          const origin = `${new URL(app.url).protocol}//localhost:${app.port}`; // The session is one with "localhost".
          const fields = { "sec-websocket-protocol": "a, b", origin };
          const { stream, headers, frames, closed } = await tunnel(session, "/ws/a?n=1", fields);
          const lines = Object.entries(headers).filter(([name]) => name !== "date");
          assert.deepEqual(Object.fromEntries(lines), {
            ":status": 200,
            "x-by": "app",
            "set-cookie": ["a=1", "b=2"],
            "sec-websocket-protocol": "b",
          });
          stream.write(frame(1, "hello"));
          stream.write(frame(2, Uint8Array.of(0, 255)));
          stream.write(frame(8, closing(3000)));
          await once(stream, "end");
          stream.end();
          assert.equal(await closed, 0);
          assert.deepEqual(
            frames().map(({ opcode, payload }) => [opcode, payload.toString("latin1")]),
            [
              [1, `a b ${tls === undefined ? "http" : "https"}`],
              [1, "hello"],
              [2, "\x00\xff"],
              [8, closing(3000).toString("latin1")],
            ],
          );
          await until(() => ended.length === 1);
          assert.deepEqual(
            ended.map(({ status, aborted, error }) => ({ status, aborted, error })),
            [{ status: 101, aborted: false, error: undefined }],
          );
        },
        (app) =>
          app.use((ctx, next) => {
            ctx.setHeader("X-By", "app").appendHeader("Set-Cookie", "a=1").appendHeader("Set-Cookie", "b=2");
            return next();
          }),
        { engine: new NodeHttp2Engine(tls) },
      ));

  test("shows the app a GET that asks for an upgrade", () => {
    const seen: unknown[] = [];
    return withSession(
      echo,
      async ({ session, port }) => {
        await tunnel(session, "/ws/a", { cookie: "s=1" });
        const names = ["connection", "cookie", "host", "sec-websocket-version", "upgrade"];
        assert.deepEqual(seen, ["GET", "2", `localhost:${port}`, "websocket", "Upgrade", "s=1", undefined, names]);
      },
      (app) =>
        app.use((ctx, next) => {
          const fields = ["upgrade", "connection", "cookie", ":protocol"].map((name) => ctx.header(name));
          const names = [...ctx.requestHeaders()].map(([name]) => name);
          seen.push(ctx.method, ctx.httpVersion, ctx.host, ...fields, names.toSorted());
          return next();
        }),
    );
  });

  test("compresses for a client that offers it, and rejects a malformed offer", () =>
    withSession({ ...echo, compression: true }, async ({ session }) => {
      const extensions = "permessage-deflate; client_no_context_takeover; server_no_context_takeover";
      const offered = await tunnel(session, "/ws/a", { "sec-websocket-extensions": extensions });
      assert.match(String(offered.headers["sec-websocket-extensions"]), /^permessage-deflate/);
      const text = "x".repeat(2_000);
      const deflated = deflateRawSync(text, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, -4);
      offered.stream.write(frame(1, deflated, { rsv: 4 }));
      await until(() => offered.frames().length > 0);
      const { payload } = offered.frames()[0] ?? { payload: Buffer.alloc(0) };
      assert.ok(payload.length < 100);
      const whole = Buffer.concat([payload, Uint8Array.of(0, 0, 255, 255)]);
      assert.equal(inflateRawSync(whole, { finishFlush: constants.Z_SYNC_FLUSH }).toString(), text);
      const broken = await tunnel(session, "/ws/a", { "sec-websocket-extensions": "permessage-deflate; ;" });
      assert.deepEqual([broken.status, await get(session, "/plain")], [400, "plain"]);
    }));

  const rejected: Readonly<Record<string, readonly [path: string, fields: Record<string, string | undefined>]>> = {
    "what middleware rejects": ["/ws/a?as=nobody", {}],
    "what a contract rejects": ["/strict/7?n=x", {}],
    "a path where nothing is": ["/nothing", {}],
    "protocols that are none": ["/ws/a", { "Sec-WebSocket-Protocol": "a, ,b" }],
    "a page of another host": ["/ws/a", { Origin: "http://evil.example" }],
    "a page without an origin": ["/ws/a", { Origin: "null" }],
    "what a hook makes of it": ["/ws/a?hook=1", {}],
    "a failure behind the handler": ["/ws/a?late=1", {}],
    "a redirect": ["/elsewhere", {}],
    "another version": ["/ws/a", { "Sec-WebSocket-Version": "8" }],
  };
  test("rejects the same requests as over HTTP/1.1, with the same status, and keeps its session", () =>
    withSession(
      echo,
      async ({ session, port, ended }) => {
        for (const [what, [path, fields]] of Object.entries(rejected)) {
          const [older] = await exchange(port, handshake(path, { ...fields, Connection: "Upgrade, close" }));
          const { status, closed } = await tunnel(session, path, fields);
          assert.equal(status, older?.status === 426 ? 400 : older?.status, what);
          assert.equal(await closed, 0, what);
        }
        const { headers } = await tunnel(session, "/ws/a", { "Sec-WebSocket-Version": "8" });
        assert.equal(headers["sec-websocket-version"], "13");
        assert.equal(await get(session, "/plain"), "plain");
        await until(() => ended.length === 2 * Object.keys(rejected).length + 2);
      },
      (app) =>
        app
          .use(async (ctx, next) => {
            if (ctx.queryParam("as") === "nobody") throw new HttpError(401);
            await next();
            if (ctx.queryParam("late") !== undefined) throw new Error("late");
          })
          .onResponse((ctx, response) =>
            ctx.queryParam("hook") === undefined ? undefined : { ...response, status: 410 },
          )
          .get("/elsewhere", (ctx) => ctx.redirect("/plain"))
          .ws("/strict/{n}", { query: (query: unknown) => Object(query)["n"] === "1" }, webSocket(echo)),
    ));

  test("reports the close code of a message over the limit", () => {
    const codes: number[] = [];
    const options: WebSocketOptions = {
      maxMessageBytes: 100,
      closeMs: 20,
      close: (_socket, code) => void codes.push(code),
    };
    return withSession(options, async ({ session, ended }) => {
      const { stream } = await tunnel(session, "/ws/long");
      stream.write(frame(1, "x".repeat(101)));
      await until(() => ended.length === 1);
      assert.deepEqual(codes, [1009]);
    });
  });

  test("sends no 2xx without a WebSocket, and 501 for another protocol", () => {
    let left = 0;
    return withSession(
      echo,
      async ({ session, ended }) => {
        for (const path of ["/plain", "/bytes", "/stream", "/events", "/empty", "/early"]) {
          const { status, text, closed } = await tunnel(session, path);
          assert.deepEqual([status, await closed], [501, 0], path);
          assert.ok(!text().includes("plain"), path);
        }
        await until(() => ended.length === 6 && left === 1);
        assert.deepEqual(
          ended.map(({ status }) => status).filter((status) => status === 501).length,
          4,
          "those that were not streamed",
        );
        const other = await tunnel(session, "/ws/a", { ":protocol": "connect-udp" });
        assert.deepEqual([other.status, await get(session, "/plain")], [501, "plain"]);
      },
      (app) =>
        app
          .use((ctx, next) => (ctx.path === "/early" ? void ctx.text("plain") : next()))
          .get("/bytes", () => new TextEncoder().encode("plain"))
          .get("/empty", (ctx) => void ctx.status(204))
          .get("/stream", (ctx) => ctx.send(new Blob(["plain"]).stream()))
          .get("/events", (ctx) => {
            ctx.signal.addEventListener("abort", () => (left += 1));
            void ctx.sse().send({ data: "plain" });
          }),
    );
  });

  test("resets the stream of a WebSocket that is cut, and treats a reset as its end", () => {
    const codes: number[] = [];
    const options: WebSocketOptions = {
      message: (socket, message) => (message === "cut" ? socket.terminate() : void socket.send(message)),
      close: (_socket, code) => void codes.push(code),
    };
    return withSession(options, async ({ session, ended }) => {
      const neighbour = await tunnel(session, "/ws/neighbour");
      const cut = await tunnel(session, "/ws/cut");
      cut.stream.write(frame(1, "cut"));
      assert.equal(await cut.closed, cancelled);
      const reset = await tunnel(session, "/ws/reset");
      reset.stream.close(cancelled);
      await until(() => codes.length === 2);
      const ends = await tunnel(session, "/ws/ends");
      ends.stream.end();
      assert.equal(await ends.closed, 0);
      await until(() => ended.length === 3);
      assert.deepEqual(codes, [1006, 1006, 1006]);
      neighbour.stream.write(frame(1, "still here"));
      await until(() => neighbour.frames().length > 0);
      session.destroy();
      await until(() => ended.length === 4);
      assert.deepEqual(
        [codes.at(-1), ended.map(({ status, aborted }) => `${status} ${aborted}`)],
        [1006, ["101 true", "101 true", "101 true", "101 true"]],
      );
    });
  });

  test("is over when the client has cancelled the request before the handler accepts it", () => {
    let accept = (): void => undefined;
    return withSession(
      echo,
      async ({ session, ended }) => {
        await once(session, "remoteSettings");
        const stream = session.request({ ":method": "CONNECT", ":protocol": "websocket", ":path": "/ws/a" });
        stream.on("error", () => undefined);
        const before = accept;
        await until(() => accept !== before);
        stream.close(cancelled);
        await until(() => ended.length === 1);
        accept();
        await get(session, "/plain");
        assert.equal(ended[0]?.aborted, true);
      },
      (app) =>
        app.use(async (ctx, next) => {
          if (ctx.path !== "/plain") await new Promise<void>((resolve) => (accept = resolve));
          await next();
        }),
    );
  });

  test("does not read a client with a busy handler, and continues with the other streams", () => {
    let release = (): void => undefined;
    let handled = 0;
    const message: WebSocketOptions["message"] = (socket, text) => {
      if (text === "hi") return void socket.send("hi");
      return ++handled === 1 ? new Promise<void>((resolve) => (release = resolve)) : undefined;
    };
    return withSession({ message }, async ({ session }) => {
      const busy = await tunnel(session, "/ws/busy");
      const chunk = frame(2, new Uint8Array(60_000));
      for (let sent = 0; sent < 50; sent += 1) busy.stream.write(chunk);
      await until(() => handled === 1);
      const other = await tunnel(session, "/ws/other");
      other.stream.write(frame(1, "hi"));
      await until(() => other.frames().length === 1);
      assert.equal(await get(session, "/plain"), "plain");
      let [waiting, unchanged] = [-1, 0];
      await until(() => {
        unchanged = busy.stream.writableLength === waiting ? unchanged + 1 : 0;
        waiting = busy.stream.writableLength;
        return unchanged === 20;
      });
      assert.ok(waiting > 2_000_000, `${waiting} bytes wait at the client`);
      release();
      await until(() => handled === 50);
    });
  });

  test("detects a client that does not read, and continues with the others", () => {
    const sockets: ServerWebSocket[] = [];
    const options: WebSocketOptions = { ...echo, open: (socket) => void sockets.push(socket) };
    return withSession(options, async ({ session }) => {
      const slow = await tunnel(session, "/ws/slow");
      const [socket] = sockets;
      assert.ok(socket !== undefined);
      slow.stream.pause();
      const chunk = new Uint8Array(50_000);
      while (socket.send(chunk) || socket.bufferedBytes < 200_000) await new Promise(setImmediate);
      const other = await tunnel(session, "/ws/other");
      other.stream.write(frame(1, "hi"));
      await until(() => other.frames().length === 1);
      assert.ok(socket.bufferedBytes >= 200_000);
      slow.stream.resume();
      await socket.drained();
      assert.ok(socket.bufferedBytes < 65_536);
    });
  });

  test("is cut when its client leaves more than maxBufferedBytes unread", () => {
    const sockets: ServerWebSocket[] = [];
    const codes: number[] = [];
    const options: WebSocketOptions = {
      open: (socket) => void sockets.push(socket),
      close: (_socket, code) => void codes.push(code),
      maxBufferedBytes: 400_000,
    };
    return withSession(options, async ({ session }) => {
      const { stream, closed } = await tunnel(session, "/ws/slow");
      stream.pause();
      while (sockets[0]?.isOpen === true) {
        sockets[0].send(new Uint8Array(50_000));
        await new Promise(setImmediate);
      }
      assert.deepEqual([await closed, codes], [cancelled, [1006]]);
    });
  });

  test("closes its WebSockets with 1001 when it stops, and sends GOAWAY", () => {
    let closed = 0;
    const close = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      closed += 1;
    };
    return withSession({ ...echo, close }, async ({ session, app, ended }) => {
      const tunnels = await Promise.all(Array.from({ length: 100 }, (_, at) => tunnel(session, `/ws/${at}`)));
      for (const { stream, frames } of tunnels)
        stream.on("data", () => {
          const last = frames().at(-1);
          if (last?.opcode === 8) stream.end(frame(8, last.payload.subarray(0, 2)));
        });
      const away = once(session, "goaway");
      await app.stop({ graceMs: 5_000 });
      await away;
      const ends = tunnels.map(({ frames }) => frames().at(-1)?.payload.readUInt16BE(0));
      assert.deepEqual([[...new Set(ends)], closed, ended.length], [[1001], 100, 100]);
      assert.deepEqual([...new Set(ended.map(({ status, aborted }) => `${status} ${aborted}`))], ["101 false"]);
    });
  });

  test("is cut when nothing comes between two pings, and kept by any data", () =>
    withSession({ pingMs: 40 }, async ({ session, ended }) => {
      const [silent, lively] = await Promise.all([tunnel(session, "/ws/silent"), tunnel(session, "/ws/lively")]);
      const pings = ({ frames }: Tunnel): number => frames().filter(({ opcode }) => opcode === 9).length;
      let answered = 0;
      lively.stream.on("data", () => {
        for (; answered < pings(lively); answered += 1) lively.stream.write(frame(10));
      });
      assert.equal(await silent.closed, cancelled);
      await until(() => pings(lively) >= 4);
      assert.deepEqual([pings(silent), lively.stream.closed], [1, false]);
      assert.deepEqual(
        ended.map(({ aborted }) => aborted),
        [true],
      );
    }));

  test("is kept while a message arrives that takes longer than the time between two pings", () => {
    const got: unknown[] = [];
    return withSession({ pingMs: 40, message: (_socket, text) => void got.push(text) }, async ({ session }) => {
      const { stream, frames } = await tunnel(session, "/ws/slow");
      for (const byte of frame(1, "slowly")) {
        stream.write(Uint8Array.of(byte));
        await new Promise((resolve) => setTimeout(resolve, 12));
      }
      await until(() => got.length > 0);
      assert.deepEqual([got, frames().length >= 2], [["slowly"], true]);
    });
  });

  test("stays open for longer than the limits of a request and a silent connection", () =>
    withSession(
      echo,
      async ({ session }) => {
        const { stream, frames } = await tunnel(session, "/ws/a");
        let pings = 0;
        session.on("ping", () => void (pings += 1));
        await until(() => pings >= 3);
        stream.write(frame(1, "late"));
        await until(() => frames().length > 0);
      },
      () => undefined,
      { timeouts: { requestMs: 30, idleMs: 30, headersMs: 30, checkMs: 10 } },
    ));

  test("behaves the same for any split of its bytes", () =>
    withSession(echo, async ({ session }) => {
      const { stream, frames, closed } = await tunnel(session, "/ws/a");
      const sent = [frame(1, "he", { fin: false }), frame(9, "ping"), frame(0, "llo"), frame(8, closing(1000))];
      for (const byte of Buffer.concat(sent)) stream.write(Uint8Array.of(byte));
      await once(stream, "end");
      stream.end();
      await closed;
      assert.deepEqual(frames(), [
        { opcode: 10, payload: Buffer.from("ping") },
        { opcode: 1, payload: Buffer.from("hello") },
        { opcode: 8, payload: closing(1000) },
      ]);
    }));

  test("does not charge a client that leaves used WebSockets, and charges one that cancels them", () =>
    withSession(
      echo,
      async ({ session }) => {
        const used = async (): Promise<void> => {
          const { stream, frames, closed } = await tunnel(session, "/ws/a");
          stream.write(frame(1, "x"));
          await until(() => frames().length > 0);
          stream.close(cancelled);
          await closed;
        };
        for (let round = 0; round < 2; round += 1) await Promise.all(Array.from({ length: 80 }, used));
        assert.equal(await get(session, "/plain"), "plain");
        const calm = new Promise((resolve) => session.once("goaway", resolve));
        const fields = { ":method": "CONNECT", ":protocol": "websocket", ":path": "/ws/a" };
        for (let count = 1; !session.destroyed; count += 1) {
          const stream = session.request({ ...fields, "sec-websocket-version": "13" });
          stream.on("error", () => undefined);
          stream.close(cancelled);
          if (count % 50 === 0) await new Promise(setImmediate);
        }
        assert.equal(await calm, 11); // ENHANCE_YOUR_CALM (RFC 9113 §7)
      },
      () => undefined,
      { engine: new NodeHttp2Engine(undefined, { resetsPerSecond: 2 }) },
    ));

  test("serves another upgrade library, whose head comes in pieces and with its first bytes", () =>
    withSession(
      echo,
      async ({ session }) => {
        const { headers, text, stream, closed } = await tunnel(session, "/other");
        assert.deepEqual([headers[":status"], headers["x-other"]], [200, "yes"]);
        stream.end("ping");
        assert.equal(await closed, 0);
        assert.equal(text(), "first, GET /other 13 websocket: ping");
      },
      (app) =>
        app.ws("/other", (ctx) =>
          ctx.upgrade((connection) => {
            const socket = connection.socket as Duplex;
            const { method, url, headers } = connection.request as {
              method: string;
              url: string;
              headers: Record<string, string>;
            };
            for (const piece of [
              "HTTP/1.1 1",
              "01 Switching Protocols\r\nX-Other: yes\r\nUpgrade: websocket\r\n\r",
              "\nfirst, ",
            ])
              socket.write(piece);
            socket.on("data", (chunk: Buffer) => {
              socket.write(`${method} ${url} ${headers["sec-websocket-version"]} ${headers["upgrade"]}: `);
              socket.end(chunk);
            });
            socket.on("close", () => connection.over(0, false));
          }),
        ),
    ));
});
