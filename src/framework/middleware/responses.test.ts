/**
 * The effect of each middleware on each kind of response, on each way to run an app, with all of them installed. Also checks
 * the same table in docs/compression-and-caching.md.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, createServer, request as requestHttp1, type IncomingHttpHeaders } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import {
  CompressionMiddleware,
  type Context,
  CorsMiddleware,
  EtagMiddleware,
  type Framework,
  HttpError,
  InMemoryMetricsCollector,
  MetricsMiddleware,
  NodeHttp2Engine,
  NodeHttpEngine,
  RequestIdMiddleware,
  RequestLoggingMiddleware,
  SecurityHeadersMiddleware,
} from "../index.ts";
import type { ServerEngine } from "../engine/index.ts";
import { RateLimitMiddleware } from "../rate-limit/index.ts";
import { SessionMiddleware, sessionOf } from "../session/index.ts";
import { StaticMiddleware } from "../static/index.ts";
import { created, until } from "../testing/harness.testkit.ts";

const guide = readFileSync(new URL("../../../../docs/compression-and-caching.md", import.meta.url), "utf8");

const long = "a line that comes again\n".repeat(100);

async function* pieces(): AsyncGenerator<string> {
  yield long;
  yield "the end";
}

/** A row of the guide, for one kind of response. */
interface Row {
  readonly target: string;
  readonly method?: string;
  readonly known?: boolean;
  readonly range?: string;
  readonly handler?: (ctx: Context) => unknown;
  /** Its cells: ETag, compression, and the session's cookie when the session was changed. */
  readonly says: readonly [
    etag: "weak tag" | "strong tag" | "—" | "304",
    coding: "compressed" | "flushed" | "named" | "—",
    session: "cookie" | "cookie, 200" | "—",
  ];
  readonly status: number;
  readonly body: string;
}

/** The cells that are the same in each row: security headers, CORS, request id and limit, access log and metrics. */
const always = ["set", "one each"];

const origin = "https://app.example";

const streamed = (ctx: Context): Context => ctx.setHeader("Content-Type", "text/plain").send(pieces());

/** Every kind of response. */
const rows: Readonly<Record<string, Row>> = {
  "text, JSON, bytes": {
    target: "/text",
    handler: () => long,
    says: ["weak tag", "compressed", "cookie"],
    status: 200,
    body: long,
  },
  "the same, short": {
    target: "/short",
    handler: () => "short",
    says: ["weak tag", "—", "cookie"],
    status: 200,
    body: "short",
  },
  "a stream": {
    target: "/stream",
    handler: streamed,
    says: ["—", "flushed", "cookie"],
    status: 200,
    body: `${long}the end`,
  },
  "events of `ctx.sse(events)`": {
    target: "/events",
    handler: (ctx) => ctx.sse(events()),
    says: ["—", "flushed", "cookie"],
    status: 200,
    body: "data: one\n\ndata: two\n\n",
  },
  "events of `ctx.sse()`": {
    target: "/open",
    handler: (ctx) => {
      const stream = ctx.sse();
      stream.send("one");
      stream.close();
    },
    says: ["—", "—", "—"],
    status: 200,
    body: "data: one\n\n",
  },
  "HEAD of a text": {
    target: "/text",
    method: "HEAD",
    says: ["weak tag", "compressed", "cookie"],
    status: 200,
    body: "",
  },
  "HEAD of a stream": { target: "/stream", method: "HEAD", says: ["—", "named", "cookie"], status: 200, body: "" },
  "no content": {
    target: "/nothing",
    handler: (ctx) => ctx.status(204),
    says: ["—", "—", "cookie"],
    status: 204,
    body: "",
  },
  "a body that the client has": {
    target: "/text",
    known: true,
    says: ["304", "—", "cookie, 200"],
    status: 304,
    body: "",
  },
  "a long error": {
    target: "/wrong",
    handler: () => Promise.reject(new HttpError(409, long)),
    says: ["—", "compressed", "cookie"],
    status: 409,
    body: JSON.stringify({ type: "about:blank", title: "Conflict", status: 409, detail: long }),
  },
  "a file": { target: "/files/lines.txt", says: ["weak tag", "compressed", "cookie"], status: 200, body: long },
  "a file that the client has": {
    target: "/files/lines.txt",
    known: true,
    says: ["304", "—", "cookie"],
    status: 304,
    body: "",
  },
  "a part of a file": {
    target: "/files/lines.txt",
    range: "bytes=2-5",
    says: ["strong tag", "—", "cookie"],
    status: 206,
    body: "line",
  },
  "a path that nothing has": { target: "/none", says: ["—", "—", "cookie"], status: 404, body: "" },
};

async function* events(): AsyncGenerator<string> {
  yield "one";
  yield "two";
}

/** The number of open endless streams. */
let endless = 0;

async function* forever(): AsyncGenerator<string> {
  endless += 1;
  try {
    for (;;) {
      yield long;
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    endless -= 1;
  }
}

/** The access log's and the metrics' data of a request. */
interface Told {
  readonly lines: Readonly<Record<"requestId" | "status" | "bytes" | "aborted", unknown>>[];
  readonly metrics: InMemoryMetricsCollector;
}

const folder = mkdtempSync(join(tmpdir(), "responses-"));
writeFileSync(join(folder, "lines.txt"), long);
after(() => rmSync(folder, { recursive: true }));

function define(app: Framework, { lines, metrics }: Told): void {
  app
    .use(new RequestIdMiddleware())
    .use(RequestLoggingMiddleware.json({ write: (line) => void lines.push(JSON.parse(line) as Told["lines"][number]) }))
    .use(new MetricsMiddleware(metrics))
    .use(new SecurityHeadersMiddleware())
    .use(new CorsMiddleware({ allowOrigins: [origin], allowCredentials: true }))
    .use(new CompressionMiddleware())
    .use(new EtagMiddleware())
    .use(new RateLimitMiddleware({ limit: 1_000, windowMs: 60_000 }))
    .use(new SessionMiddleware({ secrets: "0123456789abcdef0123456789abcdef" }))
    .use((ctx, next) => {
      if (ctx.queryParam("visit") !== undefined) sessionOf(ctx).set("visited", true);
      return next();
    })
    .use(new StaticMiddleware({ root: folder, prefix: "/files" }));
  for (const { target, handler } of Object.values(rows)) if (handler !== undefined) app.get(target, handler);
  app.get("/forever", (ctx) => ctx.setHeader("Content-Type", "text/plain").send(forever()));
}

type Headers = Readonly<Record<string, string | undefined>>;
interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}
/** Sends a request. `leave` after part of the body has come. */
type Ask = (target: string, method: string, headers: Record<string, string>, leave?: boolean) => Promise<Got>;
interface Way {
  readonly ask: Ask;
  close(): unknown;
}

const flat = (headers: IncomingHttpHeaders): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value?.toString()]));

// A client that closes the connection with the last byte of a stream may do so before the stream has ended.
const agent = new Agent({ keepAlive: true });
after(() => agent.destroy());

const overHttp1 =
  (port: () => number): Ask =>
  async (path, method, headers, leave = false) => {
    const request = requestHttp1({ host: "127.0.0.1", port: port(), path, method, headers, agent });
    const [response] = await once(request.end(), "response");
    const chunks: Buffer[] = [];
    for await (const chunk of response) {
      chunks.push(chunk);
      if (leave) break;
    }
    return { status: response.statusCode, headers: flat(response.headers), bytes: Buffer.concat(chunks) };
  };

const overHttp2 =
  (app: Framework): Ask =>
  async (path, method, headers, leave = false) => {
    const session = connectHttp2(app.url);
    const stream = session.request({ ":path": path, ":method": method, ...headers });
    const [head] = await once(stream, "response");
    const chunks: Buffer[] = [];
    for await (const chunk of stream) {
      chunks.push(chunk);
      if (leave) break;
    }
    session.destroy();
    return { status: head[":status"], headers: flat(head), bytes: Buffer.concat(chunks) };
  };

const byFetch =
  (app: Framework): Ask =>
  async (target, method, headers, leave = false) => {
    const response = await app.fetch(new Request(`http://h${target}`, { method, headers }));
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk);
      if (leave) break;
    }
    return { status: response.status, headers: Object.fromEntries(response.headers), bytes: Buffer.concat(chunks) };
  };

const listening = async (app: Framework, ask: Ask): Promise<Way> => {
  await app.start(0);
  return { ask, close: () => app.stop({ graceMs: 0 }) };
};

async function hosted(app: Framework): Promise<Way> {
  const server = createServer(app.listener()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { ask: overHttp1(() => (server.address() as AddressInfo).port), close };
}

const ways: Readonly<Record<string, { engine?: ServerEngine; open(app: Framework): Promise<Way> }>> = {
  "HTTP/1.1": {
    engine: new NodeHttpEngine(),
    open: (app) =>
      listening(
        app,
        overHttp1(() => app.port),
      ),
  },
  h2c: { engine: new NodeHttp2Engine(), open: (app) => listening(app, overHttp2(app)) },
  "app.listener": { open: hosted },
  "app.fetch": { open: async (app) => ({ ask: byFetch(app), close: () => undefined }) },
};

/** Options of a request next to its row. */
interface More {
  readonly headers?: Record<string, string>;
  readonly query?: string;
  readonly leave?: boolean;
}

for (const [way, { engine, open }] of Object.entries(ways))
  describe(`every middleware over ${way}`, () => {
    const { app, errors } = created({ engine });
    const told: Told = { lines: [], metrics: new InMemoryMetricsCollector() };
    let running: Way;
    before(async () => {
      define(app, told);
      running = await open(app);
    });
    after(() => running.close());

    /** Sends a request that distinguishes its own log lines from others'. */
    async function asked(id: string, row: Pick<Row, "target" | "method" | "range">, more: More = {}): Promise<Got> {
      const { method = "GET", target, range } = row;
      const headers = { "Accept-Encoding": "gzip", Origin: origin, "X-Request-Id": id, ...more.headers };
      const ranged = range === undefined ? headers : { ...headers, Range: range };
      return running.ask(target + (more.query ?? ""), method, ranged, more.leave);
    }
    const linesOf = (id: string) => told.lines.filter(({ requestId }) => requestId === id);

    for (const [at, [name, row]] of Object.entries(rows).entries())
      test(`${name}: ${row.says.join(", ")}`, async () => {
        const { method = "GET", target, known = false } = row;
        const [first, id] = [`first-${at}`, `row-${at}`];
        const tag = known ? (await asked(first, row)).headers["etag"] : undefined;
        const headers = tag === undefined ? {} : { "If-None-Match": tag };
        const counted = recorded(told.metrics);
        const got = await asked(id, row, { headers });
        const visit = await asked(`visit-${at}`, row, { headers, query: "?visit=1" });
        assert.deepEqual(
          [...saidOf(got), cookieIn(visit, got, target.startsWith("/files")), ...alwaysIn(got, id)],
          [...row.says.map((word) => (word === "flushed" || word === "named" ? "compressed" : word)), "set"],
        );
        assert.equal(got.status, row.status);
        const isCoded = got.headers["content-encoding"] === "gzip" && method !== "HEAD";
        const text = (isCoded ? gunzipSync(got.bytes) : got.bytes).toString();
        if (target !== "/none") assert.equal(text, row.body);
        const { "content-length": length, "transfer-encoding": transfer } = got.headers;
        if (length !== undefined && method === "GET") assert.equal(Number(length), got.bytes.length);
        assert.ok(length === undefined || transfer === undefined, "two framings");

        await until(() => linesOf(id).length > 0 && linesOf(`visit-${at}`).length > 0);
        const [line, ...others] = linesOf(id);
        assert.deepEqual(
          [line?.status, line?.bytes, line?.aborted, others],
          [row.status, got.bytes.length, undefined, []],
        );
        assert.equal(recorded(told.metrics) - counted, 2);
      });

    test("a client that leaves: everything is released, and it is reported once", async () => {
      const { bytes } = await asked("leaving", { target: "/forever" }, { leave: true });
      assert.ok(bytes.length > 0);
      await until(() => endless === 0 && linesOf("leaving").length > 0);
      assert.deepEqual(
        linesOf("leaving").map(({ status, aborted }) => [status, aborted]),
        [[200, true]],
      );
      assert.deepEqual(errors, []);
    });
  });

/** The number of requests in the metrics. */
function recorded(metrics: InMemoryMetricsCollector): number {
  const counts = metrics.prometheus().matchAll(/^http_server_request_duration_seconds_count\{.*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** A response in the words of the table. */
function saidOf({ status, headers }: Got): readonly string[] {
  const etag = headers["etag"];
  if (headers["content-encoding"] === "gzip") assert.match(headers["vary"] ?? "", /Accept-Encoding/);
  return [
    status === 304 ? "304" : etag === undefined ? "—" : etag.startsWith('W/"') ? "weak tag" : "strong tag",
    headers["content-encoding"] === "gzip" ? "compressed" : "—",
  ];
}

/** The outcome of a session with a change, next to the same request without one. */
function cookieIn(visit: Got, plain: Got, isFile: boolean): string {
  const cookie = visit.headers["set-cookie"];
  assert.equal(plain.headers["set-cookie"], undefined);
  if (cookie === undefined) return "—";
  assert.match(cookie, /^__Host-session=1\.[\w-]+; .*HttpOnly/);
  // A response with a session's cookie is for one client, so it gets no tag. A file has its own.
  assert.deepEqual(
    [visit.headers["cache-control"], visit.headers["etag"]],
    ["no-store", isFile ? plain.headers["etag"] : undefined],
  );
  return visit.status === plain.status ? "cookie" : `cookie, ${visit.status}`;
}

/** The headers of every response. */
function alwaysIn({ headers }: Got, id: string): readonly string[] {
  assert.match(headers["vary"] ?? "", /Origin/);
  const isSafe = headers["x-content-type-options"] === "nosniff" && "content-security-policy" in headers;
  const isAllowed = headers["access-control-allow-origin"] === origin && headers["x-request-id"] === id;
  return [isSafe && isAllowed && /^"default";r=\d+;t=\d+$/.test(headers["ratelimit"] ?? "") ? "set" : "—"];
}

describe("docs/compression-and-caching.md", () => {
  test("has the table that is tested here", () => {
    const table = (guide.split("<!-- responses -->")[1] ?? "").split("\n").filter((line) => line.startsWith("| "));
    const found = table
      .slice(1)
      .map((line) => line.split("|").map((cell) => cell.trim()))
      .map(([, name = "", ...cells]) => [name, cells.slice(0, 5)]);
    assert.deepEqual(
      found,
      Object.entries(rows).map(([name, { says }]) => [name, [...says, ...always]]),
    );
  });
});
