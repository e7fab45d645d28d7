/** Unit tests of connect-exchange.ts: an extended CONNECT as an HTTP/1.1 WebSocket request (WS). */
import assert from "node:assert/strict";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { describe, it } from "node:test";
import type { Delivery, Upgraded } from "../../http/exchange.ts";
import type { ConnectionTracker } from "../connection-tracker.ts";
import { ConnectExchange } from "./connect-exchange.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A request for a WebSocket, and a log of its events. */
function requested(headers: IncomingHttpHeaders = {}, raw: string[] = []) {
  const told: unknown[] = [];
  const duplex = new Duplex({
    autoDestroy: false,
    emitClose: false,
    read: () => undefined,
    write: (chunk, _encoding, done) => (told.push(["data", String(chunk)]), done()),
    final: (done) => (told.push("end"), done()),
  });
  duplex.on("error", (error) => told.push(["error", error.message]));
  const stream = Object.assign(duplex, {
    respond: (head: object, { endStream = false } = {}) => told.push(["head", { ...head }, endStream]),
    close: () => undefined,
    setTimeout: (ms: number) => told.push(["timeout", ms]),
    aborted: false,
    headersSent: false,
    endAfterHeaders: false,
    rstCode: 0,
    state: { remoteClose: 0 },
  });
  const socket = {} as Socket;
  const sockets = {
    open: () => undefined,
    close: (on: unknown, of: unknown) => told.push(["over", on === socket, of === exchange]),
  } as unknown as ConnectionTracker;
  const connect = { ":method": "CONNECT", ":protocol": "websocket", ":path": "/chat", ":authority": "h" };
  const exchange: ConnectExchange = new ConnectExchange(
    stream as unknown as ServerHttp2Stream,
    { ...connect, ...headers },
    raw,
    { socket, sockets, idleMs: 7, count: (isWhole) => told.push(["count", isWhole]) },
    0,
  );
  exchange.onGone({ gone: () => void told.push("gone"), broken: () => void told.push("broken") });
  const delivery: Delivery = { isWatched: true, delivered: (...end) => void told.push(["delivered", ...end]) };
  const upgraded = (): Upgraded => {
    let taken: Upgraded | undefined;
    exchange.upgrade((connection) => (taken = connection));
    return taken ?? assert.fail("is not taken");
  };
  return { exchange, told, delivery, stream, upgraded };
}

describe("the request of a ConnectExchange", () => {
  it("is a GET that asks for an upgrade", () => {
    const { exchange } = requested({ "x-a": "1" }, [":path", "/chat", "x-a", "1"]);
    assert.deepEqual([exchange.method, exchange.target], ["GET", "/chat"]);
    const names = ["connection", "upgrade", "x-a", "host", ":protocol"];
    const values = names.map((name) => exchange.header(name));
    assert.deepEqual(values, ["Upgrade", "websocket", "1", "h", undefined]);
    assert.deepEqual(
      [...exchange.headers()],
      [
        ["host", "h"],
        ["x-a", "1"],
        ["connection", "Upgrade"],
        ["upgrade", "websocket"],
      ],
    );
  });

  it("can be read by an upgrade library, with a key that has no effect", () => {
    const { upgraded } = requested({ "x-a": "1", "sec-websocket-protocol": "chat" }, ["x-a", "1"]);
    const { request, socket, head } = upgraded();
    const key = "dGhlIHNhbXBsZSBub25jZQ==";
    const lines = ["host", "h", "x-a", "1", "connection", "Upgrade", "upgrade", "websocket", "sec-websocket-key", key];
    assert.deepEqual(
      { ...request, socket: Reflect.get(request, "socket") === socket },
      {
        method: "GET",
        url: "/chat",
        httpVersion: "1.1",
        rawHeaders: lines,
        socket: true,
        headers: {
          "x-a": "1",
          "sec-websocket-protocol": "chat",
          host: "h",
          connection: "Upgrade",
          upgrade: "websocket",
          "sec-websocket-key": key,
        },
      },
    );
    assert.equal(head.length, 0);
  });
});

describe("a ConnectExchange that is taken", () => {
  it("is open until its owner says that it is over", () => {
    const { upgraded, told } = requested();
    const { over } = upgraded();
    assert.deepEqual(told, []);
    over();
    assert.deepEqual(told, [["over", true, true]]);
  });

  it("counts as taken back when its client has sent nothing on it, and not when it has left", async () => {
    for (const isUsed of [false, true]) {
      const { upgraded, stream, told } = requested();
      upgraded();
      if (isUsed) stream.push("data");
      await turn();
      stream.emit("close");
      assert.deepEqual(told, [["count", isUsed]]);
    }
    const left = requested();
    left.upgraded();
    left.exchange.leave();
    left.stream.emit("close");
    assert.deepEqual(left.told, ["gone"]);
  });

  it("is never late, and has no time limit", () => {
    const { exchange, upgraded, told } = requested();
    assert.equal(exchange.isLate(), false);
    upgraded();
    exchange.open(404, [], false);
    told.length = 0;
    exchange.watch();
    assert.deepEqual(told, []);
  });
});

describe("a ConnectExchange that is not taken", () => {
  it("has the response of any other request", async () => {
    const whole = requested();
    whole.exchange.respond(403, [], "no", whole.delivery);
    await turn();
    const head = ["head", { ":status": 403, "content-length": "2" }, false];
    assert.deepEqual(whole.told, [head, ["data", "no"], "end", ["delivered", 2, false]]);
    const pieces = requested();
    const sink = pieces.exchange.open(404, [], false);
    pieces.exchange.watch();
    sink.write("a");
    assert.deepEqual(pieces.told, [
      ["head", { ":status": 404 }, false],
      ["timeout", 7],
      ["data", "a"],
    ]);
    pieces.exchange.cut();
    pieces.stream.emit("close");
    assert.deepEqual(pieces.told.slice(3), [["timeout", 0], ["over", true, true], "gone"]);
  });

  it("is 501 instead of a 2xx, which would open the tunnel", async () => {
    for (const [status, isRejected] of [
      [199, false],
      [200, true],
      [299, true],
      [300, false],
    ] as const) {
      const { exchange, told, delivery } = requested();
      exchange.respond(status, ["X-A", "1"], "fine", delivery);
      await turn();
      const [[, head] = []] = told as unknown[][];
      assert.equal(Reflect.get(Object(head), ":status"), isRejected ? 501 : status);
      const text = JSON.stringify({ type: "about:blank", title: "Not Implemented", status: 501 });
      if (isRejected) {
        assert.deepEqual(head, {
          ":status": 501,
          "content-type": "application/problem+json",
          "content-length": String(text.length),
        });
        assert.deepEqual(JSON.parse(String((told as unknown[][])[1]?.[1])).status, 501);
        assert.deepEqual(told.at(-1), ["delivered", text.length, false, 501]);
      }
    }
  });

  it("is 501 instead of a stream, which no client reads", async () => {
    const { exchange, told, stream } = requested();
    const sink = exchange.open(200, ["X-A", "1"], false);
    assert.deepEqual([sink.write("a"), sink.bufferedBytes], [true, 0]);
    await sink.drained();
    sink.end();
    exchange.cut();
    assert.deepEqual([told, stream.destroyed], [[["head", { ":status": 501 }, true], "gone"], false]);
  });
});
