/**
 * Endpoints against hostile requests, over real sockets. Every entrance is guarded.
 */
import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { Beans, CorsMiddleware, Framework, Interface, RequestIdMiddleware } from "framework";
import { Devtools, type Trace } from "./index.ts";

interface Keeper {
  keep(what: unknown): unknown;
}
const Keeper = Interface<Keeper>("Keeper");

function subjectWith(devtools: Devtools): Framework {
  const beans = Beans.builder()
    .bind(Keeper, () => ({ keep: (what) => what }))
    .instrument(devtools.recorder())
    .buildLazy();
  const app = Framework.create({ host: "127.0.0.1", logger: { warn: () => undefined, error: () => undefined } })
    .use(CorsMiddleware.permissive())
    .use(new RequestIdMiddleware())
    .get("/keep/{what}", (ctx) => ctx.get(Keeper).keep(ctx.pathParam("what")))
    .post("/secrets/{password}", async (ctx) => {
      ctx.get(Keeper).keep({ apiKey: ctx.query["token"]?.[0], nested: [await ctx.body()] });
      throw new Error(`Bearer ${ctx.queryParam("access_token")} was rejected`);
    });
  devtools.install(app.beans(beans), beans);
  return app;
}

const dev = "/framework/dev";
const reads = [`${dev}/api/routes`, `${dev}/api/graph`, `${dev}/api/requests`];

/** The bytes of a separate connection, until it is closed or `enough` returns true. */
function raw(port: number, head: string, enough: (text: string) => boolean = () => false): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(head));
    socket.setEncoding("latin1").on("error", reject);
    socket.on("data", (chunk: string) => {
      seen += chunk;
      if (enough(seen)) socket.destroy();
    });
    socket.on("close", () => resolve(seen));
  });
}

const statusOf = (response: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1]);
const bodyOf = (response: string): string => response.slice(response.indexOf("\r\n\r\n") + 4);

describe("devtools' endpoints", () => {
  let app: Framework;
  const ask = (target: string, method = "GET", headers = "Host: localhost", body = ""): Promise<string> =>
    raw(app.port, `${method} ${target} HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n${body}`);
  const traces = async (): Promise<Trace[]> => JSON.parse(bodyOf(await ask(`${dev}/api/requests`))) as Trace[];

  before(async () => {
    app = subjectWith(Devtools.create());
    await app.start(0);
  });
  after(() => app.stop({ graceMs: 100 }));

  it("no spelling of a path gets past the guard", async () => {
    await ask("/keep/canary-17");
    const ways = [
      "/framework/dev/api/requests",
      "/framework/dev/api/requests/",
      "/framework/dev/api/requests?x",
      "/%66ramework/dev/api/requests",
      "/framework/%64ev/api/requests",
      "/framework/dev/api%2frequests",
      "//framework/dev/api/requests",
      "/framework//dev/api/requests",
      "/framework/dev/../dev/api/requests",
      "/x/../framework/dev/api/requests",
      "/x/%2e%2e/framework/dev/api/requests",
      "/FRAMEWORK/dev/api/requests",
      "/framework/dev/api/requests#x",
      "http://localhost/framework/dev/api/requests",
      "http://evil.test/framework/dev/api/requests",
    ];
    for (const way of ways) {
      const response = await ask(way, "GET", "Host: evil.test");
      assert.ok([400, 403, 404].includes(statusOf(response)), `${way}: ${response.slice(0, 60)}`);
      assert.ok(!response.includes("canary-17"), way);
    }
  });

  it("an upgrade request is guarded like any other", async () => {
    const upgrade = "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==";
    for (const path of [dev, `${dev}/x`, ...reads, `${dev}/api/stream`]) {
      const response = await raw(app.port, `GET ${path} HTTP/1.1\r\nHost: evil.test\r\n${upgrade}\r\n\r\n`, (text) =>
        text.includes("\r\n\r\n"),
      );
      assert.equal(statusOf(response), 403, path);
    }
  });

  it("GUARD-010: no response carries a CORS header, not even to a preflight", async () => {
    const from =
      "Origin: https://evil.test\r\nAccess-Control-Request-Method: GET\r\nAccess-Control-Request-Private-Network: true";
    for (const path of [dev, `${dev}/x`, ...reads, `${dev}/api/stream`])
      for (const method of ["OPTIONS", "GET", "POST"]) {
        const response = await ask(path, method, `Host: localhost\r\n${from}`);
        assert.deepEqual([statusOf(response), /^access-control/im.test(response)], [403, false], `${method} ${path}`);
      }
  });

  it("GUARD-012: the page's policy allows exactly the script and style in it, and no other inline code", async () => {
    const response = await ask(dev);
    assert.equal(statusOf(response), 200);
    const html = Buffer.from(bodyOf(response), "latin1").toString("utf8");
    const hashes = (tag: string): string =>
      [...html.matchAll(new RegExp(`<${tag}(?: type=module)?>([\\s\\S]*?)</${tag}>`, "g"))]
        .map(([, text = ""]) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`)
        .join(" ");
    const policy = [
      "default-src 'none'",
      `script-src ${hashes("script")}`,
      `style-src ${hashes("style")}`,
      "connect-src 'self'",
      "img-src data:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ];
    assert.equal(/^content-security-policy: (.*)\r$/im.exec(response)?.[1], policy.join("; "));
    const markup = html.replaceAll(/<(script|style)(?: type=module)?>[\s\S]*?<\/\1>/g, "");
    assert.doesNotMatch(markup, /\s(?:on\w+|style)=/i);
  });

  it("TRACE-030: no secret leaks, whichever way it entered", async () => {
    const canaries = Array.from({ length: 9 }, (_, index) => `s3cr3t-canary-${index}`);
    const body = JSON.stringify({ user: { passwd: canaries[0], cards: [{ cvv: canaries[1] }] } });
    const listening = raw(app.port, `GET ${dev}/api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n`, (text) =>
      text.includes("/secrets/"),
    );
    await ask(`${dev}/api/routes`);
    const response = await ask(
      `/secrets/${canaries[2]}?token=${canaries[3]}&access_token=${canaries[4]}`,
      "POST",
      [
        "Host: localhost",
        `Authorization: Basic ${canaries[5]}`,
        `Cookie: sid=${canaries[6]}`,
        `X-Api-Key: ${canaries[7]}`,
        `Referer: https://ada:${canaries[8]}@example.test/`,
        "Content-Type: application/json",
        `Content-Length: ${body.length}`,
      ].join("\r\n"),
      body,
    );
    assert.equal(statusOf(response), 500);
    const [trace] = await traces();
    assert.equal(trace?.route, "/secrets/{password}");
    const shown = (await Promise.all([listening, ...[dev, ...reads].map((path) => ask(path))])).join("");
    assert.deepEqual(
      canaries.filter((canary) => shown.includes(canary)),
      [],
    );
    assert.match(shown, /\[redacted\]/);
  });

  it("two requests with the same id stay apart", async () => {
    const ids = "Host: localhost\r\nX-Request-Id: twin\r\nX-Framework-Dev: twin";
    await Promise.all([ask("/keep/a", "GET", ids), ask("/keep/b", "GET", ids)]);
    const twins = (await traces()).filter(({ id }) => id === "twin");
    assert.deepEqual(twins.map(({ path, calls }) => [path, calls.map(({ args }) => args)]).toSorted(), [
      ["/keep/a", [["a"]]],
      ["/keep/b", [["b"]]],
    ]);
    assert.notEqual(twins[0]?.sequence, twins[1]?.sequence);
  });

  it("TRACE-027: requests of one connection stay apart, one after the other and pipelined", async () => {
    const nonces = Array.from({ length: 20 }, (_, index) => `pipe-${index}`);
    const requests = nonces.map((nonce, index) => {
      const last = index === nonces.length - 1 ? "Connection: close\r\n" : "";
      return `GET /keep/${nonce} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${nonce}\r\n${last}\r\n`;
    });
    await raw(app.port, requests.join(""));
    const seen = (await traces()).filter(({ id }) => id.startsWith("pipe-"));
    assert.deepEqual(
      seen.map(({ id, calls }) => [id, calls.map(({ args }) => args)]),
      nonces.toReversed().map((nonce) => [nonce, [[nonce]]]),
    );
  });
});

describe("devtools that are off", () => {
  /**
   * How often an asynchronous context was entered (by a request and a call in it) during requests for `/keep/x` and devtools'
   * paths.
   */
  async function contexts(env: string | undefined): Promise<readonly unknown[]> {
    if (env !== undefined) process.env["FRAMEWORK_DEVTOOLS"] = env;
    const app = subjectWith(Devtools.create());
    delete process.env["FRAMEWORK_DEVTOOLS"];
    await app.start(0);
    const { run } = AsyncLocalStorage.prototype;
    let entered = 0;
    AsyncLocalStorage.prototype.run = function (this: AsyncLocalStorage<unknown>, ...args: Parameters<typeof run>) {
      entered += 1;
      return run.apply(this, args);
    } as typeof run;
    try {
      const statuses: number[] = [];
      for (const path of ["/keep/x", dev, ...reads])
        statuses.push(
          statusOf(await raw(app.port, `GET ${path} HTTP/1.1\r\nHost: x.test\r\nConnection: close\r\n\r\n`)),
        );
      return [statuses, entered];
    } finally {
      AsyncLocalStorage.prototype.run = run;
      await app.stop({ graceMs: 100 });
    }
  }

  it("enter no asynchronous context and mount nothing", async () => {
    assert.deepEqual(await contexts(undefined), [[200, 403, 403, 403, 403], 2]);
    assert.deepEqual(await contexts("off"), [[200, 404, 404, 404, 404], 0]);
  });
});

describe("calls outside any request", () => {
  it("are recorded nowhere", async () => {
    const devtools = Devtools.create();
    const beans = Beans.builder()
      .bind(Keeper, () => ({ keep: (what) => what }))
      .instrument(devtools.recorder())
      .start();
    const app = Framework.create({ host: "127.0.0.1", logger: { warn: () => undefined, error: () => undefined } });
    devtools.install(app.get("/keep", (ctx) => ctx.get(Keeper).keep("inside")).beans(beans), beans);
    const keeper = beans.get(Keeper);
    keeper.keep("before");
    await app.start(0);
    try {
      const timer = setInterval(() => keeper.keep("beside"), 1);
      await raw(app.port, "GET /keep HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      clearInterval(timer);
      const shown = bodyOf(
        await raw(app.port, `GET ${dev}/api/requests HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
      );
      const [trace] = JSON.parse(shown) as Trace[];
      assert.deepEqual(
        trace?.calls.map(({ args }) => args),
        [["inside"]],
      );
    } finally {
      await app.stop({ graceMs: 100 });
    }
  });
});
