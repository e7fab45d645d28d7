/**
 * Tests the profile of RFC 10008: a resource of this framework meets all of it, directly and through proxies with caches. Each
 * check fails if its demand is broken, and only then.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request as httpRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { CorsMiddleware, EtagMiddleware, Framework, HttpError } from "framework";
import { freePort } from "../../test/free-port.ts";
import type { Exchange, StreamStep } from "../kit/exchange.ts";
import { editHeader, headerOf } from "../kit/mutant.ts";
import type { Rewrite } from "../kit/relay.ts";
import { isMissing, nginxAround, startProxy, type ProxyName } from "../proxy-process.testkit.ts";
import { main } from "../cli.ts";
import { queryChecks } from "./checks.ts";
import { queryExitCode, queryScreen, runQueryProfile } from "./profile.ts";
import type { ResourceOptions } from "./resource.ts";

const origin = "https://app.example";
const monday = "Mon, 23 Nov 2026 08:00:00 GMT";

const app = Framework.create({ host: "127.0.0.1", logger: { warn: () => {}, error: () => {} } })
  .use(new CorsMiddleware({ allowOrigins: [origin], allowMethods: ["GET", "QUERY"] }))
  .use(new EtagMiddleware())
  .query("/search", { accept: ["application/json"] }, async (ctx) => {
    const { text } = (await ctx.body()) as { readonly text: string };
    if (ctx.header("accept") === "application/x-unheard-of") throw new HttpError(406, "JSON is made here");
    ctx.setHeader("Content-Location", `/results/${text}`).setHeader("Location", `/results/${text}`);
    return ctx.setHeader("Last-Modified", monday).json({ found: text });
  })
  .get("/results/{text}", (ctx) => ctx.setHeader("Last-Modified", monday).json({ found: ctx.pathParam("text") }))
  .query("/moved", (ctx) => ctx.redirect("/search", 307))
  .query("/slow", async (ctx) => {
    await setTimeout(400);
    return ctx.json({});
  });

const resourceAt = (base: string): ResourceOptions => ({
  url: new URL("/search", base),
  type: "application/json",
  body: '{"text":"lamp"}',
  otherBody: '{"text":"sofa"}',
  badBody: "{",
  origin,
  moved: "/moved",
});

const notMet = async (base: string): Promise<readonly string[]> =>
  (await runQueryProfile(resourceAt(base)))
    .filter(({ verdict }) => verdict !== "pass")
    .map(({ id, verdict, reason }) => `${id} ${verdict}: ${reason ?? ""}`);

before(async () => void (await app.start(0)));
after(() => app.stop());

describe("runQueryProfile", () => {
  it("reports nothing for a resource that does what RFC 10008 demands", async () => {
    assert.deepEqual(await notMet(app.url), []);
  });

  it("lets a resource require the length, and give the time of its response", async () => {
    const rewrite: Rewrite = (one) => {
      if (headerOf(one.sent.headers, "transfer-encoding") !== undefined) return { ...one, status: 411 };
      return one.status === 200 ? { ...one, body: one.body.replace("{", `{"at":${performance.now()},`) } : one;
    };
    const relay = { rewrite, rewriteItem: ({ item }: StreamStep) => [item] };
    const results = await runQueryProfile(resourceAt(app.url), { relay });
    const broken = results.filter(({ verdict }) => verdict === "fail" || verdict === "error");
    assert.deepEqual([broken, results.find(({ id }) => id === "in-pieces")?.verdict], [[], "n/a"]);
  });

  it("skips checks for features that the resource does not have", async () => {
    const url = new URL("/search", app.url);
    const results = await runQueryProfile({ url, type: "application/json", body: '{"text":"lamp"}' });
    assert.deepEqual(
      results.filter(({ verdict }) => verdict === "n/a").map(({ id, reason }) => `${id}: ${reason ?? ""}`),
      [
        "content-inconsistent: no --bad-body",
        "keyed-by-content: no --other-body",
        "if-none-match-other-content: no --other-body",
        "preflight: no --origin",
        "cross-origin: no --origin",
        "redirected: no --moved",
      ],
    );
    assert.equal(queryExitCode(results), 0);
  });

  const typeOf = ({ sent }: Exchange): string | undefined => headerOf(sent.headers, "content-type");
  const conditionOf = ({ sent }: Exchange): string | undefined => headerOf(sent.headers, "if-none-match");
  /** The response with another status and another JSON value. */
  const instead = (exchange: Exchange, status: number, body: string = exchange.body): Exchange => ({
    ...exchange,
    status,
    body,
  });
  /** Rewrites the responses to QUERY. */
  const queried =
    (isMeant: (exchange: Exchange) => boolean, change: Rewrite): Rewrite =>
    (exchange) =>
      exchange.sent.method === "QUERY" && isMeant(exchange) ? change(exchange) : exchange;
  const succeeded = queried.bind(undefined, ({ status }) => status === 200);
  const to =
    (status: number): Rewrite =>
    (exchange) =>
      instead(exchange, status);

  let runs = 0;
  let last = "";
  const faults: Readonly<Record<string, Rewrite>> = {
    "type-caseless": queried((one) => typeOf(one) === "APPLICATION/JSON", to(415)),
    "in-pieces": queried(({ sent }) => headerOf(sent.headers, "transfer-encoding") !== undefined, to(400)),
    "type-malformed": queried((one) => typeOf(one) === "text/", to(200)),
    "type-unsupported": queried(
      (one) => typeOf(one) === "application/x-unheard-of",
      (one) => editHeader(to(200)(one), "etag", undefined),
    ),
    "content-inconsistent": queried(({ sent }) => sent.body === "{", to(200)),
    "not-acceptable": queried(({ status }) => status === 406, to(200)),
    "keyed-by-content": (one) =>
      one.sent.method === "QUERY" && one.sent.body.includes("sofa") && one.status === 200
        ? instead(one, 200, '{"found":"lamp"}')
        : one,
    "apart-from-get": (one) => {
      if (one.sent.method === "QUERY" && one.status === 200) last = one.body;
      return one.sent.method === "GET" && one.sent.path === "/search" && last !== "" && runs++ % 2 === 1
        ? instead(one, 200, last)
        : one;
    },
    "if-none-match": queried(
      ({ status, sent }) => status === 304 && headerOf(sent.headers, "if-none-match") !== undefined,
      to(200),
    ),
    "if-none-match-other-content": queried(
      (one) => conditionOf(one) !== undefined && one.sent.body.includes("sofa"),
      to(304),
    ),
    "if-modified-since": queried(
      (one) => one.status === 304 && headerOf(one.sent.headers, "if-modified-since") !== undefined,
      to(200),
    ),
    "condition-after-checks": queried((one) => conditionOf(one) === "*", to(412)),
    "accept-query-form": (one) =>
      headerOf(one.headers, "accept-query") === undefined
        ? one
        : editHeader(one, "Accept-Query", "application/json, */json"),
    "accept-query-true": (one) =>
      headerOf(one.headers, "accept-query") === undefined || one.sent.method !== "HEAD"
        ? one
        : editHeader(one, "Accept-Query", "text/csv"),
    allow: (one) =>
      one.sent.method === "OPTIONS" && headerOf(one.sent.headers, "origin") === undefined
        ? editHeader(one, "Allow", "OPTIONS, query")
        : one,
    "405-allow": (one) => (one.status === 405 ? editHeader(one, "Allow", "OPTIONS") : one),
    preflight: (one) => editHeaderOf(one, "access-control-allow-methods", "get, query"),
    "cross-origin": queried(
      ({ status }) => status === 400,
      (one) => editHeader(one, "access-control-allow-origin", undefined),
    ),
    redirected: queried(({ status }) => status === 307, to(303)),
  };
  for (const [id, rewrite] of Object.entries(faults))
    it(`reports ${id}, and nothing else, if it is broken`, async () => {
      assert.deepEqual(await failing(rewrite), [id]);
    });

  const consequential: Readonly<Record<string, readonly [ids: readonly string[], rewrite: Rewrite]>> = {
    "no Accept-Query": [["accept-query"], (one) => editHeaderOf(one, "accept-query", undefined)],
    "a result that differs each time": [
      ["idempotent", "content-location", "location"],
      succeeded((one) => instead(one, 200, `{"found":${(runs += 1)}}`)),
    ],
    "a Content-Location and a Location that lead nowhere": [
      ["content-location", "location"],
      (one) => (one.sent.path.startsWith("/results/") ? instead(one, 404) : one),
    ],
    "no need of a Content-Type": [["type-missing"], queried((one) => typeOf(one) === undefined, to(200))],
  };
  for (const [what, [ids, rewrite]] of Object.entries(consequential))
    it(`reports what follows from ${what}`, async () => assert.deepEqual(await failing(rewrite), ids));

  it("reports that a resource that does not accept QUERY fails", async () => {
    const results = await runQueryProfile({ ...resourceAt(app.url), url: new URL("/results/1", app.url) });
    assert.equal(results.find(({ id }) => id === "processed")?.verdict, "fail");
    assert.equal(queryExitCode(results), 1);
  });

  it("has a fault for each check", () => {
    const broken = new Set([
      ...Object.keys(faults),
      ...Object.values(consequential).flatMap(([ids]) => ids),
      "processed",
    ]);
    assert.deepEqual(
      queryChecks.filter(({ id }) => !broken.has(id)).map(({ id }) => id),
      [],
    );
  });

  function editHeaderOf(one: Exchange, name: string, value: string | undefined): Exchange {
    return headerOf(one.headers, name) === undefined ? one : editHeader(one, name, value);
  }

  /** The ids that fail under this rewrite, without those that no longer apply. */
  async function failing(rewrite: Rewrite): Promise<readonly string[]> {
    const relay = { rewrite, rewriteItem: ({ item }: StreamStep) => [item] };
    const results = await runQueryProfile(resourceAt(app.url), { relay });
    return results.filter(({ verdict }) => ["fail", "warn", "note", "error"].includes(verdict)).map(({ id }) => id);
  }
});

describe("the profile through a proxy", () => {
  const configs: Readonly<Record<ProxyName, (app: number, listen: number, folder: string) => string>> = {
    nginx: (upstream, listen, folder) =>
      nginxAround(
        `proxy_cache_path ${folder}/cache keys_zone=results:1m;
server {
  listen 127.0.0.1:${listen};
  location / { proxy_pass http://127.0.0.1:${upstream}; proxy_http_version 1.1; proxy_cache results; proxy_cache_valid 1m; }
}
`,
        folder,
      ),
    haproxy: (upstream, listen) => `defaults
  mode http
  timeout connect 2s
  timeout client 5s
  timeout server 5s
cache results
  total-max-size 4
  max-age 60
frontend in
  bind 127.0.0.1:${listen}
  http-request cache-use results
  http-response cache-store results
  default_backend app
backend app
  server app 127.0.0.1:${upstream}
`,
  };
  for (const program of ["nginx", "haproxy"] as const)
    it(`is met after ${program} with a cache`, { skip: isMissing(program) }, async (t) => {
      const listen = await freePort();
      const base = `http://127.0.0.1:${listen}`;
      await startProxy(
        t,
        program,
        (folder) => configs[program](app.port, listen, folder),
        async () => (await fetch(`${base}/results/1`).catch(() => undefined))?.status === 200,
      );
      assert.deepEqual(await notMet(base), []);
    });

  it("is met after a proxy of node:http", async (t) => {
    const proxy: Server = createServer((from, response) => {
      const { method, url: path, headers } = from;
      const onward = httpRequest({ host: "127.0.0.1", port: app.port, method, path, headers }, (back) => {
        response.writeHead(back.statusCode ?? 502, back.rawHeaders);
        back.pipe(response);
      });
      from.pipe(onward);
    });
    t.after(() => proxy.close());
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    assert.deepEqual(await notMet(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`), []);
  });
});

describe("--profile query", () => {
  async function cli(...argv: readonly string[]) {
    const [out, err]: [string[], string[]] = [[], []];
    const words = argv.map((word) => word.replace("{app}", app.url));
    const code = await main(words, { out: (text) => out.push(text), err: (text) => err.push(text) });
    return { code, out: out.join("\n"), err: err.join("\n") };
  }
  const at = (path: string): readonly string[] => ["--profile", "query", "--url", `{app}${path}`];

  it("exits 0 for a resource that meets it, with a line for each check", async () => {
    const { code, out } = await cli(...at("/search"), "--body", '{"text":"lamp"}', "--other-body", '{"text":"sofa"}');
    assert.equal(code, 0);
    assert.match(out, /^✓ keyed-by-content {12}MUST {3}A query is not given .* \(RFC 10008 §2\.7\)$/m);
    assert.match(out, /^– redirected .*\n {4}n\/a: no --moved$/m);
  });

  it("exits 1 for one that does not, and shows the requests and responses", async () => {
    const { code, out } = await cli(...at("/results/1"));
    assert.equal(code, 1);
    assert.match(out, /^✗ processed .*\n {4}it got 405 .*\n {6}QUERY \/results\/1 \{\} → 405 /m);
  });

  const rejected: Readonly<Record<string, readonly [argv: readonly string[], sentence: RegExp]>> = {
    "a profile that there is not": [["--profile", "post"], /--profile post: suite, vectors and query are allowed/],
    "no resource": [["--profile", "query"], /--profile query takes one --url, that of a resource/],
    "nobody at the URL": [["--profile", "query", "--url", "http://127.0.0.1:1/"], /nothing responds at .*ECONNREFUSED/],
    "a clause of the suite": [["--profile", "query", "--url", "http://127.0.0.1:1/", "CORS"], /CORS is of the suite/],
    "its option without it": [["--url", "http://127.0.0.1:1/", "--moved", "/a"], /--moved belongs to --profile query/],
    "an option of the suite": [
      [...at("/search"), "--junit", "r.xml"],
      /--junit is of the suite: --profile query does not/,
    ],
    "a deadline that comes first": [
      [...at("/slow"), "--deadline", "2"],
      /the deadline came when \d+ of \d+ checks had been run/,
    ],
    "a type that is none": [[...at("/search"), "--type", "json"], /--type json is no media type/],
    "a path that is none": [[...at("/search"), "--moved", "a"], /--moved a: a path that begins with \/ is allowed/],
  };
  for (const [what, [argv, sentence]] of Object.entries(rejected))
    it(`exits 2 with a sentence on ${what}`, async () => {
      const { code, err } = await cli(...argv);
      assert.equal(code, 2);
      assert.match(err, sentence);
    });

  it("counts the results of the checks", () => {
    const said = { id: "a", level: "MUST", source: "RFC 1 §1", sentence: "It is so.", exchanges: [] } as const;
    const lines = queryScreen([
      { ...said, verdict: "pass" },
      { ...said, verdict: "error", reason: "it broke" },
    ]).split("\n");
    assert.deepEqual(lines.slice(-3), ["    it broke", "", "2 checks: 1 pass, 1 error"]);
  });
});
