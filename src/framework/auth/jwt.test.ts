/** JWTs, verified against a real JWKS over HTTP (AUTH). */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { CompactSign, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWK, type JWTPayload } from "jose";
import { created } from "../testing/harness.testkit.ts";
import type { Framework } from "../index.ts";
import { JwtAuthMiddleware, type JwtAuthOptions, principalOf } from "./index.ts";

type Key = Awaited<ReturnType<typeof generateKeyPair>>["privateKey"];

const issuer = "https://id.example";
const audience = "https://shop.example";
const secret = "0123456789abcdef0123456789abcdef";
const expected = { issuer, audience };
let keys: { one: Key; two: Key };
let published: { one: JWK; two: JWK };

before(async () => {
  const [one, two] = await Promise.all([generateKeyPair("ES256"), generateKeyPair("ES256")]);
  const shown = async (key: Key, kid: string): Promise<JWK> => ({
    ...(await exportJWK(key)),
    kid,
    alg: "ES256",
    use: "sig",
  });
  keys = { one: one.privateKey, two: two.privateKey };
  published = { one: await shown(one.publicKey, "one"), two: await shown(two.publicKey, "two") };
});

const sound: JWTPayload = { iss: issuer, aud: audience, sub: "ada", scope: "read write", roles: ["admin", 7] };
const seconds = (): number => Math.floor(Date.now() / 1_000);

/** A valid token with those claims added, or removed when they are undefined. */
function token(
  claims: Readonly<Record<string, unknown>> = {},
  key: Key = keys.one,
  header: { alg?: string; kid?: string; typ?: string } = {},
): Promise<string> {
  return new SignJWT({ ...sound, exp: seconds() + 60, ...claims })
    .setProtectedHeader({ alg: "ES256", kid: "one", ...header })
    .sign(key);
}

/** An app that responds with the principal, and a request to it. */
function asking(options: Partial<JwtAuthOptions>) {
  const { app, warnings } = created();
  const middleware = new JwtAuthMiddleware({ ...expected, algorithms: ["ES256"], ...options });
  app.use(middleware).get("/", (ctx) => principalOf(ctx));
  return { ask: (text: string) => ask(app, text), middleware, warnings };
}

async function ask(app: Framework, text: string): Promise<unknown[]> {
  const response = await app.request("/", { headers: { authorization: `Bearer ${text}` } });
  const body = (await response.json()) as { detail?: string };
  return [response.status, body.detail ?? body];
}

describe("JwtAuthMiddleware", () => {
  const local = () => asking({ jwks: { keys: [published.one] as unknown as Record<string, unknown>[] } });

  test("AUTH-013: accepts a signed token that is current and for this app, and sets its principal", async () => {
    const known = [200, { id: "ada", roles: ["admin"], scopes: ["read", "write"] }];
    const { ask } = local();
    assert.deepEqual(await ask(await token()), known);
    assert.deepEqual(await ask(await token({ aud: ["x", audience], scope: undefined, scp: ["read", "write"] })), known);
    assert.deepEqual(await ask(await token({ roles: 7, scope: " read  write " })), [
      200,
      { id: "ada", roles: [], scopes: ["read", "write"] },
    ]);
    assert.deepEqual(await ask(await token({ exp: seconds() - 2, nbf: seconds() + 3 })), known, "clocks differ");
  });

  const wrong: Readonly<Record<string, readonly [make: () => Promise<string> | string, detail: string]>> = {
    "another issuer": [() => token({ iss: "https://evil.example" }), "the claim iss of the token does not fit"],
    "no issuer": [() => token({ iss: undefined }), "the claim iss of the token does not fit"],
    "another audience": [() => token({ aud: "https://other.example" }), "the claim aud of the token does not fit"],
    "a time that is over": [() => token({ exp: seconds() - 6 }), "the token has expired"],
    "a time to come": [() => token({ nbf: seconds() + 10 }), "the token is not valid yet"],
    "no end": [() => token({ exp: undefined }), "the claim exp of the token does not fit"],
    "another key": [() => token({}, keys.two), "the signature of the token is wrong"],
    "an unknown key": [() => token({}, keys.two, { kid: "two" }), "the token names no key that is known"],
    "no subject": [() => token({ sub: undefined }), "the token names nobody known here"],
    "an empty subject": [() => token({ sub: "" }), "the token names nobody known here"],
    "a number as its subject": [() => token({ sub: 7 }), "the token names nobody known here"],
    "an extension that is not understood": [
      () =>
        new CompactSign(new TextEncoder().encode(JSON.stringify(sound)))
          .setProtectedHeader({ alg: "ES256", crit: ["x"], x: 1 })
          .sign(keys.one, { crit: { x: true } }),
      "the token is malformed",
    ],
    "claims that are a list": [
      () => new CompactSign(new TextEncoder().encode("[]")).setProtectedHeader({ alg: "ES256" }).sign(keys.one),
      "the token is malformed",
    ],
    "no signature": [
      () => new UnsecuredJWT(sound).setExpirationTime("1m").encode(),
      "the algorithm of the token is not allowed",
    ],
    "the algorithm none": [
      () =>
        `${Buffer.from('{"alg":"none"}').toString("base64url")}.${Buffer.from(JSON.stringify(sound)).toString("base64url")}.AA`,
      "the algorithm of the token is not allowed",
    ],
    "the public key as a secret": [
      () =>
        new SignJWT({ ...sound, exp: seconds() + 60 })
          .setProtectedHeader({ alg: "HS256", kid: "one" })
          .sign(new TextEncoder().encode(JSON.stringify(published.one))),
      "the algorithm of the token is not allowed",
    ],
    "a claim that was changed": [
      async () => {
        const [head, , signature] = (await token()).split(".");
        return `${head}.${Buffer.from(JSON.stringify({ ...sound, sub: "eve" })).toString("base64url")}.${signature}`;
      },
      "the signature of the token is wrong",
    ],
    "two parts": [() => "a.b", "the token is malformed"],
    "no JSON": [() => "a.b.c", "the token is malformed"],
  };
  for (const [what, [make, detail]] of Object.entries(wrong))
    test(`AUTH-014: rejects a token with ${what}`, async () => {
      assert.deepEqual(await local().ask(await make()), [401, detail]);
    });

  test("AUTH-014: rejects a token that was cut at any place", async () => {
    const { ask } = local();
    const whole = await token();
    for (let at = 1; at < whole.length; at += 1) {
      const [status] = await ask(whole.slice(0, at));
      assert.ok(status === 401 || status === 400, `${String(status)} at ${at}`);
    }
  });

  test("AUTH-014: rejects a token that names none of several keys", async () => {
    const { ask } = asking({ jwks: { keys: [published.one, published.two] as never } });
    const rejected = [401, "the token names no key that is known"];
    assert.deepEqual(await ask(await token({}, keys.one, { kid: undefined as never })), rejected);
  });

  test("accepts only the configured type of token", async () => {
    const { ask } = asking({ jwks: { keys: [published.one] as never }, type: "at+jwt" });
    assert.equal((await ask(await token({}, keys.one, { typ: "at+jwt" })))[0], 200);
    assert.equal((await ask(await token({}, keys.one, { typ: "JWT" })))[0], 401);
  });

  test("makes the principal with the app's function, which may return none", async () => {
    const jwks = { keys: [published.one] as never };
    const { ask } = asking({
      jwks,
      principal: ({ sub, email }) => (email === undefined ? undefined : { id: `${sub}:${String(email)}` }),
    });
    assert.deepEqual(await ask(await token({ email: "a@b" })), [200, { id: "ada:a@b" }]);
    assert.equal((await ask(await token()))[0], 401);
  });

  test("names the option when principal returns none", async () => {
    const { app, errors } = created();
    const jwks = { keys: [published.one] as never };
    app.use(new JwtAuthMiddleware({ ...expected, algorithms: ["ES256"], jwks, principal: () => ({}) as never }));
    app.get("/", () => "hello");
    assert.equal((await app.request("/", { headers: { authorization: `Bearer ${await token()}` } })).status, 500);
    assert.deepEqual(
      errors.map(({ error }) => (error as Error).message),
      ['principal of JwtAuthMiddleware returned object: { id: "…" } or undefined is allowed'],
    );
  });

  test("accepts a secret, and neither a shorter nor another one", async () => {
    const { ask } = asking({ secret, algorithms: ["HS256"] });
    const signed = (key: string): Promise<string> =>
      new SignJWT({ ...sound, exp: seconds() + 60 })
        .setProtectedHeader({ alg: "HS256" })
        .sign(new TextEncoder().encode(key));
    assert.equal((await ask(await signed(secret)))[0], 200);
    const bytes = asking({ secret: new TextEncoder().encode(secret), algorithms: ["HS256"] });
    assert.equal((await bytes.ask(await signed(secret)))[0], 200);
    assert.deepEqual(await ask(await signed(secret.toUpperCase())), [401, "the signature of the token is wrong"]);
  });

  test("rejects options that would accept foreign tokens", () => {
    const hs = (...algorithms: readonly string[]) => ({ secret, algorithms });
    const asymmetric = "with jwks RS256, PS256, ES256, EdDSA and their like are allowed";
    const without = "without it a token that was made for somebody else would be taken";
    const print = (bytes: number): string => `such as openssl rand -hex ${bytes} prints`;
    const jwks = "https://id.example/jwks";
    const url = "a URL of http: or https: is allowed";
    const bounded = "a number from 0 to 2147483647 is allowed";
    const odd: readonly (readonly [options: object, message: string])[] = [
      [{}, "takes either jwks or secret"],
      [{ secret, jwks }, "takes either jwks or secret"],
      [hs(), 'has no algorithms: name those that are taken, as in ["RS256"]'],
      [{ secret, algorithms: "HS256" }, 'has no algorithms: name those that are taken, as in ["RS256"]'],
      ...["none", "RS256", "toString", 7].map(
        (name) =>
          [
            { secret, algorithms: ["HS256", name] },
            `has ${JSON.stringify(name)} among its algorithms: with a secret HS256, HS384 and HS512 are allowed`,
          ] as const,
      ),
      ...["HS256", "none", "xRS256", "RS2567", "RS128", "ML-DSA-45", ["RS256"]].map(
        (name) =>
          [
            { jwks, algorithms: ["RS256", name] },
            `has ${JSON.stringify(name)} among its algorithms: ${asymmetric}`,
          ] as const,
      ),
      [{ ...hs("HS256"), secret: secret.slice(1) }, `has a secret of 31 bytes: HS256 need 32, ${print(32)}`],
      [{ ...hs("HS384"), secret: "é".repeat(23) }, `has a secret of 46 bytes: HS384 need 48, ${print(48)}`],
      [hs("HS256", "HS512"), `has a secret of 32 bytes: HS256, HS512 need 64, ${print(64)}`],
      [{ ...hs("HS256"), secret: null }, "has a secret that is neither text nor a Uint8Array"],
      [{ ...hs("HS256"), secret: Array(32).fill(7) }, "has a secret that is neither text nor a Uint8Array"],
      [{ ...hs("HS256"), issuer: "" }, `has no issuer: ${without}`],
      [{ ...hs("HS256"), audience: [] }, `has no audience: ${without}`],
      [{ ...hs("HS256"), audience: ["a", 7] }, `has no audience: ${without}`],
      ...["file:///etc/passwd", "jwks", null].map((one) => [{ jwks: one }, `has the jwks "${one}": ${url}`] as const),
      [{ jwks: {} }, "has jwks without a list of keys: { keys: [ … ] } is allowed"],
      ...[-1, Infinity, Number.NaN, 2 ** 31].flatMap((value) => [
        [{ jwks, clockToleranceSeconds: value }, `has clockToleranceSeconds ${value}: ${bounded}`] as const,
        [{ jwks, jwksTimeoutMs: value }, `has jwksTimeoutMs ${value}: ${bounded}`] as const,
      ]),
      [{ jwks, jwksCacheMs: -1 }, "has jwksCacheMs -1: a number from 0 is allowed"],
      [{ jwks, jwksCooldownMs: Number.NaN }, "has jwksCooldownMs NaN: a number from 0 is allowed"],
    ];
    for (const [options, message] of odd)
      assert.throws(() => new JwtAuthMiddleware({ ...expected, algorithms: ["ES256"], ...options }), {
        code: "CONFIG_INVALID",
        message: `JwtAuthMiddleware ${message}`,
      });
    assert.throws(() => new JwtAuthMiddleware({ ...expected, algorithms: ["ES256"], jwks, realm: "é" }), {
      message: 'the option realm of JwtAuthMiddleware is "é": text of printable ASCII is allowed',
    });
    const named = { ...expected, algorithms: ["ES256"], jwks, principal: "sub" as never };
    assert.throws(() => new JwtAuthMiddleware(named), {
      code: "CONFIG_INVALID",
      message: "the option principal of JwtAuthMiddleware is string: a function is allowed",
    });
  });

  test("accepts every algorithm of its kind, and times up to their limits", () => {
    const algorithms = ["RS256", "PS384", "ES512", "EdDSA", "Ed25519", "ML-DSA-44", "ML-DSA-65", "ML-DSA-87"];
    const most = { clockToleranceSeconds: 0, jwksTimeoutMs: 2 ** 31 - 1, jwksCacheMs: Infinity, jwksCooldownMs: 0 };
    for (const options of [
      { jwks: new URL("http://id.example/jwks"), algorithms, ...most },
      { secret: "é".repeat(24), algorithms: ["HS256", "HS384"] },
      { secret: new Uint8Array(64), algorithms: ["HS512"] },
    ])
      assert.doesNotThrow(() => new JwtAuthMiddleware({ ...expected, ...options }));
  });

  test("is a bearer scheme of JWTs in an OpenAPI document", () => {
    assert.deepEqual(asking({ jwks: "https://id.example/jwks" }).middleware.securityScheme, {
      type: "http",
      scheme: "bearer",
      bearerFormat: "JWT",
    });
  });
});

describe("a JWKS that is fetched", () => {
  let server: Server;
  let url: string;
  let fetched = 0;
  let reply: () => { status: number; body: string } | undefined = () => undefined;
  before(async () => {
    server = createServer((_request, response) => {
      fetched += 1;
      const { status, body } = reply() ?? { status: 0, body: "" };
      if (status !== 0) response.writeHead(status, { "Content-Type": "application/json" }).end(body);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`;
  });
  after(() => server.close().closeAllConnections());
  const publishing = (...names: readonly (keyof typeof published)[]): void => {
    fetched = 0;
    reply = () => ({ status: 200, body: JSON.stringify({ keys: names.map((name) => published[name]) }) });
  };

  test("is fetched once for many requests, again for a missing key, and not immediately again for another", async () => {
    publishing("one");
    const { ask } = asking({ jwks: url, jwksCooldownMs: 60_000 });
    const many = await Promise.all(Array.from({ length: 5 }, async () => (await ask(await token()))[0]));
    assert.deepEqual([many, fetched], [[200, 200, 200, 200, 200], 1]);
    for (const kid of ["a", "b", "c"]) assert.equal((await ask(await token({}, keys.two, { kid })))[0], 401);
    assert.equal(fetched, 1, "a client cannot make it fetch");
  });

  test("accepts a new key when the cooldown is over", async () => {
    publishing("one");
    const { ask } = asking({ jwks: url, jwksCooldownMs: 0 });
    assert.equal((await ask(await token()))[0], 200);
    publishing("one", "two");
    assert.equal((await ask(await token({}, keys.two, { kid: "two" })))[0], 200);
    assert.equal(fetched, 1);
  });

  const failures: Readonly<Record<string, typeof reply>> = {
    "has no keys to give": () => ({ status: 500, body: "" }),
    "gives no JWKS": () => ({ status: 200, body: "[]" }),
    "gives no JSON": () => ({ status: 200, body: "<html>" }),
    "never replies": () => undefined,
  };
  for (const [what, failing] of Object.entries(failures))
    test(`AUTH-017: is 503, logged once, when its server ${what}`, async () => {
      reply = failing;
      const { ask, middleware, warnings } = asking({ jwks: url, jwksTimeoutMs: 50, jwksCooldownMs: 0 });
      for (let at = 0; at < 2; at += 1)
        assert.deepEqual(await ask(await token()), [503, "tokens cannot be verified now"]);
      assert.deepEqual([middleware.faults, warnings.length], [2, 1]);
      publishing("one");
      const wanted = await token();
      // 50 ms may be too few for a busy machine, so the test tries again.
      while ((await ask(wanted))[0] !== 200) await new Promise((resolve) => setTimeout(resolve, 20));
    });

  test("is not fetched again immediately after a failure, for any request", async () => {
    fetched = 0;
    reply = () => ({ status: 500, body: "" });
    const { ask, middleware } = asking({ jwks: url });
    const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await ask(await token()))[0]));
    for (const kid of ["one", "two"]) statuses.push((await ask(await token({}, keys.one, { kid })))[0]);
    assert.deepEqual([statuses, fetched, middleware.faults], [Array(7).fill(503), 1, 7]);
    publishing("one");
    const wanted = await token();
    while ((await ask(wanted))[0] !== 200) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(fetched, 1);
  });

  test("is fetched immediately for others when a token names a missing key", async () => {
    publishing("one");
    const { ask } = asking({ jwks: url, jwksCacheMs: 0, jwksCooldownMs: 60_000 });
    assert.equal((await ask(await token({}, keys.two, { kid: "two" })))[0], 401);
    assert.deepEqual([(await ask(await token()))[0], fetched], [200, 2]);
  });

  test("keeps existing keys in use while a missing key cannot be fetched", async () => {
    publishing("one");
    const { ask } = asking({ jwks: url, jwksCooldownMs: 500 });
    assert.equal((await ask(await token()))[0], 200);
    fetched = 0;
    reply = () => ({ status: 500, body: "" });
    const missing = await token({}, keys.two, { kid: "two" });
    while ((await ask(missing))[0] !== 503) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual([(await ask(missing))[0], (await ask(await token()))[0], fetched], [503, 200, 1]);
  });

  test("AUTH-017: is 503 when its server is down, with the reason in the log and Retry-After for the client", async () => {
    const { app, warnings, errors } = created();
    const jwks = new URL("http://127.0.0.1:1/jwks");
    app.use(new JwtAuthMiddleware({ ...expected, algorithms: ["ES256"], jwks })).get("/", () => "hello");
    const { status, headers } = await app.request("/", { headers: { authorization: `Bearer ${await token()}` } });
    assert.deepEqual([status, headers.get("retry-after"), errors.length], [503, "5", 0]);
    assert.match(warnings.join(), /^JwtAuthMiddleware: its JWKS failed: .* \(further faults are only counted\)$/);
  });
});

describe("without jose", () => {
  test("the app does not start, and names the package to install, but the rest of framework/auth works", () => {
    const code = `
      import { register } from "node:module";
      const hook = "export const resolve = (name, context, next) => name === 'jose' ? Promise.reject(Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' })) : next(name, context);";
      register("data:text/javascript," + encodeURIComponent(hook));
      const { Framework } = await import(${JSON.stringify(new URL("../index.js", import.meta.url).href)});
      const { BasicAuthMiddleware, JwtAuthMiddleware } = await import(${JSON.stringify(new URL("index.js", import.meta.url).href)});
      const basic = Framework.create().use(new BasicAuthMiddleware({ users: { a: "b" } }));
      console.log((await basic.request("/")).status);
      const options = { secret: "x".repeat(32), algorithms: ["HS256"], issuer: "i", audience: "a" };
      const app = Framework.create().use(new JwtAuthMiddleware(options));
      await app.start(0).catch((error) => console.log(error.code + ": " + error.message));
    `;
    const args = ["--conditions=modules", "--input-type=module", "--eval", code];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    assert.equal(stdout, "401\nPEER_MISSING: JwtAuthMiddleware needs the package jose: npm install jose\n", stderr);
  });
});
