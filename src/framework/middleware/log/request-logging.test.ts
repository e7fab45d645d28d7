import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, test, type TestContext } from "node:test";
import { HttpError } from "../../internal/errors.ts";
import { Framework } from "../../app/framework.ts";
import type { AccessLogLine } from "./log-line.ts";
import { RequestIdMiddleware } from "../request-id/request-id.ts";
import { RequestLoggingMiddleware, type RequestLoggingOptions } from "./request-logging.ts";

const quiet = { warn: (): void => undefined, error: (): void => undefined };

async function serve(
  t: TestContext,
  options: RequestLoggingOptions = {},
): Promise<{ app: Framework; lines: string[]; middleware: RequestLoggingMiddleware }> {
  const lines: string[] = [];
  const middleware = new RequestLoggingMiddleware({
    format: "json",
    write: (line) => void lines.push(line),
    ...options,
  });
  const app = Framework.create({ host: "127.0.0.1", logger: quiet, maxBodyBytes: 10, contextPath: "/shop" })
    .use(new RequestIdMiddleware())
    .use(middleware)
    .get("/users/{id}", () => "user")
    .post("/echo", async (ctx) => ctx.json(await ctx.body()))
    .get("/boom", () => {
      throw new Error("boom");
    })
    .get("/fail", () => {
      throw new HttpError(418, "tea");
    })
    .get("/hang", () => new Promise(() => undefined))
    .get("/traced", (ctx) => {
      const [traceId = "", spanId = ""] = ctx.queryParams("id");
      return ctx.attribute("traceId", traceId).attribute("spanId", spanId).text("");
    });
  await app.start(0);
  t.after(() => app.stop({ graceMs: 0 }));
  return { app, lines, middleware };
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!condition()) {
    if (performance.now() > deadline) assert.fail("the condition never held");
    await new Promise((done) => setTimeout(done, 5));
  }
}

/** The records, with time and duration checked and removed. */
function records(lines: readonly string[]): unknown[] {
  return lines.map((line) => {
    assert.match(line, /^[ -~]+$/);
    const { time, durationUs, ...rest } = JSON.parse(line) as AccessLogLine;
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(Number.isInteger(durationUs) && durationUs >= 0);
    return rest;
  });
}

const sent = { "x-request-id": "r1", "user-agent": "tester" };
const common = { method: "GET", remoteAddress: "127.0.0.1", requestId: "r1", userAgent: "tester" };

describe("RequestLoggingMiddleware", () => {
  test("writes one JSON line for each request with its raw path, pattern, final status and bytes", async (t) => {
    const { app, lines } = await serve(t);
    for (const path of ["/users/J%C3%BCrgen?secret=1", "/boom", "/fail", "/nowhere"]) {
      await (await fetch(app.url + path, { headers: sent })).text();
    }
    await until(() => lines.length === 4);
    const seen = records(lines) as (AccessLogLine & { bytes: number })[];
    const bytes = seen.map((one) => one.bytes);
    assert.deepEqual([bytes[0], bytes.slice(1).every((count) => count > 20)], [4, true]);
    assert.deepEqual(
      seen.map(({ bytes: _, ...rest }) => rest),
      [
        { ...common, path: "/shop/users/J%C3%BCrgen", route: "/shop/users/{id}", status: 200 },
        { ...common, path: "/shop/boom", route: "/shop/boom", status: 500 },
        { ...common, path: "/shop/fail", route: "/shop/fail", status: 418 },
        { ...common, path: "/shop/nowhere", route: null, status: 404 },
      ],
    );
  });

  test("writes text lines by default", async (t) => {
    const { app, lines } = await serve(t, { format: undefined });
    await fetch(`${app.url}/users/42?a=b`);
    await until(() => lines.length === 1);
    assert.match(lines[0] ?? "", /^GET \/shop\/users\/42 200 \d+us$/);
  });

  test("rejects an unknown format and names it", () => {
    assert.throws(() => new RequestLoggingMiddleware({ format: "JSON" as "json" }), {
      code: "CONFIG_INVALID",
      message: 'RequestLoggingMiddleware: format is "JSON"; "text" or "json" is allowed',
    });
  });

  test("logs 405 and 413 with their status", async (t) => {
    const { app, lines } = await serve(t);
    await fetch(`${app.url}/users/1`, { method: "DELETE" });
    await fetch(`${app.url}/echo`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '"far too long"',
    });
    await until(() => lines.length === 2);
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as AccessLogLine).status),
      [405, 413],
    );
  });

  test("LOG-019: names an unknown method _OTHER", async (t) => {
    const { app, lines } = await serve(t);
    await fetch(`${app.url}/users/1`, { method: "PROPFIND" });
    await until(() => lines.length === 1);
    assert.equal((JSON.parse(lines[0] ?? "") as AccessLogLine).method, "_OTHER");
  });

  test("logs a client that left as an aborted 499", async (t) => {
    let isThere = false;
    const { app, lines } = await serve(t, { skip: () => ((isThere = true), false) });
    const socket = connect(app.port, "127.0.0.1");
    socket.write("GET /shop/hang HTTP/1.1\r\nHost: x\r\nX-Request-Id: r1\r\nUser-Agent: tester\r\n\r\n");
    await until(() => isThere);
    socket.destroy();
    await until(() => lines.length === 1);
    assert.deepEqual(records(lines), [
      { ...common, path: "/shop/hang", route: "/shop/hang", status: 499, bytes: 0, aborted: true },
    ]);
  });

  test("logs a request that the parser rejected", async (t) => {
    const { app, lines } = await serve(t);
    connect(app.port, "127.0.0.1")
      .on("error", () => undefined)
      .resume()
      .write("GET / HTTP/1.1\r\nBad Header: 1\r\n\r\n");
    await until(() => lines.length === 1);
    const [line] = records(lines) as AccessLogLine[];
    assert.deepEqual(
      { ...line, bytes: 0 },
      { method: "_OTHER", path: "", route: null, status: 400, bytes: 0, remoteAddress: "127.0.0.1" },
    );
  });

  test("carries trace and span id when the attributes are ids of W3C Trace Context", async (t) => {
    const { app, lines } = await serve(t);
    const [trace, span] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
    await fetch(`${app.url}/traced?id=${trace}&id=${span}`);
    await until(() => lines.length === 1);
    const [line] = records(lines) as AccessLogLine[];
    assert.deepEqual([line?.traceId, line?.spanId], [trace, span]);
  });

  test("carries no trace or span id when the attributes are not such ids", async (t) => {
    const { app, lines } = await serve(t);
    const [trace, span] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
    const none = ["0".repeat(32), "0".repeat(16)];
    const given = [
      [trace.toUpperCase(), `${span}0`],
      [`${trace}0`, `0${span}`],
      [`0${trace}`, ""],
      none,
      ["t1", "s1"],
      [span, trace],
    ];
    for (const [traceId, spanId] of given) await fetch(`${app.url}/traced?id=${traceId}&id=${spanId}`);
    await fetch(`${app.url}/boom`);
    await until(() => lines.length === given.length + 1);
    const seen = (records(lines) as AccessLogLine[]).map((line) => ["traceId" in line, "spanId" in line]);
    assert.deepEqual(
      seen,
      [...given, []].map(() => [false, false]),
    );
  });

  test("writes one line for any path and headers of a client", async (t) => {
    const { app, lines } = await serve(t);
    const forged =
      'GET /shop/a"b\\c%0a%0dGET%20/forged HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Request-Id: r"\t\x85\r\nUser-Agent: a\tb\x9bc\x85\r\n\r\n';
    const socket = connect(app.port, "127.0.0.1")
      .on("error", () => undefined)
      .resume();
    socket.end(Buffer.from(forged, "latin1"));
    await until(() => lines.length === 1);
    const [line] = records(lines) as AccessLogLine[];
    assert.equal(line?.path, '/shop/a"b\\c%0a%0dGET%20/forged');
    assert.equal(line?.userAgent, "a\tb\x9bc\x85");
    assert.match(line?.requestId ?? "", /^[0-9a-f-]{36}$/);
  });

  test("cuts a path at 2,048 characters", async (t) => {
    const { app, lines } = await serve(t);
    await fetch(`${app.url}/${"x".repeat(4_000)}`);
    await until(() => lines.length === 1);
    assert.equal((JSON.parse(lines[0] ?? "") as AccessLogLine).path.length, 2_048);
  });

  test("LOG-005: cuts other client data at 512 characters, and leaves out empty and non-text values", async () => {
    const lines: string[] = [];
    const app = Framework.create({ logger: quiet })
      .use(RequestLoggingMiddleware.json({ write: (line) => void lines.push(line) }))
      .get("/", (ctx) => {
        const attribute = ctx.attribute.bind(ctx) as unknown as (key: string, value: unknown) => unknown;
        attribute("requestId", 7);
        attribute("traceId", ["0af7651916cd43dd8448eb211c80319c"]);
        return "";
      });
    const ask = async (agent: string): Promise<unknown> => {
      await app.fetch(new Request("http://x/", { headers: { "User-Agent": agent } }));
      return records(lines.splice(0));
    };
    const line = { method: "GET", path: "/", route: "/", status: 200, bytes: 0, remoteAddress: null };
    assert.deepEqual(await ask("u".repeat(600)), [{ ...line, userAgent: "u".repeat(512) }]);
    assert.deepEqual(await ask(""), [line]);
  });

  test("writes the duration in microseconds", async () => {
    const lines: string[] = [];
    const app = Framework.create({ logger: quiet })
      .use(RequestLoggingMiddleware.json({ write: (line) => void lines.push(line) }))
      .get("/", () => {
        const start = performance.now();
        while (performance.now() - start < 3) continue;
        return "";
      });
    const start = performance.now();
    await app.fetch(new Request("http://x/"));
    const most = (performance.now() - start) * 1_000;
    const { durationUs } = JSON.parse(lines[0] ?? "") as AccessLogLine;
    assert.ok(durationUs >= 3_000 && durationUs <= most, `${durationUs} of ${most}`);
  });

  test("leaves out requests that skip selects", async (t) => {
    const { app, lines } = await serve(t, { skip: (ctx) => ctx.path === "/boom" });
    for (const path of ["/boom", "/fail"]) await fetch(app.url + path);
    await until(() => lines.length === 1);
    assert.equal((JSON.parse(lines[0] ?? "") as AccessLogLine).path, "/shop/fail");
  });

  test("calls write synchronously, once for each request, with the line and no line feed", async () => {
    const calls: (readonly unknown[])[] = [];
    let during: number | undefined;
    const app = Framework.create({ logger: quiet })
      .use(new RequestLoggingMiddleware({ write: (...given) => void calls.push(given) }))
      .use((ctx, next) => {
        ctx.onComplete(() => void (during = calls.length));
        return next();
      })
      .get("/", () => "");
    await app.fetch(new Request("http://x/"));
    const [[line] = [], ...others] = calls;
    assert.deepEqual([during, calls[0]?.length, others], [1, 1, []]);
    assert.match(String(line), /^GET \/ 200 \d+us$/);
  });

  for (const [name, write] of Object.entries({
    throws: () => {
      throw new Error("disk full");
    },
    rejects: (async () => {
      throw new Error("disk full");
    }) as () => void,
  } satisfies Record<string, () => void>)) {
    test(`continues serving and counts when write ${name}`, async (t) => {
      const warn = t.mock.method(quiet, "warn", (_line: string): void => undefined);
      const { app, middleware } = await serve(t, { write });
      assert.equal(await (await fetch(`${app.url}/users/1`)).text(), "user");
      await until(() => middleware.faults === 1);
      assert.deepEqual(
        warn.mock.calls.map((call) => call.arguments[0]),
        ["RequestLoggingMiddleware: write or skip failed: disk full (further faults are only counted)"],
      );
    });
  }

  test("writes to the console when there is no standard output", async (t) => {
    t.mock.getter(process, "stdout", () => undefined);
    const written = t.mock.method(console, "log", () => undefined);
    const middleware = new RequestLoggingMiddleware();
    const app = Framework.create({ logger: quiet })
      .use(middleware)
      .get("/", () => "");
    await app.fetch(new Request("http://x/"));
    await app.stop();
    t.mock.restoreAll();
    assert.equal(middleware.dropped, 0);
    assert.equal(written.mock.callCount(), 1);
    assert.match(String(written.mock.calls[0]?.arguments), /^GET \/ 200 \d+us$/);
  });

  test("writes batches to standard output, and reports the number of lost lines at the stop", async (t) => {
    const stream = {
      destroyed: false,
      writableLength: 0,
      write: t.mock.fn((_text: string) => true),
      on: () => undefined,
    };
    t.mock.getter(process, "stdout", () => stream);
    const before = process.listeners("exit");
    t.after(() => {
      for (const one of process.listeners("exit")) if (!before.includes(one)) process.off("exit", one);
    });
    const warnings: string[] = [];
    const serving = (): Framework =>
      Framework.create({ logger: { ...quiet, warn: (line) => void warnings.push(line) } })
        .use(new RequestLoggingMiddleware())
        .get("/", () => "");
    const written = (): string[] => stream.write.mock.calls.map((call) => call.arguments[0]);
    const app = serving();
    for (let count = 0; count < 8; count += 1) await app.fetch(new Request(`http://x/${"p".repeat(2_000)}`));
    assert.deepEqual(
      written().map((batch) => batch.split("\n").length),
      [9],
    );
    await app.fetch(new Request("http://x/"));
    await app.stop();
    assert.match(written()[1] ?? "", /^GET \/ 200 \d+us\n$/);
    assert.deepEqual(warnings, []);
    stream.destroyed = true;
    const second = serving();
    await second.fetch(new Request("http://x/"));
    await second.stop();
    assert.deepEqual(warnings, ["access log: 1 lines dropped, standard output did not take them"]);
  });

  test("flushes to standard output when the app stops", async () => {
    const child = run(`
      await app.stop();
      process.reallyExit(0);`);
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
    assert.deepEqual(await once(child, "close"), [0, null]);
    assert.equal(text.split("\n").length, 2);
    assert.equal((JSON.parse(text) as AccessLogLine).route, "/");
  });

  test("outlives a closed standard output, and counts the lost lines", async () => {
    const child = run(`
      while (log.dropped < 3) {
        await app.fetch(new Request("http://x/"));
        await new Promise((done) => setTimeout(done, 20));
      }
      process.exit(7);`);
    child.stdout.destroy();
    assert.deepEqual(await once(child, "exit"), [7, null]);
  });
});

/** A separate Node process with an app that has logged one request to standard output. */
function run(code: string): ChildProcessWithoutNullStreams {
  const source = `
    import { Framework } from ${JSON.stringify(new URL("../../app/framework.js", import.meta.url).href)};
    import { RequestLoggingMiddleware } from ${JSON.stringify(new URL("./request-logging.js", import.meta.url).href)};
    const log = RequestLoggingMiddleware.json();
    const app = Framework.create().use(log).get("/", () => "hello");
    await app.fetch(new Request("http://x/"));
    ${code}`;
  return spawn(process.execPath, ["--input-type=module", "-e", source], { stdio: "pipe" });
}
