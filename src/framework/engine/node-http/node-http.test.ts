/** NodeHttpEngine over real sockets: bytes that its parser rejects, and bodies that break off (LOG, ERR). */
import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { CorsMiddleware, RequestIdMiddleware, type Context, type Framework } from "../../index.ts";
import { exchange, responsesOf, serving, until, wire } from "../../testing/harness.testkit.ts";

const timeouts = { headersMs: 60, requestMs: 80, checkMs: 20 };
const problem = (status: number, title: string): string => JSON.stringify({ type: "about:blank", title, status });

/** Every reported request: those of the application, and those that never became one. */
function telling(app: Framework): unknown[] {
  const told: unknown[] = [];
  app.use({
    installed: (life) => life.onRejected(({ status }) => void told.push(["rejected", status])),
    handle(ctx, next) {
      ctx.onComplete(({ status, aborted }) => void told.push([ctx.route, status, aborted]));
      return next();
    },
  });
  return told;
}

describe("a body that breaks off", () => {
  const begun = (path: string): string => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc`;

  test("LOG-001 LOG-013: is one request with status 408 when it does not arrive in time, with an error's headers", () => {
    let told: unknown[] = [];
    let signal: AbortSignal | undefined;
    return serving(
      (app) => {
        told = telling(app);
        app.use(new RequestIdMiddleware({ generate: () => "id" })).post("/{name}", (ctx) => {
          signal = ctx.signal;
          return ctx.bodyAsString();
        });
      },
      async ({ port, errors }) => {
        const [response, ...others] = await exchange(port, begun("/a"));
        const { status, headers, body } = response ?? {};
        assert.deepEqual(
          [status, headers?.["connection"], headers?.["x-request-id"], body, others],
          [408, "close", "id", problem(408, "Request Timeout"), []],
        );
        assert.deepEqual([told, signal?.aborted, errors], [[["/{name}", 408, false]], true, []]);
      },
      { timeouts },
    );
  });

  test("LOG-001: is one request when its handler does not read it", () => {
    let told: unknown[] = [];
    let release = (): void => undefined;
    return serving(
      (app) => {
        told = telling(app);
        app.post("/", () => new Promise<string>((resolve) => (release = () => resolve("too late"))));
      },
      async ({ port, errors }) => {
        const [response] = await exchange(port, begun("/"));
        release();
        await new Promise(setImmediate);
        assert.deepEqual([response?.status, told, errors], [408, [["/", 408, false]], []]);
      },
      { timeouts },
    );
  });

  test("LOG-001: is one request when its handler fails while the response waits for an earlier one", () => {
    let told: unknown[] = [];
    return serving(
      (app) => {
        told = telling(app);
        let release = (): void => undefined;
        app
          .get("/first", () => new Promise((resolve) => (release = () => resolve("first"))))
          .post("/", async (ctx) => {
            await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
            setImmediate(release);
            throw new Error("too late");
          });
      },
      async ({ port, errors }) => {
        const responses = await exchange(port, `GET /first HTTP/1.1\r\nHost: x\r\n\r\n${begun("/")}`);
        const seen = [
          ["/first", 200, false],
          ["/", 408, false],
        ];
        assert.deepEqual([responses.map(({ status }) => status), told, errors], [[200, 408], seen, []]);
      },
      { timeouts },
    );
  });

  test("LOG-001: gets no second response when the first is out", () => {
    let told: unknown[] = [];
    return serving(
      (app) => {
        told = telling(app);
        app.post("/", () => "at once");
      },
      async ({ port }) => {
        const responses = await exchange(port, begun("/"));
        assert.deepEqual([responses.map(({ status }) => status), told], [[200], [["/", 200, false]]]);
      },
      { timeouts },
    );
  });

  test("LOG-001 ERR-013: cuts a streaming response", () => {
    let told: unknown[] = [];
    return serving(
      (app) => {
        told = telling(app);
        app.post("/", (ctx) => ctx.send(ctx.bodyAsStream()));
      },
      async ({ port }) => {
        const { closed, text } = wire(port, begun("/"));
        await closed;
        await until(() => told.length > 0);
        assert.match(text(), /\r\n\r\n3\r\nabc\r\n$/);
        assert.deepEqual([responsesOf(text()).map(({ status }) => status), told], [[200], [["/", 200, true]]]);
      },
      { timeouts },
    );
  });

  test("LOG-001: is one request with status 400 when its chunks are malformed", () => {
    let told: unknown[] = [];
    return serving(
      (app) => {
        told = telling(app);
        app.use(CorsMiddleware.builder().build()).post("/", (ctx) => ctx.bodyAsString());
      },
      async ({ port }) => {
        const [response] = await exchange(
          port,
          "POST / HTTP/1.1\r\nHost: x\r\nOrigin: http://a.example\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n",
        );
        assert.deepEqual(
          [response?.status, response?.headers["access-control-allow-origin"], told],
          [400, "*", [["/", 400, false]]],
        );
      },
    );
  });
});

describe("the Host of a request", () => {
  const cases: Readonly<Record<string, readonly [head: string, status: number]>> = {
    "one Host": ["GET / HTTP/1.1\r\nhOST: x", 200],
    "an empty Host": ["GET / HTTP/1.1\r\nHost:", 200],
    "no Host in HTTP/1.0": ["GET / HTTP/1.0", 200],
    "no Host": ["GET / HTTP/1.1", 400],
    "two Hosts": ["GET / HTTP/1.1\r\nHost: x\r\nhost: x", 400],
    "two Hosts in HTTP/1.0": ["GET / HTTP/1.0\r\nHost: x\r\nHost: y", 400],
  };
  for (const [what, [head, status]] of Object.entries(cases))
    test(`ROUTE-014: ${what} gets ${status}`, () => {
      let told: unknown[] = [];
      return serving(
        (app) => {
          told = telling(app);
          app.get("/", () => "ok");
        },
        async ({ port }) => {
          const [response, ...others] = await exchange(port, `${head}\r\nConnection: close\r\n\r\n`);
          await until(() => told.length > 0);
          const { headers } = response ?? {};
          assert.deepEqual(
            [response?.status, headers?.["content-type"], headers?.["connection"], others, told],
            status === 200
              ? [200, "text/plain; charset=utf-8", "close", [], [["/", 200, false]]]
              : [400, "application/problem+json", "close", [], [[undefined, 400, false]]],
          );
        },
      );
    });
});

describe("a client that has left", () => {
  test("still has its address for a handler that reads it then", () => {
    let found: unknown[] | undefined;
    let isAsked = false;
    const handler = async (ctx: Context): Promise<void> => {
      isAsked = true;
      await until(() => ctx.signal.aborted);
      await until(() => (ctx.platform[0] as IncomingMessage).socket.destroyed);
      found = [ctx.remoteAddress, ctx.peerAddress];
    };
    return serving(
      (app) => app.get("/", handler),
      async ({ port }) => {
        const socket = connect(port, "127.0.0.1");
        socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        await until(() => isAsked);
        socket.resetAndDestroy();
        await until(() => found !== undefined);
        assert.deepEqual(found, ["127.0.0.1", "127.0.0.1"]);
      },
    );
  });
});
