/** Unit tests of http2-exchange.ts: one request on a scripted stream (ENGINE, LIFE, LOG). */
import assert from "node:assert/strict";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { describe, it } from "node:test";
import type { Delivery } from "../../http/exchange.ts";
import { ContentTooLargeError, HttpError } from "../../internal/errors.ts";
import type { ConnectionTracker } from "../connection-tracker.ts";
import { closeWhole, Http2Exchange } from "./http2-exchange.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The state of a Node stream. */
interface Fields {
  closed: boolean;
  aborted: boolean;
  headersSent: boolean;
  endAfterHeaders: boolean;
  rstCode: number;
  state: { remoteClose: number };
}

/** An HTTP/2 stream that records its calls, and accepts writes while its client `takes`. */
function streamOf(given: Partial<Fields> = {}, takes = true) {
  const calls: unknown[][] = [];
  const fields: Fields = {
    closed: false,
    aborted: false,
    headersSent: false,
    endAfterHeaders: false,
    rstCode: 0,
    state: { remoteClose: 0 },
    ...given,
  };
  const duplex = new Duplex({
    autoDestroy: false,
    emitClose: false,
    read: () => undefined,
    write: (chunk, _encoding, done) => {
      calls.push(["write", String(chunk)]);
      if (takes) done();
    },
    final: (done) => (calls.push(["end"]), done()),
  });
  duplex.on("error", (error) => calls.push(["error", error.message]));
  for (const name of Object.keys(fields) as (keyof Fields)[])
    Object.defineProperty(duplex, name, { get: () => fields[name] });
  let onTimeout: () => void = () => assert.fail("has no timeout");
  const stream = Object.assign(duplex, {
    respond(head: Readonly<Record<string, unknown>>, { endStream }: { endStream: boolean }) {
      fields.headersSent = true;
      calls.push(["head", head[":status"], head["content-length"], endStream]);
    },
    additionalHeaders: (head: object) => calls.push(["additional", head]),
    setTimeout(ms: number, listener: () => void) {
      calls.push(["timeout", ms]);
      onTimeout = listener;
    },
    close(code: number) {
      Object.assign(fields, { closed: true, rstCode: code });
      calls.push(["close", code]);
    },
  });
  return { stream, calls, fields, timeOut: () => onTimeout() };
}

/** A request on such a stream, and a log of its events. */
function requested(
  headers: IncomingHttpHeaders = {},
  { stream: given = {}, takes = true, raw = [] as string[], socket = {} } = {},
) {
  const told: unknown[] = [];
  const its = streamOf(given, takes);
  const connection = { remoteAddress: "192.0.2.1", ...socket } as unknown as Socket;
  const sockets = {
    open: (on: unknown, of: unknown) => told.push(["open", on === connection, of instanceof Http2Exchange]),
    close: (on: unknown, of: unknown) => told.push(["over", on === connection, of === exchange]),
  } as unknown as ConnectionTracker;
  const exchange: Http2Exchange = new Http2Exchange(
    its.stream as unknown as ServerHttp2Stream,
    { ":method": "POST", ":path": "/path", ":authority": "h", ...headers },
    raw,
    { socket: connection, sockets, idleMs: 7, count: (isWhole) => told.push(["count", isWhole]) },
    1_000,
  );
  told.splice(0, 1, ...(told.length === 1 ? [] : ["opened otherwise than once"]));
  const delivery: Delivery = {
    isWatched: true,
    delivered: (bytes: number, aborted: boolean) => void told.push(["delivered", bytes, aborted]),
  } as Delivery;
  exchange.onGone({ gone: () => void told.push("gone"), broken: (error) => void told.push(error) });
  return { exchange, told, delivery, ...its };
}

describe("the request of an Http2Exchange", () => {
  it("is open on its socket from the start", () => {
    const opened: unknown[] = [];
    const socket = {} as Socket;
    const sockets = { open: (...args: unknown[]) => opened.push(...args) } as unknown as ConnectionTracker;
    const { stream } = streamOf();
    const connection = { socket, sockets, idleMs: 1, count: () => undefined };
    const exchange = new Http2Exchange(stream as unknown as ServerHttp2Stream, {}, [], connection, 0);
    assert.deepEqual([opened[0] === socket, opened[1] === exchange, opened.length], [true, true, 2]);
    assert.deepEqual([exchange.method, exchange.target, exchange.httpVersion], ["", "/", "2"]);
  });

  it("has its head, its peer and its stream", () => {
    const raw = ["content-type", "a/b", "content-type", "c/d", "x-ä", "1"];
    const { exchange, stream } = requested({ "x-a": "1", "set-cookie": ["a", "b"] }, { raw });
    assert.deepEqual([exchange.method, exchange.target, exchange.peer], ["POST", "/path", "192.0.2.1"]);
    assert.deepEqual([exchange.secure, exchange.platform[0] === stream, exchange.platform.length], [false, true, 1]);
    assert.equal(requested({}, { socket: { encrypted: true } }).exchange.secure, true);
    assert.deepEqual([exchange.hasTwoTypes, exchange.headerBytes], [true, raw.join("").length]);
    const names = ["x-a", "set-cookie", "host", ":path", ":method", "x-b"];
    assert.deepEqual(
      names.map((name) => exchange.header(name)),
      ["1", "a, b", "h", undefined, undefined, undefined],
    );
    assert.equal(requested({ host: "own" }).exchange.header("host"), "own");
    assert.equal([...exchange.headers()].length, exchange.headerCount);
  });

  const flaws: Readonly<Record<string, readonly [IncomingHttpHeaders, number | undefined]>> = {
    "is a sound one": [{}, undefined],
    "has an invalid authority": [{ ":authority": "a b" }, 400],
    "has a Host and no authority": [{ ":authority": undefined, host: "h" }, undefined],
    "has neither, which Node resets": [{ ":authority": undefined }, undefined],
    "has a fragment in its path": [{ ":path": "/a#b" }, 400],
    "waits to be asked for its body": [{ expect: "100-Continue" }, undefined],
    "has an empty expectation": [{ expect: "" }, undefined],
    "expects something else": [{ expect: "100-continued" }, 417],
    "expects something else besides": [{ expect: "x 100-continue" }, 417],
  };
  for (const [what, [headers, flaw]] of Object.entries(flaws))
    it(`has ${String(flaw ?? "no flaw")} when it ${what}`, () => assert.equal(requested(headers).exchange.flaw, flaw));
});

describe("the body of an Http2Exchange", () => {
  const asked = ["additional", { ":status": 100 }];

  it("is requested when its client waits for 100, unless it is announced to be too long", async () => {
    const { exchange, stream, calls } = requested({ expect: "100-Continue", "content-length": "4" });
    await assert.rejects(exchange.read(3), ContentTooLargeError);
    assert.deepEqual(calls, []);
    const read = exchange.read(4);
    assert.deepEqual(calls, [asked]);
    stream.push("body");
    stream.push(null);
    assert.equal(Buffer.from(await read).toString(), "body");
  });

  it("is not requested when its client does not wait, the head is out, or the stream is closed", () => {
    for (const [headers, stream] of [
      [{}, {}],
      [{ expect: "100-continue" }, { headersSent: true }],
      [{ expect: "100-continue" }, { closed: true }],
    ] as const) {
      const { exchange, calls } = requested(headers, { stream });
      exchange.read(1).catch(() => undefined);
      assert.deepEqual(calls, []);
    }
  });

  it("is also requested as a stream", async () => {
    const { exchange, stream, calls } = requested({ expect: "100-continue" });
    const text = new Response(exchange.stream(9)).text();
    assert.deepEqual(calls, [asked]);
    stream.push("body");
    stream.push(null);
    assert.equal(await text, "body");
  });
});

describe("the response of an Http2Exchange", () => {
  it("LOG-014: is delivered when its last byte was passed on", async () => {
    const { exchange, delivery, calls, told, stream } = requested();
    exchange.respond(201, [], "bödy", delivery);
    assert.deepEqual(told, []);
    await turn();
    const out = [["head", 201, "5", false], ["write", "bödy"], ["end"]];
    assert.deepEqual([calls, told], [out, [["delivered", 5, false]]]);
    stream.emit("close");
    assert.deepEqual(told.slice(1), [
      ["over", true, true],
      ["count", true],
    ]);
  });

  it("LOG-014: is delivered as far as it got when its stream closes earlier", () => {
    const { exchange, delivery, told, stream } = requested({}, { stream: { rstCode: 8 }, takes: false });
    exchange.respond(200, [], "body", delivery);
    stream.emit("close");
    stream.emit("finish");
    assert.deepEqual(told, [["over", true, true], ["count", false], "gone", ["delivered", 0, true]]);
  });

  it("LOG-014: has sent the bytes that its stream no longer holds", () => {
    const { exchange, delivery, told, stream } = requested({}, { stream: { rstCode: 8 }, takes: false });
    exchange.respond(200, [], "body", delivery);
    Object.defineProperty(stream, "writableLength", { value: 1 });
    stream.emit("close");
    assert.deepEqual(told.at(-1), ["delivered", 3, true]);
  });

  it("LOG-014: is whole when its stream ended on both sides before it reports that, and not when it was reset", async () => {
    for (const [fields, isWhole] of [
      [{}, true],
      [{ rstCode: 8 }, false],
      [{ aborted: true }, false],
    ] as const) {
      const { exchange, delivery, told, stream } = requested(
        {},
        { stream: { endAfterHeaders: true, ...fields }, takes: false },
      );
      exchange.respond(200, [], "body", delivery);
      stream.emit("close");
      const delivered = told.find((one) => Array.isArray(one) && one[0] === "delivered");
      assert.deepEqual(delivered, ["delivered", isWhole ? 4 : 0, !isWhole]);
      assert.equal(told.includes("gone"), !isWhole);
    }
  });

  it("waits for its stream to close when it has ended on the client's side", async () => {
    const { exchange, delivery, told, stream } = requested({}, { stream: { endAfterHeaders: true } });
    exchange.respond(200, [], "body", delivery);
    await turn();
    assert.deepEqual(told, []);
    stream.emit("close");
    assert.deepEqual(told, [
      ["over", true, true],
      ["count", true],
      ["delivered", 4, false],
    ]);
  });

  const empty: Readonly<Record<string, readonly [string, number, string | undefined, unknown[]]>> = {
    HEAD: ["HEAD", 200, "body", ["head", 200, "4", true]],
    "HEAD without a length": ["HEAD", 200, undefined, ["head", 200, undefined, true]],
    "no body": ["GET", 200, undefined, ["head", 200, "0", true]],
    "an empty one": ["GET", 200, "", ["head", 200, "0", true]],
    "a status without one": ["GET", 204, "body", ["head", 204, undefined, true]],
  };
  for (const [what, [method, status, body, head]] of Object.entries(empty))
    it(`is out with its head, for ${what}`, () => {
      const { exchange, delivery, calls, told } = requested({ ":method": method });
      exchange.respond(status, [], body, delivery);
      assert.deepEqual([calls, told], [[head], [["delivered", 0, false]]]);
    });

  it("is ignored when there was one, or the stream is over", () => {
    const once = requested();
    once.exchange.respond(200, [], undefined, once.delivery);
    once.exchange.respond(500, [], "body", once.delivery);
    assert.deepEqual(once.told, [
      ["delivered", 0, false],
      ["delivered", 0, true],
    ]);
    assert.equal(once.calls.length, 1);
    const closed = requested({}, { stream: { closed: true } });
    const destroyed = requested();
    destroyed.stream.destroy();
    for (const { exchange, delivery, calls, told } of [closed, destroyed]) {
      exchange.respond(200, [], "body", delivery);
      assert.deepEqual([calls, told], [[], [["delivered", 0, true]]]);
    }
  });

  it("asks only a client to stop that still sends a body being read", async () => {
    const reading = requested();
    void reading.exchange.read(9).catch(() => undefined);
    reading.exchange.respond(413, [], undefined, reading.delivery);
    assert.deepEqual(reading.calls.at(-1), ["close", 0]);
    const whole = requested();
    void whole.exchange.read(9);
    whole.stream.push(null);
    await turn();
    whole.exchange.respond(200, [], "body", whole.delivery);
    await turn();
    const unread = requested();
    unread.exchange.respond(200, [], "body", unread.delivery);
    await turn();
    for (const { calls } of [whole, unread]) assert.deepEqual(calls.at(-1), ["end"]);
    const late = requested();
    void late.exchange.read(9).catch(() => undefined);
    late.exchange.respond(413, [], "body", late.delivery);
    await turn();
    assert.deepEqual(late.calls.at(-1), ["close", 0]);
  });

  it("is a sink that asks its client to stop after the last piece", async () => {
    const { exchange, calls, told } = requested();
    void exchange.read(9).catch(() => undefined);
    const sink = exchange.open(200, [], false);
    sink.write("a");
    sink.end();
    await turn();
    const unread = ["error", "the client left before the request was whole"]; // A reader that continues.
    const sent = [["head", 200, undefined, false], ["write", "a"], ["end"]];
    assert.deepEqual([calls, told], [[...sent, unread, ["close", 0]], []]);
    const bodyless = requested();
    bodyless.exchange.open(204, [], true);
    assert.deepEqual(bodyless.calls, [["head", 204, undefined, true]]);
  });

  it("resets its stream when it is cut, which does not count against its client and leaves no timer", () => {
    const { exchange, stream, calls, told } = requested();
    exchange.open(200, [], false);
    exchange.cut();
    assert.equal(stream.destroyed, true);
    stream.emit("close");
    assert.deepEqual(told, [["over", true, true], "gone"]);
    assert.deepEqual(calls.slice(1), [["timeout", 0]]);
  });
});

describe("the client of an Http2Exchange", () => {
  it("has taken its request back when the stream closes before a response, which counts once", () => {
    const { exchange, stream, told } = requested();
    stream.emit("close");
    assert.deepEqual([told, exchange.gone], [[["over", true, true], ["count", false], "gone"], true]);
    const left = requested();
    left.exchange.leave();
    left.stream.emit("close");
    assert.deepEqual(left.told, ["gone", ["over", true, true]]);
  });

  it("is late after requestMs while its body still comes", async () => {
    const { exchange, fields, stream } = requested();
    assert.deepEqual([exchange.isLate(1_050, 50), exchange.isLate(1_051, 50)], [false, true]);
    fields.state.remoteClose = 1;
    assert.equal(exchange.isLate(2_000, 50), false);
    fields.state.remoteClose = 0;
    fields.endAfterHeaders = true;
    assert.equal(exchange.isLate(2_000, 50), false);
    fields.endAfterHeaders = false;
    stream.resume().push(null);
    await turn();
    assert.equal(exchange.isLate(2_000, 50), false);
  });

  it("gets 408 when it is late and has no response, else its stream is closed", () => {
    const late = requested();
    late.exchange.expire();
    const [error] = late.told;
    assert.ok(error instanceof HttpError);
    assert.deepEqual([error.status, late.calls, late.told.length], [408, [], 1]);
    const open = requested();
    open.exchange.open(200, [], false);
    open.exchange.expire();
    assert.deepEqual([open.told, open.calls.at(-1)], [["gone"], ["close", 8]]);
    const gone = requested();
    gone.exchange.leave();
    gone.exchange.expire();
    assert.deepEqual([gone.told, gone.calls], [["gone"], [["close", 8]]]);
  });

  it("has to take part of its response every idleMs, with one timer", () => {
    const { exchange, calls, timeOut, stream } = requested({}, { takes: false });
    exchange.watch();
    assert.deepEqual(calls, []);
    const sink = exchange.open(200, [], false);
    exchange.watch();
    exchange.watch();
    assert.deepEqual(calls.slice(1), [["timeout", 7]]);
    timeOut();
    assert.equal(calls.length, 2);
    sink.write("a");
    assert.ok(stream.writableLength > 0);
    timeOut();
    assert.deepEqual(calls.at(-1), ["close", 8]);
  });
});

describe("closeWhole", () => {
  it("closes a stream without an error, and discards its unread bytes", () => {
    const { stream, calls } = streamOf();
    closeWhole(stream as unknown as ServerHttp2Stream);
    assert.deepEqual([calls, stream.readableFlowing], [[["close", 0]], true]);
  });
});
