/** `proxy`: a request forwarded to another server, on every host (CTX). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { CorsMiddleware, type Context, Framework, HttpError, NodeHttp2Engine, RequestIdMiddleware } from "../index.ts";
import { hosts, type Host } from "../testing/clients.testkit.ts";
import { until } from "../testing/harness.testkit.ts";
import { frame, handshake, opened, rawSocket } from "../testing/web-socket-client.testkit.ts";
import { webSocket } from "../websocket/index.ts";
import { proxy, type ProxyOptions } from "./index.ts";

/** Runs an upstream during `use`. */
async function upstream(
  listener: RequestListener,
  use: (address: string, server: Server) => Promise<void>,
): Promise<void> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => void sockets.add(socket));
  await once(server, "listening");
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Responds with the received request as JSON. */
const echo: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ ...told(request), body: Buffer.concat(chunks).toString() }));
  });
};

const told = ({ method, url, headers }: IncomingMessage): object => ({ method, url, headers });

for (const [name, { engine, open }] of Object.entries(hosts))
  describe(`proxy on ${name}`, () => {
    /** An app before that upstream. */
    async function before(
      listener: RequestListener,
      use: (host: Host, lines: readonly string[]) => Promise<void>,
      options: ProxyOptions = { prefix: "/api" },
      define: (app: Framework) => unknown = () => undefined,
    ): Promise<void> {
      await upstream(listener, async (address) => {
        const lines: string[] = [];
        const logger = { error: (line: string) => void lines.push(line) };
        const app = Framework.create({ host: "127.0.0.1", logger, maxBodyBytes: 4_000_000, ...(engine && { engine }) });
        define(app);
        const handler = (ctx: Context): unknown => proxy(ctx, address, options);
        const host = await open(app.any("/api/*rest", handler));
        await use(host, lines).finally(() => host.close());
      });
    }

    test("passes method, path, query and body on, and adds the client's data", () =>
      before(echo, async (host) => {
        const headers = [
          ["Host", "shop.example:8443"],
          ["Content-Type", "text/plain"],
          ["X-Own", "kept"],
          ["Forwarded", "for=192.0.2.1"],
          ["X-Forwarded-Proto", "gopher"],
          ["Proxy-Authorization", "secret"],
        ] as const;
        const target = "/api/a%2Fb//c/?q=1&q=%20";
        const seen = await host.send({ method: "QUERY", target, headers, body: "a body, äöü" });
        const { headers: had, ...request } = JSON.parse(seen.body);
        assert.deepEqual(request, { method: "QUERY", url: "/a%2Fb//c/?q=1&q=%20", body: "a body, äöü" });
        const scheme = name.includes("TLS") ? "https" : "http";
        const version = name.startsWith("h2") ? "2" : "1.1";
        const peer = name === "app.fetch" ? "unknown" : "127.0.0.1";
        assert.deepEqual(
          ["x-own", "forwarded", "x-forwarded-for", "x-forwarded-host", "via", "proxy-authorization"].map(
            (key) => had[key],
          ),
          [
            "kept",
            `for=192.0.2.1, for=${peer};host="shop.example:8443";proto=${scheme}`,
            peer,
            "shop.example:8443",
            `${version} framework`,
            undefined,
          ],
        );
        assert.deepEqual([had["x-forwarded-proto"], had.host.startsWith("127.0.0.1:")], [scheme, true]);
      }));

    test("passes a body of 3 MB through in pieces, and a coded one decoded", () =>
      before(
        (request, response) =>
          void request.pipe(response.writeHead(200, { "X-Coding": String(request.headers["content-encoding"]) })),
        async (host) => {
          const body = "0123456789abcdef".repeat(200_000);
          const seen = await host.send({ method: "POST", target: "/api/x", body });
          assert.deepEqual([seen.status, seen.body === body, seen.torn], [200, true, false]);
          const headers = [["Content-Encoding", "gzip"]] as const;
          const coded = await host.send({ method: "PUT", target: "/api/x", headers, body: gzipSync("text") });
          assert.deepEqual([coded.body, coded.headers["x-coding"]], ["text", "undefined"]);
        },
      ));

    test("returns status, fields, cookies and coded bytes, without the fields of the connection", () =>
      before(
        (_request, response) => {
          const hops = ["X-Hop", "no", "X-Last", "no", "Connection", "X-Hop, close, X-Last"];
          const fields = ["Set-Cookie", "a=1", "Set-Cookie", "b=2", ...hops];
          const more = ["Content-Encoding", "gzip", "X-Request-Id", "theirs", "Access-Control-Allow-Origin", "*"];
          response.writeHead(207, [...fields, ...more] as never).end(gzipSync("coded"));
        },
        async (host) => {
          const headers = [
            ["Origin", "https://a.example"],
            ["X-Request-Id", "ours"],
          ] as const;
          const { status, headers: had } = await host.send({ target: "/api/x", headers });
          assert.deepEqual(
            [status, had["set-cookie"], had["x-hop"], had["x-last"], had["content-encoding"], had["x-request-id"]],
            [207, ["a=1", "b=2"], undefined, undefined, "gzip", "ours"],
          );
          assert.equal(had["access-control-allow-origin"], "https://a.example");
        },
        { prefix: "/api" },
        (app) =>
          app.use(new RequestIdMiddleware()).use(CorsMiddleware.builder().allowOrigins("https://a.example").build()),
      ));

    test("returns a response without a body unchanged: HEAD, 204, 304", () =>
      before(
        (request, response) => {
          const status = request.method === "HEAD" ? 200 : Number(request.url?.slice(1));
          response.writeHead(status, status === 204 ? {} : { "Content-Length": "7", ETag: '"t"' }).end();
        },
        async (host) => {
          const head = await host.send({ method: "HEAD", target: "/api/200" });
          const none = await host.send({ target: "/api/204" });
          const same = await host.send({ target: "/api/304" });
          assert.deepEqual(
            [head, none, same].map(({ status, body, headers }) => [status, body, headers["etag"]]),
            [
              [200, "", '"t"'],
              [204, "", undefined],
              [304, "", '"t"'],
            ],
          );
        },
      ));

    test("changes and removes the configured fields, and keeps the client's Host", () =>
      before(
        echo,
        async (host) => {
          const headers = [
            ["Host", "shop.example"],
            ["Cookie", "a=1"],
            ["X-Key", "theirs"],
          ] as const;
          const { headers: had } = JSON.parse((await host.send({ target: "/api/x", headers })).body);
          assert.deepEqual([had.host, had.cookie, had["x-key"]], ["shop.example", undefined, "ours"]);
        },
        { prefix: "/api", preserveHost: true, headers: { cookie: undefined, "X-Key": "ours" } },
      ));

    test("is 502 when the upstream breaks off, 504 when it is late, 413 when the body is too long", () =>
      before(
        (request, response) => void (request.url === "/cut" ? response.destroy() : request.resume()),
        async (host, lines) => {
          const cut = await host.send({ target: "/api/cut" });
          const late = await host.send({ target: "/api/late" });
          const long = await host.send({ method: "POST", target: "/api/late", body: "x".repeat(4_000_001) });
          assert.deepEqual(
            [cut, late, long].map(({ status, body }) => [status, JSON.parse(body).code]),
            [
              [502, "BAD_GATEWAY"],
              [504, "GATEWAY_TIMEOUT"],
              [413, undefined],
            ],
          );
          assert.deepEqual(lines, []);
        },
        { prefix: "/api", timeoutMs: 200 },
      ));

    test("ends the upstream's request when the client leaves before a response exists", async () => {
      let asked = 0;
      let closed = 0;
      await before(
        (_request, response) => {
          asked += 1;
          response.once("close", () => (closed += 1));
        },
        async (host) => {
          const sent = host.send({ target: "/api/x", leaveAfter: "" }).catch(() => undefined);
          await until(() => asked === 1 && closed === 1);
          await sent;
        },
      );
    });

    test("ends the upstream's request when the client leaves in the middle of it", async () => {
      let closed = 0;
      await before(
        (_request, response) => {
          response.once("close", () => (closed += 1)).write("first");
        },
        async (host) => {
          await host.send({ target: "/api/x", leaveAfter: "first" }).catch(() => undefined);
          await until(() => closed === 1);
        },
      );
    });
  });

describe("proxy", () => {
  test("passes an event on when it comes, not when the stream is over", () =>
    upstream(
      (request, response) => {
        response.writeHead(200, { "Content-Type": "text/event-stream" }).write("data: 1\n\n");
        request.socket.once("data", () => undefined);
      },
      async (address) => {
        const app = Framework.create().get("/events", (ctx) => proxy(ctx, address));
        const left = new AbortController();
        const response = await app.fetch(new Request("http://x/events", { signal: left.signal }));
        const { value } = (await response.body?.getReader().read()) ?? {};
        assert.equal(Buffer.from(value ?? []).toString(), "data: 1\n\n");
        left.abort();
      },
    ));

  test("returns a response whose body takes longer than its head may", (t) => {
    let end = (): unknown => undefined;
    return upstream(
      (_, response) => {
        response.write("begun, ");
        end = () => response.end("and whole");
      },
      async (address) => {
        t.mock.timers.enable({ apis: ["setTimeout"] });
        const app = Framework.create().get("/a", (ctx) => proxy(ctx, address, { timeoutMs: 1_000 }));
        const response = await app.request("/a");
        t.mock.timers.tick(1_000);
        end();
        assert.equal(await response.text(), "begun, and whole");
      },
    );
  });

  test("requests exactly an address with a path, with the client's query when it has none", () =>
    upstream(echo, async (address) => {
      const app = Framework.create()
        .get("/a", (ctx) => proxy(ctx, `${address}/v2/x`))
        .get("/b", (ctx) => proxy(ctx, new URL(`${address}/v2/x?own=1`)));
      const urls = [await app.request("/a?q=1"), await app.request("/b?q=1")].map(
        async (one) => (await one.json()).url,
      );
      assert.deepEqual(await Promise.all(urls), ["/v2/x?q=1", "/v2/x?own=1"]);
    }));

  test("never sends a body as another request, for any claimed length of a Request", () =>
    upstream(echo, async (address) => {
      const app = Framework.create().post("/", (ctx) => proxy(ctx, address));
      const body = "xGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
      const response = await app.request("/", { method: "POST", headers: { "Content-Length": "1" }, body });
      const seen = await response.json();
      assert.deepEqual([seen.body, seen.headers["content-length"]], [body, undefined]);
    }));

  test("retries once when a kept connection turns out to be closed", async () => {
    let asked = 0;
    await upstream(
      (request, response) => {
        asked += 1;
        // The second request uses the kept connection, which ends without a response.
        if (asked === 2) request.socket.destroy();
        else response.end(String(asked));
      },
      async (address) => {
        const app = Framework.create({ logger: { error: () => undefined } }).get("/", (ctx) => proxy(ctx, address));
        const texts = [await (await app.request("/")).text(), await (await app.request("/")).text()];
        assert.deepEqual(texts, ["1", "3"]);
      },
    );
  });

  for (const [what, address, options, message] of [
    ["no address", "upstream", {}, 'proxy() got the address "upstream": http://… or https://… is one'],
    ["another scheme", "ftp://a", {}, 'proxy() got the address "ftp://a": http://… or https://… is one'],
    [
      "a prefix beside a path",
      "http://a/b",
      { prefix: "/x" },
      "proxy() got a prefix and the path /b: one of them says where to go",
    ],
    [
      "a prefix of other requests",
      "http://a",
      { prefix: "/x" },
      'proxy() got the prefix "/x" for a request that is not below it',
    ],
  ] as const)
    test(`rejects ${what}`, async () => {
      const app = Framework.create()
        .onError(TypeError, (error) => error.message)
        .get("/y", (ctx) => proxy(ctx, address, options));
      assert.equal(await (await app.request("/y")).text(), message);
    });
});

describe("proxy of a WebSocket", () => {
  /** An upstream that echoes, with an app of that engine before it. */
  async function joined(
    options: { readonly engine?: NodeHttp2Engine },
    use: (app: Framework, upstreamApp: Framework) => Promise<void>,
  ): Promise<void> {
    const logger = { error: () => undefined };
    const inner = Framework.create({ host: "127.0.0.1", logger })
      .ws("/closed", () => {
        throw new HttpError(403);
      })
      .ws("/live", webSocket({ message: (socket, message) => void socket.send(`${String(message)}!`) }));
    await inner.start(0);
    const outer = Framework.create({ host: "127.0.0.1", logger, ...options }).ws("/*rest", (ctx) =>
      proxy(ctx, inner.url),
    );
    await outer.start(0);
    await use(outer, inner).finally(async () => {
      await outer.stop({ graceMs: 50 });
      await inner.stop({ graceMs: 50 });
    });
  }

  for (const [name, options] of Object.entries({
    "node:http": {},
    "HTTP/1.1 beside h2c": { engine: new NodeHttp2Engine() },
  }))
    test(`passes messages both ways, and the close, on ${name}`, () =>
      joined(options, async (app) => {
        const client = await opened(`${app.url.replace("http", "ws")}/live`);
        client.socket.send("hello");
        assert.deepEqual(await client.got(1), ["hello!"]);
        client.socket.close(4000, "done");
        assert.equal(await client.closed, 4000);
      }));

  test("passes bytes on that came in one piece with the handshake", () =>
    joined({}, async (app) => {
      const raw = await rawSocket(app.port, handshake("/live"), frame(1, "early"));
      await until(() => raw.frames().length === 1);
      assert.equal(String(raw.frames()[0]?.payload), "early!");
      raw.socket.destroy();
    }));

  test("returns the rejection of the upstream", () =>
    joined({}, async (app) => {
      const raw = await rawSocket(app.port, handshake("/closed"));
      assert.match(raw.head, /^HTTP\/1\.1 403 Forbidden\r\n/);
      raw.socket.destroy();
    }));

  for (const side of ["app", "upstream"] as const)
    test(`ends when the ${side} stops`, () =>
      joined({}, async (app, inner) => {
        const client = await opened(`${app.url.replace("http", "ws")}/live`);
        await (side === "app" ? app : inner).stop({ graceMs: 0 });
        assert.equal(typeof (await client.closed), "number");
      }));
});
