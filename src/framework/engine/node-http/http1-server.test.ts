/**
 * Unit tests of http1-server.ts: the limits given to Node, and the handling of bytes that its parser rejects (ENGINE, ERR,
 * LOG).
 */
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { describe, it } from "node:test";
import type { EngineConfig, EngineHandler, RejectedRequest } from "../../http/exchange.ts";
import { ConnectionTracker, type OpenExchange } from "../connection-tracker.ts";
import { http1Server } from "./http1-server.ts";
import { NodeExchange } from "./node-exchange.ts";
import { UpgradeExchange } from "./upgrade-exchange.ts";

const limits = { headerBytes: 4_000, headerCount: 20, urlBytes: 100, jsonDepth: 9, queryPairs: 9 };
const timeouts = { headersMs: 3_000, requestMs: 7_000, idleMs: 5_000, checkMs: 900 };

/** A server that does not listen, its tracker, and the calls of its handler. */
function served(config: object = {}): Subject {
  const rejected: RejectedRequest[] = [];
  const handled: NodeExchange[] = [];
  const handler = {
    handle: (exchange: NodeExchange) => void handled.push(exchange),
    rejected: (request: RejectedRequest) => void rejected.push(request),
  };
  const sockets = new ConnectionTracker(50);
  const all = { limits, timeouts, ...config } as unknown as EngineConfig;
  const server = http1Server("here", all, handler as unknown as EngineHandler, sockets);
  return { server, sockets, rejected, handled };
}

interface Subject {
  readonly server: Server;
  readonly sockets: ConnectionTracker;
  readonly rejected: RejectedRequest[];
  readonly handled: NodeExchange[];
}

/** A request on that connection. `skipped`: was it marked as having no body? */
function requested(socket: Socket, headers: Readonly<Record<string, string>> = {}, method = "GET") {
  const req = {
    socket,
    method,
    url: "/",
    httpVersion: "1.1",
    headers,
    rawHeaders: ["Host", "h"],
    complete: false,
    exchange: undefined as unknown,
    skipped: 0,
    skip: () => void (req.skipped += 1),
  };
  return req;
}

/** A connection that records its calls. `left`: bytes that the network has not taken. */
class Connection extends EventEmitter {
  writable = true;
  destroyed = false;
  writableLength = 0;
  readonly remoteAddress = "192.0.2.1";
  readonly calls: unknown[] = [];
  of(state: object): this {
    return Object.assign(this, state);
  }
  setTimeout(ms: number): void {
    this.calls.push(["timeout", ms]);
  }
  resume(): void {
    this.calls.push("resumed");
  }
  end(text = "ended"): void {
    this.calls.push(text);
  }
  push(): void {}
  destroySoon(): void {
    this.calls.push("closed");
  }
  destroy(): void {
    this.calls.push("cut");
  }
}

/** The calls on a connection with a client that may still send. */
const lingering = ["resumed", ["timeout", 2_000]] as const;

const connection = (state: object = {}): Connection & Socket =>
  new Connection().of(state) as unknown as Connection & Socket;

/** A request that waits for its response. */
const waiting = (): OpenExchange & { hasLeft: boolean } => ({
  earlier: undefined,
  hasLeft: false,
  leave() {
    this.hasLeft = true;
  },
});

/** The bytes sent for that status before the connection closes. */
const rejection = (status: number, title: string): string => {
  const body = JSON.stringify({ type: "about:blank", title, status });
  const lines = ["Content-Type: application/problem+json", `Content-Length: ${body.length}`, "Connection: close"];
  return [`HTTP/1.1 ${status} ${title}`, ...lines, "", body].join("\r\n");
};

describe("the server of HTTP/1.1", () => {
  it("has the limits of the configuration, and allows one header line more to detect too many", () => {
    const known = (server: Server): unknown => {
      const { maxHeaderSize, connectionsCheckingInterval, requireHostHeader } = server as unknown as Record<
        string,
        unknown
      >;
      const { headersTimeout, requestTimeout, keepAliveTimeout, maxHeadersCount } = server;
      const times = [headersTimeout, requestTimeout, keepAliveTimeout, connectionsCheckingInterval];
      return [maxHeaderSize, maxHeadersCount, requireHostHeader, ...times];
    };
    assert.deepEqual(known(served().server), [4_000, 21, false, 3_000, 7_000, 5_000, 900]);
  });

  it("gives the head no more time than its request", () => {
    const { server } = served({ timeouts: { ...timeouts, headersMs: 8_000 } });
    assert.deepEqual([server.headersTimeout, server.requestTimeout], [7_000, 7_000]);
  });

  it("WS-004: listens for upgrades when a route accepts them, since Node then reads no body of such a request", () => {
    const counts = [true, false, undefined].map((upgrades) => served({ upgrades }).server.listenerCount("upgrade"));
    assert.deepEqual(counts, [1, 0, 0]);
  });

  it("WS-004: passes an upgrade on after Node has released its connection, unless that has closed by then", async () => {
    for (const isClosed of [false, true]) {
      const { server, handled } = served({ upgrades: true });
      const socket = connection();
      server.emit("upgrade", requested(socket, { upgrade: "websocket" }), socket, new Uint8Array());
      assert.equal(handled.length, 0);
      socket.of({ destroyed: isClosed });
      await new Promise(setImmediate);
      assert.deepEqual(
        handled.map((exchange) => exchange instanceof UpgradeExchange),
        isClosed ? [] : [true],
      );
    }
  });

  it("starts the time of a connection when it opens", () => {
    const { server } = served();
    const socket = connection();
    Reflect.apply(server.listeners("connection").at(-1) ?? assert.fail("no listener"), server, [socket]);
    assert.deepEqual(socket.calls, [["timeout", 50]]);
  });

  it("cuts a silent client and one that does not read its response, and waits for a handler", () => {
    const cases = [
      { writableLength: 0, isBusy: false },
      { writableLength: 1, isBusy: true },
      { writableLength: 0, isBusy: true },
    ];
    const seen = cases.map(({ writableLength, isBusy }) => {
      const { server, sockets } = served();
      const socket = connection({ writableLength });
      if (isBusy) sockets.open(socket, waiting());
      server.emit("timeout", socket);
      return socket.calls;
    });
    assert.deepEqual(seen, [["cut"], ["cut"], []]);
  });
});

describe("a request of the server", () => {
  it("is handled, and knows its exchange. One without a body has none to read", () => {
    for (const [headers, skipped] of [
      [{}, 1],
      [{ "content-length": "0" }, 0],
      [{ "transfer-encoding": "chunked" }, 0],
    ] as const) {
      const { server, handled } = served();
      const req = requested(connection(), headers);
      server.emit("request", req, {});
      assert.deepEqual([handled.length, handled[0] === req.exchange, req.skipped], [1, true, skipped]);
      assert.ok(handled[0] instanceof NodeExchange && handled[0].flaw === undefined);
    }
  });

  it("is not handled after a response that closes the connection, with any expectation", () => {
    for (const event of ["request", "checkContinue", "checkExpectation"]) {
      const { server, sockets, handled } = served();
      const socket = connection();
      sockets.finish(socket);
      server.emit(event, requested(socket, { expect: "x" }), {});
      assert.deepEqual(handled, []);
    }
  });

  it("ROUTE-022: is 417 with any other expectation, and its other flaws come first", () => {
    const flaws = [
      [{ expect: "x" }, ["Host", "h"]],
      [{ expect: "" }, ["Host", "h"]],
      [{ expect: "x" }, []],
      [{ expect: "" }, []],
    ].map(([headers, rawHeaders]) => {
      const { server, handled } = served();
      const req = { ...requested(connection(), headers as Record<string, string>), rawHeaders };
      server.emit("checkExpectation", req, {});
      return handled[0]?.flaw;
    });
    assert.deepEqual(flaws, [417, undefined, 400, 400]);
  });

  /** Three requests on one connection, the second with a body, and the calls of their exchanges when the parser fails. */
  function broken(complete: boolean): Subject & { spoilt: unknown[]; socket: Connection & Socket } {
    const subject = served();
    const socket = connection();
    const spoilt: unknown[] = [];
    for (const [at, headers] of [{ "content-length": "9" }, { "content-length": "8" }, {}].entries()) {
      subject.server.emit("request", { ...requested(socket, headers), complete: complete || at === 0 }, {});
      subject.handled[at]?.onGone({ gone: () => undefined, broken: ({ status }) => void spoilt.push([at, status]) });
    }
    const error = Object.assign(new Error("late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
    subject.server.emit("clientError", error, socket);
    return { ...subject, spoilt, socket };
  }

  it("LOG-001: responds itself when its body breaks off, and the connection closes after it", () => {
    const { spoilt, rejected, sockets, socket, handled } = broken(false);
    assert.deepEqual([spoilt, rejected], [[[1, 408]], []]);
    for (const exchange of handled.toReversed()) {
      assert.equal(sockets.closesAfter(socket, exchange), true);
      sockets.close(socket, exchange);
    }
    assert.deepEqual([socket.calls, rejected], [[["timeout", 50], "ended", ...lingering], []]);
  });

  it("is left alone when its body is whole, and the bytes after it get a separate response", () => {
    const { spoilt, rejected, sockets, socket, handled } = broken(true);
    assert.deepEqual([spoilt, rejected], [[], []]);
    for (const exchange of handled) sockets.close(socket, exchange);
    assert.deepEqual(
      rejected.map(({ status }) => status),
      [408],
    );
  });
});

describe("input that the parser rejects", () => {
  const guarded = ["timeout", 50];
  const errors: Readonly<Record<string, readonly [error: object, status: number, title: string]>> = {
    "a head over the limit": [{ code: "HPE_HEADER_OVERFLOW" }, 431, "Request Header Fields Too Large"],
    "chunk extensions over theirs": [{ code: "HPE_CHUNK_EXTENSIONS_OVERFLOW" }, 413, "Content Too Large"],
    "a request that is late": [{ code: "ERR_HTTP_REQUEST_TIMEOUT" }, 408, "Request Timeout"],
    "an invalid version": [
      { code: "HPE_INVALID_VERSION", message: "Parse Error: Invalid HTTP version" },
      505,
      "HTTP Version Not Supported",
    ],
    "another version": [{ code: "HPE_INVALID_VERSION", message: "Parse Error: other" }, 400, "Bad Request"],
    "anything else": [{ message: "" }, 400, "Bad Request"],
  };
  for (const [what, [error, status, title]] of Object.entries(errors))
    it(`LOG-013: is ${status} for ${what}, and reported once`, () => {
      const { server, rejected } = served();
      const socket = connection();
      server.emit("clientError", error as Error, socket);
      const text = rejection(status, title);
      assert.deepEqual(socket.calls, [guarded, text, ...lingering]);
      const bytes = text.length - text.indexOf("\r\n\r\n") - 4;
      assert.deepEqual(rejected, [{ status, bytes, durationMs: 0, remoteAddress: "192.0.2.1", scheme: "http" }]);
    });

  const gone: Readonly<Record<string, readonly [error: object, state: object]>> = {
    "a connection that broke off": [{ code: "ECONNRESET" }, {}],
    "a connection that accepts no data": [{ code: "HPE_INVALID_METHOD" }, { writable: false }],
    "a connection that is closed": [{ code: "HPE_INVALID_METHOD" }, { destroyed: true }],
  };
  for (const [what, [error, state]] of Object.entries(gone))
    it(`gets no response on ${what}`, () => {
      const { server, rejected } = served();
      const socket = connection(state);
      server.emit("clientError", error as Error, socket);
      assert.deepEqual([socket.calls, rejected], [["cut"], []]);
    });

  it("gets no response after one that closes the connection", () => {
    const { server, sockets, rejected } = served();
    const socket = connection();
    server.emit("clientError", Object.assign(new Error(), { code: "HPE_CLOSED_CONNECTION" }), socket);
    assert.deepEqual([socket.calls, sockets.isClosing(socket), rejected], [[guarded], true, []]);
  });

  it("gets it after the pending responses, which do not close the connection", () => {
    const { server, sockets, rejected } = served();
    const socket = connection();
    const before = waiting();
    sockets.open(socket, before);
    server.emit("clientError", new Error("nonsense"), socket);
    assert.deepEqual([socket.calls, sockets.closesAfter(socket, before)], [[guarded], false]);
    sockets.close(socket, before);
    assert.deepEqual([socket.calls.at(-3), rejected.length], [rejection(400, "Bad Request"), 1]);
  });

  it("is cut when it is late again on a connection that closes already", () => {
    const { server, sockets, rejected } = served();
    const late = Object.assign(new Error(), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
    const socket = connection();
    sockets.open(socket, waiting());
    server.emit("clientError", new Error("nonsense"), socket);
    server.emit("clientError", new Error("nonsense"), socket);
    assert.deepEqual(socket.calls, [guarded]);
    server.emit("clientError", late, socket);
    assert.deepEqual([socket.calls, rejected], [[guarded, "cut"], []]);
  });
});

describe("a CONNECT", () => {
  it("LOG-014: is 405 after the pending responses, and a client that leaves earlier has left those", () => {
    for (const leaves of [false, true]) {
      const { server, sockets, rejected } = served();
      const socket = connection();
      const before = waiting();
      sockets.open(socket, before);
      server.emit("connect", {}, socket, Buffer.from(""));
      assert.doesNotThrow(() => socket.emit("error", new Error("reset")));
      assert.deepEqual([socket.calls, sockets.closesAfter(socket, before)], [["resumed", ["timeout", 50]], false]);
      if (leaves) {
        socket.emit("end");
        assert.equal(socket.calls.at(-1), "closed");
        socket.emit("close");
      } else sockets.close(socket, before);
      assert.equal(before.hasLeft, leaves);
      assert.deepEqual(
        rejected.map(({ status }) => status),
        leaves ? [] : [405],
      );
      if (!leaves) assert.equal(socket.calls.at(-3), rejection(405, "Method Not Allowed"));
    }
  });
});
