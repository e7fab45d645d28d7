/** Framework over real sockets: start, stop, completion, streams, middleware order (LIFE, CTX, MW). */
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { describe, test } from "node:test";
import { RequestIdMiddleware, type Completion, type Context, type Framework, type SseStream } from "../index.ts";
import { ask, created, serving, until, wire } from "../testing/harness.testkit.ts";

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

describe("start", () => {
  test("names the port that is in use, and picks a free one for port 0", () =>
    serving(
      (app) => app,
      async ({ port }) => {
        const { app } = created();
        await assert.rejects(app.start(port), { code: "EADDRINUSE", message: new RegExp(`${port} is in use`) });
        await app.start(0);
        assert.ok(app.port > 0 && app.port !== port);
        assert.equal((await ask(app.port, "GET", "/")).status, 404);
        await assert.rejects(app.start(0), /was started already/);
        await app.stop();
      },
    ));

  test("freezes the configuration, also of groups", () => {
    let group: { use(middleware: () => unknown): unknown; get(path: "/", handler: () => string): unknown } | undefined;
    return serving(
      (app) => app.group("/g", (api) => void (group = api)),
      async ({ app }) => {
        const late: readonly (() => unknown)[] = [
          () => group?.use(() => ""),
          () => group?.get("/", () => ""),
          () => app.get("/", () => ""),
          () => app.use((_ctx, next) => next()),
          () => app.wrap((_ctx, next) => next()),
          () => app.onStatus(404, () => ""),
          () => app.onError(Error, () => ""),
          () => app.onStart(() => ""),
          () => app.onStop(() => ""),
        ];
        for (const configure of late) assert.throws(configure, /came after the app was started/);
      },
    );
  });

  test("rejects a bad port, and stops again when onStart fails", async () => {
    await assert.rejects(created().app.start(70_000), /port is 70000/);
    const { app } = created();
    await assert.rejects(
      app
        .onStart(() => {
          throw new Error("no database");
        })
        .start(0),
      /no database/,
    );
    await assert.rejects(app.start(0), /started already/);
    assert.throws(() => created().app.port, /no port before/);
  });

  test("is rejected with the listener's error even if the following stop fails, which is logged", async () => {
    const { app, errors } = created();
    const [noDatabase, nothingToClose] = [new Error("no database"), new Error("nothing to close")];
    app.onStart(() => Promise.reject(noDatabase)).onStop(() => Promise.reject(nothingToClose));
    await assert.rejects(app.start(0), noDatabase);
    assert.deepEqual(
      errors.map(({ error }) => error instanceof AggregateError && error.errors),
      [[nothingToClose]],
    );
  });
});

describe("stop", () => {
  test("drains requests in flight, closes idle connections, runs listeners backwards, once", async () => {
    const { app } = created();
    const order: string[] = [];
    let release: (() => void) | undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    app
      .get("/", async () => {
        await released;
        return "done";
      })
      .onStop(() => void order.push("first"))
      .onStop(() => void order.push("second"));
    await app.start(0);
    const idle = wire(app.port);
    const busy = wire(app.port, get("/"));
    await new Promise<void>((resolve) => void idle.socket.once("connect", resolve));
    await ask(app.port, "GET", "/404");
    const stopping = app.stop({ graceMs: 2_000 });
    assert.equal(app.stop(), stopping);
    release?.();
    await Promise.all([stopping, idle.closed, busy.closed]);
    assert.match(busy.text(), /Connection: close[^]*done$/);
    assert.deepEqual(order, ["second", "first"]);
  });

  test("cuts requests that outlive the grace", async () => {
    const { app } = created();
    await app.get("/", () => new Promise(() => undefined)).start(0);
    const hanging = wire(app.port, get("/"));
    await new Promise<void>((resolve) => void hanging.socket.once("connect", resolve));
    await ask(app.port, "GET", "/404");
    await app.stop({ graceMs: 30 });
    await hanging.closed;
    assert.equal(hanging.text(), "");
  });

  test("closes an app that is about to listen, and rejects its start", async () => {
    for (const listeners of [0, 1]) {
      const { app } = created();
      const order: string[] = [];
      for (let n = 0; n < listeners; n += 1) app.onStart(() => void order.push("onStart"));
      const starting = app.start(0, {
        name: "slow",
        async start() {
          await new Promise((resolve) => setTimeout(resolve, 10));
          order.push("listening");
          return { port: 1, stop: async () => void order.push("closed") };
        },
      });
      const rejected = assert.rejects(starting, { code: "APP_STOPPED" });
      await app.stop({ graceMs: 5_000 });
      assert.deepEqual(order, ["listening", "closed"]);
      await rejected;
    }
    const busy = await created().app.start(0);
    const { app } = created();
    const taken = assert.rejects(app.start(busy.port), { code: "EADDRINUSE" });
    await Promise.all([app.stop(), taken]);
    await busy.stop();
  });

  test("during the start's listeners runs no further one, and rejects the start", async () => {
    const { app } = created();
    const order: string[] = [];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    app
      .onStart(() => (order.push("first"), released))
      .onStart(() => void order.push("second"))
      .onStop(() => void order.push("onStop"));
    const rejected = assert.rejects(app.start(0), { code: "APP_STOPPED" });
    await until(() => order.length > 0);
    await app.stop();
    release();
    await rejected;
    assert.deepEqual(order, ["first", "onStop"]);
  });

  test("waits without limit for requests in flight when the grace is infinite", async () => {
    const { app } = created();
    let release: ((text: string) => void) | undefined;
    await app.get("/", () => new Promise((resolve) => (release = resolve))).start(0);
    const busy = wire(app.port, get("/"));
    await until(() => release !== undefined);
    let isWorking = true;
    app.background("work", async () => {
      await busy.closed;
      await new Promise((resolve) => setTimeout(resolve, 20));
      isWorking = false;
    });
    const stopping = app.stop({ graceMs: Number.POSITIVE_INFINITY });
    await new Promise((resolve) => setTimeout(resolve, 20));
    release?.("whole");
    await stopping;
    assert.match(busy.text(), /whole$/);
    assert.equal(isWorking, false);
  });

  test("ends event streams, also idle ones of an async iterable", async () => {
    const { app } = created();
    let returned = 0;
    const idle: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => undefined),
        return: async () => ((returned += 1), { done: true, value: undefined }),
      }),
    };
    await app
      .get("/a", (ctx) => void ctx.sse().send("hi"))
      .get("/b", (ctx) => ctx.sse(idle))
      .start(0);
    const [one, two] = [wire(app.port, get("/a")), wire(app.port, get("/b"))];
    await until(() => one.text().includes("data: hi") && two.text().includes("text/event-stream"));
    await app.stop({ graceMs: 5_000 });
    await Promise.all([one.closed, two.closed]);
    assert.ok(one.text().endsWith("0\r\n\r\n") && two.text().endsWith("0\r\n\r\n"));
    assert.equal(returned, 1);
  });

  test("ends, and notifies the others, even if a listener of an upgraded connection throws", async () => {
    const { app } = created();
    const error = new Error("no goodbye");
    const order: unknown[] = [];
    app
      .ws("/{name}", (ctx) =>
        ctx.upgrade((connection) => {
          const socket = connection.socket as Socket;
          socket.write("HTTP/1.1 101 Switching Protocols\r\n\r\n");
          connection.onStop(() => {
            order.push(ctx.pathParam("name"));
            socket.destroy();
            connection.over(0, false);
            throw error;
          });
        }),
      )
      .onStop(() => void order.push("onStop"));
    await app.start(0);
    const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    for (const name of ["a", "b"]) {
      const client = wire(app.port, get(`/${name}`).replace("\r\n\r\n", `\r\n${upgrade}`));
      await until(() => client.text().startsWith("HTTP/1.1 101"));
    }
    await assert.rejects(app.stop({ graceMs: 5_000 }), { errors: [error, error] });
    assert.deepEqual(order, ["a", "b", "onStop"]);
    await assert.rejects(ask(app.port, "GET", "/"));
  });

  test("ends event streams that open while it stops", async () => {
    const { app } = created();
    let arrived = 0;
    let open = (): void => undefined;
    const opening = new Promise<void>((resolve) => (open = resolve));
    const idle = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) };
    await app
      .use(async (_ctx, next) => {
        arrived += 1;
        await opening;
        return next();
      })
      .get("/a", (ctx) => void ctx.sse())
      .get("/b", (ctx) => ctx.sse(idle))
      .start(0);
    const clients = ["/a", "/b"].map((path) => wire(app.port, get(path)));
    await until(() => arrived === 2);
    const stopping = app.stop({ graceMs: 60_000 });
    open();
    await stopping;
    await Promise.all(clients.map(({ closed }) => closed));
    assert.ok(clients.every(({ text }) => text().endsWith("0\r\n\r\n")));
  });
});

describe("stop", () => {
  test("completes even if the end of an upgraded connection throws, and reports that", async () => {
    const { app } = created();
    let opened = 0;
    app
      .ws("/a", (ctx) =>
        ctx.upgrade((connection) => {
          connection.onStop(() => assert.fail("cannot end"));
          opened += 1;
        }),
      )
      .get("/events", (ctx) => void ctx.sse().send("x"));
    await app.start(0);
    const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
    const one = wire(app.port, `GET /a HTTP/1.1\r\nHost: h\r\n${upgrade}\r\n`);
    await until(() => opened === 1);
    const two = wire(app.port, get("/events"));
    await until(() => two.text().includes("data: x"));
    await assert.rejects(app.stop({ graceMs: 50 }), /not everything closed well/);
    await Promise.all([one.closed, two.closed]);
    assert.ok(two.text().endsWith("0\r\n\r\n"));
    await assert.rejects(fetch(app.url));
  });

  test("closes a server that is still starting, and rejects its start", async () => {
    const { app } = created();
    let began = 0;
    const starting = app.onStart(() => void (began += 1)).start(0);
    const rejected = assert.rejects(starting, { code: "APP_STOPPED" });
    await app.stop();
    await rejected;
    assert.equal(began, 0);
    await assert.rejects(fetch(app.url));
  });

  for (const way of ["start", "fetch"] as const)
    test(`aborts the signals of open event streams (app.${way})`, async () => {
      const { app } = created();
      const aborted: string[] = [];
      const noting = (ctx: Context, name: string): void =>
        ctx.signal.addEventListener("abort", () => void aborted.push(name));
      app
        .get("/a", (ctx) => {
          const stream = ctx.sse();
          noting(ctx, "ctx.signal");
          stream.signal.addEventListener("abort", () => void aborted.push("stream.signal"));
        })
        .get("/b", (ctx) => {
          noting(ctx, "of an iterable");
          return ctx.sse({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) });
        });
      const bodies: Promise<string>[] = [];
      if (way === "start") await app.start(0);
      for (const path of ["/a", "/b"]) {
        const response = await (way === "start"
          ? fetch(`${app.url}${path}`)
          : app.fetch(new Request(`http://h${path}`)));
        bodies.push(response.text());
      }
      await app.stop({ graceMs: 5_000 });
      assert.deepEqual(await Promise.all(bodies), ["", ""]);
      assert.deepEqual(aborted, ["ctx.signal", "stream.signal", "of an iterable"]);
    });
});

describe("onComplete", () => {
  const seen = (): { list: [string, number, boolean][]; watch: (ctx: Context, next: () => unknown) => unknown } => {
    const list: [string, number, boolean][] = [];
    return {
      list,
      watch: (ctx, next) => {
        ctx.onComplete(({ status, aborted }) => void list.push([ctx.path, status, aborted]));
        return next();
      },
    };
  };

  test("runs once for every way to end", async () => {
    const { list, watch } = seen();
    let opened = 0;
    await serving(
      (app) =>
        app
          .use(watch)
          .get("/sync", () => "a")
          .get("/async", async () => "b")
          .get("/error", () => {
            throw new Error("e");
          })
          .get("/hang", () => {
            opened += 1;
            return new Promise(() => undefined);
          })
          .get("/stream", () =>
            (async function* () {
              opened += 1;
              yield "x";
              await new Promise(() => undefined);
            })(),
          ),
      async ({ port }) => {
        for (const path of ["/sync", "/async", "/error", "/none"]) await ask(port, "GET", path);
        const before = wire(port, get("/hang"));
        await until(() => opened === 1);
        before.socket.destroy();
        await until(() => list.length === 5);
        const after = wire(port, get("/stream"));
        await until(() => after.text().includes("x\r\n"));
        after.socket.destroy();
        await until(() => list.length === 6);
      },
    );
    assert.deepEqual(list, [
      ["/sync", 200, false],
      ["/async", 200, false],
      ["/error", 500, false],
      ["/none", 404, false],
      ["/hang", 499, true],
      ["/stream", 200, true],
    ]);
  });

  test("reports status, bytes, headers and body, also to a late listener, even if it is the first", () => {
    const told: Completion[] = [];
    let kept: Context | undefined;
    return serving(
      (app) =>
        app.get("/", (ctx) => {
          kept = ctx;
          return "héllo";
        }),
      async ({ port, errors }) => {
        await ask(port, "GET", "/");
        kept?.onComplete(() => {
          throw new Error("listener");
        });
        kept?.onComplete(async () => {
          throw new Error("later");
        });
        kept?.onComplete((completion) => void told.push(completion));
        await until(() => errors.length === 2);
        assert.deepEqual(
          told.map(({ status, bytes, aborted, body, error, headers }) => ({
            status,
            bytes,
            aborted,
            body,
            error,
            headers,
          })),
          [
            {
              status: 200,
              bytes: 6,
              aborted: false,
              body: "héllo",
              error: undefined,
              headers: ["Content-Type", "text/plain; charset=utf-8", "Content-Length", "6"],
            },
          ],
        );
      },
    );
  });
});

describe("streams", () => {
  test("cancels an idle source immediately when the client leaves", () => {
    let returned = 0;
    let cancelled = 0;
    let aborted = 0;
    const iterable: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => undefined),
        return: async () => ((returned += 1), { done: true, value: undefined }),
      }),
    };
    return serving(
      (app) =>
        app
          .get("/iterable", () => iterable)
          .get("/stream", (ctx) => {
            ctx.signal.addEventListener("abort", () => void (aborted += 1));
            return new ReadableStream<Uint8Array>({ cancel: () => void (cancelled += 1) });
          }),
      async ({ port }) => {
        const clients = [wire(port, get("/iterable")), wire(port, get("/stream"))];
        await until(() => clients.every(({ text }) => text().includes("200 OK")));
        for (const { socket } of clients) socket.destroy();
        await until(() => returned === 1 && cancelled === 1 && aborted === 1);
      },
    );
  });

  test("reads the source no faster than the client", () => {
    const chunk = new Uint8Array(64 * 1024);
    let made = 0;
    return serving(
      (app) =>
        app.get("/", () =>
          (async function* () {
            for (; made < 400; made += 1) yield chunk;
          })(),
        ),
      async ({ port }) => {
        const slow = wire(port, get("/"));
        await until(() => slow.text().length > 0);
        slow.socket.pause();
        let last = -1;
        while (last !== made) {
          last = made;
          await new Promise((resolve) => setTimeout(resolve, 60));
        }
        assert.ok(made < 400, `${made} chunks were made for a client that does not read`);
        slow.socket.resume();
        await until(() => made === 400 && slow.text().endsWith("0\r\n\r\n"));
        slow.socket.destroy();
      },
    );
  });

  test("passes a web Response on as it is, and dismisses streams on HEAD", () => {
    let cancelled = 0;
    const body = (): ReadableStream<Uint8Array> => new ReadableStream({ cancel: () => void (cancelled += 1) });
    return serving(
      (app) =>
        app
          .get("/r", () => {
            const r = new Response("moved", { status: 201, headers: { "X-A": "1", "Transfer-Encoding": "chunked" } });
            r.headers.append("Set-Cookie", "a=1");
            r.headers.append("Set-Cookie", "b=2");
            return r;
          })
          .get("/empty", () => new Response(null, { status: 204 }))
          .get("/passed", (ctx) => (ctx.method === "HEAD" ? new Response(null) : body()))
          .get("/s", () => body()),
      async ({ port }) => {
        // Code that passes a HEAD on does not know the length of GET's response (RFC 9110 §8.6).
        assert.equal((await ask(port, "HEAD", "/passed")).headers["content-length"], undefined);
        const { status, headers, body: text } = await ask(port, "GET", "/r");
        assert.deepEqual([status, headers["x-a"], headers["set-cookie"], text], [201, "1", ["a=1", "b=2"], "moved"]);
        assert.equal((await ask(port, "GET", "/empty")).status, 204);
        assert.equal((await ask(port, "HEAD", "/s")).status, 200);
        await until(() => cancelled === 1);
      },
    );
  });
});

describe("responses", () => {
  const handlers: Readonly<Record<string, readonly [(ctx: Context) => unknown, number, string | undefined, string]>> = {
    text: [() => "t", 200, "text/plain; charset=utf-8", "t"],
    json: [() => ({ a: 1 }), 200, "application/json", '{"a":1}'],
    null: [() => null, 200, "application/json", "null"],
    bytes: [() => new Uint8Array([65]), 200, "application/octet-stream", "A"],
    html: [(ctx) => ctx.html("<p>"), 200, "text/html; charset=utf-8", "<p>"],
    own: [(ctx) => ctx.setHeader("content-type", "text/csv").text("a,b"), 200, "text/csv", "a,b"],
    length: [(ctx) => ctx.setHeader("Content-Length", 99).text("short"), 200, "text/plain; charset=utf-8", "short"],
    redirect: [(ctx) => ctx.redirect("/x", 307), 307, undefined, ""],
    bodyless: [(ctx) => ctx.status(304).text("gone"), 304, "text/plain; charset=utf-8", ""],
    twice: [
      (ctx) => ctx.text("a").text("b"),
      500,
      "application/problem+json",
      '{"type":"about:blank","title":"Internal Server Error","status":500}',
    ],
    circular: [
      (ctx) => ctx.json(undefined),
      500,
      "application/problem+json",
      '{"type":"about:blank","title":"Internal Server Error","status":500}',
    ],
    cookie: [
      (ctx) => `${ctx.cookie("a")} ${ctx.header("constructor")}`,
      200,
      "text/plain; charset=utf-8",
      "1 undefined",
    ],
    framing: [
      (ctx) => ctx.setHeader("Transfer-Encoding", "chunked"),
      500,
      "application/problem+json",
      '{"type":"about:blank","title":"Internal Server Error","status":500}',
    ],
  };
  for (const [name, [handler, status, type, body]] of Object.entries(handlers))
    test(`are the same over node:http and fetch: ${name}`, () =>
      serving(
        (app) => app.get("/", handler),
        async ({ app, port }) => {
          const wired = await ask(port, "GET", "/", { Cookie: "a=1" });
          assert.deepEqual([wired.status, wired.headers["content-type"], wired.body], [status, type, body]);
          const fetched = await app.fetch(new Request("http://localhost/", { headers: { Cookie: "a=1" } }));
          const headers = Object.fromEntries(Object.entries(wired.headers).filter(([field]) => field !== "connection"));
          assert.deepEqual(
            { status: fetched.status, headers: Object.fromEntries(fetched.headers), body: await fetched.text() },
            { status, headers, body },
          );
        },
      ));

  test("are 204 when the handler is silent, with one warning for each route", () =>
    serving(
      (app) => app.get("/{x}", () => undefined).get("/a/meant", (ctx) => ctx.status(204)),
      async ({ port, warnings }) => {
        for (const path of ["/1", "/2", "/a/meant"]) assert.equal((await ask(port, "GET", path)).status, 204);
        assert.deepEqual(warnings, [
          "GET /{x} sent nothing and returned nothing: 204. Return a value or its promise, or say ctx.status(204).",
        ]);
      },
    ));
});

describe("middleware", () => {
  const outcomeOf = async (define: (app: Framework) => unknown): Promise<unknown> =>
    serving(define, async ({ port }) => {
      const { status, body, headers } = await ask(port, "GET", "/");
      return [status, status === 500 ? "" : body, headers["x-after"]];
    });
  const later = async (): Promise<string> => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return "inner";
  };

  test("waits for a next() that was not awaited", async () => {
    assert.deepEqual(await outcomeOf((app) => app.use((_ctx, next) => void next()).get("/", later)), [
      200,
      "inner",
      undefined,
    ]);
    assert.deepEqual(await outcomeOf((app) => app.use(async (_ctx, next) => void next()).get("/", later)), [
      200,
      "inner",
      undefined,
    ]);
  });

  test("waits for it also when the middleware then fails, without an unhandled rejection", async () => {
    const fail = async (): Promise<never> => {
      await later();
      throw new Error("inner");
    };
    assert.deepEqual(
      await outcomeOf((app) =>
        app
          .use((_ctx, next) => {
            void next();
            throw new Error("outer");
          })
          .get("/", fail),
      ),
      [500, "", undefined],
    );
    assert.deepEqual(
      await outcomeOf((app) =>
        app
          .use(async (_ctx, next) => {
            void next();
            throw new Error("outer");
          })
          .get("/", fail),
      ),
      [500, "", undefined],
    );
  });

  test("MW-007: may change the response after next(), swallow errors, and respond itself", async () => {
    assert.deepEqual(
      await outcomeOf((app) =>
        app
          .use(async (ctx, next) => {
            await next();
            ctx.status(201).setHeader("X-After", "1");
          })
          .get("/", later),
      ),
      [201, "inner", "1"],
    );
    assert.deepEqual(
      await outcomeOf((app) =>
        app
          .use(async (ctx, next) => {
            try {
              await next();
            } catch {
              ctx.text("rescued");
            }
          })
          .get("/", () => {
            throw new Error("e");
          }),
      ),
      [200, "rescued", undefined],
    );
    assert.deepEqual(await outcomeOf((app) => app.use(() => "early").get("/", () => "never")), [
      200,
      "early",
      undefined,
    ]);
  });

  test("gets an error from a second call of next()", async () => {
    const told: unknown[] = [];
    assert.deepEqual(
      await outcomeOf((app) =>
        app
          .use((_ctx, next) => {
            void next();
            try {
              return next();
            } catch (error) {
              told.push((error as Error).message);
              throw error;
            }
          })
          .get("/", () => "x"),
      ),
      [500, "", undefined],
    );
    assert.equal(told.length, 1);
  });

  test("is rejected when it is invalid", () => {
    assert.throws(() => created().app.use({} as never), /a middleware is a function/);
    assert.throws(() => created().app.use("/a", undefined as never), /lacks the middleware/);
    assert.throws(() => created().app.use("/{a}", new RequestIdMiddleware()), /literal prefix/);
  });
});

test("an event stream leaves no listener when its client leaves", () => {
  let stream: SseStream | undefined;
  let over = 0;
  return serving(
    (app) =>
      app.get("/", (ctx) => {
        stream = ctx.sse();
        ctx.onComplete(({ aborted }) => void (over += aborted ? 1 : 10));
        stream.send("x");
      }),
    async ({ port }) => {
      const client = wire(port, get("/"));
      await until(() => client.text().includes("data: x"));
      client.socket.destroy();
      await until(() => stream?.isOpen === false && over > 0);
      assert.equal(over, 1);
    },
  );
});

describe("an event stream without a client", () => {
  const failing = async function* (): AsyncGenerator<string> {
    yield "x";
    throw new Error("no more of them");
  };

  test("is over when its events or its handler fail. Its signal aborts, and the app releases it", async () => {
    const { app } = created();
    const streams: SseStream[] = [];
    const signals: AbortSignal[] = [];
    const ended: boolean[] = [];
    app
      .use((ctx, next) => {
        signals.push(ctx.signal);
        ctx.onComplete(({ aborted }) => void ended.push(aborted));
        return next();
      })
      .get("/events", (ctx) => ctx.sse(failing()))
      .get("/handler", (ctx) => {
        streams.push(ctx.sse());
        throw new Error("no more of it");
      });
    for (const path of ["/events", "/handler"]) {
      const response = await app.fetch(new Request(`http://h${path}`));
      await assert.rejects(response.text());
    }
    assert.deepEqual(
      [ended, signals.map(({ aborted }) => aborted), streams.map(({ isOpen }) => isOpen)],
      [[true, true], [true, true], [false]],
    );
  });

  test("is over for its handler on HEAD. Its signal aborts after a whole response", () => {
    const ended: unknown[] = [];
    return serving(
      (app) =>
        app.get("/", (ctx) => {
          ctx.onComplete(({ aborted }) => void ended.push(["aborted", aborted]));
          const stream = ctx.sse();
          stream.signal.addEventListener("abort", () => void ended.push(["open", stream.isOpen]));
        }),
      async ({ app }) => {
        assert.equal((await fetch(app.url, { method: "HEAD" })).status, 200);
        assert.deepEqual(ended, [
          ["aborted", false],
          ["open", false],
        ]);
      },
    );
  });
});
