/** The table of docs/migrating-from-express.md: each middleware from the registry, on node:http and in a host. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import compression from "compression";
import cookieParser from "cookie-parser";
import cors from "cors";
import express from "express";
import session from "express-session";
import helmet from "helmet";
import morgan from "morgan";
import multer from "multer";
import passport from "passport";
import local from "passport-local";
import { Framework } from "framework";
import { until } from "../testing/harness.testkit.ts";
import { connectRequest, fromConnect } from "./index.ts";

const lines: string[] = [];
const users = new passport.Passport();
users.use(new local.Strategy((name, password, done) => done(null, password === "secret" ? { name } : false)));
users.serializeUser((user, done) => done(null, user));
users.deserializeUser((user, done) => done(null, user));

/** Writes 64 incompressible pieces, no faster than they are read. */
function pieces(_req: object, res: ServerResponse): void {
  let left = 64;
  const write = (): void => {
    while (left > 0) {
      left -= 1;
      if (!res.write(randomBytes(48_000).toString("base64"))) return;
    }
    res.end();
  };
  res.setHeader("Content-Type", "text/plain").on("drain", write);
  write();
}

/** One app with all of them, each under a separate path. */
function createApp(): Framework {
  const app = Framework.create({ host: "127.0.0.1", logger: { warn: () => undefined, error: () => undefined } });
  const sessions = session({ secret: "x", resave: false, saveUninitialized: false });
  const under = (path: string, ...middleware: Parameters<typeof fromConnect>[0][]): void => {
    for (const one of middleware) app.use(path, fromConnect(one));
  };
  under("/helmet", helmet());
  under("/cors", cors({ origin: "https://app.example", credentials: true }));
  under("/cookies", cookieParser());
  under(
    "/morgan",
    morgan(":method :url :status :res[content-length]", { stream: { write: (line) => lines.push(line) } }),
  );
  under("/compression", compression({ threshold: 0 }));
  under("/compression/pieces", pieces);
  under("/session", sessions);
  under("/passport", express.json(), sessions, users.initialize(), users.session());
  under("/json", express.json());
  type Visits = { session: { visits?: number } };
  app
    .get("/helmet", () => "hello")
    .get("/cors", () => "hello")
    .get("/cookies", (ctx) => connectRequest<{ cookies: object }>(ctx).cookies)
    .get("/morgan", () => "hello")
    .get("/compression", () => "x".repeat(5_000))
    .get("/session", (ctx) => {
      const { session: mine } = connectRequest<Visits>(ctx);
      mine.visits = (mine.visits ?? 0) + 1;
      return { visits: mine.visits };
    })
    .post(
      "/passport/login",
      { use: [fromConnect(users.authenticate("local"))] },
      (ctx) => connectRequest<{ user: object }>(ctx).user,
    )
    .get("/passport/me", (ctx) => connectRequest<{ user?: object }>(ctx).user ?? { name: null })
    .post("/json", (ctx) => connectRequest<{ body: object }>(ctx).body)
    .post("/multer", { use: [fromConnect(multer({ limits: { fileSize: 10 } }).single("picture"))] }, (ctx) => {
      const { file, body } = connectRequest<{ file: { originalname: string; size: number }; body: object }>(ctx);
      return { name: file.originalname, size: file.size, ...body };
    });
  app.onError(multer.MulterError, (error, ctx) => ctx.status(413).text(error.code));
  return app;
}

const hosts: Readonly<Record<string, () => Promise<{ url: string; close(): unknown }>>> = {
  "node:http": async () => {
    const app = createApp();
    await app.start(0);
    return { url: `http://127.0.0.1:${app.port}`, close: () => app.stop({ graceMs: 0 }) };
  },
  "app.listener()": async () => {
    const server = createServer(createApp().listener());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      close: () => (server.closeAllConnections(), server.close()),
    };
  },
};

for (const [name, start] of Object.entries(hosts))
  describe(`fromConnect on ${name}`, () => {
    let host: { url: string; close(): unknown };
    before(async () => (host = await start()));
    after(() => host.close());
    const ask = (path: string, init: RequestInit = {}): Promise<Response> => fetch(host.url + path, init);
    const cookieOf = (response: Response): string => response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const json = (body: object): RequestInit => ({
      method: "POST",
      body: JSON.stringify(body),
      headers: { "Content-Type": "application/json" },
    });

    test("helmet sets its headers", async () => {
      const { headers } = await ask("/helmet");
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      assert.match(headers.get("content-security-policy") ?? "", /default-src 'self'/);
    });

    test("cors responds to preflights and marks responses", async () => {
      const asking = { Origin: "https://app.example", "Access-Control-Request-Method": "PUT" };
      const preflight = await ask("/cors", { method: "OPTIONS", headers: asking });
      const response = await ask("/cors", { headers: { Origin: "https://app.example" } });
      const shown = ({ status, headers }: Response): unknown => [
        status,
        headers.get("access-control-allow-origin"),
        headers.get("vary"),
      ];
      assert.deepEqual(shown(response), [200, "https://app.example", "Origin"]);
      assert.deepEqual(shown(preflight), [204, "https://app.example", "Origin, Access-Control-Request-Headers"]);
    });

    test("cookie-parser and express.json leave their results on req", async () => {
      assert.deepEqual(await (await ask("/cookies", { headers: { Cookie: "a=1; b=j:[2]" } })).json(), {
        a: "1",
        b: [2],
      });
      assert.deepEqual(await (await ask("/json", json({ a: 1 }))).json(), { a: 1 });
      const malformed = await ask("/json", { ...json({}), body: "{" });
      assert.equal(malformed.status, 400);
    });

    test("morgan logs the sent response", async () => {
      await (await ask("/morgan?a=1")).text();
      await until(() => lines.length > 0);
      assert.deepEqual(lines.splice(0), ["GET /morgan?a=1 200 5\n"]);
    });

    test("compression compresses whole responses and a middleware's pieces", async () => {
      const response = await ask("/compression", { headers: { "Accept-Encoding": "gzip" } });
      assert.deepEqual(
        [response.headers.get("content-encoding"), response.headers.get("vary"), (await response.text()).length],
        ["gzip", "Accept-Encoding", 5_000],
      );
      const written = await ask("/compression/pieces", {
        headers: { "Accept-Encoding": "gzip" },
        signal: AbortSignal.timeout(20_000),
      });
      const encoding = written.headers.get("content-encoding");
      assert.deepEqual([encoding, (await written.text()).length], ["gzip", 64 * 64_000]);
    });

    test("express-session keeps a session", async () => {
      const first = await ask("/session");
      assert.deepEqual(await first.json(), { visits: 1 });
      const second = await ask("/session", { headers: { Cookie: cookieOf(first) } });
      assert.deepEqual(await second.json(), { visits: 2 });
    });

    test("passport rejects, logs in and remembers", async () => {
      const rejected = await ask("/passport/login", json({ username: "ada", password: "wrong" }));
      assert.deepEqual([rejected.status, await rejected.text()], [401, "Unauthorized"]);
      const accepted = await ask("/passport/login", json({ username: "ada", password: "secret" }));
      assert.deepEqual([accepted.status, await accepted.json()], [200, { name: "ada" }]);
      const headers = { Cookie: cookieOf(accepted) };
      assert.deepEqual(await (await ask("/passport/me", { headers })).json(), { name: "ada" });
      assert.deepEqual(await (await ask("/passport/me")).json(), { name: null });
    });

    test("multer reads files, and its errors are mapped", async () => {
      const send = (picture: string): Promise<Response> => {
        const form = new FormData();
        form.append("caption", "Sky");
        form.append("picture", new Blob([picture]), "sky.png");
        return ask("/multer", { method: "POST", body: form });
      };
      assert.deepEqual(await (await send("12345")).json(), { name: "sky.png", size: 5, caption: "Sky" });
      const rejected = await send("x".repeat(11));
      assert.deepEqual([rejected.status, await rejected.text()], [413, "LIMIT_FILE_SIZE"]);
    });
  });

describe("docs/migrating-from-express.md", () => {
  test("lists exactly the middleware that is tested here", () => {
    let root = new URL("../..", import.meta.url);
    while (!existsSync(new URL("docs/errors.md", root)) && root.pathname !== "/") root = new URL("..", root);
    const guide = readFileSync(new URL("docs/migrating-from-express.md", root), "utf8");
    const listed = [...guide.matchAll(/^\| `([\w.-]+)` \| yes/gm)].map(([, name]) => name);
    const source = readFileSync(new URL("src/framework/connect/table.test.ts", root), "utf8");
    const tested = [...source.matchAll(/^    test\("([\w.-]+)(?: and ([\w.-]+))? /gm)].flatMap(([, one = "", two]) =>
      [one, two ?? []].flat(),
    );
    assert.deepEqual(listed.toSorted(), [...new Set(tested)].toSorted());
  });
});
