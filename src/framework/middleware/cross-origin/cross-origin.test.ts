/** Which requests of other origins are rejected: the table of Go's `http.CrossOriginProtection`, and what it leaves open. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  CrossOriginProtectionMiddleware,
  type CrossOriginOptions,
  Framework,
  type FrameworkOptions,
} from "../../index.ts";
import { SessionMiddleware, type SessionOptions } from "../../session/index.ts";
import { created, exchange, serving } from "../../testing/harness.testkit.ts";

type Headers = Readonly<Record<string, string>>;

/** An app with every method on some routes, and the status of a request to it. */
function protectedBy(options?: CrossOriginOptions, appOptions?: FrameworkOptions) {
  const { app } = created(appOptions);
  app.use(new CrossOriginProtectionMiddleware(options));
  for (const path of ["/", "/bypass/{rest}", "/only/{foo}", "/only/{foo}/{bar}", "/api/{rest}"] as const)
    app.any(path, () => "ok");
  return async (method: string, headers: Headers = {}, path = "/"): Promise<number> =>
    (await app.fetch(new Request(`https://example.com${path}`, { method, headers }))).status;
}

const site = (value: string): Headers => ({ "Sec-Fetch-Site": value });
const from = (origin: string): Headers => ({ Origin: origin });
const attacker = "https://attacker.example";
const trusted = "https://trusted.example";

describe("CrossOriginProtectionMiddleware", () => {
  test("XORIGIN-001 XORIGIN-002 XORIGIN-003: decides each case of Go's first table alike", async () => {
    const table: Readonly<Record<string, readonly [method: string, headers: Headers, status: number]>> = {
      "same-origin allowed": ["POST", site("same-origin"), 200],
      "none allowed": ["POST", site("none"), 200],
      "cross-site blocked": ["POST", site("cross-site"), 403],
      "same-site blocked": ["POST", site("same-site"), 403],
      "no header with no origin": ["POST", {}, 200],
      "no header with matching origin": ["POST", from("https://example.com"), 200],
      "no header with mismatched origin": ["POST", from(attacker), 403],
      "no header with null origin": ["POST", from("null"), 403],
      "GET allowed": ["GET", site("cross-site"), 200],
      "HEAD allowed": ["HEAD", site("cross-site"), 200],
      "OPTIONS allowed": ["OPTIONS", site("cross-site"), 200],
      "PUT blocked": ["PUT", site("cross-site"), 403],
    };
    const status = protectedBy();
    for (const [name, [method, headers, expected]] of Object.entries(table))
      assert.equal(await status(method, headers), expected, name);
  });

  test("XORIGIN-004: decides each case of Go's table of trusted origins alike", async () => {
    const status = protectedBy({ trustedOrigins: [trusted] });
    const table: readonly (readonly [headers: Headers, status: number])[] = [
      [from(trusted), 200],
      [{ ...from(trusted), ...site("cross-site") }, 200],
      [from(attacker), 403],
      [{ ...from(attacker), ...site("cross-site") }, 403],
    ];
    for (const [headers, expected] of table)
      assert.equal(await status("POST", headers), expected, JSON.stringify(headers));
  });

  test("XORIGIN-005: exempts routes by their patterns, and no spelling of another path reaches one", async () => {
    const status = protectedBy({ exempt: ["/bypass/{rest}", "/only/{foo}"] });
    const table: Readonly<Record<string, number>> = {
      "/bypass/a": 200,
      "/api/a": 403,
      "/only/123": 200,
      "/only/123/foo": 403,
      "/bypass": 403,
      "/api/bypass": 403,
      "/api/..%2Fbypass%2Fa": 403,
      "/none": 403,
    };
    for (const more of [{}, site("cross-site")])
      for (const [path, expected] of Object.entries(table))
        assert.equal(await status("POST", { ...from(attacker), ...more }, path), expected, path);
  });

  test("accepts and rejects the origins of Go's last table, and other values with a sentence", () => {
    for (const origin of ["https://example.com", "https://example.com:8080", "http://example.com", "app://localhost"])
      assert.ok(new CrossOriginProtectionMiddleware({ trustedOrigins: [origin] }));
    const wrong = ["example.com", "https://", "https://example.com/", "https://example.com/path", "", "null"];
    for (const origin of [...wrong, "https://example.com?query=value", "https://example.com#f", "https://ex ample.com"])
      assert.throws(() => new CrossOriginProtectionMiddleware({ trustedOrigins: [origin] }), {
        code: "CONFIG_INVALID",
        message: `CrossOriginProtectionMiddleware has trustedOrigins: ${JSON.stringify(origin)}: a list of origins such as https://app.example is allowed`,
      });
    const others: Readonly<Record<string, unknown>> = {
      'trustedOrigins: "https://a.example": a list of origins such as https://app.example is allowed': {
        trustedOrigins: "https://a.example",
      },
      'exempt: "hook": a list of patterns of routes such as /callback/{provider} is allowed': { exempt: ["hook"] },
      "no option trusted: trustedOrigins, exempt can be set": { trusted: [] },
    };
    for (const [message, options] of Object.entries(others))
      assert.throws(() => new CrossOriginProtectionMiddleware(options as CrossOriginOptions), {
        message: `CrossOriginProtectionMiddleware has ${message}`,
      });
  });

  test("a pattern of exempt that no route has fails the start", async () => {
    const { app } = created({ contextPath: "/shop" });
    app.use(new CrossOriginProtectionMiddleware({ exempt: ["/shop/callback"] })).post("/callbacks", () => "");
    await assert.rejects(Promise.resolve(app.start(0)), {
      code: "CONFIG_INVALID",
      message:
        'CrossOriginProtectionMiddleware has exempt: "/shop/callback": no route has that pattern; did you mean /shop/callbacks?',
    });
  });

  test("QUERY is safe, DELETE and unknown methods are not", async () => {
    const status = protectedBy();
    const typed = { ...site("cross-site"), "Content-Type": "text/plain" };
    for (const [method, expected] of [
      ["QUERY", 200],
      ["DELETE", 403],
      ["PATCH", 403],
      ["PURGE", 403],
    ] as const)
      assert.equal(await status(method, typed), expected, method);
  });

  test("two fields that differ count as another site, and an empty field as none", async () => {
    const headers = "Host: h\r\nContent-Length: 0\r\nConnection: close\r\n";
    await serving(
      (app) => app.use(new CrossOriginProtectionMiddleware()).post("/", () => "ok"),
      async ({ port }) => {
        const status = async (lines: string): Promise<number | undefined> =>
          (await exchange(port, `POST / HTTP/1.1\r\n${headers}${lines}\r\n`))[0]?.status;
        assert.equal(await status("Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site\r\n"), 403);
        assert.equal(await status("Sec-Fetch-Site: \r\nOrigin: \r\n"), 200);
        assert.equal(await status("Origin: http://h\r\n"), 200);
        assert.equal(await status("Origin: http://h:81\r\n"), 403);
        assert.equal(await status("Origin: http://h\r\nOrigin: http://evil.example\r\n"), 403);
      },
    );
  });

  test("the host and scheme of a trusted proxy count", async () => {
    const { app } = created({ trustProxy: true });
    app.use(new CrossOriginProtectionMiddleware()).post("/", () => "ok");
    const status = async (origin: string): Promise<number> => {
      const headers = { Origin: origin, "X-Forwarded-Host": "shop.example", "X-Forwarded-Proto": "https" };
      const request = new Request("http://10.0.0.1/", { method: "POST", headers });
      return (await app.fetch(request, { peerAddress: "10.0.0.2" })).status;
    };
    assert.equal(await status("https://shop.example"), 200);
    assert.equal(await status("http://shop.example"), 403);
    assert.equal(await status("http://10.0.0.1"), 403);
  });

  test("XORIGIN-006 XORIGIN-008: the 403 says what to do, and the run why", async () => {
    const heard: unknown[] = [];
    const app = Framework.create()
      .observe({ annotation: (_ctx, name, value) => void heard.push([name, value]) })
      .use(new CrossOriginProtectionMiddleware({ trustedOrigins: [trusted] }))
      .post("/", () => "ok");
    const sent = async (headers: Headers): Promise<unknown> => {
      const response = await app.fetch(new Request("https://example.com/", { method: "POST", headers }));
      return response.status === 200 ? 200 : await response.json();
    };
    const problem = (detail: string): object => ({
      type: "about:blank",
      title: "Forbidden",
      status: 403,
      detail: `${detail}; the application has to name that origin in trustedOrigins`,
      code: "CROSS_ORIGIN",
    });
    const page = "a page of another origin may not send this request";
    assert.deepEqual(await sent({ ...from(attacker), ...site("same-site") }), problem(page));
    assert.deepEqual(await sent(from(attacker)), problem(`${page}: its Origin is not the host that it asks for`));
    assert.equal(await sent(from(trusted)), 200);
    assert.equal(await sent(site("same-origin")), 200);
    assert.deepEqual(heard, [
      ["crossOrigin", { site: "same-site", origin: attacker, allowedBy: null }],
      ["crossOrigin", { site: undefined, origin: attacker, allowedBy: null }],
      ["crossOrigin", { site: undefined, origin: trusted, allowedBy: "trustedOrigins" }],
    ]);
  });
});

describe("the crossOrigin option of SessionMiddleware", () => {
  const secrets = ["s".repeat(32)];
  const withSession = (options: Partial<SessionOptions>, outside?: CrossOriginOptions) => {
    const { app } = created();
    if (outside !== undefined) app.use(new CrossOriginProtectionMiddleware(outside));
    app.use(new SessionMiddleware({ secrets, ...options })).post("/callback", () => "ok");
    return async (headers: Headers): Promise<number> =>
      (await app.fetch(new Request("https://shop.example/callback", { method: "POST", headers }))).status;
  };
  const sibling = { ...from("https://user-pages.shop.example"), ...site("same-site") };

  test("SESSION-035: rejects a POST of a subdomain by default, and no other", async () => {
    const status = withSession({});
    assert.equal(await status(sibling), 403);
    assert.equal(await status(from("https://user-pages.shop.example")), 403);
    assert.equal(await status({ ...from("https://shop.example"), ...site("same-origin") }), 200);
    assert.equal(await status({}), 200);
  });

  test("names exceptions, allows all requests, or leaves the decision to the middleware outside", async () => {
    const origin = "https://user-pages.shop.example";
    assert.equal(await withSession({ crossOrigin: "allow" })(sibling), 200);
    assert.equal(await withSession({ crossOrigin: { trustedOrigins: [origin] } })(sibling), 200);
    assert.equal(await withSession({ crossOrigin: { exempt: ["/callback"] } })(sibling), 200);
    assert.equal(await withSession({}, { trustedOrigins: [origin] })(sibling), 200);
    assert.equal(await withSession({ crossOrigin: "allow" }, {})(sibling), 403);
  });

  test("rejects other values with a sentence", () => {
    assert.throws(() => new SessionMiddleware({ secrets, crossOrigin: "deny" as "allow" }), {
      code: "CONFIG_INVALID",
      message:
        'the option crossOrigin of SessionMiddleware is "deny": allow, or trustedOrigins and exempt, are allowed',
    });
    assert.throws(() => new SessionMiddleware({ secrets, crossOrigin: { trustedOrigins: ["x"] } }), {
      message:
        'SessionMiddleware: crossOrigin has trustedOrigins: "x": a list of origins such as https://app.example is allowed',
    });
  });
});
