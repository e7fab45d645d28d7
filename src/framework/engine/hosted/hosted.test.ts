/** app.listener() inside another server: next(), the host's headers, a body it has parsed (LIFE). */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { ask, created, responsesOf, until, wire } from "../../testing/harness.testkit.ts";

async function hosting<T>(listener: RequestListener, use: (port: number) => Promise<T>): Promise<T> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  try {
    return await use((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

describe("app.listener", () => {
  const { app } = created();
  const statuses: number[] = [];
  const handled: string[] = [];
  const completed: string[] = [];
  app
    .use((ctx, next) => {
      handled.push(ctx.path);
      ctx.setHeader("X-App", "1").onComplete(({ status, aborted }) => {
        statuses.push(status);
        completed.push(aborted ? `${ctx.path} aborted` : ctx.path);
      });
      return next();
    })
    .get("/hi", (ctx) => ctx.appendHeader("Set-Cookie", "app=1").text("hi"))
    .get("/varies", (ctx) => ctx.setHeader("Vary", "Origin").setHeader("X-Own", "app").text("varies"))
    .get("/last", (ctx) => ctx.setHeader("Connection", "close").text("last"))
    .get("/stream", () =>
      (async function* () {
        yield "a";
        yield "b";
      })(),
    )
    .post("/echo", async (ctx) => ctx.json(await ctx.body()));

  test("serves alone, with its own 404", () =>
    hosting(app.listener(), async (port) => {
      const { status, body, headers } = await ask(port, "GET", "/hi");
      assert.deepEqual([status, body, headers["x-app"]], [200, "hi", "1"]);
      assert.deepEqual((await ask(port, "HEAD", "/hi")).body, "");
      assert.deepEqual((await ask(port, "GET", "/stream")).body, "ab");
      assert.equal((await ask(port, "GET", "/none")).status, 404);
    }));

  test("keeps the host's cookies, and leaves unregistered requests to the host", () => {
    statuses.length = 0;
    const host = (req: IncomingMessage, res: ServerResponse): void => {
      res.setHeader("Set-Cookie", "host=1");
      app.listener()(req, res, () => void res.writeHead(202).end("host"));
    };
    return hosting(host, async (port) => {
      assert.deepEqual((await ask(port, "GET", "/hi")).headers["set-cookie"], ["host=1", "app=1"]);
      const { status, body, headers } = await ask(port, "GET", "/none");
      assert.deepEqual([status, body, headers["x-app"]], [202, "host", "1"]);
      assert.equal((await ask(port, "DELETE", "/hi")).status, 405);
      assert.deepEqual(statuses, [200, 202, 405]);
    });
  });

  test("keeps the host's Vary and other fields, except those that the app sets", () => {
    const host = (req: IncomingMessage, res: ServerResponse): void => {
      for (const [name, value] of Object.entries({ Vary: "Accept", "X-Own": "host", "X-Host": "1" }))
        res.setHeader(name, value);
      app.listener()(req, res);
    };
    return hosting(host, async (port) => {
      const { headers } = await ask(port, "GET", "/varies");
      const seen = [[headers["vary"]].flat().join(", "), headers["x-own"], headers["x-host"]];
      assert.deepEqual(seen, ["Accept, Origin", "app", "1"]);
    });
  });

  test("ROUTE-021: leaves OPTIONS * to a waiting host", () => {
    const host = (req: IncomingMessage, res: ServerResponse): void =>
      app.listener()(req, res, () => void res.writeHead(200, { Allow: "TRACE" }).end());
    return hosting(host, async (port) => {
      const { status, headers } = await ask(port, "OPTIONS", "*");
      assert.deepEqual([status, headers["allow"], headers["x-app"]], [200, "TRACE", "1"]);
      await hosting(app.listener(), async (alone) => {
        assert.equal((await ask(alone, "OPTIONS", "*")).headers["allow"], "GET, HEAD, OPTIONS, POST");
      });
    });
  });

  test("handles nothing on a connection that a response has ended", () =>
    hosting(app.listener(), async (port) => {
      handled.length = 0;
      completed.length = 0;
      const line = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n`;
      // Between a body and the next bytes, Node's parser lets all other due work run.
      const { text, closed } = wire(
        port,
        `${line("/last")}\r\n${line("/hi")}Content-Length: 1\r\n\r\n0${line("/stream")}\r\n`,
      );
      await closed;
      const responses = responsesOf(text()).map(({ body }) => body);
      assert.deepEqual([responses, handled], [["last"], ["/last", "/hi"]]);
      await until(() => completed.length === 2);
      assert.deepEqual(completed, ["/last", "/hi aborted"]);
    }));

  for (const [form, parsed] of Object.entries({ value: { a: 1 }, text: '{"a":1}', bytes: Buffer.from('{"a":1}') }))
    test(`accepts a body that the host has parsed to a ${form}`, () => {
      const listener = app.listener();
      const host = (req: IncomingMessage, res: ServerResponse): void => {
        req.resume().once("end", () => setImmediate(() => listener(Object.assign(req, { body: parsed }), res)));
      };
      return hosting(host, async (port) => {
        assert.equal(
          (await ask(port, "POST", "/echo", { "Content-Type": "application/json" }, '{"a":1}')).body,
          '{"a":1}',
        );
      });
    });
});
