/** Readiness of an app that listens and stops, for a probe that is under way (HEALTH, LIFE). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { connect as connectTls } from "node:tls";
import { HealthMiddleware, NodeHttp2Engine, NodeHttpEngine, type Framework } from "../index.ts";
import { certificate } from "../testing/certificate.testkit.ts";
import { created, responsesOf, until } from "../testing/harness.testkit.ts";
import type { ServerEngine } from "./index.ts";

interface Way {
  readonly engine?: () => ServerEngine;
  readonly dial?: (port: number) => Socket;
}

/** Every way in which an open connection accepts a request while the app stops. An HTTP/2 connection does not. */
const ways: Readonly<Record<string, Way>> = {
  "HTTP/1.1": { engine: () => new NodeHttpEngine() },
  "HTTP/1.1 beside h2c": { engine: () => new NodeHttp2Engine() },
  "HTTP/1.1 over TLS": {
    engine: () => new NodeHttp2Engine(certificate),
    dial: (port) => connectTls({ port, host: "127.0.0.1", ca: certificate.cert, servername: "localhost" }),
  },
  "a host's server": {},
};

/** Listens, with the engine or in a host. */
async function listening(app: Framework, isHosted: boolean): Promise<{ port: number; close(): void }> {
  if (!isHosted) {
    await app.start(0);
    return { port: app.port, close: () => undefined };
  }
  const server = createServer(app.listener()).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

describe("the readiness of an app that listens", () => {
  for (const [name, { engine, dial = (port: number) => connect(port, "127.0.0.1") }] of Object.entries(ways))
    it(`is 503 when its stop has begun, over ${name}`, async () => {
      const { app } = created({ engine: engine?.(), shutdownGraceMs: 60_000 });
      const served: Socket[] = [];
      let release = (): void => undefined;
      app
        .use((ctx, next) => (served.push((ctx.platform[0] as IncomingMessage).socket), next()))
        .use(HealthMiddleware.builder().readiness("/ready").build())
        .get("/held", () => new Promise<void>((resolve) => (release = resolve)));
      const { port, close } = await listening(app, engine === undefined);
      const [held, probe] = [dial(port), dial(port)];
      let text = "";
      probe.on("data", (bytes: Buffer) => (text += bytes.toString()));
      const statuses = (): readonly number[] => responsesOf(text).map(({ status }) => status);
      try {
        const head = "GET /ready HTTP/1.1\r\nHost: localhost\r\n";
        probe.write(`${head}\r\n`);
        await until(() => statuses().length === 1);
        held.resume().write("GET /held HTTP/1.1\r\nHost: localhost\r\n\r\n");
        await until(() => served.length === 2);
        const before = served[0]?.bytesRead ?? 0;
        probe.write(head); // A connection without part of a request would be closed immediately.
        await until(() => (served[0]?.bytesRead ?? 0) > before);
        const stopped = app.stop();
        probe.write("\r\n");
        await until(() => statuses().length === 2);
        release();
        await stopped;
        assert.deepEqual(statuses(), [200, 503]);
      } finally {
        release();
        for (const socket of [held, probe]) socket.destroy();
        close();
      }
    });
});

/** Like `until`, for tests with stopped timers. */
async function turnsUntil(ready: () => boolean): Promise<void> {
  while (!ready()) await new Promise((resolve) => setImmediate(resolve));
}

describe("app.stop({ announceMs })", () => {
  const get = async (port: number, path: string, agent: Agent | false = false): Promise<readonly unknown[]> => {
    const [response] = (await once(request({ port, host: "127.0.0.1", path, agent }).end(), "response")) as [
      IncomingMessage,
    ];
    return [response.statusCode, await text(response)];
  };

  it("turns readiness 503 and serves everything for that time, then closes the port", async (t) => {
    const { app } = created({ shutdownGraceMs: 60_000 });
    let requests = 0;
    const sockets = new Set<unknown>();
    app
      .use((ctx, next) => (sockets.add((ctx.platform[0] as IncomingMessage).socket), next()))
      .use(HealthMiddleware.builder().readiness("/health/ready").liveness("/health/live").build())
      .get("/work", () => `done ${(requests += 1)}`)
      .get("/events", (ctx) => void ctx.sse().send("news"));
    await app.start(0);
    const { port } = app;
    const kept = new Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => (kept.destroy(), app.stop()));
    assert.equal((await get(port, "/health/ready", kept))[0], 200);
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const order: string[] = [];
    app.background("loop", (signal) => signal.addEventListener("abort", () => order.push("told to end")));
    const stopped = app.stop({ announceMs: 5_000 });
    assert.equal(app.stop({ announceMs: 0, graceMs: 0 }), stopped);
    for (const agent of [kept, false] as const) {
      assert.equal((await get(port, "/health/ready", agent))[0], 503);
      assert.equal((await get(port, "/health/live", agent))[0], 200);
      assert.equal((await get(port, "/work", agent))[0], 200);
    }
    assert.equal(sockets.size, 4); // The kept one, and three new ones.
    const events = get(port, "/events");
    await turnsUntil(() => sockets.size === 5);
    t.mock.timers.tick(4_999);
    assert.deepEqual([await get(port, "/work", kept), order], [[200, "done 3"], []]);
    t.mock.timers.tick(1);
    await stopped;
    assert.deepEqual([await events, order], [[200, "data: news\n\n"], ["told to end"]]);
    await assert.rejects(get(port, "/work"), { code: "ECONNREFUSED" });
  });

  it("does not wait when nothing was served", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    await created().app.stop({ announceMs: 5_000 });
  });
});
