/** Versions of routes by header and by media type: which one a request gets (VERSION). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  apiVersions,
  type DeclaredRoute,
  Framework,
  HttpError,
  InMemoryMetricsCollector,
  MetricsMiddleware,
} from "framework";
import { openApi } from "../openapi/index.ts";

const byHeader = (byDefault?: string) => apiVersions({ header: "API-Version", default: byDefault });
const byType = (byDefault?: string) => apiVersions({ mediaType: "application/vnd.shop.v*+json", default: byDefault });

/** An app with `GET /users/{id}` in the versions 1 and 2, and `GET /legacy` in 1. */
function versioned(version: ReturnType<typeof apiVersions>): Framework {
  const app = Framework.create({ logger: { warn: () => undefined, error: () => undefined } });
  app.group("", { version: version("1"), deprecated: { since: "2026-11-01" } }, (v1) => {
    v1.get("/users/{id}", (ctx) => ({ name: `one ${ctx.pathParam("id")}` })).get("/legacy", () => ({ legacy: true }));
    v1.post("/users/{id}", { maxBodyBytes: 4 }, async (ctx) => ({ one: await ctx.body() }));
  });
  app.group("", { version: version("2") }, (v2) => {
    v2.get("/users/{id}", (ctx) => ({ first: `two ${ctx.pathParam("id")}` }));
    v2.post("/users/{id}", async (ctx) => ({ two: await ctx.body() }));
  });
  return app.get("/plain", () => "plain");
}

/** The status, the body or the detail and its code, and the headers that versions are about. */
async function asked(app: Framework, headers: Record<string, string>, path = "/users/7", init: RequestInit = {}) {
  const response = await app.request(path, { ...init, headers });
  const of = (name: string): string | null => response.headers.get(name);
  const text = await response.text();
  const { detail, code } = (response.ok ? {} : JSON.parse(text)) as { detail?: string; code?: string };
  const seen = [of("vary"), of("api-version"), of("content-type")].filter((value) => value !== null);
  return [response.status, ...(response.ok ? [text] : [detail, code]), ...seen];
}

describe("apiVersions by header", () => {
  test("runs the version that the request names, and names it in the response", async () => {
    const app = versioned(byHeader());
    const json = "application/json";
    assert.deepEqual(await asked(app, { "api-version": "1" }), [200, '{"name":"one 7"}', "API-Version", "1", json]);
    assert.deepEqual(await asked(app, { "api-version": "2" }), [200, '{"first":"two 7"}', "API-Version", "2", json]);
  });

  test("tells the handler which version runs", async () => {
    const version = byHeader("1");
    const app = Framework.create().get("/plain", (ctx) => String(ctx.apiVersion));
    for (const name of ["1", "2"]) app.get("/", { version: version(name) }, (ctx) => `${ctx.apiVersion}`);
    const texts = [{ "api-version": "2" }, {}].map(async (headers) => (await app.request("/", { headers })).text());
    assert.deepEqual(await Promise.all(texts), ["2", "1"]);
    assert.equal(await (await app.request("/plain")).text(), "undefined");
  });

  test("runs the default version for a request that names none, else rejects it", async () => {
    const problem = "application/problem+json";
    const sentence = "API-Version can be 1, 2 here";
    assert.deepEqual((await asked(versioned(byHeader("2")), {})).slice(0, 2), [200, '{"first":"two 7"}']);
    assert.deepEqual(await asked(versioned(byHeader()), {}), [
      400,
      sentence,
      "version_unknown",
      "API-Version",
      problem,
    ]);
  });

  for (const name of ["3", "", "1, 2", "__proto__", "1 "].filter((one) => one.trim() !== "1"))
    test(`rejects the version ${JSON.stringify(name)} with 400`, async () => {
      const seen = await asked(versioned(byHeader("1")), { "api-version": name });
      assert.deepEqual(seen.slice(0, 3), [400, "API-Version can be 1, 2 here", "version_unknown"]);
    });

  test("rejects a version that other routes have, and this one has not", async () => {
    const app = versioned(byHeader("2"));
    assert.deepEqual((await asked(app, { "api-version": "2" }, "/legacy"))[0], 400);
    assert.deepEqual((await asked(app, {}, "/legacy"))[1], "API-Version can be 1 here");
    assert.deepEqual((await asked(app, { "api-version": "1" }, "/legacy")).slice(0, 2), [200, '{"legacy":true}']);
  });

  test("each version has its own limits, hooks and deprecation", async () => {
    const app = versioned(byHeader());
    const post = (version: string): Promise<Response> =>
      app.request("/users/1", {
        method: "POST",
        headers: { "api-version": version, "content-type": "application/json" },
        body: '"longer"',
      });
    const [one, two] = [await post("1"), await post("2")];
    assert.deepEqual([one.status, two.status, await two.text()], [413, 200, '{"two":"longer"}']);
    assert.deepEqual([one.headers.get("deprecation"), two.headers.get("deprecation")], ["@1793491200", null]);
  });

  test("counts the calls of a deprecated version only", async () => {
    const collector = new InMemoryMetricsCollector();
    const app = versioned(byHeader()).use(new MetricsMiddleware(collector));
    for (const version of ["1", "2", "2", "9"]) await asked(app, { "api-version": version });
    assert.deepEqual(collector.snapshot().deprecated, [{ method: "GET", route: "/users/{id}", caller: "", count: 1 }]);
    const { route, count } = collector.snapshot().routes[0] ?? {};
    assert.deepEqual([route, count], ["/users/{id}", 4]);
  });

  test("answers HEAD, OPTIONS and another method for all versions, and leaves other routes alone", async () => {
    const app = versioned(byHeader());
    const methods = async (method: string, headers: Record<string, string> = {}) => {
      const response = await app.request("/users/1", { method, headers });
      return [response.status, response.headers.get("allow"), response.headers.get("api-version")];
    };
    assert.deepEqual(await methods("HEAD", { "api-version": "2" }), [200, null, "2"]);
    assert.deepEqual(await methods("OPTIONS"), [204, "GET, HEAD, OPTIONS, POST", null]);
    assert.deepEqual(await methods("PUT"), [405, "GET, HEAD, OPTIONS, POST", null]);
    const plain = await app.request("/plain", { headers: { "api-version": "9" } });
    assert.deepEqual([plain.status, plain.headers.get("vary"), plain.headers.get("api-version")], [200, null, null]);
  });

  test("runs the middleware of the app for a rejected version, and that of the group for its version only", async () => {
    const seen: string[] = [];
    const version = byHeader();
    const app = Framework.create().use((ctx, next) => (seen.push(`app ${ctx.route ?? ""}`), next()));
    for (const name of ["1", "2"])
      app.group("", { version: version(name) }, (api) => {
        api.use((_, next) => (seen.push(name), next())).get("/a", () => name);
      });
    for (const name of ["1", "2", "3"]) await app.request("/a", { headers: { "api-version": name } });
    assert.deepEqual(seen, ["app /a", "1", "app /a", "2", "app /a"]);
  });

  test("an encoded slash reaches no version past the middleware of a group that the plain path has", async () => {
    const version = byHeader("1");
    const app = Framework.create();
    const guard = (): never => {
      throw new HttpError(403);
    };
    app.group("", { version: version("1") }, (v1) => v1.get("/{any}", () => "reached"));
    app.group("", { version: version("2") }, (v2) => v2.use((_, next) => next()).get("/{any}", () => "reached"));
    app.group("/admin", { version: version("1") }, (admin) => admin.get("/a", () => "open"));
    app.group("/admin", { version: version("2") }, (admin) => admin.use(guard).get("/a", () => "closed"));
    assert.deepEqual((await app.request("/admin%2Fa")).status, 404);
    assert.deepEqual((await app.request("/other%2Fa")).status, 200);
  });
});

describe("apiVersions by media type", () => {
  const type = (version: string): string => `application/vnd.shop.v${version}+json`;

  test("runs the version of Accept, and sends JSON as the type that was asked for", async () => {
    const app = versioned(byType());
    assert.deepEqual(await asked(app, { accept: type("1") }), [200, '{"name":"one 7"}', "Accept", type("1")]);
    assert.deepEqual(await asked(app, { accept: type("2").toUpperCase() }), [
      200,
      '{"first":"two 7"}',
      "Accept",
      type("2"),
    ]);
  });

  test("prefers the version with the higher weight, and passes over those that there are not", async () => {
    const app = versioned(byType());
    const got = async (accept: string) => (await asked(app, { accept })).at(-1);
    assert.equal(await got(`${type("1")};q=0.5, ${type("2")};q=0.8`), type("2"));
    assert.equal(await got(`${type("9")}, ${type("1")};q=0.1`), type("1"));
    assert.equal(await got(`${type("2")};q=0, ${type("1")};q=0.1`), type("1"));
  });

  test("runs the default version for other types, as plain JSON", async () => {
    const app = versioned(byType("1"));
    for (const accept of ["*/*", "application/json", "text/html, */*;q=0.1", ""])
      assert.deepEqual(await asked(app, { accept }), [200, '{"name":"one 7"}', "Accept", "application/json"], accept);
  });

  test("rejects a version that there is not with 406, which names the types", async () => {
    const sentence = `Accept can be ${type("1")}, ${type("2")} here`;
    const problem = "application/problem+json";
    const expected = [406, sentence, "version_unknown", "Accept", problem];
    assert.deepEqual(await asked(versioned(byType("1")), { accept: type("9") }), expected);
    assert.deepEqual(await asked(versioned(byType()), { accept: "*/*" }), expected);
  });
});

describe("the registration of versions", () => {
  const version = byHeader("1");
  const add = (app: Framework, name: string): Framework =>
    app.group("", { version: version(name) }, (api) => api.get("/a/", () => name));
  const wrong: Record<string, [configure: (app: Framework) => unknown, code: string, message: RegExp]> = {
    "one version twice": [
      (app) => add(add(app, "1"), "1"),
      "ROUTE_DUPLICATE",
      /^GET \/a is registered already in version 1$/,
    ],
    "a route without a version besides": [(app) => add(app, "1").get("/a", () => ""), "ROUTE_DUPLICATE", /GET \/a/],
    "a version besides a route without one": [
      (app) =>
        add(
          app.get("/a", () => ""),
          "1",
        ),
      "ROUTE_DUPLICATE",
      /GET \/a/,
    ],
    "two ways to name one": [
      (app) => add(app, "1").get("/a", { version: byType()("2") }, () => ""),
      "ROUTE_OPTIONS",
      /GET \/a has versions of two apiVersions\(\): by API-Version and by Accept/,
    ],
    "a version that is a text": [
      (app) => app.get("/a", { version: "1" as never }, () => ""),
      "ROUTE_OPTIONS",
      /GET \/a has version: "1": what apiVersions/,
    ],
    "a name with a blank": [() => version("a b"), "ROUTE_OPTIONS", /a version has the name "a b"/],
    "no header and no media type": [() => apiVersions({} as never), "ROUTE_OPTIONS", /either a header or a mediaType/],
    "an unknown option": [() => apiVersions({ heder: "a" } as never), "ROUTE_OPTIONS", /no option heder/],
    "a header that is none": [() => apiVersions({ header: "a b" }), "ROUTE_OPTIONS", /has header: "a b"/],
    "a media type without a place": [
      () => apiVersions({ mediaType: "application/json" }),
      "ROUTE_OPTIONS",
      /one with \* for the version/,
    ],
    "a default that is no name": [() => byHeader("a b"), "ROUTE_OPTIONS", /a version has the name "a b"/],
  };
  for (const [title, [configure, code, message]] of Object.entries(wrong))
    test(`throws on ${title}`, () => {
      assert.throws(() => configure(Framework.create()), { code, message });
    });
});

describe("openApi of versions", () => {
  interface Operation {
    readonly parameters: readonly object[];
    readonly responses: { readonly 200: { readonly content: object } };
  }
  const info = { title: "Shop", version: "1" };
  /** The document of one version: its paths, and a GET. */
  const of = (app: Framework, name: string, path: string) => {
    const include = (route: DeclaredRoute): boolean => route.version === undefined || route.version.name === name;
    const { paths } = openApi(app, { info, include }) as unknown as { paths: Record<string, { get: Operation }> };
    return { paths: Object.keys(paths), get: paths[path]?.get ?? assert.fail(`no ${path}`) };
  };

  test("has one version in a document, with its header, and says how when there are several", () => {
    const app = versioned(byHeader("1"));
    const [one, two] = [of(app, "1", "/users/{id}"), of(app, "2", "/users/{id}")];
    const paths = [one.paths, two.paths];
    assert.deepEqual(paths, [
      ["/legacy", "/plain", "/users/{id}"],
      ["/plain", "/users/{id}"],
    ]);
    const header = { name: "API-Version", in: "header" };
    const parameters = [one, two].map(({ get }) => get.parameters.at(-1));
    assert.deepEqual(parameters, [
      { ...header, required: false, schema: { const: "1" } },
      { ...header, required: true, schema: { const: "2" } },
    ]);
    const message = /GET \/users\/\{id\} has several versions/;
    assert.throws(() => openApi(app, { info }), { code: "CONTRACT_INVALID", message });
  });

  test("has the media type of the version in its responses", () => {
    const responses = { 200: { type: "object", properties: { id: { type: "string" } } } } as const;
    const app = Framework.create().get("/a", { version: byType()("2"), responses }, () => ({ id: "a" }));
    const { content } = of(app, "2", "/a").get.responses[200];
    assert.deepEqual(Object.keys(content), ["application/vnd.shop.v2+json"]);
  });
});
