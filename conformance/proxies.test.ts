/**
 * The app after nginx and HAProxy, configured with the blocks of docs/reverse-proxies.md.
 *
 *   client (127.0.0.2) ──▶ proxy (a block of the guide, on free ports) ──▶ app
 *
 * A proxy that is not installed is skipped with that reason.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { Framework, HealthMiddleware, NodeHttp2Engine, type FrameworkOptions, type SseStream } from "framework";
import { webSocket } from "framework/websocket";
import { WebSocket } from "ws";
import { certificate } from "../test/certificate.ts";
import { freePort } from "../test/free-port.ts";
import { isMissing, nginxAround, startProxy, type ProxyName } from "./proxy-process.testkit.ts";

const guide = readFileSync(new URL("../../docs/reverse-proxies.md", import.meta.url), "utf8");

/** A code block of a language in the guide: the first is the configuration, the second the lines that TLS needs. */
function block(language: string, index = 0): string {
  const found = [...guide.matchAll(new RegExp(`^\`\`\`${language}[^\\n]*\\n([^]*?)^\`\`\``, "gm"))];
  const text = found[index]?.[1];
  assert.ok(text !== undefined, `docs/reverse-proxies.md has no ${language} block ${index}`);
  return text;
}

interface Proxy {
  readonly program: ProxyName;
  /** Its configuration, in a separate folder. */
  config(app: number, listen: number, folder: string): string;
  /** Do clients connect with TLS? */
  readonly secure?: boolean;
}

/** A block with its two ports replaced by free ones. */
function onPorts(text: string, app: number, listening: readonly [string, string]): string {
  const moved = text.replace(...listening).replace("127.0.0.1:8080", `127.0.0.1:${app}`);
  assert.ok(moved.includes(`:${app}`) && moved.includes(listening[1]), "the block names other ports");
  return moved;
}

const haproxy = (app: number, listen: number): string =>
  onPorts(block("haproxy"), app, ["bind :80", `bind 127.0.0.1:${listen}`]);

const nginx = (app: number, listen: number): string =>
  onPorts(block("nginx"), app, ["listen 80;", `listen 127.0.0.1:${listen};`]);

const proxies: Readonly<Record<string, Proxy>> = {
  nginx: { program: "nginx", config: (app, listen, folder) => nginxAround(nginx(app, listen), folder) },
  haproxy: { program: "haproxy", config: haproxy },
  "haproxy with HTTP/2 to the app": {
    program: "haproxy",
    config: (app, listen) => haproxy(app, listen).replace("check inter", "proto h2 check inter"),
  },
};

/** The line of the port exchanged for those of the guide's TLS block, on a certificate of the tests. */
function withTls(config: string, listening: string, lines: string, listen: number, folder: string): string {
  writeFileSync(join(folder, "shop.crt"), certificate.cert);
  writeFileSync(join(folder, "shop.key"), certificate.key);
  writeFileSync(join(folder, "shop.pem"), certificate.cert + certificate.key);
  const moved = lines.replace(/(listen |bind :)443/, (_all, word: string) =>
    word === "bind :" ? `bind 127.0.0.1:${listen}` : `listen 127.0.0.1:${listen}`,
  );
  assert.ok(config.includes(listening) && moved.includes(`:${listen} ssl`), "the block names other ports");
  return config.replace(listening, moved.trim().replaceAll("/etc/ssl", folder));
}

const secured: Readonly<Record<string, Proxy>> = {
  nginx: {
    program: "nginx",
    secure: true,
    config: (app, listen, folder) => {
      const plain = `listen 127.0.0.1:${listen};`;
      return nginxAround(withTls(nginx(app, listen), plain, block("nginx", 1), listen, folder), folder);
    },
  },
  haproxy: {
    program: "haproxy",
    secure: true,
    config: (app, listen, folder) =>
      withTls(haproxy(app, listen), `bind 127.0.0.1:${listen}`, block("haproxy", 1), listen, folder),
  },
};

interface Behind {
  /** One request from 127.0.0.2, through the proxy. */
  ask(method: string, path: string, headers?: Record<string, string>, body?: string): Promise<IncomingMessage>;
  /** The event stream that the app opened last. */
  stream(): SseStream | undefined;
  /** The proxy's port. */
  readonly port: number;
  /** One request to the app itself. */
  direct(path: string): Promise<Response>;
  /** From now on readiness is 503. */
  leave(): void;
}

/** An app after a proxy, for one test. */
async function behind(t: TestContext, proxy: Proxy, options: FrameworkOptions = {}): Promise<Behind> {
  let stream: SseStream | undefined;
  let isStaying = true;
  const app = await Framework.create({ host: "127.0.0.1", shutdownGraceMs: 1_000, ...options })
    .use(new HealthMiddleware({ readiness: "/health/ready", checks: { staying: () => isStaying } }))
    .query("/search", { accept: ["application/json"] }, async (ctx) =>
      ctx.json({ found: await ctx.body(), host: ctx.header("host")?.split(":")[0] }),
    )
    .get("/who", (ctx) => ctx.json([ctx.remoteAddress, ctx.scheme, ctx.peerAddress, ctx.host]))
    .get("/events", (ctx) => void (stream = ctx.sse()))
    .ws(
      "/echo",
      webSocket({ message: (socket, text, ctx) => void socket.send(`${String(text)} ${ctx.remoteAddress}`) }),
    )
    .start(0);
  const listen = await freePort();
  t.after(() => app.stop({ graceMs: 100 }));
  const ask: Behind["ask"] = async (method, path, headers = {}, body = "") => {
    const to = { host: "127.0.0.1", port: listen, localAddress: "127.0.0.2", method, path, headers };
    const sent = proxy.secure === true ? httpsRequest({ ...to, rejectUnauthorized: false }) : httpRequest(to);
    sent.end(body);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    return response;
  };
  await startProxy(
    t,
    proxy.program,
    (folder) => proxy.config(app.port, listen, folder),
    async () => {
      const response = await ask("GET", "/health/ready").catch(() => undefined);
      response?.resume();
      return response?.statusCode === 200;
    },
  );
  return {
    ask,
    stream: () => stream,
    port: listen,
    direct: (path) => fetch(app.url + path),
    leave: () => void (isStaying = false),
  };
}

const textOf = async (response: IncomingMessage): Promise<string> => {
  const chunks: unknown[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return chunks.map(String).join("");
};

for (const [name, proxy] of Object.entries(proxies)) {
  const engine = name.includes("HTTP/2") ? new NodeHttp2Engine() : undefined;
  describe(`after ${name}`, { skip: isMissing(proxy.program) }, () => {
    test("a QUERY arrives with its body, whole or in pieces, and with its host", async (t) => {
      const { ask } = await behind(t, proxy, { engine });
      const json = { "Content-Type": "application/json", Host: "shop.test" };
      for (const framing of [{}, { "Transfer-Encoding": "chunked" }]) {
        const response = await ask("QUERY", "/search?x=1", { ...json, ...framing }, '{"text":"lamp"}');
        assert.deepEqual(
          [response.statusCode, await textOf(response)],
          [200, '{"found":{"text":"lamp"},"host":"shop.test"}'],
        );
        assert.equal(response.headers["accept-query"], "application/json");
      }
      const large = await ask("QUERY", "/search", json, JSON.stringify({ text: "x".repeat(500_000) }));
      assert.equal((await textOf(large)).length, 500_040);
      const missing = await ask("QUERY", "/search", {}, "{}");
      assert.deepEqual([missing.statusCode, missing.headers["content-type"]], [400, "application/problem+json"]);
      missing.resume();
    });

    test("each event arrives before the next one is sent", async (t) => {
      const { ask, stream } = await behind(t, proxy, { engine });
      const pending = ask("GET", "/events");
      while (stream() === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
      stream()?.send("first");
      const response = await pending;
      const events = response[Symbol.asyncIterator]();
      for (const data of ["first", "second", "third"]) {
        if (data !== "first") stream()?.send(data);
        assert.equal(String((await events.next()).value), `data: ${data}\n\n`);
      }
      stream()?.close();
      assert.equal((await events.next()).done, true);
    });

    test("a WebSocket of a page of the same host opens, and one of another does not", async (t) => {
      const { port } = await behind(t, proxy, { engine, trustProxy: true });
      const open = (origin: string): WebSocket =>
        new WebSocket(`ws://127.0.0.1:${port}/echo`, {
          origin,
          headers: { Host: "shop.test" },
          localAddress: "127.0.0.2",
        });
      const socket = open("http://shop.test");
      await once(socket, "open");
      const message = once(socket, "message");
      socket.send("hello");
      assert.equal(String((await message)[0]), "hello 127.0.0.2");
      socket.close();
      await once(socket, "close");
      const foreign = open("http://evil.example").on("error", () => undefined);
      const [, { statusCode }] = (await once(foreign, "unexpected-response")) as [unknown, IncomingMessage];
      assert.equal(statusCode, 403);
      foreign.terminate();
    });

    const claims = {
      "X-Forwarded-For": '6.6.6.6, "',
      "X-Forwarded-Proto": "https",
      "X-Forwarded-Host": "evil.example",
      "X-Forwarded-Port": "666",
      Forwarded: "for=7.7.7.7;proto=https;host=evil.example",
    };
    const settings: readonly (readonly [FrameworkOptions["trustProxy"], string])[] = [
      [true, "127.0.0.2"],
      [{ header: "x-forwarded", from: ["127.0.0.1"] }, "127.0.0.2"],
      [{ header: "x-forwarded", from: ["127.0.0.3"] }, "127.0.0.1"],
      [false, "127.0.0.1"],
    ];
    for (const [trustProxy, client] of settings)
      test(`trustProxy: ${JSON.stringify(trustProxy)} makes the client ${client}, whatever its headers claim`, async (t) => {
        const { ask } = await behind(t, proxy, { engine, trustProxy });
        for (const headers of [{}, claims])
          assert.deepEqual(JSON.parse(await textOf(await ask("GET", "/who", { Host: "shop.test:8443", ...headers }))), [
            client,
            "http",
            "127.0.0.1",
            "shop.test:8443",
          ]);
      });
  });
}

for (const [name, proxy] of Object.entries(secured))
  describe(`TLS that ends at ${name}`, { skip: isMissing(proxy.program) }, () => {
    test("is https for the app, whatever the client claims, and a QUERY arrives", async (t) => {
      const { ask } = await behind(t, proxy, { trustProxy: true });
      for (const headers of [{}, { "X-Forwarded-Proto": "http", "X-Forwarded-Port": "80" }]) {
        const who = await ask("GET", "/who", { Host: "shop.test", ...headers });
        assert.deepEqual(JSON.parse(await textOf(who)), ["127.0.0.2", "https", "127.0.0.1", "shop.test"]);
      }
      const found = await ask("QUERY", "/search", { "Content-Type": "application/json", Host: "shop.test" }, "[]");
      assert.equal(await textOf(found), '{"found":[],"host":"shop.test"}');
    });
  });

describe("the health check of HAProxy", { skip: isMissing("haproxy") }, () => {
  test("sends nothing more once readiness is 503, while the app still serves", async (t) => {
    const often: Proxy = {
      program: "haproxy",
      config: (app, listen) => haproxy(app, listen).replace("inter 1s", "inter 50ms"),
    };
    const { ask, direct, leave } = await behind(t, often);
    leave();
    const status = async (): Promise<number | undefined> => (await ask("GET", "/who")).resume().statusCode;
    while ((await status()) !== 503) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal((await direct("/who")).status, 200);
  });
});
