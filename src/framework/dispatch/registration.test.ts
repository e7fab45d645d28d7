/** The verbs of apps and groups: valid, invalid and late registrations (ROUTE, LIFE). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { apiVersions, Framework, type RouteOptions } from "../index.ts";
import type { Group } from "./registration.ts";

const handler = (): string => "";
const listed = (app: Framework): string[] => app.routes().map(({ method, path }) => `${method} ${path}`);

/** The app has the group's verbs. */
type Verb = (api: Group) => unknown;
const inApp = (verb: Verb, app = Framework.create()): unknown => verb(app as unknown as Group);

const verbs: Readonly<Record<string, readonly [verb: Verb, registered: readonly string[]]>> = {
  get: [(api) => api.get("/a", handler), ["GET"]],
  post: [(api) => api.post("/a", handler), ["POST"]],
  put: [(api) => api.put("/a", handler), ["PUT"]],
  patch: [(api) => api.patch("/a", handler), ["PATCH"]],
  delete: [(api) => api.delete("/a", handler), ["DELETE"]],
  head: [(api) => api.head("/a", handler), ["HEAD"]],
  options: [(api) => api.options("/a", handler), ["OPTIONS"]],
  query: [(api) => api.query("/a", handler), ["QUERY"]],
  ws: [(api) => api.ws("/a", handler), ["GET"]],
  any: [(api) => api.any("/a", handler), ["DELETE", "GET", "OPTIONS", "PATCH", "POST", "PUT", "QUERY"]],
  route: [(api) => api.route("M-SEARCH", "/a", handler), ["M-SEARCH"]],
};

describe("a verb", () => {
  for (const [name, [verb, methods]] of Object.entries(verbs))
    test(`${name} registers its methods, in an app and in a group, and gives the app or the group`, () => {
      const app = Framework.create();
      assert.equal(inApp(verb, app), app);
      app.group("/g", (group) => assert.equal(verb(group), group));
      assert.deepEqual(listed(app), [...methods.map((one) => `${one} /a`), ...methods.map((one) => `${one} /g/a`)]);
    });

  test("is a prototype method with its own name, as a stack trace shows it", () => {
    const { prototype } = Object.getPrototypeOf(Framework) as { prototype: Record<string, () => unknown> };
    const found = Object.keys(verbs).map((name) => [prototype[name]?.name, Object.keys(prototype).includes(name)]);
    assert.deepEqual(
      found,
      Object.keys(verbs).map((name) => [name, false]),
    );
  });

  test("WS-001: ws alone asks for an upgrade", async () => {
    const app = Framework.create().ws("/a", handler).get("/b", handler);
    const statuses = [await app.request("/a"), await app.request("/b")].map(({ status }) => status);
    assert.deepEqual(statuses, [426, 200]);
  });

  test("accepts a token of upper-case letters as a method, and no method that is routed otherwise", () => {
    const app = Framework.create();
    for (const method of ["X", "A1", "VERSION-CONTROL", "A!#$%&'*+.^_`|~9"]) app.route(method, "/a", handler);
    assert.deepEqual(
      app.routes().map(({ method }) => method),
      ["A!#$%&'*+.^_`|~9", "A1", "VERSION-CONTROL", "X"],
    );
    for (const method of ["", "get", "Get", "1A", "-A", "A B", "A/B", "GET\n", " GET", "CONNECT"])
      assert.throws(() => app.route(method, "/a", handler), {
        name: "TypeError",
        code: "ROUTE_PATTERN",
        message: `${JSON.stringify(method)} is no method to route: upper-case letters, and not CONNECT`,
      });
  });
});

describe("a registration", () => {
  const never = (value: unknown): never => value as never;
  const order = "has its options behind its handler: (path, options, handler) is the order";
  const shared = "query, headers, cookies, responses, tags, security, meta, deprecated, version, tool";
  const parts =
    "params, query, headers, cookies, body, responses, incoming, outgoing, operationId, summary, description, tags";
  const all = `${parts}, deprecated, version, security, meta, tool, accept, maxBodyBytes, timeoutMs, beans, use, example`;
  const none = 'has no handler: pass a function or [BeanType, "method"]';
  class Bean {
    readonly name: string = "bean";
  }
  const wrong: Readonly<Record<string, readonly [Verb, code: string, message: string]>> = {
    "options after a function": [(api) => api.get("/a", never(handler), never({})), "ROUTE_OPTIONS", `GET /a ${order}`],
    "options after a bean's method": [
      (api) => api.post("/a", never([Bean, "x"]), never({ accept: [] })),
      "ROUTE_OPTIONS",
      `POST /a ${order}`,
    ],
    "null after its handler": [(api) => api.put("/a", never(handler), never(null)), "ROUTE_OPTIONS", `PUT /a ${order}`],
    "a function before its handler": [
      (api) => api.get("/a", never(handler), never(handler)),
      "ROUTE_OPTIONS",
      `GET /a has a function for its options: an object of ${all} is allowed`,
    ],
    "NaN for its limit": [
      (api) => api.post("/a", { maxBodyBytes: Number.NaN }, handler),
      "ROUTE_OPTIONS",
      "POST /a has maxBodyBytes NaN: a number from 0 is allowed",
    ],
    "a negative number for its limit": [
      (api) => api.post("/a", { maxBodyBytes: -1 }, handler),
      "ROUTE_OPTIONS",
      "POST /a has maxBodyBytes -1: a number from 0 is allowed",
    ],
    "a text for its limit": [
      (api) => api.post("/a", { maxBodyBytes: never("10mb") }, handler),
      "ROUTE_OPTIONS",
      "POST /a has maxBodyBytes 10mb: a number from 0 is allowed",
    ],
    "no handler": [(api) => api.get("/a", never(undefined)), "ROUTE_HANDLER", `GET /a ${none}`],
    "options alone": [(api) => api.get("/a", never({})), "ROUTE_HANDLER", `GET /a ${none}`],
    "undefined after options": [(api) => api.get("/a", {}, never(undefined)), "ROUTE_HANDLER", `GET /a ${none}`],
    "undefined after a handler": [
      (api) => api.get("/a", never(handler), never(undefined)),
      "ROUTE_HANDLER",
      `GET /a ${none}`,
    ],
    "null for its options": [
      (api) => api.group("/a", never(null), () => undefined),
      "ROUTE_OPTIONS",
      `the group "/a" has null for its options: an object of ${shared} is allowed`,
    ],
    "a group with an escape": [
      (api) => api.group("/a%20b", () => undefined),
      "ROUTE_PATTERN",
      'the route pattern "/a%20b" holds %, and paths are matched decoded: write "/a b"',
    ],
    "a text for a handler": [(api) => api.any("/a", never("x")), "ROUTE_HANDLER", `GET /a ${none}`],
    "a group without a function": [
      (api) => api.group("/a", never(undefined)),
      "ROUTE_OPTIONS",
      `the group "/a" has undefined for its options: an object of ${shared} is allowed`,
    ],
    "a group with options alone": [
      (api) => api.group("/a", { tags: ["x"] }, never(undefined)),
      "ROUTE_OPTIONS",
      'the group "/a" lacks the function that registers its routes',
    ],
    "a group with an option of a route": [
      (api) => api.group("/a", never({ summary: "s" }), () => undefined),
      "ROUTE_OPTIONS",
      `the group "/a" has the option "summary": an object of ${shared} is allowed`,
    ],
    "a group with an option that is near": [
      (api) => api.group("/a", never({ tag: [] }), () => undefined),
      "ROUTE_OPTIONS",
      `the group "/a" has the option "tag": an object of ${shared} is allowed; did you mean tags?`,
    ],
    "an invalid hook": [
      (api) => api.onResponse(never("x")),
      "MIDDLEWARE_INVALID",
      ".onResponse takes a function (ctx, response), not string",
    ],
    "null for a hook": [
      (api) => api.onResponse(never(null)),
      "MIDDLEWARE_INVALID",
      ".onResponse takes a function (ctx, response), not null",
    ],
  };
  for (const [what, [verb, code, sentence]] of Object.entries(wrong))
    test(`is rejected with ${what}`, () => {
      const message = (owner: string): string => (sentence.startsWith(".") ? owner + sentence : sentence);
      assert.throws(() => inApp(verb), { name: "TypeError", code, message: message("app") });
      const inGroup = (): unknown => Framework.create().group("", (group) => void verb(group));
      assert.throws(inGroup, { name: "TypeError", code, message: message("group") });
    });

  test("accepts every existing option", () => {
    const options: Required<Omit<RouteOptions, "params" | "body" | "incoming" | "outgoing">> = {
      query: () => true,
      headers: () => true,
      cookies: () => true,
      responses: { 200: () => true },
      operationId: "one",
      summary: "s",
      description: "d",
      tags: ["t"],
      deprecated: true,
      version: apiVersions({ header: "API-Version" })("1"),
      security: [],
      meta: {},
      tool: { name: "one", title: "t", description: "d" },
      accept: ["text/plain"],
      maxBodyBytes: 1,
      timeoutMs: 1e3,
      beans: [Bean],
      use: [(_, next) => next()],
      example: {},
    };
    const app = Framework.create({ compileSchema: () => () => true });
    app
      .query("/a", options, handler)
      .post(
        "/a/{id}",
        { ...options, operationId: "two", accept: undefined, params: () => true, body: () => true },
        handler,
      );
    const { query, headers, cookies, responses, tags, security, meta, deprecated, version } = options;
    app.group("/g", { query, headers, cookies, responses, tags, security, meta, deprecated, version }, (group) =>
      group.get("/a", handler),
    );
    assert.deepEqual(listed(app), ["QUERY /a", "POST /a/{id}", "GET /g/a"]);
  });

  test("gets the prefix of each outer group, also of a group without one", () => {
    const app = Framework.create();
    app.group("/a", (a) =>
      a.group("", (b) => b.group("/{id}/", { tags: ["x"] }, (c) => c.get("/", handler).get("/z", handler))),
    );
    assert.deepEqual(listed(app), ["GET /a/{id}", "GET /a/{id}/z"]);
  });
});

describe("a group after the start", () => {
  const late: Readonly<Record<string, (group: Group) => unknown>> = {
    "group.use": (group) => group.use((_, next) => next()),
    "group.onResponse": (group) => group.onResponse(() => undefined),
    "group.onError": (group) => group.onError(Error, handler),
    "group.onStart": (group) => group.onStart(handler),
    "group.onStop": (group) => group.onStop(handler),
    "app.get": (group) => group.get("/x", handler),
    "app.m-search": (group) => group.route("M-SEARCH", "/x", handler),
  };
  for (const [name, configure] of Object.entries(late))
    test(`accepts no ${name}`, async () => {
      const groups: Group[] = [];
      const app = Framework.create().group("/g", (api) => void groups.push(api));
      await app.ready();
      const message = `${name}() came after the app was started: configure first, then start`;
      assert.throws(() => groups.forEach(configure), { code: "APP_STARTED", message });
    });
});
