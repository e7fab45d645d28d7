import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { Framework } from "../framework.ts";
import { CorsMiddleware } from "./cors.ts";

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
    .get("/vary", (ctx) => ctx.header("Vary", "Accept").text("varied"))
    .get("/vary-more", (ctx) => ctx.appendHeader("Vary", "Accept").text("varied"))
    .get("/vary-any", (ctx) => ctx.header("Vary", "*").text("varied"))
    .get("/vary-late", async (ctx) => {
      await null;
      ctx.header("Vary", "Accept");
      throw new Error("late");
    })
    .get("/boom", () => {
      throw new Error("boom");
    })
    .options("/own", () => "my own options");
}

/** Status and the headers that matter here. */
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
  test("CORS-001 CORS-017: answers a preflight from an allowed origin with the configured lists, on any path", async () => {
    const answer = {
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
      assert.deepEqual(await ask(app, path, "OPTIONS", preflight(origin)), answer);
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
    test(`refuses a preflight from ${from} with 403 and no CORS header`, async () => {
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

  test("says Vary: Origin also when there is no origin", async () => {
    assert.deepEqual(await ask(appWith(exact()), "/", "GET", {}), { status: 200, headers: { vary: "Origin" } });
  });

  for (const [path, status] of [
    ["/", 200],
    ["/boom", 500],
    ["/nowhere", 404],
  ] as const) {
    test(`CORS-017: puts its headers on the ${status} at ${path}`, async () => {
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

  test("CORS-006: says Vary: Origin once, whatever Vary the handler sets or adds, and when it then fails", async () => {
    const app = appWith(exact());
    assert.equal((await ask(app, "/vary", "GET", {})).headers["vary"], "Accept, Origin");
    assert.equal((await ask(app, "/vary-more", "GET", {})).headers["vary"], "Origin, Accept");
    assert.equal((await ask(app, "/vary-any", "GET", {})).headers["vary"], "*");
    assert.deepEqual(await ask(app, "/vary-late", "GET", {}), { status: 500, headers: { vary: "Accept, Origin" } });
  });

  test("CORS-015 CORS-018: sends a constant * without Vary by default, QUERY not allowed", async () => {
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

  test("CORS-016: allows credentials to exact origins only, and says so on both kinds of answer", async () => {
    const app = appWith(CorsMiddleware.builder().allowOrigins(origin).allowCredentials().build());
    const answers = await Promise.all([
      ask(app, "/", "GET", { Origin: origin }),
      ask(app, "/", "OPTIONS", preflight(origin)),
      ask(app, "/", "GET", { Origin: "https://evil.example" }),
      ask(app, "/", "OPTIONS", preflight("https://evil.example")),
    ]);
    assert.deepEqual(
      answers.map(({ headers }) => headers["access-control-allow-credentials"]),
      ["true", "true", undefined, undefined],
    );
  });

  test("allows null only when it is listed", async () => {
    const app = appWith(CorsMiddleware.builder().allowOrigins("null").build());
    assert.equal((await ask(app, "/", "GET", { Origin: "null" })).headers["access-control-allow-origin"], "null");
  });

  test("echoes an origin if and only if it is listed, whatever the origin, method and path", async () => {
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
          const answer = await ask(app, path, verb, headers);
          const listed = from === origin || from === "https://two.example";
          assert.equal(answer.headers["access-control-allow-origin"], listed ? from : undefined);
          assert.equal(answer.headers["vary"], "Origin");
          if (!listed)
            assert.deepEqual(
              Object.keys(answer.headers).filter((name) => name.startsWith("access-control-")),
              [],
            );
        },
      ),
      { numRuns: Number(process.env["FC_RUNS"] ?? 2_000) },
    );
  });
});
