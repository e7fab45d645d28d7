/** Framework over real sockets: error mapping, rejected bodies, limits (ERR, CTX, LIFE). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { z } from "zod";
import {
  HttpError,
  NotFoundError,
  RequestIdMiddleware,
  type Completion,
  type Context,
  type Framework,
} from "../index.ts";
import { ask, exchange, serving, until, wire } from "../testing/harness.testkit.ts";

const plain500 = '{"type":"about:blank","title":"Internal Server Error","status":500}';

describe("error mapping", () => {
  test("keeps CORS, Vary, the request id and cookies, and drops headers that described the discarded response", () =>
    serving(
      (app) =>
        app.get("/", (ctx) => {
          ctx
            .setHeader("Access-Control-Allow-Origin", "*")
            .setHeader("Vary", "Origin")
            .setHeader("X-Request-Id", "r-1")
            .setHeader("ETag", '"1"')
            .setHeader("Cache-Control", "max-age=9");
          ctx
            .setHeader("Content-Language", "de")
            .setHeader("Expires", new Date(Date.now() + 60_000).toUTCString())
            .setHeader("Last-Modified", "x")
            .setHeader("Location", "/elsewhere")
            .appendHeader("Set-Cookie", "a=1")
            .html("half");
          throw new HttpError(409, "taken", { headers: { "Retry-After": "5" }, code: "E_TAKEN" });
        }),
      async ({ port }) => {
        const { status, headers, body } = await ask(port, "GET", "/");
        assert.deepEqual(
          [status, headers, JSON.parse(body)],
          [
            409,
            {
              "access-control-allow-origin": "*",
              vary: "Origin",
              "x-request-id": "r-1",
              "set-cookie": "a=1",
              "retry-after": "5",
              "content-type": "application/problem+json",
              "content-length": "88",
              connection: "close",
            },
            { type: "about:blank", title: "Conflict", status: 409, detail: "taken", code: "E_TAKEN" },
          ],
        );
      },
    ));

  test("ERR-002: hides an unexpected error and logs it once, with the request id", () =>
    serving(
      (app) =>
        app.use(new RequestIdMiddleware()).get("/{kind}", async (ctx) => {
          const kind = ctx.pathParam("kind");
          if (kind === "sync") throw new Error("secret");
          await null;
          if (kind === "null") throw null;
          throw Object.freeze(new Error("secret"));
        }),
      async ({ port, errors }) => {
        for (const kind of ["sync", "null", "frozen"]) {
          const { status, body, headers } = await ask(port, "GET", `/${kind}`, { "X-Request-Id": "r-1" });
          assert.deepEqual([status, body, headers["x-request-id"]], [500, plain500, "r-1"]);
        }
        assert.deepEqual(
          errors.map(({ line }) => line),
          Array(3).fill("GET /{kind} failed (request id r-1)"),
        );
      },
    ));

  test("calls the handler of the nearest class, then of the status, and never uses Error for an HttpError", () => {
    class Base extends Error {}
    class Derived extends Base {}
    return serving(
      (app) =>
        app
          .get("/base", () => {
            throw new Base("b");
          })
          .get("/derived", () => {
            throw new Derived("d");
          })
          .get("/other", () => {
            throw new TypeError("o");
          })
          .get("/http", () => {
            throw new NotFoundError("h");
          })
          .get("/status", (ctx) => ctx.status(404).text("mine"))
          .onError(Error, (error, ctx) => ctx.status(503).text(`error ${error.message}`))
          .onError(Base, (error, ctx) => ctx.status(400).text(`base ${error.message}`))
          .onStatus(404, async (ctx) => {
            await null;
            return { page: ctx.path };
          }),
      async ({ port, errors }) => {
        const responses: unknown[] = [];
        for (const path of ["base", "derived", "other", "http", "nowhere", "status"]) {
          const { status, body } = await ask(port, "GET", `/${path}`);
          responses.push([status, body]);
        }
        assert.deepEqual(responses, [
          [400, "base b"],
          [400, "base d"],
          [503, "error o"],
          [404, '{"page":"/http"}'],
          [404, '{"page":"/nowhere"}'],
          [404, "mine"],
        ]);
        assert.deepEqual(errors, []);
      },
    );
  });

  test("skips a failing error handler, and logs its failure and the original error", () =>
    serving(
      (app) =>
        app
          .get("/", () => {
            throw new RangeError("first");
          })
          .onError(RangeError, () => {
            throw new Error("second");
          })
          .onStatus(500, () => Promise.reject(new Error("third"))),
      async ({ port, errors }) => {
        const { status, body } = await ask(port, "GET", "/");
        assert.deepEqual([status, body], [500, plain500]);
        assert.deepEqual(
          errors.map(({ error }) => (error as Error).message),
          ["second", "first", "third"],
        );
      },
    ));

  test("logs an unexpected error when its handler gave no response", () =>
    serving(
      (app) =>
        app
          .get("/", () => {
            throw new RangeError("lost");
          })
          .onError(RangeError, () => undefined),
      async ({ port, errors }) => {
        assert.deepEqual([(await ask(port, "GET", "/")).status, errors.length], [500, 1]);
      },
    ));

  test("ERR-013: cuts the connection when an error comes after the head", () => {
    const completions: Completion[] = [];
    return serving(
      (app) =>
        app.get("/", (ctx) => {
          ctx.onComplete((completion) => void completions.push(completion));
          return (async function* () {
            yield "half";
            throw new Error("torn");
          })();
        }),
      async ({ port, errors }) => {
        const { closed, text } = wire(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        await closed;
        assert.ok(!text().endsWith("0\r\n\r\n"));
        assert.deepEqual(
          [errors.length, completions.length, completions[0]?.status, completions[0]?.aborted],
          [1, 1, 200, true],
        );
        assert.deepEqual(completions[0]?.error, new Error("torn"));
      },
    );
  });
});

describe("bodies", () => {
  const schema = z.object({ n: z.number() });
  const define = (app: Framework): unknown =>
    app
      .post("/json", async (ctx) => ctx.json(await ctx.body()))
      .post("/zod", async (ctx) => ctx.json(await ctx.body(schema)))
      .post("/fn", async (ctx) => ctx.json(await ctx.body((value: unknown) => value === 1)))
      .post("/text", (ctx) => ctx.bodyAsString())
      .post("/small", { maxBodyBytes: 4 }, (ctx) => ctx.bodyAsString())
      .post("/stream", async (ctx) => {
        let n = 0;
        for await (const chunk of ctx.bodyAsStream()) n += chunk.length;
        return String(n);
      })
      .post("/unread", () => "unread");
  const json = { "Content-Type": "application/json" };

  const cases: readonly (readonly [string, Record<string, string>, string, number])[] = [
    ["/json", json, '{"a":[1]}', 200],
    ["/json", { "Content-Type": "application/vnd.x+json; v=1" }, "1", 200],
    ["/json", json, "{", 400],
    ["/json", json, "", 400],
    ["/json", json, '{"__proto__":{"admin":1}}', 400],
    ["/json", {}, "{}", 415],
    ["/json", { "Content-Type": "text/plain" }, "{}", 415],
    ["/json", { "Content-Type": "application/json garbage" }, "{}", 415],
    ["/zod", json, '{"n":1}', 200],
    ["/zod", json, '{"n":"1"}', 422],
    ["/fn", json, "1", 200],
    ["/fn", json, "2", 422],
    ["/small", {}, "1234", 200],
    ["/small", {}, "12345", 413],
    ["/stream", {}, "x".repeat(2000), 200],
    ["/stream", {}, "x".repeat(2001), 413],
    ["/unread", {}, "x".repeat(2001), 413],
    ["/unread", {}, "x", 200],
  ];
  for (const [path, headers, body, status] of cases)
    test(`responds ${status} to ${path} with ${JSON.stringify(headers)} and ${body.length} bytes ${body.slice(0, 12)}`, () =>
      serving(
        define,
        async ({ port }) => {
          const response = await ask(port, "POST", path, headers, body);
          assert.equal(response.status, status);
          if (status >= 400) assert.equal(response.headers["content-type"], "application/problem+json");
          if (status === 422 && path === "/zod")
            assert.deepEqual(
              JSON.parse(response.body).errors.map((issue: { path: unknown }) => issue.path),
              [["n"]],
            );
        },
        { maxBodyBytes: 2000 },
      ));

  test("responds 400 to a body that is not UTF-8", () =>
    serving(define, async ({ port }) => {
      const head = Buffer.from("POST /text HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n");
      const [response] = await exchange(port, Buffer.concat([head, Buffer.from([0xc3, 0x28])]));
      assert.equal(response?.status, 400);
    }));

  const abandoned: Readonly<Record<string, (ctx: Context) => unknown>> = {
    "as JSON": (ctx) => ctx.body(),
    "through a type": (ctx) => ctx.body(() => false),
    "as text": (ctx) => ctx.bodyAsString(),
    "as bytes": (ctx) => ctx.bodyAsBytes(),
  };
  for (const [how, take] of Object.entries(abandoned))
    test(`causes no unhandled rejection when an unreadable body is not awaited ${how}`, async () => {
      const rejected: unknown[] = [];
      const note = (reason: unknown): void => void rejected.push(reason);
      process.on("unhandledRejection", note);
      try {
        await serving(
          (app) =>
            app.post("/", (ctx) => {
              void take(ctx);
              return "ok";
            }),
          async ({ port }) => {
            const head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
            const [whole] = await exchange(
              port,
              Buffer.from(`${head}Connection: close\r\nContent-Length: 2\r\n\r\n{\xff`, "latin1"),
            );
            assert.deepEqual([whole?.status, whole?.body], [200, "ok"]);
            const [other] = await exchange(
              port,
              "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 9\r\n\r\n{",
            );
            assert.equal(other?.status, 200);
          },
        );
        await new Promise(setImmediate);
        assert.deepEqual(rejected, []);
      } finally {
        process.off("unhandledRejection", note);
      }
    });

  test("responds 413 to a chunked body past the limit, and closes", () =>
    serving(define, async ({ port }) => {
      const [response] = await exchange(
        port,
        "POST /small HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n\r\n",
      );
      assert.deepEqual([response?.status, response?.headers["connection"]], [413, "close"]);
    }));
});

describe("limits", () => {
  const get = (target: string, lines = ""): string =>
    `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines}\r\n`;
  const many = (count: number): string => Array.from({ length: count }, (_, i) => `X-${i}: 1\r\n`).join("");
  const cases: Readonly<Record<string, readonly [string, number]>> = {
    "a target of 8,192 bytes": [get(`/${"a".repeat(8_191)}`), 404],
    "a longer target": [get(`/${"a".repeat(8_192)}`), 414],
    "100 headers": [get("/", many(98)), 200],
    "101 headers": [get("/", many(99)), 431],
    "1,000 headers": [get("/", many(998)), 431],
    "17 KiB of headers": [get("/", `X: ${"a".repeat(17_000)}\r\n`), 431],
    "an invalid request": ["nonsense\r\n\r\n", 400],
    "a query of 1,001 pairs": [get(`/q?${"a&".repeat(1_001)}`), 400],
  };
  for (const [what, [bytes, status]] of Object.entries(cases))
    test(`responds ${status} to ${what}`, () =>
      serving(
        (app) => app.get("/", () => "ok").get("/q", (ctx) => ctx.json(Object.keys(ctx.query))),
        async ({ port }) => {
          const [response] = await exchange(port, bytes);
          assert.equal(response?.status, status);
          if (status >= 400) assert.equal(response?.headers["content-type"], "application/problem+json");
          assert.equal(response?.headers["connection"], "close");
        },
      ));

  test("responds 408 to headers that arrive too late", () =>
    serving(
      (app) => app.get("/", () => "ok"),
      async ({ port }) => {
        const [response] = await exchange(port, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow");
        assert.deepEqual([response?.status, response?.headers["connection"]], [408, "close"]);
      },
      { timeouts: { headersMs: 60, requestMs: 80, checkMs: 20 } },
    ));

  test("reports every rejected request to middleware", async () => {
    const rejected: number[] = [];
    await serving(
      (app) =>
        app.use({
          handle: (_ctx, next) => next(),
          installed: (life) =>
            life.onRejected((request) => {
              rejected.push(request.status);
              throw new Error("listener");
            }),
        }),
      async ({ port, errors }) => {
        await exchange(port, "nonsense\r\n\r\n");
        await exchange(port, get(`/${"a".repeat(9_000)}`));
        await until(() => rejected.length === 2);
        assert.deepEqual([rejected, errors.length], [[400, 414], 2]);
      },
    );
  });
});
