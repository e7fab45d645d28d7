import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { hosts } from "../../testing/clients.testkit.ts";
import { Framework } from "../../app/framework.ts";
import { created } from "../../testing/harness.testkit.ts";
import type { Context } from "../../http/context.ts";
import type { Next } from "../types.ts";
import { CorsMiddleware } from "./cors.ts";
import type { OriginCheck } from "./cors-policy.ts";

const origin = "https://app.example";
const exact = (): CorsMiddleware =>
  CorsMiddleware.builder()
    .allowOrigins(origin, "https://two.example")
    .allowMethods("GET", "QUERY")
    .exposeHeaders("X-Total")
    .build();

function appWith(cors: CorsMiddleware): Framework {
  return Framework.create({ logger: { warn: () => undefined, error: () => undefined } })
    .use(cors)
    .get("/", () => "hello")
    .get("/vary", (ctx) => ctx.setHeader("Vary", "Accept").text("varied"))
    .get("/vary-more", (ctx) => ctx.appendHeader("Vary", "Accept").text("varied"))
    .get("/vary-any", (ctx) => ctx.setHeader("Vary", "*").text("varied"))
    .get("/vary-late", async (ctx) => {
      await null;
      ctx.setHeader("Vary", "Accept");
      throw new Error("late");
    })
    .get("/boom", () => {
      throw new Error("boom");
    })
    .options("/own", () => "my own options");
}

/** The status and the relevant headers. */
async function ask(
  app: Framework,
  path: string,
  method: string,
  headers: Record<string, string>,
): Promise<{ status: number; headers: Record<string, string> }> {
  const response = await app.fetch(new Request(`http://x${path}`, { method, headers }));
  const kept = [...response.headers].filter(
    ([name]) => name === "vary" || name === "allow" || name.startsWith("access-control-"),
  );
  return { status: response.status, headers: Object.fromEntries(kept) };
}

const preflight = (from: string, method = "QUERY"): Record<string, string> => ({
  Origin: from,
  "Access-Control-Request-Method": method,
});
const actual = { "access-control-allow-origin": origin, "access-control-expose-headers": "X-Total", vary: "Origin" };

describe("CorsMiddleware", () => {
  test("CORS-001: responds to a preflight from an allowed origin with the configured lists, on any path", async () => {
    const response = {
      status: 204,
      headers: {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": "GET, QUERY",
        "access-control-allow-headers": "Content-Type, Authorization",
        "access-control-max-age": "3600",
        vary: "Origin",
      },
    };
    const app = appWith(exact());
    for (const path of ["/", "/own", "/nowhere"])
      assert.deepEqual(await ask(app, path, "OPTIONS", preflight(origin)), response);
  });

  for (const from of [
    "https://evil.example",
    "null",
    `${origin}/`,
    `${origin}.evil.example`,
    "HTTPS://APP.EXAMPLE",
    `${origin}, ${origin}`,
    "http://app.example",
  ]) {
    test(`rejects a preflight from ${from} with 403 and no CORS header`, async () => {
      const response = await appWith(exact()).fetch(
        new Request("http://x/", { method: "OPTIONS", headers: preflight(from) }),
      );
      assert.equal(await response.text(), "");
      assert.deepEqual(await ask(appWith(exact()), "/", "OPTIONS", preflight(from)), {
        status: 403,
        headers: { vary: "Origin" },
      });
    });

    test(`serves ${from} without a CORS header`, async () => {
      assert.deepEqual(await ask(appWith(exact()), "/", "GET", { Origin: from }), {
        status: 200,
        headers: { vary: "Origin" },
      });
    });
  }

  test("sends Vary: Origin also when there is no origin", async () => {
    assert.deepEqual(await ask(appWith(exact()), "/", "GET", {}), { status: 200, headers: { vary: "Origin" } });
  });

  for (const [path, status] of [
    ["/", 200],
    ["/boom", 500],
    ["/nowhere", 404],
  ] as const) {
    test(`puts its headers on the ${status} at ${path}`, async () => {
      assert.deepEqual(await ask(appWith(exact()), path, "GET", { Origin: origin }), { status, headers: actual });
    });
  }

  test("puts its headers on a 405", async () => {
    const { status, headers } = await ask(appWith(exact()), "/", "DELETE", { Origin: origin });
    assert.deepEqual([status, headers["access-control-allow-origin"]], [405, origin]);
  });

  for (const [name, headers] of Object.entries({
    "no origin": { "Access-Control-Request-Method": "GET" },
    "no requested method": { Origin: origin },
    "an empty requested method": { Origin: origin, "Access-Control-Request-Method": "" },
  } satisfies Record<string, Record<string, string>>)) {
    test(`leaves an OPTIONS request with ${name} to the app`, async () => {
      const app = appWith(exact());
      const response = await app.fetch(new Request("http://x/own", { method: "OPTIONS", headers }));
      assert.deepEqual([response.status, await response.text()], [200, "my own options"]);
      assert.equal((await ask(app, "/", "OPTIONS", headers)).headers["allow"], "GET, HEAD, OPTIONS");
    });
  }

  test("serves a request of another method with a preflight's headers", async () => {
    assert.deepEqual(await ask(appWith(exact()), "/", "GET", preflight(origin)), { status: 200, headers: actual });
  });

  test("leaves the list of methods or headers out of a preflight's response when it is empty", async () => {
    const app = appWith(new CorsMiddleware({ allowMethods: [], allowHeaders: [] }));
    assert.deepEqual(await ask(app, "/", "OPTIONS", preflight(origin)), {
      status: 204,
      headers: { "access-control-allow-origin": "*", "access-control-max-age": "3600" },
    });
  });

  test("CORS-006: sends Vary: Origin once, with any Vary of the handler, also when it then fails", async () => {
    const app = appWith(exact());
    assert.equal((await ask(app, "/vary", "GET", {})).headers["vary"], "Accept, Origin");
    assert.equal((await ask(app, "/vary-more", "GET", {})).headers["vary"], "Origin, Accept");
    assert.equal((await ask(app, "/vary-any", "GET", {})).headers["vary"], "*");
    assert.deepEqual(await ask(app, "/vary-late", "GET", {}), { status: 500, headers: { vary: "Accept, Origin" } });
  });

  test("sends a constant * without Vary by default, with QUERY not allowed", async () => {
    const app = appWith(CorsMiddleware.permissive());
    assert.deepEqual(await ask(app, "/", "GET", {}), { status: 200, headers: { "access-control-allow-origin": "*" } });
    assert.deepEqual(await ask(app, "/", "OPTIONS", preflight("https://any.example")), {
      status: 204,
      headers: {
        "access-control-allow-origin": "*",
        "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
        "access-control-allow-headers": "Content-Type, Authorization",
        "access-control-max-age": "3600",
      },
    });
  });

  /** Access-Control-Allow-Credentials, if present, of the responses to a request and to a preflight. */
  const credentials = async (from: string): Promise<readonly unknown[]> => {
    const app = appWith(CorsMiddleware.builder().allowOrigins(origin).allowCredentials().build());
    const responses = await Promise.all([
      ask(app, "/", "GET", { Origin: from }),
      ask(app, "/", "OPTIONS", preflight(from)),
    ]);
    return responses.map(({ headers }) => headers["access-control-allow-credentials"]);
  };

  test("allows credentials to an allowed origin, on both kinds of response", async () => {
    assert.deepEqual(await credentials(origin), ["true", "true"]);
  });

  test("sends no credentials header to another origin", async () => {
    assert.deepEqual(await credentials("https://evil.example"), [undefined, undefined]);
  });

  test("allows null only when it is listed", async () => {
    const app = appWith(CorsMiddleware.builder().allowOrigins("null").build());
    assert.equal((await ask(app, "/", "GET", { Origin: "null" })).headers["access-control-allow-origin"], "null");
  });

  test("echoes an origin if and only if it is listed, for any origin, method and path", async () => {
    const app = appWith(exact());
    const anyOrigin = fc.oneof(
      fc.constantFrom(origin, "https://two.example", "null", ""),
      fc.webUrl(),
      fc.stringMatching(/^[!-~]{1,30}$/),
      fc.tuple(fc.constant(origin), fc.stringMatching(/^[!-~]{0,5}$/)).map((parts) => parts.join("")),
    );
    const method = fc.constantFrom("GET", "OPTIONS", "POST", "DELETE");
    const requested = fc.option(fc.constantFrom("GET", "QUERY", "PUT", "x"), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(
        anyOrigin,
        method,
        requested,
        fc.constantFrom("/", "/boom", "/nowhere"),
        async (from, verb, wanted, path) => {
          const headers = wanted === undefined ? { Origin: from } : preflight(from, wanted);
          const response = await ask(app, path, verb, headers);
          const listed = from === origin || from === "https://two.example";
          assert.equal(response.headers["access-control-allow-origin"], listed ? from : undefined);
          assert.equal(response.headers["vary"], "Origin");
          if (!listed)
            assert.deepEqual(
              Object.keys(response.headers).filter((name) => name.startsWith("access-control-")),
              [],
            );
        },
      ),
      { numRuns: Number(process.env["FC_RUNS"] ?? 2_000) },
    );
  });
});

/** Responses of a handler that set their own Vary. */
const varied: Readonly<Record<string, (app: Framework) => unknown>> = {
  "a text": (app) => app.get("/", (ctx) => ctx.setHeader("Vary", "Accept").text("varied")),
  "a stream": (app) => app.get("/", (ctx) => ctx.setHeader("Vary", "Accept").send(new Blob(["varied"]).stream())),
  "an async iterable": (app) =>
    app.get("/", (ctx) => {
      ctx.setHeader("Vary", "Accept");
      return (async function* () {
        yield "varied";
      })();
    }),
  "a web Response": (app) => app.get("/", () => new Response("varied", { headers: { Vary: "Accept" } })),
  "a web Response of a stream": (app) =>
    app.get("/", () => new Response(new Blob(["varied"]).stream(), { status: 201, headers: { vary: "Accept" } })),
  "a web Response without a body": (app) => app.get("/", () => new Response(null, { headers: { Vary: "Accept" } })),
  events: (app) =>
    app.get("/", (ctx) => {
      ctx.setHeader("Vary", "Accept").sse(
        (async function* () {
          yield "varied";
        })(),
      );
    }),
  "events whose head goes out at once": (app) =>
    app.get("/", (ctx) => {
      ctx.setHeader("Vary", "Accept").sse().close();
    }),
  "a redirect": (app) => app.get("/", (ctx) => ctx.setHeader("Vary", "Accept").redirect("/there")),
  "an error": (app) =>
    app.get("/", (ctx) => {
      ctx.setHeader("Vary", "Accept");
      throw new Error("late");
    }),
};

describe("Vary: Origin", () => {
  for (const [what, response] of Object.entries(varied))
    test(`CORS-006: is on ${what} whose handler sets Vary, on every engine`, async () => {
      for (const [host, { engine, open }] of Object.entries(hosts))
        for (const place of ["app", "group", "route"] as const) {
          const { app } = created({ engine });
          const cors = exact();
          if (place === "app") response(app.use(cors));
          else if (place === "group")
            app.group("", (group) => {
              group.use(cors);
              response(group as unknown as Framework);
            });
          else
            response({
              get: (path: string, handler: () => unknown) => app.get(path, { use: [cors] }, handler),
            } as never);
          const running = await open(app);
          try {
            const { headers } = await running.send({ target: "/", headers: [["Origin", origin]] });
            assert.deepEqual(
              [headers["vary"], headers["access-control-allow-origin"]],
              ["Accept, Origin", origin],
              `${host}, ${place}`,
            );
          } finally {
            await running.close();
          }
        }
    });

  test("CORS-027: is sent once, also by two layers that were called directly", async () => {
    const { app } = created();
    const [outer, inner] = [exact(), exact()];
    app.use((ctx, next) => outer.handle(ctx, next)).use((ctx, next) => inner.handle(ctx, next));
    app.get("/", () => "");
    assert.deepEqual((await ask(app, "/", "GET", { Origin: origin })).headers, actual);
  });
});

describe("CorsMiddleware in a group or on a route", () => {
  const partner = "https://partner.example";
  const forPartner = (): CorsMiddleware =>
    CorsMiddleware.builder().allowOrigins(partner).allowMethods("GET", "PUT").build();
  const allowedMethods = (headers: Record<string, string>): unknown => [
    headers["access-control-allow-origin"],
    headers["access-control-allow-methods"],
  ];

  test("CORS-019: responds to the preflights, 404s and 405s of its group, and of no other path", async () => {
    const { app } = created();
    app.group("/api", (api) => {
      api.use(forPartner()).get("/a", () => "a");
      api.put("/tenants/{id}", () => "put");
    });
    app.get("/b", () => "b").get("/api/outside", () => "");
    for (const path of ["/api/a", "/api/tenants/7", "/api/nope", "/api"]) {
      const { status, headers } = await ask(app, path, "OPTIONS", preflight(partner, "PUT"));
      assert.deepEqual([status, ...(allowedMethods(headers) as string[])], [204, partner, "GET, PUT"], path);
      assert.equal((await ask(app, path, "OPTIONS", preflight(origin, "PUT"))).status, 403, path);
    }
    for (const [method, path, status] of [
      ["GET", "/api/a", 200],
      ["GET", "/api/nope", 404],
      ["DELETE", "/api/a", 405],
    ] as const)
      assert.deepEqual(await ask(app, path, method, { Origin: partner }), {
        status,
        headers: {
          vary: "Origin",
          "access-control-allow-origin": partner,
          ...(status === 405 ? { allow: "GET, HEAD, OPTIONS" } : {}),
        },
      });
    for (const path of ["/b", "/api/outside", "/apix", "/nope"]) {
      const { headers } = await ask(app, path, "OPTIONS", preflight(partner, "GET"));
      assert.deepEqual(
        [headers["vary"], ...(allowedMethods(headers) as string[])],
        [undefined, undefined, undefined],
        path,
      );
      assert.deepEqual((await ask(app, path, "GET", { Origin: partner })).headers, {}, path);
    }
  });

  test("CORS-019: responds to the preflights of its own route, for the requested method", async () => {
    const { app } = created();
    app
      .get("/a", { use: [forPartner()] }, () => "a")
      .put("/a", () => "put")
      .post("/a", { use: [exact()] }, () => "post");
    const asked = async (from: string, method: string): Promise<unknown> => {
      const { status, headers } = await ask(app, "/a", "OPTIONS", preflight(from, method));
      return [status, headers["access-control-allow-origin"]];
    };
    assert.deepEqual(
      [
        await asked(partner, "GET"),
        await asked(origin, "GET"),
        await asked(origin, "POST"),
        await asked(partner, "POST"),
        await asked(partner, "PUT"),
      ],
      [
        [204, partner],
        [403, undefined],
        [204, origin],
        [403, undefined],
        [204, undefined],
      ],
    );
  });

  test("CORS-020: yields to an app's own middleware with its `exclusive` name, and runs before its request", async () => {
    const { app } = created();
    const own = {
      exclusive: "cors",
      unmatched: true,
      handle: (ctx: Context, next: Next): unknown => (
        ctx.setHeader("Access-Control-Allow-Origin", "https://own.example"),
        next()
      ),
    };
    app.use(exact()).group("/api", (api) => api.use(own).get("/a", () => "a"));
    assert.deepEqual((await ask(app, "/api/a", "GET", { Origin: origin })).headers, {
      "access-control-allow-origin": "https://own.example",
    });
  });

  test("CORS-020: lets the inner one of two decide alone, for an error from any place", async () => {
    const { app } = created();
    app.use(exact());
    app.use((ctx, next) => {
      if (ctx.header("x-fail") !== undefined) throw new Error("between");
      return next();
    });
    app.get("/out", () => "out");
    app.group("/api", (api) => api.use(forPartner()).get("/a", () => "a"));
    const kept = async (path: string, method: string, headers: Record<string, string>): Promise<unknown> => {
      const response = await app.fetch(new Request(`http://x${path}`, { method, headers }));
      return [response.status, response.headers.get("access-control-allow-origin"), response.headers.get("vary")];
    };
    const fails = { "X-Fail": "1" };
    assert.deepEqual(
      [
        await kept("/api/a", "GET", { Origin: partner }),
        await kept("/api/a", "GET", { Origin: origin }),
        await kept("/api/a", "GET", { Origin: partner, ...fails }),
        await kept("/api/a", "GET", { Origin: origin, ...fails }),
        await kept("/api/nope", "GET", { Origin: partner }),
        await kept("/api/a", "OPTIONS", preflight(partner, "PUT")),
        await kept("/api/a", "OPTIONS", preflight(origin, "PUT")),
        await kept("/out", "GET", { Origin: origin }),
        await kept("/out", "GET", { Origin: partner }),
        await kept("/out", "OPTIONS", preflight(origin)),
        await kept("/nope", "OPTIONS", preflight(partner)),
      ],
      [
        [200, partner, "Origin"],
        [200, null, "Origin"],
        [500, partner, "Origin"],
        [500, null, "Origin"],
        [404, partner, "Origin"],
        [204, partner, "Origin"],
        [403, null, "Origin"],
        [200, origin, "Origin"],
        [200, null, "Origin"],
        [204, origin, "Origin"],
        [403, null, "Origin"],
      ],
    );
  });
});

describe("allowOrigins with a function", () => {
  const checks: Readonly<Record<string, OriginCheck>> = {
    "that returns": (from, ctx) => from.endsWith(".example") && ctx.path !== "/closed",
    "that resolves": async (from, ctx) => {
      await null;
      return from.endsWith(".example") && ctx.path !== "/closed";
    },
  };
  const appOf = (check: OriginCheck) => {
    const made = created();
    made.app.use(CorsMiddleware.builder().allowOrigins(check).allowCredentials().build());
    made.app.get("/", () => "open").get("/closed", () => "closed");
    return made;
  };
  const granted = { vary: "Origin", "access-control-allow-origin": origin, "access-control-allow-credentials": "true" };
  for (const [how, check] of Object.entries(checks))
    test(`one ${how} decides by origin and context`, async () => {
      const { app, warnings } = appOf(check);
      assert.deepEqual(await ask(app, "/", "GET", { Origin: origin }), { status: 200, headers: granted });
      assert.deepEqual(await ask(app, "/closed", "GET", { Origin: origin }), {
        status: 200,
        headers: { vary: "Origin" },
      });
      assert.deepEqual(await ask(app, "/", "GET", { Origin: "https://evil.test" }), {
        status: 200,
        headers: { vary: "Origin" },
      });
      assert.deepEqual(await ask(app, "/", "GET", {}), { status: 200, headers: { vary: "Origin" } });
      assert.equal((await ask(app, "/nope", "GET", { Origin: origin })).headers["access-control-allow-origin"], origin);
      assert.deepEqual((await ask(app, "/", "OPTIONS", preflight(origin, "GET"))).status, 204);
      assert.deepEqual(await ask(app, "/closed", "OPTIONS", preflight(origin, "GET")), {
        status: 403,
        headers: { vary: "Origin" },
      });
      assert.deepEqual(warnings, []);
    });

  const failing: Readonly<Record<string, OriginCheck>> = {
    throws: () => {
      throw new Error("a secret of the check");
    },
    rejects: async () => {
      await null;
      throw new Error("a secret of the check");
    },
  };
  for (const [how, check] of Object.entries(failing))
    test(`one that ${how} rejects, and the fault is logged once`, async () => {
      const { app, warnings, errors } = appOf(check);
      for (let i = 0; i < 3; i += 1) {
        const response = await app.fetch(new Request("http://x/", { headers: { Origin: origin } }));
        assert.deepEqual([response.status, await response.text()], [200, "open"]);
        assert.deepEqual(
          [response.headers.get("vary"), response.headers.get("access-control-allow-origin")],
          ["Origin", null],
        );
      }
      assert.deepEqual(await ask(app, "/", "OPTIONS", preflight(origin)), { status: 403, headers: { vary: "Origin" } });
      assert.deepEqual(errors, []);
      assert.deepEqual(warnings, [
        "CorsMiddleware rejected an origin because its allowOrigins function failed: a secret of the check (further faults are only counted)",
      ]);
    });

  test("allows only on true", async () => {
    for (const response of ["yes", origin, 1, {}, undefined, null, Promise.resolve("yes")]) {
      const { app } = appOf((() => response) as unknown as OriginCheck);
      assert.deepEqual(await ask(app, "/", "GET", { Origin: origin }), { status: 200, headers: { vary: "Origin" } });
    }
  });

  test("is asked about what has the form of one origin, null among them, and about nothing else", async () => {
    const asked: string[] = [];
    const { app } = appOf((from) => (asked.push(from), true));
    const given = [
      "null",
      "",
      `${origin}, ${origin}`,
      `${origin}/`,
      "app.example",
      "https://a.example@evil.test",
      "capacitor://localhost",
    ];
    for (const from of given) await ask(app, "/", "GET", { Origin: from });
    assert.deepEqual(asked, ["null", "capacitor://localhost"]);
  });
});

describe("maxAge", () => {
  test("over a day causes one warning for each middleware", () => {
    const { app, warnings } = created();
    const cors = CorsMiddleware.builder().maxAge(86_401).build();
    app.use(cors).use(CorsMiddleware.builder().maxAge(86_400).build());
    app.group("/a", (group) => group.use(cors));
    const second = created();
    second.app.use(cors);
    assert.deepEqual(second.warnings, []);
    assert.deepEqual(warnings, [
      "CorsMiddleware: maxAge is 86401 seconds; browsers keep a preflight's response for at most 86,400 (Firefox) or 7,200 (Chromium)",
    ]);
  });
});
