/**
 * The app after nginx and HAProxy, configured with the blocks of docs/production.md.
 *
 *   client (127.0.0.2) ──▶ proxy (a block of the guide, on free ports) ──▶ app
 *
 * A proxy that is not installed is skipped with that reason.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { describe, test, type TestContext } from "node:test";
import { Framework, HealthMiddleware, NodeHttp2Engine, type FrameworkOptions, type SseStream } from "framework";
import { freePort } from "../test/free-port.ts";
import { isMissing, nginxAround, startProxy, type ProxyName } from "./proxy-process.testkit.ts";

const guide = readFileSync(new URL("../../docs/production.md", import.meta.url), "utf8");

/** The first code block of a language in the guide. */
function block(language: string): string {
  const text = new RegExp(`^\`\`\`${language}[^\\n]*\\n([^]*?)^\`\`\``, "m").exec(guide)?.[1];
  assert.ok(text !== undefined, `docs/production.md has no ${language} block`);
  return text;
}

interface Proxy {
  readonly program: ProxyName;
  /** Its configuration, in a separate folder. */
  config(app: number, listen: number, folder: string): string;
}

/** A block with its two ports replaced by free ones. */
function onPorts(text: string, app: number, listening: readonly [string, string]): string {
  const moved = text.replace(...listening).replace("127.0.0.1:8080", `127.0.0.1:${app}`);
  assert.ok(moved.includes(`:${app}`) && moved.includes(listening[1]), "the block names other ports");
  return moved;
}

const haproxy = (app: number, listen: number): string =>
  onPorts(block("haproxy"), app, ["bind :80", `bind 127.0.0.1:${listen}`]);

const proxies: Readonly<Record<string, Proxy>> = {
  nginx: {
    program: "nginx",
    config: (app, listen, folder) =>
      nginxAround(onPorts(block("nginx"), app, ["listen 80;", `listen 127.0.0.1:${listen};`]), folder),
  },
  haproxy: { program: "haproxy", config: haproxy },
  "haproxy with HTTP/2 to the app": {
    program: "haproxy",
    config: (app, listen) => haproxy(app, listen).replace("check inter", "proto h2 check inter"),
  },
};

interface Behind {
  /** One request from 127.0.0.2, through the proxy. */
  ask(method: string, path: string, headers?: Record<string, string>, body?: string): Promise<IncomingMessage>;
  /** The event stream that the app opened last. */
  stream(): SseStream | undefined;
}

/** An app after a proxy, for one test. */
async function behind(t: TestContext, proxy: Proxy, options: FrameworkOptions = {}): Promise<Behind> {
  let stream: SseStream | undefined;
  const app = await Framework.create({ host: "127.0.0.1", shutdownGraceMs: 1_000, ...options })
    .use(HealthMiddleware.builder().readiness("/health/ready").build())
    .query("/search", { accept: ["application/json"] }, async (ctx) =>
      ctx.json({ found: await ctx.body(), host: ctx.header("host")?.split(":")[0] }),
    )
    .get("/who", (ctx) => ctx.json([ctx.remoteAddress, ctx.scheme, ctx.peerAddress, ctx.host]))
    .get("/events", (ctx) => void (stream = ctx.sse()))
    .start(0);
  const listen = await freePort();
  t.after(() => app.stop({ graceMs: 100 }));
  const ask: Behind["ask"] = async (method, path, headers = {}, body = "") => {
    const sent = httpRequest({ host: "127.0.0.1", port: listen, localAddress: "127.0.0.2", method, path, headers });
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
  return { ask, stream: () => stream };
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
