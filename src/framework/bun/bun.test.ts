/**
 * framework/bun, as far as it can be tested without Bun: the options of `Bun.serve`, and its sockets. The rest is in
 * conformance/adapters.test.ts (ENGINE, WS).
 */
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { webSocket } from "../websocket/index.ts";
import { Framework } from "../index.ts";
import { created, until } from "../testing/harness.testkit.ts";
import { BunEngine, serve } from "./index.ts";
import { BunPeer } from "./bun-peer.ts";
import type { BunServeConfig, BunServer, BunSocket, BunSocketData } from "./platform.ts";

/** A host with the used part of Bun. */
class Host implements BunServer {
  readonly port = 4_321;
  pendingRequests = 0;
  pendingWebSockets = 0;
  config: BunServeConfig | undefined;
  readonly stopped: unknown[] = [];
  socket: Socket | undefined;
  upgraded: { data: BunSocketData; headers: Headers } | undefined;
  canUpgrade = true;

  serve = (config: BunServeConfig): BunServer => {
    this.config = config;
    return this;
  };
  requestIP = (): { address: string } | null => ({ address: "10.0.0.7" });
  upgrade = (_request: Request, options: { data: BunSocketData; headers: Headers }): boolean => {
    this.upgraded = options;
    this.socket = new Socket(options.data);
    if (this.canUpgrade) this.config?.websocket.open(this.socket); // Like Bun, before it returns.
    return this.canUpgrade;
  };
  stop = (cuts?: boolean): void => void this.stopped.push(cuts);

  async ask(path: string, init?: RequestInit): Promise<Response | undefined> {
    return this.config?.fetch(new Request(`http://h${path}`, init), this);
  }
}

/** A socket of that host. */
class Socket implements BunSocket {
  readonly data: BunSocketData;
  readyState = 1;
  buffered = 0;
  readonly done: unknown[] = [];

  constructor(data: BunSocketData) {
    this.data = data;
  }
  send = (message: string | Uint8Array): number => this.done.push(message);
  ping = (): number => this.done.push("ping");
  close = (code?: number, reason?: string): void => void this.done.push(["close", code, reason]);
  terminate = (): void => void this.done.push("terminate");
  getBufferedAmount = (): number => this.buffered;
}

/** An opening handshake. Its fields are those of a server, since a client's `Headers` would drop them. */
const handshake = (protocols = "other,chat"): { headers: Headers } => {
  const key = "dGhlIHNhbXBsZSBub25jZQ==";
  const fields = {
    Upgrade: "websocket",
    Connection: "Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": key,
  };
  return { headers: new Headers({ ...fields, "Sec-WebSocket-Protocol": protocols }) };
};

const install = (host: Host | undefined): unknown => Reflect.set(globalThis, "Bun", host);

describe("serve of framework/bun", () => {
  afterEach(() => Reflect.deleteProperty(globalThis, "Bun"));

  test("starts the app on Bun.serve, and stops it", async () => {
    const host = new Host();
    install(host);
    const { app } = created({ timeouts: { idleMs: 1_000_000 } });
    app.get("/", (ctx) => ctx.json([ctx.peerAddress, ctx.platform[1] === host]));
    await serve(app, { port: 0, hostname: "::1", maxRequestBodySize: 5, tls: { key: "k", cert: "c" } });
    const { fetch, error, websocket, ...config } = host.config ?? assert.fail("not started");
    assert.deepEqual(config, {
      port: 0,
      hostname: "::1",
      tls: { key: "k", cert: "c" },
      maxRequestBodySize: 5,
      reusePort: false,
      idleTimeout: 255,
      development: false,
    });
    assert.equal((await fetch(new Request("http://h/none"), host)).status, 404);
    assert.deepEqual([websocket.idleTimeout, websocket.sendPings, error(new Error("x")).status], [0, false, 500]);
    assert.deepEqual([app.port, app.url], [4_321, "https://[::1]:4321"]);
    assert.deepEqual(await (await host.ask("/"))?.json(), ["10.0.0.7", true]);
    host.pendingRequests = 1;
    const stopping = app.stop();
    await until(() => host.stopped.length === 1);
    host.pendingRequests = 0;
    await stopping;
    assert.deepEqual(host.stopped, [undefined, true]);
  });

  test("leaves unset options to Bun, and limits its sockets only by the routes' options", async () => {
    const host = new Host();
    host.requestIP = () => null;
    install(host);
    const app = Framework.create({ timeouts: { idleMs: 1_500 }, logger: { warn: () => undefined } });
    app.get("/", (ctx) => ctx.json(ctx.peerAddress ?? null));
    assert.equal(await serve(app, { port: 0, reusePort: true }), app);
    const config = host.config ?? assert.fail("not started");
    const names = ["development", "error", "fetch", "idleTimeout", "port", "reusePort", "websocket"];
    assert.deepEqual(Object.keys(config).toSorted(), names);
    const { websocket } = config;
    assert.deepEqual([config.reusePort, config.idleTimeout, config.development], [true, 2, false]);
    const { idleTimeout, sendPings, maxPayloadLength, backpressureLimit, perMessageDeflate } = websocket;
    assert.deepEqual(
      [idleTimeout, sendPings, maxPayloadLength, backpressureLimit, perMessageDeflate],
      [0, false, 16_777_216, 2_147_483_647, false],
    );
    assert.match(app.url, /^http:/);
    assert.equal(await (await host.ask("/"))?.json(), null);
    await app.stop();
    assert.equal(new BunEngine().name, "bun");
  });

  test("waits for open WebSockets, and for nothing after the grace", async () => {
    const host = new Host();
    host.pendingWebSockets = 1;
    install(host);
    const { app } = created();
    await serve(app);
    await app.stop({ graceMs: 20 });
    assert.deepEqual([host.pendingWebSockets, host.stopped], [1, [undefined, true]]);
    const again = new Host();
    again.pendingWebSockets = 1;
    install(again);
    const patient = created().app;
    await serve(patient);
    const stopping = patient.stop({ graceMs: 60_000 });
    await until(() => again.stopped.length === 1);
    await new Promise(setImmediate);
    assert.deepEqual(again.stopped, [undefined]);
    again.pendingWebSockets = 0;
    await stopping;
    assert.deepEqual(again.stopped, [undefined, true]);
  });

  test("gives the reason when it cannot listen", async () => {
    await assert.rejects(serve(created().app), { message: /^framework\/bun needs Bun: on Node call app\.start\(\)/ });
    const host = new Host();
    host.serve = () => {
      throw Object.assign(new Error("Failed to start server"), { code: "EADDRINUSE" });
    };
    install(host);
    await assert.rejects(serve(created().app, { port: 80 }), { message: /^127\.0\.0\.1:80 is in use: / });
  });

  test("adapts a socket of Bun's to the interface of a route", async () => {
    const host = new Host();
    install(host);
    const { app } = created();
    const seen: unknown[] = [];
    const route = webSocket({
      open: (socket) => void socket.send("hello"),
      message: (socket, message) => void seen.push(message, socket.send(message)),
      close: (_socket, code) => void seen.push(code),
      protocols: ["chat"],
    });
    app.use((ctx, next) => (ctx.setHeader("X-Through", "yes"), next())).ws("/ws", route);
    await serve(app);
    const { websocket } = host.config ?? assert.fail("not started");
    const response = await host.ask("/ws", handshake());
    const { data, headers } = host.upgraded ?? assert.fail("not upgraded");
    assert.ok(data instanceof BunPeer);
    assert.deepEqual(
      [response?.status, [...headers]],
      [
        200,
        [
          ["sec-websocket-protocol", "chat"],
          ["x-through", "yes"],
        ],
      ],
    );
    const socket = host.socket ?? assert.fail("not open");
    websocket.message(socket, "a");
    socket.buffered = 100_000;
    websocket.message(socket, new Uint8Array([1]));
    const drained = new Promise<void>((resolve) => data.send("late", resolve));
    socket.buffered = 0;
    websocket.drain(socket);
    await drained;
    const heard: string[] = [];
    for (const event of ["ping", "pong"]) data.on(event, () => heard.push(event));
    websocket.ping(socket);
    websocket.pong(socket);
    assert.deepEqual(heard, ["ping", "pong"]);
    data.ping();
    data.terminate();
    data.close(1_000, "over");
    websocket.close(socket, 1_000, "over");
    await until(() => seen.length === 5);
    assert.deepEqual(seen, ["a", true, new Uint8Array([1]), false, 1_000]);
    const sent = ["hello", "a", new Uint8Array([1]), "late", "ping", "terminate", ["close", 1_000, "over"]];
    assert.deepEqual(socket.done, sent);
  });

  test("names no subprotocol when none was chosen, and drops messages sent before it is open", async () => {
    const host = new Host();
    install(host);
    const { app } = created();
    await serve(app.ws("/ws", webSocket({ protocols: ["chat"] })));
    await host.ask("/ws", handshake("other"));
    assert.deepEqual([...(host.upgraded?.headers ?? [["none"]])], []);
    const peer = new BunPeer(undefined);
    const told: string[] = [];
    peer.send("early", () => told.push("sent"));
    assert.deepEqual([told, peer.isPaused], [["sent"], false]);
    for (const act of [() => peer.ping(), () => peer.close(1_000), () => peer.terminate(), () => peer.drained()]) act();
    const seen = [peer.protocol, peer.readyState, peer.bufferedAmount, told, peer.sentCode];
    assert.deepEqual(seen, ["", 0, 0, ["sent"], 1_000]);
  });

  test("calls each callback once, also when its socket closes with waiting data", async () => {
    const host = new Host();
    install(host);
    const { app } = created();
    await serve(app.ws("/ws", webSocket({})));
    await host.ask("/ws", handshake());
    const { websocket } = host.config ?? assert.fail("not started");
    const socket = host.socket ?? assert.fail("not open");
    const told: string[] = [];
    socket.buffered = 1;
    (socket.data as BunPeer).send("a", () => told.push("a"));
    (socket.data as BunPeer).send("b", () => told.push("b"));
    (socket.data as BunPeer).send("nobody asks");
    assert.deepEqual(told, []);
    websocket.close(socket, 1_006, "");
    websocket.drain(socket);
    assert.deepEqual(told, ["a", "b"]);
  });

  test("fails when Bun does not upgrade", async () => {
    const host = new Host();
    host.canUpgrade = false;
    install(host);
    const { app } = created();
    await serve(app.ws("/ws", webSocket({})));
    await assert.rejects(host.ask("/ws", handshake()), { message: "the WebSocket could not be opened" });
  });
});
