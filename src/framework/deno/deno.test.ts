/**
 * framework/deno, as far as it can be tested without Deno: the options of `Deno.serve`, and its sockets. The rest is in
 * conformance/adapters.test.ts (ENGINE, WS).
 */
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { webSocket } from "../websocket/index.ts";
import { created, until } from "../testing/harness.testkit.ts";
import { Framework } from "../index.ts";
import { DenoPeer } from "./deno-peer.ts";
import { DenoEngine, serve } from "./index.ts";
import type { DenoRuntime, DenoServeConfig, DenoServeInfo, DenoServer, DenoSocket } from "./platform.ts";

/** A socket of that host. */
class Socket implements DenoSocket {
  readonly #listeners: Map<string, (event: never) => void> = new Map();
  binaryType: "blob" | "arraybuffer" = "blob";
  readyState = 0;
  bufferedAmount = 0;
  readonly done: unknown[] = [];
  send = (message: string | Uint8Array): void => void this.done.push(message);
  close = (code?: number, reason?: string): void => void this.done.push(["close", code, reason]);

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.set(type, listener);
  }

  tell(type: string, fields: object = {}): void {
    if (type === "open") this.readyState = 1;
    this.#listeners.get(type)?.(fields as never);
  }
}

/** A host with the used part of Deno. */
class Host implements DenoRuntime, DenoServer {
  readonly addr = { port: 4_321 };
  finished: Promise<void> = new Promise(() => undefined);
  config: DenoServeConfig | undefined;
  handler: ((request: Request, info: DenoServeInfo) => Response | Promise<Response>) | undefined;
  readonly socket: Socket = new Socket();
  idleTimeout: number | undefined;
  shutdown = (): Promise<void> => Promise.resolve();

  serve = (config: DenoServeConfig, handler: Host["handler"]): DenoServer => {
    this.config = config;
    this.handler = handler;
    return this;
  };
  upgradeWebSocket = (_request: Request, options: { idleTimeout: number }): { socket: Socket; response: Response } => {
    this.idleTimeout = options.idleTimeout;
    return { socket: this.socket, response: new Response(null) };
  };

  async ask(url: string, init?: RequestInit): Promise<Response | undefined> {
    return this.handler?.(new Request(url, init), { remoteAddr: { hostname: "10.0.0.7" } });
  }
}

const install = (host: Partial<Host>): unknown => Reflect.set(globalThis, "Deno", host);
const host = "h.example";

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

describe("serve of framework/deno", () => {
  afterEach(() => Reflect.deleteProperty(globalThis, "Deno"));

  test("starts the app on Deno.serve, and stops it", async () => {
    const deno = new Host();
    install(deno);
    const { app } = created();
    app.get("/", (ctx) => ctx.peerAddress);
    assert.equal(await serve(app, { port: 0, tls: { key: "k", cert: "c" }, reusePort: true }), app);
    const { signal, onListen, onError, ...config } = deno.config ?? assert.fail("not started");
    assert.deepEqual(config, { port: 0, hostname: "127.0.0.1", key: "k", cert: "c", reusePort: true });
    assert.deepEqual([onListen(), onError(new Error("x")).status], [undefined, 500]);
    assert.deepEqual([app.port, app.url], [4_321, "https://127.0.0.1:4321"]);
    assert.equal(await (await deno.ask(`http://${host}/`))?.text(), "10.0.0.7");
    assert.equal((await deno.ask("http://localhost:4321/"))?.status, 400);
    await app.stop();
    assert.equal(signal.aborted, false);
  });

  test("leaves unset options to Deno", async () => {
    const deno = new Host();
    install(deno);
    const app = Framework.create({ logger: { warn: () => undefined } });
    await serve(app.get("/", (ctx) => ctx.header("host")));
    const config = deno.config ?? assert.fail("not started");
    assert.deepEqual([Object.keys(config).toSorted(), config.port], [["onError", "onListen", "port", "signal"], 8080]);
    assert.match(app.url, /^http:/);
    const named = { headers: new Headers({ Host: "localhost" }) };
    const asked = new Request("http://localhost:4321/");
    const responses = await Promise.all([
      deno.handler?.(
        new Proxy(asked, { get: (request, name) => (name === "headers" ? named.headers : Reflect.get(request, name)) }),
        { remoteAddr: {} },
      ),
      deno.ask("https://localhost:4321/"),
      deno.ask("http://localhost:4321/"),
    ]);
    assert.deepEqual(
      responses.map((response) => [response?.status, response?.headers.get("connection")]),
      [
        [200, null],
        [200, null],
        [400, "close"],
      ],
    );
    await app.stop();
    assert.equal(new DenoEngine().name, "deno");
  });

  test("has stopped when the server has ended on its own, and cuts nothing afterwards", async () => {
    const deno = new Host();
    install(deno);
    const { app } = created();
    await serve(app);
    deno.shutdown = () => new Promise(() => undefined);
    deno.finished = Promise.resolve();
    await app.stop({ graceMs: 5 });
    await new Promise((resolve) => setTimeout(resolve, 15));
    assert.equal(deno.config?.signal.aborted, false);
  });

  test("cuts requests in flight after the grace", async () => {
    const deno = new Host();
    install(deno);
    const { app } = created();
    await serve(app);
    const cut = new Promise<void>((resolve) => deno.config?.signal.addEventListener("abort", () => resolve()));
    deno.shutdown = () => cut;
    await app.stop({ graceMs: 5 });
    assert.equal(deno.config?.signal.aborted, true);
  });

  test("gives the reason when it cannot listen", async () => {
    await assert.rejects(serve(created().app), { message: /^framework\/deno needs Deno: on Node call app\.start\(\)/ });
    install({
      serve: () => {
        throw Object.assign(new Error("Address already in use"), { name: "AddrInUse" });
      },
    });
    await assert.rejects(serve(created().app, { port: 80 }), { message: /^127\.0\.0\.1:80 is in use: / });
  });

  test("adapts a socket of Deno's to the interface of a route, from before it is open", async () => {
    const deno = new Host();
    install(deno);
    const { app } = created();
    const seen: unknown[] = [];
    const route = webSocket({
      open: (socket) => void socket.send("hello"),
      message(socket, message) {
        seen.push(message, socket.send(message));
        if (message === "slow") return socket.drained().then(() => void seen.push("drained"));
        return undefined;
      },
      close: (_socket, code) => void seen.push(code),
      protocols: ["chat"],
      pingMs: 30_000,
    });
    app.use((ctx, next) => (ctx.setHeader("X-Through", "yes"), next())).ws("/ws", route);
    await serve(app);
    const response = await deno.ask(`http://${host}/ws`, handshake());
    const fields = ["sec-websocket-protocol", "x-through"].map((name) => response?.headers.get(name));
    assert.deepEqual([fields, deno.idleTimeout, deno.socket.binaryType], [["chat", "yes"], 30, "arraybuffer"]);
    const { socket } = deno;
    assert.deepEqual(socket.done, []);
    socket.tell("open");
    socket.tell("message", { data: new Uint8Array([1]).buffer });
    socket.bufferedAmount = 100_000;
    socket.tell("message", { data: "slow" });
    await new Promise((resolve) => setTimeout(resolve, 15));
    socket.bufferedAmount = 0;
    await until(() => seen.includes("drained"));
    socket.tell("error");
    socket.tell("close", { code: 1_005, reason: "" });
    await until(() => seen.length === 6);
    assert.deepEqual(seen, [new Uint8Array([1]), true, "slow", false, "drained", 1_005]);
    assert.deepEqual(socket.done, ["hello", new Uint8Array([1]), "slow"]);
  });

  for (const [pingMs, idleTimeout] of [
    [0, 0],
    [1, 1],
    [1_400, 1],
    [1_600, 2],
  ] as const)
    test(`lets Deno ping every ${idleTimeout} s when a route pings every ${pingMs} ms, and names no protocol`, async () => {
      const deno = new Host();
      install(deno);
      const { app } = created();
      await serve(app.ws("/ws", webSocket({ pingMs, protocols: ["chat"] })));
      const response = await deno.ask(`http://${host}/ws`, handshake("other"));
      assert.deepEqual([deno.idleTimeout, [...(response?.headers ?? [["none"]])]], [idleTimeout, []]);
      deno.socket.tell("open");
      deno.socket.tell("close", { code: 1_005, reason: "" });
    });

  test("has the state and the protocol of a web socket", () => {
    const socket = new Socket();
    const peer = new DenoPeer(socket, undefined);
    const states = [peer.readyState];
    for (const state of [1, 2, 3]) {
      socket.readyState = state;
      states.push(peer.readyState);
    }
    assert.deepEqual([peer.protocol, peer.isPaused, states], ["", false, [1, 1, 2, 3]]);
    const closing = new Socket();
    const closed = new DenoPeer(closing, "chat");
    closed.close(1_000, "over");
    const ends = [closed.readyState];
    for (const state of [1, 2, 3]) {
      closing.readyState = state;
      ends.push(closed.readyState);
    }
    assert.deepEqual([closed.protocol, ends, closed.sentCode], ["chat", [2, 2, 2, 3], 1_000]);
  });

  test("is over once, with its client's close code or 1006, and does not close a closed socket again", () => {
    const heard: unknown[] = [];
    const open = new Socket();
    const peer = new DenoPeer(open, undefined);
    for (const event of ["close", "error", "pong"])
      peer.on(event, (...said: never[]) => void heard.push([event, ...said]));
    open.tell("open");
    open.tell("error");
    peer.ping();
    open.tell("close", { code: 1_001, reason: "away" });
    open.readyState = 3;
    peer.terminate();
    open.tell("close", { code: 1_000, reason: "again" });
    assert.deepEqual(heard, [["error"], ["pong"], ["close", 1_001, "away"]]);
    assert.deepEqual([open.done, peer.readyState], [[], 3]);
    const cut = new Socket();
    const other = new DenoPeer(cut, undefined);
    other.on("close", (...said: never[]) => void heard.push(said));
    cut.tell("open");
    other.terminate();
    assert.equal(other.readyState, 3);
    cut.tell("close", { code: 1_000, reason: "late" });
    assert.deepEqual([heard.at(-1), heard.length, cut.done], [[1_006, ""], 4, [["close", undefined, undefined]]]);
  });

  test("runs actions that wait for its opening once, and polls until data was sent", async () => {
    const socket = new Socket();
    const peer = new DenoPeer(socket, undefined);
    peer.send("early");
    socket.tell("open");
    socket.tell("open");
    assert.deepEqual(socket.done, ["early"]);
    const told: string[] = [];
    peer.send("at once", () => told.push("at once"));
    assert.deepEqual(told, ["at once"]);
    socket.bufferedAmount = 1;
    let asked = 0;
    Object.defineProperty(socket, "bufferedAmount", { get: () => ((asked += 1) < 6 ? 1 : 0) });
    peer.send("a", () => told.push("a"));
    peer.send("b", () => told.push("b"));
    await until(() => told.length === 3);
    assert.deepEqual(told, ["at once", "a", "b"]);
    assert.equal(asked, 6);
  });

  test("stops polling a socket that is over", ({ mock }) => {
    mock.timers.enable({ apis: ["setTimeout"] });
    let asked = 0;
    const socket = Object.defineProperty(new Socket(), "bufferedAmount", { get: () => (asked += 1) });
    const told: string[] = [];
    const peer = new DenoPeer(socket, undefined);
    peer.send("never out", () => told.push("over"));
    mock.timers.tick(10);
    assert.deepEqual([asked, told], [2, []]);
    peer.terminate();
    for (const ms of [100, 100]) mock.timers.tick(ms);
    assert.deepEqual([asked, told], [3, ["over"]]);
  });

  test("closes and cuts a socket that is not open yet when it opens", async () => {
    const deno = new Host();
    install(deno);
    const { app } = created();
    const codes: number[] = [];
    const open = (socket: { close(): void; terminate(): void; isOpen: boolean }): void => {
      socket.close();
      assert.equal(socket.isOpen, false);
      socket.terminate();
    };
    await serve(app.ws("/ws", webSocket({ open, close: (_socket, code) => void codes.push(code) })));
    await deno.ask(`http://${host}/ws`, handshake());
    deno.socket.tell("open");
    deno.socket.tell("close", { code: 1_000, reason: "" });
    assert.deepEqual(deno.socket.done, [
      ["close", 1_000, ""],
      ["close", undefined, undefined],
    ]);
    assert.deepEqual(codes, [1_000]);
  });
});
