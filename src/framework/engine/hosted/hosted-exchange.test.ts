/** Unit tests of hosted.ts: one request of a host, with a scripted response (ENGINE, LIFE). */
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { Readable } from "node:stream";
import { describe, it } from "node:test";
import type { Delivery, EngineHandler, Exchange } from "../../http/exchange.ts";
import { ContentTooLargeError } from "../../internal/errors.ts";
import { hostedListener } from "./hosted.ts";

/** A host's response that keeps its fields and calls. */
class HostResponse extends EventEmitter {
  readonly fields: [name: string, value: unknown][] = [];
  readonly calls: unknown[] = [];
  headersSent = false;
  writableFinished = false;
  writableLength = 0;
  destroyed = false;
  statusCode = 200;
  socket: object | null = {};
  setHeader(name: string, value: unknown): void {
    const at = this.fields.findIndex(([known]) => known.toLowerCase() === name.toLowerCase());
    this.fields.splice(at < 0 ? this.fields.length : at, 1, [name, value]);
  }
  appendHeader(name: string, value: unknown): void {
    this.fields.push([name, value]);
  }
  getHeader(name: string): unknown {
    return this.fields.find(([known]) => known.toLowerCase() === name)?.[1];
  }
  writeHead(status: number, headers: readonly string[]): void {
    this.calls.push(["head", status, ...headers]);
  }
  flushHeaders(): void {
    this.calls.push("flushed");
  }
  write(chunk: unknown): boolean {
    this.calls.push(["write", chunk]);
    return false;
  }
  end(body?: Uint8Array): void {
    this.calls.push(body === undefined ? "end" : ["end", Buffer.from(body).toString()]);
  }
  destroy(): void {
    this.calls.push("cut");
  }
}

interface Hosted extends Exchange {
  readonly isBodyDecoded: boolean;
  readonly pass?: (headers: readonly string[], delivery: Delivery) => boolean;
}

/** A request as a host passes it, its exchange, and a log of its events. */
function hosted({
  body = undefined as Readable | undefined,
  request = {},
  response = {},
  socket: its = {},
  next = undefined as (() => void) | undefined,
} = {}) {
  const told: unknown[] = [];
  const handled: Hosted[] = [];
  const socket = Object.assign(new EventEmitter(), {
    writableEnded: false,
    errored: null,
    remoteAddress: "192.0.2.1",
    ...its,
  });
  const fields = {
    socket,
    method: "GET",
    url: "/path",
    httpVersion: "1.1",
    headers: {},
    rawHeaders: ["Host", "h"],
    ...request,
  };
  const req = Object.assign(body ?? {}, fields);
  const res = Object.assign(new HostResponse(), response);
  const listener = hostedListener(
    () => ({ handle: (one: Hosted) => void handled.push(one) }) as unknown as EngineHandler,
  );
  listener(req, res, next);
  const delivery: Delivery = { isWatched: true, delivered: (...end) => void told.push(end) };
  const exchange = handled[0] as Hosted;
  exchange?.onGone({ gone: () => void told.push("gone"), broken: () => assert.fail() });
  const closed = (isWhole: boolean): void => {
    res.writableFinished = isWhole;
    res.emit("close");
  };
  return { exchange, handled, req, res, socket, told, delivery, closed };
}

describe("a request of a host", () => {
  it("is not handled on a connection that a response has ended", () =>
    assert.deepEqual(hosted({ socket: { writableEnded: true } }).handled, []));

  it("has no flaw that the host accepted, and a head that is counted here", () => {
    const { exchange } = hosted({ request: { rawHeaders: ["X-Long", "12345", "A", "b"], httpVersion: "0.9" } });
    assert.deepEqual([exchange.flaw, exchange.headerBytes], [undefined, "/path".length + "X-Long12345Ab".length]);
  });

  it("ROUTE-020: has the flaw of an invalid Host, and of two", () => {
    const flaws = [
      ["Host", "h:80"],
      ["X", "1", "host", "user@h"],
      ["Host", "h/path"],
      ["Host", "h", "HOST", "h"],
      [],
    ].map((rawHeaders) => hosted({ request: { rawHeaders } }).exchange.flaw);
    assert.deepEqual(flaws, [undefined, 400, 400, 400, undefined]);
  });

  it("is over for its client when its response closes before it was whole", () => {
    for (const [isWhole, errored, seen] of [
      [true, null, []],
      [false, null, ["gone"]],
      [true, new Error("reset"), ["gone"]],
    ] as const) {
      const { closed, told } = hosted({ socket: { errored } });
      closed(isWhole);
      assert.deepEqual(told, seen);
    }
  });

  it("is over with its connection when its response waits for another one", () => {
    const socket = new EventEmitter();
    const all = [true, true, false].map((isQueued) => {
      const its = hosted({ response: { socket: isQueued ? null : {} }, request: { socket } });
      return its;
    });
    assert.equal(socket.listenerCount("close"), 1);
    all[1]?.closed(true);
    socket.emit("close");
    assert.deepEqual(
      all.map(({ told }) => told),
      [["gone"], [], []],
    );
  });
});

describe("a body that a host has read", () => {
  const kept = { rawBody: "text", readableDidRead: true, headers: { "content-length": "4" } };

  it("ERR-011: is the kept bytes, within the limit", async () => {
    const { exchange } = hosted({ request: kept });
    assert.equal(exchange.isBodyDecoded, true);
    assert.equal(Buffer.from(await exchange.read(4)).toString(), "text");
    assert.equal(await new Response(exchange.stream(4)).text(), "text");
    await assert.rejects(exchange.read(3), ContentTooLargeError);
    await assert.rejects(new Response(exchange.stream(3)).text(), ContentTooLargeError);
  });

  it("is read by the app itself when the host has not read it", async () => {
    const body = (): Readable => Readable.from([Buffer.from("te"), Buffer.from("xt")]);
    const unread = hosted({ body: body() }).exchange;
    assert.equal(unread.isBodyDecoded, false);
    assert.equal(Buffer.from(await unread.read(4)).toString(), "text");
    await assert.rejects(hosted({ body: body() }).exchange.read(3), ContentTooLargeError);
    assert.equal(await new Response(hosted({ body: body() }).exchange.stream(4)).text(), "text");
  });

  it("is an empty stream when the host kept nothing", async () => {
    const { exchange } = hosted({ request: { ...kept, rawBody: "" } });
    const chunks: unknown[] = [];
    for await (const chunk of exchange.stream(4)) chunks.push(chunk);
    assert.deepEqual(chunks, []);
  });
});

describe("a response to a host", () => {
  const responses: Readonly<
    Record<
      string,
      readonly [
        method: string,
        status: number,
        body: string | Uint8Array | undefined,
        length: number | undefined,
        end: unknown,
        sent: number,
      ]
    >
  > = {
    "a text": ["GET", 200, "héllo", 6, ["end", "héllo"], 6],
    bytes: ["GET", 200, new Uint8Array([65, 66]), 2, ["end", "AB"], 2],
    nothing: ["GET", 201, undefined, 0, "end", 0],
    "a HEAD": ["HEAD", 200, "hello", 5, "end", 0],
    "a HEAD of unknown length": ["HEAD", 200, undefined, undefined, "end", 0],
    "a 204": ["GET", 204, "hello", undefined, "end", 0],
    "a 304": ["GET", 304, "hello", undefined, "end", 0],
  };
  for (const [what, [method, status, body, length, end, sent]] of Object.entries(responses))
    it(`is reported once, when it is out or its client has left: ${what}`, () => {
      for (const isWhole of [true, false]) {
        const { exchange, res, told, delivery, closed } = hosted({ request: { method } });
        exchange.respond(status, ["X-A", "1"], body, delivery);
        assert.deepEqual([res.statusCode, res.calls, told], [status, [end], []]);
        assert.deepEqual(res.fields, [["X-A", "1"], ...(length === undefined ? [] : [["Content-Length", length]])]);
        closed(isWhole);
        assert.deepEqual(told, isWhole ? [[sent, false]] : ["gone", [0, true]]);
      }
    });

  it("adds to the host's cookies and Vary, and replaces its other fields, keeping each of its own lines", () => {
    const { exchange, res, delivery } = hosted();
    for (const name of ["Set-Cookie", "Vary", "X-Own", "X-Host"]) res.setHeader(name, "host");
    exchange.respond(204, ["set-cookie", "app", "vary", "app", "x-own", "1", "X-Own", "2", "X-New", "3"], "", delivery);
    assert.deepEqual(res.fields, [
      ["Set-Cookie", "host"],
      ["Vary", "host"],
      ["x-own", "1"],
      ["X-Host", "host"],
      ["set-cookie", "app"],
      ["vary", "app"],
      ["X-Own", "2"],
      ["X-New", "3"],
    ]);
  });

  it("is an error when the host has responded already", () => {
    const { exchange, res, delivery } = hosted({ response: { headersSent: true } });
    const message = "the host has responded already: let the app's listener run alone";
    assert.throws(() => exchange.respond(200, [], "x", delivery), { message });
    assert.deepEqual([res.statusCode, res.calls], [200, []]);
  });

  it("is lost when its client leaves, and cut when it breaks off", () => {
    const { exchange, res, told, delivery } = hosted();
    exchange.respond(200, [], "x", delivery);
    res.emit("close");
    assert.deepEqual(told, ["gone", [0, true]]);
    exchange.cut();
    assert.equal(res.calls.at(-1), "cut");
  });

  for (const [type, isFlushed] of [
    ["text/event-stream; charset=utf-8", true],
    ["TEXT/EVENT-STREAM", true],
    ["text/plain", false],
    ["x-text/event-stream", false],
  ] as const)
    it(`${isFlushed ? "leaves no compressor of the host's a piece" : "is not flushed"}: ${type}`, async () => {
      const { exchange, res } = hosted();
      let flushed = 0;
      Object.assign(res, { flush: () => (flushed += 1), writableLength: 7 });
      const sink = exchange.open(200, ["Content-Type", type], false);
      assert.deepEqual(res.calls, [["head", 200], "flushed"]);
      assert.equal(sink.write("a"), false);
      assert.equal(sink.bufferedBytes, 7);
      const drained = sink.drained();
      assert.ok(drained instanceof Promise);
      res.emit("drain");
      await drained;
      sink.end();
      assert.deepEqual([flushed, res.calls.slice(2)], [isFlushed ? 1 : 0, [["write", "a"], "end"]]);
    });

  it("is an ordinary event stream when the host has no compressor", () => {
    const { exchange, res } = hosted();
    assert.equal(exchange.open(200, ["Content-Type", "text/event-stream"], false).write("a"), false);
    assert.deepEqual(res.calls.at(-1), ["write", "a"]);
  });
});

describe("a request that is not the app's", () => {
  it("goes to the waiting host with the headers so far, and is reported with the host's status", () => {
    for (const isWhole of [true, false]) {
      const { exchange, res, told, delivery, closed } = hosted({ next: () => void (res.statusCode = 202) });
      assert.equal(exchange.pass?.(["X-App", "1"], delivery), true);
      assert.deepEqual([res.fields, res.calls, told], [[["X-App", "1"]], [], []]);
      closed(isWhole);
      assert.deepEqual(told, isWhole ? [[0, false, 202]] : ["gone", [0, true, 202]]);
    }
  });

  it("is lost for the host when its connection ends while another response is before it", () => {
    const next = (): void => undefined;
    const { exchange, socket, told, delivery } = hosted({ next, response: { socket: null, statusCode: 203 } });
    exchange.pass?.([], delivery);
    socket.emit("close");
    assert.deepEqual(told, ["gone", [0, true, 203]]);
  });

  it("is the host's when that has responded already, and is not passed on again", () => {
    let asked = 0;
    for (const isOut of [true, false]) {
      const response = { headersSent: true, statusCode: 503, writableFinished: isOut };
      const { exchange, res, told, delivery, closed } = hosted({ next: () => void (asked += 1), response });
      assert.equal(exchange.pass?.(["X-App", "1"], delivery), true);
      if (!isOut) closed(true);
      assert.deepEqual([asked, res.fields, told], [0, [], [[0, false, 503]]]);
    }
  });

  it("fails when no host waits", () => assert.equal(hosted().exchange.pass, undefined));
});
