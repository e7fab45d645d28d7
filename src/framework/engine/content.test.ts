/** Two Content-Type lines that differ, on every engine, and bodies that a host has decoded (ERR, ENGINE). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import express from "express";
import { created, exchange, serving, until, wire } from "../testing/harness.testkit.ts";
import { NodeHttp2Engine, NodeHttpEngine, type Framework } from "../index.ts";
import { overHttp1, type HeaderLine, type Seen, type Sent } from "../testing/clients.testkit.ts";
import { data, framesOf, greeting, headers, request, type Frame } from "../testing/frames.testkit.ts";

function define(app: Framework): void {
  app
    .post("/unread", (ctx) => ctx.header("content-type"))
    .post("/text", (ctx) => ctx.bodyAsString())
    .delete("/bytes", async (ctx) => String((await ctx.bodyAsBytes()).length))
    .delete("/stream", (ctx) => ctx.send(ctx.bodyAsStream()))
    .delete("/json", async (ctx) => ctx.json(await ctx.body()))
    .query("/query", () => "found")
    .get("/none", (ctx) => ctx.header("content-type"));
}

type Ask = (method: string, path: string, types: readonly string[]) => Promise<number>;

const linesOf = (types: readonly string[]): readonly HeaderLine[] => types.map((type) => ["content-type", type]);

const http1 =
  (port: number): Ask =>
  async (method, target, types) => {
    const socket = connect(port, "127.0.0.1");
    return (await overHttp1(socket, { method, target, headers: linesOf(types), body: "{}" })).status;
  };

const hosted = async (use: (port: number) => Promise<void>, listener: RequestListener): Promise<void> => {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await use((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
};

/**
 * Over HTTP/2, with raw frames, because Node's client cannot send such a head. The status is the first line of the response's.
 */
const http2 =
  (port: number): Ask =>
  async (method, path, types) => {
    const asked = headers(1, [...request(method, path), ...linesOf(types)], false);
    const client = wire(port, Buffer.concat([greeting, asked, data(1, "{}")]));
    const head = (): Frame | undefined => framesOf(Buffer.from(client.text(), "latin1")).find(({ type }) => type === 1);
    await until(() => head() !== undefined);
    client.socket.destroy();
    const [first = 0] = head()?.payload ?? [];
    return { 0x88: 200, 0x8c: 400, 0x8d: 404 }[first] ?? -1; // RFC 7541, Appendix A.
  };

const ways: Readonly<Record<string, (use: (ask: Ask) => Promise<void>) => Promise<void>>> = {
  "node:http": (use) => serving(define, ({ port }) => use(http1(port)), { engine: new NodeHttpEngine() }),
  h2c: (use) => serving(define, ({ port }) => use(http2(port)), { engine: new NodeHttp2Engine() }),
  "app.fetch": (use) => {
    const { app } = created();
    define(app);
    return use(async (method, path, types) => {
      const lines = linesOf(types).map(([name, value]): [string, string] => [name, value]);
      const init = { method, headers: lines, body: "{}" };
      return (await app.fetch(new Request(`http://x${path}`, init))).status;
    });
  },
  "app.listener": (use) => {
    const { app } = created();
    define(app);
    return hosted((port) => use(http1(port)), app.listener());
  },
};

const reading = [
  ["POST", "/unread"],
  ["POST", "/text"],
  ["DELETE", "/bytes"],
  ["DELETE", "/stream"],
  ["DELETE", "/json"],
  ["QUERY", "/query"],
] as const;

for (const [name, open] of Object.entries(ways))
  describe(`ERR-026: on ${name}, a request with two Content-Types`, () => {
    it("is 400 when a body is expected or read", () =>
      open(async (ask) => {
        for (const [method, path] of reading)
          for (const types of [
            ["application/json", "text/plain"],
            ["text/plain", "application/json"],
            ["application/json", "application/json", "application/json; charset=utf-8"],
          ])
            assert.deepEqual([path, types, await ask(method, path, types)], [path, types, 400]);
      }));

    it("is served when they are the same", () =>
      open(async (ask) => {
        for (const [method, path] of reading)
          for (const types of [
            ["application/json"],
            ["application/json", "application/json"],
            ['application/json;a="b,c"', 'application/json;a="b,c"'],
            ['application/json;a="\\",\\\\"'],
          ])
            assert.deepEqual([path, types, await ask(method, path, types)], [path, types, 200]);
      }));
  });

describe("in a host that reads bodies", () => {
  const json = '{"a":[1,"é"]}';
  const send = async (host: RequestListener, sent: Sent): Promise<Seen> => {
    let seen: Promise<Seen> | undefined;
    await hosted(async (port) => void (await (seen = overHttp1(connect(port, "127.0.0.1"), sent))), host);
    return seen ?? assert.fail("nothing was sent");
  };
  const guest = (): RequestListener => {
    const { app } = created();
    define(app);
    return app.listener();
  };
  const coded = (coding: string, type: string): readonly HeaderLine[] => [
    ["Content-Encoding", coding],
    ["Content-Type", type],
  ];
  const hosts: Readonly<Record<string, () => RequestListener>> = {
    "express.json": () => express().use(express.json()).use(guest()),
    "express.text": () =>
      express()
        .use(express.text({ type: "*/*" }))
        .use(guest()),
    "express.raw": () =>
      express()
        .use(express.raw({ type: "*/*" }))
        .use(guest()),
    "a kept rawBody": () =>
      express()
        .use(express.json({ verify: (req, _res, bytes) => void Object.assign(req, { rawBody: bytes }) }))
        .use(guest()),
    "nothing that reads": () => express().use(guest()),
    "a parser of another type": () =>
      express()
        .use(express.json({ type: "text/json" }))
        .use(guest()),
  };
  for (const [name, host] of Object.entries(hosts))
    it(`decodes a body once, after ${name}`, async () => {
      for (const [coding, body] of [
        ["gzip", gzipSync(json)],
        ["br", brotliCompressSync(json)],
      ] as const) {
        const seen = await send(host(), {
          method: "POST",
          target: "/text",
          headers: coded(coding, "application/json"),
          body,
        });
        assert.deepEqual([seen.status, seen.body], [200, json]);
      }
    });
});

describe("a decoded body", () => {
  it("ERR-023: is shown to observers, such as devtools", async () => {
    const { app } = created();
    const seen: unknown[] = [];
    define(app.use((ctx, next) => (ctx.onComplete((_, done) => void seen.push(done.bodyIfRead())), next())));
    for (const [method, path] of [
      ["DELETE", "/json"],
      ["POST", "/text"],
      ["DELETE", "/bytes"],
    ] as const) {
      const headers = { "Content-Encoding": "gzip", "Content-Type": "application/json" };
      await app.fetch(new Request(`http://x${path}`, { method, headers, body: gzipSync('{"a":1}') }));
    }
    assert.deepEqual(seen, [{ a: 1 }, '{"a":1}', new TextEncoder().encode('{"a":1}')]);
  });
});

describe("a body in an unsupported coding", () => {
  it("ERR-027: is also rejected when it would be read as a stream", async () => {
    const { app } = created();
    define(app);
    const headers = { "Content-Encoding": "compress" };
    const response = await app.fetch(new Request("http://x/stream", { method: "DELETE", headers, body: "x" }));
    assert.deepEqual(
      [response.status, response.headers.get("accept-encoding")?.startsWith("gzip, deflate")],
      [415, true],
    );
  });

  it("ERR-027: is rejected before it is read, and its connection stays open", () =>
    serving(define, async ({ port }) => {
      const ask = (coding: string, more: string): string =>
        `POST /text HTTP/1.1\r\nHost: x\r\n${more}Content-Encoding: ${coding}\r\nContent-Length: 5\r\n\r\nhello`;
      const responses = await exchange(port, ask("compress", "") + ask("identity", "Connection: close\r\n"));
      assert.deepEqual(
        responses.map(({ status, body }) => [status, body.slice(0, 5)]),
        [
          [415, '{"typ'],
          [200, "hello"],
        ],
      );
    }));
});
