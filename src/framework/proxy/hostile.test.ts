/** `proxy`: requests of clients, and responses of upstreams, that must not deceive the other side. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { describe, test } from "node:test";
import type { Framework } from "../index.ts";
import { exchange, serving, until, wire } from "../testing/harness.testkit.ts";
import { handshake } from "../testing/web-socket-client.testkit.ts";
import { webSocket } from "../websocket/index.ts";
import { proxy, type ProxyOptions } from "./index.ts";

/** Every request that an upstream reads. */
interface Got {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** An app in front of an upstream that records its requests, during `use`. */
async function before(
  use: (port: number, got: readonly Got[], app: Framework) => Promise<unknown>,
  define: (app: Framework, url: string) => unknown = (app, url) => app.any("/*rest", (ctx) => proxy(ctx, url)),
): Promise<void> {
  const got: Got[] = [];
  const server = createServer((req, res) => {
    const { method, url, headers } = req;
    let body = "";
    req.setEncoding("latin1").on("data", (chunk) => void (body += String(chunk)));
    req.on("end", () => {
      got.push({ method, url, headers, body });
      res.end("ok");
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await serving(
      (app) => define(app, address),
      ({ port, app }) => use(port, got, app),
    );
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** The upstream's view of the lines of one GET. */
async function linesOf(lines: string, options: ProxyOptions = {}): Promise<IncomingMessage["headers"]> {
  let seen: readonly Got[] = [];
  await before(
    async (port, got) => {
      await exchange(port, `GET /a HTTP/1.1\r\nConnection: close\r\n${lines}\r\n\r\n`);
      seen = [...got];
    },
    (app, url) => app.get("/a", (ctx) => proxy(ctx, url, options)),
  );
  assert.equal(seen.length, 1);
  return seen[0]?.headers ?? {};
}

/** A second request, hidden in the body of a first one. */
const hidden = "GET /hidden HTTP/1.1\r\nHost: h\r\n\r\n";

describe("a client's request through proxy", () => {
  for (const method of ["GET", "DELETE", "OPTIONS", "POST"])
    test(`is one request when the body of ${method} comes in chunks`, () =>
      before(async (port, got) => {
        const chunk = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
        const head = `${method} /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`;
        await exchange(port, head + chunk);
        assert.deepEqual(
          got.map((one) => [one.method, one.url, one.body]),
          [[method, "/a", hidden]],
        );
      }));

  test("is one request when a web Request claims a wrong length of its body", () =>
    before(async (_port, got, app) => {
      for (const method of ["DELETE", "PUT"])
        await app.request("/a", { method, headers: { "Content-Length": "1" }, body: hidden });
      assert.deepEqual(
        got.map((one) => [one.method, one.url, one.body]),
        [
          ["DELETE", "/a", hidden],
          ["PUT", "/a", hidden],
        ],
      );
    }));

  test("has the path of an absolute target", () =>
    before(async (port, got) => {
      await exchange(port, "GET http://h/a/b?c HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
      assert.deepEqual(
        got.map(({ url }) => url),
        ["/a/b?c"],
      );
    }));

  test("is an ordinary request when a route takes no WebSocket", () =>
    before(async (port, got) => {
      const [response] = await exchange(port, handshake("/a", { Connection: "Upgrade, close" }));
      assert.equal(response?.status, 200);
      assert.deepEqual([got[0]?.headers.upgrade, got[0]?.headers.connection], [undefined, "keep-alive"]);
    }));

  test("cannot make the upstream take its claims for the proxy's", async () => {
    for (const open of ['for="', 'for="a\\', "for=a\\"]) {
      const { forwarded } = await linesOf(`Host: h\r\nForwarded: ${open}`);
      assert.equal(forwarded, "for=127.0.0.1;host=h;proto=http", open);
    }
    const claimed = await linesOf("Host: a;proto=https;for=6.6.6.6\r\nX-Forwarded-Host: evil\r\nX-Forwarded-Port: 1");
    assert.deepEqual(
      [claimed["forwarded"], claimed["x-forwarded-host"], claimed["x-forwarded-port"]],
      ["for=127.0.0.1;proto=http", undefined, undefined],
    );
    const named = await linesOf("Host: h\r\nConnection: X-Forwarded-For, Forwarded, Via, Host");
    assert.deepEqual(
      [named["forwarded"], named["x-forwarded-for"], named["via"]],
      ["for=127.0.0.1;host=h;proto=http", "127.0.0.1", "1.1 framework"],
    );
  });
});

describe("an app before proxy", () => {
  test("may read the body, and the same bytes are sent", () =>
    before(
      async (port, got) => {
        const head = "POST /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 5\r\n\r\n";
        const [response] = await exchange(port, `${head}hello`);
        assert.equal(response?.status, 200);
        assert.deepEqual([got[0]?.body, got[0]?.headers["content-length"]], ["hello", "5"]);
      },
      (app, url) =>
        app.post("/a", async (ctx) => {
          await ctx.bodyAsString();
          return proxy(ctx, url);
        }),
    ));
});

describe("an upstream of proxy", () => {
  test("gets only idempotent requests a second time", async () => {
    const sockets = new Set<Socket>();
    const methods: string[] = [];
    const server = createTcpServer((socket) => {
      let count = 0;
      sockets.add(socket);
      socket
        .on("error", () => undefined)
        .on("data", (chunk: Buffer) => {
          methods.push(String(chunk).split(" ")[0] ?? "");
          count += 1;
          if (count === 1) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
          else socket.destroy();
        });
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await serving(
      (app) => app.any("/*rest", (ctx) => proxy(ctx, url)),
      async ({ port }) => {
        const one = async (method: string): Promise<number> => {
          const [response] = await exchange(port, `${method} /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`);
          return response?.status ?? 0;
        };
        assert.deepEqual([await one("GET"), await one("GET"), await one("POST")], [200, 200, 502]);
        assert.deepEqual(methods, ["GET", "GET", "GET", "POST"]);
      },
    );
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  test("has a time limit that starts again with each piece of the body", () =>
    before(
      async (port, got) => {
        const client = wire(port, "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
        const start = performance.now();
        while (performance.now() - start < 1_500 && client.text() === "") {
          client.socket.write("1\r\nx\r\n");
          await new Promise(setImmediate);
        }
        client.socket.write("0\r\n\r\n");
        await until(() => client.text() !== "");
        assert.match(client.text(), /^HTTP\/1\.1 200 /);
        assert.equal(got.length, 1);
        client.socket.destroy();
      },
      (app, url) => app.post("/a", (ctx) => proxy(ctx, url, { timeoutMs: 1_000 })),
    ));

  test("causes a 502 when its 101 does not prove that it has read the key", async () => {
    const server = createTcpServer((socket) => {
      const text = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
      socket.on("error", () => undefined).once("data", () => socket.write(`${text}Sec-WebSocket-Accept: no\r\n\r\n`));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await serving(
      (app) => app.ws("/ws", (ctx) => proxy(ctx, url)).ws("/other", webSocket({})),
      async ({ port }) => {
        const client = wire(port, handshake("/ws"));
        await until(() => client.text().includes("\r\n\r\n"));
        assert.match(client.text(), /^HTTP\/1\.1 502 /);
        client.socket.destroy();
      },
    );
    server.close();
  });
});
