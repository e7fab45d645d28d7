/** Unit tests of upgrade-exchange.ts: requests for a WebSocket, and a connection that Node's parser has released (ENGINE, WS). */
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { describe, it } from "node:test";
import type { Delivery, Upgraded } from "../../http/exchange.ts";
import type { Connections } from "../connection-tracker.ts";
import { isUpgrade, UpgradeExchange, whenDetached } from "./upgrade-exchange.ts";

const handshake = { upgrade: "websocket", connection: "keep-alive, Upgrade" };

/** The opening handshake of a WebSocket, with these changes. */
const asking = (headers: object = {}, line: object = {}): IncomingMessage =>
  ({ method: "GET", httpVersion: "1.1", headers: { ...handshake, ...headers }, ...line }) as unknown as IncomingMessage;

describe("isUpgrade", () => {
  const taken: Readonly<Record<string, IncomingMessage>> = {
    "the opening handshake of a WebSocket": asking(),
    "one that says that it has no body": asking({ "content-length": "0" }),
    "one whose field has several lines": asking({ connection: ["keep-alive", "Upgrade"] }),
  };
  for (const [what, req] of Object.entries(taken)) it(`WS-004: is ${what}`, () => assert.equal(isUpgrade(req), true));

  const others: Readonly<Record<string, IncomingMessage>> = {
    "one with a body": asking({ "content-length": "3" }),
    "one with a body in chunks": asking({ "transfer-encoding": "chunked" }),
    "an upgrade to h2c": asking({ upgrade: "h2c" }),
    "a field of an upgrade alone": asking({ connection: undefined }),
    "another method": asking({}, { method: "POST" }),
    "HTTP/1.0": asking({}, { httpVersion: "1.0" }),
  };
  for (const [what, req] of Object.entries(others))
    it(`WS-004: is not ${what}`, () => assert.equal(isUpgrade(req), false));
});

describe("whenDetached", () => {
  for (const [what, destroyed, expected] of [
    ["calls back in a later turn", false, ["now", "later"]],
    ["does not call back when the connection is gone by then", true, ["now"]],
  ] as const)
    it(what, async () => {
      const socket = Object.assign(new EventEmitter(), { destroyed: false });
      const order: string[] = [];
      whenDetached(socket as unknown as Socket, () => order.push("later"));
      order.push("now");
      socket.destroyed = destroyed;
      await new Promise(setImmediate);
      assert.deepEqual(order, expected);
      socket.emit("error", new Error("nobody's business"));
    });
});

/** A request for an upgrade, and a log of its events. */
function requested(head: Uint8Array = new Uint8Array([1])) {
  const told: unknown[] = [];
  const tell =
    (what: string) =>
    (...args: readonly unknown[]): void =>
      void told.push([what, ...args]);
  const socket = Object.assign(new EventEmitter(), {
    destroyed: false,
    errored: null,
    destroy: tell("destroyed"),
    destroySoon: tell("destroyed soon"),
    resume: tell("resumed"),
  });
  const res = Object.assign(new EventEmitter(), {
    shouldKeepAlive: true,
    socket: null,
    writableLength: 0,
    writableEnded: true,
    destroyed: false,
    writeHead: tell("head"),
    end: tell("end"),
    flushHeaders: tell("flushed"),
    assignSocket: (to: unknown) => void told.push(["assigned", to === socket]),
    detachSocket: (from: unknown) => void told.push(["detached", from === socket]),
  });
  const sockets: Connections = {
    closesAfter: () => false,
    open: () => told.push("open"),
    close: () => told.push("over"),
    finish: () => told.push("finish"),
    guard: () => told.push("guard"),
  };
  const req = { ...asking(), socket, url: "/", rawHeaders: [] };
  const exchange = new UpgradeExchange(
    req as unknown as IncomingMessage,
    res as unknown as ServerResponse,
    head,
    sockets,
  );
  assert.deepEqual(told.splice(0), ["open"]);
  const delivery: Delivery = { isWatched: true, delivered: tell("delivered") };
  return { exchange, told, socket, res, req, head, delivery };
}

describe("UpgradeExchange", () => {
  it("WS-004: responds as HTTP does, and the connection closes after that", () => {
    const { exchange, told, res, delivery } = requested();
    exchange.respond(404, ["X-A", "1"], "none", delivery);
    const head = ["head", 404, ["X-A", "1", "Connection", "close", "Content-Length", "4"]];
    const end = [["end", "none"], "over", ["delivered", 4, false]];
    assert.deepEqual(told.splice(0), [["assigned", true], ["resumed"], head, "finish", ...end]);
    assert.equal(res.shouldKeepAlive, false);
    res.emit("finish");
    res.emit("finish");
    assert.deepEqual(told, [["detached", true], ["destroyed soon"]]);
  });

  it("WS-004: responds in pieces, as fast as the connection takes them", () => {
    const { exchange, told, res, socket } = requested();
    let drains = 0;
    res.on("drain", () => (drains += 1));
    exchange.open(200, [], false);
    const head = ["head", 200, ["Connection", "close"]];
    assert.deepEqual(told.splice(0), [["assigned", true], ["resumed"], "guard", head, "finish", ["flushed"]]);
    socket.emit("drain");
    assert.equal(drains, 1);
    socket.emit("timeout");
    assert.deepEqual(told, [["destroyed"]]);
  });

  it("WS-001: gives the connection away, which is open until its owner ends it", () => {
    const { exchange, told, socket, req, head } = requested();
    const taken: Upgraded[] = [];
    let left = 0;
    exchange.onGone({ gone: () => (left += 1), broken: () => undefined });
    exchange.upgrade((connection) => taken.push(connection));
    const [connection] = taken;
    assert.deepEqual(
      [connection?.request === req, connection?.socket === socket, connection?.head === head, told],
      [true, true, true, []],
    );
    socket.emit("close");
    assert.deepEqual([left, exchange.gone, told], [0, false, []]);
    connection?.over();
    assert.deepEqual(told, ["over"]);
  });

  it("WS-001: keeps no memory for an empty head", () => {
    const { exchange } = requested(new Uint8Array(new ArrayBuffer(64), 8, 0));
    const taken: Upgraded[] = [];
    exchange.upgrade((connection) => taken.push(connection));
    assert.deepEqual([taken[0]?.head.length, taken[0]?.head.buffer.byteLength], [0, 0]);
  });

  it("its client has left when the connection closes before it was taken", () => {
    const { exchange, told, socket } = requested();
    socket.emit("close");
    assert.deepEqual([exchange.gone, told], [true, ["over"]]);
  });
});
