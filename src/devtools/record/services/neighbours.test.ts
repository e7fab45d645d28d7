/**
 * Runs across services: three applications in a row, and everything that must not be read.
 */
import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import dns from "node:dns";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { Beans, Framework, Interface } from "framework";
import { Devtools, type RunReference, type ServiceRun, type Trace } from "../../index.ts";
import { isNeighbour, isRunId, Neighbours } from "./neighbours.ts";
import type { SentHeaders } from "./sent-headers.ts";
import { traceOf } from "../../run/traces.testkit.ts";

/** A run as another service's devtools send it. */
const held = { name: "a", trace: traceOf([]), graph: { nodes: [], edges: [], unspied: [] } };

const silent = { warn: (): void => undefined, error: (): void => undefined };
const dev = "/framework/dev/api";

interface Caller {
  call(): Promise<string>;
}
const Caller = Interface<Caller>("Caller");

const closing: (() => Promise<unknown>)[] = [];
after(() => Promise.all(closing.map((close) => close())));

/** An application with devtools and a route that calls the next one. */
async function start(name: string, next?: string, contextPath = "/"): Promise<string> {
  const devtools = Devtools.create({ name });
  const beans = Beans.builder()
    .bind(Caller, () => ({ call: async () => (next === undefined ? "the end" : await (await fetch(next)).text()) }))
    .instrument(devtools.recorder())
    .start();
  const app = Framework.create({ host: "127.0.0.1", contextPath, logger: silent }).beans(beans);
  app.get("/go", (ctx) => ctx.get(Caller).call());
  devtools.install(app, beans);
  await app.start(0);
  closing.push(() => app.stop({ graceMs: 0 }));
  return app.url;
}

const json = async (url: string): Promise<{ status: number; body: unknown }> => {
  const response = await fetch(url);
  return { status: response.status, body: await response.json() };
};

/** The run that the newest run of an application led to. */
async function runAfter(url: string): Promise<RunReference> {
  const [trace] = (await json(`${url}${dev}/requests`)).body as Trace[];
  const leaf = trace?.leaves.find((one) => one.kind === "http");
  assert.ok(leaf?.kind === "http" && leaf.detail.run !== null);
  return leaf.detail.run;
}

const remote = (url: string, origins: readonly string[], id: string): Promise<{ status: number; body: unknown }> =>
  json(`${url}${dev}/remote?${new URLSearchParams([...origins.map((origin) => ["origin", origin]), ["id", id]])}`);

describe("three services in a row", () => {
  let [shop, shipping, carrier] = ["", "", ""];
  before(async () => {
    carrier = await start("carrier", undefined, "/inner;v=1");
    shipping = await start("shipping", `${carrier}/go`);
    shop = await start("shop", `${shipping}/go`);
    assert.equal(await (await fetch(`${shop}/go`)).text(), "the end");
  });

  it("the leaf names the other run, and the application reads it", async () => {
    const run = await runAfter(shop);
    assert.equal(run.origin, shipping);
    const { status, body } = await remote(shop, [run.origin], run.id);
    const { name, trace, graph } = body as ServiceRun;
    assert.deepEqual(
      [status, name, trace.path, trace.calls.map(({ bean }) => bean), graph.nodes.map(({ id }) => id)],
      [200, "shipping", "/go", ["Caller"], ["Caller"]],
    );
    assert.deepEqual(body, (await json(`${shipping}${dev}/run?id=${run.id}`)).body);
  });

  it("the first requests the third from the second, and the third has a context path", async () => {
    const [second, third] = [await runAfter(shop), await runAfter(shipping)];
    assert.equal(third.origin, new URL(carrier).origin);
    const { status, body } = await remote(shop, [second.origin, third.origin], third.id);
    assert.deepEqual([status, (body as ServiceRun).name], [200, "carrier"]);
    const alone = await remote(shop, [third.origin], third.id);
    assert.equal(alone.status, 404);
    const ring = await remote(
      shop,
      Array.from({ length: 9 }, () => second.origin),
      third.id,
    );
    assert.equal(ring.status, 404);
  });

  it("a run that is not held, or of another instance, is a 404", async () => {
    const { id } = await runAfter(shop);
    const [instance = ""] = id.split(".");
    for (const wrong of [`${instance}.999`, `${crypto.randomUUID()}.1`, instance, "", `${id}&id=${id}`])
      assert.equal((await json(`${shipping}${dev}/run?id=${wrong}`)).status, 404, wrong);
    const post = await fetch(`${shipping}${dev}/run?id=${id}`, { method: "POST" });
    assert.deepEqual([post.status, post.headers.get("allow")], [405, "GET, HEAD"]);
  });

  it("the run is named to a service on this machine, but not to a browser, proxy or other machine", async () => {
    const names = async (headers: Record<string, string>, peerAddress = "127.0.0.1"): Promise<string | null> => {
      const app = Framework.create({ logger: silent }).get("/", () => "");
      const beans = Beans.builder().start();
      Devtools.create().install(app.beans(beans), beans);
      const request = new Request("http://localhost/", { headers: { host: "localhost:80", ...headers } });
      return (await app.fetch(request, { peerAddress })).headers.get("x-framework-run");
    };
    assert.match((await names({})) ?? "", /^[0-9a-f-]{36}\.1;at=\/framework\/dev$/);
    assert.match((await names({}, "::1")) ?? "", /;at=/);
    const others: readonly (readonly [Record<string, string>, string?])[] = [
      [{ origin: "http://localhost" }],
      [{ "sec-fetch-site": "none" }],
      [{ "x-forwarded-for": "127.0.0.1" }],
      [{ via: "1.1 nginx" }],
      [{ host: "app.example" }],
      [{}, "10.0.0.7"],
    ];
    for (const [headers, peer] of others)
      assert.equal(await names(headers, peer), null, JSON.stringify([headers, peer]));
  });
});

describe("isNeighbour", () => {
  it("judges each request anew, whichever came before it", () => {
    const of = (address: string | undefined, host: string | undefined, isForwarded = false): boolean =>
      isNeighbour(address, { host, isForwarded } as SentHeaders);
    const [here, there] = [["127.0.0.1", "10.0.0.7"] as const, ["localhost:80", "app.example"] as const];
    for (const before of [of(here[0], there[0]), of(here[1], there[1])]) {
      assert.equal(typeof before, "boolean");
      assert.deepEqual(
        [of(here[1], there[0]), of(here[0], there[0]), of(here[0], there[1]), of(here[0], there[0])],
        [false, true, false, true],
      );
    }
    assert.deepEqual(
      [of(here[0], there[0], true), of(undefined, there[0]), of(here[0], undefined)],
      [false, false, false],
    );
  });
});

describe("isRunId", () => {
  it("is an instance and a number, complete", () => {
    const [longest, over] = [`${"a".repeat(64)}.1${"0".repeat(15)}`, `${"a".repeat(65)}.1`];
    for (const id of ["a.1", "0a-B.70", longest]) assert.equal(isRunId(id), true, id);
    for (const id of [undefined, "", "a", "a.0", "a.01", "a.1x", "a.xx", "/a.1", "a.1\n", over, `a.1${"0".repeat(16)}`])
      assert.equal(isRunId(id), false, id);
  });
});

describe("Neighbours", () => {
  /** A server with these responses, and neighbours that have learned its origin. */
  async function neighbour(listener: RequestListener, scheme = "http") {
    const server = createServer(listener).listen(0, "127.0.0.1");
    await once(server, "listening");
    const origin = `${scheme}://localhost:${(server.address() as AddressInfo).port}`;
    const neighbours = new Neighbours();
    neighbours.learn(origin, named(good));
    return { server, origin, neighbours };
  }

  const named = (value: string): readonly (readonly [string, string])[] => [["X-Framework-Run", value]];
  const good = "0a-b.7;at=/framework/dev";

  it("learns only from names of this machine, and only from a valid header", () => {
    const neighbours = new Neighbours();
    const run = { origin: "http://127.0.0.1:81", id: "0a-b.7" };
    assert.deepEqual(neighbours.learn("http://127.0.0.1:81", named(good)), run);
    const path = `/${"x".repeat(255)}/`;
    const longest = `${"a".repeat(64)}.1${"0".repeat(15)};at=${path}`;
    assert.deepEqual(neighbours.learn("http://127.0.0.1:81", named(longest))?.id, longest.split(";")[0]);
    assert.deepEqual(neighbours.learn("http://127.0.0.1:81", named("0a-b.70;at=/"))?.id, "0a-b.70");
    for (const over of [`a${longest}`, longest.replace(".1", ".10"), `${longest}/`, `x ${good}`, "0a-b.07;at=/x"])
      assert.equal(neighbours.learn("http://127.0.0.1:81", named(over)), undefined, over);
    assert.deepEqual(neighbours.learn("https://localhost", named(good)), { ...run, origin: "https://localhost" });
    assert.deepEqual(neighbours.learn("http://[::1]:82", named(good)), { ...run, origin: "http://[::1]:82" });
    for (const origin of [
      "http://app.test",
      "http://127.0.0.1.nip.io",
      "http://a.localhost",
      "ftp://localhost",
      "x",
      "http://0.0.0.0",
    ])
      assert.equal(neighbours.learn(origin, named(good)), undefined, origin);
    for (const value of [
      "",
      "0a-b.7",
      "0a-b.0;at=/x",
      "0a b.7;at=/x",
      "0a-b.7;at=x",
      "0a-b.7;at=/x\r\ny",
      "0a-b.7;at=/x?y",
      "0a-b.7;at=/x#y",
    ])
      assert.equal(neighbours.learn("http://localhost", named(value)), undefined, value);
    assert.equal(neighbours.learn("http://localhost", [...named(good), ...named(good)]), undefined);
  });

  it("asks only a learnt origin, and only for a valid id", async () => {
    const neighbours = new Neighbours();
    neighbours.learn("http://127.0.0.1:81", named(good));
    const asked = [
      await neighbours.ask([], "a.1"),
      await neighbours.ask(["http://127.0.0.1:82"], "a.1"),
      await neighbours.ask(["http://127.0.0.1:81/"], "a.1"),
      await neighbours.ask(["http://127.0.0.1:81"], "a.1&x=1"),
    ];
    assert.deepEqual(
      asked.map((one) => "status" in one && one.status),
      [404, 404, 404, 404],
    );
    for (let port = 1_000; port < 1_063; port++) neighbours.learn(`http://127.0.0.1:${port}`, named(good));
    const row = (length: number): readonly string[] => Array.from({ length }, () => "http://127.0.0.1:81");
    const rows = await Promise.all([1, 8, 9].map((length) => neighbours.ask(row(length), "a.1")));
    assert.deepEqual(
      rows.map((one) => "status" in one && one.status),
      [502, 502, 404],
    );
    assert.ok(
      rows.every((one) => "reason" in one && /named a run to this one$|could not be asked: .+/.test(one.reason)),
    );
    for (let port = 1_063; port < 1_070; port++) neighbours.learn(`http://127.0.0.1:${port}`, named(good));
    const oldest = await neighbours.ask(["http://127.0.0.1:81"], "a.1");
    assert.equal("status" in oldest && oldest.status, 404);
  });

  const responses: Readonly<Record<string, readonly [RequestListener, RegExp]>> = {
    "a redirect": [(_, response) => void response.writeHead(302, { location: "/x" }).end(), /responded with 302$/],
    "a 403": [(_, response) => void response.writeHead(403).end(), /responded with 403: its devtools ask for a token/],
    "no JSON": [(_, response) => void response.end("<html>"), /what it sent is no run of/],
    "JSON of another shape": [(_, response) => void response.end('{"name":1}'), /what it sent is no run of/],
    "a run without its graph": [(_, response) => void response.end('{"name":"a","trace":{}}'), /is no run of/],
    "no graph but null": [(_, response) => void response.end('{"name":"a","trace":{},"graph":null}'), /is no run of/],
    "no run but null": [(_, response) => void response.end('{"name":"a","trace":null,"graph":{}}'), /is no run of/],
    "a number for a run": [(_, response) => void response.end('{"name":"a","trace":1,"graph":{}}'), /is no run of/],
    "a run without a name": [(_, response) => void response.end('{"trace":{},"graph":{}}'), /is no run of/],
    null: [(_, response) => void response.end("null"), /is no run of/],
    "a 500, whatever it sends": [
      (_, response) => void response.writeHead(500).end('{"name":"a","trace":{},"graph":{}}'),
      /responded with 500$/,
    ],
    "too much": [(_, response) => void response.end("x".repeat(4_194_305)), /it sent more than 4194304 bytes$/],
    "a cut body": [
      (_, response) => void response.writeHead(200, { "content-length": "9" }).write("x", () => response.destroy()),
      /aborted/,
    ],
  };
  for (const [name, [listener, reason]] of Object.entries(responses))
    it(`${name} is a 502 with the reason, and is requested once, by GET`, async () => {
      const seen: string[] = [];
      const { server, origin, neighbours } = await neighbour((request, response) => {
        seen.push(`${request.method} ${request.url}`);
        listener(request, response);
      });
      const asked = await neighbours.ask([origin], "0a-b.7");
      server.close();
      assert.ok("status" in asked && asked.status === 502, JSON.stringify(asked));
      assert.match(asked.reason, reason);
      assert.deepEqual(seen, ["GET /framework/dev/api/run?id=0a-b.7"]);
    });

  it("requests JSON on a separate connection, and returns the run unchanged, up to 4 MiB", async () => {
    const text = `${JSON.stringify(held).slice(0, -1)},"rest":"`.padEnd(4_194_304 - 2, "x").concat('"}');
    const seen: unknown[] = [];
    const { server, origin, neighbours } = await neighbour(({ method, headers: { accept, connection } }, response) => {
      seen.push([method, accept, connection]);
      response.writeHead(seen.length === 1 ? 200 : 404).end(text);
    });
    const [asked, gone] = [await neighbours.ask([origin], "0a-b.7"), await neighbours.ask([origin], "0a-b.7")];
    const closed = once(server, "close");
    server.close();
    await closed;
    assert.equal("text" in asked && asked.text === text, true);
    assert.deepEqual(gone, { status: 404, reason: `the application at ${origin} does not hold this run` });
    assert.deepEqual(
      seen,
      [1, 2].map(() => ["GET", "application/json", "close"]),
    );
  });

  it("asks only addresses of this machine, whatever the name resolves to", async (t) => {
    const text = JSON.stringify(held);
    const { server, origin, neighbours } = await neighbour((_, response) => void response.end(text));
    let found: readonly [error: Error | null, addresses?: readonly object[]] = [null, []];
    type Found = (...result: typeof found) => void;
    t.mock.method(dns, "lookup", (_name: string, _options: object, done: Found) => done(...found));
    syncBuiltinESMExports();
    const [here, elsewhere] = [
      { address: "127.0.0.1", family: 4 },
      { address: "192.0.2.1", family: 4 },
    ];
    const asked: unknown[] = [];
    for (found of [[null, [elsewhere, here]], [null, [elsewhere]], [null, []], [new Error("no such name")]] as const)
      asked.push(await neighbours.ask([origin], "0a-b.7"));
    t.mock.restoreAll();
    syncBuiltinESMExports();
    server.close();
    const not = (why: string) => ({ status: 502, reason: `the application at ${origin} could not be asked: ${why}` });
    const away = not("localhost is not this machine");
    assert.deepEqual(asked, [{ text }, away, away, not("no such name")]);
  });

  const slow: Readonly<Record<string, readonly [RequestListener, channel: string]>> = {
    "no response": [() => undefined, "http.client.request.start"],
    "a response that does not end": [
      (_, response) => void response.writeHead(200).write("{"),
      "http.client.response.finish",
    ],
  };
  for (const [name, [listener, channel]] of Object.entries(slow))
    it(`waits 2 s, and reports ${name}`, async (t) => {
      const patience = new AbortController();
      const timeout = t.mock.method(AbortSignal, "timeout", () => patience.signal);
      const over = (): void => void setImmediate(() => patience.abort());
      const { server, origin, neighbours } = await neighbour(listener);
      subscribe(channel, over);
      const asked = await neighbours.ask([origin], "0a-b.7");
      unsubscribe(channel, over);
      server.close();
      const reason = `the application at ${origin} could not be asked: it has not responded in 2000 ms`;
      assert.deepEqual(asked, { status: 502, reason });
      assert.deepEqual(
        timeout.mock.calls.map(({ arguments: given }) => given),
        [[2_000]],
      );
    });

  it("closes a response that is not a run, and does not read it", { timeout: 5_000 }, async (t) => {
    t.mock.method(AbortSignal, "timeout", () => new AbortController().signal);
    const closed: Promise<unknown>[] = [];
    const { server, origin, neighbours } = await neighbour((_, response) => {
      closed.push(once(response, "close"));
      response.writeHead(500).write("x");
    });
    const asked = await neighbours.ask([origin], "0a-b.7");
    await Promise.all(closed);
    server.close();
    assert.deepEqual(asked, { status: 502, reason: `the application at ${origin} responded with 500` });
  });

  it("uses TLS if the origin is https", async () => {
    const seen: unknown[] = [];
    const { server, origin, neighbours } = await neighbour((request) => seen.push(request.url), "https");
    const asked = await neighbours.ask([origin], "0a-b.7");
    server.close();
    assert.ok("status" in asked && asked.status === 502);
    assert.match(asked.reason, /SSL|TLS|EPROTO|ECONNRESET|hang up/);
    assert.deepEqual(seen, []);
  });

  it("a missing server is a 502 too", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.close();
    await once(server, "close");
    const neighbours = new Neighbours();
    neighbours.learn(origin, named(good));
    const asked = await neighbours.ask([origin], "0a-b.7");
    assert.ok("status" in asked && asked.status === 502);
    assert.match(asked.reason, /ECONNREFUSED/);
  });
});
