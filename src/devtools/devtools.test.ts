/**
 * Devtools against the real framework: real sockets, raw requests, whole values.
 */
import assert from "node:assert/strict";
import { request as send, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { Beans, CorsMiddleware, Framework, HttpError, Interface, RequestIdMiddleware, type Context } from "framework";
import { Devtools, type DevtoolsOptions, type Trace } from "./index.ts";

interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface Orders {
  place(ctx: Context): Promise<string>;
  all(nonce: string): Promise<string[]>;
  login(user: { name: string; password: string }): string;
  fail(): never;
}
interface Prices {
  quote(item: string): Promise<number>;
}
interface Ledger {
  write(line: string): Promise<void>;
  touch(who: string): Promise<string>;
}
const Orders = Interface<Orders>("OrderController");
const Prices = Interface<Prices>("PriceService");
const Ledger = Interface<Ledger>("LedgerRepository");
class Database {
  readonly rows: string[] = [];
}

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function orders(prices: Prices, ledger: Ledger): Orders {
  return {
    async place(ctx) {
      const price = await prices.quote(ctx.pathParam("item"));
      await ledger.write(`sold at ${price}`);
      return `paid ${price}`;
    },
    all: (nonce) => Promise.all([ledger.touch(`${nonce}-a`), ledger.touch(`${nonce}-b`), ledger.touch(`${nonce}-c`)]),
    login: (user) => user.name,
    fail() {
      throw new RangeError("out of stock");
    },
  };
}

function wire(devtools: Devtools, contextPath: string): { app: Framework; lines: string[]; started: string[] } {
  const lines: string[] = [];
  const started: string[] = [];
  const beans = Beans.builder()
    .bind(Orders, (b) => orders(b.get(Prices), b.get(Ledger)))
    .bind(Prices, (b) => {
      const ledger = b.get(Ledger);
      return { quote: async (item) => (await ledger.touch(item)).length };
    })
    .bind(Ledger, (b) => {
      const database = b.get(Database);
      return {
        async write(line) {
          database.rows.push(line);
        },
        async touch(who) {
          await pause();
          return who;
        },
      };
    })
    .bind(Database, () => new Database())
    .instrument(devtools.recorder())
    .start();
  const app = Framework.create({
    host: "127.0.0.1",
    contextPath,
    logger: { warn: (line) => void lines.push(line), error: () => undefined },
  });
  app
    .use(CorsMiddleware.permissive())
    .use(new RequestIdMiddleware())
    .use((ctx, next) => {
      started.push(ctx.url);
      return next();
    });
  app.post("/orders/{item}", [Orders, "place"]);
  app.get("/all/{nonce}", async (ctx) => ({ all: await ctx.get(Orders).all(ctx.pathParam("nonce")) }));
  app.post("/login", async (ctx) => ctx.get(Orders).login((await ctx.body()) as { name: string; password: string }));
  app.get("/fail", (ctx) => ctx.get(Orders).fail());
  app.get("/teapot", () => {
    throw new HttpError(418, "short and stout");
  });
  app.get("/reset/{token}", (ctx) => ({ token: ctx.pathParam("token"), link: "https://ada:pw@example.test/" }));
  app.get("/slow", () => new Promise(() => undefined));
  app.get("/stuck", { timeoutMs: 10 }, () => new Promise(() => undefined));
  app.get("/quotes", (ctx) =>
    ctx.sse(
      (async function* () {
        for (const item of ["a", "bc"]) yield String(await ctx.get(Prices).quote(item));
      })(),
    ),
  );
  app.get("/framework/developers", () => "ordinary");
  app.beans(beans);
  devtools.install(app, beans);
  return { app, lines, started };
}

/** A running application with devtools. */
class Subject {
  readonly devtools: Devtools;
  readonly app: Framework;
  readonly lines: string[];
  readonly started: string[];

  constructor(options: DevtoolsOptions = {}, contextPath = "/") {
    this.devtools = Devtools.create(options);
    ({ app: this.app, lines: this.lines, started: this.started } = wire(this.devtools, contextPath));
  }

  ask(path: string, headers: Record<string, string> = {}, method = "GET", body?: string): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const request = send(
        { port: this.app.port, host: "127.0.0.1", path, method, headers, agent: false },
        (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
          response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
        },
      );
      request.on("error", reject).end(body);
    });
  }

  async traces(): Promise<readonly Trace[]> {
    return JSON.parse((await this.ask("/framework/dev/api/requests")).text) as Trace[];
  }

  /** Reads the stream from now on, and resolves when `until` has enough. */
  listen(
    until: (text: string) => boolean,
    headers: Record<string, string> = {},
  ): { connected: Promise<void>; text: Promise<string> } {
    let connected = (): void => undefined;
    const first = new Promise<void>((resolve) => (connected = resolve));
    const text = new Promise<string>((resolve, reject) => {
      const request = send(
        { port: this.app.port, host: "127.0.0.1", path: "/framework/dev/api/stream", headers, agent: false },
        (response) => {
          let seen = "";
          response.setEncoding("utf8").on("data", (chunk: string) => {
            seen += chunk;
            connected();
            if (!until(seen)) return;
            request.destroy();
            resolve(seen);
          });
        },
      );
      request.on("error", reject).end();
    });
    return { connected: first, text };
  }
}

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error("the condition did not come true in 5 s");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Sends raw text over a socket, for two Hosts and absolute targets. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket
      .setEncoding("latin1")
      .on("data", (chunk: string) => (seen += chunk))
      .on("close", () => resolve(seen))
      .on("error", reject);
  });
}

const dev = "/framework/dev";
const apis = [`${dev}/api/routes`, `${dev}/api/graph`, `${dev}/api/requests`, `${dev}/api/stream`];
const everywhere = {
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
};

const headersOf = ({ headers }: HttpResponse): Record<string, unknown> =>
  Object.fromEntries(Object.keys(everywhere).map((name) => [name, headers[name]]));

describe("Devtools", () => {
  let subject: Subject;
  before(async () => {
    subject = new Subject();
    await subject.app.start(0);
  });
  after(() => subject.app.stop());

  it("records what beans do while events are sent, in the run of their request", async () => {
    const { text } = await subject.ask("/quotes", { "X-Framework-Dev": "events-1" });
    const trace = (await subject.traces()).find(({ correlationId }) => correlationId === "events-1");
    const calls = trace?.calls.map(({ bean, method, args, parentId }) => [bean, method, args[0], parentId]);
    assert.deepEqual(
      [text, calls],
      [
        "data: 1\n\ndata: 2\n\n",
        [
          ["PriceService", "quote", "a", null],
          ["LedgerRepository", "touch", "a", 0],
          ["PriceService", "quote", "bc", null],
          ["LedgerRepository", "touch", "bc", 2],
        ],
      ],
    );
  });

  it("marks the run of a handler that did not settle in time", async () => {
    await subject.ask("/stuck", { "X-Framework-Dev": "stuck-1" });
    const trace = (await subject.traces()).find(({ correlationId }) => correlationId === "stuck-1");
    assert.deepEqual(
      [trace?.status, trace?.error?.message, trace?.annotations],
      [503, "no response within 10 ms", [{ name: "handlerTimeout", value: { handlerMs: 10 } }]],
    );
  });

  it("records four nested calls with arguments, results and parents", async () => {
    await subject.ask("/orders/tea", { "X-Framework-Dev": "nested-1" }, "POST");
    const trace = (await subject.traces()).find(({ correlationId }) => correlationId === "nested-1");
    assert.ok(trace);
    assert.deepEqual(
      trace.calls.map(({ startUs, durationUs, ...call }) => ({
        ...call,
        timed: startUs >= 0 && durationUs !== null && startUs + durationUs <= trace.durationUs,
      })),
      [
        {
          id: 0,
          parentId: null,
          depth: 0,
          bean: "OrderController",
          declaredBy: "OrderController",
          stereotype: "controller",
          method: "place",
          args: [{ $context: "POST /orders/tea" }],
          params: ["ctx"],
          result: "paid 3",
          error: null,
          async: true,
          timed: true,
        },
        {
          id: 1,
          parentId: 0,
          depth: 1,
          bean: "PriceService",
          declaredBy: "PriceService",
          stereotype: "service",
          method: "quote",
          args: ["tea"],
          params: ["item"],
          result: 3,
          error: null,
          async: true,
          timed: true,
        },
        {
          id: 2,
          parentId: 1,
          depth: 2,
          bean: "LedgerRepository",
          declaredBy: "LedgerRepository",
          stereotype: "repository",
          method: "touch",
          args: ["tea"],
          params: ["who"],
          result: "tea",
          error: null,
          async: true,
          timed: true,
        },
        {
          id: 3,
          parentId: 0,
          depth: 1,
          bean: "LedgerRepository",
          declaredBy: "LedgerRepository",
          stereotype: "repository",
          method: "write",
          args: ["sold at 3"],
          params: ["line"],
          result: { $undefined: true },
          error: null,
          async: true,
          timed: true,
        },
      ],
    );
    assert.deepEqual(
      {
        method: trace.method,
        path: trace.path,
        route: trace.route,
        status: trace.status,
        pathParams: trace.request.pathParams,
        body: trace.response.body,
        bytes: trace.response.bytes,
        error: trace.error,
        aborted: trace.aborted,
        droppedCalls: trace.droppedCalls,
      },
      {
        method: "POST",
        path: "/orders/tea",
        route: "/orders/{item}",
        status: 200,
        pathParams: { item: "tea" },
        body: "paid 3",
        bytes: 6,
        error: null,
        aborted: false,
        droppedCalls: 0,
      },
    );
    assert.equal(trace.id, trace.response.headers["x-request-id"]?.[0]);
  });

  it("TRACE-018: calls under Promise.all have the enclosing call as parent", async () => {
    await subject.ask("/all/x", { "X-Framework-Dev": "parallel-1" });
    const trace = (await subject.traces()).find(({ correlationId }) => correlationId === "parallel-1");
    assert.deepEqual(
      trace?.calls.map(({ id, parentId, args }) => ({ id, parentId, args })),
      [
        { id: 0, parentId: null, args: ["x"] },
        { id: 1, parentId: 0, args: ["x-a"] },
        { id: 2, parentId: 0, args: ["x-b"] },
        { id: 3, parentId: 0, args: ["x-c"] },
      ],
    );
  });

  it("TRACE-027: 1,000 requests that run at once are never mixed", async () => {
    const seen: Trace[] = [];
    for (let batch = 0; batch < 10; batch++) {
      const nonces = Array.from({ length: 100 }, (_, index) => `n${batch}-${index}-`);
      await Promise.all(nonces.map((nonce) => subject.ask(`/all/${nonce}`, { "X-Framework-Dev": nonce })));
      seen.push(...(await subject.traces()));
    }
    assert.equal(seen.length, 1_000);
    for (const { correlationId, calls } of seen) {
      assert.deepEqual(
        calls.map((call) => call.args),
        [[correlationId], [`${correlationId}-a`], [`${correlationId}-b`], [`${correlationId}-c`]],
      );
    }
    assert.equal(new Set(seen.map(({ correlationId }) => correlationId)).size, 1_000);
  });

  it("keeps the last 100 traces, the most recent first", async () => {
    const traces = await subject.traces();
    const sequences = traces.map(({ sequence }) => sequence);
    assert.equal(traces.length, 100);
    assert.deepEqual(
      sequences,
      sequences.map((_, index) => (sequences[0] ?? 0) - index),
    );
  });

  it("redacts keys, headers, path parameters and URL userinfo", async () => {
    const body = JSON.stringify({ name: "ada", password: "canary-1" });
    await subject.ask(
      "/login?api_key=canary-2",
      { "Content-Type": "application/json", Authorization: "Bearer canary-3", "X-Framework-Dev": "secret-1" },
      "POST",
      body,
    );
    await subject.ask("/reset/canary-4", { "X-Framework-Dev": "secret-2" });
    const { text } = await subject.ask(`${dev}/api/requests`);
    assert.equal(/canary-|ada:pw/.test(text), false);
    const [reset, login] = JSON.parse(text) as Trace[];
    assert.deepEqual(
      [reset?.path, reset?.request.pathParams, reset?.response.body],
      ["/reset/[redacted]", { token: "[redacted]" }, { token: "[redacted]", link: "https://[redacted]@example.test/" }],
    );
    assert.deepEqual(login?.request.body, { name: "ada", password: "[redacted]" });
    assert.deepEqual(login?.calls[0]?.args, [{ name: "ada", password: "[redacted]" }]);
    assert.deepEqual(login?.request.query, { api_key: ["[redacted]"] });
  });

  it("records what was thrown, and no error for the router's own 404", async () => {
    for (const path of ["/fail", "/teapot", "/nowhere"]) await subject.ask(path);
    const [nowhere, teapot, fail] = await subject.traces();
    assert.deepEqual([nowhere?.status, nowhere?.route, nowhere?.error], [404, null, null]);
    const { stack: thrownAt, ...error } = teapot?.error ?? assert.fail();
    assert.deepEqual([teapot?.status, error], [418, { name: "HttpError", message: "short and stout" }]);
    const { stack, ...failed } = fail?.error ?? assert.fail();
    assert.deepEqual([fail?.status, failed], [500, { name: "RangeError", message: "out of stock" }]);
    assert.ok(thrownAt !== undefined && stack !== undefined);
    assert.deepEqual([fail?.calls[0]?.result, fail?.calls[0]?.error], [null, fail?.error]);
  });

  it("traces a request whose client left", async () => {
    const { last } = { last: (await subject.traces())[0]?.sequence ?? 0 };
    const request = send({ port: subject.app.port, host: "127.0.0.1", path: "/slow", agent: false }).on(
      "error",
      () => undefined,
    );
    request.end();
    await until(() => subject.started.includes("/slow"));
    request.destroy();
    await until(async () => (await subject.traces())[0]?.sequence === last + 1);
    const [trace] = await subject.traces();
    assert.deepEqual([trace?.path, trace?.status, trace?.aborted], ["/slow", 499, true]);
  });

  it("ignores a correlation id that is malformed or sent twice", async () => {
    for (const value of ["two words", "a".repeat(129), "a, b", "a:b"]) {
      await subject.ask("/teapot", { "X-Framework-Dev": value });
      assert.equal((await subject.traces())[0]?.correlationId, null, value);
    }
    await raw(
      subject.app.port,
      "GET /teapot HTTP/1.1\r\nHost: localhost\r\nX-Framework-Dev: a\r\nX-Framework-Dev: b\r\nConnection: close\r\n\r\n",
    );
    assert.equal((await subject.traces())[0]?.correlationId, null);
  });

  it("lists the routes with the beans that their requests enter", async () => {
    const routes = JSON.parse((await subject.ask(`${dev}/api/routes`)).text) as {
      method: string;
      path: string;
      beans: string[];
    }[];
    assert.deepEqual(
      routes.map(({ method, path, beans }) => `${method} ${path} ${beans.join()}`),
      [
        "GET /all/{nonce} OrderController",
        "GET /fail OrderController",
        "GET /framework/developers ",
        "POST /login OrderController",
        "POST /orders/{item} OrderController",
        "GET /quotes PriceService",
        "GET /reset/{token} ",
        "GET /slow ",
        "GET /stuck ",
        "GET /teapot ",
      ],
    );
  });

  it("shows the graph, with the concrete class as unspied", async () => {
    const { nodes, edges, unspied } = JSON.parse((await subject.ask(`${dev}/api/graph`)).text) as {
      nodes: { id: string }[];
      edges: unknown[];
      unspied: string[];
    };
    assert.deepEqual(nodes.map(({ id }) => id).sort(), [
      "Database",
      "LedgerRepository",
      "OrderController",
      "PriceService",
    ]);
    assert.equal(edges.length, 4);
    assert.deepEqual(unspied, ["Database"]);
  });

  it("does not trace its own requests or pass them to middleware, unlike other paths with the same beginning", async () => {
    const before = (await subject.traces())[0]?.sequence ?? 0;
    const seen = subject.started.length;
    for (const path of [dev, `${dev}/`, `${dev}/x`, ...apis.slice(0, 3)])
      await subject.ask(path, { Origin: `http://127.0.0.1:${subject.app.port}` });
    await subject.ask("/framework/developers");
    const [trace] = await subject.traces();
    assert.deepEqual([trace?.sequence, trace?.path], [before + 1, "/framework/developers"]);
    assert.deepEqual(subject.started.slice(seen), ["/framework/developers"]);
  });

  it("responds to other methods with 405, unknown paths with 404, HEAD without a body, each with every header", async () => {
    for (const path of [dev, ...apis]) {
      for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "QUERY"]) {
        const response = await subject.ask(path, {}, method);
        assert.deepEqual(
          [response.status, response.headers.allow, headersOf(response)],
          [405, "GET, HEAD", everywhere],
          `${method} ${path}`,
        );
      }
    }
    for (const path of [
      `${dev}/x`,
      `${dev}/api`,
      `${dev}/api/../api/requests`,
      `${dev}/api%2Frequests`,
      `${dev}/%E0%A4%A`,
    ]) {
      const response = await subject.ask(path);
      assert.deepEqual([response.status, headersOf(response)], [404, everywhere], path);
      assert.equal(response.headers["content-type"], "application/problem+json", path);
    }
    for (const path of apis) {
      const response = await subject.ask(path, {}, "HEAD");
      assert.deepEqual([response.status, response.text, headersOf(response)], [200, "", everywhere], path);
    }
  });

  it("serves the built page with its policy, compressed on request, with 304 for its ETag", async (t) => {
    const plain = await subject.ask(dev);
    if (plain.status === 503) {
      assert.equal(
        (JSON.parse(plain.text) as { detail: string }).detail,
        "the dashboard is not built: run `make build`",
      );
      return t.diagnostic("the dashboard is not built: only its absence was tested");
    }
    assert.deepEqual(
      [plain.status, plain.headers["content-type"], plain.headers["cross-origin-opener-policy"], headersOf(plain)],
      [200, "text/html; charset=utf-8", "same-origin", everywhere],
    );
    assert.match(String(plain.headers["content-security-policy"]), /^default-src 'none'/);
    assert.match(plain.text, /^<!doctype html>/i);
    const small = await subject.ask(dev, { "Accept-Encoding": "br, gzip;q=0.5" });
    assert.deepEqual([small.headers["content-encoding"], small.headers.etag], ["gzip", plain.headers.etag]);
    assert.equal((await subject.ask(dev, { "Accept-Encoding": "gzip;q=0" })).headers["content-encoding"], undefined);
    const known = await subject.ask(dev, { "If-None-Match": `W/"x", ${plain.headers.etag}` });
    assert.deepEqual([known.status, known.text, headersOf(known)], [304, "", everywhere]);
  });

  const rejections: readonly (readonly [why: string, headers: Record<string, string>])[] = [
    ["a foreign Host", { Host: "evil.test" }],
    ["a foreign Origin", { Origin: "http://evil.test" }],
    ["the null Origin", { Origin: "null" }],
    ["a cross-site fetch", { "Sec-Fetch-Site": "cross-site" }],
    ["a same-site fetch", { "Sec-Fetch-Site": "same-site" }],
    ["a forwarding header", { "X-Forwarded-For": "127.0.0.1" }],
  ];
  for (const [why, headers] of rejections) {
    it(`rejects ${why} on every path with 403 and no CORS header`, async () => {
      for (const path of [dev, `${dev}/x`, ...apis]) {
        const response = await subject.ask(path, headers);
        assert.deepEqual(
          [response.status, response.headers["content-type"], headersOf(response)],
          [403, "text/plain; charset=utf-8", everywhere],
          path,
        );
        assert.equal(
          Object.keys(response.headers).some((name) => name.startsWith("access-control")),
          false,
        );
      }
    });
  }

  it("rejects an absolute target with another authority than the Host", async () => {
    const response = await raw(
      subject.app.port,
      `GET http://evil.test${dev}/api/graph HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    assert.match(response, /^HTTP\/1\.1 403 /);
  });

  it("streams a trace on one line, the same object as in the list", async () => {
    const { connected, text } = subject.listen(
      (seen) => seen.includes("\n\n", seen.indexOf("event: trace")) && seen.includes("event: trace"),
    );
    await connected;
    await subject.ask("/teapot");
    const seen = await text;
    const [trace] = await subject.traces();
    assert.ok(trace);
    assert.match(seen, /^: connected\n\nretry: 1000\n\n/);
    assert.equal(
      seen.slice(seen.indexOf("event: trace")),
      `event: trace\nid: ${trace.instance}.${trace.sequence}\ndata: ${JSON.stringify(trace)}\n\n`,
    );
  });

  it("replays the events after Last-Event-ID", async () => {
    const [{ instance, sequence } = { instance: "", sequence: 0 }] = await subject.traces();
    for (const path of ["/teapot", "/fail"]) await subject.ask(path);
    const { text } = subject.listen((seen) => (seen.match(/data: .*\n\n/g) ?? []).length === 2, {
      "Last-Event-ID": `${instance}.${sequence}`,
    });
    assert.deepEqual((await text).match(/(?<=id: ).*/g), [
      `${instance}.${sequence + 1}`,
      `${instance}.${sequence + 2}`,
    ]);
  });

  it("reports a gap of unknown size to a client of another instance, then replays the whole ring", async () => {
    const traces = await subject.traces();
    const { text } = subject.listen((seen) => (seen.match(/event: trace/g) ?? []).length === 100, {
      "Last-Event-ID": "other.7",
    });
    const seen = await text;
    assert.match(seen, /event: gap\ndata: \{"missed":null\}\n\n/);
    assert.deepEqual(seen.match(/(?<=id: .*\.)\d+/g)?.map(Number), traces.map(({ sequence }) => sequence).reverse());
  });

  it("rejects the 17th client of the stream with 503 and Retry-After", async () => {
    const clients = Array.from({ length: 16 }, () => {
      const request = send({ port: subject.app.port, host: "127.0.0.1", path: `${dev}/api/stream`, agent: false }).on(
        "error",
        () => undefined,
      );
      const open = new Promise((resolve) =>
        request.on("response", (response) =>
          response
            .resume()
            .once("data", resolve)
            .on("error", () => undefined),
        ),
      );
      request.end();
      return { request, open };
    });
    await Promise.all(clients.map(({ open }) => open));
    const response = await subject.ask(`${dev}/api/stream`);
    assert.deepEqual([response.status, response.headers["retry-after"], headersOf(response)], [503, "5", everywhere]);
    for (const { request } of clients) request.destroy();
    await until(async () => (await subject.ask(`${dev}/api/stream`, {}, "HEAD")).status === 200);
  });
});

describe("Devtools of an application that stops", () => {
  it("ends every stream, so that none delays the stop", async () => {
    const subject = new Subject();
    await subject.app.start(0);
    const clients = Array.from({ length: 3 }, () => {
      const opened = new Promise<IncomingMessage>((resolve, reject) => {
        const path = `${dev}/api/stream`;
        send({ port: subject.app.port, host: "127.0.0.1", path, agent: false }, resolve).on("error", reject).end();
      });
      return opened.then(async (response) => {
        await new Promise((resolve) => response.once("data", resolve));
        return response;
      });
    });
    const responses = await Promise.all(clients);
    const ended = responses.map((response) => new Promise((resolve) => response.resume().once("end", resolve)));
    const start = performance.now();
    await Promise.all([...ended, subject.app.stop()]);
    assert.ok(performance.now() - start < 2_000);
    assert.deepEqual(
      responses.map(({ complete }) => complete),
      [true, true, true],
    );
  });
});

describe("Devtools of an application whose graph grows", () => {
  it("sends the graph to listeners after a dependency found at the first call and after a bean that a route enters", async () => {
    const devtools = Devtools.create();
    const beans = Beans.builder()
      .bind(Ledger, () => ({ write: async () => undefined, touch: async (who) => who }))
      .bind(Prices, (b) => ({ quote: async (item) => (await b.get(Ledger).touch(item)).length }))
      .instrument(devtools.recorder())
      .start();
    const app = Framework.create({ host: "127.0.0.1", logger: { warn: () => undefined, error: () => undefined } })
      .get("/quote", (ctx) => ctx.get(Prices).quote("tea"))
      .get("/touch", (ctx) => ctx.get(Ledger).touch("x"))
      .beans(beans);
    devtools.install(app, beans);
    await app.start(0);
    const url = `http://127.0.0.1:${app.port}`;
    const reader = (await fetch(`${url}${dev}/api/stream`)).body?.pipeThrough(new TextDecoderStream()).getReader();
    let seen = "";
    const events = async (count: number): Promise<readonly string[]> => {
      for (;;) {
        const names = Array.from(seen.matchAll(/^event: (.*)$/gm), ([, name]) => name ?? "");
        if (names.length >= count) return names;
        seen += (await reader?.read())?.value ?? assert.fail("the stream has ended");
      }
    };
    try {
      await fetch(`${url}/quote`);
      assert.deepEqual(await events(2), ["graph", "trace"]);
      await fetch(`${url}/touch`);
      assert.deepEqual((await events(4)).toSorted(), ["graph", "graph", "trace", "trace"]);
      assert.equal(seen.match(/^event: graph\ndata: \{\}\n$/gm)?.length, 2);
    } finally {
      await reader?.cancel();
      await app.stop({ graceMs: 0 });
    }
  });
});

describe("Devtools under a context path", () => {
  it("mounts devtools below it and adds it to routes and traces", async () => {
    const subject = new Subject({}, "/shop");
    await subject.app.start(0);
    try {
      await subject.ask("/shop/all/x");
      const response = await subject.ask(`/shop${dev}/api/requests`);
      const [trace] = JSON.parse(response.text) as Trace[];
      assert.deepEqual([response.status, trace?.path, trace?.route], [200, "/shop/all/x", "/shop/all/{nonce}"]);
      const routes = JSON.parse((await subject.ask(`/shop${dev}/api/routes`)).text) as {
        path: string;
        beans: string[];
      }[];
      assert.deepEqual(routes.find(({ path }) => path === "/shop/all/{nonce}")?.beans, ["OrderController"]);
      assert.equal((await subject.ask(`${dev}/api/requests`)).status, 404);
    } finally {
      await subject.app.stop();
    }
  });
});

describe("Devtools.create", () => {
  it("serves an allowed host", async () => {
    const subject = new Subject({ allowedHosts: ["app.test:8080"] });
    await subject.app.start(0);
    try {
      const statuses = await Promise.all(
        ["app.test:8080", "app.test:81", "app.test"].map((Host) => subject.ask(apis[0] ?? "", { Host })),
      );
      assert.deepEqual(
        statuses.map(({ status }) => status),
        [200, 403, 403],
      );
    } finally {
      await subject.app.stop();
    }
  });

  it("shows a private type in its own form, typed by its class", async () => {
    class Money {
      readonly #cents: number;
      constructor(cents: number) {
        this.#cents = cents;
      }
      get euros(): number {
        return this.#cents / 100;
      }
    }
    const Till = Interface<{ count(): Money }>("Till");
    const devtools = Devtools.create({
      snapshot: [
        [Money, (money) => ({ euros: money.euros })],
        [Date, (date) => date.getTime()],
      ],
    });
    const beans = Beans.builder()
      .bind(Till, () => ({ count: () => new Money(250) }))
      .instrument(devtools.recorder())
      .start();
    const app = Framework.create({ host: "127.0.0.1", logger: { warn: () => undefined, error: () => undefined } });
    app.get("/", (ctx) => String(ctx.get(Till).count().euros)).beans(beans);
    devtools.install(app, beans);
    await app.start(0);
    try {
      const [trace] = (await fetch(`${app.url}/`)
        .then(() => fetch(`${app.url}${dev}/api/requests`, { headers: { Connection: "close" } }))
        .then((response) => response.json())) as Trace[];
      assert.deepEqual(trace?.calls[0]?.result, { $class: "Money", euros: 2.5 });
    } finally {
      await app.stop({ graceMs: 100 });
    }
  });
});
