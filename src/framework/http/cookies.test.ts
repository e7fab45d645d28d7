/** The cookies that ctx.setCookie and ctx.deleteCookie send or reject (COOKIE). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { hosts } from "../testing/clients.testkit.ts";
import { created } from "../testing/harness.testkit.ts";
import { NotFoundError, type Context } from "../index.ts";
import { cookieLine, deletedCookieLine, type CookieOptions, putCookie } from "./cookies.ts";
import { cookieOf } from "./headers.ts";

/** The Set-Cookie lines of a handler's response. */
async function linesOf(handler: (ctx: Context) => unknown): Promise<string[]> {
  const { app } = created();
  app.get("/", handler);
  return (await app.request("/")).headers.getSetCookie();
}

const safe = "; Path=/; Secure; HttpOnly; SameSite=Lax";

describe("cookieLine", () => {
  test("is valid for every path of this host, TLS, the server and this site alone by default", () => {
    assert.equal(cookieLine("a", "b"), `a=b${safe}`);
  });

  test("has every requested attribute", () => {
    const expires = new Date(Date.UTC(2030, 0, 2, 3, 4, 5));
    const flags = { secure: true, httpOnly: false, sameSite: "none", partitioned: true, priority: "high" } as const;
    const options = { path: "/ü b", domain: "Shop.example", maxAge: 0, expires, ...flags };
    assert.equal(
      cookieLine("a", "", options),
      "a=; Path=/%C3%BC%20b; Domain=Shop.example; Max-Age=0; Expires=Wed, 02 Jan 2030 03:04:05 GMT; Secure; SameSite=None; Partitioned; Priority=High",
    );
    assert.equal(cookieLine("a", "", { secure: false, sameSite: "strict" }), "a=; Path=/; HttpOnly; SameSite=Strict");
  });

  test("rejects a name prefix without its required attributes, in any case", () => {
    const rejected: readonly (readonly [string, CookieOptions, string])[] = [
      ["__Secure-a", { secure: false }, "needs secure: true"],
      ["__secure-a", { secure: false }, "needs secure: true"],
      ["__Host-a", { path: "/a" }, 'needs path: "/"'],
      ["__HOST-a", { domain: "a.example" }, "needs no domain"],
      ["__Host-a", { secure: false, path: "/a", domain: "b.example" }, 'needs secure: true, path: "/", no domain'],
      ["__Http-a", { httpOnly: false }, "needs httpOnly: true"],
      ["__Host-Http-a", { httpOnly: false, path: "/a" }, 'needs httpOnly: true, path: "/"'],
    ];
    for (const [name, options, what] of rejected)
      assert.throws(() => cookieLine(name, "", options), {
        code: "COOKIE_INVALID",
        message: `the cookie ${JSON.stringify(name)} ${what}: its prefix promises that to browsers`,
      });
    for (const name of ["__Host-a", "__Secure-a", "__Http-a", "__Host-Http-a"])
      assert.equal(cookieLine(name, "1"), `${name}=1${safe}`);
    const promisedLess = { path: "/a", domain: "b.example", httpOnly: false };
    const rest = "=1; Path=/a; Domain=b.example; Secure; SameSite=Lax";
    for (const name of ["__Secure-a", "a__Host-a", "__Hosts-a"])
      assert.equal(cookieLine(name, "1", promisedLess), `${name}${rest}`);
    assert.equal(cookieLine("__Host-a", "1", { httpOnly: false }), "__Host-a=1; Path=/; Secure; SameSite=Lax");
  });

  test("rejects SameSite=None and Partitioned without Secure", () => {
    for (const options of [{ sameSite: "none" }, { partitioned: true }] as const)
      assert.throws(() => cookieLine("a", "", { ...options, secure: false }), {
        code: "COOKIE_INVALID",
        message: /that needs secure$/,
      });
  });

  const noName = "is no name of a cookie: letters, digits and !#$%&'*+-.^_`|~ are allowed";
  const beginning = "it begins with / and holds no ; and no control character";
  const aHost = "a host such as shop.example is allowed, without a dot before it";
  const seconds = "whole seconds from 0 are allowed";
  const aDate = "a Date from 1601 to 9999 is allowed";
  const options = "path, domain, maxAge, expires, secure, httpOnly, sameSite, partitioned, priority exist";
  const odd: Readonly<Record<string, readonly [sentence: string, name: unknown, value: unknown, options?: object]>> = {
    "an empty name": [`"" ${noName}`, "", ""],
    "a name with a blank": [`"a b" ${noName}`, "a b", ""],
    "a name with =": [`"a=b" ${noName}`, "a=b", ""],
    "a name with a line break": [String.raw`"a\r\nX: y" ${noName}`, "a\r\nX: y", ""],
    "a name that is not a text": [`7 ${noName}`, 7, ""],
    "a value that is not a text": ["has a value that is number: text is allowed", "a", 7],
    "a value without UTF-8": ["has a value with half of a surrogate pair: it has no UTF-8", "a", "\ud800"],
    "an unknown option": [`has the option "sameSight": ${options}`, "a", "", { sameSight: "lax" }],
    "a path that is relative": [`has the path "a": ${beginning}`, "a", "", { path: "a" }],
    "a path with another attribute": [`has the path "/;a": ${beginning}`, "a", "", { path: "/;a" }],
    "a path with a line break": [String.raw`has the path "/\r\nX: y": ${beginning}`, "a", "", { path: "/\r\nX: y" }],
    "a path that begins late": [`has the path "a/": ${beginning}`, "a", "", { path: "a/" }],
    "a path that is not a text": [`has the path ["/"]: ${beginning}`, "a", "", { path: ["/"] }],
    "a domain with another attribute": [`has the domain "b;a": ${aHost}`, "a", "", { domain: "b;a" }],
    "a domain with a dot before it": [`has the domain ".b.example": ${aHost}`, "a", "", { domain: ".b.example" }],
    "a domain with a hyphen at its end": [`has the domain "b.c-": ${aHost}`, "a", "", { domain: "b.c-" }],
    "a domain with a hyphen before it": [`has the domain "-b.c": ${aHost}`, "a", "", { domain: "-b.c" }],
    "a domain with a long label": [`has the domain "${"b".repeat(64)}": ${aHost}`, "a", "", { domain: "b".repeat(64) }],
    "a long domain": [`has the domain "${"b.".repeat(126)}bb": ${aHost}`, "a", "", { domain: `${"b.".repeat(126)}bb` }],
    "a domain that is not a text": [`has the domain ["b"]: ${aHost}`, "a", "", { domain: ["b"] }],
    "an empty domain": [`has the domain "": ${aHost}`, "a", "", { domain: "" }],
    "a maxAge that is not an integer": [`has maxAge 0.5: ${seconds}`, "a", "", { maxAge: 0.5 }],
    "a maxAge below 0": [`has maxAge -1: ${seconds}`, "a", "", { maxAge: -1 }],
    "a maxAge that is text": [`has maxAge 60: ${seconds}`, "a", "", { maxAge: "60" }],
    "an invalid time": [`has expires Invalid Date: ${aDate}`, "a", "", { expires: new Date(Number.NaN) }],
    "a time that is not a Date": [`has expires 0: ${aDate}`, "a", "", { expires: 0 }],
    "a time of another calendar": [
      `has expires ${String(new Date(-1e14))}: ${aDate}`,
      "a",
      "",
      { expires: new Date(-1e14) },
    ] as const as [string, unknown, unknown, object],
    "an unknown sameSite": ['has sameSite "Lax": strict, lax, none are allowed', "a", "", { sameSite: "Lax" }],
    "an unknown priority": ["has priority 1: low, medium, high are allowed", "a", "", { priority: 1 }],
    "a flag that is text": ['has secure "false": true and false are allowed', "a", "", { secure: "false" }],
    "httpOnly that is text": ['has httpOnly "false": true and false are allowed', "a", "", { httpOnly: "false" }],
    "partitioned that is a number": ["has partitioned 0: true and false are allowed", "a", "", { partitioned: 0 }],
  };
  for (const [what, [sentence, name, value, options]] of Object.entries(odd))
    test(`rejects ${what}`, () => {
      const making = (): unknown => cookieLine(name as string, value as string, options as CookieOptions);
      const message = sentence.endsWith(noName) ? sentence : `the cookie "a" ${sentence}`;
      assert.throws(making, { name: "TypeError", code: "COOKIE_INVALID", message });
    });

  test("accepts the longest host, and the first and the last year that browsers read", () => {
    const domain = `${"b".repeat(63)}.${"b.".repeat(94)}b`;
    assert.equal(cookieLine("a", "", { domain }), `a=; Path=/; Domain=${domain}${safe.slice(8)}`);
    for (const year of [1601, 9999])
      assert.match(cookieLine("a", "", { expires: new Date(Date.UTC(year, 5)) }), new RegExp(`01 Jun ${year}`));
    for (const year of [1600, 10_000])
      assert.throws(() => cookieLine("a", "", { expires: new Date(Date.UTC(year, 5)) }), { code: "COOKIE_INVALID" });
  });

  test("rejects a cookie of more than 4,096 bytes, its attributes included", () => {
    const most = 4096 - `a=${safe}`.length;
    assert.equal(cookieLine("a", "x".repeat(most)).length, 4096);
    assert.throws(() => cookieLine("a", "x".repeat(most + 1)), {
      code: "COOKIE_INVALID",
      message: 'the cookie "a" has 4097 bytes with its attributes: 4096 are allowed',
    });
    assert.throws(() => cookieLine("a", "é".repeat(700)), { code: "COOKIE_INVALID" });
  });

  test("encodes any text as cookie octets, which read back as the same text", () => {
    const words = fc.string({ unit: "grapheme", maxLength: 40 });
    const unit = fc.oneof(fc.nat(0xa0), fc.nat(0xffff)).map((code) => String.fromCharCode(code));
    const bytes = fc.string({ unit, maxLength: 40 }).map((text) => text.replace(/\p{Surrogate}/gu, ""));
    fc.assert(
      fc.property(fc.oneof(words, bytes), (text) => {
        const pair = cookieLine("a", text).slice(0, -safe.length);
        assert.match(pair, /^a=[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/);
        assert.equal(cookieOf(`x=1; ${pair}; y=2`, "a"), text);
      }),
      { numRuns: Number(process.env["FC_RUNS"] ?? 2_000) },
    );
  });

  test("leaves a token unchanged", () => {
    assert.equal(cookieLine("a", "eyJ.a-b_c+/=~"), `a=eyJ.a-b_c+/=~${safe}`);
  });
});

describe("putCookie", () => {
  test("keeps the last cookie of one name, host, path and partition", () => {
    const list = ["X-Like", "a=6; Path=/", "set-cookie", " a =1; path=/; DOMAIN=.Shop.example"];
    const others = [
      cookieLine("a", "2"),
      cookieLine("A", "3"),
      cookieLine("a", "4", { path: "/b" }),
      cookieLine("a", "5", { partitioned: true }),
      cookieLine("a", "8", { path: "/c=1" }),
      cookieLine("a", "9", { path: "/c=2" }),
    ];
    for (const line of others) putCookie(list, line);
    putCookie(list, cookieLine("a", "6"));
    putCookie(list, cookieLine("a", "7", { domain: "shop.example" }));
    const [, ...kept] = others;
    const lines = [...kept, cookieLine("a", "6"), cookieLine("a", "7", { domain: "shop.example" })];
    const own = ["Set-Cookie", "b=1; xpath=/q; pathx=/q; xdomain=q; domainx=q; xpartitioned; partitionedx"];
    putCookie(own, cookieLine("b", "2"));
    assert.deepEqual(own, ["Set-Cookie", cookieLine("b", "2")]);
    for (const name of ["path", "domain", "partitioned"]) {
      const line = cookieLine(name, "2", { path: "/c=1" });
      const named = [
        "Set-Cookie",
        cookieLine(name, "1", { path: "/c=1" }),
        "Set-Cookie",
        cookieLine(name, "1", { path: "/c1" }),
      ];
      putCookie(named, line);
      assert.deepEqual(named, [...named.slice(0, 2), "Set-Cookie", line]);
      assert.match(named[1] ?? "", /Path=\/c1;/);
    }
    assert.deepEqual(list, ["X-Like", "a=6; Path=/", ...lines.flatMap((line) => ["Set-Cookie", line])]);
  });
});

describe("ctx.deleteCookie", () => {
  test("ends the cookie of that host and path, and replaces one set before", async () => {
    const gone = "; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Secure; HttpOnly; SameSite=Lax";
    const lines = await linesOf((ctx) =>
      ctx.setCookie("a", "1").setCookie("a", "2", { path: "/b" }).deleteCookie("a").deleteCookie("b", { path: "/c" }),
    );
    assert.deepEqual(lines, [`a=2; Path=/b${safe.slice(8)}`, `a=; Path=/${gone}`, `b=; Path=/c${gone}`]);
    assert.equal(deletedCookieLine("a"), `a=; Path=/${gone}`);
  });
});

describe("ctx.cookie", () => {
  test("is the first cookie of that name, which is case-sensitive", async () => {
    const { app } = created();
    app.get("/", (ctx) => [ctx.cookie("a"), ctx.cookie("A"), ctx.cookie("b") ?? null, ctx.cookies]);
    const response = await app.request("/", { headers: { cookie: "a=1; a=2; A=3" } });
    assert.deepEqual(await response.json(), ["1", "3", null, { a: "1", A: "3" }]);
  });
});

describe("ctx.setCookie", () => {
  for (const [name, { engine, open }] of Object.entries(hosts))
    test(`COOKIE-001: sends a line for each cookie on ${name}`, async () => {
      const { app } = created({ engine });
      app.get("/", (ctx) => ctx.setCookie("a", "1").setCookie("b", "é;").json(ctx.cookies));
      const host = await open(app);
      try {
        const { headers, body } = await host.send({ target: "/", headers: [["Cookie", "b=%C3%A9%3B; c=3"]] });
        assert.deepEqual(
          [headers["set-cookie"], JSON.parse(body)],
          [[`a=1${safe}`, `b=%C3%A9%3B${safe}`], { b: "é;", c: "3" }],
        );
      } finally {
        await host.close();
      }
    });

  test("is also in an error response", async () => {
    const handler = (ctx: Context): never => {
      ctx.setCookie("a", "1");
      throw new NotFoundError();
    };
    assert.deepEqual(await linesOf(handler), [`a=1${safe}`]);
  });

  test("is added to the cookies of a web Response", async () => {
    const headers = [["Set-Cookie", "b=2"]] satisfies [string, string][];
    const lines = await linesOf((ctx) => {
      ctx.setCookie("a", "1");
      return new Response("x", { headers });
    });
    assert.deepEqual(lines, [`a=1${safe}`, "b=2"]);
  });

  test("changes nothing when it throws", async () => {
    const lines = await linesOf((ctx) => {
      assert.throws(() => ctx.setCookie("a b", "1"));
      return "x";
    });
    assert.deepEqual(lines, []);
  });

  test("throws after the head was sent", async () => {
    let thrown: unknown;
    await linesOf((ctx) => {
      const events = ctx.sse();
      try {
        ctx.setCookie("a", "1");
      } catch (error) {
        thrown = error;
      }
      events.close();
    });
    assert.equal((thrown as { code?: unknown }).code, "RESPONSE_SENT");
  });
});
