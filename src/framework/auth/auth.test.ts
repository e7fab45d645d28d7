/** Basic and bearer credentials, and the requirements on a principal (AUTH). */
import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import fc from "fast-check";
import { created } from "../testing/harness.testkit.ts";
import type { Framework, MiddlewareLike } from "../index.ts";
import {
  BasicAuthMiddleware,
  BearerAuthMiddleware,
  type Principal,
  principalOf,
  requirePrincipal,
  requireRole,
  requireScope,
  sameSecret,
  setPrincipal,
} from "./index.ts";

/** The response to one request: its status, its challenge, and its text or detail. */
async function ask(app: Framework, authorization?: string | readonly string[], path = "/"): Promise<unknown[]> {
  const headers = [authorization ?? []].flat().map((value): [string, string] => ["authorization", value]);
  const response = await app.request(path, { headers });
  const body = (await response.json()) as { detail?: string };
  return [response.status, response.headers.get("www-authenticate"), body.detail ?? body];
}

/** An app with those middlewares that responds with the principal. */
function guarded(...middlewares: readonly MiddlewareLike[]): Framework {
  const { app } = created();
  for (const middleware of middlewares) app.use(middleware);
  return app.get("/", (ctx) => ({ id: principalOf(ctx)?.id ?? null }));
}

/** The hashed inputs from now on. */
function hashes(t: TestContext): string[] {
  const hashed: string[] = [];
  const digest = crypto.subtle.digest.bind(crypto.subtle);
  t.mock.method(crypto.subtle, "digest", (name: string, data: Uint8Array<ArrayBuffer>) => {
    hashed.push(new TextDecoder().decode(data));
    return digest(name, data);
  });
  return hashed;
}

const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;
const users = { ada: "pass:word", zoë: "pässword" };
const challenge = 'Basic realm="api", charset="UTF-8"';

describe("BasicAuthMiddleware", () => {
  const app = guarded(new BasicAuthMiddleware({ users }));

  test("AUTH-001: challenges a request without credentials, or with those of another scheme", async () => {
    const rejected = [401, challenge, "credentials are needed"];
    for (const authorization of [undefined, "", "Bearer abc", "Basi", "Basics QTpC", 'Digest username="a"'])
      assert.deepEqual(await ask(app, authorization), rejected, authorization);
    const shop = guarded(new BasicAuthMiddleware({ users, realm: 'the "shop" \\ desk' }));
    assert.equal((await ask(shop))[1], String.raw`Basic realm="the \"shop\" \\ desk", charset="UTF-8"`);
  });

  test("AUTH-004: accepts names and passwords in UTF-8, colons in the password, and any case of the scheme", async () => {
    assert.deepEqual(await ask(app, basic("ada:pass:word")), [200, null, { id: "ada" }]);
    assert.deepEqual(await ask(app, basic("zoë:pässword")), [200, null, { id: "zoë" }]);
    assert.deepEqual(await ask(app, basic("ada:pass:word").replace("Basic ", "bASIC   ")), [200, null, { id: "ada" }]);
  });

  test("AUTH-001: rejects a wrong name and a wrong password alike", async () => {
    const rejected = [401, challenge, "the name or the password is wrong"];
    for (const text of [
      "ada:pass",
      "ada:",
      ":",
      "eve:pass:word",
      "Ada:pass:word",
      "toString:x",
      "zoë:password",
      ":pass:word",
      "eve:",
    ])
      assert.deepEqual(await ask(app, basic(text)), rejected, text);
  });

  test("AUTH-005: rejects malformed credentials", async () => {
    const latin1 = `Basic ${Buffer.from("zoë:x", "latin1").toString("base64")}`;
    const odd = [
      "Basic",
      "Basic ",
      "Basic !",
      "Basic QQ",
      basic("ada"),
      basic("a\0:b"),
      basic("ada:x\n"),
      basic("ada:x\x7f"),
      basic("ada:pass:word").replace("OnBh", "On Bh"),
      latin1,
      "Basic QTpC, Basic QTpC",
    ];
    for (const authorization of odd)
      assert.deepEqual(
        await ask(app, authorization),
        [401, challenge, "these credentials are malformed"],
        authorization,
      );
    assert.equal((await ask(app, [basic("ada:pass:word"), basic("ada:pass:word")]))[0], 401);
  });

  test("never accepts any other input", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: "binary-ascii" }), fc.base64String()), async (text) => {
        const printable = text.replaceAll(/[^\x20-\x7e]/g, "");
        assert.equal((await ask(app, `Basic ${printable}`))[0], 401);
      }),
      { numRuns: 200 },
    );
  });

  test("calls the app's own function, and its faults are the request's", async () => {
    const seen: unknown[] = [];
    const verify = (name: string, password: string): Principal | undefined => {
      seen.push([name, password]);
      if (name === "boom") throw new Error("database");
      if (name === "odd") return true as never;
      if (name === "null") return null as never;
      return password === "1" ? { id: name, roles: ["admin"] } : undefined;
    };
    const { app: own, errors } = created();
    own.use(new BasicAuthMiddleware({ verify })).get("/", () => "hello");
    const statuses: unknown[] = [];
    for (const text of ["ada:1", "ada:2", "null:1", "boom:1", "odd:1"])
      statuses.push((await own.request("/", { headers: { authorization: basic(text) } })).status);
    assert.deepEqual(statuses, [200, 401, 401, 500, 500]);
    assert.deepEqual(seen, [
      ["ada", "1"],
      ["ada", "2"],
      ["null", "1"],
      ["boom", "1"],
      ["odd", "1"],
    ]);
    assert.deepEqual(
      errors.map(({ error }) => (error as Error).message),
      ["database", 'verify of BasicAuthMiddleware returned boolean: { id: "…" } or undefined is allowed'],
    );
  });

  test("names invalid options", () => {
    const either = "BasicAuthMiddleware takes either users or verify";
    const needs = "needs a password, and a name without a colon";
    const wrong: readonly (readonly [options: object, message: string])[] = [
      [{}, either],
      [{ users, verify: () => undefined }, either],
      [{ verify: "ada" }, "the option verify of BasicAuthMiddleware is string: a function is allowed"],
      [{ users: { ada: "x", "a:b": "x" } }, `users of BasicAuthMiddleware: "a:b" ${needs}`],
      [{ users: { a: "" } }, `users of BasicAuthMiddleware: "a" ${needs}`],
      [{ users: { a: 7 } }, `users of BasicAuthMiddleware: "a" ${needs}`],
      [
        { users, optional: "false" },
        'the option optional of BasicAuthMiddleware is "false": true and false are allowed',
      ],
      ...["a\n", "\na", "é", 7].map(
        (realm) =>
          [
            { users, realm },
            `the option realm of BasicAuthMiddleware is ${JSON.stringify(realm)}: text of printable ASCII is allowed`,
          ] as const,
      ),
    ];
    for (const [options, message] of wrong)
      assert.throws(() => new BasicAuthMiddleware(options), { code: "CONFIG_INVALID", message });
  });
});

describe("BearerAuthMiddleware", () => {
  const verify = async (token: string): Promise<Principal | undefined> =>
    (await sameSecret(token, "s3cret-token")) ? { id: "ci", scopes: ["read", "write"] } : undefined;
  const app = guarded(new BearerAuthMiddleware({ verify, realm: "shop" }));

  test("AUTH-002: only asks for credentials when a request has none", async () => {
    assert.deepEqual(await ask(app), [401, 'Bearer realm="shop"', "credentials are needed"]);
    assert.deepEqual(await ask(app, "Basic QTpC"), [401, 'Bearer realm="shop"', "credentials are needed"]);
  });

  test("AUTH-003: calls an unknown token invalid_token", async () => {
    const said = 'Bearer realm="shop", error="invalid_token", error_description="the token is not known"';
    assert.deepEqual(await ask(app, "Bearer s3cret-tokem"), [401, said, "the token is not known"]);
    assert.deepEqual(await ask(app, "Bearer s3cret-token"), [200, null, { id: "ci" }]);
  });

  test("AUTH-006: responds 400 and invalid_request to a malformed token", async () => {
    const said = 'Bearer realm="shop", error="invalid_request", error_description="this is no bearer token"';
    for (const authorization of [
      "Bearer",
      "Bearer ",
      "Bearer a b",
      "Bearer a,b",
      'Bearer "a"',
      "Bearer =",
      ["Bearer a", "Bearer b"],
    ])
      assert.deepEqual(await ask(app, authorization), [400, said, "this is no bearer token"], String(authorization));
  });

  test("AUTH-007: accepts no token from the URL or a form", async () => {
    const { app } = created();
    app.use(new BearerAuthMiddleware({ verify })).post("/", () => ({}));
    const body = new URLSearchParams({ access_token: "s3cret-token" });
    assert.equal((await app.request("/?access_token=s3cret-token", { method: "POST", body })).status, 401);
    const authorization = "Bearer s3cret-token";
    assert.equal((await app.request("/", { method: "POST", body, headers: { authorization } })).status, 200);
  });

  test("names the verify that returned an invalid principal", async () => {
    const { app, errors } = created();
    app.use(new BearerAuthMiddleware({ verify: () => true as never })).get("/", () => "hello");
    assert.equal((await app.request("/", { headers: { authorization: "Bearer a" } })).status, 500);
    assert.deepEqual(
      errors.map(({ error }) => (error as Error).message),
      ['verify of BearerAuthMiddleware returned boolean: { id: "…" } or undefined is allowed'],
    );
  });

  test("names invalid options", () => {
    assert.throws(() => new BearerAuthMiddleware({ verify, realm: "é" }), {
      code: "CONFIG_INVALID",
      message: 'the option realm of BearerAuthMiddleware is "é": text of printable ASCII is allowed',
    });
    assert.throws(() => new BearerAuthMiddleware({} as never), {
      code: "CONFIG_INVALID",
      message: "the option verify of BearerAuthMiddleware is undefined: a function is allowed",
    });
  });
});

describe("several schemes", () => {
  const basics = new BasicAuthMiddleware({ users, optional: true });
  const bearer = new BearerAuthMiddleware({ verify: (token) => (token === "t" ? { id: "ci" } : undefined) });

  test("AUTH-022: each accepts its own credentials, and the last lists the challenges of all", async () => {
    const app = guarded(basics, bearer);
    assert.deepEqual(await ask(app), [401, `${challenge}, Bearer realm="api"`, "credentials are needed"]);
    assert.deepEqual(await ask(app, basic("ada:pass:word")), [200, null, { id: "ada" }]);
    assert.deepEqual(await ask(app, "Bearer t"), [200, null, { id: "ci" }]);
  });

  test("AUTH-008 AUTH-021: accepts a request without credentials when they are optional, and none with wrong ones", async () => {
    const app = guarded(basics);
    assert.deepEqual(await ask(app), [200, null, { id: null }]);
    assert.deepEqual(await ask(app, "Bearer x"), [200, null, { id: null }]);
    assert.equal((await ask(app, basic("ada:x")))[0], 401);
  });
});

describe("requireRole and requireScope", () => {
  const principal: Principal = { id: "ada", roles: ["clerk"], scopes: ["orders:read"] };
  const knowing =
    (known?: Principal): MiddlewareLike =>
    (ctx, next) => {
      if (known !== undefined) setPrincipal(ctx, known);
      return next();
    };

  test("AUTH-009: accept a principal with one of the roles, or all of the scopes", async () => {
    const one = guarded(knowing(principal), requireRole("admin", "clerk"), requireScope("orders:read"));
    assert.deepEqual(await ask(one), [200, null, { id: "ada" }]);
  });

  test("AUTH-009: respond with 403 to other principals", async () => {
    assert.deepEqual(await ask(guarded(knowing(principal), requireRole("admin"))), [
      403,
      null,
      "this needs the role admin",
    ]);
    assert.deepEqual(await ask(guarded(knowing(principal), requireScope("orders:read", "orders:write"))), [
      403,
      'Bearer error="insufficient_scope", scope="orders:read orders:write"',
      "this needs the scope orders:read and orders:write",
    ]);
    const eve = knowing({ id: "eve" });
    assert.deepEqual(await ask(guarded(eve, requireRole("admin", "clerk"))), [
      403,
      null,
      "this needs the role admin or clerk",
    ]);
    assert.equal((await ask(guarded(eve, requireScope("orders:read"))))[0], 403);
  });

  test("AUTH-010: respond with 401 without a principal, with the challenges of earlier middlewares", async () => {
    const optional = new BasicAuthMiddleware({ users, optional: true });
    const own: MiddlewareLike = (ctx) => void requirePrincipal(ctx);
    for (const requirement of [requireRole("admin"), requireScope("a"), own]) {
      assert.deepEqual(await ask(guarded(optional, requirement)), [401, challenge, "who is asking is not known"]);
      assert.deepEqual(await ask(guarded(requirement)), [401, null, "who is asking is not known"]);
    }
  });

  test("reject invalid roles and scopes by name", () => {
    for (const names of [[], [""], ["a b"], ["ok", "a b"], ['a"'], ["é"], [undefined as never]]) {
      const message = `got ${JSON.stringify(names)}: names of printable ASCII without blanks and quotes are allowed`;
      assert.throws(() => requireRole(...names), { code: "CONFIG_INVALID", message: `requireRole ${message}` });
      assert.throws(() => requireScope(...names), { code: "CONFIG_INVALID", message: `requireScope ${message}` });
    }
  });
});

describe("principalOf", () => {
  test("is separate from every other attribute", async () => {
    const app = guarded((ctx, next) => {
      for (const name of ["principal", "user", Symbol("framework/auth principal")]) ctx.attribute(name, { id: "eve" });
      return next();
    });
    assert.deepEqual(await ask(app), [200, null, { id: null }]);
  });
});

describe("setPrincipal", () => {
  test("rejects a missing principal, and a text as a list", async () => {
    const odd = { null: null, undefined, object: { id: "" }, string: "ada" };
    const named = Object.entries(odd).map(([what, one]) => [`${what}: { id: "…" } is allowed`, one] as const);
    const lists: readonly (readonly [string, unknown])[] = [
      ["roles that are string: a list of texts is allowed", { id: "ada", roles: "admin" }],
      ["scopes that are object: a list of texts is allowed", { id: "ada", scopes: ["a", 1] }],
    ];
    for (const [what, principal] of [...named, ...lists]) {
      let thrown: unknown;
      const app = guarded((ctx, next) => {
        try {
          setPrincipal(ctx, principal as never);
        } catch (error) {
          thrown = error;
        }
        return next();
      });
      assert.deepEqual(await ask(app), [200, null, { id: null }], what);
      assert.ok(thrown instanceof TypeError);
      assert.deepEqual([thrown.message, Reflect.get(thrown, "code")], [`setPrincipal got ${what}`, "CONFIG_INVALID"]);
    }
  });

  test("has the same checks as verify: scopes as a text are an error", async () => {
    const verify = (): Principal => ({ id: "ada", scopes: "orders:readonly" as never });
    const app = guarded(new BearerAuthMiddleware({ verify }), requireScope("orders:read"));
    assert.equal((await ask(app, "Bearer a"))[0], 500);
  });
});

describe("sameSecret", () => {
  test("compares whole secrets, of any length", async () => {
    const pairs = [
      ["a", "a"],
      ["", ""],
      ["é", "é"],
      ["a", "b"],
      ["a", "aa"],
      ["", "a"],
      ["a\0", "a"],
    ] as const;
    const outcomes = await Promise.all(pairs.map(([a, b]) => sameSecret(a, b)));
    assert.deepEqual(outcomes, [true, true, true, false, false, false, false]);
  });

  test("hashes both completely, whatever they have in common", async (t) => {
    const hashed = hashes(t);
    for (const given of ["s3cret", "s3cres", "x3cret", "s3cret-and-more", ""]) {
      await sameSecret(given, "s3cret");
      assert.deepEqual(hashed.splice(0), [given, "s3cret"]);
    }
  });

  test("reads every byte of both hashes, wherever they differ", async (t) => {
    const hash = (...different: readonly number[]): Uint8Array<ArrayBuffer> =>
      Uint8Array.from({ length: 32 }, (_, at) => Number(different.includes(at)));
    const byText: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
      expected: hash(),
      same: hash(),
      first: hash(0),
      last: hash(31),
      all: hash(...Array.from({ length: 32 }).keys()),
    };
    t.mock.method(crypto.subtle, "digest", async (_: string, text: Uint8Array) => {
      return (byText[new TextDecoder().decode(text)] ?? assert.fail()).buffer;
    });
    let reads = 0;
    t.mock.method(globalThis, "Uint8Array", function (bytes: ArrayBuffer): readonly number[] {
      const get = (list: readonly number[], key: string | symbol): unknown => {
        if (typeof key === "string" && /^\d+$/.test(key)) reads += 1;
        return Reflect.get(list, key);
      };
      return new Proxy([...Buffer.from(bytes)], { get });
    });
    const seen: unknown[] = [];
    for (const given of ["same", "first", "last", "all"]) {
      seen.push([given, await sameSecret(given, "expected"), reads]);
      reads = 0;
    }
    t.mock.restoreAll();
    assert.deepEqual(seen, [
      ["same", true, 64],
      ["first", false, 64],
      ["last", false, 64],
      ["all", false, 64],
    ]);
  });

  test("compares passwords, also for an unknown name", async (t) => {
    const hashed = hashes(t);
    const app = guarded(new BasicAuthMiddleware({ users }));
    for (const name of ["ada", "eve"]) {
      await ask(app, basic(`${name}:pass`));
      assert.deepEqual([hashed[0], hashed.splice(0).length], ["pass", 2], name);
    }
  });
});

describe("securityScheme", () => {
  test("is the OpenAPI description of each", () => {
    assert.deepEqual(
      [
        new BasicAuthMiddleware({ users }).securityScheme,
        new BearerAuthMiddleware({ verify: () => undefined }).securityScheme,
      ],
      [
        { type: "http", scheme: "basic" },
        { type: "http", scheme: "bearer" },
      ],
    );
  });
});
