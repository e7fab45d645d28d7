/** Connections and their sockets over a scripted peer that records all calls (WS). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Completion, type ConnectionEvent, type Framework } from "../index.ts";
import { PeerEvents } from "../internal/peer-events.ts";
import { created } from "../testing/harness.testkit.ts";
import { webSocket, type WebSocketOptions } from "./index.ts";
import { ServerWebSocket } from "./server-web-socket.ts";

/** A socket of a host that speaks WebSocket itself. */
class Peer extends PeerEvents {
  readonly protocol = "";
  readyState = 1;
  isPaused = false;
  bufferedAmount = 0;
  readonly done: unknown[] = [];
  /** The callback for a sent message. */
  readonly sent: (() => void)[] = [];

  send(message: string | Uint8Array, sent?: () => void): void {
    this.done.push(message);
    if (sent !== undefined) this.sent.push(sent);
  }
  ping = (): void => void this.done.push("ping");
  close = (code?: number, reason?: string): void => void this.done.push(["close", code, reason]);
  terminate = (): void => void this.done.push("terminate");
  pause = (): void => void this.done.push("pause");
  resume = (): void => void this.done.push("resume");

  /** It is closed. */
  ended(code = 1_000, reason = ""): void {
    this.readyState = 3;
    this.emit("close", code, reason);
  }
}

interface Opened {
  readonly app: Framework;
  readonly peer: Peer;
  readonly ended: Completion[];
  readonly errors: { line: string; error: unknown }[];
  readonly heard: unknown[];
  /** The handshake that the host got. */
  readonly asked: unknown;
  /** The socket of the handlers. */
  readonly socket: ServerWebSocket;
}

/** A WebSocket of an app with one route. */
async function open(
  options: WebSocketOptions = {},
  define: (app: Framework) => unknown = () => undefined,
): Promise<Opened> {
  const { app, errors } = created();
  const peer = new Peer();
  const ended: Completion[] = [];
  const heard: unknown[] = [];
  let socket: ServerWebSocket | undefined;
  let asked: unknown;
  app.observe({ annotation: (_ctx, name, value) => void heard.push([name, value]) });
  app.use((ctx, next) => {
    ctx.onComplete((completion) => void ended.push(completion));
    return next();
  });
  define(app);
  const route = webSocket({
    ...options,
    open(own, ctx) {
      socket = own;
      return options.open?.(own, ctx);
    },
  });
  app.ws("/ws/{name}", route);
  const handshake = { upgrade: "websocket", connection: "Upgrade", "sec-websocket-version": "13" };
  const headers = { ...handshake, "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" };
  const response = new Response(null);
  const native = { open: (one: unknown) => ((asked = one), { peer, response }) };
  assert.equal(await app.fetch(new Request("http://x/ws/a", { headers }), { webSocket: native }), response);
  return { app, peer, ended, errors, heard, asked, socket: socket ?? assert.fail("not open") };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => (settled = true));
  await turn();
  return settled;
}

describe("ServerWebSocket", () => {
  test("gets a callback for a long message, or one after others, and for no other", async () => {
    const { peer, socket } = await open();
    socket.send("x".repeat(16_383));
    assert.equal(peer.sent.length, 0);
    socket.send("x".repeat(16_384));
    assert.equal(peer.sent.length, 1);
    peer.bufferedAmount = 1;
    socket.send("x");
    assert.equal(peer.sent.length, 2);
    assert.equal(socket.sentBytes, 2 ** 15);
    peer.ended();
  });

  test("is slow from 65,536 bytes on, until fewer wait", async () => {
    const { peer, socket } = await open();
    peer.bufferedAmount = 65_535;
    assert.deepEqual([socket.send("a"), await isSettled(socket.drained())], [true, true]);
    peer.bufferedAmount = 65_536;
    assert.equal(socket.send("ä"), false);
    const drained = [socket.drained(), socket.drained()];
    const [sent] = peer.sent.slice(-1);
    sent?.();
    assert.deepEqual([await isSettled(Promise.race(drained)), socket.sentBytes], [false, 3]);
    peer.bufferedAmount = 65_535;
    sent?.();
    assert.equal(await isSettled(Promise.all(drained)), true);
    peer.ended();
  });

  test("blocks nothing after it is closed, and sends nothing then", async () => {
    const { peer, socket } = await open();
    peer.bufferedAmount = 100_000;
    const drained = socket.drained();
    assert.equal(await isSettled(drained), false);
    peer.readyState = 2;
    assert.deepEqual([socket.send("late"), socket.isOpen, await isSettled(socket.drained())], [false, false, false]);
    peer.ended();
    assert.deepEqual([await isSettled(drained), await isSettled(socket.drained())], [true, true]);
    assert.deepEqual([peer.done, socket.sentBytes], [[], 0]);
  });

  test("is cut when more than maxBufferedBytes wait, and not at exactly that many", async () => {
    const { peer, socket } = await open({ maxBufferedBytes: 100 });
    peer.bufferedAmount = 100;
    assert.deepEqual([socket.send("a"), peer.done, socket.isClosedHere], [true, ["a"], false]);
    peer.bufferedAmount = 101;
    assert.deepEqual([socket.send("b"), peer.done, socket.isClosedHere], [false, ["a", "b", "terminate"], true]);
    peer.ended(1_006);
  });

  test("closes once, without a reason by default, continues to read, and is cut after closeMs", async (t) => {
    const { peer, socket } = await open({ closeMs: 50, pingMs: 0 });
    t.mock.timers.enable({ apis: ["setTimeout"] });
    socket.close();
    assert.deepEqual(peer.done, [["close", 1_000, ""], "resume"]);
    peer.readyState = 2;
    socket.close(1_001);
    assert.equal(peer.done.length, 2);
    t.mock.timers.tick(49);
    assert.equal(peer.done.length, 2);
    t.mock.timers.tick(1);
    assert.deepEqual(peer.done.slice(2), ["terminate"]);
    peer.ended(1_006);
    const { peer: prompt, socket: other } = await open({ closeMs: 50, pingMs: 0 });
    other.close();
    prompt.ended(1_000);
    t.mock.timers.tick(100);
    assert.deepEqual(prompt.done, [["close", 1_000, ""], "resume"]);
  });

  test("rejects an invalid message, code or reason with an error code", async () => {
    const { peer, socket } = await open();
    assert.throws(() => socket.send(7 as never), { code: "WEBSOCKET_INVALID" });
    assert.throws(() => socket.close(1_005), { code: "WEBSOCKET_INVALID" });
    assert.throws(() => socket.close(1_000, "x".repeat(124)), { code: "WEBSOCKET_INVALID" });
    assert.deepEqual(peer.done, []);
    socket.close(1_000, "x".repeat(123));
    assert.equal(peer.done.length, 2);
    peer.ended();
  });
});

describe("a WebSocket connection", () => {
  test("ends its request once, with the counts of both directions, and the side that closed it", async () => {
    const mine = await open({ message: (socket, message) => void socket.send(message) });
    mine.peer.emit("message", "ä", false);
    mine.peer.emit("message", Uint8Array.of(1).buffer, true);
    mine.peer.emit("message", [Uint8Array.of(2, 3), Uint8Array.of(6)], true);
    mine.peer.emit("message", Uint8Array.of(0, 4, 5, 0).subarray(1, 3), true);
    assert.deepEqual(mine.peer.done, ["ä", Uint8Array.of(1), Uint8Array.of(2, 3, 6), Uint8Array.of(4, 5)]);
    mine.socket.close(4_000, "bye");
    mine.peer.ended(4_000, "bye");
    const end = { code: 4_000, reason: "bye", by: "server", messages: 4, sentBytes: 8, protocol: "" };
    assert.deepEqual(mine.heard, [["webSocket", end]]);
    const their = await open();
    their.peer.ended(1_006);
    const broken = { code: 1_006, reason: "", by: "client", messages: 0, sentBytes: 0, protocol: "" };
    assert.deepEqual(their.heard, [["webSocket", broken]]);
    const wrong = await open();
    Object.assign(wrong.peer, { sentCode: 1_002 });
    wrong.peer.ended(1_006);
    assert.deepEqual(wrong.heard, [["webSocket", { ...broken, code: 1_002, by: "server" }]]);
    assert.deepEqual(
      [mine, their].map(({ ended }) => ended.map(({ status, bytes, aborted }) => [status, bytes, aborted])),
      [[[101, 8, false]], [[101, 0, true]]],
    );
    assert.deepEqual([...mine.errors, ...their.errors], []);
  });

  test("closes with 1009 when a host passes a message over the limit on, and no handler gets it", async () => {
    const got: unknown[] = [];
    const { peer } = await open({ maxMessageBytes: 3, message: (_socket, message) => void got.push(message) });
    peer.emit("message", "abc", false);
    peer.emit("message", "äbc", false);
    assert.deepEqual([got, peer.done], [["abc"], [["close", 1_009, ""], "resume"]]);
    peer.emit("message", "a", false);
    assert.deepEqual(got, ["abc"]);
    peer.ended(1_009);
  });

  test("counts an overhead for each waiting message, so that empty ones are bounded too", async () => {
    const { peer, ended } = await open({ message: () => new Promise(() => undefined), maxQueuedBytes: 64 * 2_000 });
    for (let n = 0; n <= 2_000; n += 1) peer.emit("message", "", false);
    assert.deepEqual(peer.done, ["pause"]);
    peer.emit("message", "", false);
    assert.deepEqual(peer.done[1], ["close", 1_008, "too many messages while one is handled"]);
    assert.equal(ended.length, 0);
  });

  test("counts waiting messages only, not handled ones", async () => {
    const releases: (() => void)[] = [];
    const message: WebSocketOptions["message"] = (_socket, text) =>
      text === "long" ? new Promise<void>((resolve) => void releases.push(resolve)) : undefined;
    const { peer } = await open({ message, maxQueuedBytes: 64 * 2_000 });
    const emit = (count: number): void => {
      peer.emit("message", "long", false);
      for (let n = 0; n < count; n += 1) peer.emit("message", "", false);
    };
    emit(1_000);
    emit(900);
    releases.shift()?.();
    await turn();
    assert.equal(releases.length, 1, "the second long one is being handled");
    emit(1_000);
    assert.ok(!peer.done.some((done) => Array.isArray(done)), "1,901 messages wait, of 2,000");
    emit(99);
    assert.deepEqual(peer.done.at(-2), ["close", 1_008, "too many messages while one is handled"]);
  });

  test("passes messages on one at a time, and bounds the waiting ones by their bytes", async () => {
    const got: unknown[] = [];
    const releases: (() => void)[] = [];
    const message: WebSocketOptions["message"] = (_socket, text) => {
      got.push(text);
      return new Promise<void>((resolve) => void releases.push(resolve));
    };
    const { peer, ended, errors } = await open({ message, maxMessageBytes: 4, maxQueuedBytes: 4 });
    const release = async (): Promise<void> => {
      releases.shift()?.();
      await turn();
    };
    for (const text of ["1", "ä2", "3"]) peer.emit("message", text, false);
    assert.deepEqual([got, peer.done], [["1"], ["pause"]]);
    await release();
    assert.deepEqual(got, ["1", "ä2"]);
    for (const text of ["44", "5"]) peer.emit("message", text, false);
    for (let n = 0; n < 4; n += 1) await release();
    assert.deepEqual(got, ["1", "ä2", "3", "44", "5"]);
    assert.deepEqual(peer.done, ["pause", "pause", "pause", "pause", "pause", "resume"]);
    for (const text of ["6", "1234", "x"]) peer.emit("message", text, false);
    const busy = [["close", 1_008, "too many messages while one is handled"], "resume"];
    assert.deepEqual(peer.done.slice(6), ["pause", ...busy]);
    peer.ended(1_008, "");
    assert.equal(ended.length, 0);
    await release();
    assert.deepEqual([got.length, ended.length, errors], [6, 1, []]);
  });

  test("passes a hundred thousand waiting messages on in time", async () => {
    let release = (): void => undefined;
    let got = 0;
    const busy = new Promise<void>((resolve) => (release = resolve));
    const { peer } = await open({ message: () => (++got === 1 ? busy : undefined) });
    for (let n = 0; n < 100_000; n += 1) peer.emit("message", "x", false);
    const startedAt = performance.now();
    release();
    await turn();
    assert.equal(got, 100_000);
    assert.ok(performance.now() - startedAt < 2_000, `${performance.now() - startedAt} ms`);
  });

  test("continues to read when a busy handler has closed it, to get its client's close", async () => {
    let release = (): void => undefined;
    const log: unknown[] = [];
    const { peer, ended } = await open({
      close: (_socket, code) => void log.push(code),
      message(socket, message) {
        log.push(message);
        socket.close();
        peer.readyState = 2;
        return new Promise<void>((resolve) => (release = resolve));
      },
    });
    peer.emit("message", "closes", false);
    assert.deepEqual(peer.done, [["close", 1_000, ""], "resume"]);
    peer.ended();
    release();
    await turn();
    assert.deepEqual([ended.length, log], [1, ["closes", 1_000]]);
  });

  test("passes no waiting message on after it is closed, only its end", async () => {
    let release = (): void => undefined;
    const log: unknown[] = [];
    const { peer, socket } = await open({
      close: (_socket, code) => void log.push(code),
      message(_socket, message) {
        log.push(message);
        return new Promise<void>((resolve) => (release = resolve));
      },
    });
    for (const message of ["first", "second"]) peer.emit("message", message, false);
    socket.close();
    peer.ended();
    release();
    await turn();
    assert.deepEqual(log, ["first", 1_000]);
  });

  test("closes with 1001 when the app stops, with the reason", async () => {
    const { app, peer } = await open();
    const stopping = app.stop();
    assert.deepEqual(peer.done, [["close", 1_001, "the server stops"], "resume"]);
    peer.ended(1_001);
    await stopping;
  });

  test("names its work by its route and its handler to wrappers, with the data", async () => {
    const around: unknown[] = [];
    const { peer } = await open({ message: () => undefined, close: () => undefined }, (app) =>
      app.use({
        installed: (life) =>
          life.wrapBackground((name: string, work: () => unknown, origin?: ConnectionEvent) => {
            around.push([name, origin?.event, origin?.data]);
            return work();
          }),
        handle: (_ctx, next) => next(),
      }),
    );
    peer.emit("message", "x", false);
    peer.ended(1_000, "bye");
    assert.deepEqual(around, [
      ["ws /ws/{name} open", "open", undefined],
      ["ws /ws/{name} message", "message", "x"],
      ["ws /ws/{name} close", "close", { code: 1_000, reason: "bye", by: "client" }],
    ]);
  });

  test("runs open first and close last, each after the ones before it", async () => {
    const log: string[] = [];
    let release = (): void => undefined;
    const { peer, ended } = await open({
      open: () => new Promise<void>((resolve) => (release = resolve)),
      message: (_socket, text) => void log.push(String(text)),
      close: (_socket, code, reason) => void log.push(`${code} ${reason}`),
    });
    peer.emit("message", "early", false);
    peer.ended(3_000, "over");
    await turn();
    assert.deepEqual([log, ended.length], [[], 0]);
    release();
    await turn();
    assert.deepEqual([log, ended.length, peer.done], [["early", "3000 over"], 1, ["pause", "resume"]]);
  });

  test("logs a handler's error, passes it to error, and closes with 1011", async () => {
    const told: unknown[] = [];
    const failing: readonly (() => unknown)[] = [
      () => {
        throw new Error("thrown");
      },
      () => Promise.reject(new Error("thrown")),
    ];
    for (const message of failing) {
      const error: WebSocketOptions["error"] = (_socket, reason) => void told.push(reason);
      const { peer, errors } = await open({ message, error });
      peer.emit("message", "x", false);
      await turn();
      assert.deepEqual(
        errors.map(({ line, error: reason }) => [line, reason]),
        [["ws /ws/{name}: its message handler failed", new Error("thrown")]],
      );
      assert.deepEqual(
        peer.done.filter((act) => Array.isArray(act)),
        [["close", 1_011, ""]],
      );
      peer.ended(1_011);
    }
    assert.deepEqual(told, [new Error("thrown"), new Error("thrown")]);
    for (const error of failing) {
      const { peer, errors } = await open({ message: failing[0], error });
      peer.emit("message", "x", false);
      await turn();
      assert.deepEqual(
        errors.map(({ line }) => line),
        ["ws /ws/{name}: its message handler failed", "ws /ws/{name}: its error handler failed"],
      );
      peer.ended(1_011);
    }
  });

  test("pings, cuts a client that sent nothing since, but not one that is not being read", async (t) => {
    t.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
    const { peer, asked } = await open({ pingMs: 50 });
    assert.deepEqual(asked, { protocol: undefined, headers: [], pingMs: 50 });
    const signs = [() => peer.emit("message", "x", false), () => peer.emit("ping"), () => peer.emit("pong")];
    for (const sign of signs) {
      t.mock.timers.tick(50);
      sign();
    }
    assert.deepEqual(peer.done, ["ping", "ping", "ping"]);
    t.mock.timers.tick(50);
    peer.isPaused = true;
    t.mock.timers.tick(50);
    peer.isPaused = false;
    t.mock.timers.tick(50);
    assert.deepEqual(peer.done.slice(3), ["ping", "ping", "ping"]);
    t.mock.timers.tick(50);
    assert.deepEqual(peer.done.slice(6), ["terminate"]);
    peer.ended(1_006);
    t.mock.timers.tick(1_000);
    assert.equal(peer.done.length, 7);
    const silent = await open({ pingMs: 0 });
    t.mock.timers.tick(100_000);
    assert.deepEqual(silent.peer.done, []);
    silent.peer.ended();
    const closing = await open({ pingMs: 50 });
    closing.peer.readyState = 2;
    t.mock.timers.tick(50);
    assert.deepEqual(closing.peer.done, []);
    closing.peer.ended();
  });

  test("restarts idleMs when timers are numbers, and not after it is closed", async ({ mock }) => {
    const timers: Map<number, () => void> = new Map();
    let made = 0;
    mock.method(globalThis, "setTimeout", (run: () => void, ms: number) => {
      made += 1;
      if (ms === 77) timers.set(made, run);
      return made;
    });
    mock.method(globalThis, "clearTimeout", (timer: number) => timers.delete(timer));
    const { peer } = await open({ idleMs: 77, pingMs: 0, message: () => undefined });
    const [first] = timers.keys();
    peer.emit("message", "x", false);
    assert.deepEqual([...timers.keys()], [made]);
    assert.notEqual(first, made);
    timers.get(made)?.();
    assert.deepEqual(peer.done, [["close", 1_001, "nothing came"], "resume"]);
    peer.ended(1_001);
    assert.equal(timers.size, 0);
  });
});

describe("a socket whose peer writes its frames unchanged", () => {
  test("writes the frame of a short message in one piece, and leaves a longer one to its peer", () => {
    const peer = new Peer();
    const written: number[][] = [];
    const connection = { write: (frame: Uint8Array) => void written.push([...frame]) };
    type Parts = ConstructorParameters<typeof ServerWebSocket>;
    const parts = [peer, { maxBufferedBytes: 100_000, closeMs: 1 }, connection] as unknown as Parts;
    const socket = new ServerWebSocket(...parts);
    const long = "x".repeat(16_384);
    assert.deepEqual([socket.send("hi"), socket.send(long)], [true, true]);
    assert.deepEqual([written, peer.done], [[[0x81, 2, 104, 105]], [long]]);
  });
});
