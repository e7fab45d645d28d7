/** All code of a request runs in the async context of its handler, on every host (CTX, MW, WS). */
import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { Readable } from "node:stream";
import { describe, test } from "node:test";
import { CompressionMiddleware, currentLog, Framework, HttpError, LogScopeMiddleware, type Context } from "../index.ts";
import { hosts, type Sent } from "../testing/clients.testkit.ts";
import { exchange, serving, until } from "../testing/harness.testkit.ts";
import { opened } from "../testing/web-socket-client.testkit.ts";
import { webSocket } from "../websocket/index.ts";

const storage = new AsyncLocalStorage<string>();

/** The places that a request reached, in order, each with the store found there. */
type Visits = (readonly [place: string, store: string | undefined])[];

/** Marks a place in the visits of the app. */
type Mark = (place: string) => void;

async function* marked(mark: Mark, item = "x"): AsyncGenerator<string, void, undefined> {
  try {
    mark("first pull");
    yield item;
    await new Promise((resolve) => setImmediate(resolve));
    mark("second pull");
    yield item;
  } finally {
    mark("end of the generator");
  }
}

const pulls = ["first pull", "second pull", "end of the generator"];

const webStream = (mark: Mark): ReadableStream<Uint8Array> => {
  let count = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        count += 1;
        mark(`pull ${count}`);
        if (count === 3) controller.close();
        else controller.enqueue(Buffer.from("x"));
      },
    },
    { highWaterMark: 0 },
  );
};

const webPulls = ["pull 1", "pull 2", "pull 3"];

class Teapot extends Error {}

/** Work after a handler, and the places that it has to reach. */
const work: Readonly<
  Record<string, readonly [handler: (ctx: Context, mark: Mark) => unknown, places: readonly string[]]>
> = {
  "a generator that the handler returns": [(_, mark) => marked(mark), pulls],
  "a generator for ctx.send": [(ctx, mark) => ctx.send(marked(mark)), pulls],
  "events for ctx.sse": [(ctx, mark) => ctx.sse(marked(mark)), pulls],
  "a generator for ctx.download": [(ctx, mark) => ctx.download(marked(mark), "f.txt"), pulls],
  "a stream of Node's": [(_, mark) => Readable.from(marked(mark)), pulls],
  "a web stream": [(_, mark) => webStream(mark), webPulls],
  "a web Response": [(_, mark) => new Response(webStream(mark)), webPulls],
  "a stream after an await": [async (_, mark) => (await null, marked(mark)), pulls],
  "a listener of chunks": [
    (ctx, mark) => {
      ctx.onChunk(() => mark("onChunk"));
      return Readable.from(["x"]);
    },
    ["onChunk"],
  ],
  "listeners of the request": [
    (ctx, mark) => {
      ctx.onResponse(async () => {
        mark("onResponse");
        await null;
        mark("later in onResponse");
      });
      ctx.onComplete(() => mark("onComplete"));
      return "x";
    },
    ["onResponse", "later in onResponse", "onComplete"],
  ],
  "an error handler of a class": [() => Promise.reject(new Teapot()), ["Teapot"]],
  "an error handler of a status": [
    () => {
      throw new HttpError(409);
    },
    ["409"],
  ],
};

for (const [name, { engine, open }] of Object.entries(hosts))
  describe(`the async context of a handler on ${name}`, () => {
    /** Sends two requests to the app, one after the other, and returns the visits of each. */
    async function visitsOf(
      handler: (ctx: Context, mark: Mark) => unknown,
      isOver: (visits: Visits) => boolean,
      sent: Partial<Sent> = {},
    ): Promise<Visits> {
      const visits: Visits = [];
      const mark: Mark = (place) => void visits.push([place, storage.getStore()]);
      const app = Framework.create({ host: "127.0.0.1", logger: {}, ...(engine && { engine }) });
      app.use((ctx, next) => storage.run(ctx.header("x-store") ?? "none", next));
      app.onResponse(() => mark("app.onResponse"));
      app.onError(Teapot, () => (mark("Teapot"), "teapot"));
      app.onStatus(409, () => (mark("409"), "taken"));
      app.get("/", (ctx) => handler(ctx, mark));
      const host = await open(app);
      try {
        await host.send({ target: "/", headers: [["x-store", "acme"]], ...sent });
        await until(() => isOver(visits));
      } finally {
        await host.close();
      }
      return visits;
    }

    for (const [what, [handler, places]] of Object.entries(work))
      test(`${what} runs in it`, async () => {
        const expected = [...places, "app.onResponse"].sort();
        const visits = await visitsOf(handler, ({ length }) => length === expected.length);
        assert.deepEqual(
          visits.sort(),
          expected.map((place) => [place, "acme"]),
        );
      });

    test("listeners of ctx.signal, and a cut generator, run in it when the client leaves", async () => {
      const visits = await visitsOf(
        async function* (ctx, mark) {
          ctx.signal.addEventListener("abort", () => mark("abort"));
          try {
            yield "begun";
            await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
          } finally {
            mark("end of the generator");
          }
        },
        ({ length }) => length === 3,
        { leaveAfter: "begun" },
      );
      assert.deepEqual(
        visits.sort(),
        ["abort", "app.onResponse", "end of the generator"].map((place) => [place, "acme"]),
      );
    });
  });

describe("the async context of a request", () => {
  test("is that of the innermost middleware reached when one throws", async () => {
    const app = Framework.create({ logger: {} });
    app
      .use((_, next) => storage.run("outer", next))
      .use(() => {
        throw new Teapot();
      })
      .use((_, next) => storage.run("never", next))
      .onError(Teapot, () => storage.getStore());
    assert.equal(await (await app.request("/")).text(), "outer");
  });

  test("is that of its own handler for each of two simultaneous requests", async () => {
    const app = Framework.create({ logger: {} });
    app.use((ctx, next) => storage.run(ctx.search, next));
    app.onResponse((ctx) => void ctx.setHeader("X-Hook", storage.getStore() ?? ""));
    app.get("/", async function* () {
      yield `${storage.getStore()} `;
      await new Promise((resolve) => setImmediate(resolve));
      yield `${storage.getStore()} `;
    });
    const seen = await Promise.all(
      ["?a", "?b"].map(async (search) => {
        const response = await app.request(`/${search}`);
        return [response.headers.get("x-hook"), await response.text()];
      }),
    );
    assert.deepEqual(
      seen,
      ["?a", "?b"].map((search) => [search, `${search} ${search} `]),
    );
  });

  test("does not leak into the next request on the same connection", () => {
    const ended: unknown[] = [];
    return serving(
      (app) => {
        app.group("/inside", (group) => {
          group.use((_, next) => storage.run("inside", next));
          group.get("/", async function* () {
            yield await Promise.resolve("streamed");
          });
        });
        app.get("/outside", (ctx) => {
          ctx.onResponse(() => void ctx.setHeader("X-Hook", String(storage.getStore())));
          ctx.onComplete(() => ended.push(storage.getStore()));
          return String(storage.getStore());
        });
      },
      async ({ port }) => {
        const [inside, outside] = ["/inside", "/outside"].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n`);
        const bytes = `${inside}\r\n${outside}\r\n${inside}\r\n${outside}Connection: close\r\n\r\n`;
        const responses = await exchange(port, bytes);
        assert.deepEqual(
          responses.map(({ body, headers }) => [body, headers["x-hook"]]),
          [
            ["streamed", undefined],
            ["undefined", "undefined"],
            ["streamed", undefined],
            ["undefined", "undefined"],
          ],
        );
        assert.deepEqual(ended, [undefined, undefined]);
      },
    );
  });

  test("is kept by a response hook that wraps the stream", async () => {
    const visits: Visits = [];
    const app = Framework.create({ logger: {} }).use(new CompressionMiddleware({ minBytes: 1 }));
    app.use((_, next) => storage.run("acme", next));
    app.get("/", (ctx) =>
      ctx.setHeader("Content-Type", "text/plain").send(marked((place) => visits.push([place, storage.getStore()]))),
    );
    await (await app.request("/", { headers: { "accept-encoding": "gzip" } })).arrayBuffer();
    assert.deepEqual(
      visits,
      pulls.map((place) => [place, "acme"]),
    );
  });

  test("gives currentLog() to a stream", async () => {
    const lines: unknown[] = [];
    const app = Framework.create({ logger: { info: (line, fields) => void lines.push([line, fields]) } });
    app.use((ctx, next) => (ctx.attribute("requestId", "id-1"), next())).use(new LogScopeMiddleware());
    app.get("/", async function* () {
      currentLog()?.info("in the stream");
      yield "x";
    });
    await (await app.request("/")).text();
    assert.deepEqual(lines, [["in the stream", { requestId: "id-1" }]]);
  });

  test("is that of the handshake's handler in each handler of a WebSocket", () => {
    const visits: Visits = [];
    const mark: Mark = (place) => void visits.push([place, storage.getStore()]);
    return serving(
      (app) => {
        app.use((ctx, next) => storage.run(ctx.search, next));
        const handlers = webSocket({
          open: () => mark("open"),
          message: async (socket, message) => {
            mark(`message ${String(message)}`);
            await null;
            if (message === "b") throw new Error("b");
            socket.send("x");
          },
          error: () => mark("error"),
          close: () => mark("close"),
        });
        app.ws("/", handlers);
      },
      async ({ port }) => {
        const { socket, got, closed } = await opened(`ws://127.0.0.1:${port}/?acme`);
        socket.send("a");
        await got(1);
        socket.send("b");
        await closed;
        await until(() => visits.length === 5);
        assert.deepEqual(
          visits,
          ["open", "message a", "message b", "error", "close"].map((place) => [place, "?acme"]),
        );
      },
    );
  });
});
