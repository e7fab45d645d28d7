/**
 * Endpoints: the responses for each client, also for clients that a loopback socket cannot imitate.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Beans, Framework } from "framework";
import { Devtools, type DevtoolsOptions } from "../index.ts";
import { devtoolsPath, Endpoints, type EndpointSources } from "./endpoints.ts";
import { finishedOf } from "../keep/finished-traces.testkit.ts";
import { notBuilt, type Page } from "./page.ts";
import { Neighbours } from "../record/services/neighbours.ts";
import { TraceStore } from "../keep/store.ts";
import { TraceStream } from "./stream.ts";
import { Token } from "./token.ts";

const dev = "/framework/dev";
const paths = [dev, `${dev}/api/routes`, `${dev}/api/graph`, `${dev}/api/requests`, `${dev}/api/stream`, `${dev}/x`];
const silent = { warn: () => undefined, error: () => undefined };

/** Responses for a client at that address. */
function responsesTo(
  options: DevtoolsOptions = {},
): (path: string, peerAddress: string, headers?: Headers) => Received {
  const app = Framework.create({ logger: silent });
  Devtools.create(options).install(app, Beans.builder().start());
  return async (path, peerAddress, headers = {}) => {
    const request = new Request(`http://localhost${path}`, { headers: { host: "localhost", ...headers } });
    const response = await app.fetch(request, { peerAddress });
    return [response.status, response.headers.get("content-type"), await response.text()];
  };
}
type Headers = Readonly<Record<string, string>>;
type Received = Promise<readonly [status: number, type: string | null, text: string]>;

const builtPage: Page = { html: "<p>", csp: "default-src 'none'", etag: '"a"', gzip: new Uint8Array([1, 2]) };

/** Endpoints alone, and their responses to a client on this machine. */
function served(given: Partial<EndpointSources> = {}) {
  const store = new TraceStore(2, 1_000_000);
  const shown: EndpointSources = {
    rules: { allowRemote: false, allowedHosts: [] },
    token: undefined,
    store,
    stream: new TraceStream(store, 1, 1_000),
    neighbours: new Neighbours(),
    spans: undefined,
    posted: [],
    name: () => "shop",
    page: async () => builtPage,
    contextPath: "",
    routes: () => [],
    graph: () => ({ nodes: [], edges: [], unspied: [] }),
    panels: { list: () => [], read: async () => undefined },
    further: [],
    ...given,
  };
  const endpoints = new Endpoints(shown);
  const app = Framework.create({ logger: silent }).wrap((ctx) =>
    endpoints.respond(ctx, devtoolsPath(ctx.url, "") ?? assert.fail(ctx.url)),
  );
  const send = async (path: string, headers: Headers = {}, method = "GET"): Promise<Response> => {
    const request = new Request(`http://localhost${path}`, { method, headers: { host: "localhost", ...headers } });
    return app.fetch(request, { peerAddress: "127.0.0.1" });
  };
  /** Status and detail of a Problem. */
  const problemOf = async (path: string, headers: Headers = {}, method = "GET"): Promise<readonly unknown[]> => {
    const response = await send(path, headers, method);
    const { title, status, detail, type } = (await response.json()) as Readonly<Record<string, unknown>>;
    assert.deepEqual(
      [type, status, response.headers.get("content-type")],
      ["about:blank", response.status, "application/problem+json"],
    );
    return [status, title, detail];
  };
  return { store, shown, endpoints, send, problemOf };
}

/** The result of `read` while the environment has these variables. */
function within<T>(env: Readonly<Record<string, string>>, read: () => T): T {
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, env);
  try {
    return read();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

describe("Endpoints", () => {
  it("a client on another machine gets an empty 404 for every path", async () => {
    const ask = responsesTo();
    for (const path of paths) {
      for (const peer of ["10.0.0.2", "::ffff:10.0.0.2", "2001:db8::1"]) {
        const [status, , text] = await ask(path, peer);
        assert.deepEqual([status, text], [404, ""], `${peer} ${path}`);
      }
    }
    assert.equal((await ask(`${dev}/api/graph`, "127.0.0.1"))[0], 200);
  });

  it("GUARD-002: a client on another machine stays one, whatever its headers claim", async () => {
    const ask = responsesTo();
    const claims = ["forwarded", "x-forwarded-for", "x-real-ip", "cf-connecting-ip"].map((name) => ({
      [name]: name === "forwarded" ? "for=127.0.0.1" : "127.0.0.1",
    }));
    for (const claim of claims) {
      const [status, , text] = await ask(`${dev}/api/graph`, "10.0.0.2", claim);
      assert.deepEqual([status, text], [404, ""], JSON.stringify(claim));
    }
  });

  it("FRAMEWORK_DEVTOOLS_ALLOWED_HOSTS adds Hosts to those of the option", async () => {
    const ask = within({ FRAMEWORK_DEVTOOLS_ALLOWED_HOSTS: " app.test:8080 ,, dev.test" }, () =>
      responsesTo({ allowedHosts: ["own.test"] }),
    );
    const statuses = await Promise.all(
      ["app.test:8080", "dev.test:1", "own.test", "localhost", "app.test", "evil.test"].map(
        async (host) => (await ask(`${dev}/api/graph`, "127.0.0.1", { host }))[0],
      ),
    );
    assert.deepEqual(statuses, [200, 200, 200, 200, 403, 403]);
    assert.equal((await ask(`${dev}/api/graph`, "10.0.0.2", { host: "dev.test" }))[0], 404);
  });

  for (const [contextPath, expected] of [
    ["/", ""],
    ["/shop", "/shop"],
  ] as const)
    it(`DEV-060: the list of routes comes with the context path ${contextPath}`, async () => {
      const app = Framework.create({ logger: silent, contextPath });
      const beans = Beans.builder().start();
      Devtools.create().install(app, beans);
      const request = new Request(`http://localhost${expected}${dev}/api/routes`, { headers: { host: "localhost" } });
      const response = await app.fetch(request, { peerAddress: "127.0.0.1" });
      assert.deepEqual([response.status, response.headers.get("x-framework-context-path")], [200, expected]);
    });

  it("the list of routes has the example of each route that declares one", async () => {
    const app = Framework.create({ logger: silent });
    app.get("/plain", () => "x").post("/a/{id}", { example: { path: { id: 7 }, body: { n: 1 } } }, () => "x");
    Devtools.create().install(app, Beans.builder().start());
    const request = new Request(`http://localhost${dev}/api/routes`, { headers: { host: "localhost" } });
    const response = await app.fetch(request, { peerAddress: "127.0.0.1" });
    const routes = (await response.json()) as { path: string; example?: unknown }[];
    assert.deepEqual(
      routes.map(({ path, example }) => [path, example]),
      [
        ["/a/{id}", { path: { id: "7" }, query: {}, headers: {}, body: { n: 1 } }],
        ["/plain", undefined],
      ],
    );
  });

  it("a page that is not built is a 503 that says how to build it, until it is built", async () => {
    let built = false;
    const { send } = served({ page: async () => (built ? builtPage : undefined) });
    const ask = async (): Promise<readonly unknown[]> => {
      const response = await send(dev);
      return [response.status, response.headers.get("content-type"), await response.text()];
    };
    const problem = { type: "about:blank", title: "Service Unavailable", status: 503, detail: notBuilt };
    assert.deepEqual(await ask(), [503, "application/problem+json", JSON.stringify(problem)]);
    assert.match(notBuilt, /make build/);
    built = true;
    assert.deepEqual(await ask(), [200, "text/html; charset=utf-8", "<p>"]);
  });
});

describe("the responses of Endpoints", () => {
  const headersOf = (response: Response): readonly (string | null)[] =>
    [
      "cache-control",
      "cross-origin-resource-policy",
      "x-content-type-options",
      "x-frame-options",
      "referrer-policy",
    ].map((name) => response.headers.get(name));
  const strict = ["no-store", "same-origin", "nosniff", "DENY", "no-referrer"];

  it("GUARD-011: each has the headers that protect it, whatever it is", async () => {
    const { send } = served({ token: new Token("0123456789abcdef") });
    const plain = served();
    const asked = [
      send(dev),
      send(`${dev}?token=0123456789abcdef`),
      plain.send(dev),
      plain.send(`${dev}/api/graph`),
      plain.send(`${dev}/x`),
      plain.send(dev, {}, "POST"),
    ];
    const responses = await Promise.all(asked);
    assert.deepEqual(
      responses.map(({ status }) => status),
      [403, 303, 200, 200, 404, 405],
    );
    for (const response of responses) assert.deepEqual(headersOf(response), strict, `${response.status}`);
  });

  it("DEV-007 DEV-008: is a Problem for an unknown path and another method, with the allowed methods", async () => {
    const { send, problemOf } = served();
    assert.deepEqual(await problemOf(`${dev}/x`), [404, "Not Found", undefined]);
    assert.deepEqual(await problemOf(`${dev}/api/panelsx`), [404, "Not Found", undefined]);
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
      assert.deepEqual(await problemOf(`${dev}/api/graph`, {}, method), [405, "Method Not Allowed", undefined], method);
      assert.equal((await send(`${dev}/api/graph`, {}, method)).headers.get("allow"), "GET, HEAD");
    }
    const head = await send(`${dev}/api/graph`, {}, "HEAD");
    assert.deepEqual([head.status, await head.text(), head.headers.get("allow")], [200, "", null]);
  });

  it("are found by the whole path, or by its beginning if the endpoint's path ends in a slash", async () => {
    const { send } = served({
      further: [
        [`${dev}/api/more`, (ctx, below) => void ctx.text(`more ${below}`)],
        [`${dev}/api/below/`, (ctx, below) => void ctx.text(`below ${below}`)],
      ],
      panels: {
        list: () => [{ name: "mail", title: "Mails", kind: "json" }],
        read: async (name) => (name === "a/b" || name === "mail" ? ({ name } as never) : undefined),
      },
    });
    const texts = [];
    for (const path of [
      "api/graph",
      "api/requests",
      "api/more",
      "api/more/x",
      "api/below",
      "api/below/a/b",
      "api/panels",
      "api/panels/mail",
      "api/none",
      "api/panels/none",
    ]) {
      const response = await send(`${dev}/${path}`);
      texts.push([response.status, response.headers.get("content-type")?.split(";")[0], await response.text()]);
    }
    const json = "application/json";
    const missing = [404, "application/problem+json", '{"type":"about:blank","title":"Not Found","status":404}'];
    assert.deepEqual(texts, [
      [200, json, '{"nodes":[],"edges":[],"unspied":[]}'],
      [200, json, "[]"],
      [200, "text/plain", "more "],
      missing,
      missing,
      [200, "text/plain", "below a/b"],
      [200, json, '[{"name":"mail","title":"Mails","kind":"json"}]'],
      [200, json, '{"name":"mail"}'],
      missing,
      missing,
    ]);
  });

  it("has a run of this process by its id, which must be given once", async () => {
    const { store, send, problemOf } = served();
    store.add(finishedOf({ run: 7 }));
    const response = await send(`${dev}/api/run?id=${store.instance}.7`);
    assert.deepEqual([response.status, response.headers.get("content-type")], [200, "application/json; charset=utf-8"]);
    const { name, trace, graph } = (await response.json()) as Readonly<Record<string, unknown>>;
    assert.deepEqual([name, trace, graph], ["shop", store.ofRun(7), { nodes: [], edges: [], unspied: [] }]);
    const id = `${store.instance}.7`;
    for (const query of [
      "",
      "?id=",
      `?id=${store.instance}`,
      `?id=x.7`,
      `?id=${store.instance}.8`,
      `?id=${id}&id=${id}`,
    ])
      assert.deepEqual(await problemOf(`${dev}/api/run${query}`), [404, "Not Found", "no run of this id is held"]);
    assert.deepEqual(await problemOf(`${dev}/api/remote`), [
      404,
      "Not Found",
      "no application at this origin has named a run to this one",
    ]);
  });

  it("passes on the response of another application, or the reason for none", async () => {
    const asked: unknown[] = [];
    const responses = [{ text: "{}" }, { status: 502, reason: "gone" }, { status: 404, reason: "none" }] as const;
    const neighbours = {
      ask: async (...given: unknown[]) => {
        asked.push(given);
        return responses[asked.length - 1];
      },
    } as unknown as Neighbours;
    const { send, problemOf } = served({ neighbours });
    const path = `${dev}/api/remote?origin=a&origin=b&id=x.1`;
    const first = await send(path);
    assert.deepEqual(
      [first.status, first.headers.get("content-type"), await first.text()],
      [200, "application/json; charset=utf-8", "{}"],
    );
    assert.deepEqual(await problemOf(path), [502, "Bad Gateway", "gone"]);
    assert.deepEqual(await problemOf(`${dev}/api/remote?id=x.1&id=x.2`), [404, "Not Found", "none"]);
    assert.deepEqual(asked, [
      [["a", "b"], "x.1"],
      [["a", "b"], "x.1"],
      [[], ""],
    ]);
  });

  it("STREAM-014: opens no more streams than allowed, and none for a HEAD", async () => {
    const { shown, send, problemOf } = served();
    const head = await send(`${dev}/api/stream`, {}, "HEAD");
    assert.deepEqual(
      [head.status, head.headers.get("content-type"), shown.stream.clients],
      [200, "text/event-stream", 0],
    );
    const listening = await send(`${dev}/api/stream`);
    assert.deepEqual([listening.status, shown.stream.clients], [200, 1]);
    const full = await send(`${dev}/api/stream`);
    assert.equal(full.headers.get("retry-after"), "5");
    assert.deepEqual(await problemOf(`${dev}/api/stream`), [
      503,
      "Service Unavailable",
      "too many pages listen to the stream: close one",
    ]);
    shown.stream.close();
    await listening.body?.cancel();
  });
});

describe("the page", () => {
  it("DEV-032 GUARD-013: has its policy and its tag, and is compressed for clients that accept gzip", async () => {
    const { send } = served();
    const cases: readonly (readonly [accept: string | undefined, packed: boolean])[] = [
      [undefined, false],
      ["", false],
      ["gzip", true],
      ["GZIP", true],
      ["br, gzip", true],
      ["br,x-gzip;q=0.5", true],
      ["gzip ; q=1", true],
      ["gzip;q=0.01", true],
      ["gzip;q=0", false],
      ["gzip; q=0.0", false],
      ["gzip;q=0.000", false],
      ["gzip;x=1;q=0", false],
      ["gzip;q=0;x=1", false],
      ["gzip;xq=0", true],
      ["br", false],
      ["gzipped", false],
      ["identity;gzip", false],
      ["gzip;q=0, x-gzip", true],
    ];
    for (const [accept, packed] of cases) {
      const response = await send(dev, accept === undefined ? {} : { "accept-encoding": accept });
      const { headers } = response;
      const bytes = [...new Uint8Array(await response.arrayBuffer())];
      assert.deepEqual(
        [response.status, headers.get("content-encoding"), bytes],
        [200, packed ? "gzip" : null, packed ? [1, 2] : [...Buffer.from("<p>")]],
        accept,
      );
      assert.deepEqual(
        ["content-type", "content-security-policy", "cross-origin-opener-policy", "etag", "vary"].map((name) =>
          headers.get(name),
        ),
        ["text/html; charset=utf-8", "default-src 'none'", "same-origin", '"a"', "Accept-Encoding"],
      );
    }
  });

  it("DEV-031: is a 304 if If-None-Match names its tag, weakly or among others", async () => {
    const cases: readonly (readonly [header: string, status: number])[] = [
      ['"a"', 304],
      ['W/"a"', 304],
      ["*", 304],
      [" * ", 304],
      ['"b" ,  "a"', 304],
      ['"b",W/"a"', 304],
      ['"b"', 200],
      ["a", 200],
      ['"b", *', 200],
      ['xW/"a"', 200],
      ['"W/a"', 200],
      ["", 200],
    ];
    for (const etag of ['"a"', 'W/"a"']) {
      const { send } = served({ page: async () => ({ ...builtPage, etag }) });
      for (const [header, status] of cases) {
        const response = await send(dev, { "if-none-match": header });
        assert.deepEqual([response.status, response.headers.get("etag")], [status, etag], header);
        assert.equal(await response.text(), status === 304 ? "" : "<p>");
      }
    }
  });

  it("is made once", async () => {
    let made = 0;
    const { send } = served({
      page: async () => {
        made += 1;
        return builtPage;
      },
    });
    for (let n = 0; n < 3; n += 1) assert.equal((await send(dev)).status, 200);
    assert.equal(made, 1);
  });

  it("with a token the link is exchanged for a cookie, relative to the requested path", async () => {
    const token = new Token("0123456789abcdef");
    const { send } = served({ token });
    for (const [path, location] of [
      [`${dev}?token=0123456789abcdef`, "dev"],
      [`${dev}/?token=0123456789abcdef`, "../dev"],
      [`${dev}?a=/&token=0123456789abcdef`, "dev"],
    ] as const) {
      const response = await send(path);
      assert.deepEqual(
        [response.status, response.headers.get("location"), response.headers.get("set-cookie")],
        [303, location, token.cookie],
        path,
      );
    }
    for (const path of [dev, `${dev}?token=wrong`, `${dev}/api/graph?token=0123456789abcdef`])
      assert.equal((await send(path)).status, 403, path);
    const rejected = await send(dev);
    assert.equal(rejected.headers.get("content-type"), "text/plain; charset=utf-8");
    assert.match(await rejected.text(), /^Devtools rejected the request: .+\n$/);
    const cookie = token.cookie.split(";")[0] ?? "";
    assert.equal((await send(dev, { cookie })).status, 200);
  });

  it("passes to the guard what it needs", async () => {
    const { send } = served();
    const foreign: readonly Headers[] = [
      { host: "evil.test" },
      { origin: "http://evil.test" },
      { "sec-fetch-site": "cross-site" },
      { "X-Forwarded-For": "127.0.0.1" },
    ];
    for (const headers of foreign)
      assert.equal((await send(`${dev}/api/graph`, headers)).status, 403, JSON.stringify(headers));
    const navigation = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    for (const name of ["sec-fetch-mode", "sec-fetch-dest"])
      assert.equal((await send(dev, { ...navigation, [name]: "x" })).status, 403, name);
    assert.deepEqual(
      [(await send(dev, navigation)).status, (await send(`${dev}/api/graph`, navigation)).status],
      [200, 403],
    );
    const { endpoints } = served();
    const allowed: unknown[] = [];
    const app = Framework.create({ logger: silent }).wrap((ctx) => {
      allowed.push(endpoints.judge(ctx, true).allowed, endpoints.judge(ctx, true, true).allowed);
      ctx.text("");
    });
    const request = new Request("http://localhost/", { headers: { host: "localhost", ...navigation } });
    await app.fetch(request, { peerAddress: "127.0.0.1" });
    assert.deepEqual(allowed, [false, true]);
  });
});

describe("devtoolsPath", () => {
  const cases: readonly (readonly [target: string, contextPath: string, path: string | undefined])[] = [
    ["/framework/dev", "", dev],
    ["/framework/dev/", "", dev],
    ["/framework/dev/api/graph", "/", `${dev}/api/graph`],
    ["/framework/dev/api/graph/", "", `${dev}/api/graph`],
    ["/framework/dev//", "", `${dev}/`],
    ["/framework/d%65v/api/%67raph", "", `${dev}/api/graph`],
    ["/framework/dev/api/panels/a%2Fb", "", `${dev}/?`],
    ["/framework%2Fdev", "", undefined],
    ["/framework/developers", "", undefined],
    ["/framework/dev2/api", "", undefined],
    ["/x/framework/dev", "", undefined],
    ["/framework", "", undefined],
    ["/%zz", "", undefined],
    ["/", "", undefined],
    ["/shop/framework/dev/api/graph", "/shop", `${dev}/api/graph`],
    ["/a/b/framework/dev", "/a/b/", dev],
    ["/framework/dev", "/shop", undefined],
    ["/shop/framework/dev", "", undefined],
    ["http://localhost:80/framework/dev", "", dev],
    ["HTTP://localhost/framework/dev/api/run", "", `${dev}/api/run`],
    ["http://localhost/framework/dev/", "", dev],
    ["http://localhost/framework/dev/api/graph/", "", `${dev}/api/graph`],
    ["a+b-c.1://localhost/framework/dev", "", dev],
    ["1http://localhost/framework/dev", "", undefined],
    ["xhttp//localhost/framework/dev", "", undefined],
    ["*", "", undefined],
  ];
  for (const [target, contextPath, path] of cases)
    it(`finds ${path ?? "nothing"} in ${target} below ${JSON.stringify(contextPath)}`, () =>
      assert.equal(devtoolsPath(target, contextPath), path));
});
