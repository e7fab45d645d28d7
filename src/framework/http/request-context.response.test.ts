/** Unit tests of request-context.ts: the ways to respond, each phase of a response, and the calls that it allows (CTX, MW). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BadRequestError, HttpError } from "../internal/errors.ts";
import { safeLogger } from "../internal/logger.ts";
import { completionOf } from "./completion.ts";
import type { Completion } from "./context.ts";
import type { Exchange } from "./exchange.ts";
import { RequestContext } from "./request-context.ts";
import { checkedStatus, lengthOf, respondedAlready, respondedTwice, usedBody } from "./outgoing.ts";
import type { ContextServices } from "./services.ts";
import { unrouted } from "./unrouted.testkit.ts";
import type { UpgradedConnection } from "./upgrade.ts";

/** The engine's calls for one response. */
interface Out {
  /** Status, head and body of a response sent in one write. */
  readonly whole: unknown[];
  /** Status, head and `bodyless` of a response sent in pieces. */
  readonly opened: unknown[];
  readonly pieces: string[];
  ended: number;
  cut: number;
  armed: number;
  watched: number;
}

/** One request without a socket, its response, and the reports about it. */
function responding(engine: Partial<Exchange> = {}): {
  readonly ctx: RequestContext;
  readonly out: Out;
  readonly reported: (readonly [string, string])[];
  readonly completions: Completion[];
  readonly streams: Set<() => void>;
} {
  const out: Out = { whole: [], opened: [], pieces: [], ended: 0, cut: 0, armed: 0, watched: 0 };
  const reported: (readonly [string, string])[] = [];
  const streams = new Set<() => void>();
  const exchange = {
    method: "GET",
    target: "/a?b",
    peer: undefined,
    secure: false,
    httpVersion: "1.1",
    platform: [],
    gone: false,
    header: () => undefined,
    headers: () => [],
    onGone: () => void (out.armed += 1),
    watch: () => void (out.watched += 1),
    respond: (status: number, head: string[], body: unknown) => void out.whole.push([status, head, body]),
    open(status: number, head: string[], bodyless: boolean) {
      out.opened.push([status, head, bodyless]);
      return {
        write: (chunk: string | Uint8Array) => {
          out.pieces.push(typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk));
          return true;
        },
        bufferedBytes: 0,
        isOut: true,
        drained: () => Promise.resolve(),
        end: () => void (out.ended += 1),
      };
    },
    cut: () => void (out.cut += 1),
    ...engine,
  } as unknown as Exchange;
  const services = {
    contextPath: "/",
    jsonDepth: 4,
    queryPairs: 4,
    trustProxy: false,
    beans: undefined,
    logger: safeLogger({}),
    onLog: [],
    onAnnotation: [],
    onPhase: [],
    streams,
    isStopping: () => false,
    report: (what: string, error: unknown) => void reported.push([what, String(error)]),
    around: (_name: string, work: () => unknown) => work(),
  } as unknown as ContextServices;
  const ctx = new RequestContext(exchange, services, unrouted, "/a", true);
  const completions: Completion[] = [];
  ctx.onComplete((completion) => void completions.push(completion));
  return { ctx, out, reported, completions, streams };
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

async function* pieces(...all: readonly string[]): AsyncGenerator<string> {
  yield* all;
}

const plain = ["Content-Type", "text/plain; charset=utf-8"];
const sent = { name: "Error", code: "RESPONSE_SENT" };
const twice = { name: "Error", code: "RESPONSE_TWICE" };
const state = ({ ctx }: ReturnType<typeof responding>): unknown => [
  ctx.statusCode,
  ctx.responded,
  ctx.committed,
  ctx.isReady,
  ctx.isOver,
];
/** The completion of a request, without its duration. */
const outcome = ({ completions }: ReturnType<typeof responding>): unknown =>
  completions.map(({ durationMs, error, ...rest }) => {
    assert.ok(durationMs >= 0);
    return error === undefined ? rest : { ...rest, error: String(error) };
  });

describe("a response", () => {
  test("is recorded, settled and sent once, and is over when it was delivered", () => {
    const it = responding();
    const { ctx, out } = it;
    assert.deepEqual(state(it), [200, false, false, false, false]);
    ctx.status(201).text("abc").setHeader("X-A", 1);
    assert.deepEqual(state(it), [201, true, false, false, false]);
    assert.throws(() => ctx.text("d"), twice);
    assert.throws(() => ctx.recordEmpty(), twice);
    assert.equal(ctx.settle(), true);
    assert.deepEqual([state(it), ctx.settle()], [[201, true, false, true, false], false]);
    assert.throws(() => ctx.text("d"), twice);
    ctx.commit();
    ctx.commit();
    const head = [...plain, "X-A", "1"];
    assert.deepEqual([state(it), out.whole], [[201, true, true, false, false], [[201, head, "abc"]]]);
    for (const late of [() => ctx.setHeader("X-B", 1), () => ctx.appendHeader("X-B", 1), () => ctx.vary("X-B")])
      assert.throws(late, sent);
    for (const late of [
      () => ctx.status(200),
      () => ctx.text("d"),
      () => ctx.discard([]),
      () => ctx.setCookie("a", ""),
    ])
      assert.throws(late, sent);
    ctx.delivered(3, false);
    ctx.delivered(9, true);
    assert.deepEqual(state(it), [201, true, true, false, true]);
    assert.deepEqual(outcome(it), [{ status: 201, bytes: 3, aborted: false, headers: head, body: "abc" }]);
    const late: Completion[] = [];
    ctx.onComplete((completion) => void late.push(completion));
    assert.deepEqual(late, it.completions);
  });

  test("without content is 204, or has the status that was set", () => {
    const statuses = [undefined, 202, 204, 404].map((status) => {
      const { ctx, out } = responding();
      if (status !== undefined) ctx.status(status);
      ctx.settle();
      ctx.commit();
      return out.whole;
    });
    assert.deepEqual(statuses, [
      [[204, [], undefined]],
      [[202, [], undefined]],
      [[204, [], undefined]],
      [[404, [], undefined]],
    ]);
    const { ctx, out } = responding();
    ctx.recordEmpty();
    ctx.settle();
    ctx.commit();
    assert.deepEqual(out.whole, [[200, [], undefined]]);
  });

  test("is forgotten when it is discarded, except for the given head", () => {
    const it = responding();
    const { ctx, out } = it;
    ctx.status(201).setHeader("Content-Length", 9).text("abc");
    ctx.discard(["X-Kept", "1"]);
    assert.deepEqual(state(it), [200, false, false, false, false]);
    ctx.text("d");
    ctx.settle();
    ctx.discard(["X-Kept", "2"]);
    assert.deepEqual(state(it), [200, false, false, true, false]);
    ctx.text("e");
    assert.deepEqual(state(it), [200, true, false, true, false]);
    ctx.commit();
    assert.deepEqual(out.whole, [[200, ["X-Kept", "2", ...plain], "e"]]);
    const left = responding();
    left.ctx.gone();
    left.ctx.discard([]);
    assert.deepEqual([left.ctx.isOver, left.ctx.isReady], [true, false]);
  });

  test("keeps the names of ctx.vary() to the end", () => {
    const { ctx, out } = responding();
    ctx.vary("A").vary("A").vary("B").setHeader("Vary", "C");
    ctx.text("x");
    ctx.settle();
    ctx.commit();
    assert.deepEqual(out.whole, [[200, ["Vary", "C, A, B", ...plain], "x"]]);
  });

  test("has only its own Content-Length, and none when nothing follows", () => {
    const { ctx, out } = responding();
    ctx.setHeader("content-length", 99).text("abc");
    ctx.settle();
    ctx.commit();
    assert.deepEqual(out.whole, [[200, plain, "abc"]]);
    const other = responding();
    other.ctx.status(205).text("abc");
    other.ctx.settle();
    other.ctx.commit();
    assert.deepEqual(other.out.whole, [[205, plain, undefined]]);
  });

  test("has the type that was set", () => {
    const { ctx } = responding();
    ctx.setHeader("content-type", "text/css").text("x");
    assert.deepEqual(ctx.recorded(), { status: 200, headers: ["content-type", "text/css"], body: "x" });
  });

  test("reaches its listeners in order, each once, and the first failure is reported", () => {
    const { ctx, reported } = responding();
    const order: string[] = [];
    ctx.onComplete(() => void order.push("second"));
    ctx.onComplete(() => {
      throw new Error("third");
    });
    ctx.onComplete(() => void order.push("fourth"));
    assert.equal(ctx.isWatched, true);
    ctx.gone();
    ctx.gone();
    assert.deepEqual([order, reported], [["second", "fourth"], [["an onComplete listener", "Error: third"]]]);
    const unwatched = new RequestContext(ctx.exchange, ctx.services, unrouted, "/", true);
    assert.equal(unwatched.isWatched, false);
    unwatched.complete(false);
    assert.equal(unwatched.isOver, true);
  });
});

describe("an error", () => {
  test("is mapped before the head is sent, and its recorded response is sent", () => {
    const failing: readonly ((ctx: RequestContext) => unknown)[] = [
      () => undefined,
      (ctx) => ctx.text("half"),
      (ctx) => ctx.text("half").settle(),
    ];
    for (const before of failing) {
      const it = responding();
      const { ctx, out } = it;
      before(ctx);
      assert.equal(ctx.fail(new Error("no"), false), "map");
      assert.deepEqual([ctx.responded, ctx.isReady], [false, true]);
      ctx.discard([]);
      ctx.status(500).text("error");
      assert.deepEqual([ctx.responded, ctx.isReady], [true, true]);
      ctx.commit();
      ctx.delivered(5, false);
      assert.deepEqual(out.whole, [[500, plain, "error"]]);
      assert.equal(it.completions[0]?.error?.toString(), "Error: no");
    }
  });

  test("of the router is not an error of the request", () => {
    const it = responding();
    it.ctx.fail(new Error("404"), true);
    it.ctx.status(404).recordEmpty();
    it.ctx.commit();
    it.ctx.delivered(0, false);
    assert.deepEqual(outcome(it), [{ status: 404, bytes: 0, aborted: false, headers: [], body: undefined }]);
  });

  test("ERR-013: cuts an open event stream, and is only reported after the response was sent or is over", () => {
    const events = responding();
    events.ctx.sse();
    assert.deepEqual([events.ctx.fail(new Error("late"), true), events.ctx.committed], ["cut", true]);
    events.ctx.cut();
    assert.equal(events.completions[0]?.error?.toString(), "Error: late");
    const whole = responding();
    whole.ctx.text("x").settle();
    whole.ctx.commit();
    assert.equal(whole.ctx.fail(new Error("late"), false), "report");
    whole.ctx.delivered(1, false);
    assert.deepEqual([whole.ctx.fail(new Error("late"), false), whole.completions[0]?.error], ["report", undefined]);
    const left = responding();
    left.ctx.gone();
    assert.equal(left.ctx.fail(new Error("late"), false), "report");
    const failed = responding();
    failed.ctx.fail(new Error("first"), false);
    assert.equal(failed.ctx.fail(new Error("second"), false), "report");
  });
});

describe("a client that leaves", () => {
  test("before the head: the status is 499 and nothing is sent", async () => {
    const it = responding();
    const { ctx, out } = it;
    const { signal } = ctx;
    assert.equal(signal.aborted, false);
    ctx.status(201).text("abc");
    ctx.gone();
    assert.equal(signal.aborted, true);
    assert.deepEqual(state(it), [499, true, false, false, true]);
    assert.equal(ctx.settle(), false);
    ctx.commit();
    assert.deepEqual([out.whole, out.cut], [[], 0]);
    assert.deepEqual(outcome(it), [{ status: 499, bytes: 0, aborted: true, headers: plain, body: "abc" }]);
  });

  test("is noticed when the response would be sent, and by a signal that is created later", () => {
    const it = responding({ gone: true });
    it.ctx.text("abc").settle();
    it.ctx.commit();
    assert.deepEqual([state(it), it.out.whole], [[499, true, false, false, true], []]);
    assert.equal(responding({ gone: true }).ctx.signal.aborted, true);
  });

  test("before the head of a request that outlives it: the response is recorded for the hooks, and then it is 499", () => {
    const it = responding();
    const { ctx, out } = it;
    const { signal } = ctx.outliveClient();
    Object.assign(ctx.exchange, { gone: true });
    ctx.gone();
    assert.equal(signal.aborted, false);
    ctx.recordValue("abc");
    ctx.settle();
    assert.deepEqual([ctx.isReady, ctx.recorded().body, it.completions.length], [true, "abc", 0]);
    ctx.commit();
    assert.deepEqual(
      [out.whole, outcome(it)],
      [[], [{ status: 499, bytes: 0, aborted: true, headers: plain, body: "abc" }]],
    );
    const forced = responding();
    forced.ctx.outliveClient().leave();
    assert.equal(forced.completions.length, 1);
  });

  test("after the end: nothing is aborted any more", () => {
    const it = responding();
    const { signal } = it.ctx;
    it.ctx.text("abc").settle();
    it.ctx.commit();
    it.ctx.delivered(3, false);
    it.ctx.gone();
    assert.deepEqual([signal.aborted, it.completions.length, it.ctx.statusCode], [false, 1, 200]);
  });

  test("after the head: the status stays, and the request is aborted", () => {
    const it = responding();
    it.ctx.text("abc").settle();
    it.ctx.commit();
    it.ctx.gone();
    assert.deepEqual(outcome(it), [{ status: 200, bytes: 0, aborted: true, headers: plain, body: "abc" }]);
  });

  test("is noticed after the request is armed, once, and not after its end", () => {
    const { ctx, out } = responding();
    ctx.arm();
    ctx.arm();
    void ctx.signal;
    assert.deepEqual([out.armed, out.watched], [1, 1]);
    const over = responding();
    over.ctx.gone();
    over.ctx.arm();
    assert.equal(over.out.armed, 0);
  });
});

describe("a request that breaks off", () => {
  const error = new BadRequestError("cut");
  const hearing = (it: ReturnType<typeof responding>): string[] => {
    const heard: string[] = [];
    it.ctx.arm((broken) => {
      heard.push(broken.message);
      it.ctx.discard([]);
      it.ctx.status(400).recordEmpty();
      it.ctx.commit();
    });
    it.ctx.arm(() => void heard.push("another"));
    return heard;
  };

  test("gets that error as its response, and the result of its chain is ignored", () => {
    for (const record of [false, true]) {
      const it = responding();
      const heard = hearing(it);
      const { signal } = it.ctx;
      if (record) it.ctx.text("half");
      it.ctx.broken(error);
      it.ctx.broken(error);
      assert.deepEqual([heard, it.out.whole, signal.aborted], [["cut"], [[400, [], undefined]], true]);
      assert.deepEqual([it.ctx.settle(), it.ctx.isReady, it.ctx.fail(new Error("x"), false)], [false, false, "report"]);
      it.ctx.delivered(0, false);
      assert.deepEqual(outcome(it), [
        { status: 400, bytes: 0, aborted: false, headers: [], body: undefined, error: String(error) },
      ]);
    }
  });

  test("aborts its signal, also one that is requested later", () => {
    const it = responding();
    hearing(it);
    it.ctx.broken(error);
    assert.equal(it.ctx.signal.aborted, true);
  });

  test("gets that error as its response while another is being mapped, and without being armed", () => {
    const it = responding();
    const heard = hearing(it);
    it.ctx.fail(new Error("mapped"), false);
    it.ctx.broken(error);
    assert.deepEqual([heard, it.out.whole], [["cut"], [[400, [], undefined]]]);
    const unheard = responding();
    unheard.ctx.arm();
    unheard.ctx.broken(error);
    assert.deepEqual([unheard.ctx.isReady, unheard.ctx.signal.aborted], [true, true]);
  });

  test("is cut when its response is under way, and does not change a decided one", () => {
    const events = responding();
    const heard = hearing(events);
    events.ctx.sse();
    events.ctx.broken(error);
    assert.deepEqual([heard, events.out.cut, events.completions[0]?.aborted], [[], 1, true]);
    const whole = responding();
    whole.ctx.text("x").settle();
    whole.ctx.commit();
    whole.ctx.broken(error);
    assert.deepEqual([whole.out.cut, whole.completions.length], [1, 1]);
    const ready = responding();
    const unheard = hearing(ready);
    ready.ctx.text("x").settle();
    ready.ctx.broken(error);
    assert.deepEqual([unheard, ready.ctx.isReady, ready.ctx.signal.aborted], [[], true, false]);
  });
});

describe("a response hook", () => {
  const ready = (): ReturnType<typeof responding> => {
    const it = responding();
    it.ctx.setHeader("X-A", 1).text("abc").settle();
    return it;
  };

  test("replaces status, head and body separately", () => {
    const it = ready();
    const { ctx, out } = it;
    ctx.replace({ ...ctx.recorded(), status: 202 });
    ctx.replace({ ...ctx.recorded(), headers: ["X-B", "2", "Content-Length", "9"] });
    ctx.replace({ ...ctx.recorded(), body: "d" });
    ctx.commit();
    const stream = responding();
    stream.ctx.setHeader("Content-Length", 3).send(pieces("abc")).settle();
    stream.ctx.replace({ ...stream.ctx.recorded(), status: 206 });
    stream.ctx.commit();
    assert.deepEqual(stream.out.opened, [
      [206, ["Content-Length", "3", "Content-Type", "application/octet-stream"], false],
    ]);
    assert.deepEqual(out.whole, [[202, ["X-B", "2"], "d"]]);
  });

  test("causes an error when it returns an invalid response", () => {
    const odd: readonly (readonly [object, object])[] = [
      [{ status: 99 }, { name: "RangeError", message: "99 is no final HTTP status" }],
      [{ headers: ["X-A"] }, { message: "a response hook takes a flat list of header names and values, not object" }],
      [{ headers: "X-A: 1" }, { message: "a response hook takes a flat list of header names and values, not string" }],
      [{ headers: ["X A", "1"] }, { code: "HEADER_INVALID" }],
      [{ headers: ["X-A", "1", "X-B", "a\nb"] }, { code: "HEADER_INVALID" }],
      [{ body: 7 }, { message: "a response hook takes text, bytes, a stream or undefined as its body, not number" }],
      [{ body: null }, { message: "a response hook takes text, bytes, a stream or undefined as its body, not null" }],
    ];
    for (const [change, error] of odd) {
      const { ctx } = ready();
      assert.throws(() => ctx.replace({ ...ctx.recorded(), ...change }), error);
    }
    const { ctx } = ready();
    for (const body of [undefined, new Uint8Array([1]), "x"]) {
      ctx.replace({ ...ctx.recorded(), body });
      assert.equal(ctx.recorded().body, body);
    }
  });

  test("drops the Content-Length of the replaced body, and keeps one that it sets", async () => {
    const kept = responding();
    kept.ctx.setHeader("Content-Length", 3).send(pieces("abc")).settle();
    kept.ctx.replace({ ...kept.ctx.recorded(), body: pieces("ab") });
    kept.ctx.commit();
    const set = responding();
    set.ctx.send(pieces("abc")).settle();
    set.ctx.replace({ status: 200, headers: ["Content-Length", "2"], body: pieces("ab") });
    set.ctx.commit();
    const none = responding();
    none.ctx.setHeader("Content-Length", 3).send(pieces("abc")).settle();
    none.ctx.replace({ status: 200, headers: [], body: pieces("ab") });
    none.ctx.commit();
    await turns();
    assert.deepEqual([kept.reported, set.reported, none.reported, none.out.opened], [[], [], [], [[200, [], false]]]);
    assert.deepEqual(
      [kept.out.opened, kept.out.ended, set.out.opened, set.out.ended],
      [[[200, ["Content-Type", "application/octet-stream"], false]], 1, [[200, ["Content-Length", "2"], false]], 1],
    );
  });

  test("has its stream and the replaced one dismissed when the client has left", async () => {
    const dismissed: string[] = [];
    const source = (name: string): AsyncIterable<string> => ({
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => undefined),
        return: async () => (dismissed.push(name), { done: true, value: undefined }),
      }),
    });
    const { ctx } = responding();
    ctx.send(source("first")).settle();
    ctx.replace({ ...ctx.recorded(), body: "text" });
    assert.deepEqual(dismissed, ["first"]);
    ctx.gone();
    ctx.replace({ ...ctx.recorded(), body: source("late") });
    ctx.replace({ ...ctx.recorded(), body: "late" });
    assert.deepEqual([dismissed, ctx.recorded().body], [["first", "late"], "text"]);
    const over = responding();
    over.ctx.gone();
    over.ctx.send(source("over"));
    assert.deepEqual(dismissed, ["first", "late", "over"]);
  });
});

describe("a streamed response", () => {
  test("sends its head, then its pieces, counts them, and notifies the listeners", async () => {
    const it = responding();
    const { ctx, out } = it;
    const heard: unknown[] = [];
    ctx.onChunk((chunk) => void heard.push(chunk));
    ctx.onChunk(() => {
      throw new Error("watcher");
    });
    ctx.onChunk((chunk) => void heard.push([chunk]));
    ctx.vary("A").setHeader("Content-Length", 4).send(pieces("é", "bc")).setHeader("Vary", "B");
    ctx.settle();
    ctx.commit();
    assert.deepEqual([out.armed, out.watched > 0, ctx.committed, ctx.isOver], [1, true, true, false]);
    await turns();
    const head = ["Vary", "B, A", "Content-Length", "4", "Content-Type", "application/octet-stream"];
    assert.deepEqual([out.opened, out.pieces, out.ended], [[[200, head, false]], ["é", "bc"], 1]);
    assert.deepEqual(heard, ["é", ["é"], "bc", ["bc"]]);
    assert.deepEqual(outcome(it), [{ status: 200, bytes: 4, aborted: false, headers: head, body: undefined }]);
  });

  test("is cut and its failure reported when it fails or breaks its Content-Length", async () => {
    const torn = async function* (): AsyncGenerator<string> {
      yield "a";
      throw new Error("torn");
    };
    const had = (bytes: string): string =>
      `RangeError: Content-Length promised 2 bytes and the stream had ${bytes}: leave the header to the framework`;
    const cases = [
      [torn(), "Error: torn"],
      [pieces("a"), had("1")],
      [pieces("a", "bc"), had("at least 3")],
    ] as const;
    for (const [body, error] of cases) {
      const it = responding();
      it.ctx.setHeader("Content-Length", 2).send(body).settle();
      it.ctx.commit();
      await turns();
      assert.deepEqual(it.reported, [["GET /a failed while its response was streamed", error]]);
      assert.deepEqual([it.out.cut, it.out.ended], [1, 0]);
      assert.deepEqual([it.completions[0]?.aborted, String(it.completions[0]?.error)], [true, error]);
    }
  });

  test("leaves out an invalid Content-Length and reports it", async () => {
    const it = responding();
    it.ctx.setRoute("/{id}");
    it.ctx.setHeader("Content-Length", "4 bytes").send(pieces("abc")).settle();
    it.ctx.commit();
    await turns();
    const what = "GET /{id} left out the header Content-Length";
    assert.deepEqual(it.reported, [[what, 'RangeError: "4 bytes" is not a number of bytes']]);
    assert.deepEqual(it.out.opened, [[200, ["Content-Type", "application/octet-stream"], false]]);
    assert.deepEqual([it.out.pieces, it.out.ended], [["abc"], 1]);
  });

  test("needs no Content-Length and no engine that must be asked to watch", async () => {
    const it = responding({ watch: undefined as never });
    it.ctx.setHeader("Content-Length", 9).text("half");
    it.ctx.discard([]);
    it.ctx.send(pieces("abc")).settle();
    it.ctx.commit();
    await turns();
    assert.deepEqual(it.out.opened, [[200, ["Content-Type", "application/octet-stream"], false]]);
    assert.deepEqual([it.out.pieces, it.out.ended, it.reported, it.ctx.signal.aborted], [["abc"], 1, [], false]);
    const other = responding();
    other.ctx.send(pieces("abc")).settle();
    other.ctx.commit();
    await turns();
    assert.deepEqual([other.out.opened, other.out.ended, other.reported], [it.out.opened, 1, []]);
  });

  test("sends only its head for HEAD, with the length that it would have", () => {
    const it = responding({ method: "HEAD" });
    it.ctx.setHeader("Content-Length", 9).send(pieces("abc")).settle();
    it.ctx.commit();
    const head = ["Content-Length", "9", "Content-Type", "application/octet-stream"];
    assert.deepEqual([it.out.opened, it.out.pieces, it.out.ended], [[[200, head, true]], [], 1]);
    assert.deepEqual(outcome(it), [{ status: 200, bytes: 0, aborted: false, headers: head, body: undefined }]);
  });

  test("is whole when the network has all promised bytes, even if the client leaves before the stream ends", async () => {
    for (const [length, isOut, aborted] of [
      [3, true, false],
      [4, true, true],
      [3, false, true],
    ] as const) {
      let waiting: () => void = () => undefined;
      const body = (async function* () {
        yield "abc";
        await new Promise<void>((resolve) => (waiting = resolve));
      })();
      const sink = { write: () => true, bufferedBytes: 0, isOut, drained: async () => undefined, end: () => undefined };
      const it = responding({ open: () => sink });
      it.ctx.setHeader("Content-Length", length).send(body).settle();
      it.ctx.commit();
      await turns();
      it.ctx.gone();
      waiting();
      assert.equal(it.completions[0]?.aborted, aborted, `${length} ${isOut}`);
    }
  });

  test("is dismissed when its status has no content", () => {
    let dismissed = 0;
    const it = responding();
    const source = {
      next: () => new Promise<never>(() => undefined),
      return: async () => ((dismissed += 1), { done: true as const, value: undefined }),
    };
    it.ctx
      .status(204)
      .send({ [Symbol.asyncIterator]: () => source })
      .settle();
    it.ctx.commit();
    assert.deepEqual([dismissed, it.out.whole], [1, [[204, ["Content-Type", "application/octet-stream"], undefined]]]);
  });

  test("of events knows the client's last event id, and is sent to its end or cut", async () => {
    const header = (name: string): string | undefined => (name === "last-event-id" ? "7" : undefined);
    const open = responding({ header });
    const events = open.ctx.sse();
    assert.deepEqual([events.lastEventId, open.ctx.committed, open.ctx.isOver], ["7", true, false]);
    events.close();
    assert.deepEqual([open.out.ended, open.ctx.isOver], [1, true]);
    const whole = responding();
    whole.ctx.sse(pieces("a", "b")).settle();
    whole.ctx.commit();
    const torn = responding();
    const failing = (async function* () {
      yield "a";
      throw new Error("torn");
    })();
    torn.ctx.sse(failing).settle();
    torn.ctx.commit();
    await turns();
    assert.deepEqual([whole.out.pieces, whole.out.ended], [["data: a\n\n", "data: b\n\n"], 1]);
    assert.deepEqual(torn.reported, [["GET /a failed while its response was streamed", "Error: torn"]]);
    assert.deepEqual([torn.out.cut, torn.completions[0]?.aborted], [1, true]);
    const head = responding({ method: "HEAD" });
    head.ctx.sse();
    assert.deepEqual([head.out.ended, head.ctx.isOver, head.completions[0]?.aborted], [1, true, false]);
    const left = responding();
    left.ctx.gone();
    left.ctx.sse();
    await turns();
    assert.deepEqual([left.ctx.isOver, left.completions.length], [true, 1]);
    assert.deepEqual([open.reported, head.reported, open.out.cut], [[], [], 0]);
  });

  test("of events may be the response to an error, and a later error of its chain is only reported", () => {
    const { ctx } = responding();
    ctx.fail(new Error("no"), false);
    ctx.discard([]);
    ctx.sse();
    assert.deepEqual([ctx.committed, ctx.fail(new Error("late"), false)], [true, "report"]);
  });

  test("of events ends with the app and has no Content-Length", async () => {
    const it = responding();
    it.ctx
      .setHeader("Content-Length", 3)
      .sse({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) });
    it.ctx.settle();
    it.ctx.commit();
    assert.equal(it.streams.size, 1);
    for (const stop of it.streams) stop();
    await turns();
    const head = ["Content-Type", "text/event-stream", "Cache-Control", "no-store", "X-Accel-Buffering", "no"];
    assert.deepEqual([it.out.opened, it.out.ended, it.streams.size], [[[200, head, false]], 1, 0]);
    assert.deepEqual([it.completions.length, it.ctx.signal.aborted], [1, true]);
  });
});

describe("a host behind the app", () => {
  test("takes the request if it waits for it, and reports its end", () => {
    const passed: unknown[] = [];
    const it = responding({ pass: (head) => (passed.push(head), true) });
    it.ctx.setHeader("X-A", 1);
    it.ctx.fail(new Error("404"), true);
    assert.deepEqual([it.ctx.handOver(), passed], [true, [["X-A", "1"]]]);
    assert.deepEqual([it.ctx.committed, it.ctx.isOver, it.ctx.handOver()], [true, false, false]);
    it.ctx.delivered(7, false, 203);
    assert.deepEqual(outcome(it), [{ status: 203, bytes: 7, aborted: false, headers: ["X-A", "1"], body: undefined }]);
  });

  test("is absent when there is none, or it does not wait", () => {
    for (const engine of [{}, { pass: () => false }]) {
      const { ctx } = responding(engine);
      assert.deepEqual([ctx.handOver(), ctx.committed], [false, false]);
    }
    const over = responding({ pass: () => (over.ctx.gone(), true) });
    assert.deepEqual([over.ctx.handOver(), over.ctx.committed, over.ctx.isOver], [true, false, true]);
  });
});

describe("a connection that leaves HTTP", () => {
  /** A request with a connection that can be taken, and how often its engine was notified of its end. */
  function upgrading(engine: Partial<Exchange> = {}): ReturnType<typeof responding> & { readonly over: () => number } {
    let over = 0;
    const raw = { request: {}, socket: {}, head: new Uint8Array(), over: () => void (over += 1) };
    return { ...responding({ upgrade: (take) => take(raw), ...engine }), over: () => over };
  }

  test("is handed over after the chain has settled, with the headers that do not describe content", () => {
    const it = upgrading();
    let taken: UpgradedConnection | undefined;
    it.ctx.setHeader("X-A", 1).setHeader("Content-Language", "de");
    assert.equal(it.ctx.upgrade((connection) => (taken = connection)).statusCode, 101);
    assert.deepEqual([it.ctx.responded, taken], [true, undefined]);
    assert.throws(() => it.ctx.text("x"), twice);
    it.ctx.settle();
    it.ctx.commit();
    assert.ok(taken !== undefined);
    assert.deepEqual([taken.headers, it.out.whole, it.out.armed], [["X-A", "1"], [], 1]);
    assert.equal(
      taken.run("work", () => 7),
      7,
    );
    const { signal } = it.ctx;
    taken.onStop(() => undefined);
    assert.deepEqual([it.streams.size, signal.aborted, it.ctx.isOver], [1, false, false]);
    taken.closed();
    assert.deepEqual([signal.aborted, it.ctx.isOver], [true, false]);
    taken.over(3, false);
    assert.deepEqual([it.streams.size, it.over(), it.ctx.isOver], [0, 1, true]);
    assert.deepEqual(
      [it.completions[0]?.status, it.completions[0]?.bytes, it.completions[0]?.aborted],
      [101, 3, false],
    );
  });

  test("is not handed over when an error has replaced it, or its client has left", () => {
    let taken = 0;
    const failed = upgrading();
    failed.ctx.upgrade(() => void (taken += 1));
    failed.ctx.fail(new Error("no"), false);
    failed.ctx.discard([]);
    failed.ctx.status(403).recordEmpty();
    failed.ctx.commit();
    const left = upgrading({ gone: true });
    left.ctx.upgrade(() => void (taken += 1));
    left.ctx.settle();
    left.ctx.commit();
    assert.deepEqual([taken, failed.out.whole, left.ctx.statusCode], [0, [[403, [], undefined]], 499]);
  });

  test("is cut when its protocol throws, and is an error when no connection can be taken", () => {
    const it = upgrading();
    it.ctx.upgrade(() => {
      throw new Error("taker");
    });
    it.ctx.settle();
    it.ctx.commit();
    assert.deepEqual(it.reported, [["what takes an upgraded connection failed", "Error: taker"]]);
    assert.deepEqual([it.out.cut, it.over(), it.completions[0]?.aborted], [1, 1, true]);
    const none = responding();
    none.ctx.upgrade(() => undefined);
    none.ctx.settle();
    assert.throws(() => none.ctx.commit(), { message: /^this connection cannot leave HTTP/ });
  });

  test("aborts its signal when it is over, unlike other requests", () => {
    for (const [status, isAborted] of [
      [101, true],
      [200, false],
    ] as const) {
      const it = responding();
      const { signal } = it.ctx;
      it.ctx.text("x").settle();
      it.ctx.commit();
      it.ctx.delivered(0, false, status);
      assert.deepEqual([signal.aborted, it.completions[0]?.status], [isAborted, status]);
    }
  });
});

describe("completionOf", () => {
  test("reports the duration of the request, and only a body that was sent whole", () => {
    const ended = { status: 200, headers: [], startedAt: -1e6, error: undefined };
    for (const body of ["x", new Uint8Array(1), undefined]) {
      const { durationMs, body: told } = completionOf({ ...ended, body }, 1, false);
      assert.ok(durationMs > 1e6, `${durationMs} ms`);
      assert.equal(told, body);
    }
    assert.equal(completionOf({ ...ended, body: pieces("x") }, 1, false).body, undefined);
  });

  test("reports a listener that rejects", async () => {
    const { ctx, reported } = responding();
    ctx.onComplete(() => Promise.reject(new Error("late")));
    ctx.gone();
    await turns();
    assert.deepEqual(reported, [["an onComplete listener", "Error: late"]]);
  });
});

describe("the checks of a response", () => {
  test("a Content-Length is decimal digits, and a status is final", () => {
    const lengths = ["0", "5", "12", "007", "9007199254740991", "9007199254740992", "", "5 ", "a5", "5a", "1.5", "-1"];
    assert.deepEqual(lengths.map(lengthOf), [
      0,
      5,
      12,
      7,
      9_007_199_254_740_991,
      ...Array<undefined>(7).fill(undefined),
    ]);
    assert.deepEqual([200, 599].map(checkedStatus), [200, 599]);
    for (const status of [101, 199, 600, 200.5, Number.NaN])
      assert.throws(() => checkedStatus(status), { name: "RangeError", message: `${status} is no final HTTP status` });
  });

  test("an error names its request", () => {
    const { ctx } = responding();
    assert.equal(respondedTwice(ctx).message, "GET /a got a second response: a request gets exactly one");
    ctx.setRoute("/{id}");
    assert.equal(
      respondedAlready(ctx).message,
      "GET /{id} has its response already: await or return whatever still uses ctx",
    );
    const { name, message } = usedBody("the Response");
    const sentence = "the Response was read already, so nothing is left to send: send a clone() or a new one";
    assert.deepEqual([name, message], ["TypeError", sentence]);
  });
});

describe("the ways to respond", () => {
  const bytes = new Uint8Array([1]);
  const stream = ["Content-Type", "application/octet-stream"];
  const ways: Readonly<
    Record<string, readonly [(ctx: RequestContext) => unknown, number, readonly string[], unknown]>
  > = {
    text: [(ctx) => ctx.text("x"), 200, plain, "x"],
    html: [(ctx) => ctx.html("x"), 200, ["Content-Type", "text/html; charset=utf-8"], "x"],
    json: [(ctx) => ctx.json([1]), 200, ["Content-Type", "application/json"], "[1]"],
    reply: [(ctx) => ctx.reply(201, { a: 1 }), 201, ["Content-Type", "application/json"], '{"a":1}'],
    "reply without content": [(ctx) => ctx.reply(204), 204, [], undefined],
    "reply with null": [(ctx) => ctx.reply(200, null), 200, ["Content-Type", "application/json"], "null"],
    send: [(ctx) => ctx.send(bytes), 200, stream, bytes],
    redirect: [(ctx) => ctx.redirect("/b"), 302, ["Location", "/b"], undefined],
    "redirect with a status": [(ctx) => ctx.redirect("/b", 308), 308, ["Location", "/b"], undefined],
    download: [
      (ctx) => ctx.download(bytes, "a.txt"),
      ...([200, [...stream, "Content-Disposition", 'attachment; filename="a.txt"'], bytes] as const),
    ],
    "a cookie that goes": [
      (ctx) => ctx.deleteCookie("a").setCookie("b", "1").recordEmpty(),
      200,
      [
        "Set-Cookie",
        "a=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Secure; HttpOnly; SameSite=Lax",
        "Set-Cookie",
        "b=1; Path=/; Secure; HttpOnly; SameSite=Lax",
      ],
      undefined,
    ],
    "a returned text": [(ctx) => ctx.recordValue("x"), 200, plain, "x"],
    "a returned object": [(ctx) => ctx.recordValue({ a: 1 }), 200, ["Content-Type", "application/json"], '{"a":1}'],
    "a returned number": [(ctx) => ctx.recordValue(7), 200, ["Content-Type", "application/json"], "7"],
    "returned bytes": [(ctx) => ctx.recordValue(bytes), 200, stream, bytes],
    "the context, returned": [(ctx) => ctx.recordValue(ctx.text("x")), 200, plain, "x"],
    "nothing, returned": [(ctx) => ctx.recordValue(undefined), 200, [], undefined],
  };
  for (const [way, [respond, status, headers, body]] of Object.entries(ways))
    test(`CTX-005: ${way}`, () => {
      const { ctx } = responding();
      respond(ctx);
      assert.deepEqual(ctx.recorded(), { status, headers, body });
    });

  test("CTX-005: a returned stream and a web Response", () => {
    const body = pieces("x");
    const { ctx } = responding();
    ctx.recordValue(body);
    assert.deepEqual(ctx.recorded(), { status: 200, headers: stream, body });
    const web = responding().ctx;
    web.recordValue(new Response(null, { status: 404, headers: { "x-a": "1" } }));
    assert.deepEqual(web.recorded(), { status: 404, headers: ["x-a", "1"], body: undefined });
    assert.throws(() => web.recordValue(new Response("x")), twice);
  });

  test("ERR-021: a returned error is thrown", () => {
    for (const error of [new HttpError(409), new RangeError("x")])
      assert.throws(
        () => responding().ctx.recordValue(error),
        (thrown) => thrown === error,
      );
  });

  const locked = new ReadableStream<Uint8Array>();
  locked.getReader();
  const used =
    "the stream that ctx.send() got was read already, so nothing is left to send: send a clone() or a new one";
  const odd: readonly (readonly [(ctx: RequestContext) => unknown, string])[] = [
    [(ctx) => ctx.text(7 as never), "ctx.text() takes a string, not number"],
    [(ctx) => ctx.html(null as never), "ctx.html() takes a string, not null"],
    [(ctx) => ctx.send("x" as never), "ctx.send() takes bytes or a stream, not string"],
    [(ctx) => ctx.send(locked), used],
    [(ctx) => ctx.redirect("/", 300), "300 is no redirect: use 301, 302, 303, 307 or 308"],
    [(ctx) => ctx.redirect("/", 304), "304 is no redirect: use 301, 302, 303, 307 or 308"],
  ];
  for (const [respond, message] of odd)
    test(`reject an invalid response: ${message}`, () => {
      const { ctx } = responding();
      assert.throws(() => respond(ctx), { message });
      assert.deepEqual(ctx.recorded(), { status: 200, headers: [], body: undefined });
    });

  test("dismiss a value that is returned too late, and record nothing", async () => {
    const closed: string[] = [];
    const body = (name: string): ReadableStream<Uint8Array> =>
      new ReadableStream({ cancel: () => void closed.push(name) });
    for (const late of [responding({ gone: true }), responding()]) {
      if (!late.ctx.exchange.gone) late.ctx.sse();
      late.ctx.recordValue(body("stream"));
      late.ctx.recordValue(new Response(body("web")));
      late.ctx.recordValue(new Response(null));
      late.ctx.recordValue("text");
      assert.equal(late.ctx.recorded().body, undefined);
    }
    await turns();
    assert.deepEqual(closed, ["stream", "web", "stream", "web"]);
  });

  test("of events keep the app's own Cache-Control", () => {
    const { ctx, out } = responding();
    ctx.setHeader("cache-control", "no-cache").sse().close();
    const head = ["cache-control", "no-cache", "Content-Type", "text/event-stream", "X-Accel-Buffering", "no"];
    assert.deepEqual(out.opened, [[200, head, false]]);
  });
});

describe("a context", () => {
  test("hands over the hooks once: the shared ones, then its own, the last one first", () => {
    const [shared, first, last] = [(): undefined => undefined, (): undefined => undefined, (): undefined => undefined];
    const hooksOf = (own: readonly (() => undefined)[], isShared: boolean): unknown => {
      const { ctx } = responding();
      if (isShared) ctx.target = { ...unrouted, responseHooks: [shared] };
      for (const hook of own) ctx.onResponse(hook);
      ctx.settle();
      const hooks = ctx.takeHooks();
      assert.equal(ctx.takeHooks(), undefined);
      assert.throws(() => ctx.onResponse(first), sent);
      return hooks;
    };
    assert.deepEqual(
      [hooksOf([], false), hooksOf([], true), hooksOf([first, last], false), hooksOf([first, last], true)],
      [undefined, [shared], [last, first], [shared, last, first]],
    );
    const { ctx } = responding();
    ctx.sse();
    assert.throws(() => ctx.onResponse(first), sent);
  });

  test("keeps one log, has no annotations without a listener, and no bean without a container", () => {
    const { ctx } = responding();
    assert.equal(typeof ctx.log.info, "function");
    assert.equal(ctx.log, ctx.log);
    assert.equal(ctx.annotations, undefined);
    assert.throws(() => ctx.get(Map), /beans/);
    assert.equal(ctx.attribute("a", 1).attribute("b", 2).attribute("a", 3).attribute("a"), 3);
    assert.deepEqual([ctx.attribute("b"), ctx.attribute("c")], [2, undefined]);
  });
});
