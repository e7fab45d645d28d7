/** The client's address on every engine: behind a proxy, and on a dual-stack socket (CTX). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, test } from "node:test";
import { created, until } from "../../testing/harness.testkit.ts";
import { NodeHttp2Engine, NodeHttpEngine, type FrameworkOptions, type RejectedRequest } from "../../index.ts";
import { hosts, overHttp1 } from "../../testing/clients.testkit.ts";

type Lines = readonly (readonly [string, string])[];

/** Two lines of each: the client's, and the one added by the proxy. */
const lines: Lines = [
  ["X-Forwarded-For", '"6.6.6.6'],
  ["X-Forwarded-For", "1.2.3.4"],
  ["X-Forwarded-Proto", "gopher"],
  ["X-Forwarded-Proto", "https"],
  ["X-Forwarded-Host", "evil.example"],
  ["X-Forwarded-Host", "shop.example:8443"],
  ["Forwarded", 'for=6.6.6.6;proto=http;host="'],
  ["Forwarded", 'for="[2001:db8::7]:99";proto=http;host="other.example"'],
];

for (const [host, { engine, open }] of Object.entries(hosts))
  describe(`behind a proxy, on ${host}`, () => {
    const told = async (trustProxy: FrameworkOptions["trustProxy"]): Promise<unknown> => {
      const { app } = created({ engine, trustProxy });
      app.get("/", (ctx) =>
        ctx.json([ctx.remoteAddress ?? null, ctx.scheme, ctx.host?.replace(/:\d{5}$/, ""), ctx.search]),
      );
      const running = await open(app);
      try {
        return JSON.parse((await running.send({ target: "/?a=%20", headers: lines })).body);
      } finally {
        await running.close();
      }
    };
    const peer = host === "app.fetch" ? null : "127.0.0.1";
    const own = [peer, host.includes("TLS") ? "https" : "http", "localhost", "?a=%20"];
    const byX = ["1.2.3.4", "https", "shop.example:8443", "?a=%20"];
    const byForwarded = ["2001:db8::7", "http", "other.example", "?a=%20"];

    test("CTX-011: trusts no header by default", async () => assert.deepEqual(await told(false), own));
    test("trusts X-Forwarded-* alone, when that is the header", async () => assert.deepEqual(await told(true), byX));
    test("trusts Forwarded alone, when that is the header", async () =>
      assert.deepEqual(await told({ header: "forwarded" }), byForwarded));
    test("trusts only a socket with a trusted address, and none without an address", async () => {
      assert.deepEqual(
        [
          await told({ header: "forwarded", from: ["loopback"] }),
          await told({ header: "forwarded", from: ["10.0.0.0/8"] }),
        ],
        [peer === null ? own : byForwarded, own],
      );
    });
  });

describe("an absolute target", () => {
  for (const host of ["node:http", "HTTP/1.1 over TLS", "app.listener"] as const)
    test(`wins over Host, on ${host}`, async () => {
      const { engine, open } = hosts[host] ?? assert.fail(host);
      const { app } = created({ engine });
      const running = await open(app.get("/who", (ctx) => ctx.json([ctx.host ?? null, ctx.search])));
      try {
        const seen = ["http://shop.example:81/who?a=1", "HTTP://[::1]/who"].map(async (target) =>
          JSON.parse((await running.send({ target })).body),
        );
        assert.deepEqual(await Promise.all(seen), [
          ["shop.example:81", "?a=1"],
          ["[::1]", ""],
        ]);
      } finally {
        await running.close();
      }
    });
});

const isIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));

const skip = isIpv6 ? false : "skipped: this machine has no ::1";

describe("an IPv4 client on a dual-stack socket", () => {
  for (const [name, engine] of [
    ["node:http", new NodeHttpEngine()],
    ["h2c", new NodeHttp2Engine()],
  ] as const)
    test(`CTX-024: has an IPv4 address, over ${name}, also when the parser rejects it`, { skip }, async () => {
      const rejected: RejectedRequest[] = [];
      const { app } = created({ engine, host: "::" });
      app.use({
        installed: (life) => life.onRejected((request) => void rejected.push(request)),
        handle: (_ctx, next) => next(),
      });
      await app.get("/", (ctx) => ctx.json([ctx.peerAddress, ctx.remoteAddress])).start(0);
      try {
        const seen = [(await overHttp1(connect(app.port, "127.0.0.1"), { target: "/" })).body];
        if (name === "h2c") seen.push(await overSession(`http://127.0.0.1:${app.port}`));
        assert.deepEqual(new Set(seen), new Set(['["127.0.0.1","127.0.0.1"]']));
        await overHttp1(connect(app.port, "127.0.0.1"), { target: "/", headers: [["Bad Name", "x"]] });
        await overHttp1(connect(app.port, "127.0.0.1"), { target: `/?${"x".repeat(9_000)}` });
        await until(() => rejected.length === 2);
        assert.deepEqual(
          rejected.map(({ status, remoteAddress }) => [status, remoteAddress]),
          [
            [400, "127.0.0.1"],
            [414, "127.0.0.1"],
          ],
        );
      } finally {
        await app.stop({ graceMs: 50 });
      }
    });

  test("CTX-024: has an IPv4 address when a platform passes it", async () => {
    const { app } = created();
    app.get("/", (ctx) => ctx.json([ctx.peerAddress, ctx.remoteAddress]));
    const response = await app.fetch(new Request("http://h/"), { peerAddress: "::ffff:10.0.0.7" });
    assert.deepEqual(await response.json(), ["10.0.0.7", "10.0.0.7"]);
  });
});

/** One GET over HTTP/2. */
async function overSession(url: string): Promise<string> {
  const session = connectHttp2(url);
  const stream = session.request({ ":path": "/" });
  let body = "";
  stream.on("data", (chunk: Buffer) => void (body += chunk.toString()));
  await once(stream, "end");
  session.destroy();
  return body;
}
