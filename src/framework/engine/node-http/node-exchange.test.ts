/** Unit tests of node-exchange.ts: one request on node:http, with a scripted response (ENGINE, LIFE). */
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { describe, it } from "node:test";
import type { Delivery } from "../../http/exchange.ts";
import { ContentTooLargeError } from "../../internal/errors.ts";
import type { Connections } from "../connection-tracker.ts";
import { NodeExchange } from "./node-exchange.ts";

/** A Node response that records its calls. `left`: bytes that the network has not taken. */
class Response extends EventEmitter {
  writableLength: number;
  writableEnded = false;
  readonly destroyed = false;
  readonly socket: object | null;
  readonly calls: unknown[] = [];
  /** Does a wrapper delay its end? */
  readonly #isHeld: boolean;

  constructor({ left = 0, isHeld = false, isQueued = false } = {}) {
    super();
    this.writableLength = left;
    this.#isHeld = isHeld;
    this.socket = isQueued ? null : { cork: () => undefined, uncork: () => undefined };
  }
  writeHead(status: number, headers: readonly string[]): void {
    this.calls.push([status, ...headers]);
  }
  flushHeaders(): void {
    this.calls.push("flushed");
  }
  write(body: string): boolean {
    this.calls.push(body);
    return true;
  }
  end(body?: string): void {
    if (body !== undefined) this.calls.push(body);
    this.calls.push("end");
    this.writableEnded = !this.#isHeld;
  }
}

/** A request with such a response, and a log of its events. */
function requested(request: object = {}, { closes = false, socket: ofSocket = {}, ...out } = {} as Options) {
  const told: unknown[] = [];
  const socket = {
    remoteAddress: "192.0.2.1",
    destroyed: false,
    errored: null,
    destroy: () => told.push("destroyed"),
    ...ofSocket,
  };
  const req = {
    socket,
    method: "POST",
    url: "/path",
    httpVersion: "1.1",
    headers: {},
    rawHeaders: ["Host", "h"],
    ...request,
  };
  const res = new Response(out);
  const mine = (on: unknown, of: unknown): boolean => on === socket && (of === exchange || exchange === undefined);
  let exchange: NodeExchange | undefined = undefined;
  const sockets: Connections = {
    closesAfter: (on, of) => closes && mine(on, of),
    open: (on, of) => told.push(["open", mine(on, of)]),
    close: (on, of) => told.push(["over", mine(on, of)]),
    finish: (on) => told.push(["finish", on === (socket as unknown)]),
    guard: (on) => told.push(["guard", on === (socket as unknown)]),
  };
  exchange = new NodeExchange(req as unknown as IncomingMessage, res as unknown as ServerResponse, sockets);
  assert.deepEqual(told.splice(0), [["open", true]]);
  const delivery: Delivery = { isWatched: true, delivered: (...end) => void told.push(["delivered", ...end]) };
  return { exchange, told, res, delivery, req, socket: socket as unknown as Socket };
}

interface Options {
  readonly closes?: boolean;
  readonly socket?: object;
  readonly left?: number;
  readonly isHeld?: boolean;
  readonly isQueued?: boolean;
}

describe("the request of a NodeExchange", () => {
  it("has its head and its peer", () => {
    const rawHeaders = ["Host", "h", "X-A", "1", "Content-Type", "a/b", "content-type", "c/d"];
    const headers = { host: "h", "x-a": "1", "set-cookie": ["a", "b"] };
    const { exchange, req, res } = requested({ rawHeaders, headers });
    assert.deepEqual([exchange.method, exchange.target, exchange.httpVersion], ["POST", "/path", "1.1"]);
    assert.deepEqual([exchange.peer, exchange.secure, exchange.headerBytes], ["192.0.2.1", false, 0]);
    assert.equal(requested({}, { socket: { encrypted: true } }).exchange.secure, true);
    assert.deepEqual(exchange.platform, [req, res]);
    assert.deepEqual([exchange.hasTwoTypes, exchange.headerCount, [...exchange.headers()].length], [true, 4, 4]);
    assert.deepEqual([...exchange.headers()].at(1), ["X-A", "1"]);
    const values = ["x-a", "set-cookie", "x-b"].map((name) => exchange.header(name));
    assert.deepEqual(values, ["1", "a, b", undefined]);
    const without = requested({ method: undefined, url: undefined }).exchange;
    assert.deepEqual([without.method, without.target], ["", "/"]);
  });

  const flaws: Readonly<Record<string, readonly [object, number | undefined]>> = {
    "is a sound one": [{ rawHeaders: ["X-A", "1", "Host", "h", "X-B", "2"] }, undefined],
    "is one of HTTP/1.0 without a host": [{ httpVersion: "1.0", rawHeaders: [] }, undefined],
    "is one of HTTP/1.0 with a host": [{ httpVersion: "1.0" }, undefined],
    "is one of HTTP/1.0 with two": [{ httpVersion: "1.0", rawHeaders: ["Host", "h", "host", "h"] }, 400],
    "is one of HTTP/1.1 without a host": [{ rawHeaders: ["Most", "h", "X-Host", "h"] }, 400],
    "has two hosts, though they are the same": [{ rawHeaders: ["Host", "h", "X", "1", "HOST", "h"] }, 400],
    "has a host that is none": [{ rawHeaders: ["X", "1", "host", "a b"] }, 400],
    "has an invalid host, and is of HTTP/1.0": [{ httpVersion: "1.0", rawHeaders: ["Host", "a b"] }, 400],
    "has an invalid target": [{ url: "/a#b" }, 400],
    "has another version": [{ httpVersion: "1.2" }, 505],
    "has an older version": [{ httpVersion: "0.9", rawHeaders: [] }, 505],
  };
  for (const [what, [request, flaw]] of Object.entries(flaws))
    it(`has ${String(flaw ?? "no flaw")} when it ${what}`, () => assert.equal(requested(request).exchange.flaw, flaw));
});

describe("the body of a NodeExchange", () => {
  it("ERR-011: is not read when it is announced as too long, and comes from the server's own class", async () => {
    const limits: number[] = [];
    const collect = (limit: number): Promise<Uint8Array> => (limits.push(limit), Promise.resolve(Buffer.from("body")));
    const { exchange } = requested({ headers: { "content-length": "4" }, collect });
    await assert.rejects(exchange.read(3), ContentTooLargeError);
    assert.equal(Buffer.from(await exchange.read(4)).toString(), "body");
    assert.deepEqual(limits, [4]);
    const over = requested({ readableEnded: true, collect: () => undefined }).exchange;
    assert.equal((await over.read(1)).length, 0);
    const host = requested({ readableEnded: true }).exchange;
    assert.equal((await host.read(1)).length, 0);
    const stream = host.stream(1);
    assert.ok(stream instanceof ReadableStream);
    assert.equal(await new globalThis.Response(stream).text(), "");
  });
});

describe("the response of a NodeExchange", () => {
  const over = ["over", true];

  it("ERR-011: is sent immediately when the network takes it, head and body", () => {
    for (const isQueued of [false, true]) {
      const { exchange, told, res, delivery } = requested({}, { isQueued });
      exchange.respond(201, ["X-A", "1"], "bödy", delivery);
      assert.deepEqual(res.calls, [[201, "X-A", "1", "Content-Length", "5"], "bödy", "end"]);
      assert.deepEqual(told, [over, ["delivered", 5, false]]);
    }
  });

  const empty: Readonly<Record<string, readonly [string, number, string | undefined, string[]]>> = {
    HEAD: ["HEAD", 200, "body", ["Content-Length", "4"]],
    "HEAD without a length": ["HEAD", 200, undefined, []],
    "no body": ["GET", 200, undefined, ["Content-Length", "0"]],
    "an empty one": ["GET", 200, "", ["Content-Length", "0"]],
    "a status without one": ["GET", 204, "body", []],
  };
  for (const [what, [method, status, body, head]] of Object.entries(empty))
    it(`is its head alone for ${what}`, () => {
      const { exchange, told, res, delivery } = requested({ method });
      exchange.respond(status, [], body, delivery);
      assert.deepEqual(
        [res.calls, told],
        [
          [[status, ...head], "end"],
          [over, ["delivered", 0, false]],
        ],
      );
    });

  it("writes head and body together, also when end(body) would add an empty piece in a separate write", () => {
    const { exchange, res, delivery } = requested();
    const calls: unknown[] = [];
    Object.assign(res.socket ?? {}, { cork: () => calls.push("cork"), uncork: () => calls.push("uncork") });
    res.write = (...args: unknown[]) => calls.push(["write", ...args]) > 0;
    res.end = (...args: unknown[]) => {
      calls.push(["end", ...args]);
      res.writableEnded = true;
    };
    exchange.respond(200, [], "body", delivery);
    const isOlder = Number.parseInt(process.versions.node, 10) < 24;
    assert.deepEqual(calls, isOlder ? ["cork", ["write", "body"], "uncork", ["end"]] : [["end", "body"]]);
  });

  it("LOG-014: is awaited when the network has not taken it all, or its end is delayed", () => {
    for (const held of [{ left: 3 }, { isHeld: true }]) {
      const { exchange, told, res, delivery } = requested({}, held);
      exchange.respond(200, [], "body", delivery);
      assert.deepEqual(told, [["guard", true]]);
      res.emit("finish");
      assert.deepEqual(told.slice(1), [over, ["delivered", 4, false]]);
    }
  });

  it("LOG-014: is cut when its client leaves before", () => {
    const { exchange, told, delivery } = requested({}, { left: 3 });
    exchange.respond(200, [], "body", delivery);
    exchange.leave();
    assert.deepEqual([told, exchange.gone], [[["guard", true], over, over, ["delivered", 1, true]], true]);
  });

  it("is ignored when its client has left before", () => {
    const { exchange, told, res } = requested();
    exchange.leave();
    assert.deepEqual([told, res.calls, exchange.gone], [[over], [], true]);
  });

  it("closes its connection when that is wanted, and notifies the server", () => {
    const wanted = requested({}, { closes: true });
    wanted.exchange.respond(200, [], undefined, wanted.delivery);
    assert.deepEqual(wanted.res.calls[0], [200, "Content-Length", "0", "Connection", "close"]);
    assert.deepEqual(wanted.told[0], ["finish", true]);
    const said: Readonly<Record<string, boolean>> = { "Upgrade, CLOSE": true, closed: false, "keep-alive": false };
    for (const [value, closes] of Object.entries(said)) {
      const { exchange, told, delivery } = requested();
      exchange.respond(200, ["X-A", "close", "X-ConnectX", "close", "connectioN", value], undefined, delivery);
      assert.equal(
        told.some((one) => Array.isArray(one) && one[0] === "finish"),
        closes,
        value,
      );
    }
    const without = requested();
    without.exchange.respond(200, ["X-A", "close", "X-Ten-Long", "close"], undefined, without.delivery);
    assert.deepEqual(without.told[0], over);
  });

  it("is a sink that sends its head immediately unless nothing follows it", async () => {
    const { exchange, told, res } = requested();
    const sink = exchange.open(200, ["X-A", "1"], false);
    sink.write("a");
    sink.end();
    assert.deepEqual(res.calls, [[200, "X-A", "1"], "flushed", "a", "end"]);
    assert.deepEqual(told, [["guard", true]]);
    res.emit("finish");
    assert.deepEqual(told.slice(1), [over]);
    const bodyless = requested();
    bodyless.exchange.open(304, [], true);
    assert.deepEqual(bodyless.res.calls, [[304]]);
  });

  it("blocks nothing when its client has left", async () => {
    const { exchange, res } = requested();
    const sink = exchange.open(200, [], false);
    res.write = () => false;
    assert.equal(sink.write("a"), false);
    const waits = sink.drained();
    exchange.leave();
    await waits;
  });

  it("is over, with its connection cut, when it cannot be completed", () => {
    const { exchange, told } = requested();
    exchange.cut();
    assert.deepEqual(told, [over, "destroyed"]);
  });
});

describe("a NodeExchange with a body that breaks off", () => {
  it("gives a reader an error while its connection is still there", () => {
    const broken: unknown[] = [];
    const breakOff = (): void => void broken.push("told");
    const open = requested({ breakOff });
    assert.equal(open.exchange.spoil(408), false);
    open.exchange.onGone({ gone: () => undefined, broken: (error) => void broken.push(error.message) });
    assert.equal(open.exchange.spoil(408), true);
    assert.deepEqual(broken.length, 3);
    const gone = requested({ breakOff }, { socket: { destroyed: true } });
    const detached = requested({ breakOff });
    Object.assign(detached.req, { socket: null });
    const foreign = requested();
    for (const { exchange } of [gone, detached, foreign]) assert.equal(exchange.spoil(408), false);
    assert.equal(broken.length, 3);
  });
});
