/**
 * Endpoints: which clients get which responses, for clients that a loopback socket cannot play.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Beans, Framework } from "framework";
import { Devtools, type DevtoolsOptions } from "../index.ts";
import { Endpoints } from "./endpoints.ts";
import { notBuilt } from "./page.ts";
import { Neighbours } from "./services.ts";
import { TraceStore } from "./store.ts";
import { TraceStream } from "./stream.ts";

const dev = "/framework/dev";
const paths = [dev, `${dev}/api/routes`, `${dev}/api/graph`, `${dev}/api/requests`, `${dev}/api/stream`, `${dev}/x`];
const silent = { warn: () => undefined, error: () => undefined };

/** Responses as they would go to a client at that address. */
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

/** What `read` gives while the environment holds these variables. */
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
  it("GUARD-001: a client on another machine gets an empty 404 for every path", async () => {
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

  it("GUARD-015: FRAMEWORK_DEVTOOLS_ALLOWED_HOSTS adds Hosts to those of the option", async () => {
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

  it("DEV-061: the list of routes has the example of each that declares one", async () => {
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

  it("DEV-033: a page that is not built is a 503 that says how to build it, until it is built", async () => {
    const store = new TraceStore(1, 1_000);
    let built = false;
    const endpoints = new Endpoints({
      rules: { allowRemote: false, allowedHosts: [] },
      token: undefined,
      store,
      stream: new TraceStream(store, 1, 1_000),
      neighbours: new Neighbours(),
      name: () => "shop",
      page: async () =>
        built ? { html: "<p>", csp: "default-src 'none'", etag: '"a"', gzip: new Uint8Array() } : undefined,
      contextPath: "",
      routes: () => [],
      graph: () => ({ nodes: [], edges: [], unspied: [] }),
      panels: { list: () => [], read: async () => undefined },
    });
    const app = Framework.create({ logger: silent }).wrap((ctx) => endpoints.respond(ctx, dev));
    const ask = async (): Promise<readonly unknown[]> => {
      const request = new Request(`http://localhost${dev}`, { headers: { host: "localhost" } });
      const response = await app.fetch(request, { peerAddress: "127.0.0.1" });
      return [response.status, response.headers.get("content-type"), await response.text()];
    };
    const problem = { type: "about:blank", title: "Service Unavailable", status: 503, detail: notBuilt };
    assert.deepEqual(await ask(), [503, "application/problem+json", JSON.stringify(problem)]);
    assert.match(notBuilt, /make build/);
    built = true;
    assert.deepEqual(await ask(), [200, "text/html; charset=utf-8", "<p>"]);
  });
});
