/** The security headers: which are sent, when, and how a handler changes them (SECHDR). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { created } from "../../testing/harness.testkit.ts";
import {
  type Context,
  Framework,
  HttpError,
  SecurityHeadersMiddleware,
  type SecurityHeadersOptions,
} from "../../index.ts";

/** A response's headers other than those of its content, over http or https. */
async function headersOf(
  options?: SecurityHeadersOptions,
  handler: (ctx: Context) => unknown = () => "x",
  url = "https://h/",
): Promise<Readonly<Record<string, string>>> {
  const { app } = created();
  const response = await app.use(new SecurityHeadersMiddleware(options)).get("/", handler).fetch(new Request(url));
  return Object.fromEntries([...response.headers].filter(([name]) => !/^content-(?:type|length)$/.test(name)));
}

const policy = [
  "default-src 'self'",
  "base-uri 'self'",
  "font-src 'self' https: data:",
  "form-action 'self'",
  "frame-ancestors 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "script-src 'self'",
  "script-src-attr 'none'",
  "style-src 'self' https: 'unsafe-inline'",
].join(";");

const plain: Readonly<Record<string, string>> = {
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "origin-agent-cluster": "?1",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-dns-prefetch-control": "off",
  "x-download-options": "noopen",
  "x-frame-options": "SAMEORIGIN",
  "x-permitted-cross-domain-policies": "none",
  "x-xss-protection": "0",
};

describe("SecurityHeadersMiddleware", () => {
  test("SECHDR-001: has helmet's set", async () => {
    assert.deepEqual(await headersOf(), {
      ...plain,
      "content-security-policy": `${policy};upgrade-insecure-requests`,
      "strict-transport-security": "max-age=31536000; includeSubDomains",
    });
  });

  test("SECHDR-002: mentions https over https alone", async () => {
    assert.deepEqual(await headersOf({}, undefined, "http://h/"), plain);
    const long = { strictTransportSecurity: { maxAge: 63_072_000, includeSubDomains: false, preload: true } };
    assert.equal((await headersOf(long))["strict-transport-security"], "max-age=63072000; preload");
    assert.equal((await headersOf(long, undefined, "http://h/"))["strict-transport-security"], undefined);
    const only = { contentSecurityPolicy: { useDefaults: false, directives: { "upgrade-insecure-requests": true } } };
    assert.equal((await headersOf(only))["content-security-policy"], "upgrade-insecure-requests");
    assert.equal((await headersOf(only, undefined, "http://h/"))["content-security-policy"], undefined);
  });

  test("SECHDR-003: sends the same on errors", async () => {
    const errors: readonly ((ctx: Context) => unknown)[] = [
      () => Promise.reject(new HttpError(409, "taken")),
      (ctx) => {
        ctx.setHeader("ETag", '"x"');
        throw new Error("a bug");
      },
    ];
    for (const handler of errors) assert.deepEqual(await headersOf({}, handler, "http://h/"), plain);
    const { app } = created();
    const missing = await app.use(new SecurityHeadersMiddleware()).fetch(new Request("http://h/none"));
    assert.deepEqual([missing.status, missing.headers.get("content-security-policy")], [404, policy]);
  });

  test("SECHDR-004: a handler's own header wins, for every kind of response", async () => {
    const own = (ctx: Context): Context =>
      ctx.setHeader("X-Frame-Options", "DENY").setHeader("content-security-policy", "sandbox");
    const forms: readonly ((ctx: Context) => unknown)[] = [
      (ctx) => own(ctx).text("x"),
      () => new Response("x", { headers: { "X-Frame-Options": "DENY", "Content-Security-Policy": "sandbox" } }),
    ];
    for (const handler of forms)
      assert.deepEqual(await headersOf({}, handler, "http://h/"), {
        ...plain,
        "content-security-policy": "sandbox",
        "x-frame-options": "DENY",
      });
    const app = Framework.create().use((ctx, next) => {
      ctx.setHeader("Referrer-Policy", "origin");
      return next();
    });
    const outer = await app
      .use(new SecurityHeadersMiddleware())
      .get("/", () => "x")
      .fetch(new Request("http://h/"));
    assert.equal(outer.headers.get("referrer-policy"), "origin");
  });

  test("SECHDR-005: leaves out headers set to false", async () => {
    const none: SecurityHeadersOptions = {
      contentSecurityPolicy: false,
      crossOriginOpenerPolicy: false,
      crossOriginResourcePolicy: false,
      originAgentCluster: false,
      referrerPolicy: false,
      strictTransportSecurity: false,
      xssProtection: false,
      contentTypeOptions: false,
      dnsPrefetchControl: false,
      downloadOptions: false,
      frameOptions: false,
      crossDomainPolicies: false,
      crossOriginEmbedderPolicy: false,
    };
    assert.deepEqual(await headersOf(none), {});
    const { status } = await created()
      .app.use(new SecurityHeadersMiddleware(none))
      .get("/", () => "x")
      .fetch(new Request("http://h/"));
    assert.equal(status, 200);
    const some: SecurityHeadersOptions = {
      ...none,
      crossOriginEmbedderPolicy: "credentialless",
      referrerPolicy: ["no-referrer", "origin"],
      frameOptions: "DENY",
      contentSecurityPolicy: { useDefaults: false, directives: { "default-src": ["'none'"], sandbox: true } },
    };
    assert.deepEqual(await headersOf(some), {
      "content-security-policy": "default-src 'none';sandbox",
      "cross-origin-embedder-policy": "credentialless",
      "referrer-policy": "no-referrer,origin",
      "x-frame-options": "DENY",
    });
  });

  test("SECHDR-005: leaves out a default directive set to false or undefined", async () => {
    const directives = { "upgrade-insecure-requests": false, "img-src": undefined };
    const { "content-security-policy": text } = await headersOf({ contentSecurityPolicy: { directives } });
    assert.equal(text, policy.replace("img-src 'self' data:;", ""));
  });

  test("sends the usual value when an option without a choice is true, and accepts an age of zero", async () => {
    assert.deepEqual(await headersOf({ originAgentCluster: true }, undefined, "http://h/"), plain);
    const { "strict-transport-security": gone } = await headersOf({ strictTransportSecurity: { maxAge: 0 } });
    assert.equal(gone, "max-age=0; includeSubDomains");
  });

  test("SECHDR-006: has one nonce for all policies of a request", async () => {
    const directives = { "script-src": ["'nonce'"] };
    const { app } = created();
    for (const reportOnly of [false, true])
      app.use(new SecurityHeadersMiddleware({ contentSecurityPolicy: { useDefaults: false, directives, reportOnly } }));
    const { headers } = await app.get("/", () => "x").fetch(new Request("http://h/"));
    const text = headers.get("content-security-policy");
    assert.match(text ?? "", /^script-src 'nonce-[A-Za-z0-9+/]{22}=='$/);
    assert.equal(headers.get("content-security-policy-report-only"), text);
  });

  test("SECHDR-006: makes a nonce for each request, once", async () => {
    const { app } = created();
    const options: SecurityHeadersOptions = {
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { "script-src": ["'nonce'"], "style-src": ["'nonce'"] },
      },
    };
    app.use(new SecurityHeadersMiddleware(options)).get("/", (ctx) => ctx.attribute("cspNonce"));
    const nonces = new Set<string>();
    for (let n = 0; n < 3; n += 1) {
      const response = await app.fetch(new Request("http://h/"));
      const nonce = await response.text();
      assert.match(nonce, /^[A-Za-z0-9+/]{22}==$/);
      const expected = `script-src 'nonce-${nonce}';style-src 'nonce-${nonce}'`;
      assert.equal(response.headers.get("content-security-policy"), expected);
      nonces.add(nonce);
    }
    assert.equal(nonces.size, 3);
    let without: unknown = "not asked";
    await headersOf({}, (ctx) => (without = ctx.attribute("cspNonce")) ?? "x");
    assert.equal(without, undefined);
  });

  test("SECHDR-008: only reports when configured to", async () => {
    const found = await headersOf({ contentSecurityPolicy: { reportOnly: true } });
    assert.deepEqual(
      [found["content-security-policy"], found["content-security-policy-report-only"]],
      [undefined, `${policy};upgrade-insecure-requests`],
    );
  });

  test("rejects a source that would loosen the policy", () => {
    const wrong: readonly (string | number)[] = [
      "a.example;script-src *",
      "a.example b.example",
      "a,b",
      "a\r\nX: y",
      "",
      "é.example",
      "self",
      "none",
      "nonce",
      "nonce-x",
      "nonce-xyz",
      "sha256-x",
      "sha256-xyz",
      7,
    ];
    for (const source of wrong)
      assert.throws(
        () =>
          new SecurityHeadersMiddleware({
            contentSecurityPolicy: { directives: { "img-src": ["'self'", source as string] } },
          }),
        (error: Error & { code?: string }) =>
          error.code === "CONFIG_INVALID" && error.message.includes(`has ${JSON.stringify(source)} in img-src; `),
        String(source),
      );
    const allowed = [
      "https:",
      "*.cdn.example:443",
      "'sha256-abc='",
      "'strict-dynamic'",
      "data:",
      "/reports",
      "selfies.example",
    ];
    const policies = { contentSecurityPolicy: { directives: { "img-src": allowed } } };
    assert.doesNotThrow(() => new SecurityHeadersMiddleware(policies));
  });

  test("rejects values that no header allows", () => {
    const policy = "contentSecurityPolicy";
    const age = "a whole number of seconds from 0 is allowed";
    const hsts = "strictTransportSecurity";
    const sources = "a list of sources, true for a directive without any, or false to leave it out is allowed";
    const name = 'a directive\'s name in lower case, such as "script-src", is allowed';
    const referrers =
      '"no-referrer", "no-referrer-when-downgrade", "same-origin", "origin", "strict-origin", "origin-when-cross-origin", "strict-origin-when-cross-origin", "unsafe-url" or false is allowed';
    const all =
      "crossOriginEmbedderPolicy, crossOriginOpenerPolicy, crossOriginResourcePolicy, originAgentCluster, referrerPolicy, contentTypeOptions, dnsPrefetchControl, downloadOptions, frameOptions, crossDomainPolicies, xssProtection, contentSecurityPolicy, strictTransportSecurity can be set";
    const wrong: readonly (readonly [options: unknown, sentence: string])[] = [
      [{ hsts: true }, ` has no option hsts: ${all}`],
      [
        { [hsts]: { includeSubdomains: false } },
        `: ${hsts} has no option includeSubdomains: maxAge, includeSubDomains, preload can be set; did you mean includeSubDomains?`,
      ],
      [{ [hsts]: { includeSubDomains: "no" } }, `: ${hsts}.includeSubDomains is "no"; a boolean is allowed`],
      [{ frameOptions: ["DENY"] }, `: frameOptions is ["DENY"]; "DENY", "SAMEORIGIN" or false is allowed`],
      [{ [hsts]: { preload: 1 } }, `: ${hsts}.preload is 1; a boolean is allowed`],
      [{ [hsts]: true }, `: ${hsts} is true: an object of maxAge, includeSubDomains, preload is allowed`],
      [{ [hsts]: { maxAge: -1 } }, `: ${hsts}.maxAge is -1; ${age}`],
      [{ [hsts]: { maxAge: Number.NaN } }, `: ${hsts}.maxAge is NaN; ${age}`],
      [
        { [policy]: { reportonly: true } },
        `: ${policy} has no option reportonly: directives, useDefaults, reportOnly can be set; did you mean reportOnly?`,
      ],
      [{ [policy]: { reportOnly: "yes" } }, `: ${policy} has "yes" in reportOnly; a boolean is allowed`],
      [{ [policy]: { useDefaults: 0 } }, `: ${policy} has 0 in useDefaults; a boolean is allowed`],
      [{ [policy]: null }, `: ${policy} is null: an object of directives, useDefaults, reportOnly is allowed`],
      [{ [policy]: { directives: { scriptSrc: ["'self'"] } } }, `: ${policy} has "scriptSrc" in directives; ${name}`],
      [{ [policy]: { directives: { "-src": ["'self'"] } } }, `: ${policy} has "-src" in directives; ${name}`],
      [{ [policy]: { directives: { "img-src": [] } } }, `: ${policy} has [] in img-src; ${sources}`],
      [{ [policy]: { directives: { "img-src": "'self'" } } }, `: ${policy} has "'self'" in img-src; ${sources}`],
      [
        { [policy]: { directives: { "img-src": ["self"] } } },
        `: ${policy} has "self" in img-src; "'self'", in quotes, is allowed`,
      ],
      [
        { [policy]: { directives: { "img-src": ["a b"] } } },
        `: ${policy} has "a b" in img-src; one source without a space, ";" or "," is allowed`,
      ],
      [
        { [policy]: { useDefaults: false } },
        `: ${policy} has {} in directives; at least one directive, or contentSecurityPolicy: false, is allowed`,
      ],
      [{ frameOptions: "ALLOW-FROM" }, ': frameOptions is "ALLOW-FROM"; "DENY", "SAMEORIGIN" or false is allowed'],
      [{ frameOptions: true }, ': frameOptions is true; "DENY", "SAMEORIGIN" or false is allowed'],
      [{ contentTypeOptions: "sniff" }, ': contentTypeOptions is "sniff"; true or false is allowed'],
      [{ referrerPolicy: ["no-referrer", "never"] }, `: referrerPolicy is ["no-referrer","never"]; ${referrers}`],
      [{ referrerPolicy: [] }, `: referrerPolicy is []; ${referrers}`],
      [
        { crossDomainPolicies: "some" },
        ': crossDomainPolicies is "some"; "none", "master-only", "by-content-type", "all" or false is allowed',
      ],
      [
        { crossOriginEmbedderPolicy: "same-origin" },
        ': crossOriginEmbedderPolicy is "same-origin"; "require-corp", "credentialless", "unsafe-none" or false is allowed',
      ],
      [
        { crossOriginOpenerPolicy: "all" },
        ': crossOriginOpenerPolicy is "all"; "same-origin", "same-origin-allow-popups", "noopener-allow-popups", "unsafe-none" or false is allowed',
      ],
      [
        { crossOriginResourcePolicy: "all" },
        ': crossOriginResourcePolicy is "all"; "same-origin", "same-site", "cross-origin" or false is allowed',
      ],
      [{ dnsPrefetchControl: "yes" }, ': dnsPrefetchControl is "yes"; "on", "off" or false is allowed'],
    ];
    for (const [options, sentence] of wrong)
      assert.throws(() => new SecurityHeadersMiddleware(options as SecurityHeadersOptions), {
        code: "CONFIG_INVALID",
        message: `SecurityHeadersMiddleware${sentence}`,
      });
  });
});
