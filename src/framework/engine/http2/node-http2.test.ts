/** NodeHttp2Engine over real sockets: TLS and cleartext, limits, timeouts, the end (LIFE). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectHttp2, type ClientHttp2Session, type ClientHttp2Stream } from "node:http2";
import { connect as connectTls } from "node:tls";
import { describe, test } from "node:test";
import { ask, created, exchange, serving, until, wire, type Served } from "../../testing/harness.testkit.ts";
import { NodeHttp2Engine, type Framework, type FrameworkOptions } from "../../index.ts";
import { certificate } from "../../testing/certificate.testkit.ts";
import { overHttp2, type Seen } from "../../testing/clients.testkit.ts";

/** Serves over cleartext HTTP/2 with one session to it. */
const session = <T>(
  define: (app: Framework) => unknown,
  use: (client: ClientHttp2Session, served: Served) => Promise<T>,
  options: FrameworkOptions = {},
): Promise<T> =>
  serving(
    define,
    async (served) => {
      const client = connected(served.app);
      try {
        return await use(client, served);
      } finally {
        client.destroy();
      }
    },
    { engine: new NodeHttp2Engine(), ...options },
  );

function connected(app: Framework): ClientHttp2Session {
  const client = connectHttp2(app.url, { ca: certificate.cert, servername: "localhost" });
  client.on("error", () => undefined);
  return client;
}

const get = (client: ClientHttp2Session, target: string): Promise<Seen> => overHttp2(client, { target });

/** Sends a raw head. Resolves with status and error code when the stream is closed. */
async function raw(client: ClientHttp2Session, head: Record<string, string>): Promise<readonly [number, number]> {
  const stream = client.request(head);
  let status = 0;
  stream.on("response", (headers) => void (status = Number(headers[":status"])));
  stream.on("error", () => undefined).resume();
  await closed(stream);
  return [status, stream.rstCode];
}

const closed = (emitter: ClientHttp2Session | ClientHttp2Stream): Promise<unknown> =>
  emitter.destroyed ? Promise.resolve() : new Promise((resolve) => emitter.once("close", resolve));

const fast = { headersMs: 60, requestMs: 120, idleMs: 150, checkMs: 10 };

describe("NodeHttp2Engine", () => {
  test("needs a certificate for TLS, and says so", () => {
    const { key, cert } = certificate;
    for (const tls of [{}, { key }, { cert }])
      assert.throws(() => new NodeHttp2Engine(tls), { name: "TypeError", message: /needs key and cert, or pfx/ });
    for (const tls of [undefined, { key, cert }, { pfx: "bytes" }])
      assert.equal(new NodeHttp2Engine(tls).name, "node-http2");
  });

  test("needs a rate above 0", () => {
    for (const resetsPerSecond of [0, -1, Number.NaN])
      assert.throws(() => new NodeHttp2Engine(undefined, { resetsPerSecond }), {
        name: "TypeError",
        message: `resetsPerSecond is ${resetsPerSecond}: a number above 0 is allowed, and Infinity`,
      });
  });

  test("rejects the start when the port is in use or the key is invalid, and can be tried again", async () => {
    const { app } = created({ engine: new NodeHttp2Engine({ key: "no key", cert: certificate.cert }) });
    await assert.rejects(app.start(0), (error: Error) => {
      assert.ok(error.cause instanceof Error);
      return error.message === `the TLS key or certificate cannot be used: ${error.cause.message}`;
    });
    await session(
      (served) => served,
      async (_client, { port }) => {
        const second = created({ engine: new NodeHttp2Engine() }).app;
        await assert.rejects(second.start(port), { code: "EADDRINUSE" });
        await second.start(0);
        await second.stop();
      },
    );
  });

  test("chooses the protocol by ALPN over TLS, and has an https URL", async () => {
    const { app } = created({ engine: new NodeHttp2Engine(certificate) });
    await app.get("/", (ctx) => `${ctx.httpVersion} ${ctx.scheme}`).start(0);
    assert.match(app.url, /^https:\/\/127\.0\.0\.1:\d+$/);
    const client = connected(app);
    assert.equal((await get(client, "/")).body, "2 https");
    for (const offer of [["http/1.1"], undefined]) {
      const socket = connectTls({
        port: app.port,
        host: "127.0.0.1",
        ca: certificate.cert,
        servername: "localhost",
        ...(offer && { ALPNProtocols: offer }),
      });
      socket.end("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      assert.match(String(await once(socket, "data")), /1\.1 https$/);
    }
    await app.stop();
    await closed(client);
  });

  test("serves HTTP/1.1 on the same cleartext port", () =>
    session(
      (app) => app.get("/", (ctx) => ctx.httpVersion).post("/echo", (ctx) => ctx.bodyAsString()),
      async (client, { port }) => {
        assert.equal((await get(client, "/")).body, "2");
        assert.equal((await ask(port, "GET", "/")).body, "1.1");
        assert.equal((await ask(port, "POST", "/echo", {}, "x".repeat(200_000))).body.length, 200_000);
        const split = wire(port, "G");
        await once(split.socket, "connect");
        split.socket.write("ET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        await split.closed;
        assert.match(split.text(), /1\.1$/);
        assert.match((await exchange(port, "PRO\r\n\r\n"))[0]?.body ?? "", /Bad Request/);
      },
    ));

  test("responds over HTTP/1.1 to a client that ends its side and still reads", () =>
    session(
      (app) => app,
      async (_client, { port }) => {
        const { socket, closed: isClosed, text } = wire(port);
        socket.end("GET / HTTP/1.1\r\nHost: x\r\n");
        await isClosed;
        assert.match(text(), /^HTTP\/1\.1 400 /);
      },
    ));

  test("uses :authority as Host, joins cookie crumbs, and counts them once", () =>
    session(
      (app) =>
        app.get("/", (ctx) =>
          ctx.json([
            ctx.header("host"),
            ctx.headerValues("host"),
            ctx.header("cookie"),
            ctx.headerValues("cookie"),
            ctx.header(":path") ?? null,
          ]),
        ),
      async (client) => {
        const stream = client.request({ ":path": "/", ":authority": "app.test", cookie: ["a=1", "b=2"] });
        let body = "";
        stream.on("data", (chunk) => (body += String(chunk)));
        await closed(stream);
        assert.deepEqual(JSON.parse(body), ["app.test", ["app.test"], "a=1; b=2", ["a=1; b=2"], null]);
      },
    ));

  test("rejects what HTTP/1.1's parser would, and calls onRejected", () => {
    const rejected: number[] = [];
    return session(
      (app) =>
        app
          .use({
            installed: (life) => life.onRejected(({ status }) => void rejected.push(status)),
            handle: (_ctx, next) => next(),
          })
          .any("/", () => "never"),
      async (client) => {
        assert.deepEqual(await raw(client, { ":path": "/", host: "other", ":authority": "one" }), [400, 0]);
        assert.deepEqual(await raw(client, { ":path": "/caf\u00e9" }), [400, 0]);
        assert.deepEqual(await raw(client, { ":path": "/caf\u00e9", ":method": "HEAD" }), [400, 0]);
        assert.deepEqual(await raw(client, { ":method": "CONNECT", ":authority": "x:1" }), [501, 0]);
        assert.deepEqual(rejected, [400, 400, 400, 501]);
      },
    );
  });

  test("rejects an invalid host, path or expectation as HTTP/1.1 would, after the global middleware", () => {
    const told: unknown[] = [];
    return session(
      (app) =>
        app
          .use(
            (ctx, next) => (
              ctx.onComplete(({ status }) => void told.push(status)),
              ctx.setHeader("X-Seen", "1"),
              next()
            ),
          )
          .any("/", () => "fine"),
      async (client) => {
        const heads: readonly (readonly [Record<string, string>, number])[] = [
          [{ ":path": "/", ":authority": "a,b" }, 400],
          [{ ":path": "/", ":authority": "[::1" }, 400],
          [{ ":path": "/", ":authority": "x:99999" }, 400],
          [{ ":path": "/#x" }, 400],
          [{ ":path": "/?q#x" }, 400],
          [{ ":path": "/", expect: "x" }, 417],
          [{ ":path": "/", expect: "100-Continue" }, 200],
          [{ ":path": "/", expect: "" }, 200],
          [{ ":path": "/", ":authority": "[::1]:80" }, 200],
        ];
        for (const [head, status] of heads) assert.deepEqual([head, ...(await raw(client, head))], [head, status, 0]);
        assert.deepEqual(
          told,
          heads.map(([, status]) => status),
        );
        for (const host of ["a b", "exa<mple", "host/path"])
          // The parser of HTTP/2 resets the stream.
          assert.deepEqual(await raw(client, { ":path": "/", ":authority": host }), [0, 1]);
        // From Node 22 on, this one's does too.
        const [status, code] = await raw(client, { ":path": "/", ":authority": "user@host" });
        assert.ok((status === 400 && code === 0) || (status === 0 && code === 1), `user@host: ${status}, ${code}`);
      },
    );
  });

  test("asks for a body when its client waits, but not for one over the limit", () =>
    session(
      (app) => app.post("/", (ctx) => ctx.bodyAsString()),
      async (client) => {
        const send = async (length: string): Promise<readonly unknown[]> => {
          const stream = client.request({
            ":path": "/",
            ":method": "POST",
            expect: "100-continue",
            "content-length": length,
          });
          const seen: unknown[] = [];
          stream.on("continue", () => void (seen.push("continue"), stream.end("abcd")));
          stream.on("response", (headers) => void seen.push(headers[":status"]));
          stream.on("error", () => undefined).resume();
          await closed(stream);
          return seen;
        };
        assert.deepEqual(await send("4"), ["continue", 200]);
        assert.deepEqual(await send("9"), [413]);
      },
      { maxBodyBytes: 8 },
    ));

  test("resets only the stream of a response that cannot be completed", () => {
    let fail = (): void => undefined;
    return session(
      (app) =>
        app
          .get("/", () => "fine")
          .get("/cut", async function* () {
            yield "begun";
            await new Promise<void>((resolve) => (fail = resolve));
            throw new Error("the source broke");
          }),
      async (client) => {
        const cut = client.request({ ":path": "/cut" });
        cut.on("error", () => undefined);
        const [text] = await once(cut, "data");
        assert.equal(String(text), "begun");
        fail();
        await closed(cut);
        assert.notEqual(cut.rstCode, 0);
        assert.equal((await get(client, "/")).body, "fine");
      },
    );
  });

  test("resets only a stream with headers too large for a response", () =>
    session(
      (app) => app.get("/", () => "fine"),
      async (client) => {
        const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`x-${i}`, "1"]));
        assert.deepEqual(await raw(client, { ":path": "/", ...many }), [0, 11]);
        assert.equal((await get(client, "/")).body, "fine");
      },
    ));
});

describe("NodeHttp2Engine timeouts", () => {
  test("closes silent connections, sessions without a request, and idle ones", () =>
    session(
      (app) => app.get("/", () => "x"),
      async (client, { app, port }) => {
        const silent = wire(port);
        const unused = connected(app);
        await get(client, "/");
        await Promise.all([silent.closed, closed(unused), closed(client)]);
      },
      { timeouts: fast },
    ));

  test("responds 408 to slow headers of HTTP/1.1 on the same port, and to bytes that fit both protocols", () =>
    session(
      (app) => app,
      async (_client, { port }) => {
        const statuses = ["GET / HTTP/1.1\r\nHost:", "PR"].map(
          async (begun) => (await exchange(port, begun))[0]?.status,
        );
        assert.deepEqual(await Promise.all(statuses), [408, 408]);
      },
      { timeouts: fast },
    ));

  test("leaves a session alone while it has a request", () =>
    session(
      (app) =>
        app.get("/", async () => {
          await new Promise((resolve) => setTimeout(resolve, 400));
          return "late";
        }),
      async (client) => assert.equal((await get(client, "/")).body, "late"),
      { timeouts: fast },
    ));

  test("responds 408 to a body that does not come, reports it once, and keeps the session", () => {
    const told: unknown[] = [];
    return session(
      (app) =>
        app
          .use({
            installed: (life) => life.onRejected(({ status }) => void told.push(status)),
            handle: (ctx, next) => (ctx.onComplete(({ status, aborted }) => void told.push([status, aborted])), next()),
          })
          .get("/", () => "x")
          .post("/", (ctx) => ctx.bodyAsString())
          .post("/stream", (ctx) => ctx.send(ctx.bodyAsStream())),
      async (client) => {
        const slow = client.request({ ":path": "/", ":method": "POST" });
        slow.write("a");
        const [head] = await once(slow, "response");
        assert.equal(head[":status"], 408);
        slow.resume();
        await closed(slow);
        assert.equal((await get(client, "/")).status, 200);
        assert.deepEqual(told, [
          [408, false],
          [200, false],
        ]);
        const begun = client.request({ ":path": "/stream", ":method": "POST" });
        begun.on("error", () => undefined).write("a");
        await once(begun, "data");
        await closed(begun);
        assert.equal(begun.rstCode, 8);
      },
      { timeouts: { ...fast, idleMs: 2_000 } },
    );
  });

  test("cuts a response that its client does not read, and leaves the other streams alone", () => {
    const told: unknown[] = [];
    const chunk = new Uint8Array(256 * 1024);
    return session(
      (app) =>
        app
          .use((ctx, next) => (ctx.onComplete(({ status, aborted }) => void told.push([status, aborted])), next()))
          .get("/other", () => "here")
          .get("/whole", () => new Uint8Array(8 * 1024 * 1024))
          .get("/pieces", () =>
            (async function* () {
              for (;;) yield chunk;
            })(),
          ),
      async (client) => {
        for (const path of ["/whole", "/pieces"])
          client
            .request({ ":path": path })
            .on("error", () => undefined)
            .pause();
        await until(() => told.length === 2);
        assert.deepEqual(told, [
          [200, true],
          [200, true],
        ]);
        assert.deepEqual(await raw(client, { ":path": "/other" }), [200, 0]);
      },
      { timeouts: fast },
    );
  });
});

describe("NodeHttp2Engine stop", () => {
  test("closes idle sessions immediately, and connections without a chosen protocol", async () => {
    for (const engine of [new NodeHttp2Engine(), new NodeHttp2Engine(certificate)]) {
      const { app } = created({ engine });
      await app.get("/", () => "x").start(0);
      const client = connected(app);
      await get(client, "/");
      const silent = wire(app.port);
      await once(silent.socket, "connect");
      const before = performance.now();
      await app.stop({ graceMs: 30_000 });
      await Promise.all([closed(client), silent.closed]);
      assert.ok(performance.now() - before < 5_000);
    }
  });

  test("lets streams in flight finish, accepts no further one, and ends event streams", async () => {
    const { app } = created({ engine: new NodeHttp2Engine() });
    let release: ((value: string) => void) | undefined;
    const released = new Promise<string>((resolve) => void (release = resolve));
    await app
      .get("/", () => released)
      .get("/sse", (ctx) => void ctx.sse().send("hi"))
      .start(0);
    const client = connected(app);
    const busy = get(client, "/");
    const events = client.request({ ":path": "/sse" });
    await once(events, "data");
    const goaway = once(client, "goaway");
    const stopping = app.stop({ graceMs: 30_000 });
    await goaway;
    release?.("done");
    assert.deepEqual([(await busy).body, (await busy).torn], ["done", false]);
    await Promise.all([stopping, closed(events), closed(client)]);
    assert.equal(events.rstCode, 0);
  });

  test("is not blocked by bodies that were not read to the end", async () => {
    const { app } = created({
      engine: new NodeHttp2Engine(),
      maxBodyBytes: 8,
      timeouts: { requestMs: 60, checkMs: 10 },
    });
    await app
      .post("/", (ctx) => ctx.bodyAsString())
      .post("/unread", () => "x")
      .start(0);
    const client = connected(app);
    const body = ["x".repeat(200_000)];
    assert.equal((await overHttp2(client, { method: "POST", target: "/", body })).status, 413);
    assert.equal((await overHttp2(client, { method: "POST", target: "/unread", body })).status, 200);
    const slow = client.request({ ":path": "/", ":method": "POST" });
    slow.write("x");
    assert.equal((await once(slow.resume(), "response"))[0][":status"], 408);
    await closed(slow);
    const before = performance.now();
    await app.stop({ graceMs: 30_000 });
    assert.ok(performance.now() - before < 5_000);
  });

  test("cuts streams that outlive the grace", async () => {
    const { app } = created({ engine: new NodeHttp2Engine(certificate) });
    const told: unknown[] = [];
    await app
      .use((ctx, next) => (ctx.onComplete(({ status, aborted }) => void told.push([status, aborted])), next()))
      .get("/", () => new Promise(() => undefined))
      .start(0);
    const client = connected(app);
    const hanging = get(client, "/");
    await raw(client, { ":path": "/none" });
    await app.stop({ graceMs: 30 });
    assert.equal((await hanging).torn, true);
    assert.deepEqual(told, [
      [404, false],
      [499, true],
    ]);
  });
});
