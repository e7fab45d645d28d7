/** Actions of a Connect middleware after it has called next(), or has ended the response (CONNECT). */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect as openSocket, type AddressInfo } from "node:net";
import { describe, test, type TestContext } from "node:test";
import session from "express-session";
import { Framework, type Middleware } from "framework";
import { until } from "../testing/harness.testkit.ts";
import { fromConnect } from "./index.ts";

type Next = (error?: unknown) => void;
type Plain = (req: IncomingMessage, res: ServerResponse, next: Next) => unknown;

const connect = (middleware: Plain): Middleware => fromConnect(middleware, { name: "mine" });

/** An app on its own server and in a host, its log, and how its requests ended. */
async function serve(t: TestContext, define: (app: Framework) => unknown) {
  const logged: string[] = [];
  const ended: unknown[] = [];
  const error = (line: string, thrown: unknown): void => void logged.push(`${line}: ${(thrown as Error).message}`);
  const app = Framework.create({ host: "127.0.0.1", logger: { warn: () => undefined, error } });
  app.use((ctx, next) => (ctx.onComplete(({ status, aborted }) => ended.push([status, aborted])), next()));
  define(app);
  await app.start(0);
  const host = createServer(app.listener());
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  t.after(() => (host.closeAllConnections(), host.close(), app.stop({ graceMs: 0 })));
  const ports = [app.port, (host.address() as AddressInfo).port];
  const ask = async (path: string): Promise<readonly unknown[]> => {
    const seen = [];
    for (const port of ports) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(10_000) });
      seen.push([response.status, response.ok ? await response.text() : "problem"]);
    }
    return seen;
  };
  return { app, ask, logged, ended, ports };
}

/** A promise that its test resolves. */
function held() {
  let release: (value: string) => void = () => undefined;
  const value = new Promise<string>((resolve) => (release = resolve));
  return { value, release };
}

const twice = <T>(value: T): readonly T[] => [value, value];

describe("fromConnect, after its outcome", () => {
  const errors: Readonly<Record<string, readonly [Plain, () => unknown]>> = {
    "behind next(), in the same turn": [(_req, _res, next) => (next(), next(new Error("late"))), () => "handled"],
    "behind next(), as a throw": [
      (_req, _res, next) => {
        next();
        throw new Error("late");
      },
      () => "handled",
    ],
    "behind next(), while the handler runs": [
      (_req, _res, next) => {
        next();
        setImmediate(() => next(new Error("late")));
      },
      () => new Promise((resolve) => setTimeout(resolve, 20, "handled")),
    ],
    "behind end(), in the same turn": [
      (_req, res, next) => {
        res.end("ended");
        next(new Error("late"));
      },
      () => "handled",
    ],
    "behind end(), in a later turn": [
      (_req, res, next) =>
        void setImmediate(() => {
          res.end("ended");
          next(new Error("late"));
        }),
      () => "handled",
    ],
  };
  for (const [when, [middleware, handler]] of Object.entries(errors))
    test(`an error ${when} is the response`, async (t) => {
      const { ask, logged } = await serve(t, (app) => app.get("/", { use: [connect(middleware)] }, handler));
      assert.deepEqual([await ask("/"), logged], [twice([500, "problem"]), twice("GET / failed: late")]);
    });

  test("an error after the response is logged, once, and the response stays", async (t) => {
    const ways: Readonly<Record<string, Plain>> = {
      "/next": (_req, res, next) => {
        next();
        res.once("finish", () => (next(new Error("late")), next()));
      },
      "/end": (_req, res, next) => {
        res.end("handled");
        res.once("finish", () => next(new Error("late")));
      },
      "/pieces": (_req, res, next) => {
        res.write("hand");
        setImmediate(() => res.end("led"));
        res.once("finish", () => next(new Error("late")));
      },
      "/rejection": async (_req, res, next) => {
        next();
        await new Promise((resolve) => res.once("finish", resolve));
        throw new Error("late");
      },
    };
    const { ask, logged } = await serve(t, (app) => {
      for (const [path, middleware] of Object.entries(ways))
        app.get(path, { use: [connect(middleware)] }, () => "handled");
    });
    for (const path of Object.keys(ways)) {
      assert.deepEqual(await ask(path), twice([200, "handled"]), path);
      await until(() => logged.length === 2);
      assert.deepEqual(logged.splice(0), twice(`GET ${path}: mine: failed behind the response: late`));
    }
  });

  test("a session that cannot be saved is logged", async (t) => {
    class Broken extends session.Store {
      override get(_id: string, done: () => void): void {
        done();
      }
      override set(_id: string, _session: object, done: (error: unknown) => void): void {
        setImmediate(() => done(new Error("cannot save")));
      }
      override destroy(_id: string, done: () => void): void {
        done();
      }
    }
    const store = new Broken();
    const { ask, logged } = await serve(t, (app) =>
      app
        .use(fromConnect(session({ secret: "x", resave: false, saveUninitialized: true, store })))
        .get("/", () => "hello"),
    );
    assert.deepEqual(await ask("/"), twice([200, "hello"]));
    await until(() => logged.length === 2);
    assert.deepEqual(logged, twice("GET /: session: failed behind the response: cannot save"));
  });

  const endings: Readonly<Record<string, (res: ServerResponse) => void>> = {
    whole: (res) => void res.end("late"),
    "in pieces": (res) => {
      res.write("la");
      setImmediate(() => res.end("te"));
    },
  };
  for (const [how, end] of Object.entries(endings)) {
    test(`a response ${how} that is ended after next() is sent, and the handler's result is logged`, async (t) => {
      const handler = { value: held(), calls: 0 };
      const { ask, logged, ended } = await serve(t, (app) =>
        app.get(
          "/",
          {
            use: [
              connect((_req, res, next) => {
                next();
                setImmediate(() => {
                  end(res);
                  setImmediate(() => handler.value.release("handled"));
                });
              }),
            ],
          },
          () => ((handler.value = held()), handler.value.value),
        ),
      );
      assert.deepEqual(await ask("/"), twice([200, "late"]));
      await until(() => ended.length === 2);
      const line = "GET /: mine: what runs inside failed behind its response";
      assert.deepEqual(
        [ended, logged],
        [twice([200, false]), twice(`${line}: GET / got a second response: a request gets exactly one`)],
      );
    });

    test(`a response ${how} that is ended after the handler's is not sent`, async (t) => {
      const { ask, logged, ended } = await serve(t, (app) =>
        app
          .onResponse(() => new Promise((resolve) => setTimeout(resolve, 20)))
          .use(
            connect((_req, res, next) => {
              next();
              setImmediate(() => {
                res.setHeader("Content-Length", "1");
                end(res);
              });
            }),
          )
          .get("/", () => "handled"),
      );
      assert.deepEqual(await ask("/"), twice([200, "handled"]));
      await until(() => ended.length === 2);
      assert.deepEqual([ended, logged], [twice([200, false]), []]);
    });
  }

  test("writes after a response to a slow client do not end the process", async (t) => {
    let wrote: unknown;
    const { app } = await serve(t, (app) =>
      app
        .use(
          connect((_req, res, next) => {
            next();
            setImmediate(() => setImmediate(() => res.write("late", (error) => (wrote = error))));
          }),
        )
        .get("/", () => "x".repeat(20_000_000)),
    );
    const client = openSocket(app.port, "127.0.0.1").pause();
    t.after(() => client.destroy());
    client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await until(() => wrote !== undefined);
    assert.equal((wrote as { code: string }).code, "ERR_STREAM_WRITE_AFTER_END");
  });

  test("a response to HEAD without a length from its middleware has none", async (t) => {
    const ways: Readonly<Record<string, Plain>> = {
      "/end": (_req, res) => res.end(),
      "/head": (_req, res) => res.writeHead(200, { "X-A": "1" }).end(),
      "/flushed": (_req, res) => (res.flushHeaders(), res.end()),
    };
    const { ports } = await serve(t, (app) => {
      for (const [path, middleware] of Object.entries(ways)) app.get(path, { use: [connect(middleware)] }, () => "");
    });
    for (const port of ports)
      for (const path of Object.keys(ways)) {
        const { status, headers } = await fetch(`http://127.0.0.1:${port}${path}`, { method: "HEAD" });
        assert.deepEqual([status, headers.get("content-length"), headers.get("transfer-encoding")], [200, null, null]);
      }
  });

  test("a request that breaks off during its middleware's read gets its error", async (t) => {
    const { app, ended } = await serve(t, (app) =>
      app
        .use(
          connect(async (req, _res, next) => {
            await req.toArray();
            next();
          }),
        )
        .post("/", () => "handled"),
    );
    const client = openSocket(app.port, "127.0.0.1");
    t.after(() => client.destroy());
    let received = "";
    client.on("data", (bytes) => (received += String(bytes)));
    client.write("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nnot a length\r\n");
    await until(() => ended.length > 0 && received.length > 0);
    assert.match(received, /^HTTP\/1\.1 400 /);
    assert.deepEqual(ended, [[400, false]]);
  });
});
