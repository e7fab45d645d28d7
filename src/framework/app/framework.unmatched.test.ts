/** Middleware of groups and routes that also runs for unhandled requests, and exclusive middleware (MW). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { describe, test } from "node:test";
import { hosts } from "../testing/clients.testkit.ts";
import { created } from "../testing/harness.testkit.ts";
import {
  type Context,
  CorsMiddleware,
  type Framework,
  type FrameworkOptions,
  HttpError,
  type Middleware,
  type Next,
} from "../index.ts";

/** A middleware as another package could write it. It notes that it ran. */
class Marking implements Middleware {
  readonly #name: string;
  readonly unmatched: boolean | undefined;
  readonly exclusive: string | undefined;

  constructor(
    name: string,
    { unmatched, exclusive }: { readonly unmatched?: boolean; readonly exclusive?: string } = {},
  ) {
    this.#name = name;
    this.unmatched = unmatched;
    this.exclusive = exclusive;
  }

  handle(ctx: Context, next: Next): unknown {
    ctx.appendHeader("X-Ran", this.#name);
    return next();
  }
}

const covering = (name: string, exclusive?: string): Marking =>
  new Marking(name, { unmatched: true, ...(exclusive === undefined ? {} : { exclusive }) });
const preflight = (method: string): Readonly<Record<string, string>> => ({ "Access-Control-Request-Method": method });

/** `METHOD target`, then the status and the middleware that ran. */
type Seen = readonly [request: string, status: number, ran: string];

async function seen(app: Framework, request: string, headers: Readonly<Record<string, string>> = {}): Promise<Seen> {
  const [method = "", target = ""] = request.split(" ");
  const response = await app.fetch(new Request(`http://x${target}`, { method, headers }));
  return [request, response.status, response.headers.get("x-ran") ?? ""];
}

function appOf(define: (app: Framework) => unknown, options: FrameworkOptions = {}): Framework {
  const { app } = created(options);
  define(app);
  return app;
}

describe("an unmatched middleware in a group", () => {
  const app = appOf((made) => {
    made.use(new Marking("app"));
    made.group("/api", (api) => {
      api.use(covering("api")).use(new Marking("plain"));
      api.get("/a", () => "").post("/a", () => "");
      api.group("/{team}", (team) => team.use(covering("team")).get("/members", () => ""));
    });
    made.get("/api/other", () => "").get("/wild/*rest", () => "");
    made.group("/wild/deep", (deep) => deep.use(covering("deep")).get("/a", () => ""));
    made.group("/rest", (rest) => rest.use(covering("rest")).get("/", { use: [new Marking("own")] }, () => ""));
    made.group("/rest/*one", (one) => one.use(covering("one")).get("/", () => ""));
    made.group("/rest/*other", (other) => other.use(covering("other")).post("/", () => ""));
    made.group("/named/{a}", (a) => a.use(covering("a")).get("/x", () => ""));
    made.group("/named/{b}", (b) => b.use(covering("b")).post("/y", () => ""));
    made.group("/files", (files) => files.use(covering("files")).group("/deep", (deep) => deep.use(covering("deep"))));
    made.group("/quiet", (quiet) => quiet.use(new Marking("quiet")).get("/a", () => ""));
  });

  const expected: readonly Seen[] = [
    ["GET /api/a", 200, "app, api, plain"],
    ["OPTIONS /api/a", 204, "app, api, plain"],
    ["DELETE /api/a", 405, "app, api, plain"],
    ["GET /api/nope", 404, "app, api, team"],
    ["GET /api", 404, "app, api"],
    ["GET /api/", 404, "app, api"],
    ["GET /api/red/nope", 404, "app, api, team"],
    ["GET /api/red%2Fnope", 404, "app, api, team"],
    ["OPTIONS /api/red/members", 204, "app, api, plain, team"],
    ["GET /apix", 404, "app"],
    ["GET /nope", 404, "app"],
    ["GET /api/%zz", 400, "app"],
    ["OPTIONS /api/other", 204, "app"],
    ["DELETE /api/other", 405, "app"],
    ["GET /wild/deep/nope", 200, "app"],
    ["DELETE /wild/deep/nope", 405, "app"],
    ["DELETE /wild/deep/a", 405, "app, deep"],
    ["GET /wild/deep%2Fa", 404, "app, deep"],
    ["GET /named/1/z", 404, "app, a"],
    ["GET /named/1/y", 405, "app, b"],
    ["GET /files", 404, "app, files"],
    ["GET /files/a", 404, "app, files"],
    ["GET /files/deep/a", 404, "app, files, deep"],
    ["GET /quiet/nope", 404, "app"],
    ["OPTIONS /quiet/a", 204, "app, quiet"],
    ["GET /rest", 200, "app, rest, own"],
    ["POST /rest", 405, "app, rest, own"],
    ["GET /rest//a", 404, "app, rest"],
    ["PUT /rest/a/b", 405, "app, one"],
    ["POST /rest/a/b", 200, "app, other"],
  ];
  for (const [request, status, ran] of expected)
    test(`${request} is ${status} after ${ran}`, async () => {
      assert.deepEqual(await seen(app, request), [request, status, ran]);
    });

  test("runs when no group has a route", async () => {
    const one = appOf((made) => made.group("/files", (files) => files.use(covering("files"))));
    assert.deepEqual(await seen(one, "GET /files/a"), ["GET /files/a", 404, "files"]);
  });

  test("runs once for each request under it, on every engine", async () => {
    for (const [host, { engine, open }] of Object.entries(hosts)) {
      const made = appOf((one) => one.group("/api", (api) => api.use(covering("api")).get("/a", () => "")), { engine });
      const running = await open(made);
      try {
        for (const [method, target, status] of [
          ["GET", "/api/a", 200],
          ["GET", "/api/nope", 404],
          ["PUT", "/api/a", 405],
          ["OPTIONS", "/api/a", 204],
        ] as const) {
          const { status: got, headers } = await running.send({ method, target });
          assert.deepEqual([got, headers["x-ran"]], [status, "api"], `${method} ${target} on ${host}`);
        }
      } finally {
        await running.close();
      }
    }
  });

  test("does not run for a host's paths", async () => {
    const { app: guest } = created();
    guest.group("/api", (api) => api.use(covering("api")).get("/a", () => ""));
    const listener = guest.listener();
    const server = createServer((req, res) => listener(req, res, () => res.end("the host's"))).listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      const address = server.address();
      assert.ok(typeof address === "object" && address !== null);
      const ask = async (path: string): Promise<unknown> => {
        const response = await fetch(`http://127.0.0.1:${address.port}${path}`, { method: "OPTIONS" });
        return [response.headers.get("x-ran"), await response.text()];
      };
      assert.deepEqual(
        [await ask("/api/hosts"), await ask("/api/a")],
        [
          [null, "the host's"],
          ["api", ""],
        ],
      );
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe("an unmatched middleware of a route", () => {
  const app = appOf((made) => {
    made
      .get("/a", { use: [covering("get a")] }, () => "")
      .post("/a", { use: [covering("post a"), new Marking("plain")] }, () => "")
      .put("/a", () => "")
      .get("/b", () => "");
  });

  test("runs for requests on its path, and for a preflight that asks for its method", async () => {
    assert.deepEqual(
      [
        await seen(app, "OPTIONS /a", preflight("GET")),
        await seen(app, "OPTIONS /a", preflight("HEAD")),
        await seen(app, "OPTIONS /a", preflight("POST")),
        await seen(app, "OPTIONS /a", preflight("PUT")),
        await seen(app, "OPTIONS /a", preflight("DELETE")),
        await seen(app, "OPTIONS /a"),
        await seen(app, "DELETE /a"),
        await seen(app, "OPTIONS /b", preflight("GET")),
        await seen(app, "GET /a/nope"),
      ],
      [
        ["OPTIONS /a", 204, "get a, plain"],
        ["OPTIONS /a", 204, "get a, plain"],
        ["OPTIONS /a", 204, "post a, plain"],
        ["OPTIONS /a", 204, "plain"],
        ["OPTIONS /a", 204, "get a, plain"],
        ["OPTIONS /a", 204, "get a, plain"],
        ["DELETE /a", 405, "get a, plain"],
        ["OPTIONS /b", 204, ""],
        ["GET /a/nope", 404, ""],
      ],
    );
  });
});

/** Rejects clients without a key, and notes its data of the request. */
const guard = (ctx: Context, next: Next): unknown => {
  if (ctx.header("x-key") === undefined) throw new HttpError(401);
  ctx.appendHeader("X-Ran", `${JSON.stringify(ctx.params)} ${String(ctx.meta["role"])}`);
  return next();
};

describe("a guard of a group or a route", () => {
  const define = (made: Framework): void => {
    made.group("/teams/{team}", { meta: { role: "member" } }, (group) =>
      group
        .use(guard)
        .use(new CorsMiddleware({ allowOrigins: ["https://a.example"] }))
        .get("/a", () => ""),
    );
    made.get("/mixed", () => "").delete("/mixed", { use: [guard] }, () => "");
    made.group("/own", (group) =>
      group
        .use(guard)
        .onError(HttpError, (_, ctx) => ctx.status(403).text("mine"))
        .get("/a", () => ""),
    );
  };

  test("does not reveal the methods to a rejected client, on every engine", async () => {
    const key = [["X-Key", "1"]] as const;
    const origin = [
      ["Origin", "https://a.example"],
      ["Access-Control-Request-Method", "GET"],
    ] as const;
    const asks = [
      ["OPTIONS", "/teams/1/a", [], [401, undefined, undefined]],
      ["PUT", "/teams/1/a", [], [401, undefined, undefined]],
      ["OPTIONS", "/teams/1/a", origin, [204, undefined, undefined]],
      ["OPTIONS", "/teams/1/a", origin.slice(1), [401, undefined, undefined]],
      ["OPTIONS", "/teams/1/a", key, [204, "GET, HEAD, OPTIONS", '{"team":"1"} member']],
      ["PUT", "/teams/1/a", key, [405, "GET, HEAD, OPTIONS", '{"team":"1"} member']],
      ["OPTIONS", "/mixed", [], [401, undefined, undefined]],
      ["OPTIONS", "/mixed", origin, [401, undefined, undefined]],
      ["PUT", "/mixed", key, [405, "DELETE, GET, HEAD, OPTIONS", "{} undefined"]],
      ["GET", "/mixed", [], [200, undefined, undefined]],
      ["PUT", "/own/a", [], [403, undefined, undefined]],
    ] as const;
    for (const [host, { engine, open }] of Object.entries(hosts)) {
      const running = await open(appOf(define, { engine }));
      try {
        for (const [method, target, headers, expected] of asks) {
          const { status, headers: got } = await running.send({ method, target, headers });
          assert.deepEqual([status, got["allow"], got["x-ran"]], expected, `${method} ${target} on ${host}`);
        }
      } finally {
        await running.close();
      }
    }
  });
});

describe("exclusive middleware", () => {
  test("only the innermost runs, at the position of the outermost", async () => {
    const app = appOf((made) => {
      made.use(covering("app", "k")).use(new Marking("between"));
      made.use("/pre", covering("prefix", "k"));
      made.get("/", () => "").get("/pre/a", () => "");
      made.group("/api", (api) => {
        api.use(covering("api", "k")).get("/a", () => "");
        api.get("/own", { use: [covering("own", "k"), covering("other", "l")] }, () => "");
        api.group("/v1", (v1) => v1.use(covering("v1", "k")).get("/a", () => ""));
      });
    });
    const expected: readonly Seen[] = [
      ["GET /", 200, "app, between"],
      ["GET /nope", 404, "app, between"],
      ["GET /pre/a", 200, "prefix, between"],
      ["GET /pre/nope", 404, "prefix, between"],
      ["GET /api/a", 200, "api, between"],
      ["OPTIONS /api/a", 204, "api, between"],
      ["GET /api/nope", 404, "api, between"],
      ["GET /api/own", 200, "own, between, other"],
      ["OPTIONS /api/own", 204, "own, between, other"],
      ["GET /api/v1/a", 200, "v1, between"],
      ["DELETE /api/v1/a", 405, "v1, between"],
      ["GET /api/v1/nope", 404, "v1, between"],
    ];
    for (const one of expected) assert.deepEqual(await seen(app, one[0]), one);
  });

  test("one with a prefix leaves the others to run elsewhere", async () => {
    const app = appOf((made) => {
      made.use("/a", covering("a", "k")).use("/a/b", covering("b", "k"));
      made
        .use(new Marking("free"))
        .use(new Marking("neither"))
        .get("/*rest", () => "");
    });
    const plain = "free, neither";
    const expected: readonly Seen[] = [
      ["GET /a/b/c", 200, `b, ${plain}`],
      ["GET /a/c", 200, `a, ${plain}`],
      ["GET /c", 200, plain],
    ];
    for (const one of expected) assert.deepEqual(await seen(app, one[0]), one);
  });
});

describe("prefixes and groups, at registration", () => {
  const rejected: Readonly<Record<string, readonly [(app: Framework) => unknown, RegExp]>> = {
    "a prefix with an escape": [(app) => app.use("/caf%C3%A9", covering("a")), /holds %.*write "\/café"/],
    "a prefix with a backslash": [(app) => app.use("/a\\b", covering("a")), /holds a backslash/],
    "a prefix with a parameter": [(app) => app.use("/a/{id}", covering("a")), /takes a literal prefix/],
    "a group with an escape and no route": [(app) => app.group("/caf%C3%A9", () => undefined), /holds %/],
    "a group in a group with an escape": [
      (app) => app.group("/a", (api) => api.group("/b%20c", () => undefined)),
      /"\/a\/b%20c" holds %.*write "\/a\/b c"/,
    ],
    "a route with an escape": [(app) => app.get("/caf%C3%A9", () => ""), /write "\/café"/],
  };
  for (const [what, [register, sentence]] of Object.entries(rejected))
    test(`rejects ${what}`, () =>
      assert.throws(() => register(created().app), { name: "TypeError", message: sentence, code: "ROUTE_PATTERN" }));

  test("the decoded characters match every spelling of them", async () => {
    const app = appOf((made) => made.use("/café", covering("guard")).get("/café/{x}", () => ""));
    for (const spelling of ["/caf%C3%A9/a", "/c%61f%c3%a9/a"])
      assert.deepEqual(await seen(app, `GET ${spelling}`), [`GET ${spelling}`, 200, "guard"]);
  });
});
