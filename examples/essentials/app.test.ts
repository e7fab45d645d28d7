/**
 * 38 features that a service needs, tested on one that is 130 lines long: each a request and a fact.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { PGlite } from "@electric-sql/pglite";
import { CompressionMiddleware, Framework } from "framework";
import { WebSocket } from "ws";
import { openPostgres } from "../postgres.ts";
import { createApp } from "./app.ts";

const folder = mkdtempSync(join(tmpdir(), "essentials-"));
const [files, uploads] = [join(folder, "files"), join(folder, "uploads")];
const lines: Record<string, unknown>[] = [];
const logged: string[] = [];
const say = (line: string): void => void logged.push(line);
let app: Framework;
let upstream: Framework;
let pool: PGlite;
let isPoolClosed = false;

before(async () => {
  for (const path of [files, uploads]) mkdirSync(path);
  writeFileSync(join(files, "digits.txt"), "0123456789");
  upstream = Framework.create({ host: "127.0.0.1" }).use(new CompressionMiddleware({ minBytes: 1 }));
  upstream.get("/hello", (ctx) => ctx.setHeader("X-From", "upstream").text("hello from upstream"));
  await upstream.start(0);
  pool = await openPostgres();
  app = createApp({
    pool: {
      query: (text, values) => pool.query(text, values),
      close: async () => (await pool.close(), void (isPoolClosed = true)),
    },
    files,
    uploads,
    upstream: upstream.url,
    secret: "0123456789abcdef0123456789abcdef",
    password: "open sesame",
    logger: { info: say, warn: say, error: say },
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  await app.start(0);
});
after(async () => {
  await app.stop();
  await upstream.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A response as plain data: its status, its body, and the requested fields. */
async function ask(path: string, init: RequestInit = {}, ...fields: readonly string[]): Promise<readonly unknown[]> {
  const response = await fetch(`${app.url}${path}`, { redirect: "manual", ...init });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  const value: unknown = isJson ? JSON.parse(text) : text;
  return [response.status, value, ...fields.map((name) => response.headers.get(name))];
}

/** The same, with only the sentence of an error's body. */
async function rejected(...given: Parameters<typeof ask>): Promise<readonly unknown[]> {
  const [status, body, ...fields] = await ask(...given);
  return [status, (body as { readonly detail?: string }).detail, ...fields];
}

const json = (method: string, body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method,
  body: JSON.stringify(body),
  headers: { "Content-Type": "application/json", ...headers },
});
const headers = (given: Record<string, string>): RequestInit => ({ headers: given });

/** The `Cookie` that a browser would send after that response. */
async function cookieOf(path: string, init: RequestInit): Promise<string> {
  const response = await fetch(`${app.url}${path}`, init);
  await response.arrayBuffer();
  return response.headers
    .getSetCookie()
    .flatMap((line) => line.split(";")[0] ?? [])
    .join("; ");
}

const loggingIn = (password: string): RequestInit => ({
  method: "POST",
  body: new URLSearchParams({ name: "admin", password }),
});
let session = "";
let token = "";

async function until(ready: () => boolean): Promise<void> {
  while (!ready()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** In this order, since a check reads what an earlier one created. */
const checks: Readonly<Record<string, () => Promise<void>>> = {
  "routing: a path that nothing has is 404, as a problem": async () => {
    const [status, body, type] = await ask("/nothing", {}, "content-type");
    assert.deepEqual([status, (body as { status: number }).status, type], [404, 404, "application/problem+json"]);
  },
  "routing: a method that a path has not is 405 with those it has": async () =>
    assert.deepEqual((await ask("/notes/1", { method: "PATCH" }, "allow"))[2], "GET, HEAD, OPTIONS, PUT"),
  "routing: HEAD has the head of GET, and OPTIONS the methods": async () => {
    assert.deepEqual(await ask("/theme", { method: "HEAD" }, "content-length"), [200, "", "5"]);
    assert.equal((await ask("/notes", { method: "OPTIONS" }))[0], 204);
  },
  "validation: a body that fits is taken, and comes back typed": async () =>
    assert.deepEqual(await ask("/notes", json("POST", { text: " Buy milk " }), "location"), [
      201,
      { id: 1, text: "Buy milk", version: 1 },
      "/notes/1",
    ]),
  "validation: a body that does not is 422 and names each mistake": async () => {
    const [status, body] = await ask("/notes", json("POST", { text: "", colour: "red" }));
    const { errors } = body as { errors: { path: unknown[] }[] };
    assert.deepEqual([status, errors.map(({ path }) => path)], [422, [["text"], []]]);
  },
  "validation: so is a query, and a path": async () => {
    assert.equal((await ask("/notes?limit=0"))[0], 422);
    assert.equal((await ask("/notes/x"))[0], 422);
  },
  "validation: another media type is 415, and no JSON 400": async () => {
    assert.equal((await ask("/notes", { method: "POST", body: "text" }))[0], 415);
    assert.equal((await ask("/notes", { ...json("POST", {}), body: "{" }))[0], 400);
  },
  "pool: what was written is read, by another request": async () =>
    assert.deepEqual(await ask("/notes?limit=5"), [200, [{ id: 1, text: "Buy milk", version: 1 }]]),
  "pool: what is not there is 404, in the handler's words": async () =>
    assert.deepEqual(await rejected("/notes/7"), [404, "there is no note 7"]),
  "QUERY: a search has a body": async () =>
    assert.deepEqual(await ask("/notes", json("QUERY", { text: "Buy milk" })), [
      200,
      [{ id: 1, text: "Buy milk", version: 1 }],
    ]),
  "errors: an unexpected one is 500, and says nothing of its cause": async () => {
    const [status, body] = await ask("/broken");
    assert.deepEqual([status, JSON.stringify(body).includes("swordfish")], [500, false]);
    assert.ok(logged.length > 0);
  },
  "ETag: a response that the client has is 304": async () => {
    const [, , etag] = await ask("/notes/1", {}, "etag");
    assert.deepEqual(await ask("/notes/1", headers({ "If-None-Match": String(etag) })), [304, ""]);
  },
  "conditions: who has not seen the last change gets 412": async () => {
    const change = (version: string) => ask("/notes/1", json("PUT", { text: "Buy oats" }, { "If-Match": version }));
    assert.deepEqual(await change('"1"'), [200, { id: 1, text: "Buy oats", version: 2 }]);
    assert.equal((await change('"1"'))[0], 412);
  },
  "compression: a large response is compressed for those who take it": async () => {
    for (let at = 0; at < 3; at += 1) await ask("/notes", json("POST", { text: "x".repeat(900) }));
    const [, , coding, vary] = await ask("/notes", headers({ "Accept-Encoding": "gzip" }), "content-encoding", "vary");
    assert.deepEqual([coding, /accept-encoding/i.test(String(vary))], ["gzip", true]);
    assert.equal((await ask("/notes", headers({ "Accept-Encoding": "identity" }), "content-encoding"))[2], null);
  },
  "static: a file has its type and a tag": async () =>
    assert.deepEqual(await ask("/files/digits.txt", {}, "content-type", "accept-ranges"), [
      200,
      "0123456789",
      "text/plain; charset=utf-8",
      "bytes",
    ]),
  "static: a part of it is 206": async () =>
    assert.deepEqual(await ask("/files/digits.txt", headers({ Range: "bytes=2-4" }), "content-range"), [
      206,
      "234",
      "bytes 2-4/10",
    ]),
  "static: nothing outside of its folder is a file": async () => {
    for (const path of ["/files/..%2f..%2fetc%2fpasswd", "/files/%2e%2e/app.js", "/files/.env"])
      assert.ok([400, 404].includes(Number((await ask(path))[0])), path);
  },
  "downloads: a stream has a file's name, in any alphabet": async () =>
    assert.deepEqual(await ask("/report", {}, "content-disposition"), [
      200,
      "1\n2\n",
      "attachment; filename=\"?bersicht.csv\"; filename*=UTF-8''%C3%9Cbersicht.csv",
    ]),
  "cookies: one is set with careful attributes": async () =>
    assert.deepEqual(
      (await ask("/theme/dark", { method: "PUT" }, "set-cookie"))[2],
      ["theme=dark; Path=/; Max-Age=60; Secure; HttpOnly; SameSite=Lax"][0],
    ),
  "cookies: and read": async () => assert.equal((await ask("/theme", headers({ cookie: "theme=dark" })))[1], "dark"),
  "cookies: a signed one cannot be changed": async () => {
    const cookie = await cookieOf("/coupon", { method: "POST" });
    assert.equal((await ask("/coupon", headers({ cookie })))[1], "SPRING");
    assert.equal((await ask("/coupon", headers({ cookie: cookie.replace("SPRING", "WINTER") })))[1], "none");
  },
  "session: who has not logged in is nobody": async () => assert.equal((await ask("/me"))[0], 401),
  "session: a login, by a form, is known afterwards": async () => {
    const response = await fetch(`${app.url}/login`, loggingIn("open sesame"));
    ({ token } = (await response.json()) as { token: string });
    session = response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    assert.deepEqual(await ask("/me", headers({ cookie: session })), [200, "admin"]);
  },
  "session: its cookie is unreadable, and worth nothing once changed": async () => {
    assert.equal(session.includes("admin"), false);
    assert.equal((await ask("/me", headers({ cookie: `${session.slice(0, -2)}AA` })))[0], 401);
  },
  "session: a logout ends it in this browser": async () =>
    assert.equal(await cookieOf("/logout", { method: "POST", headers: { cookie: session } }), "__Host-session="),
  "JWT: a token opens what needs its role": async () =>
    assert.deepEqual(await ask("/admin", headers({ authorization: `Bearer ${token}` })), [
      200,
      { id: "admin", roles: ["admin"], scopes: [] },
    ]),
  "JWT: none, and a changed one, are 401 with what is wanted": async () => {
    const [missing, wrong] = [
      await ask("/admin", {}, "www-authenticate"),
      await ask("/admin", headers({ authorization: "Bearer a.b.c" })),
    ];
    assert.deepEqual([missing[0], missing[2], wrong[0]], [401, 'Bearer realm="api"', 401]);
  },
  "rate limit: who guesses too often gets 429, and when to come back": async () => {
    const statuses = [];
    for (let at = 0; at < 3; at += 1) statuses.push((await ask("/login", loggingIn("guessed"), "retry-after"))[0]);
    assert.deepEqual(statuses, [401, 401, 429]);
    assert.match(String((await ask("/theme", {}, "ratelimit"))[2]), /^"default";r=\d+;t=\d+$/);
  },
  "uploads: a file is streamed to the disk under a name of the server's": async () => {
    const body = new FormData();
    body.append("file", new Blob(["some bytes"]), "../../evil.txt");
    assert.deepEqual(await ask("/uploads", { method: "POST", body }), [200, [{ name: "evil.txt", bytes: 10 }]]);
    const [name = ""] = readdirSync(uploads);
    assert.match(name, /^[\da-f-]{36}\.txt$/);
  },
  "uploads: too many files are 413, a form that is cut short 400": async () => {
    const body = new FormData();
    for (const name of ["a", "b", "c"]) body.append(name, new Blob(["x"]), name);
    assert.equal((await ask("/uploads", { method: "POST", body }))[0], 413);
    const cut = { method: "POST", body: "--b\r\n", ...headers({ "Content-Type": "multipart/form-data; boundary=b" }) };
    assert.equal((await ask("/uploads", cut))[0], 400);
  },
  "uploads: the contract holds a file to its type and size": async () => {
    const put = async (type: string, size: number): Promise<unknown> => {
      const body = new FormData();
      body.append("picture", new Blob(["x".repeat(size)], { type }), "a.png");
      return (await ask("/picture", { method: "PUT", body }))[0];
    };
    assert.deepEqual(
      [await put("image/png", 10), await put("text/html", 10), await put("image/png", 2_000)],
      [200, 422, 413],
    );
  },
  "proxy: another service's response is passed on, decoded once": async () =>
    assert.deepEqual(
      await ask("/upstream/hello", headers({ "Accept-Encoding": "identity" }), "x-from", "content-encoding"),
      [200, "hello from upstream", "upstream", null],
    ),
  "security headers, CORS: on every response, for the origins that are named": async () => {
    const names = ["x-content-type-options", "access-control-allow-origin"];
    assert.deepEqual((await ask("/nothing", headers({ origin: "https://app.example" }), ...names)).slice(2), [
      "nosniff",
      "https://app.example",
    ]);
    assert.equal((await ask("/theme", headers({ origin: "https://evil.example" }), ...names))[3], null);
  },
  "request id, access log, ctx.log: a request is told by one id": async () => {
    assert.equal((await ask("/slow", headers({ "X-Request-Id": "order-7" }), "x-request-id"))[2], "order-7");
    const line = (): Record<string, unknown> | undefined => lines.find(({ requestId }) => requestId === "order-7");
    await until(() => line() !== undefined);
    assert.deepEqual([line()?.["path"], line()?.["status"], logged.includes("a slow one")], ["/slow", 200, true]);
  },
  "health, metrics: both tell of what is here": async () => {
    assert.deepEqual(await ask("/health"), [200, { status: "UP", checks: { pool: "UP" } }]);
    assert.match(String((await ask("/metrics"))[1]), /http_route="\/notes\/\{id\}"/);
  },
  "OpenAPI: the document has the routes and their schemas": async () => {
    const [, document] = await ask("/openapi.json");
    const { paths, components } = document as { paths: Record<string, object>; components: { schemas: object } };
    assert.deepEqual(Object.keys(paths["/notes/{id}"] ?? {}).toSorted(), ["get", "put"]);
    assert.ok("Note" in components.schemas);
  },
  "WebSocket, events: a message reaches both kinds of clients": async () => {
    const leaving = new AbortController();
    const events = await fetch(`${app.url}/rooms/blue/events`, { signal: leaving.signal });
    const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
    const socket = new WebSocket(`${app.url.replace("http", "ws")}/rooms/blue`);
    await once(socket, "open");
    const [first, event] = [once(socket, "message"), reader?.read()];
    const sending = setInterval(() => socket.send("hello"), 10);
    const message: unknown = (await first)[0];
    assert.deepEqual([String(message), (await event)?.value?.includes("data: hello")], ["hello", true]);
    clearInterval(sending);
    socket.close();
    leaving.abort();
    await reader?.cancel().catch(() => undefined);
  },
  "background, stop: a job works beside, a request in flight is completed, and the pool closes last": async () => {
    const [, made] = await ask("/notes", json("POST", { text: "sweep me" }));
    const { id } = made as { id: number };
    while ((await ask(`/notes/${id}`))[0] !== 404) await new Promise((resolve) => setTimeout(resolve, 10));
    const slow = ask("/slow", headers({ "X-Request-Id": "the-last" }));
    await until(() => logged.filter((line) => line === "a slow one").length === 2);
    await app.stop();
    assert.deepEqual([await slow, isPoolClosed], [[200, "done"], true]);
    await assert.rejects(fetch(app.url));
  },
};

describe("a whole service", () => {
  for (const [title, check] of Object.entries(checks)) test(title, check);

  test("has 38 features, and is 130 lines long at most, without comments and blank lines", () => {
    const source = readFileSync(fileURLToPath(new URL("../../../examples/essentials/app.ts", import.meta.url)), "utf8");
    const code = source.split("\n").filter((line) => line.trim() !== "" && !/^\s*(?:\/\/|\/?\*)/.test(line));
    assert.equal(Object.keys(checks).length, 38);
    assert.ok(code.length <= 130, `${code.length} lines`);
    assert.deepEqual(
      code.filter((line) => line.length > 120),
      [],
    );
  });
});
