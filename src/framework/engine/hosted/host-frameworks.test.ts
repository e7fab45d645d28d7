/** app.listener() inside Express, Connect, Fastify and a bare server, with their usual middleware (LIFE-010). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { connect as connectSocket, type AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import compression from "compression";
import connect from "connect";
import express from "express";
import session from "express-session";
import fastify, { type FastifyInstance } from "fastify";
import { created, until, wire } from "../../testing/harness.testkit.ts";
import type { Framework, FrameworkOptions } from "../../index.ts";
import { overHttp1, type Seen, type Sent } from "../../testing/clients.testkit.ts";

interface Asked {
  send(request: Sent): Promise<Seen>;
  readonly port: number;
}

/** Runs `listener` on a free port during `use`. */
async function hosting<T>(listener: RequestListener, use: (asked: Asked) => Promise<T>): Promise<T> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    return await use({ port, send: (request) => overHttp1(connectSocket(port, "127.0.0.1"), request) });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function fastifyListener(define: (server: FastifyInstance) => void): Promise<RequestListener> {
  const server = fastify();
  define(server);
  await server.ready();
  return server.routing.bind(server) as RequestListener;
}

/** The app for every host, and the errors it logged. */
function guest(options: FrameworkOptions = {}): { app: Framework; errors(): readonly string[] } {
  const { app, errors } = created(options);
  app
    .get("/hi/{name}", (ctx) => ctx.appendHeader("Set-Cookie", "app=1").text(`hi ${ctx.pathParam("name")}`))
    .get("/url", (ctx) => ctx.url)
    .get("/long", () => "long ".repeat(1_000))
    .get("/pieces", (ctx) => {
      ctx.setHeader("Content-Type", "text/plain");
      return (async function* () {
        yield "a";
        yield "b";
      })();
    })
    .get("/events", (ctx) => void ctx.sse().send("first"))
    .post("/echo", (ctx) => ctx.bodyAsString())
    .post("/stream", (ctx) => ctx.send(ctx.bodyAsStream()))
    .query("/search", { accept: ["application/json"] }, async (ctx) => ctx.json(await ctx.body()));
  return { app, errors: () => errors.map(({ error }) => (error instanceof Error ? error.message : "")) };
}

const own = (_req: IncomingMessage, res: ServerResponse): void =>
  void res.writeHead(404, { "X-Host": "1" }).end("the host's");
const json = [["Content-Type", "application/json"]] as const;

describe("app.listener inside", () => {
  const { app } = guest();
  const inApi = guest({ contextPath: "/api" }).app;
  const listeners: Readonly<Record<string, () => Promise<RequestListener>>> = {
    "Express, mounted": async () => express().use("/api", app.listener()).use(own),
    "Connect, mounted": async () => connect().use("/api", app.listener()).use(own),
    "a bare server": async () => (req, res) => inApi.listener()(req, res, () => own(req, res)),
    Fastify: () =>
      fastifyListener((server) => {
        server.removeAllContentTypeParsers();
        server.addContentTypeParser("*", (_request, _payload, done) => done(null));
        server.all("/*", (request, reply) => {
          reply.hijack();
          inApi.listener()(request.raw, reply.raw, () => own(request.raw, reply.raw));
        });
      }),
  };
  for (const [name, listener] of Object.entries(listeners))
    test(`${name} serves every kind of request, and gets the rest back`, async () =>
      hosting(await listener(), async ({ send, port }) => {
        const hi = await send({ target: "/api/hi/you" });
        assert.deepEqual([hi.status, hi.body, hi.headers["set-cookie"]], [200, "hi you", "app=1"]);
        assert.equal((await send({ method: "HEAD", target: "/api/hi/you" })).headers["content-length"], "6");
        assert.equal((await send({ target: "/api/pieces" })).body, "ab");
        const found = await send({ method: "QUERY", target: "/api/search", headers: json, body: '{"q":1}' });
        assert.deepEqual([found.status, found.body], [200, '{"q":1}']);
        assert.equal((await send({ method: "POST", target: "/api/stream", body: ["in", "out"] })).body, "inout");
        assert.equal((await send({ method: "PUT", target: "/api/echo" })).status, 405);
        const events = wire(port, "GET /api/events HTTP/1.1\r\nHost: x\r\n\r\n");
        await until(() => events.text().includes("data: first"));
        events.socket.destroy();
        for (const target of ["/api/none", "/elsewhere"]) {
          const { status, body, headers } = await send({ target });
          assert.deepEqual([status, body, headers["x-host"]], [404, "the host's", "1"]);
        }
      }));

  test("a mount sees the path after it", () =>
    hosting(express().use("/api", app.listener()), async ({ send }) => {
      assert.equal((await send({ target: "/api/url?x=1" })).body, "/url");
    }));
});

describe("app.listener with compression and express-session", () => {
  const { app } = guest();
  const host = (): RequestListener =>
    express()
      .use(compression({ threshold: 0 }))
      .use(session({ secret: "s", resave: false, saveUninitialized: true }))
      .use((_req, res, next) => {
        res.setHeader("Set-Cookie", "host=1");
        res.setHeader("Vary", "X-Host");
        next();
      })
      .use(app.listener());

  test("keeps every cookie and Vary", () =>
    hosting(host(), async ({ send }) => {
      const { status, headers, body } = await send({ target: "/hi/you" });
      const cookies = [headers["set-cookie"] ?? ""].flat().map((cookie) => /^[^=]*/.exec(cookie)?.[0]);
      assert.deepEqual(
        [status, body, cookies, headers["vary"]],
        [200, "hi you", ["host", "app", "connect.sid"], "X-Host, Accept-Encoding"],
      );
    }));

  test("is compressed whole and in pieces, and its events are sent immediately", () =>
    hosting(host(), async ({ port }) => {
      const zipped = async (path: string): Promise<string> => {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { "Accept-Encoding": "gzip" } });
        assert.equal(response.headers.get("content-encoding"), "gzip");
        return response.text();
      };
      assert.equal((await zipped("/long")).length, 5_000);
      assert.equal(await zipped("/pieces"), "ab");
      const events = wire(port, "GET /events HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n");
      await until(() => firstOf(events.text()).includes("data: first"));
      events.socket.destroy();
    }));
});

/** The inflated part of a gzip response's chunks so far. */
function firstOf(text: string): string {
  const body = Buffer.from(text.split("\r\n\r\n")[1] ?? "", "latin1");
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const line = body.indexOf("\r\n", at);
    if (line < 0) break;
    const size = Number.parseInt(body.subarray(at, line).toString(), 16);
    parts.push(body.subarray(line + 2, line + 2 + size));
    at = line + 4 + size;
  }
  const whole = Buffer.concat(parts);
  return whole.length === 0 ? "" : gunzipSync(whole, { finishFlush: 2 }).toString();
}

describe("app.listener after the host's body parser", () => {
  const typed = (type: string): NonNullable<Sent["headers"]> => [["Content-Type", type]];
  const parsers = () =>
    express()
      .use(express.json())
      .use(express.text())
      .use(express.raw())
      .use(express.urlencoded({ extended: false }));
  const taken: Readonly<Record<string, readonly [string, string]>> = {
    JSON: ["application/json", '{"a":[1,"é"]}'],
    text: ["text/plain", "héllo"],
    bytes: ["application/octet-stream", "héllo"],
    "an empty body": ["application/json", ""],
  };
  for (const [name, [type, body]] of Object.entries(taken))
    for (const target of ["/echo", "/stream"])
      test(`accepts ${name} as it was parsed, at ${target}`, () =>
        hosting(parsers().use(guest().app.listener()), async ({ send }) => {
          const seen = await send({ method: "POST", target, headers: typed(type), body });
          assert.deepEqual([seen.status, seen.body], [200, body]);
        }));

  test("prefers rawBody, and enforces the limit on it", () => {
    const { app } = guest({ maxBodyBytes: 12 });
    const kept = (raw: unknown) =>
      express()
        .use(express.json())
        .use((req, _res, next) => (Object.assign(req, { rawBody: raw }), next()))
        .use(app.listener());
    return hosting(kept(Buffer.from("the bytes")), ({ send: first }) =>
      hosting(kept("longer than twelve"), async ({ send: second }) => {
        const sent: Sent = { method: "POST", target: "/echo", headers: json, body: '{ "a": 1 }' };
        assert.equal((await first(sent)).body, "the bytes");
        assert.equal((await second(sent)).status, 413);
        assert.equal((await second({ ...sent, target: "/stream" })).torn, true);
      }),
    );
  });

  test("rejects a body that cannot be turned back into bytes, with a way out", async () => {
    const { app, errors } = guest();
    await hosting(parsers().use(app.listener()), async ({ send }) => {
      const { status } = await send({
        method: "POST",
        target: "/echo",
        headers: typed("application/x-www-form-urlencoded"),
        body: "a=1",
      });
      assert.equal(status, 500);
    });
    const parsing = await fastifyListener((server) =>
      server.all("/*", (request, reply) => {
        reply.hijack();
        app.listener()(request.raw, reply.raw);
      }),
    );
    await hosting(parsing, async ({ send }) => {
      assert.equal((await send({ method: "POST", target: "/echo", headers: json, body: "{}" })).status, 500);
    });
    assert.equal(errors().length, 2);
    for (const line of errors()) assert.match(line, /mount the listener before the host's body parser/);
  });
});
