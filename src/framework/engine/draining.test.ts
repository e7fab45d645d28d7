/** An app that listens and stops: what its readiness says to a probe that is on its way (HEALTH, LIFE). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
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

/** Every way on which a connection that is open takes a request while the app stops: one of HTTP/2 does not. */
const ways: Readonly<Record<string, Way>> = {
  "HTTP/1.1": { engine: () => new NodeHttpEngine() },
  "HTTP/1.1 beside h2c": { engine: () => new NodeHttp2Engine() },
  "HTTP/1.1 over TLS": {
    engine: () => new NodeHttp2Engine(certificate),
    dial: (port) => connectTls({ port, host: "127.0.0.1", ca: certificate.cert, servername: "localhost" }),
  },
  "a host's server": {},
};

/** Listens, by the engine or in a host. */
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
    it(`is 503 once its stop has begun, over ${name}`, async () => {
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
        probe.write(head); // A connection without a part of a request would be closed at once.
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
