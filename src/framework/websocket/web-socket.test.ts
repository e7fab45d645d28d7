/** WebSockets over real sockets: rejections as ordinary responses, the calls of the handlers, and the end (WS). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { constants, deflateRawSync } from "node:zlib";
import { HttpError, NodeHttp2Engine, type Completion, type Framework, type FrameworkOptions } from "../index.ts";
import { certificate } from "../testing/certificate.testkit.ts";
import { exchange, responsesOf, serving, until, wire, type Served } from "../testing/harness.testkit.ts";
import {
  closing,
  frame,
  framesOf,
  handshake,
  opened,
  type RawSocket,
  rawSocket,
  type ServerFrame,
} from "../testing/web-socket-client.testkit.ts";
import { webSocket, type WebSocketOptions } from "./index.ts";
import { settingsOf } from "./options.ts";

/** Sends everything back. */
const echo: WebSocketOptions = { message: (socket, message) => void socket.send(message) };

/** An app with one WebSocket at `/ws/{name}`, and the completions of its requests. */
function withSocket<T>(
  options: WebSocketOptions,
  use: (served: Served & { readonly url: string; readonly ended: Completion[] }) => Promise<T>,
  define: (app: Framework) => unknown = () => undefined,
  settings: FrameworkOptions = {},
): Promise<T> {
  const ended: Completion[] = [];
  return serving(
    (app) => {
      app.use((ctx, next) => {
        ctx.onComplete((completion) => void ended.push(completion));
        return next();
      });
      define(app);
      app.ws("/ws/{name}", webSocket(options));
    },
    (served) => use({ ...served, url: `ws://127.0.0.1:${served.port}/ws/a`, ended }),
    settings,
  );
}

describe("a route of app.ws", () => {
  test("WS-001: is 426 without an upgrade, for any other fields", () =>
    withSocket(echo, async ({ port, ended }) => {
      const plain = ["", "Upgrade: h2c\r\nConnection: Upgrade\r\n", "Upgrade: websocket\r\n"].map(
        (lines) => `GET /ws/a HTTP/1.1\r\nHost: x\r\n${lines}\r\n`,
      );
      const http10 = handshake("/ws/a").replace("HTTP/1.1", "HTTP/1.0");
      const head = handshake("/ws/a", { Connection: "Upgrade, close" }).replace("GET", "HEAD");
      for (const request of [...plain, http10, head]) {
        const raw = await rawSocket(port, request);
        raw.socket.destroy();
        const [response] = responsesOf(raw.head, true);
        const { status, headers } = response ?? {};
        assert.deepEqual(
          [status, headers?.["upgrade"], headers?.["content-type"]],
          [426, "websocket", "application/problem+json"],
          request,
        );
      }
      assert.deepEqual([...new Set(ended.map(({ status }) => status))], [426]);
    }));

  test("is annotated with its close code, the closing side, and the counts of both directions", async () => {
    const heard: unknown[] = [];
    const options: WebSocketOptions = {
      message(socket, message) {
        socket.send("got it");
        if (message === "leave") socket.close(4_000, "as you wish");
      },
    };
    const define = (app: Framework): unknown =>
      app.observe({ annotation: (_ctx, name, value) => heard.push([name, value]) });
    await withSocket(
      options,
      async ({ url, ended }) => {
        const asked = await opened(url);
        asked.socket.send("one");
        asked.socket.send("leave");
        assert.equal(await asked.closed, 4_000);
        const left = await opened(url);
        left.socket.terminate();
        await until(() => ended.length === 2);
      },
      define,
    );
    const closed = { code: 4_000, reason: "as you wish", by: "server", messages: 2, sentBytes: 12, protocol: "" };
    const broken = { code: 1_006, reason: "", by: "client", messages: 0, sentBytes: 0, protocol: "" };
    assert.deepEqual(heard, [
      ["webSocket", closed],
      ["webSocket", broken],
    ]);
  });

  test("WS-002: responds 101 with the accept value of the key, and the headers of the app", () =>
    withSocket(
      echo,
      async ({ port }) => {
        const raw = await rawSocket(port, handshake("/ws/a"));
        const lines = raw.head.split("\r\n").filter((line) => line !== "");
        assert.deepEqual(lines, [
          "HTTP/1.1 101 Switching Protocols",
          "Upgrade: websocket",
          "Connection: Upgrade",
          "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
          "Set-Cookie: a=1",
          "Set-Cookie: b=2",
          "X-After: yes",
        ]);
        raw.socket.destroy();
      },
      (app) =>
        app.use(async (ctx, next) => {
          ctx.appendHeader("Set-Cookie", "a=1").appendHeader("Set-Cookie", "b=2").setHeader("Content-Language", "en");
          await next();
          ctx.setHeader("X-After", "yes");
        }),
    ));

  const rejected: Readonly<
    Record<string, readonly [target: string, status: number, fields?: Record<string, string | undefined>]>
  > = {
    "WS-003: what middleware rejects": ["/ws/a?as=nobody", 401],
    "WS-003: what a contract rejects": ["/strict/7?n=x", 422],
    "WS-004: a path where nothing is": ["/nothing", 404],
    "WS-004: a route that is none": ["/plain", 200],
    "WS-005: another version": ["/ws/a", 426, { "Sec-WebSocket-Version": "8" }],
    "WS-005: no version": ["/ws/a", 426, { "Sec-WebSocket-Version": undefined }],
    "WS-006: no key": ["/ws/a", 400, { "Sec-WebSocket-Key": undefined }],
    "WS-006: a key of other than 16 bytes": ["/ws/a", 400, { "Sec-WebSocket-Key": "c2hvcnQ=" }],
    "WS-006: protocols that are none": ["/ws/a", 400, { "Sec-WebSocket-Protocol": "a, ,b" }],
    "WS-006: one protocol twice": ["/ws/a", 400, { "Sec-WebSocket-Protocol": "a, a" }],
    "WS-007: a page of another host": ["/ws/a", 403, { Origin: "http://evil.example" }],
    "WS-007: a page without an origin": ["/ws/a", 403, { Origin: "null" }],
    "WS-003: what a hook makes of it": ["/ws/a?hook=1", 410],
    "WS-003: a failure behind the handler": ["/ws/a?late=1", 500],
  };
  test("WS-003 WS-004 WS-005 WS-006 WS-007: is an ordinary response when it is rejected, and the connection closes", () =>
    withSocket(
      echo,
      async ({ port, ended }) => {
        for (const [what, [target, status, fields]] of Object.entries(rejected)) {
          const before = ended.length;
          const responses = await exchange(port, handshake(target, fields));
          assert.deepEqual(
            responses.map((response) => [response.status, [response.headers["connection"]].flat().at(-1)]),
            [[status, "close"]],
            what,
          );
          await until(() => ended.length > before);
          assert.deepEqual([ended.at(-1)?.status, ended.length], [status, before + 1], what);
        }
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
          .get("/plain", () => "plain")
          .ws("/strict/{n}", { query: (query: unknown) => Object(query)["n"] === "1" }, webSocket(echo)),
    ));

  const version = [
    "websocket",
    ["Upgrade", "close"],
    "13",
    "version 13 of the WebSocket protocol is spoken here (RFC 6455)",
  ];
  const key = [undefined, "close", undefined, "the Sec-WebSocket-Key is missing, or not 16 bytes in base64"];
  const names = [undefined, "close", undefined, "the Sec-WebSocket-Protocol is no list of different names"];
  const page = [undefined, "close", undefined, "a page of this origin may not open a WebSocket here: see allowOrigins"];
  const reasons: readonly (readonly [fields: Record<string, string | undefined>, said: readonly unknown[]])[] = [
    [{ "Sec-WebSocket-Version": "8" }, version],
    [{ "Sec-WebSocket-Key": undefined }, key],
    [{ "Sec-WebSocket-Key": "AdGhlIHNhbXBsZSBub25jZQ==" }, key],
    [{ "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==A" }, key],
    [{ "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZB==" }, key],
    [{ "Sec-WebSocket-Protocol": "a, a" }, names],
    [{ Origin: "http://evil.example" }, page],
  ];
  test("WS-005 WS-006 WS-007: names the error, and the supported version", () =>
    withSocket(echo, async ({ port }) => {
      for (const [fields, said] of reasons) {
        const [response] = await exchange(port, handshake("/ws/a", fields));
        const { headers, body } = response ?? assert.fail();
        const { detail } = JSON.parse(body) as { detail?: unknown };
        const found = ["upgrade", "connection", "sec-websocket-version"].map((name) => headers[name]);
        assert.deepEqual([...found, detail], said, JSON.stringify(fields));
      }
    }));

  test("WS-004: passes an upgrade to another protocol, with its body, to its ordinary route", () =>
    withSocket(
      echo,
      async ({ port }) => {
        const head = `POST /body HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nContent-Length: 4\r\n`;
        const { socket, text } = wire(port, `${head}Connection: Upgrade, HTTP2-Settings\r\n\r\nbody`);
        await until(() => responsesOf(text()).length === 1);
        socket.write(`${head}Connection: Upgrade, close\r\n\r\nmore`);
        await until(() => responsesOf(text()).length === 2);
        socket.destroy();
        assert.deepEqual(
          responsesOf(text()).map(({ body }) => body),
          ["body", "more"],
        );
      },
      (app) => app.post("/body", (ctx) => ctx.bodyAsString()),
    ));

  test("adds no CONNECT, which stays 405", () =>
    withSocket(echo, async ({ port, ended }) => {
      const [response] = await exchange(port, "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n");
      assert.deepEqual([response?.status, response?.headers["connection"], ended], [405, "close", []]);
    }));

  test("WS-004: does not upgrade after requests with pending responses, or with a body", () =>
    withSocket(
      echo,
      async ({ port }) => {
        const slow = "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n";
        const responses = await exchange(port, slow + handshake("/ws/a", { Connection: "Upgrade, close" }));
        assert.deepEqual(
          responses.map(({ status }) => status),
          [200, 501],
        );
        const [withBody] = await exchange(
          port,
          `${handshake("/ws/a", { "Content-Length": "2", Connection: "Upgrade, close" })}ab`,
        );
        assert.equal(withBody?.status, 501);
      },
      (app) => app.get("/slow", () => new Promise((resolve) => setTimeout(resolve, 20, "slow"))),
    ));

  test("upgrades a request that also offers other protocols and subprotocols", () =>
    withSocket({ ...echo, protocols: ["b"] }, async ({ port }) => {
      const fields = { Upgrade: "h2c, WebSocket", "Sec-WebSocket-Protocol": "a, b" };
      const raw = await rawSocket(port, handshake("/ws/a", fields), frame(1, "x"));
      await until(() => raw.frames().length > 0);
      assert.deepEqual(
        [raw.head.split("\r\n")[0], raw.head.includes("\r\nSec-WebSocket-Protocol: b\r\n")],
        ["HTTP/1.1 101 Switching Protocols", true],
      );
      raw.socket.destroy();
    }));

  test("upgrades in one packet with a completed earlier request, and with its first frames", () =>
    withSocket(
      echo,
      async ({ port }) => {
        const { socket, text } = wire(port);
        const before = "GET /plain HTTP/1.1\r\nHost: x\r\n\r\n";
        socket.write(Buffer.concat([Buffer.from(before + handshake("/ws/a")), frame(1, "first"), frame(1, "second")]));
        await until(() => text().endsWith("\x81\x06second"));
        assert.deepEqual([responsesOf(text())[0]?.body, text().includes("\x81\x05first")], ["plain", true]);
        socket.destroy();
        const both = await exchange(port, before + handshake("/plain"));
        assert.deepEqual(
          both.map(({ body }) => body),
          ["plain", "plain"],
        );
      },
      (app) => app.get("/plain", () => "plain"),
    ));

  test("is 501 over HTTP/2, by app.fetch, and when a host passes no upgrades on", async () => {
    await withSocket(
      echo,
      async ({ app }) => {
        const headers = { Upgrade: "websocket", Connection: "Upgrade" };
        const upgrade = { method: "GET", headers: Object.entries(headers) };
        const fetched = await app.fetch(
          new Request("http://x/ws/a", { headers: upgrade.headers as [string, string][] }),
        );
        assert.equal(fetched.status, 501);
        const plain = await app.fetch(new Request("http://x/ws/a"));
        assert.deepEqual([plain.status, plain.headers.get("upgrade")], [426, "websocket"]);
        const { connect } = await import("node:http2");
        const session = connect(app.url);
        const stream = session.request({ ":path": "/ws/a" });
        const status = await new Promise((resolve) => stream.on("response", (head) => resolve(head[":status"])));
        const extended = session.request({ ":method": "CONNECT", ":authority": "localhost" });
        const connected = await new Promise((resolve) => extended.on("response", (head) => resolve(head[":status"])));
        session.destroy();
        assert.deepEqual(
          [status, connected, session.remoteSettings?.enableConnectProtocol ?? false],
          [501, 501, false],
        );
      },
      () => undefined,
      { engine: new NodeHttp2Engine() },
    );
  });

  for (const [name, engine, scheme] of [
    ["beside HTTP/2", new NodeHttp2Engine(), "ws"],
    ["over TLS", new NodeHttp2Engine(certificate), "wss"],
  ] as const)
    test(`is served ${name}, over HTTP/1.1`, () =>
      withSocket(
        echo,
        async ({ port }) => {
          const client = await opened(`${scheme}://localhost:${port}/ws/a`, [], { ca: certificate.cert });
          client.socket.send("hello");
          assert.deepEqual(await client.got(1), ["hello"]);
          client.socket.close();
          assert.equal(await client.closed, 1005);
        },
        () => undefined,
        { engine },
      ));
});

describe("webSocket", () => {
  test("passes each message to its handler unchanged, and sends messages", () =>
    withSocket(
      {
        open: (socket, ctx) => void socket.send(`hello ${ctx.pathParam("name")}, ${socket.protocol}`),
        message: (socket, message) => void socket.send(typeof message === "string" ? `text ${message}` : message),
        protocols: ["v2", "v1"],
      },
      async ({ url, port, ended }) => {
        const client = await opened(url, ["v0", "v1", "v2"], { origin: `http://127.0.0.1:${port}` });
        client.socket.send("ä");
        client.socket.send(Uint8Array.of(0, 255));
        assert.deepEqual(await client.got(3), ["hello a, v1", "text ä", Buffer.from([0, 255])]);
        assert.deepEqual(ended, []);
        client.socket.close(3000, "enough");
        assert.equal(await client.closed, 3000);
        await until(() => ended.length > 0);
        assert.deepEqual(
          ended.map(({ status, bytes, aborted, error }) => ({ status, bytes, aborted, error })),
          [{ status: 101, bytes: 11 + 7 + 2, aborted: false, error: undefined }],
        );
      },
    ));

  test("passes messages on one at a time, in order, and not before `open` has settled", () => {
    const log: string[] = [];
    let open = (): void => undefined;
    return withSocket(
      {
        open: () => new Promise<void>((resolve) => (open = resolve)).then(() => void log.push("open")),
        message: async (_socket, message) => {
          log.push(`begin ${String(message)}`);
          await new Promise((resolve) => setTimeout(resolve, message === "1" ? 10 : 0));
          log.push(`end ${String(message)}`);
        },
        close: (_socket, code, reason) => void log.push(`close ${code} ${reason}`),
      },
      async ({ url, ended }) => {
        const client = await opened(url);
        for (const text of ["1", "2", "3"]) client.socket.send(text);
        client.socket.close(1000, "done");
        await new Promise(setImmediate);
        assert.deepEqual(log, []);
        open();
        await until(() => ended.length > 0);
        assert.deepEqual(log, ["open", "begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3", "close 1000 done"]);
      },
    );
  });

  test("does not read a client while a handler is busy, and buffers nothing of its data", () => {
    let release = (): void => undefined;
    let handled = 0;
    return withSocket(
      { message: () => (++handled === 1 ? new Promise<void>((resolve) => (release = resolve)) : undefined) },
      async ({ url }) => {
        const client = await opened(url);
        const text = "x".repeat(65_536);
        const total = 400;
        for (let sent = 0; sent < total; sent += 1) client.socket.send(text);
        let [buffered, unchanged] = [-1, 0];
        await until(() => {
          unchanged = client.socket.bufferedAmount === buffered ? unchanged + 1 : 0;
          buffered = client.socket.bufferedAmount;
          return handled === 1 && unchanged === 20;
        });
        assert.ok(client.socket.bufferedAmount > 4_000_000, `${client.socket.bufferedAmount} bytes wait at the client`);
        release();
        await until(() => handled === total);
        client.socket.terminate();
      },
    );
  });

  const failing: Readonly<Record<string, WebSocketOptions>> = {
    open: { open: () => assert.fail("thrown") },
    "open, later": { open: () => Promise.reject(new Error("thrown")) },
    message: { message: () => assert.fail("thrown") },
    "message, later": { message: () => Promise.reject(new Error("thrown")) },
    "error too": { message: () => assert.fail("thrown"), error: () => assert.fail("thrown in error") },
    "error too, later": {
      message: () => assert.fail("thrown"),
      error: () => Promise.reject(new Error("thrown in error")),
    },
    "message, by what is no promise": {
      message: () => ({
        // oxlint-disable-next-line unicorn/no-thenable
        then: () => {
          throw new Error("thrown");
        },
      }),
    },
  };
  for (const [name, options] of Object.entries(failing))
    test(`closes with 1011 and logs when its handler fails: ${name}`, () => {
      const told: unknown[] = [];
      const hearing: WebSocketOptions = { error: (_socket, error) => void told.push(error) };
      return withSocket({ ...hearing, ...options }, async ({ url, errors, ended }) => {
        const client = await opened(url);
        client.socket.send("go");
        client.socket.send("not any more");
        assert.equal(await client.closed, 1011);
        await until(() => ended.length > 0);
        const [handler = ""] = name.split(/[ ,]/);
        const lines = errors.map(({ line }) => line);
        if (handler === "error")
          assert.deepEqual(lines, [
            "ws /ws/{name}: its message handler failed",
            "ws /ws/{name}: its error handler failed",
          ]);
        else assert.deepEqual([lines, told.length], [[`ws /ws/{name}: its ${handler} handler failed`], 1]);
      });
    });

  test("logs an error of `close`, and the request is still over", () =>
    withSocket({ close: () => Promise.reject(new Error("thrown")) }, async ({ url, errors, ended }) => {
      const client = await opened(url);
      client.socket.close();
      await until(() => ended.length > 0);
      assert.deepEqual(
        errors.map(({ line }) => line),
        ["ws /ws/{name}: its close handler failed"],
      );
    }));

  const violations: Readonly<Record<string, readonly [code: number, bytes: Buffer]>> = {
    "a frame without a mask": [1002, frame(1, "x", { mask: false })],
    "a reserved bit": [1002, frame(1, "x", { rsv: 4 })],
    "an opcode that is reserved": [1002, frame(3, "x")],
    "a fragmented control frame": [1002, frame(9, "", { fin: false })],
    "a control frame of 126 bytes": [1002, frame(9, "x".repeat(126))],
    "a continuation of nothing": [1002, frame(0, "x")],
    "a close code that never goes over the wire": [1002, frame(8, closing(1005))],
    "text that is not UTF-8": [1007, frame(1, Uint8Array.of(0xc3, 0x28))],
    "a message over the limit": [1009, frame(1, "x".repeat(101))],
    "fragments over the limit": [
      1009,
      Buffer.concat([frame(1, "x".repeat(60), { fin: false }), frame(0, "x".repeat(60))]),
    ],
  };
  test("closes with the code for a client's protocol error, reports it, and logs nothing about it", () => {
    const codes: number[] = [];
    return withSocket(
      { ...echo, maxMessageBytes: 100, close: (_socket, code) => void codes.push(code) },
      async ({ port, errors, ended }) => {
        for (const [what, [code, bytes]] of Object.entries(violations)) {
          const raw = await rawSocket(port, handshake("/ws/a"), bytes);
          await raw.ended;
          assert.deepEqual(raw.frames(), [{ opcode: 8, payload: closing(code) }], what);
        }
        await until(() => ended.length === Object.keys(violations).length);
        assert.deepEqual(errors, []);
        assert.deepEqual(
          codes,
          Object.values(violations).map(([code]) => code),
        );
      },
    );
  });

  test("behaves the same for any split of its bytes", () =>
    withSocket(echo, async ({ port }) => {
      const bytes = Buffer.concat([
        Buffer.from(handshake("/ws/a")),
        frame(1, "he", { fin: false }),
        frame(9, "ping"),
        frame(0, "llo"),
        frame(2, "x".repeat(130)),
        frame(8, closing(1000)),
      ]);
      const expected = [
        { opcode: 10, payload: Buffer.from("ping") },
        { opcode: 1, payload: Buffer.from("hello") },
        { opcode: 2, payload: Buffer.from("x".repeat(130)) },
        { opcode: 8, payload: closing(1000) },
      ];
      const head = bytes.indexOf("\r\n\r\n") + 4;
      for (let at = 1; at < bytes.length; at += at < head - 2 ? 40 : 1)
        assert.deepEqual(await inTwo(port, bytes, at), expected, `split at ${at}`);
    }));

  test("accepts the configured pages", async () => {
    const asked: string[] = [];
    const cases: readonly (readonly [WebSocketOptions["allowOrigins"], string, number])[] = [
      [undefined, "http://localhost", 101],
      [undefined, "https://localhost", 101],
      [undefined, "http://localhost:8080", 403],
      [["https://shop.example"], "https://shop.example", 101],
      [["https://shop.example"], "http://localhost", 403],
      ["*", "http://evil.example", 101],
      [(origin) => asked.push(origin) > 0 && origin.endsWith(".test"), "http://a.test", 101],
      [async (origin) => origin.endsWith(".test"), "http://a.example", 403],
      [(() => "no") as never, "http://a.test", 403],
      [(async () => ({})) as never, "http://a.test", 403],
    ];
    for (const [allowOrigins, origin, status] of cases)
      await withSocket({ allowOrigins }, async ({ port }) => {
        const raw = await rawSocket(port, handshake("/ws/a", { Origin: origin }));
        raw.socket.destroy();
        assert.equal(Number(raw.head.slice(9, 12)), status, origin);
      });
    assert.deepEqual(asked, ["http://a.test"]);
  });

  test("WS-007: accepts a page of the requested host, and by its default port, and no invalid origin", () =>
    withSocket(echo, async ({ port }) => {
      const cases: readonly (readonly [host: string, origin: string, status: string])[] = [
        ["LOCALHOST:80", "http://localhost", "101"],
        ["localhost:443", "https://localhost", "101"],
        ["localhost:443", "http://localhost", "403"],
        ["localhost:8080", "http://localhost:8080", "101"],
        ["localhost", "http://localhost/", "403"],
        ["localhost", "http://localhost:80", "403"],
        ["localhost", "HTTP://localhost", "403"],
        ["localhost", "ftp://localhost", "403"],
        ["localhost", "ws://localhost", "403"],
        ["localhost", "localhost", "403"],
        ["", "http://undefined", "403"],
      ];
      for (const [Host, Origin, status] of cases) {
        const { socket, head } = await rawSocket(port, handshake("/ws/a", { Host, Origin }));
        socket.destroy();
        assert.equal(head.slice(9, 12), status, `${Origin} on ${Host}`);
      }
    }));

  test("WS-007: accepts no page without TLS when the request came over TLS", () =>
    withSocket(
      echo,
      async ({ port }) => {
        const forwarded = {
          "X-Forwarded-Proto": "https",
          "X-Forwarded-For": "1.2.3.4",
          "X-Forwarded-Host": "localhost",
        };
        const heads = await Promise.all(
          ["http://localhost", "https://localhost"].map((Origin) =>
            rawSocket(port, handshake("/ws/a", { ...forwarded, Origin })),
          ),
        );
        for (const { socket } of heads) socket.destroy();
        assert.deepEqual(
          heads.map(({ head }) => head.slice(9, 12)),
          ["403", "101"],
        );
      },
      () => undefined,
      { trustProxy: true },
    ));

  test("compresses for a client that offers it, when enabled", () =>
    withSocket({ ...echo, compression: true }, async ({ url, port, ended, errors }) => {
      const client = await opened(url);
      assert.equal(client.socket.extensions, "permessage-deflate");
      client.socket.send("x".repeat(1_000));
      assert.deepEqual(await client.got(1), ["x".repeat(1_000)]);
      client.socket.terminate();
      const broken = wire(port, handshake("/ws/a", { "Sec-WebSocket-Extensions": "permessage-deflate; ;" }));
      await broken.closed;
      assert.match(broken.text(), /^HTTP\/1\.1 400 Bad Request\r\n/);
      await until(() => ended.length === 2);
      assert.deepEqual([ended.map(({ aborted }) => aborted), errors], [[true, true], []]);
    }));

  /** Sends a handshake and a short message in one packet with `count` messages that inflate to 70,000 bytes each. */
  const sendBurst = (port: number, count: number): Promise<RawSocket> => {
    const compressed = (text: string): Buffer =>
      frame(1, deflateRawSync(text, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, -4), { rsv: 4 });
    const messages = [compressed("x"), ...Array.from({ length: count }, () => compressed("y".repeat(70_000)))];
    const head = handshake("/ws/a", { "Sec-WebSocket-Extensions": "permessage-deflate" });
    return rawSocket(port, head, Buffer.concat([...messages, frame(9, "all read")]));
  };

  test("closes with 1008 a client whose waiting messages inflate to more than maxQueuedBytes", async () => {
    let release = (): void => undefined;
    let handled: number[] = [];
    const message: WebSocketOptions["message"] = (_socket, text) => {
      handled.push(text.length);
      return handled.length > 1 ? undefined : new Promise<void>((resolve) => (release = resolve));
    };
    await withSocket({ message, compression: true, maxQueuedBytes: 500_000 }, async ({ port, ended }) => {
      const modest = await sendBurst(port, 7);
      await until(() => modest.frames().some(({ opcode }) => opcode === 10));
      assert.deepEqual(handled, [1], "the others wait");
      release();
      await until(() => handled.length === 8);
      assert.deepEqual(
        modest.frames().map(({ opcode }) => opcode),
        [10],
      );
      modest.socket.destroy();

      handled = [];
      const greedy = await sendBurst(port, 8);
      await until(() => greedy.frames().some(({ opcode }) => opcode === 8));
      const [{ payload } = { payload: Buffer.alloc(2) }] = greedy.frames().filter(({ opcode }) => opcode === 8);
      assert.equal(payload.readUInt16BE(0), 1008);
      greedy.socket.destroy();
      release();
      await until(() => ended.length === 2);
      assert.deepEqual(handled, [1], "nothing more of a client that was closed");
    });
  });

  test("uses the default for a missing option, and accepts the minimum and the maximum of each", () => {
    const defaults = {
      protocols: [],
      compression: false,
      allowOrigins: "same-origin",
      maxMessageBytes: 1048576,
      maxQueuedBytes: 16777216,
      maxBufferedBytes: 4194304,
      pingMs: 3e4,
      idleMs: 0,
      closeMs: 5e3,
    };
    assert.deepEqual(settingsOf({}), defaults);
    assert.equal(settingsOf({ maxMessageBytes: 2 ** 25 }).maxQueuedBytes, 2 ** 25);
    const [longest, most] = [2 ** 31 - 1, 2 ** 40];
    const extremes = [
      { pingMs: 0, idleMs: 0, closeMs: 1, maxMessageBytes: 1, maxQueuedBytes: 1, maxBufferedBytes: 1 },
      { pingMs: longest, idleMs: longest, closeMs: longest },
      { maxMessageBytes: 2 ** 30, maxQueuedBytes: most, maxBufferedBytes: most },
    ];
    for (const options of extremes) assert.deepEqual(settingsOf(options), { ...settingsOf(options), ...options });
    const odd = [{ pingMs: longest + 1 }, { closeMs: longest + 1 }, { idleMs: -1 }, { maxMessageBytes: 2 ** 30 + 1 }];
    for (const options of [...odd, { maxQueuedBytes: 0 }, { maxBufferedBytes: 0 }, { maxQueuedBytes: most + 1 }])
      assert.throws(() => settingsOf(options), { code: "WEBSOCKET_INVALID" });
  });

  const origins = 'origins such as "https://shop.example", "same-origin", "*" and a function are allowed';
  const names =
    "open, message, close, error, pingMs, idleMs, closeMs, maxMessageBytes, maxBufferedBytes, maxQueuedBytes, protocols, allowOrigins, compression";
  const tokens = "a list of tokens (RFC 6455 §4.1) is allowed";
  const wrong: Readonly<Record<string, readonly [options: object, sentence: string]>> = {
    "an option that there is not": [
      { onMessage: 1 },
      `webSocket() has no option onMessage: ${names} can be set; did you mean message?`,
    ],
    "an invalid handler": [{ message: 1 }, "webSocket() has message: number; a function is allowed"],
    "another invalid one": [{ error: "log" }, "webSocket() has error: string; a function is allowed"],
    "an invalid time": [{ pingMs: -1 }, "webSocket() has pingMs: -1; an integer from 0 to 2147483647 is allowed"],
    "a time that is over at once": [
      { closeMs: 0 },
      "webSocket() has closeMs: 0; an integer from 1 to 2147483647 is allowed",
    ],
    "a time that no timer takes": [
      { idleMs: 2 ** 31 },
      "webSocket() has idleMs: 2147483648; an integer from 0 to 2147483647 is allowed",
    ],
    "an invalid size": [
      { maxMessageBytes: 0 },
      "webSocket() has maxMessageBytes: 0; an integer from 1 to 1073741824 is allowed",
    ],
    "another invalid size": [
      { maxQueuedBytes: 1.5 },
      "webSocket() has maxQueuedBytes: 1.5; an integer from 1 to 1099511627776 is allowed",
    ],
    "a size that is too large": [
      { maxBufferedBytes: 2 ** 41 },
      "webSocket() has maxBufferedBytes: 2199023255552; an integer from 1 to 1099511627776 is allowed",
    ],
    "an origin with a path": [
      { allowOrigins: ["http://a.b/"] },
      `webSocket() has allowOrigins: "http://a.b/"; ${origins}`,
    ],
    "an invalid origin": [{ allowOrigins: "shop.example" }, `webSocket() has allowOrigins: "shop.example"; ${origins}`],
    "an invalid origin in a list": [
      { allowOrigins: ["http://a.b", "shop.example"] },
      `webSocket() has allowOrigins: "shop.example"; ${origins}`,
    ],
    "an origin that is a number": [{ allowOrigins: ["http://a.b", 7] }, `webSocket() has allowOrigins: 7; ${origins}`],
    "a protocol that is not a token": [{ protocols: ["a b"] }, `webSocket() has protocols: ["a b"]; ${tokens}`],
    "a protocol that is a number": [{ protocols: [7] }, `webSocket() has protocols: [7]; ${tokens}`],
    "protocols that are a text": [{ protocols: "chat" }, `webSocket() has protocols: "chat"; ${tokens}`],
    "an invalid compression": [
      { compression: "gzip" },
      "webSocket() has compression: gzip; true and false are allowed",
    ],
  };
  for (const [what, [options, sentence]] of Object.entries(wrong))
    test(`names ${what} immediately`, () => {
      assert.throws(() => webSocket(options), { name: "TypeError", code: "WEBSOCKET_INVALID", message: sentence });
    });
});

/** The received frames when the bytes are sent in two packets. */
async function inTwo(port: number, bytes: Buffer, at: number): Promise<readonly ServerFrame[]> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => void chunks.push(chunk));
  socket.write(bytes.subarray(0, at), () => setImmediate(() => socket.write(bytes.subarray(at))));
  await once(socket, "close");
  const all = Buffer.concat(chunks);
  return framesOf(all.subarray(all.indexOf("\r\n\r\n") + 4));
}
