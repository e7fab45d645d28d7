/** A fetch engine's view of a request, and its handling of the response (ENGINE). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fetchHandler } from "../../index.ts";
import { collectGarbage, until } from "../../testing/harness.testkit.ts";
import type { Exchange } from "../../http/exchange.ts";
import { ClientGoneError, ContentTooLargeError } from "../../internal/errors.ts";

const asked = (init: RequestInit & { readonly duplex?: "half" } = {}, url = "http://h/a?b#c"): Request =>
  new Request(url, init);

/** The result of `fetch` for that request, and the exchange passed to the handler. */
function via(
  handle: (exchange: Exchange) => void,
  request: Request = asked(),
  ...platform: readonly unknown[]
): { exchange: Exchange; fetched: Response | Promise<Response> } {
  let exchange: Exchange | undefined;
  const fetch = fetchHandler(() => ({
    handle(one) {
      exchange = one;
      handle(one);
    },
    rejected: () => assert.fail("nothing is rejected here"),
  }));
  const fetched = fetch(request, ...platform);
  return { exchange: exchange ?? assert.fail("not handled"), fetched };
}

const ignore = (): void => undefined;
const ignoring = (one: Exchange): void => one.respond(204, [], undefined, { isWatched: false, delivered: ignore });

/** A response in pieces: its sink and its reader. */
function opened(init: RequestInit = {}): {
  exchange: Exchange;
  sink: ReturnType<Exchange["open"]>;
  reader: ReadableStreamDefaultReader<Uint8Array>;
} {
  let sink: ReturnType<Exchange["open"]> | undefined;
  const { exchange, fetched } = via((one) => void (sink = one.open(200, ["X-A", "1"], false)), asked(init));
  assert.ok(fetched instanceof Response, "the head is there at once");
  return { exchange, sink: sink ?? assert.fail(), reader: fetched.body?.getReader() ?? assert.fail("no body") };
}

/** Has that settled by the next turn of the event loop? */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const settle = (): void => void (settled = true);
  promise.then(settle, settle);
  await new Promise(setImmediate);
  return settled;
}

/** Counts how often the client has left. */
function leaving(exchange: Exchange): { left: number } {
  const seen = { left: 0 };
  exchange.onGone({ gone: () => void (seen.left += 1), broken: ignore });
  return seen;
}

describe("the request of an exchange of fetch", () => {
  test("has its target, its lines and their size", () => {
    const headers = { "X-Long": "12345", Accept: "*/*" };
    const { exchange } = via(ignoring, asked({ headers }));
    assert.deepEqual(
      [exchange.method, exchange.target, exchange.httpVersion, exchange.secure],
      ["GET", "/a?b", "1.1", false],
    );
    assert.deepEqual([exchange.headerCount, exchange.headerBytes], [2, "/a?b".length + "x-long12345accept*/*".length]);
    assert.deepEqual([exchange.headerCount, exchange.headerBytes], [2, 24]);
    assert.deepEqual(
      [...exchange.headers()],
      [
        ["host", "h"],
        ["accept", "*/*"],
        ["x-long", "12345"],
      ],
    );
    assert.deepEqual(
      [exchange.header("host"), exchange.header("x-long"), exchange.header("none")],
      ["h", "12345", undefined],
    );
    const own = asked({}, "https://h/");
    Object.defineProperty(own, "headers", { value: new Headers({ Host: "other" }) }); // As a server's request has it.
    const { exchange: secure } = via((one) => void one.open(200, [], false), own);
    assert.deepEqual(
      [secure.secure, secure.header("host"), [...secure.headers()]],
      [true, "other", [["host", "other"]]],
    );
  });

  // As Bun gives a request of HTTP/1.0 without a Host.
  for (const [url, target] of [
    ["/public/admin?b#c", "/public/admin?b"],
    ["//a/b", "//a/b"],
    ["/", "/"],
  ] as const)
    test(`has no host, and its whole URL as its target, for ${url}`, () => {
      const request = Object.defineProperty(asked(), "url", { value: url });
      const { exchange } = via((one) => void one.open(200, [], false), request);
      assert.deepEqual([exchange.target, exchange.header("host"), [...exchange.headers()]], [target, undefined, []]);
    });

  test("ROUTE-020: has the flaw of an invalid Host, in a field or in the URL that a server has made of it", () => {
    const flaws: Readonly<Record<string, readonly [url: string, host: string | undefined, flaw: number | undefined]>> =
      {
        "no field": ["http://h:80/a", undefined, undefined],
        "a Host": ["http://h/a/b", "h", undefined],
        "none in the field": ["http://h/a", "user@h", 400],
        "a path in the field": ["http://h/open/x?/secret", "h/open/x?", 400],
        "a question mark in both": ["http://h?/secret", "h?", 400],
        "two of them": ["http://h/a", "h, h", 400],
        "a user in the URL": ["http://user@h/a", undefined, 400],
        "a URL that is a path": ["/a/b", undefined, undefined],
        "a URL that is a path, and none in the field": ["/a/b", "h/x", 400],
      };
    const seen = Object.entries(flaws).map(([what, [url, host]]) => {
      const headers = new Headers(host === undefined ? {} : { Host: host });
      const { exchange } = via(ignoring, {
        ...asked(),
        method: "GET",
        url,
        headers,
        signal: asked().signal,
      } as Request);
      return [what, url, host, exchange.flaw];
    });
    assert.deepEqual(
      seen,
      Object.entries(flaws).map(([what, row]) => [what, ...row]),
    );
  });

  test("has the root as its target when its URL has no path", () => {
    assert.equal(via((one) => void one.open(200, [], false), asked({}, "data:,a")).exchange.target, "/");
  });

  test("reads the type and the length of the body, and the size of the head, once from its host", () => {
    const asks: string[] = [];
    class Counting extends Headers {
      override get(name: string): string | null {
        asks.push(name);
        return super.get(name);
      }
      override [Symbol.iterator](): ReturnType<Headers["entries"]> {
        asks.push("all");
        return super.entries();
      }
    }
    const own = asked();
    const headers = { "Content-Type": "text/a", "Content-Length": "3", "X-A": "1" };
    Object.defineProperty(own, "headers", { value: new Counting(headers) });
    const { exchange } = via((one) => void one.open(200, [], false), own);
    for (let time = 0; time < 2; time += 1) {
      for (const [name, value] of Object.entries(headers)) assert.equal(exchange.header(name.toLowerCase()), value);
      assert.deepEqual([exchange.hasTwoTypes, exchange.headerCount, exchange.headerBytes], [false, 3, 41]);
    }
    assert.deepEqual(asks, ["content-type", "content-length", "x-a", "all", "x-a"]);
  });

  test("ERR-026: merges equal Content-Types, and keeps the commas of other values", () => {
    const typeOf = (type: string): unknown[] => {
      const { exchange } = via(
        (one) => void one.open(200, [], false),
        asked({ headers: { "Content-Type": type, "X-List": "a, a" } }),
      );
      return [exchange.hasTwoTypes, exchange.header("content-type"), exchange.header("x-list")];
    };
    assert.deepEqual(typeOf("text/a"), [false, "text/a", "a, a"]);
    assert.deepEqual(typeOf("text/a, text/a"), [false, "text/a", "a, a"]);
    assert.deepEqual(typeOf("text/a, text/b"), [true, "text/a, text/b", "a, a"]);
    assert.deepEqual(typeOf('text/a; x="1,2"'), [false, 'text/a; x="1,2"', "a, a"]);
  });

  test("finds the platform's facts in any argument, and reads the peer once", () => {
    let isClosed = false;
    const told = {
      get peerAddress(): string {
        if (isClosed) throw new TypeError("Request closed");
        return "10.0.0.1";
      },
    };
    const { exchange } = via((one) => void one.open(200, [], false), asked(), undefined, null, "peerAddress", told, {
      peerAddress: "later",
    });
    assert.equal(exchange.peer, "10.0.0.1");
    isClosed = true;
    assert.equal(exchange.peer, "10.0.0.1");
    assert.equal(exchange.upgrade, undefined);
    for (const webSocket of [undefined, null, {}, { open: true }])
      assert.equal(via((one) => void one.open(200, [], false), asked(), { webSocket }).exchange.upgrade, undefined);
    assert.equal(via((one) => void one.open(200, [], false)).exchange.peer, undefined);
  });

  const pieces = (...texts: readonly string[]): ReadableStream<Uint8Array> =>
    new ReadableStream({
      start(controller) {
        for (const text of texts) controller.enqueue(new TextEncoder().encode(text));
        controller.close();
      },
    });
  const torn = (): ReadableStream<Uint8Array> =>
    new ReadableStream({ pull: (controller) => controller.error(new Error("torn")) });
  const posted = (body: BodyInit | null, length?: number): Request =>
    asked({
      method: "POST",
      body,
      duplex: "half",
      ...(length !== undefined && { headers: { "Content-Length": String(length) } }),
    });
  const exchangeOf = (request: Request): Exchange => via((one) => void one.open(200, [], false), request).exchange;
  const text = async (bytes: Promise<Uint8Array>): Promise<string> => new TextDecoder().decode(await bytes);
  const textOf = (stream: ReadableStream<Uint8Array>): Promise<string> => new Response(stream).text();

  test("ERR-011: has its body up to the limit, announced or not, whole and as a stream", async () => {
    for (const make of [
      () => posted("123456"),
      () => posted("123456", 6),
      () => posted("123456", 3),
      () => posted(pieces("123", "456")),
    ]) {
      assert.equal(await text(exchangeOf(make()).read(6)), "123456");
      await assert.rejects(exchangeOf(make()).read(5), ContentTooLargeError);
      assert.equal(await textOf(exchangeOf(make()).stream(6)), "123456");
      await assert.rejects(textOf(exchangeOf(make()).stream(5)), ContentTooLargeError);
    }
    assert.deepEqual(
      [await text(exchangeOf(posted(null)).read(0)), await textOf(exchangeOf(posted(null)).stream(0))],
      ["", ""],
    );
  });

  test("ERR-011: does not read an announced body that is too large, and stops at the limit", async () => {
    const announced = posted(pieces("1"), 7);
    await assert.rejects(exchangeOf(announced).read(6), ContentTooLargeError);
    assert.equal(announced.bodyUsed, false);
    for (const way of ["read", "stream"] as const) {
      let cancelled = false;
      const endless = new ReadableStream<Uint8Array>(
        {
          pull: (controller) => controller.enqueue(new Uint8Array(4)),
          cancel: () => {
            cancelled = true;
            throw new Error("no");
          },
        },
        { highWaterMark: 0 },
      );
      const exchange = exchangeOf(posted(endless));
      await assert.rejects(way === "read" ? exchange.read(6) : textOf(exchange.stream(6)), ContentTooLargeError);
      assert.equal(cancelled, true, way);
    }
  });

  test("has a client that is gone when its body breaks off", async () => {
    for (const length of [undefined, 3]) {
      await assert.rejects(exchangeOf(posted(torn(), length)).read(9), ClientGoneError);
      await assert.rejects(textOf(exchangeOf(posted(torn(), length)).stream(9)), ClientGoneError);
    }
  });

  test("has no body when other code has read it, and reports that", async () => {
    const request = posted(new Response("abc").body, 3);
    await request.text();
    const { exchange } = via(ignore, request);
    await assert.rejects(exchange.read(9), { code: "BODY_READ", message: /give app\.fetch a clone\(\) of it$/ });
    assert.throws(() => exchange.stream(9), { code: "BODY_READ" });
  });

  test("cancels the body when the reader of its stream does", async () => {
    let reason: unknown;
    const source = new ReadableStream<Uint8Array>({ cancel: (why) => void (reason = why) });
    await exchangeOf(posted(source)).stream(9).cancel("enough");
    assert.equal(reason, "enough");
  });

  test("has its bytes with and without bytes() on the host's requests", async () => {
    const request = posted("123456", 6);
    Object.defineProperty(request, "bytes", { value: undefined });
    assert.deepEqual(await exchangeOf(request).read(6), new TextEncoder().encode("123456"));
    const own = Uint8Array.of(49);
    const younger = Object.defineProperty(posted("1", 1), "bytes", { value: () => Promise.resolve(own) });
    assert.equal(await exchangeOf(younger).read(1), own);
  });

  test("does not copy a body of one piece, and is empty without any", async () => {
    const piece = Uint8Array.of(49);
    const source = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(piece);
        controller.close();
      },
    });
    assert.equal(await exchangeOf(posted(source)).read(1), piece);
    assert.deepEqual(await exchangeOf(posted(pieces())).read(1), new Uint8Array(0));
  });
});

describe("the response of an exchange of fetch", () => {
  test("has its length and its byte count, and no body when none is allowed", async () => {
    const bodies: readonly (readonly [
      status: number,
      method: string,
      body: string | Uint8Array | undefined,
      length: string | null,
      sent: string,
    ])[] = [
      [200, "GET", "hällo", "6", "hällo"],
      [200, "GET", new Uint8Array([65, 66]), "2", "AB"],
      [200, "GET", "", "0", ""],
      [200, "GET", new Uint8Array(0), "0", ""],
      [200, "GET", undefined, "0", ""],
      [200, "HEAD", "hällo", "6", ""],
      [200, "HEAD", "", "0", ""],
      [200, "HEAD", undefined, null, ""],
      [204, "GET", "unsent", null, ""],
      [304, "GET", "unsent", null, ""],
      [205, "GET", undefined, "0", ""],
    ];
    for (const [status, method, body, length, sent] of bodies)
      for (const type of [[], ["content-type", "text/plain"]]) {
        const told: unknown[] = [];
        const delivery = { isWatched: true, delivered: (...end: readonly unknown[]) => void told.push(end) };
        const { fetched } = via((one) => one.respond(status, [...type], body, delivery), asked({ method }));
        assert.ok(fetched instanceof Response);
        const { headers } = fetched;
        assert.equal(fetched.body === null, sent === "");
        const seen = [
          fetched.status,
          headers.get("content-length"),
          headers.get("content-type"),
          await fetched.text(),
          told,
        ];
        const bytes = new TextEncoder().encode(sent).length;
        assert.deepEqual(
          seen,
          [status, length, type[1] ?? null, sent, [[bytes, false]]],
          `${method} ${status} ${String(body)}`,
        );
      }
  });

  test("keeps repeated lines apart, and every type, however many there are", async () => {
    const linesOf = (...lines: readonly string[]): [string, string][] => {
      const { fetched } = via((one) =>
        one.respond(204, [...lines], undefined, { isWatched: false, delivered: ignore }),
      );
      assert.ok(fetched instanceof Response);
      return [...fetched.headers];
    };
    assert.deepEqual(linesOf("Set-Cookie", "a=1", "Set-Cookie", "b=2", "X-A", "1"), [
      ["set-cookie", "a=1"],
      ["set-cookie", "b=2"],
      ["x-a", "1"],
    ]);
    assert.deepEqual(linesOf("Content-Type", "text/a", "Vary", "x"), [
      ["content-type", "text/a"],
      ["vary", "x"],
    ]);
    assert.deepEqual(linesOf("X-A", "text/a"), [["x-a", "text/a"]]);
    assert.deepEqual(linesOf(), []);
    for (let time = 0; time < 2; time += 1)
      for (let n = 0; n < 100; n += 1)
        assert.deepEqual(linesOf("Content-Type", `text/n${n}`), [["content-type", `text/n${n}`]]);
  });

  test("waits for a slow reader, and continues with a fast one", async () => {
    const { sink, reader } = opened();
    for (let time = 0; time < 2; time += 1) assert.equal(await isSettled(sink.drained()), true);
    assert.deepEqual([sink.write("äb"), sink.bufferedBytes], [true, 3]);
    assert.deepEqual([sink.write(new Uint8Array(65_532)), sink.bufferedBytes], [true, 65_535]);
    assert.equal(await isSettled(sink.drained()), true);
    assert.deepEqual([sink.write("c"), sink.bufferedBytes], [false, 65_536]);
    const drained = sink.drained();
    assert.equal(await isSettled(drained), false);
    assert.deepEqual((await reader.read()).value, new TextEncoder().encode("äb"));
    assert.equal(await isSettled(drained), true);
    assert.equal(sink.bufferedBytes, 65_533);
    sink.end();
    assert.equal((await reader.read()).value?.length, 65_532);
    assert.deepEqual((await reader.read()).value, new TextEncoder().encode("c"));
    assert.equal((await reader.read()).done, true);
  });

  test("accepts no more after it has ended, and blocks nothing", async () => {
    const { exchange, sink, reader } = opened();
    const seen = leaving(exchange);
    assert.equal(sink.write(new Uint8Array(70_000)), false);
    const waits = sink.drained();
    assert.equal(await isSettled(waits), false);
    sink.end();
    assert.equal(await isSettled(waits), true);
    sink.write("late");
    sink.end();
    exchange.cut();
    assert.deepEqual([sink.bufferedBytes, await isSettled(sink.drained()), seen.left], [0, true, 0]);
    assert.equal((await reader.read()).value?.length, 70_000, "what was written before arrives");
    assert.equal((await reader.read()).done, true);
  });

  test("has a client that left when its reader cancels, once", async () => {
    const { exchange, sink, reader } = opened();
    const seen = leaving(exchange);
    sink.write(new Uint8Array(70_000));
    const waits = sink.drained();
    await reader.cancel();
    assert.deepEqual([exchange.gone, seen.left, await isSettled(waits)], [true, 1, true]);
    sink.write("late");
    sink.end();
    assert.deepEqual([sink.bufferedBytes, await isSettled(sink.drained()), seen.left], [0, true, 1]);
  });

  test("breaks off when it is cut, and when the client leaves", async () => {
    const { exchange, sink, reader } = opened();
    sink.write("a");
    exchange.cut();
    await assert.rejects(reader.read(), { message: "the response was cut short" });
    exchange.cut();
    sink.write("late");
    assert.equal(exchange.gone, false);
    const client = new AbortController();
    const other = opened({ signal: client.signal });
    other.exchange.watch?.();
    const seen = leaving(other.exchange);
    client.abort("bye");
    await assert.rejects(other.reader.read(), { message: "the response was cut short" });
    assert.deepEqual([other.exchange.gone, seen.left], [true, 1]);
  });

  test("is a rejection when there is no head yet, or none can be made", async () => {
    const cut = via((one) => one.cut());
    await assert.rejects(async () => cut.fetched, { message: "the response could not be made" });
    const late = via(ignore);
    late.exchange.cut();
    await assert.rejects(async () => late.fetched, { message: "the response could not be made" });
    const none = via((one) => {
      assert.throws(() => one.open(99, [], false), RangeError);
      one.cut();
    });
    await assert.rejects(async () => none.fetched, { message: "the response could not be made" });
  });

  test("has no body when nothing may follow the head", async () => {
    for (const [status, bodyless] of [
      [200, true],
      [204, false],
      [304, false],
    ] as const) {
      let sink: ReturnType<Exchange["open"]> | undefined;
      const { fetched } = via((one) => void (sink = one.open(status, ["X-A", "1"], bodyless)));
      assert.ok(fetched instanceof Response);
      assert.deepEqual([fetched.status, fetched.body, fetched.headers.get("x-a")], [status, null, "1"]);
      sink?.end();
    }
  });
});

describe("the client of an exchange of fetch", () => {
  test("has left when its signal aborts, which is reported once, with the reason", async () => {
    const client = new AbortController();
    const { exchange, fetched } = via(ignore, asked({ signal: client.signal }));
    const seen = leaving(exchange);
    exchange.watch?.();
    exchange.watch?.();
    client.abort("bye");
    await assert.rejects(
      async () => fetched,
      (reason) => reason === "bye",
    );
    assert.deepEqual([exchange.gone, seen.left], [true, 1]);
  });

  test("has left already when the signal was aborted before", async () => {
    const { exchange, fetched } = via(ignore, asked({ signal: AbortSignal.abort("early") }));
    const seen = leaving(exchange);
    exchange.watch?.();
    assert.deepEqual([exchange.gone, seen.left], [true, 1]);
    await assert.rejects(
      async () => fetched,
      (reason) => reason === "early",
    );
  });

  test("is watched automatically while a handler is pending, and not after its response", async () => {
    const listened: string[] = [];
    const watching = (name: string): Request => {
      const request = asked();
      const signal = Object.assign(new EventTarget(), {
        aborted: false,
        addEventListener: () => void listened.push(name),
      });
      Object.defineProperty(request, "signal", { value: signal });
      return request;
    };
    const pending = via(ignore, watching("pending"));
    const settled = via(ignore, watching("settled"));
    const streamed = via(ignore, watching("streamed"));
    const cut = via(ignore, watching("cut"));
    settled.exchange.respond(204, [], undefined, { isWatched: false, delivered: ignore });
    streamed.exchange.open(200, [], false);
    cut.exchange.cut();
    await assert.rejects(async () => cut.fetched);
    await new Promise(setImmediate);
    assert.equal(listened.length, 0);
    const last = via(ignore, watching("last"));
    await until(() => listened.includes("last"));
    assert.deepEqual(listened, ["pending", "last"]);
    for (const { exchange, fetched } of [pending, last]) {
      exchange.respond(204, [], undefined, { isWatched: false, delivered: ignore });
      assert.equal((await fetched).status, 204);
    }
  });

  test("is listened to once, and not after it has left", async () => {
    let listeners = 0;
    const request = asked();
    const signal = Object.assign(new EventTarget(), { aborted: false, addEventListener: () => void (listeners += 1) });
    Object.defineProperty(request, "signal", { value: signal });
    const { exchange } = via((one) => void one.open(200, [], false), request);
    exchange.watch?.();
    exchange.watch?.();
    assert.equal(listeners, 1);
    const { exchange: left, fetched } = via((one) => void one.open(200, [], false), request);
    await (fetched as Response).body?.cancel();
    left.watch?.();
    assert.deepEqual([left.gone, listeners], [true, 1]);
  });

  test("is held while its handler is pending, and released when its response is over", async () => {
    const ways: Readonly<Record<string, (exchange: Exchange) => void>> = {
      pending: ignore,
      "a response": (one) => one.respond(204, [], undefined, { isWatched: false, delivered: ignore }),
      "a stream that has ended": (one) => one.open(200, ["X-A", "1"], false).end(),
      "a response that was cut": (one) => one.cut(),
      "a response that is out": (one) => {
        one.respond(204, [], undefined, { isWatched: false, delivered: ignore });
        one.watch?.();
      },
    };
    const watched = (way: (exchange: Exchange) => void): WeakRef<Exchange> => {
      const isLate = way === ways["a response that is out"];
      const { exchange, fetched } = via((one) => (isLate || one.watch?.(), way(one)));
      if (fetched instanceof Promise) fetched.catch(ignore);
      return new WeakRef(exchange);
    };
    const seen = Object.entries(ways).map(([name, way]) => [name, watched(way)] as const);
    await until(() => {
      collectGarbage();
      return seen.filter(([, exchange]) => exchange.deref() !== undefined).length === 1;
    });
    assert.equal(seen[0]?.[1].deref()?.gone, false, "who is pending may still leave");
  });

  test("belongs to the platform's WebSocket from the upgrade on, for any signal", async () => {
    const client = new AbortController();
    const handshakes: unknown[] = [];
    const response = new Response(null);
    const native = { open: (handshake: unknown) => (handshakes.push(handshake), { peer: {}, response }) };
    const handshake = { protocol: undefined, headers: [], pingMs: 0 };
    const { exchange, fetched } = via(
      (one) => {
        one.watch?.();
        one.upgrade?.(({ request, socket, head, over }) => {
          assert.ok(request instanceof Request);
          assert.equal(head.length, 0);
          (socket as typeof native).open(handshake);
          over();
        });
      },
      asked({ signal: client.signal }),
      { webSocket: native },
    );
    const seen = leaving(exchange);
    client.abort();
    assert.deepEqual([fetched, handshakes, exchange.gone, seen.left], [response, [handshake], false, 0]);
    const refused = via(
      (one) => one.upgrade?.(({ socket }) => void (socket as typeof native).open(handshake)),
      asked(),
      { webSocket: { open: () => undefined } },
    );
    await assert.rejects(async () => refused.fetched, { message: "the WebSocket could not be opened" });
  });
});
