/** Unit tests of http2-sessions.ts: scripted sessions and a mocked clock (ENGINE, LOG). */
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerOptions } from "node:http2";
import type { Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import type { EngineConfig, EngineHandler, RejectedRequest } from "../../http/exchange.ts";
import { ConnectionTracker, type OpenExchange } from "../connection-tracker.ts";
import { ConnectExchange } from "./connect-exchange.ts";
import { Http2Exchange } from "./http2-exchange.ts";
import { Http2Sessions } from "./http2-sessions.ts";
import type { ResetBudget } from "./reset-budget.ts";

const timeouts = { headersMs: 300, requestMs: 700, idleMs: 500, checkMs: 10 };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A connection, a session or a stream that records its calls. */
class Told extends EventEmitter {
  destroyed = false;
  closed = false;
  writableEnded = false;
  bytesRead = 0;
  readonly remoteAddress = "192.0.2.1";
  readonly calls: unknown[] = [];
  destroy(): void {
    this.calls.push("cut");
  }
  close(...code: number[]): void {
    this.calls.push(["close", ...code]);
  }
  goaway(code: number): void {
    this.calls.push(["goaway", code]);
  }
  ping(heard: () => void): void {
    heard();
    this.calls.push("ping");
  }
  respond(head: object): void {
    this.calls.push(head);
  }
  resume(): void {
    this.calls.push("resume");
  }
  end(body: string, out: () => void): void {
    this.calls.push(body);
    out();
  }
}

/** The sessions of an engine with an address that has `spent` its budget, and `charges` for it. */
function served(t: TestContext, config: object = {}, { isSpent = false, isOver = false } = {}) {
  let clock = 1_000;
  t.mock.timers.enable({ apis: ["setInterval"] });
  t.mock.method(performance, "now", () => clock);
  const rejected: RejectedRequest[] = [];
  const handled: Http2Exchange[] = [];
  const charged: unknown[] = [];
  const handler = {
    handle: (exchange: Http2Exchange) => void handled.push(exchange),
    rejected: (request: RejectedRequest) => void rejected.push(request),
  } as unknown as EngineHandler;
  const budget = {
    isSpent: (address: string, now: number) => (charged.push(["asked", address, now]), isSpent),
    charge: ({ address, whole }: { address: string; whole: number }, now: number) => (
      charged.push([address, whole, now]),
      isOver
    ),
    sweep: (now: number) => void charged.push(["sweep", now]),
  } as unknown as ResetBudget;
  const sockets = new ConnectionTracker();
  const server = new EventEmitter();
  let options: ServerOptions = {};
  const http2 = { createServer: (given: ServerOptions) => ((options = given), server) } as never;
  const all = { limits: { headerBytes: 4_000, headerCount: 20 }, timeouts, ...config } as unknown as EngineConfig;
  const sessions = new Http2Sessions(http2, all, handler, sockets, budget);
  /** Takes a connection and begins its session immediately. */
  const begun = () => {
    const socket = new Told();
    const session = new Told();
    server.once("connection", (on) => {
      assert.equal(on, socket);
      server.emit("session", session);
    });
    sessions.take(socket as unknown as Socket, performance.now());
    const asking = (headers: object = {}, stream = new Told()): Told => {
      const head = { ":method": "GET", ":path": "/", ":authority": "h", ...headers };
      session.emit("stream", stream, head, 0, []);
      return stream;
    };
    return { socket, session, asking };
  };
  const wait = (ms: number): void => {
    clock += ms;
    t.mock.timers.tick(timeouts.checkMs);
  };
  return { sessions, sockets, server, options, rejected, handled, charged, begun, wait };
}

describe("the server of HTTP/2", () => {
  it("sets limits above its own, so that there is a response, and allows 128 simultaneous requests on a connection", (t) => {
    const settings = { maxHeaderListSize: 65_536, maxConcurrentStreams: 128 };
    assert.deepEqual(served(t).options, { settings, maxHeaderListPairs: 2_048 });
    t.mock.reset();
    const large = { limits: { headerBytes: 100_000, headerCount: 4_000 }, upgrades: true };
    assert.deepEqual(served(t, large).options, {
      settings: { maxHeaderListSize: 100_000, maxConcurrentStreams: 128, enableConnectProtocol: true },
      maxHeaderListPairs: 4_004,
    });
  });

  it("begins two sessions in a turn, and none on a closed connection", async (t) => {
    const { sessions, server } = served(t);
    const begun: unknown[] = [];
    server.on("connection", (socket) => begun.push(socket));
    const all = Array.from({ length: 5 }, () => new Told());
    Object.assign(all[1] ?? {}, { destroyed: true });
    for (const socket of all) sessions.take(socket as unknown as Socket, performance.now());
    assert.deepEqual(begun, [all[0], all[2]]);
    await turn();
    assert.deepEqual(begun, [all[0], all[2], all[3], all[4]]);
  });

  it("closes the connections of an address that has spent its budget", (t) => {
    const { sessions, server, charged } = served(t, {}, { isSpent: true });
    server.on("connection", () => assert.fail());
    const socket = new Told();
    sessions.take(socket as unknown as Socket, performance.now());
    assert.deepEqual([socket.calls, charged], [["cut"], [["asked", "192.0.2.1", 1_000]]]);
    const more = Array.from({ length: 4 }, () => new Told());
    for (const one of more) sessions.take(one as unknown as Socket, performance.now());
    assert.deepEqual(
      more.map(({ calls }) => calls),
      more.map(() => ["cut"]),
    );
  });

  it("closes its sessions when it drains, also those that begin then, and leaves their connections alone", async (t) => {
    const { sessions, sockets, begun, wait } = served(t);
    const before = begun();
    const over = begun();
    over.socket.emit("close");
    sessions.watch();
    sessions.drain();
    assert.deepEqual(before.session.calls, [["close"]]);
    wait(10_000);
    sockets.drain();
    await turn(); // Two sessions begin in each.
    const late = begun();
    assert.deepEqual([before.session.calls, over.session.calls, late.session.calls], [[["close"]], [], [["close"]]]);
    sockets.closeAll();
    assert.deepEqual([before.socket.calls, late.socket.calls], [[], []]);
  });
});

describe("a stream of HTTP/2", () => {
  it("is handled as a request, and an extended CONNECT as one that opens a WebSocket", (t) => {
    const { handled, begun } = served(t);
    const { asking } = begun();
    const stream = asking();
    asking({ ":method": "CONNECT", ":protocol": "websocket" });
    const kinds = handled.map((exchange) => [exchange instanceof Http2Exchange, exchange instanceof ConnectExchange]);
    assert.deepEqual(kinds, [
      [true, false],
      [true, true],
    ]);
    assert.doesNotThrow(() => stream.emit("error", new Error("reset")));
  });

  it("LOG-013: gets a rejection for an invalid head, which is reported once", (t) => {
    const { handled, rejected, begun } = served(t);
    const { asking } = begun();
    const stream = asking({ ":path": "no path" });
    const head = asking({ ":path": "no path" }, Object.assign(new Told(), { writableEnded: true }));
    const body = JSON.stringify({ type: "about:blank", title: "Bad Request", status: 400 });
    const sent = { ":status": 400, "content-type": "application/problem+json", "content-length": body.length };
    assert.deepEqual(stream.calls, [sent, body, ["close", 0], "resume"]);
    assert.deepEqual([head.calls, handled], [[sent], []]);
    const { durationMs, remoteAddress, scheme } = { durationMs: 0, remoteAddress: "192.0.2.1", scheme: "http" };
    const told = { status: 400, bytes: body.length, durationMs, remoteAddress, scheme };
    assert.deepEqual(rejected, [told, told]);
    assert.doesNotThrow(() => stream.emit("error", new Error("reset")));
  });

  it("counts as taken back when it is gone before its rejection", (t) => {
    const { charged, rejected, begun } = served(t);
    const { asking } = begun();
    for (const state of [{ destroyed: true }, { closed: true }])
      assert.deepEqual(asking({ ":path": "" }, Object.assign(new Told(), state)).calls, []);
    const charge = ["192.0.2.1", 0, 1_000];
    assert.deepEqual([charged.slice(1), rejected], [[charge, charge], []]);
  });
});

describe("a client that takes requests back", () => {
  const gone = { ":path": "" };
  it("gets ENHANCE_YOUR_CALM once, its connection closes, and its later requests are not handled", async (t) => {
    const { handled, rejected, begun } = served(t, {}, { isOver: true });
    const { socket, session, asking } = begun();
    for (let at = 0; at < 2; at += 1) asking(gone, Object.assign(new Told(), { closed: true }));
    assert.deepEqual([session.calls, socket.calls], [[["goaway", 11]], []]);
    const late = asking();
    assert.doesNotThrow(() => late.emit("error", new Error("reset")));
    await turn();
    assert.deepEqual([session.calls, socket.calls, handled], [[["goaway", 11]], ["cut"], []]);
    const told = { status: 429, bytes: 0, durationMs: 0, remoteAddress: "192.0.2.1", scheme: "http" };
    assert.deepEqual(rejected, [told]);
  });

  it("gets no GOAWAY when it has ended the session itself", async (t) => {
    const { rejected, begun } = served(t, {}, { isOver: true });
    const { socket, session, asking } = begun();
    session.destroyed = true;
    asking(gone, Object.assign(new Told(), { closed: true }));
    await turn();
    assert.deepEqual([session.calls, socket.calls, rejected], [[], [], []]);
  });

  it("is charged less for requests that were served whole", (t) => {
    const { charged, handled, begun } = served(t);
    const { asking } = begun();
    const takenBack = (): void => void asking(gone, Object.assign(new Told(), { closed: true }));
    const delivery = { isWatched: false, delivered: () => undefined };
    for (const [at, state] of [{ writableFinished: true }, { aborted: true }, {}].entries()) {
      const stream = asking(
        {},
        Object.assign(new Told(), { writableFinished: false, aborted: false, rstCode: 8, ...state }),
      );
      handled[at]?.respond(204, [], undefined, delivery);
      stream.emit("close");
    }
    takenBack();
    const charge = ["192.0.2.1", 1, 1_000];
    assert.deepEqual(charged.slice(1), [charge, charge, charge]);
  });
});

describe("the time limits of a session", () => {
  it("close it without a request in the time of a head, and idle after one in the idle time", (t) => {
    const { sessions, begun, wait, charged } = served(t);
    const unused = begun();
    const used = begun();
    sessions.watch();
    used.asking().emit("close");
    wait(300);
    assert.deepEqual([unused.session.calls, used.session.calls], [[], []]);
    wait(1);
    assert.deepEqual([unused.session.calls, used.session.calls], [[["close"]], []]);
    assert.deepEqual(unused.socket.calls, []);
    wait(199);
    assert.deepEqual([unused.socket.calls, used.session.calls], [["cut"], []]);
    wait(1);
    assert.deepEqual([used.session.calls, used.socket.calls], [[["close"]], []]);
    const last = used.asking();
    assert.deepEqual([last.calls, last.listenerCount("error")], [[], 1]);
    const sweeps = [1_300, 1_301, 1_500, 1_501].map((now) => ["sweep", now]);
    assert.deepEqual(
      charged.filter((one) => (one as unknown[])[0] === "sweep"),
      sweeps,
    );
  });

  it("start again when its last request is over", (t) => {
    const { sessions, begun, wait } = served(t);
    const { session, asking } = begun();
    sessions.watch();
    const stream = asking();
    wait(400);
    stream.emit("close");
    wait(500);
    assert.deepEqual(session.calls, []);
    wait(1);
    assert.deepEqual(session.calls, [["close"]]);
  });

  it("end a late request, and watch the others", (t) => {
    const { sessions, sockets, begun, handled, wait } = served(t);
    const { socket, asking } = begun();
    sessions.watch();
    asking();
    asking();
    sockets.open(socket as unknown as Socket, { earlier: undefined, leave: assert.fail } as OpenExchange);
    const told: unknown[] = [];
    for (const [at, exchange] of handled.entries())
      Object.assign(exchange, {
        isLate: (...given: unknown[]) => (told.push([at, "asked", ...given]), at === 0),
        expire: () => told.push([at, "expired"]),
        watch: () => told.push([at, "watched"]),
      });
    wait(100);
    assert.deepEqual(told, [
      [1, "asked", 1_100, 700],
      [1, "watched"],
      [0, "asked", 1_100, 700],
      [0, "expired"],
    ]);
  });

  /** A session with a request that waits for its response. */
  function waiting(t: TestContext) {
    const subject = served(t);
    const its = subject.begun();
    its.asking();
    for (const exchange of subject.handled) Object.assign(exchange, { isLate: () => false, watch: () => undefined });
    subject.sessions.watch();
    return { ...subject, ...its };
  }

  it("ping a silent client, and cut it when it stays silent", (t) => {
    const { session, socket, wait } = waiting(t);
    wait(500);
    assert.deepEqual(session.calls, []);
    wait(1);
    assert.deepEqual([session.calls, socket.calls], [["ping"], []]);
    wait(500);
    assert.deepEqual([session.calls, socket.calls], [["ping"], []]);
    wait(1);
    assert.deepEqual([session.calls, socket.calls], [["ping"], ["cut"]]);
  });

  it("leave a client alone that sends data", (t) => {
    const { session, socket, wait } = waiting(t);
    for (let at = 1; at < 4; at += 1) {
      wait(501);
      assert.deepEqual([session.calls.length, socket.calls], [at, []]);
      socket.bytesRead += 17;
      wait(500);
    }
    assert.deepEqual(session.calls, ["ping", "ping", "ping"]);
  });

  it("cut a silent client immediately when its session has broken off", (t) => {
    const { session, socket, wait } = waiting(t);
    session.destroyed = true;
    wait(501);
    assert.deepEqual([session.calls, socket.calls], [[], ["cut"]]);
  });
});
