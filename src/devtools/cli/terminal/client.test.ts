/** The client on the responses of devtools, and of any other program at their address. */
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { after, before, beforeEach, describe, it } from "node:test";
import { Responding } from "../mcp/responding.testkit.ts";
import { DevtoolsClient } from "./client.ts";
import { TerminalError } from "./errors.ts";

let devtools: Responding;
before(async () => void (devtools = await new Responding().start()));
beforeEach(() => void devtools.seen.splice(0));
after(() => devtools.stop());

const responds =
  (status: number, text: string, headers: Readonly<Record<string, string>> = {}) =>
  (_: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(status, headers).end(text);

const problem = {
  "Content-Type": "application/problem+json; charset=utf-8",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** Why a read was rejected. */
async function objection(reading: Promise<unknown>): Promise<string> {
  const error = await reading.then(
    () => assert.fail("was not rejected"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof TerminalError, String(error));
  return error.message;
}

describe("DevtoolsClient", () => {
  it("accepts an address of HTTP, without the part after the application's path", () => {
    const bases = [
      "http://a:1/",
      "https://a/shop/",
      "http://a:1/shop/framework/dev",
      "http://a/shop/framework/dev/?x#y",
    ];
    assert.deepEqual(
      bases.map((url) => new DevtoolsClient({ url }).base),
      ["http://a:1", "https://a/shop", "http://a:1/shop", "http://a/shop"],
    );
    for (const url of ["ftp://a", "a", "xhttp://a", "httpx://a", ""])
      assert.throws(() => new DevtoolsClient({ url }), /^TerminalError: --url is ".*": an address like/);
  });

  it("sends the token if there is one", async () => {
    const tokens: unknown[] = [];
    devtools.responses = {
      routes: ({ headers }: IncomingMessage, response: ServerResponse) => {
        tokens.push(headers["x-framework-dev-token"]);
        response.end("[]");
      },
    };
    await devtools.client().read("routes");
    await devtools.client({ token: "t" }).read("routes");
    assert.deepEqual(tokens, [undefined, "t"]);
  });

  it("sends the token nowhere else, for any redirect", async () => {
    const elsewhere = await new Responding().start();
    try {
      for (const status of [301, 302, 303, 307, 308])
        for (const target of [elsewhere.url, devtools.url]) {
          const location = { Location: `${target}/framework/dev/api/elsewhere` };
          devtools.responses = { graph: responds(status, "", location), stream: responds(status, "", location) };
          const client = devtools.client({ token: "t" });
          for (const reading of [client.read("graph"), client.follow(AbortSignal.timeout(5_000))])
            assert.match(await objection(reading), new RegExp(`responded with ${status}: is that the application\\?$`));
        }
    } finally {
      await elsewhere.stop();
    }
    assert.deepEqual([elsewhere.seen, new Set(devtools.seen)], [[], new Set(["graph", "stream"])]);
  });

  it("finds the application's root below its context path, if it is there", async () => {
    const at = async (path: string | undefined, below: string): Promise<readonly string[]> => {
      const headers = path === undefined ? {} : { "X-Framework-Context-Path": path };
      devtools.responses = { routes: responds(200, "[]", headers) };
      const { root, contextPath } = await devtools.client({ url: devtools.url + below }).application();
      return [root.replace(devtools.url, ""), contextPath];
    };
    assert.deepEqual(await at(undefined, "/mounted"), ["/mounted", ""]);
    assert.deepEqual(await at("/shop", "/mounted/shop"), ["/mounted", "/shop"]);
    assert.deepEqual(await at("/shop", "/mounted"), ["/mounted", "/shop"]);
  });

  it("accepts only a 404 of devtools as nothing kept", async () => {
    devtools.responses = {};
    assert.equal(await devtools.client().run("i.1"), undefined);
    const others = [
      {},
      { "Content-Type": problem["Content-Type"] },
      { ...problem, "Content-Type": "text/html" },
      { ...problem, "Content-Type": "x/application/problem+json" },
      { ...problem, "Cross-Origin-Resource-Policy": "cross-origin" },
    ];
    for (const headers of others) {
      devtools.responses = { "runs/i.1": responds(404, "", headers) };
      assert.match(await objection(devtools.client().run("i.1")), /^http.* has no devtools: they are off, or /);
    }
    devtools.responses = { "runs/i.1": responds(500, "", problem) };
    assert.match(await objection(devtools.client().run("i.1")), /responded with 500: is that the application\?$/);
  });

  it("passes on the objection of devtools, and the probable meaning of a query", async () => {
    const said = async (status: number, text: string): Promise<string> => {
      devtools.responses = { search: responds(status, text) };
      return (await objection(devtools.client().search("q", 1))).replace(devtools.url, "…");
    };
    const issue = { at: 2, length: 1, message: "no field", suggestion: "bean:x" };
    assert.equal(
      await said(400, JSON.stringify({ detail: "d", issues: [issue] })),
      "the query cannot be understood at character 3: no field; did you mean bean:x",
    );
    assert.equal(await said(400, JSON.stringify({ detail: "limit is none", issues: [] })), "limit is none");
    assert.equal(await said(400, JSON.stringify({ detail: "limit is none" })), "limit is none");
    assert.equal(await said(400, "no JSON"), "devtools rejected the request: no JSON");
    assert.equal(await said(400, "x".repeat(5_000)), `devtools rejected the request: ${"x".repeat(4_096)}`);
    assert.equal(await said(403, " the token is missing\n"), "…: the token is missing");
    assert.equal(await said(403, ""), "…: devtools rejected the request");
    assert.equal(await said(500, "x"), "… responded with 500: is that the application?");
    assert.match(
      await said(200, "<html>"),
      /^….*\/search\?q=q&limit=1 responded with what is no JSON: are those devtools\?$/,
    );
  });

  it("reads each of its views, and a search from a cursor", async () => {
    devtools.responses = { health: 1, metrics: 2, startup: 3, sources: [4], search: 5, sessions: 6, graph: 7 };
    const client = devtools.client();
    assert.deepEqual(
      [
        await client.read("health"),
        await client.read("metrics"),
        await client.read("startup"),
        await client.read("sources"),
      ],
      [1, 2, 3, [4]],
    );
    assert.deepEqual(
      [await client.search("a b", 2, "i.3"), await client.read("sessions"), await client.read("graph")],
      [5, 6, 7],
    );
    assert.equal(devtools.seen[4], "search?q=a+b&limit=2&cursor=i.3");
  });

  it("follows runs as they come, in any pieces, and skips other events", async () => {
    const event = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
    const written = event("hello", { sequence: 0 }) + event("trace", { sequence: 1 }) + event("trace", { sequence: 2 });
    devtools.responses = {
      stream: (_: IncomingMessage, response: ServerResponse) => {
        const left = written.match(/[^]{1,7}/g) ?? [];
        const write = (): void => {
          const piece = left.shift();
          if (piece === undefined) return void response.end("event: trace\ndata: {");
          response.write(piece, () => setImmediate(write));
        };
        write();
      },
    };
    const seen: number[] = [];
    const { signal } = new AbortController();
    for await (const { sequence } of await devtools.client().follow(signal)) seen.push(sequence);
    assert.deepEqual(seen, [1, 2]);
  });

  it("says why there is no response, and stops waiting when it is aborted", async () => {
    const gone = await new Responding().start();
    const { url } = gone;
    await gone.stop();
    const lost = new DevtoolsClient({ url });
    assert.match(
      await objection(lost.read("graph")),
      /^nothing responds at http:.* \(ECONNREFUSED\): start the application/,
    );
    const controller = new AbortController();
    const waiting = new DevtoolsClient({ url, waitMs: 60_000 }).follow(controller.signal);
    controller.abort();
    await assert.rejects(waiting);
  });

  it("asks again until the application is there, and says why it was not", async (t) => {
    let left = 1;
    const asked = t.mock.method(globalThis, "fetch", () =>
      left-- > 0
        ? Promise.reject(new TypeError("failed", { cause: new Error("no way") }))
        : Promise.resolve(Response.json([])),
    );
    assert.deepEqual(await devtools.client({ waitMs: 60_000 }).read("routes"), []);
    assert.equal(asked.mock.callCount(), 2);
    left = 1;
    assert.match(await objection(devtools.client().read("routes")), / \(no way\): start the application/);
  });

  it("waits 10 s for a response, or until it is aborted", async (t) => {
    devtools.responses = { routes: [] };
    const { signal } = new AbortController();
    assert.deepEqual(await devtools.client({ signal }).read("routes"), []);
    const gone = AbortSignal.abort();
    assert.match(
      await objection(devtools.client({ signal: gone, waitMs: 60_000 }).read("routes")),
      /^nothing responds at/,
    );
    const late = AbortSignal.abort(new DOMException("late", "TimeoutError"));
    const limit = t.mock.method(AbortSignal, "timeout", () => late);
    for (const options of [{}, { signal }])
      assert.match(await objection(devtools.client(options).read("routes")), /^http.* did not respond within 10 s$/);
    assert.deepEqual(
      limit.mock.calls.map((call) => call.arguments),
      [[10_000], [10_000]],
    );
  });
});
