/**
 * What each middleware of responses does with each kind of response, on each way to run an app; and the same table in
 * docs/compression-and-caching.md, which this holds to be true.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, request as requestHttp1, type IncomingHttpHeaders } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { created, until } from "../testing/harness.test.ts";
import {
  CompressionMiddleware,
  type Context,
  EtagMiddleware,
  type Framework,
  HttpError,
  NodeHttp2Engine,
  NodeHttpEngine,
  SecurityHeadersMiddleware,
} from "../index.ts";
import type { ServerEngine } from "../engine/index.ts";

const guide = readFileSync(new URL("../../../../docs/compression-and-caching.md", import.meta.url), "utf8");

const long = "a line that comes again\n".repeat(100);

async function* pieces(): AsyncGenerator<string> {
  yield long;
  yield "the end";
}

/** What the guide says of a kind of response. */
interface Row {
  readonly target: string;
  readonly method?: string;
  readonly known?: boolean;
  readonly handler?: (ctx: Context) => unknown;
  /** Its cells: ETag, compression, security headers. */
  readonly says: readonly [
    etag: "weak tag" | "—" | "304",
    coding: "compressed" | "flushed" | "named" | "—",
    headers: "set",
  ];
  readonly status: number;
  readonly body: string;
}

const streamed = (ctx: Context): Context => ctx.header("Content-Type", "text/plain").send(pieces());

/** Every kind of response. */
const rows: Readonly<Record<string, Row>> = {
  "text, JSON, bytes": {
    ...{ target: "/text", handler: () => long, says: ["weak tag", "compressed", "set"] },
    status: 200,
    body: long,
  },
  "the same, short": {
    ...{ target: "/short", handler: () => "short", says: ["weak tag", "—", "set"] },
    status: 200,
    body: "short",
  },
  "a stream": {
    ...{ target: "/stream", handler: streamed, says: ["—", "flushed", "set"] },
    status: 200,
    body: `${long}the end`,
  },
  "events of `ctx.sse(events)`": {
    ...{ target: "/events", handler: (ctx) => ctx.sse(events()), says: ["—", "flushed", "set"] },
    ...{ status: 200, body: "data: one\n\ndata: two\n\n" },
  },
  "events of `ctx.sse()`": {
    target: "/open",
    handler: (ctx) => {
      const stream = ctx.sse();
      stream.send("one");
      stream.close();
    },
    ...{ says: ["—", "—", "set"], status: 200, body: "data: one\n\n" },
  },
  "HEAD of a text": {
    ...{ target: "/text", method: "HEAD", says: ["weak tag", "compressed", "set"] },
    status: 200,
    body: "",
  },
  "HEAD of a stream": { ...{ target: "/stream", method: "HEAD", says: ["—", "named", "set"] }, status: 200, body: "" },
  "no content": {
    ...{ target: "/nothing", handler: (ctx) => ctx.status(204), says: ["—", "—", "set"] },
    status: 204,
    body: "",
  },
  "a body that the client has": {
    ...{ target: "/text", known: true, says: ["304", "—", "set"] },
    status: 304,
    body: "",
  },
  "a long error": {
    ...{ target: "/wrong", handler: () => Promise.reject(new HttpError(409, long)), says: ["—", "compressed", "set"] },
    ...{ status: 409, body: JSON.stringify({ type: "about:blank", title: "Conflict", status: 409, detail: long }) },
  },
  "a path that nothing has": { ...{ target: "/none", says: ["—", "—", "set"] }, status: 404, body: "" },
};

async function* events(): AsyncGenerator<string> {
  yield "one";
  yield "two";
}

/** How many endless streams are open. */
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

function define(app: Framework): void {
  app.use(new SecurityHeadersMiddleware()).use(new CompressionMiddleware()).use(new EtagMiddleware());
  for (const { target, handler } of Object.values(rows)) if (handler !== undefined) app.get(target, handler);
  app.get("/forever", (ctx) => ctx.header("Content-Type", "text/plain").send(forever()));
}

type Headers = Readonly<Record<string, string | undefined>>;
interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}
/** Sends a request; `leave` once something of the body has come. */
type Ask = (target: string, method: string, headers: Record<string, string>, leave?: boolean) => Promise<Got>;
interface Way {
  readonly ask: Ask;
  close(): unknown;
}

const flat = (headers: IncomingHttpHeaders): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value?.toString()]));

const overHttp1 =
  (port: () => number): Ask =>
  async (path, method, headers, leave = false) => {
    const request = requestHttp1({ host: "127.0.0.1", port: port(), path, method, headers, agent: false });
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

for (const [way, { engine, open }] of Object.entries(ways))
  describe(`the middleware of responses over ${way}`, () => {
    const { app, errors } = created({ engine });
    let running: Way;
    before(async () => {
      define(app);
      running = await open(app);
    });
    after(() => running.close());

    for (const [name, row] of Object.entries(rows))
      test(`${name}: ${row.says.join(", ")}`, async () => {
        const accept = { "Accept-Encoding": "gzip" };
        const { method = "GET", target, known = false } = row;
        const first = known ? (await running.ask(target, method, accept)).headers["etag"] : undefined;
        const got = await running.ask(target, method, known ? { ...accept, "If-None-Match": first ?? "" } : accept);
        assert.deepEqual(
          saidOf(got),
          row.says.map((word) => (word === "flushed" || word === "named" ? "compressed" : word)),
        );
        assert.equal(got.status, row.status);
        const isCoded = got.headers["content-encoding"] === "gzip" && method !== "HEAD";
        const text = (isCoded ? gunzipSync(got.bytes) : got.bytes).toString();
        if (target !== "/none") assert.equal(text, row.body);
        const { "content-length": length, "transfer-encoding": transfer } = got.headers;
        if (length !== undefined && method === "GET") assert.equal(Number(length), got.bytes.length);
        assert.ok(length === undefined || transfer === undefined, "two framings");
      });

    test("a client that leaves: everything is released", async () => {
      const { bytes } = await running.ask("/forever", "GET", { "Accept-Encoding": "gzip" }, true);
      assert.ok(bytes.length > 0);
      await until(() => endless === 0);
      assert.deepEqual(errors, []);
    });
  });

/** A response in the words of the table. */
function saidOf({ status, headers }: Got): readonly string[] {
  const etag = headers["etag"];
  if (headers["content-encoding"] === "gzip") assert.match(headers["vary"] ?? "", /Accept-Encoding/);
  return [
    status === 304 ? "304" : etag === undefined ? "—" : etag.startsWith('W/"') ? "weak tag" : "strong tag",
    headers["content-encoding"] === "gzip" ? "compressed" : "—",
    headers["x-content-type-options"] === "nosniff" && "content-security-policy" in headers ? "set" : "—",
  ];
}

describe("docs/compression-and-caching.md", () => {
  test("has the table that is tested here", () => {
    const table = (guide.split("<!-- responses -->")[1] ?? "").split("\n").filter((line) => line.startsWith("| "));
    const found = table
      .slice(1)
      .map((line) => line.split("|").map((cell) => cell.trim()))
      .map(([, name = "", ...cells]) => [name, cells.slice(0, 3)]);
    assert.deepEqual(
      found,
      Object.entries(rows).map(([name, { says }]) => [name, says]),
    );
  });
});
