/**
 * The token: devtools are not readable without it, a link opens the page, a tool sends a header.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import crypto from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { Beans, type Context, Framework, NodeHttp2Engine, NodeHttpEngine } from "framework";
import { Devtools } from "../index.ts";
import { TOKEN_HEADER } from "../run/wire.ts";
import { keptSecret, Token } from "./token.ts";

const secret = "a-secret-of-enough-characters";
const dev = "/framework/dev";
const api = ["/api/routes", "/api/graph", "/api/requests", "/api/stream"].map((path) => dev + path);

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** An app that requires the token, and a way to request it over a socket. */
async function asking(
  t: TestContext,
  { engine = new NodeHttpEngine(), contextPath = "" } = {},
): Promise<{
  lines: string[];
  port: () => number;
  ask(path: string, headers?: Record<string, string>): Promise<Reply>;
}> {
  const lines: string[] = [];
  const logger = { warn: (line: string) => void lines.push(line), error: () => undefined };
  const beans = Beans.builder().start();
  const app = Framework.create({ host: "127.0.0.1", engine, contextPath, logger }).beans(beans);
  Devtools.create({ token: secret }).install(app, beans);
  await app.get("/", () => "home").start(0);
  t.after(() => app.stop({ graceMs: 0 }));
  return {
    lines,
    port: () => app.port,
    async ask(path, headers = {}) {
      const response = await fetch(`http://127.0.0.1:${app.port}${path}`, { headers, redirect: "manual" });
      const isEndless = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
      if (isEndless) await response.body?.cancel();
      return { status: response.status, text: isEndless ? "" : await response.text(), headers: response.headers };
    },
  };
}

const cookieOf = ({ headers }: Reply): string => headers.get("set-cookie")?.split(";")[0] ?? "";

describe("devtools that require a token", () => {
  for (const engine of [new NodeHttpEngine(), new NodeHttp2Engine()])
    it(`show nothing without it, or with another one, on ${engine.name}`, async (t) => {
      const { ask } = await asking(t, { engine });
      const wrong: readonly Record<string, string>[] = [
        {},
        { [TOKEN_HEADER]: "" },
        { [TOKEN_HEADER]: `${secret}x` },
        { [TOKEN_HEADER]: `${secret}, ${secret}` },
        { cookie: `framework-dev-00000000=${secret}` },
        { cookie: `token=${secret}` },
        { authorization: `Bearer ${secret}` },
      ];
      for (const headers of wrong)
        for (const path of [
          dev,
          `${dev}?token=`,
          `${dev}?token=x&token=${secret}`,
          `${dev}?token=${secret}&token=x`,
          `${api[0]}?token=${secret}`,
          ...api,
        ]) {
          const { status, text } = await ask(path, headers);
          assert.equal(status, 403, path);
          assert.match(text, /^Devtools rejected the request: the token is missing or another one\. Open the link/);
        }
      assert.equal((await ask("/")).text, "home");
    });

  it("exchange the link for a cookie, which the page and its requests are served with", async (t) => {
    const { ask, lines } = await asking(t, { contextPath: "/shop" });
    const link = new URL(/http:\S+/.exec(lines.join())?.[0] ?? "").href;
    const { pathname, search } = new URL(link);
    assert.equal(pathname + search, `/shop${dev}?token=${secret}`);
    const entered = await ask(pathname + search);
    assert.deepEqual([entered.status, entered.headers.get("location"), entered.text], [303, "dev", ""]);
    assert.match(
      entered.headers.get("set-cookie") ?? "",
      /^framework-dev-[0-9a-f]{8}=[^;]+; HttpOnly; SameSite=Strict$/,
    );
    assert.equal((await ask(`/shop${dev}/${search}`)).headers.get("location"), "../dev");
    for (const path of [dev, ...api])
      assert.equal((await ask(`/shop${path}`, { cookie: cookieOf(entered) })).status, 200);
  });

  it("serve tools that send the header", async (t) => {
    const { ask } = await asking(t);
    for (const path of [dev, ...api]) assert.equal((await ask(path, { [TOKEN_HEADER]: secret })).status, 200);
  });

  it("reject a client that sends the header twice", async (t) => {
    const { port } = await asking(t);
    const sent = request({ port: port(), path: api[0], headers: { [TOKEN_HEADER]: [secret, "x"] } }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    response.resume();
    assert.equal(response.statusCode, 403);
  });

  it("have a separate cookie for each token, since the ports of a machine share theirs", () => {
    const names = [secret, `${secret}2`].map((text) => new Token(text).cookie.split("=")[0]);
    assert.notEqual(names[0], names[1]);
  });

  it("keep the token out of their recordings", async (t) => {
    const { ask } = await asking(t);
    await ask(`/?token=${secret}`, { [TOKEN_HEADER]: secret, cookie: `framework-dev-1=${secret}` });
    const { text } = await ask(`${dev}/api/requests`, { [TOKEN_HEADER]: secret });
    assert.equal(JSON.parse(text).length, 1);
    assert.doesNotMatch(text, new RegExp(secret));
  });

  it("compare the token as a whole, in a time that does not reveal how much of it was right", (t) => {
    const compared: number[][] = [];
    const equal = t.mock.method(crypto, "timingSafeEqual", (a: Uint8Array, b: Uint8Array) => {
      compared.push([a.byteLength, b.byteLength]);
      return true;
    });
    syncBuiltinESMExports();
    try {
      const token = new Token(secret);
      const by = (given: string): Context =>
        ({ headerValues: () => [given], cookie: () => given, queryParams: () => [given] }) as unknown as Context;
      // Its result counts, since nothing else has checked the secret.
      for (const given of ["", "x", `${secret}x`, secret])
        assert.deepEqual([token.isShownBy(by(given)), token.isLink(by(given))], [true, true]);
      equal.mock.mockImplementation(() => false);
      assert.deepEqual([token.isShownBy(by(secret)), token.isLink(by(secret))], [false, false]);
    } finally {
      equal.mock.restore();
      syncBuiltinESMExports();
    }
    assert.deepEqual(
      compared,
      Array.from({ length: 8 }, () => [32, 32]),
    );
  });

  it("print the link, otherwise that a proxy on this machine counts as this machine", async (t) => {
    const { lines } = await asking(t);
    assert.match(lines.join(), new RegExp(`${dev}\\?token=${secret} shows arguments .* to all who open this link$`));
  });
});

describe("keptSecret", () => {
  const project = (t: TestContext): string => {
    const folder = mkdtempSync(join(tmpdir(), "framework-token-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  };

  it("makes a secret of 256 bits that only its owner can read and git ignores, and keeps it", (t) => {
    const folder = project(t);
    const made = keptSecret(folder);
    assert.match(made, /^[A-Za-z0-9_-]{43}$/);
    const file = join(folder, ".framework", "devtools-token");
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(readFileSync(join(folder, ".framework", ".gitignore"), "utf8"), "*\n");
    assert.deepEqual([keptSecret(folder), readFileSync(file, "utf8").trim()], [made, made]);
    assert.notEqual(keptSecret(project(t)), made);
    writeFileSync(join(folder, ".framework", ".gitignore"), "own");
    assert.deepEqual(
      [keptSecret(folder), readFileSync(join(folder, ".framework", ".gitignore"), "utf8")],
      [made, "own"],
    );
  });

  it("makes it if the folder has other files", (t) => {
    const folder = project(t);
    mkdirSync(join(folder, ".framework"));
    assert.equal(keptSecret(folder), keptSecret(folder));
  });

  it("names the file that it cannot use", (t) => {
    const folder = project(t);
    mkdirSync(join(folder, ".framework"));
    writeFileSync(join(folder, ".framework", "devtools-token"), "short");
    assert.throws(() => keptSecret(folder), /devtools-token holds no devtools token: delete it/);
    assert.throws(
      () => keptSecret(join(folder, ".framework", "devtools-token")),
      ({ message, cause }: Error) =>
        /cannot be kept in .* name one instead/.test(message) && (cause as { code: string }).code === "ENOTDIR",
    );
  });
});
