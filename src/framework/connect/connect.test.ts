import assert from "node:assert/strict";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import * as http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { describe, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { Framework, HttpError, NodeHttp2Engine, type RecordedResponse } from "framework";
import { until } from "../testing/harness.testkit.ts";
import { connectRequest, type ConnectMiddleware, fromConnect } from "./index.ts";

type Next = (error?: unknown) => void;
type Plain = (req: IncomingMessage & Record<string, unknown>, res: ServerResponse, next: Next) => unknown;

/** A served app, the responses that its hook saw, and its log. */
interface Running {
  readonly app: Framework;
  readonly url: string;
  readonly recorded: RecordedResponse[];
  readonly errors: unknown[];
  ask(path?: string, init?: RequestInit): Promise<Response>;
}

async function serve(t: TestContext, define: (app: Framework) => unknown): Promise<Running> {
  const recorded: RecordedResponse[] = [];
  const errors: unknown[] = [];
  const logger = { warn: () => undefined, error: (_line: string, error: unknown) => void errors.push(error) };
  const app = Framework.create({ host: "127.0.0.1", logger });
  app.onResponse((_ctx, response) => void recorded.push({ ...response, headers: [...response.headers] }));
  define(app);
  await app.start(0);
  t.after(() => app.stop({ graceMs: 0 }));
  const url = `http://127.0.0.1:${app.port}`;
  return { app, url, recorded, errors, ask: (path = "/", init = {}) => fetch(url + path, init) };
}

const connect = (middleware: Plain, name?: string): ReturnType<typeof fromConnect> => fromConnect(middleware, { name });

describe("fromConnect", () => {
  test("adds cookies and Vary set during the head's write to those of the response", async (t) => {
    const { ask } = await serve(t, (app) =>
      app
        .use(
          connect((_req, res, next) => {
            const { writeHead } = res;
            Reflect.set(res, "writeHead", (...args: readonly unknown[]) => {
              res.setHeader("Set-Cookie", "late=1");
              res.setHeader("Vary", "X-Late");
              res.setHeader("X-Both", "late");
              return Reflect.apply(writeHead, res, args) as unknown;
            });
            next();
          }),
        )
        .get("/", (ctx) => {
          ctx.appendHeader("Set-Cookie", "own=1");
          ctx.vary("X-Own");
          ctx.setHeader("X-Both", "own").text("hello");
        }),
    );
    const { headers } = await ask();
    assert.deepEqual(headers.getSetCookie(), ["late=1", "own=1"]);
    assert.deepEqual([headers.get("vary"), headers.get("x-both")], ["X-Late, X-Own", "own"]);
  });

  test("takes each field of Vary once, a star alone, and the last value of another header", async (t) => {
    const varying = (path: string, vary: string | string[]) => (app: Framework) =>
      app.use(
        path,
        connect((_req, res, next) => {
          res.setHeader("Vary", vary);
          res.setHeader("X-A", "2");
          next();
        }),
      );
    const { ask } = await serve(t, (app) => {
      app.use((ctx, next) => (ctx.setHeader("X-A", "1"), ctx.vary("X-Own"), next()));
      varying("/list", ["Accept, ,Cookie", " X-Own "])(app);
      varying("/star", " * ")(app);
      for (const path of ["/list", "/star"]) app.get(path, () => "hello");
    });
    const headersOf = async (path: string): Promise<unknown> => {
      const { headers } = await ask(path);
      return [headers.get("vary"), headers.get("x-a")];
    };
    assert.deepEqual(
      [await headersOf("/list"), await headersOf("/star")],
      [
        ["X-Own, Accept, Cookie", "2"],
        ["*", "2"],
      ],
    );
  });

  test("keeps the type of a middleware's text, and the length of a HEAD response", async (t) => {
    const { ask } = await serve(t, (app) =>
      app.use(
        connect((req, res) => {
          if (req.url === "/css") res.setHeader("Content-Type", "text/css");
          else if (req.method === "HEAD") res.setHeader("Content-Type", "image/png").setHeader("Content-Length", 5);
          res.end(req.method === "HEAD" ? undefined : "hello");
        }),
      ),
    );
    const typeAndLength = async (path: string, method = "GET"): Promise<unknown> => {
      const { headers } = await ask(path, { method });
      return [headers.get("content-type"), headers.get("content-length")];
    };
    const ofHead = [await typeAndLength("/", "HEAD"), await typeAndLength("/css", "HEAD")];
    assert.deepEqual(
      [await typeAndLength("/css"), await typeAndLength("/"), ...ofHead],
      [
        ["text/css", "5"],
        ["text/plain; charset=utf-8", "5"],
        ["image/png", "5"],
        ["text/css", null],
      ],
    );
  });

  test("copies fields set on res to the recorded response", async (t) => {
    const { ask, recorded } = await serve(t, (app) =>
      app
        .use(
          connect((_req, res, next) => {
            res.statusCode = 202;
            res.setHeader("X-Early", "1");
            res.setHeader("X-Many", ["a", "b"]);
            next();
          }),
        )
        .use(
          connect((_req, res, next) => {
            setImmediate(() => {
              res.setHeader("X-Late", "2");
              next();
            });
          }),
        )
        .get("/", (ctx) => ctx.setHeader("X-Own", "3").text("hello")),
    );
    const response = await ask();
    const seen = ["x-early", "x-many", "x-late", "x-own"].map((name) => response.headers.get(name));
    assert.deepEqual([response.status, await response.text(), ...seen], [202, "hello", "1", "a, b", "2", "3"]);
    assert.deepEqual(recorded[0]?.headers, [
      "X-Early",
      "1",
      "X-Many",
      "a",
      "X-Many",
      "b",
      "X-Late",
      "2",
      "X-Own",
      "3",
      "Content-Type",
      "text/plain; charset=utf-8",
    ]);
    assert.equal((await ask("/missing")).headers.get("X-Early"), "1");
  });

  test("maps next(error), a throw and a rejection, and responds with the status of a client-facing error", async (t) => {
    const exposed = Object.assign(new Error("no such token"), { status: 403, expose: true });
    const hidden = Object.assign(new Error("secret"), { status: 404 });
    const ways: Readonly<Record<string, Plain>> = {
      "/next": (_req, _res, next) => next(new Error("next")),
      "/throw": () => {
        throw new Error("throw");
      },
      "/reject": () => Promise.reject(new Error("reject")),
      "/exposed": (_req, _res, next) => next(exposed),
      "/hidden": (_req, _res, next) => next(hidden),
      "/route": (_req, _res, next) => next("route"),
    };
    const { ask, errors } = await serve(t, (app) => {
      for (const [path, middleware] of Object.entries(ways))
        app.get(path, { use: [connect(middleware, `at ${path}`)] }, () => "handled");
    });
    const seen: unknown[] = [];
    for (const path of Object.keys(ways)) {
      const response = await ask(path);
      seen.push([response.status, ((await response.json()) as { detail?: string }).detail]);
    }
    const unexpected = [500, undefined];
    assert.deepEqual(seen, [unexpected, unexpected, unexpected, [403, "no such token"], unexpected, unexpected]);
    assert.deepEqual(
      errors.map((error) => (error as Error).message),
      ["next", "throw", "reject", "secret", 'at /route called next("route"): routes of Express are not known here'],
    );
  });

  test("accepts a status from 400 to 499 on client-facing errors, and only errors or nothing in next", async (t) => {
    const said = (status: unknown, expose = true): Error => Object.assign(new Error("said"), { status, expose });
    const own = Object.assign(new HttpError(409, "own", { headers: { "X-Own": "1" } }), { expose: true });
    const given = [null, false, said(400), said(499), said(399), said(500), said("403"), { ...said(403) }, own];
    const { ask, errors } = await serve(t, (app) => {
      app.onError(HttpError, ({ status, headers, cause }, ctx) =>
        ctx
          .status(status)
          .setHeader("X-Own", headers["X-Own"] ?? "")
          .text(String(cause)),
      );
      for (const [at, error] of [...given, Symbol("s")].entries())
        app.get(`/${at}`, { use: [connect((_req, _res, next) => next(error), "mine")] }, () => "handled");
    });
    const statuses = [];
    for (const at of given.keys()) statuses.push((await ask(`/${at}`)).status);
    assert.deepEqual(statuses, [200, 200, 400, 499, 500, 500, 500, 500, 409]);
    assert.equal((await ask(`/${given.length - 1}`)).headers.get("x-own"), "1");
    assert.equal(await (await ask("/2")).text(), "Error: said");
    assert.equal((await ask(`/${given.length}`)).status, 500);
    assert.deepEqual(
      errors.map((error) => (error instanceof Error ? String(error) : error)),
      [
        "Error: said",
        "Error: said",
        "Error: said",
        given[7],
        "Error: mine called next(Symbol(s)): routes of Express are not known here",
      ],
    );
  });

  test("records the response that a middleware ends itself", async (t) => {
    const ways: Readonly<Record<string, Plain>> = {
      "/text": (_req, res) => {
        res.statusCode = 401;
        res.setHeader("WWW-Authenticate", "Basic");
        res.end("Unauthorized");
      },
      "/empty": (_req, res) => res.writeHead(204, "Nothing", { "X-Empty": "yes" }).end(),
      "/list": (_req, res) => res.writeHead(200, ["Set-Cookie", "a=1", "Set-Cookie", "b=2"]).end(Buffer.from("bytes")),
      "/parts": (_req, res) => {
        res.write("one ");
        res.write(Buffer.from("two"));
        res.end(() => undefined);
      },
      "/later": (_req, res) => setImmediate(() => res.end("later", "utf8")),
      "/flushed": (_req, res) => {
        res.setHeader("X-Flushed", "yes");
        res.flushHeaders();
        res.end("flushed");
      },
    };
    let handled = 0;
    const { ask, recorded } = await serve(t, (app) => {
      for (const [path, middleware] of Object.entries(ways))
        app.get(path, { use: [connect(middleware)] }, () => (handled += 1));
    });
    const seen: unknown[] = [];
    for (const path of Object.keys(ways)) {
      const response = await ask(path);
      const names = ["www-authenticate", "x-empty", "x-flushed", "content-length", "content-type"];
      const headers = names.map((name) => response.headers.get(name));
      seen.push([response.status, await response.text(), response.headers.getSetCookie(), ...headers]);
    }
    const text = "text/plain; charset=utf-8";
    assert.deepEqual(seen, [
      [401, "Unauthorized", [], "Basic", null, null, "12", text],
      [204, "", [], null, "yes", null, null, null],
      [200, "bytes", ["a=1", "b=2"], null, null, null, "5", "application/octet-stream"],
      [200, "one two", [], null, null, null, "7", text],
      [200, "later", [], null, null, null, "5", text],
      [200, "flushed", [], null, null, "yes", "7", text],
    ]);
    assert.deepEqual([handled, recorded.map(({ status }) => status)], [0, [401, 204, 200, 200, 200, 200]]);
  });

  test("calls the callbacks of end and write after the response was sent", async (t) => {
    const called: string[] = [];
    const { ask } = await serve(t, (app) =>
      app.use(
        connect((_req, res) => {
          res.write("e9", "hex", () => void called.push("a"));
          res.write("b", "utf8", () => void called.push("b"));
          res.end(() => void called.push("end"));
        }),
      ),
    );
    assert.deepEqual([...new Uint8Array(await (await ask()).arrayBuffer())], [0xe9, 0x62]);
    await until(() => called.length === 3);
    assert.deepEqual(called, ["a", "b", "end"]);
  });

  test("sends a middleware's pieces no faster than they are read", async (t) => {
    const file = fileURLToPath(import.meta.url);
    let written = 0;
    let full = 0;
    const { ask, recorded } = await serve(t, (app) =>
      app
        .get(
          "/file",
          { use: [connect((_req, res) => createReadStream(file).pipe(res.setHeader("X-File", "1")))] },
          () => "",
        )
        .get("/large", { use: [connect((_req, res) => pour(res))] }, () => ""),
    );
    const pour = (res: ServerResponse): void => {
      const chunk = Buffer.alloc(65_536, "x");
      for (; written < 256; written += 1)
        if (!res.write(chunk)) {
          written += 1;
          full += 1;
          return void res.once("drain", () => pour(res));
        }
      res.end();
    };
    const response = await ask("/file");
    assert.deepEqual([response.headers.get("x-file"), (await response.text()).includes("CONNECT-004")], ["1", true]);
    assert.ok(recorded[0]?.body instanceof ReadableStream);
    assert.equal((await (await ask("/large")).arrayBuffer()).byteLength, 256 * 65_536);
    assert.ok(full > 50, `told to wait ${full} times`);
  });

  test("passes later writes through the hooks too, in their order", async (t) => {
    const over: unknown[] = [];
    let end: unknown;
    const upper = async function* (body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
      for await (const piece of body) yield Buffer.from(piece).toString().toUpperCase();
    };
    const { ask, errors } = await serve(t, (app) => {
      app.onResponse(async (_ctx, response) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return { ...response, body: upper(response.body as ReadableStream<Uint8Array>) };
      });
      app
        .use((ctx, next) => (ctx.onComplete(({ bytes, aborted }) => over.push([bytes, aborted])), next()))
        .use(
          connect(async (_req, res) => {
            for (const piece of ["one ", "two ", "three "]) {
              res.write(piece);
              await new Promise((resolve) => setTimeout(resolve, 10));
            }
            end = res.end("four");
          }),
        );
    });
    assert.equal(await (await ask()).text(), "ONE TWO THREE FOUR");
    await until(() => over.length > 0);
    assert.deepEqual([over, errors], [[[18, false]], []]);
    end = undefined;
    assert.equal((await ask("/", { method: "HEAD" })).status, 200);
    await until(() => end !== undefined);
    assert.deepEqual(
      [over, errors],
      [
        [
          [18, false],
          [0, false],
        ],
        [],
      ],
    );
  });

  test("takes the headers of an upstream as they come, and the engine frames its body", async (t) => {
    const upstream = createServer((req, res) => {
      res
        .writeHead(203, {
          "X-Up": "1",
          Trailer: "X-End",
          "Trailer-A": "2",
          "Keep-Alive": "timeout=3",
          Connection: "keep-alive",
        })
        .write("hel");
      if (req.url === "/whole") res.end("lo");
      else setImmediate(() => res.end("lo"));
    });
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    t.after(() => upstream.close());
    const { port } = upstream.address() as AddressInfo;
    const proxy = connect((req, res) => {
      request({ port, path: req.url, agent: false }, (from) => {
        res.writeHead(from.statusCode ?? 0, req.url === "/raw" ? from.rawHeaders : from.headers);
        from.pipe(res);
      }).end();
    });
    const { ask, errors } = await serve(t, (app) => app.use(proxy));
    for (const path of ["/whole", "/pieces", "/raw"]) {
      const response = await ask(path);
      const { status, headers } = response;
      const isFramed = headers.has("transfer-encoding") !== headers.has("content-length");
      assert.deepEqual([headers.has("trailer"), headers.get("trailer-a")], [false, "2"], path);
      assert.deepEqual([status, headers.get("x-up"), isFramed, await response.text()], [203, "1", true, "hello"], path);
    }
    assert.deepEqual(errors, []);
  });

  test("ignores a Transfer-Encoding that a middleware sets, and still frames the body", async (t) => {
    const ways: Readonly<Record<string, (res: ServerResponse) => unknown>> = {
      "/set": (res) => res.setHeader("transfer-Encoding", "chunked"),
      "/append": (res) => res.appendHeader("Transfer-Encoding", "chunked"),
    };
    const { ask, recorded } = await serve(t, (app) => {
      for (const [path, set] of Object.entries(ways)) {
        const use = [connect((_req, res, next) => (set(res), next()))];
        app.get(path, { use }, () => "hello");
        app.get(`${path}/stream`, { use }, (ctx) => ctx.send(new Blob(["hello"]).stream()));
      }
    });
    for (const path of Object.keys(ways))
      for (const [suffix, length, coding] of [
        ["", "5", null],
        ["/stream", null, "chunked"],
      ] as const) {
        const response = await ask(path + suffix);
        const framing = ["content-length", "transfer-encoding"].map((name) => response.headers.get(name));
        assert.deepEqual([await response.text(), ...framing], ["hello", length, coding], path + suffix);
      }
    assert.doesNotMatch(recorded.flatMap(({ headers }) => headers).join(), /transfer-encoding/i);
  });

  test("keeps cookies and Vary of the app, of other middleware and of a host", async (t) => {
    const app = Framework.create()
      .use((ctx, next) => (ctx.appendHeader("Set-Cookie", "own=1").vary("Accept"), next()))
      .use(
        connect((_req, res, next) => {
          res.appendHeader("Set-Cookie", "theirs=1");
          res.setHeader("Vary", "Origin, Accept");
          next();
        }),
      )
      .get("/", () => "hello");
    const host = createServer((req, res) => {
      res.setHeader("Set-Cookie", "host=1").setHeader("X-Host", "yes");
      app.listener()(req, res);
    });
    await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
    t.after(() => host.close());
    const response = await fetch(`http://127.0.0.1:${(host.address() as AddressInfo).port}/`);
    assert.deepEqual(
      [response.headers.getSetCookie(), response.headers.get("vary"), response.headers.get("x-host")],
      [["host=1", "own=1", "theirs=1"], "Accept, Origin", "yes"],
    );
  });

  test("runs wrappers of the response's end when the recorded one is sent", async (t) => {
    const order: string[] = [];
    const { ask } = await serve(t, (app) => {
      app.use(
        connect((_req, res, next) => {
          const { writeHead, end } = res;
          res.writeHead = ((...args: Parameters<typeof writeHead>) => {
            order.push("head");
            res.setHeader("X-At-Head", "1");
            return writeHead.apply(res, args);
          }) as typeof writeHead;
          res.end = ((...args: Parameters<typeof end>) => {
            order.push("end");
            setImmediate(() => end.apply(res, args));
            return res;
          }) as typeof end;
          next();
        }),
      );
      app.onResponse(() => void order.push("recorded"));
      app.get("/", () => "hello");
      app.get("/ended", { use: [connect((_req, res) => res.end("ended"))] }, () => "");
    });
    const passed = await ask();
    assert.deepEqual(
      [passed.headers.get("x-at-head"), await passed.text(), order.splice(0)],
      ["1", "hello", ["recorded", "head", "end"]],
    );
    const ended = await ask("/ended");
    assert.deepEqual(
      [ended.headers.get("x-at-head"), await ended.text(), order],
      ["1", "ended", ["end", "head", "recorded"]],
    );
  });

  test("removes any wrappers of a middleware that responds itself", async (t) => {
    const names = ["writeHead", "write", "end", "flushHeaders", "on", "flush"];
    const called: string[] = [];
    const left: unknown[] = [];
    const wrappers = new Map<string, unknown>();
    const { ask } = await serve(t, (app) => {
      app.onResponse(({ platform: [, res] }) => {
        left.push(...names.filter((name) => Reflect.get(res as object, name) === wrappers.get(name)));
      });
      app.use(
        connect((_req, res) => {
          for (const name of names) {
            const inner = Reflect.get(res, name) as ((...args: unknown[]) => unknown) | undefined;
            wrappers.set(name, (...args: unknown[]) => (called.push(name), inner?.apply(res, args)));
            Reflect.set(res, name, wrappers.get(name));
          }
          res.write("mi");
          res.end("ne");
        }),
      );
    });
    assert.equal(await (await ask()).text(), "mine");
    assert.deepEqual([called, left], [["write", "writeHead", "end"], []]);
  });

  test("sends the head of a later stream before the stream has data", async (t) => {
    let begin: (event: string) => void = () => undefined;
    const begun = new Promise<string>((resolve) => (begin = resolve));
    const { ask } = await serve(t, (app) =>
      app.use(connect((_req, res, next) => (res.setHeader("X-Early", "1"), next()))).get("/", (ctx) =>
        ctx.sse(
          (async function* () {
            yield await begun;
          })(),
        ),
      ),
    );
    const response = await ask("/", { signal: AbortSignal.timeout(10_000) });
    begin("event");
    assert.deepEqual([response.headers.get("x-early"), await response.text()], ["1", "data: event\n\n"]);
  });

  test("throws an error with its name without req and res", async () => {
    const errors: unknown[] = [];
    const helmet = connect((_req, _res, next) => next(), "helmet");
    assert.throws(() => Framework.create({ engine: new NodeHttp2Engine() }).use(helmet), {
      code: "CONNECT_PLATFORM",
      message:
        "fromConnect(helmet) needs req and res of node:http, which the engine NodeHttp2Engine does not have: it runs on NodeHttpEngine, and behind app.listener()",
    });
    const app = Framework.create({ logger: { error: (_line, error) => void errors.push(error) } })
      .use(helmet)
      .get("/", () => "hello");
    const req = { on: () => undefined, rawHeaders: [] };
    const res = { getHeaders: () => ({}), writeHead: () => undefined, getRawHeaderNames: () => [] };
    const platforms: readonly (readonly unknown[])[] = [
      [],
      [null, null],
      [{}, res],
      [{ ...req, on: undefined }, res],
      [{ on: req.on }, res],
      [req, {}],
      ...Object.keys(res).map((name) => [req, { ...res, [name]: undefined }]),
    ];
    for (const platform of platforms)
      assert.equal((await app.fetch(new Request("http://localhost/"), ...platform)).status, 500);
    const sentence =
      "Error: fromConnect(helmet) needs req and res of node:http, which this request does not have: it runs on NodeHttpEngine, and behind app.listener()";
    assert.deepEqual(
      errors.map(String),
      platforms.map(() => sentence),
    );
  });

  test("throws before it runs in a host of node:http2", async (t) => {
    const errors: unknown[] = [];
    let calls = 0;
    const app = Framework.create({ logger: { error: (_line, error) => void errors.push(error) } })
      .use(connect((_req, _res, next) => ((calls += 1), next()), "mine"))
      .get("/", () => "hello");
    const host = http2.createServer(app.listener());
    await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
    const client = http2.connect(`http://127.0.0.1:${(host.address() as AddressInfo).port}`);
    t.after(() => (client.destroy(), host.close()));
    const [head] = (await once(client.request({ ":path": "/" }), "response")) as [Record<string, unknown>];
    assert.deepEqual([head[":status"], calls], [500, 0]);
    assert.deepEqual(
      errors.map((error) => [(error as { code: string }).code, (error as Error).message.split(",")[0]]),
      [["CONNECT_PLATFORM", "fromConnect(mine) needs req and res of node:http"]],
    );
  });

  test("does not treat a consumed body as an empty or a shorter one", async (t) => {
    const { ask, errors } = await serve(t, (app) =>
      app
        .use(
          connect(async (req, _res, next) => {
            const chunks: Buffer[] = [];
            if (req.url === "/half") {
              await new Promise((resolve) => req.once("readable", resolve));
              req.read(2);
            } else for await (const chunk of req) chunks.push(chunk as Buffer);
            req["body"] = Buffer.concat(chunks).toString();
            next();
          }),
        )
        .post("/req", (ctx) => connectRequest<{ body: string }>(ctx).body)
        .post("/whole", (ctx) => ctx.bodyAsString())
        .post("/half", (ctx) => ctx.bodyAsString())
        .post("/stream", (ctx) => ctx.bodyAsStream()),
    );
    const seen: unknown[] = [];
    for (const path of ["/req", "/whole", "/half", "/stream"])
      seen.push((await ask(path, { method: "POST", body: "hello", headers: { Connection: "close" } })).status);
    assert.deepEqual(seen, [200, 500, 500, 500]);
    const message = "the body was read already, by code that has req itself: what it kept is there, e.g. in req.body";
    assert.deepEqual(
      errors.map((error) => [(error as { code: string }).code, (error as Error).message]),
      [1, 2, 3].map(() => ["BODY_READ", message]),
    );
  });

  test("does not keep a request whose client has left", async (t) => {
    let isOver = false;
    let isWaiting = false;
    const { url } = await serve(t, (app) =>
      app
        .use(async (_ctx, next) => {
          await next();
          isOver = true;
        })
        .use(connect(() => void (isWaiting = true)))
        .get("/", () => ""),
    );
    const leaving = new AbortController();
    const asked = fetch(url, { signal: leaving.signal });
    await until(() => isWaiting);
    leaving.abort();
    await assert.rejects(asked);
    await until(() => isOver);
  });

  test("cuts a response in pieces when the middleware fails after it", async (t) => {
    const failing: Readonly<Record<string, Plain>> = {
      next: (_req, res, next) => {
        res.write("part");
        setImmediate(() => next(new Error("late")));
      },
      rejection: async (_req, res) => {
        res.write("part");
        await new Promise(setImmediate);
        throw new Error("late");
      },
    };
    for (const middleware of Object.values(failing)) {
      const { ask, errors } = await serve(t, (app) => app.use(connect(middleware)));
      await assert.rejects(async () => (await ask()).text());
      assert.deepEqual(errors.map(String), ["Error: late"]);
    }
  });

  test("keeps the length of a response to HEAD", async (t) => {
    const { ask } = await serve(t, (app) =>
      app.use(connect((_req, res) => res.writeHead(200, { "Content-Length": "7", "Content-Type": "text/css" }).end())),
    );
    const { headers, status } = await ask("/", { method: "HEAD" });
    assert.deepEqual([status, headers.get("content-length"), headers.get("content-type")], [200, "7", "text/css"]);
  });

  test("gives handlers the data left on req", async (t) => {
    const { ask } = await serve(t, (app) =>
      app
        .use(connect((req, _res, next) => ((req["user"] = { name: "Ada" }), next())))
        .get("/", (ctx) => connectRequest<{ user: object }>(ctx).user),
    );
    assert.deepEqual(await (await ask()).json(), { name: "Ada" });
    const errors: string[] = [];
    const app = Framework.create({ logger: { error: (_line, error) => void errors.push(String(error)) } });
    app.get("/", (ctx) => connectRequest(ctx));
    assert.equal((await app.fetch(new Request("http://localhost/"))).status, 500);
    assert.deepEqual(errors, [
      "Error: connectRequest needs req and res of node:http, which this request does not have: it runs on NodeHttpEngine, and behind app.listener()",
    ]);
  });

  test("names an invalid middleware", () => {
    assert.throws(() => fromConnect({} as ConnectMiddleware), {
      code: "MIDDLEWARE_INVALID",
      message: "fromConnect got object: a function (req, res, next) is allowed",
    });
    const handler = (_error: unknown, _req: unknown, _res: unknown, _next: unknown): void => undefined;
    assert.throws(() => fromConnect(handler as unknown as ConnectMiddleware), {
      code: "MIDDLEWARE_INVALID",
      message: "fromConnect(handler): a handler of errors is for app.onError: (req, res, next) is allowed",
    });
    assert.throws(() => fromConnect(((_error: 1, _req: 2, _res: 3, _next: 4) => "") as unknown as ConnectMiddleware), {
      message:
        "fromConnect(an unnamed middleware): a handler of errors is for app.onError: (req, res, next) is allowed",
    });
  });
});
