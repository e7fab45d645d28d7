/** A request between the engine and its response: limits, failures, the sent response and the reports (ERR, LIFE). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { Readable } from "node:stream";
import { describe, test } from "node:test";
import {
  ClientGoneError,
  type Context,
  type Framework,
  type FrameworkOptions,
  type Middleware,
  type RecordedResponse,
} from "../index.ts";
import type { Delivery, EngineHandler, Exchange, GoneListener, RejectedRequest } from "../http/exchange.ts";
import { HttpError } from "../internal/errors.ts";
import { created, until } from "../testing/harness.testkit.ts";

/** The engine's calls for one request, in order. */
type Told = readonly [what: string, ...facts: unknown[]];

/** An app on an engine without a socket. */
interface Dispatching {
  readonly errors: { line: string; error: unknown }[];
  readonly warnings: string[];
  readonly rejections: RejectedRequest[];
  /** Passes a request on. Returns the engine's calls, and the engine's own functions. */
  readonly handler: EngineHandler;
  ask(exchange?: Partial<Exchange>): { readonly told: Told[]; leave(): void; breakOff(error: HttpError): void };
}

/** Collects rejected requests. */
const telling = (rejections: RejectedRequest[]): Middleware => ({
  installed: (app) => app.onRejected((rejected) => void rejections.push(rejected)),
  handle: (_, next) => next(),
});

async function dispatching(define: (app: Framework) => unknown, options: FrameworkOptions = {}): Promise<Dispatching> {
  const { app, errors, warnings } = created(options);
  const rejections: RejectedRequest[] = [];
  // In a separate group, so that a handler has no middleware before it.
  define(app.group("/told", (group) => void group.use(telling(rejections))));
  let handler: EngineHandler | undefined;
  await app.start(0, {
    name: "none",
    start: async (_, given) => ((handler = given), { port: 1, stop: async () => undefined }),
  });
  const ask = (given: Partial<Exchange> = {}): ReturnType<Dispatching["ask"]> => {
    const told: Told[] = [];
    let listener: GoneListener | undefined;
    const exchange = {
      method: "GET",
      target: "/",
      peer: "::ffff:10.0.0.9",
      httpVersion: "1.1",
      secure: false,
      platform: [],
      headerCount: 0,
      headerBytes: 0,
      gone: false,
      header: () => undefined,
      headers: () => [],
      read: async () => new Uint8Array(),
      stream: () => new ReadableStream(),
      onGone: (one: GoneListener) => void ((listener = one), told.push(["watched"])),
      respond(status: number, head: string[], body: string | undefined, delivery: Delivery) {
        told.push(["respond", status, head, body]);
        delivery.delivered(Buffer.byteLength(body ?? ""), false);
      },
      open(status: number) {
        told.push(["open", status]);
        return { write: () => true, bufferedBytes: 0, drained: async () => undefined, end: () => undefined };
      },
      cut: () => void told.push(["cut"]),
      ...given,
    };
    handler?.handle(exchange);
    return {
      told,
      leave() {
        exchange.gone = true;
        listener?.gone();
      },
      breakOff: (error) => listener?.broken(error),
    };
  };
  assert.ok(handler !== undefined);
  return { errors, warnings, rejections, handler, ask };
}

const json = (status: number, title: string, detail?: string): Told => [
  "respond",
  status,
  ["Content-Type", "application/problem+json"],
  JSON.stringify({ type: "about:blank", title, status, ...(detail === undefined ? {} : { detail }) }),
];
const text = (body: string): Told => ["respond", 200, ["Content-Type", "text/plain; charset=utf-8"], body];
const failing = (error: unknown) => (): never => {
  throw error;
};
const rejecting = (error: unknown) => async (): Promise<never> => {
  throw error;
};
/** A promise and its resolve function. */
function gate<T>(): { readonly opened: Promise<T>; open(value: T): void; fail(error: unknown): void } {
  let open: (value: T) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const opened = new Promise<T>((resolve, reject) => ((open = resolve), (fail = reject)));
  return { opened, open: (value) => open(value), fail: (error) => fail(error) };
}
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe("a request past a limit", () => {
  const limits = { headerBytes: 2_000, headerCount: 5, urlBytes: 100 };
  const target = (length: number): string => `/${"a".repeat(length - 1)}`;
  const cases: Readonly<Record<string, readonly [Partial<Exchange>, status: number | undefined]>> = {
    "headers of exactly that many bytes": [{ headerBytes: 2_000 }, undefined],
    "headers of more bytes": [{ headerBytes: 2_001 }, 431],
    "exactly that many headers": [{ headerCount: 5 }, undefined],
    "more headers": [{ headerCount: 6 }, 431],
    "a target of exactly that many bytes": [{ target: target(100) }, undefined],
    "a longer target": [{ target: target(101) }, 414],
  };
  for (const [what, [exchange, status]] of Object.entries(cases))
    test(`ERR-012: ${what}: ${status ?? "handled"}`, async () => {
      const { ask, rejections } = await dispatching(
        (app) => app.any("/", () => "handled").any("/*rest", () => "handled"),
        { limits },
      );
      const { told } = ask(exchange);
      if (status === undefined) assert.deepEqual([told, rejections], [[text("handled")], []]);
      else assert.deepEqual([told[0]?.[1], rejections.map((one) => one.status)], [status, [status]]);
    });

  test("is reported with the sent response, its client and its scheme", async () => {
    const { ask, rejections } = await dispatching((app) => app, { limits });
    const body = '{"type":"about:blank","title":"URI Too Long","status":414}';
    const head = ["Content-Type", "application/problem+json", "Connection", "close"];
    assert.deepEqual(ask({ target: target(101), secure: true }).told, [["respond", 414, head, body]]);
    ask({ target: target(101) });
    const facts = rejections.map(({ durationMs, ...others }) => ({
      ...others,
      isTimed: durationMs >= 0 && durationMs < 5_000,
    }));
    const common = { status: 414, bytes: body.length, remoteAddress: "10.0.0.9", isTimed: true };
    assert.deepEqual(facts, [
      { ...common, scheme: "https" },
      { ...common, scheme: "http" },
    ]);
  });

  test("is reported as the engine reports it", async () => {
    const { handler, rejections } = await dispatching((app) => app);
    const rejected = { status: 408, bytes: 3, durationMs: 1, remoteAddress: "10.0.0.9" };
    handler.rejected(rejected);
    assert.deepEqual(rejections, [rejected]);
  });

  test("is 499 without a body when its client has left", async () => {
    const { ask, rejections } = await dispatching((app) => app, { limits });
    const { told } = ask({ target: target(101), gone: true });
    assert.deepEqual([told, rejections.map(({ status, bytes }) => [status, bytes])], [[], [[499, 0]]]);
  });

  test("asks for the end of its response, because the log needs it", async () => {
    const { ask } = await dispatching((app) => app, { limits });
    const watched: boolean[] = [];
    ask({ target: target(101), respond: (_s, _h, _b, { isWatched }) => void watched.push(isWatched) });
    assert.deepEqual(watched, [true]);
  });
});

describe("a request outside of the context path", () => {
  for (const [path, status] of Object.entries({
    "/shop": 200,
    "/shop/": 200,
    "/shop/a": 200,
    "/shopping": 404,
    "/": 404,
  }))
    test(`${path} is ${status}`, async () => {
      const { ask } = await dispatching((app) => app.get("/*rest", () => "in").get("/", () => "in"), {
        contextPath: "/shop",
      });
      assert.equal(ask({ target: path }).told[0]?.[1], status);
    });
});

describe("ctx.path", () => {
  test("is decoded once, raw when it cannot be decoded, and empty outside the context path", async () => {
    const paths: string[] = [];
    const { ask } = await dispatching(
      (app) => app.use((ctx, next) => (paths.push(ctx.path), next())).get("/*rest", () => ""),
      { contextPath: "/shop" },
    );
    for (const path of ["/caf%C3%A9", "/a%2Fb", "/a%252Fb", "/%zz", "/a/.."]) ask({ target: `/shop${path}` });
    ask({ target: "/other" });
    assert.deepEqual(paths, ["/café", "/a%2Fb", "/a%2Fb", "/%zz", "/a/..", ""]);
  });

  test("an encoded slash never reaches a handler past the middleware of the plain path", async () => {
    const { ask } = await dispatching((app) =>
      app.get("/a/b", { use: [(_, next) => next()] }, () => "guarded").get("/{x}", () => "passed"),
    );
    assert.deepEqual(
      ["/a/b", "/a%2Fb", "/ab"].map((target) => ask({ target }).told[0]?.[1]),
      [200, 404, 200],
    );
  });
});

describe("a request that HTTP rejects", () => {
  test("ROUTE-014: is 400 even if its path has a route", async () => {
    const { ask } = await dispatching((app) => app.get("/", () => "handled"));
    assert.equal(ask({ flaw: 400 }).told[0]?.[1], 400);
  });
});

describe("a handler that fails", () => {
  const mapped = json(500, "Internal Server Error");
  for (const [how, make] of Object.entries({ throws: failing, rejects: rejecting }))
    test(`ERR-002: ${how}: a 500, logged once`, async () => {
      const error = new Error("no");
      const { ask, errors } = await dispatching((app) => app.get("/", make(error)));
      const { told } = ask();
      await until(() => told.some(([what]) => what === "respond"));
      assert.deepEqual(
        [told.filter(([what]) => what === "respond"), errors.map((one) => one.error)],
        [[mapped], [error]],
      );
    });

  test("ERR-002: with an uninspectable value gives a 500, logged as such", async () => {
    const proxy = new Proxy({}, { getPrototypeOf: failing(new Error("trap")), get: failing(new Error("trap")) });
    const { ask, errors } = await dispatching((app) => app.get("/", failing(proxy)));
    assert.deepEqual(ask().told, [mapped]);
    assert.deepEqual(
      errors.map(({ error }) => String(error)),
      ["TypeError: what was thrown cannot be looked at: looking at it throws"],
    );
  });

  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const untouchable: Readonly<Record<string, object>> = {
    "a proxy that was revoked": revoked.proxy,
    "a getter of then that throws": Object.defineProperty({}, "then", { get: failing(new TypeError("no then")) }),
    // eslint-disable-next-line unicorn/no-thenable -- as query builders are
    "a then that throws": { then: failing(new TypeError("no column of that name")) },
  };
  for (const [what, value] of Object.entries(untouchable))
    test(`ERR-002: with ${what} as its return value gives a 500, logged once`, async () => {
      const { ask, errors } = await dispatching((app) => app.get("/", () => value));
      const { told } = ask();
      assert.deepEqual([told.at(-1), errors.map(({ error }) => error instanceof TypeError)], [mapped, [true]]);
    });

  test("after its client has left cuts the connection, ends with 499, and logs nothing", async () => {
    const statuses: number[] = [];
    const { ask, errors } = await dispatching((app) =>
      app
        .use((ctx, next) => (ctx.onComplete(({ status }) => void statuses.push(status)), next()))
        .get("/", failing(new ClientGoneError())),
    );
    const { told } = ask();
    assert.deepEqual([told, statuses, errors], [[["cut"]], [499], []]);
  });

  test("ERR-013: after its events have begun has its response cut and the error logged", async () => {
    const error = new Error("late");
    const { ask, errors } = await dispatching((app) =>
      app.get("/", (ctx) => {
        ctx.sse();
        throw error;
      }),
    );
    const { told } = ask();
    assert.deepEqual(
      told.filter(([what]) => what !== "watched"),
      [["open", 200], ["cut"]],
    );
    assert.deepEqual(
      errors.map((one) => one.error),
      [error],
    );
  });

  test("after its events are over is logged, but a client that left is not", async () => {
    const late = new Error("late");
    for (const [error, logged] of [
      [late, [late]],
      [new ClientGoneError(), []],
    ] as const) {
      const { ask, errors } = await dispatching((app) =>
        app.get("/", async (ctx) => {
          ctx.sse().close();
          await turns();
          throw error;
        }),
      );
      const { told } = ask();
      await turns();
      await turns();
      assert.deepEqual([told, errors.map((one) => one.error)], [[["watched"], ["open", 200]], logged]);
    }
  });

  test("ERR-002: with an unsendable value gives a 500, logged once", async () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    for (const handler of [() => circle, async () => circle]) {
      const { ask, errors } = await dispatching((app) => app.get("/", handler));
      const { told } = ask();
      await until(() => told.some(([what]) => what === "respond"));
      assert.deepEqual([told.at(-1), errors.length], [mapped, 1]);
    }
  });

  test("after its client has left is not logged, for any error, and nothing is sent", async () => {
    for (const error of [new ClientGoneError(), new Error("aborted")]) {
      const held = gate<string>();
      const { ask, errors } = await dispatching((app) => app.get("/", () => held.opened));
      const { told, leave } = ask();
      leave();
      held.fail(error);
      await turns();
      assert.deepEqual([told, errors], [[["watched"]], []]);
    }
  });

  test("after its request broke off is not logged, and the break is the response", async () => {
    const held = gate<string>();
    const { ask, errors } = await dispatching((app) =>
      app.get("/", () => held.opened).onStatus(400, (ctx) => ctx.text("of the app")),
    );
    const { told, breakOff } = ask();
    breakOff(new HttpError(400, "the body is malformed"));
    held.fail(new Error("late"));
    await turns();
    assert.deepEqual([told, errors], [[["watched"], json(400, "Bad Request", "the body is malformed")], []]);
  });

  test("after its response was recorded and sent without waiting is logged", async () => {
    const error = new Error("late");
    const { ask, errors } = await dispatching((app) =>
      app.use((ctx, next) => (void next(), ctx.text("early"))).get("/", rejecting(error)),
    );
    const { told } = ask();
    await until(() => errors.length > 0);
    assert.equal(told.filter(([what]) => what === "respond").length, 1);
    assert.deepEqual(
      errors.map((one) => one.error),
      [error],
    );
  });
});

describe("a request that no route handles", () => {
  test("goes to a waiting host, and is not an error of a handler", async () => {
    const missing = (app: Framework): unknown => app.get("/own", failing(new HttpError(404, "mine")));
    const { ask } = await dispatching(missing);
    const passed: (readonly string[])[] = [];
    const pass = (head: readonly string[]): boolean => (passed.push(head), true);
    assert.deepEqual([ask({ target: "/other", pass }).told, passed.length], [[], 1]);
    assert.deepEqual([ask({ target: "/own", pass }).told, passed.length], [[json(404, "Not Found", "mine")], 1]);
    assert.equal(ask({ target: "/other", pass: () => false }).told[0]?.[1], 404);
  });
});

describe("the sent response", () => {
  test("is the handler's result, immediate or later, with hooks that change nothing", async () => {
    const seen: number[] = [];
    const { ask } = await dispatching((app) =>
      app
        .get("/", () => "now")
        .get("/later", async () => "later")
        .onResponse((_, { status }) => void seen.push(status)),
    );
    assert.deepEqual(ask().told, [text("now")]);
    const { told } = ask({ target: "/later" });
    await until(() => told.length > 1);
    assert.deepEqual(
      [told, seen],
      [
        [["watched"], text("later")],
        [200, 200],
      ],
    );
  });

  test("waits for an asynchronous error handler, and notices a client that leaves in that time", async () => {
    const held = gate<string>();
    const { ask } = await dispatching((app) =>
      app.get("/", failing(new HttpError(409, "no"))).onStatus(409, () => held.opened),
    );
    const responded = ask();
    const left = ask();
    left.leave();
    assert.deepEqual(responded.told, [["watched"]]);
    held.open("mapped");
    await until(() => responded.told.length > 1);
    assert.deepEqual([responded.told[1]?.[1], responded.told[1]?.[3], left.told], [409, "mapped", [["watched"]]]);
  });

  test("waits for an asynchronous response hook, and notices a client that leaves in that time", async () => {
    const held = gate<undefined>();
    const later: string[] = [];
    const { ask } = await dispatching((app) =>
      app
        .get("/", () => "sent")
        .onResponse(() => held.opened)
        .onResponse((ctx) => void later.push(ctx.path)),
    );
    const responded = ask();
    const left = ask();
    left.leave();
    assert.deepEqual([responded.told, later], [[["watched"]], []]);
    held.open(undefined);
    await until(() => responded.told.length > 1);
    assert.deepEqual([responded.told, left.told, later], [[["watched"], text("sent")], [["watched"]], ["/"]]);
  });

  test("is the result of all response hooks, asynchronous or not", async () => {
    const adding =
      (mark: string) =>
      (_: Context, { body, ...others }: RecordedResponse) => ({ ...others, body: `${String(body)}${mark}` });
    const { ask } = await dispatching((app) =>
      app
        .get("/", () => "a")
        .onResponse(adding("b"))
        .onResponse(async (ctx, response) => adding("c")(ctx, response))
        .onResponse(async () => undefined)
        .onResponse(adding("d")),
    );
    const { told } = ask();
    await until(() => told.length > 1);
    assert.equal(told[1]?.[3], "abcd");
  });

  for (const [how, make] of Object.entries({ throws: failing, rejects: rejecting }))
    test(`is the error of a response hook that ${how}`, async () => {
      const { ask, errors } = await dispatching((app) => app.get("/", () => "").onResponse(make(new Error("hook"))));
      const { told } = ask();
      await until(() => told.some(([what]) => what === "respond"));
      assert.deepEqual(
        [told.filter(([what]) => what === "respond"), errors.length],
        [[json(500, "Internal Server Error")], 1],
      );
    });

  test("an unsendable response is logged with method and route, and the connection is cut", async () => {
    const error = new Error("no socket");
    const { ask, errors } = await dispatching((app) => app.get("/{x}", () => "sent"), { contextPath: "/shop" });
    const seen = ["/shop/a", "/else"].map((target) => ask({ target, respond: failing(error) }).told);
    assert.deepEqual(seen, [[["cut"]], [["cut"]]]);
    assert.deepEqual(
      errors.map((one) => [one.line, one.error]),
      [
        ["GET /shop/{x}: the response could not be sent", error],
        ["GET /else: the response could not be sent", error],
      ],
    );
  });

  test("is 204 with one warning when the handler is silent, and without a warning when it set a status", async () => {
    const { ask, warnings } = await dispatching((app) =>
      app
        .get("/silent", () => undefined)
        .get("/told", (ctx) => void ctx.status(204))
        .get("/text", (ctx) => void ctx.text("x")),
    );
    const statuses = ["/told", "/text", "/silent"].map((target) => [ask({ target }).told[0]?.[1], warnings.length]);
    assert.deepEqual(statuses, [
      [204, 0],
      [200, 0],
      [204, 1],
    ]);
  });

  test("a stream that has failed before it is sent is an error", async () => {
    const { ask, errors } = await dispatching((app) =>
      app.get("/", async () => {
        const file = new Readable({ read: () => undefined });
        file.on("error", () => undefined).destroy(new Error("no file"));
        await once(file, "close").catch(() => undefined);
        return file;
      }),
    );
    const { told } = ask();
    await until(() => told.length > 1);
    assert.deepEqual(told, [["watched"], json(500, "Internal Server Error")]);
    assert.deepEqual(
      errors.map(({ error }) => String(error)),
      ["Error: no file"],
    );
  });
});
