/** Unit tests of listening.ts: errors without Node or a free port, and the end with its grace (ENGINE, LIFE). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { describe, it } from "node:test";
import type { EngineConfig } from "../http/exchange.ts";
import { until } from "../testing/harness.testkit.ts";
import { ConnectionTracker } from "./connection-tracker.ts";
import { listen, nodeModule, stopListening } from "./listening.ts";

const configOf = (port: number, host?: string): EngineConfig => ({ port, host }) as EngineConfig;

describe("nodeModule", () => {
  it("is Node's own, and an error that names the requirement when there is none", (t) => {
    assert.equal(nodeModule<{ createServer: unknown }>("node:net", "own").createServer, createServer);
    const message = "own needs Node.js 20.16 or newer; elsewhere use app.fetch";
    assert.throws(() => nodeModule("node:nothing", "own"), { message });
    const { process } = globalThis;
    t.after(() => void Object.assign(globalThis, { process }));
    for (const without of [{ getBuiltinModule: undefined }, undefined]) {
      Object.assign(globalThis, { process: without });
      assert.throws(() => nodeModule("node:net", "own"), { message });
    }
  });
});

describe("listen", () => {
  const closing = (server: Server): Promise<unknown> => new Promise((resolve) => server.close(resolve));

  it("resolves with its port, on the given host", async () => {
    const server = createServer();
    const port = await listen(server, configOf(0, "127.0.0.1"));
    const { address, port: bound } = server.address() as AddressInfo;
    assert.deepEqual([address, port > 0, bound], ["127.0.0.1", true, port]);
    await closing(server);
    const anywhere = createServer();
    await listen(anywhere, configOf(0));
    assert.match((anywhere.address() as AddressInfo).address, /^(?:::|0\.0\.0\.0)$/);
    await closing(anywhere);
  });

  it("allows a burst of connections to wait", async () => {
    const asked: unknown[] = [];
    const server = createServer();
    const own = server.listen.bind(server);
    server.listen = ((options: object, listening: () => void) => (
      asked.push(options),
      own(options, listening)
    )) as never;
    const port = await listen(server, configOf(0, "127.0.0.1"));
    await closing(server);
    assert.deepEqual(asked, [{ port: 0, backlog: 4_096, host: "127.0.0.1" }]);
    assert.ok(port > 0);
  });

  it("rejects with a sentence when the port is in use", async () => {
    const first = createServer();
    const port = await listen(first, configOf(0, "127.0.0.1"));
    await assert.rejects(listen(createServer(), configOf(port, "127.0.0.1")), (error: Error) =>
      error.message.includes(String(port)),
    );
    await closing(first);
  });
});

describe("stopListening", () => {
  /** A server with one client, whose exchange is open. */
  async function serving(use: (server: Server, sockets: ConnectionTracker, client: Socket) => Promise<void>) {
    const sockets = new ConnectionTracker(60_000);
    const exchange = { earlier: undefined, leave: () => undefined };
    let isOpen = false;
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      sockets.add(socket);
      sockets.open(socket, exchange);
      socket.once("data", () => sockets.close(socket, exchange));
      isOpen = true;
    });
    const port = await listen(server, configOf(0, "127.0.0.1"));
    const client = connect(port, "127.0.0.1");
    client.on("error", () => undefined);
    try {
      await until(() => isOpen);
      await use(server, sockets, client);
    } finally {
      client.destroy();
      server.close();
    }
  }

  it("accepts no new connection, and waits for the open ones", () =>
    serving(async (server, sockets, client) => {
      const { port } = server.address() as AddressInfo;
      let isStopped = false;
      const stopped = stopListening(server, sockets, 60_000).then(() => (isStopped = true));
      const late = connect(port, "127.0.0.1");
      const [error] = await once(late, "error");
      assert.deepEqual([(error as NodeJS.ErrnoException).code, isStopped], ["ECONNREFUSED", false]);
      const closed = once(client.resume(), "close");
      client.write("over");
      await Promise.all([stopped, closed]);
    }));

  it("closes the rest when the grace is over", () =>
    serving(async (server, sockets, client) => {
      const closed = once(client, "close");
      await stopListening(server, sockets, 1);
      await closed;
      assert.equal(server.listening, false);
    }));

  it("leaves no timer", () =>
    serving(async (server, sockets, client) => {
      const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
      const before = timers();
      const stopped = stopListening(server, sockets, 60_000);
      client.write("over");
      await stopped;
      assert.ok(timers() <= before, `${timers()} timers`);
    }));
});
