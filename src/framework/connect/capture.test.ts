/** Unit tests of capture.ts: a middleware's calls on Node's response, and the response recorded from them (CONNECT). */
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { describe, test } from "node:test";
import type { Context } from "../http/context.ts";
import { captureOf, record, takeOver, type Captured, type NodeResponse } from "./capture.ts";

type Value = string | number | readonly string[];

/** The used part of Node's response, which records its calls. */
class Response extends EventEmitter implements NodeResponse {
  statusCode = 200;
  headersSent = false;
  readonly sent: unknown[] = [];
  readonly #fields = new Map<string, readonly [name: string, value: Value]>();

  getHeaders(): Record<string, Value> {
    return Object.fromEntries([...this.#fields].map(([key, [, value]]) => [key, value]));
  }
  getRawHeaderNames(): readonly string[] {
    return [...this.#fields.values()].map(([name]) => name);
  }
  setHeader(name: string, value: Value): this {
    this.#fields.set(name.toLowerCase(), [name, value]);
    return this;
  }
  appendHeader(name: string, value: string | readonly string[]): this {
    const [, known] = this.#fields.get(name.toLowerCase()) ?? [];
    return this.setHeader(name, known === undefined ? value : [known, value].flat().map(String));
  }
  removeHeader(name: string): void {
    this.#fields.delete(name.toLowerCase());
  }
  writeHead(status: number, ...rest: readonly unknown[]): unknown {
    this.sent.push(["head", status, ...rest]);
    this.headersSent = true;
    return this;
  }
  write(...args: readonly unknown[]): boolean {
    return this.sent.push(["write", ...args]) > 0;
  }
  end(...args: readonly unknown[]): unknown {
    this.sent.push(["end", ...args]);
    return this;
  }
  flushHeaders(): void {
    this.sent.push("flushed");
  }
}

const bodyOf = ([one]: readonly Captured[]): Captured["body"] => one?.body;

/** A holder that keeps the captured response. */
const holder = (captured: Captured[], isOut = (): boolean => false) => ({
  respond: (one: Captured): void => void captured.push(one),
  isOut,
});

/** The response that a middleware has, and the result captured from it. */
function capturing() {
  const res: Response = new Response();
  const captured: Captured[] = [];
  const capture = captureOf(res);
  capture.begin(holder(captured));
  const stream = (): ReadableStreamDefaultReader<Uint8Array> =>
    (bodyOf(captured) as ReadableStream<Uint8Array>).getReader();
  return { res, capture, captured, stream };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("captureOf", () => {
  test("is one for each response, and sends nothing while a middleware has it", () => {
    const { res, capture, captured } = capturing();
    assert.equal(captureOf(res), capture);
    assert.notEqual(captureOf(new Response()), capture);
    res.writeHead(201, { "X-A": "1" });
    res.flushHeaders();
    assert.deepEqual([captured, res.sent, res.statusCode, res.getHeaders()], [[], [], 201, { "x-a": "1" }]);
  });

  test("sends later writes after it is passed on, as Node's own methods do", async () => {
    const { res, capture, captured } = capturing();
    capture.pass();
    res.writeHead(204, "Nothing", { "X-A": "1" });
    res.flushHeaders();
    res.write("a", "utf8");
    res.end("b");
    await turn();
    const sent = [["head", 204, "Nothing", { "X-A": "1" }], "flushed", ["write", "a", "utf8"], ["end", "b"]];
    assert.deepEqual([res.sent, captured], [sent, []]);
  });

  test("reports one response, even if it is written, ended twice, or passed on in the turn of its first piece", async () => {
    const { res, capture, captured } = capturing();
    res.write("a");
    assert.equal(captured.length, 0);
    await turn();
    res.end("b");
    res.end();
    capture.pass();
    res.end("c");
    await turn();
    assert.deepEqual([captured.length, res.sent], [1, []]);
    const passed = capturing();
    passed.res.write("a");
    passed.capture.pass();
    await turn();
    assert.deepEqual(passed.captured, []);
  });

  test("writes its head through the wrappers, once, and not when it was written before", () => {
    for (const isWritten of [false, true]) {
      const { res } = capturing();
      const { writeHead } = res;
      const heads: unknown[] = [];
      res.writeHead = (...args) => (heads.push(args), writeHead.apply(res, args));
      if (isWritten) res.writeHead(201);
      res.statusCode = 202;
      res.flushHeaders();
      res.write("a");
      res.end();
      assert.deepEqual(heads, [[isWritten ? 201 : 202]]);
    }
  });

  test("decodes text that is not UTF-8, and calls back when the response was sent", () => {
    const { res, captured } = capturing();
    const called: string[] = [];
    res.write("e9", "hex", () => called.push("a"));
    res.write("\u00e9", () => called.push("b"));
    res.end(() => called.push("end"));
    assert.deepEqual([[...(bodyOf(captured) as Uint8Array)], called], [[0xe9, 0xc3, 0xa9], []]);
    res.emit("finish");
    assert.deepEqual(called, ["a", "b", "end"]);
  });

  const fields: Readonly<Record<string, readonly unknown[]>> = {
    "as an object": [{ "X-A": "1", "X-B": ["2", "3"] }],
    "behind a reason": ["Fine", { "X-A": "1", "X-B": ["2", "3"] }],
    "behind a reason that is null": [null, { "X-A": "1", "X-B": ["2", "3"] }],
    "as a flat list": [["X-A", "1", "X-B", "2", "X-B", "3"]],
    "as a list of pairs": [
      [
        ["X-A", "1"],
        ["X-B", "2"],
        ["X-B", "3"],
      ],
    ],
  };
  for (const [how, rest] of Object.entries(fields))
    test(`keeps the fields of writeHead ${how}`, () => {
      const { res } = capturing();
      res.writeHead(200, ...rest);
      assert.deepEqual(res.getHeaders(), { "x-a": "1", "x-b": ["2", "3"] });
    });

  test("is text if a piece is, and the written bytes otherwise", () => {
    for (const [pieces, isText, text] of [
      [[Buffer.from("by"), Buffer.from("tes")], false, "bytes"],
      [["c3", Buffer.from("")], true, "c3"],
      [[undefined, Buffer.from("one")], false, "one"],
    ] as const) {
      const { res, captured } = capturing();
      for (const piece of pieces) res.write(piece);
      res.end();
      const [{ body, isText: isSaid } = {}] = captured;
      assert.deepEqual([Buffer.from(body as Uint8Array).toString(), isSaid], [text, isText]);
    }
    const { res, captured } = capturing();
    res.end();
    assert.deepEqual([captured[0]?.body, captured[0]?.isText], [undefined, false]);
  });

  test("makes its writer wait beyond 64 KiB, until the waiting bytes were read", async () => {
    const { res, stream } = capturing();
    let drains = 0;
    res.on("drain", () => (drains += 1));
    const half = Buffer.alloc(32_768);
    assert.deepEqual([res.write(half), res.write(half), res.write("x")], [true, true, false]);
    await turn();
    const reader = stream();
    for (const length of [half.length, half.length, 1]) {
      assert.equal(drains, 0);
      assert.equal((await reader.read()).value?.length, length);
    }
    await turn();
    assert.equal(drains, 1);
    res.end("z");
    assert.deepEqual([(await reader.read()).value?.length, (await reader.read()).done, drains], [1, true, 1]);
  });

  test("waits for later writes, and for the end", async () => {
    const { res, stream } = capturing();
    res.write("");
    await turn();
    const reader = stream();
    const seen: string[] = [];
    const read = (async () => {
      for (let piece = await reader.read(); !piece.done; piece = await reader.read())
        seen.push(Buffer.from(piece.value).toString());
    })();
    for (const text of ["one", "two"]) {
      await turn();
      res.write(text);
    }
    await turn();
    assert.deepEqual(seen, ["one", "two"]);
    res.end();
    await read;
    assert.deepEqual(seen, ["one", "two"]);
  });

  test("fails with the first error, after the bytes written before it", async () => {
    const { res, capture, stream } = capturing();
    res.write("one");
    await turn();
    const reader = stream();
    await reader.read();
    const next = reader.read();
    const error = new Error("the first");
    capture.breakOff(error);
    capture.breakOff(new Error("the second"));
    await assert.rejects(next, error);
  });

  test("restores the own methods of Node's response", () => {
    const res: Response = new Response();
    const end = (...args: readonly unknown[]): void => void res.sent.push(["own end", ...args]);
    Object.defineProperty(res, "end", { value: end, writable: true, configurable: true });
    const captured: Captured[] = [];
    captureOf(res).begin(holder(captured));
    const on = (): never => assert.fail("a wrapper is left");
    Object.assign(res, { on, flush: on, write: on, flushHeaders: on });
    res.end("mine");
    captured[0]?.restore({} as Context);
    res.flushHeaders();
    res.write("a");
    assert.equal(res.on("x", on), res);
    assert.deepEqual([res.end, "flush" in res, res.sent], [end, false, ["flushed", ["write", "a"]]]);
    assert.deepEqual([Object.hasOwn(res, "setHeader"), Object.hasOwn(res, "appendHeader")], [false, false]);
    res.writeHead(200, ["X-A", "1"]);
    assert.deepEqual([res.sent.at(-1), res.getHeaders()], [["head", 200], { "x-a": ["1"] }]);
  });

  test("gives the engine a response with Node's own methods while the middleware continues to write", async () => {
    const { res, captured, stream } = capturing();
    const wrapped: unknown[] = [];
    const { write } = res;
    res.write = (...args) => (wrapped.push(args), write.apply(res, [...args]));
    res.write("one");
    await turn();
    const exchange: { res: NodeResponse } = { res };
    captured[0]?.restore({ exchange } as unknown as Context);
    exchange.res.writeHead(200, ["X-A", "1"]);
    exchange.res.flushHeaders();
    exchange.res.write("sent");
    res.end("two");
    exchange.res.end();
    assert.deepEqual(res.sent, [["head", 200], "flushed", ["write", "sent"], ["end"]]);
    assert.deepEqual([wrapped, exchange.res.statusCode, "flush" in exchange.res], [[["one"]], 200, false]);
    const reader = stream();
    assert.equal(Buffer.from((await reader.read()).value ?? []).toString(), "one");
    assert.equal(Buffer.from((await reader.read()).value ?? []).toString(), "two");
  });

  const chained: Readonly<Record<string, readonly unknown[]>> = {
    ...Object.fromEntries(
      ["on", "once", "addListener", "prependListener", "prependOnceListener", "off", "removeListener"].map((name) => [
        name,
        ["drain", () => undefined],
      ]),
    ),
    removeAllListeners: ["unused"],
    setMaxListeners: [20],
    setTimeout: [0],
    setHeader: ["X-A", "1"],
    appendHeader: ["X-A", "2"],
    setHeaders: [new Headers({ "X-B": "1" })],
    writeHead: [200, ["X-C", "1"]],
    end: [],
  };
  test("every method that returns the response returns the engine's", async () => {
    const res = new ServerResponse(new IncomingMessage(new Socket()));
    const captured: Captured[] = [];
    captureOf(res as unknown as NodeResponse).begin(holder(captured));
    res.write("one");
    await turn();
    const exchange: { res: unknown } = { res };
    captured[0]?.restore({ exchange } as unknown as Context);
    const sending = exchange.res as Record<string, (...args: readonly unknown[]) => unknown>;
    const returned = Object.entries(chained).map(([name, args]) => [name, sending[name]?.(...args) === sending]);
    assert.deepEqual(
      returned,
      Object.keys(chained).map((name) => [name, true]),
    );
  });

  test("lets its writer continue without effect when the stream is not read to its end", async () => {
    const { res, captured } = capturing();
    let drains = 0;
    res.on("drain", () => (drains += 1));
    assert.equal(res.write(Buffer.alloc(65_537)), false);
    await turn();
    await (bodyOf(captured) as ReadableStream<Uint8Array>).cancel();
    assert.deepEqual([drains, res.write(Buffer.alloc(65_537)), res.sent], [1, true, []]);
    res.end("z");
    assert.deepEqual([captured.length, drains, res.sent], [1, 1, []]);
  });

  test("sets the recorded lines, and keeps cookies and Vary next to them", () => {
    const { res, capture } = capturing();
    capture.pass();
    for (const name of ["set-COOKIE", "VARY", "X-A"]) res.setHeader(name, "late");
    const lines = ["Set-Cookie", "own", "Vary", "Own", "x-a", "own", "X-B", "1", "X-B", "2"];
    res.writeHead(200, lines);
    assert.deepEqual(
      [res.sent, res.getHeaders()],
      [[["head", 200]], { "set-cookie": ["late", "own"], vary: ["late", "Own"], "x-a": ["own"], "x-b": ["1", "2"] }],
    );
  });
});

/** A context that logs its calls. */
function recording(method = "GET", fields: Readonly<Record<string, string>> = {}) {
  const told: unknown[] = [];
  const ctx = {
    method,
    responseHeader: (name: string) => fields[name],
    status: (status: number) => (told.push(["status", status]), ctx),
    setHeader: (name: string, value: string) => (told.push([name, value]), ctx),
    appendHeader: (name: string, value: string) => (told.push(["+", name, value]), ctx),
    vary: (field: string) => (told.push(["vary", field]), ctx),
    reply: (status: number) => void told.push(["reply", status]),
    send: (body: unknown) => void told.push(["send", body]),
  };
  return { ctx: ctx as unknown as Context, told };
}

describe("takeOver", () => {
  test("records the fields that the middleware has set, under their names, and restores the response", () => {
    const res = new Response();
    res.setHeader("X-Kept", "1").setHeader("X-Changed", "old").setHeader("Set-Cookie", ["a=1"]).setHeader("Vary", "A");
    const earlier = { headers: res.getHeaders(), status: 200 };
    res.setHeader("X-Changed", "new").setHeader("X-Number", 7).setHeader("X-List", ["1", "2"]);
    res.setHeader("Set-Cookie", ["a=1", "b=2", "c=3"]).setHeader("Vary", ["A", " B , ,C", ""]);
    res.statusCode = 201;
    const { ctx, told } = recording();
    takeOver(ctx, res, earlier);
    const fields = [
      ["X-Changed", "new"],
      ["+", "Set-Cookie", "b=2"],
      ["+", "Set-Cookie", "c=3"],
      ["vary", "B"],
      ["vary", "C"],
      ["X-Number", "7"],
      ["X-List", "1"],
      ["+", "X-List", "2"],
    ];
    const sorted = (lines: unknown[]): unknown[] => lines.map((line) => JSON.stringify(line)).sort();
    assert.deepEqual([told[0], sorted(told.slice(1))], [["status", 201], sorted(fields)]);
    assert.deepEqual([res.statusCode, res.getHeaders()], [200, earlier.headers]);
  });

  test("records nothing when nothing was set, and keeps a star as Vary", () => {
    const res = new Response();
    res.setHeader("X-Kept", "1");
    const { ctx, told } = recording();
    takeOver(ctx, res, { headers: res.getHeaders(), status: 200 });
    assert.deepEqual(told, []);
    res.setHeader("Vary", " * ");
    takeOver(ctx, res, { headers: { "x-kept": "1" }, status: 200 });
    assert.deepEqual(told, [["Vary", "*"]]);
  });
});

describe("record", () => {
  const bytes = new Uint8Array([1]);
  const text = ["Content-Type", "text/plain; charset=utf-8"];
  const cases: Readonly<
    Record<string, readonly [told: unknown[], Partial<Captured>, ...Parameters<typeof recording>]>
  > = {
    bytes: [
      [
        ["status", 200],
        ["send", bytes],
      ],
      { body: bytes },
    ],
    "text, with its type": [[text, ["status", 200], ["send", bytes]], { body: bytes, isText: true }],
    "text that has a type": [
      [
        ["status", 200],
        ["send", bytes],
      ],
      { body: bytes, isText: true },
      "GET",
      { "content-type": "text/css" },
    ],
    "no body": [[["reply", 200]], {}],
    "no body with a set length": [[["reply", 200]], {}, "GET", { "content-length": "7" }],
    "no body of a HEAD": [[["reply", 200]], {}, "HEAD"],
  };
  for (const [what, [told, captured, ...how]] of Object.entries(cases))
    test(`responds with ${what}`, () => {
      const seen = recording(...how);
      let restored = 0;
      const restore = (): void => void (restored += 1);
      const whole = { body: undefined, isText: false, ...captured, restore };
      record(seen.ctx, new Response(), whole, { headers: {}, status: 200 });
      assert.deepEqual([seen.told, restored], [told, 1]);
    });

  test("keeps the length of a response to HEAD, with an empty stream", async () => {
    const { ctx, told } = recording("HEAD", { "content-length": "7" });
    const res = new Response();
    record(ctx, res, { body: undefined, isText: false, restore: () => undefined }, { headers: {}, status: 200 });
    const [status, [, body]] = told as [unknown, [string, ReadableStream]];
    assert.deepEqual([status, (await body.getReader().read()).done], [["status", 200], true]);
  });
});
