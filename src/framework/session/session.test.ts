/** Sessions in an app, sealed in the cookie, and in a store (SESSION). */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";
import { createClient, sealedWith, secret, type Keeping, storedIn } from "./sessions.testkit.ts";
import { created, until } from "../testing/harness.testkit.ts";
import type { Context } from "../http/context.ts";
import { MemorySessionStore, SessionMiddleware, sessionOf, type SessionOptions } from "./index.ts";

declare module "./session.ts" {
  interface SessionData {
    user: string;
    cart: string[];
  }
}

const hour = 3_600_000;
const keepings: Readonly<Record<string, () => Keeping>> = { "in its cookie": sealedWith, "in a store": storedIn };

for (const [where, keeping] of Object.entries(keepings))
  describe(`a session ${where}`, () => {
    beforeEach(() => mock.timers.enable({ apis: ["Date"], now: 1_800_000_000_000 }));
    afterEach(() => mock.timers.reset());

    test("SESSION-001: sends and keeps nothing while nothing is set", async () => {
      const { options, kept } = keeping();
      const client = createClient(options);
      for (const path of ["/read", "/untouched", "/destroy", "/clear"])
        assert.deepEqual([(await client.get(path)).cookie, client.jar], [undefined, ""], path);
      assert.equal(kept(), 0);
    });

    test("SESSION-002: returns set values in every later request", async () => {
      const client = createClient(keeping().options);
      assert.deepEqual(await client.json("/read"), { user: null, cart: null, isNew: true });
      const { cookie } = await client.get("/login?user=Zoë");
      assert.match(cookie ?? "", /^__Host-session=[^;]+; Path=\/; Max-Age=86400; Secure; HttpOnly; SameSite=Lax$/);
      await client.get("/add?sku=lamp");
      assert.deepEqual(await client.json("/read"), { user: "Zoë", cart: ["lamp"], isNew: false });
    });

    test("SESSION-003 SESSION-032: finds changes within a value, and sends nothing without changes", async () => {
      const client = createClient(keeping().options);
      await client.get("/add?sku=lamp");
      assert.notEqual((await client.get("/push?sku=desk")).cookie, undefined);
      for (const path of ["/read", "/untouched", "/same", "/fails"])
        assert.equal((await client.get(path)).cookie, undefined, path);
      assert.deepEqual((await client.json("/read"))["cart"], ["lamp", "desk"]);
      assert.equal(await (await client.get("/watched")).response.text(), "");
      assert.deepEqual(client.warnings, []);
      await client.get("/clear");
      assert.deepEqual(await client.json("/read"), { user: null, cart: null, isNew: false });
    });

    test("SESSION-004 SESSION-033: accepts nothing that a client has made up", async () => {
      const { options, kept } = keeping();
      const client = createClient(options);
      for (const made of ["x", "", "1.", `${"A".repeat(43)}.0`, "1.AAAA", `1.${"A".repeat(200)}`, "A".repeat(5_000)]) {
        client.jar = `__Host-session=${made}`;
        assert.deepEqual(await client.json("/read"), { user: null, cart: null, isNew: true });
        const { cookie = "" } = await client.get("/login?user=Ada");
        assert.ok(made === "" || !cookie.includes(`=${made};`), made);
        assert.equal((await client.json("/read"))["user"], "Ada");
      }
      assert.equal(kept(), options.store === undefined ? 0 : 7);
    });

    test("SESSION-005: has another cookie and the same data after regenerate", async () => {
      const { options, kept } = keeping();
      const client = createClient(options);
      await client.get("/add?sku=lamp");
      const planted = client.jar;
      await client.get("/login?user=Ada");
      assert.deepEqual(await client.json("/read"), { user: "Ada", cart: ["lamp"], isNew: false });
      assert.notEqual(client.jar, planted);
      client.jar = planted;
      assert.equal((await client.json("/read"))["user"], null, "whoever planted the session is not logged in");
      assert.equal(kept(), options.store === undefined ? 0 : 1);
    });

    test("SESSION-006: is over after destroy. Its cookie is deleted, and later values begin a new one", async () => {
      const { options, kept } = keeping();
      const client = createClient(options);
      await client.get("/login?user=Ada");
      const { cookie } = await client.get("/destroy");
      assert.match(cookie ?? "", /^__Host-session=; Path=\/; Max-Age=0; Expires=Thu, 01 Jan 1970/);
      assert.deepEqual([client.jar, kept()], ["", 0]);
      await client.get("/login?user=Ada");
      const before = client.jar;
      await client.get("/anew?sku=desk");
      assert.notEqual(client.jar, before);
      assert.deepEqual(await client.json("/read"), { user: null, cart: ["desk"], isNew: false });
    });

    test("SESSION-006: deletes an invalid cookie on destroy, and sets none for a session ended in its first request", async () => {
      const client = createClient(keeping().options);
      client.jar = "__Host-session=made-up";
      assert.match((await client.get("/destroy")).cookie ?? "", /^__Host-session=; /);
      assert.equal((await client.get("/destroy")).cookie, undefined);
      const { app } = created();
      app.use(new SessionMiddleware(keeping().options)).get("/", async (ctx) => {
        await sessionOf(ctx).set("user", "Ada").save();
        sessionOf(ctx).destroy();
      });
      assert.match((await app.request("/")).headers.getSetCookie().at(-1) ?? "", /^__Host-session=; /);
    });

    test("is annotated with its outcome, whether it was found and read, and its contents", async () => {
      const { app } = created();
      const heard: unknown[] = [];
      app.observe({ annotation: (_ctx, name, value) => void heard.push([name, value]) });
      app.use(new SessionMiddleware(keeping().options));
      app.get("/untouched", () => "x").get("/read", (ctx) => void sessionOf(ctx));
      app.get("/set", (ctx) => void sessionOf(ctx).set("user", ctx.queryParam("user") ?? ""));
      app.get("/saved", async (ctx) => {
        await sessionOf(ctx).set("user", "Eve").save();
        sessionOf(ctx).set("user", "Zoë");
      });
      app.get("/login", (ctx) => void sessionOf(ctx).regenerate()).get("/out", (ctx) => void sessionOf(ctx).destroy());
      let cookie = "";
      const seen: unknown[] = [];
      for (const path of [
        "/untouched",
        "/out",
        "/set?user=Ada",
        "/read",
        "/set?user=Bob",
        "/login",
        "/out",
        "/saved",
      ]) {
        const sent = (await app.request(path, { headers: { cookie } })).headers.getSetCookie()[0];
        cookie = sent === undefined ? cookie : (sent.split(";")[0] ?? "");
        seen.push([path, ...heard.splice(0)]);
      }
      mock.timers.tick(3 * hour);
      assert.notEqual((await app.request("/untouched", { headers: { cookie } })).headers.get("set-cookie"), null);
      seen.push(["/untouched, later", ...heard.splice(0)]);
      const session = (found: boolean, read: boolean, outcome: string, values: object): unknown => [
        "session",
        { found, lost: false, read, outcome, values },
      ];
      assert.deepEqual(seen, [
        ["/untouched", session(false, false, "none", {})],
        ["/out", session(false, true, "none", {})],
        ["/set?user=Ada", session(false, true, "created", { user: "Ada" })],
        ["/read", session(true, true, "none", { user: "Ada" })],
        ["/set?user=Bob", session(true, true, "updated", { user: "Bob" })],
        ["/login", session(true, true, "regenerated", { user: "Bob" })],
        ["/out", session(true, true, "destroyed", {})],
        ["/saved", session(false, true, "created", { user: "Zoë" })],
        ["/untouched, later", session(true, false, "none", { user: "Zoë" })],
      ]);
    });

    test("SESSION-009: ends when it was not used for idleMs, and use extends it", async () => {
      const client = createClient({ ...keeping().options, idleMs: hour, absoluteMs: 100 * hour });
      await client.get("/login?user=Ada");
      mock.timers.tick(hour / 20);
      assert.equal((await client.get("/untouched")).cookie, undefined, "too early to send it again");
      mock.timers.tick(hour / 20);
      for (let use = 0; use < 5; use += 1) {
        assert.match((await client.get("/untouched")).cookie ?? "", /Max-Age=3600/);
        mock.timers.tick(hour - 1);
      }
      assert.equal((await client.json("/read"))["user"], "Ada");
      mock.timers.tick(hour);
      assert.deepEqual(await client.json("/read"), { user: null, cart: null, isNew: true });
    });

    test("SESSION-009: ends idleMs after its beginning when it is not rolling, used and changed or not", async () => {
      const client = createClient({ ...keeping().options, idleMs: hour, rolling: false });
      await client.get("/login?user=Ada");
      mock.timers.tick(hour / 2);
      assert.equal((await client.get("/untouched")).cookie, undefined);
      assert.match((await client.get("/add?sku=lamp")).cookie ?? "", /Max-Age=1800/);
      mock.timers.tick(hour / 2);
      assert.equal((await client.json("/read"))["user"], null);
    });

    test("SESSION-010: ends absoluteMs after its beginning, for any use, and regenerate starts it again", async () => {
      const client = createClient({ ...keeping().options, idleMs: hour, absoluteMs: 2 * hour });
      await client.get("/login?user=Ada");
      mock.timers.tick(hour - 1);
      await client.get("/untouched");
      mock.timers.tick(hour / 2);
      assert.match((await client.get("/untouched")).cookie ?? "", /Max-Age=1801/);
      mock.timers.tick(hour / 2);
      assert.equal((await client.json("/read"))["user"], "Ada");
      mock.timers.tick(1);
      assert.equal((await client.json("/read"))["user"], null);
      await client.get("/login?user=Ada");
      mock.timers.tick(hour - 1);
      await client.get("/login?user=Ada");
      mock.timers.tick(hour - 1);
      await client.get("/untouched");
      mock.timers.tick(hour - 1);
      assert.equal((await client.json("/read"))["user"], "Ada");
    });

    test("SESSION-012 SESSION-034: makes a response with its cookie no-store, even against the app, and adds Vary", async () => {
      const client = createClient(keeping().options);
      const caching = async (path: string): Promise<unknown> => {
        const { response } = await client.get(path);
        return [response.headers.get("cache-control"), response.headers.get("vary")];
      };
      assert.deepEqual(await caching("/cached?user=Ada"), ["no-store", "Cookie"]);
      assert.deepEqual(await caching("/saved?user=Bob"), ["no-store", "Cookie"]);
      assert.deepEqual(await caching("/read"), [null, "Cookie"]);
      assert.deepEqual(await caching("/untouched"), [null, null]);
      assert.deepEqual(await caching("/destroy"), ["no-store", "Cookie"]);
    });

    test("is saved when the handler fails, and its cookie is in the error's response", async () => {
      const client = createClient(keeping().options);
      const { response, cookie } = await client.get("/refuses?sku=lamp");
      assert.deepEqual([response.status, cookie === undefined], [409, false]);
      assert.deepEqual((await client.json("/read"))["cart"], ["lamp"]);
    });

    test("SESSION-011: is saved before an event stream by save(), and a later change is reported once", async () => {
      const client = createClient(keeping().options);
      const { cookie, response } = await client.get("/events?user=Ada&save=1");
      assert.equal(await response.text(), "data: x\n\n");
      assert.notEqual(cookie, undefined);
      assert.equal((await client.json("/read"))["user"], "Ada");
      for (const name of ["Bob", "Eve"]) await (await client.get(`/events?user=${name}`)).response.text();
      assert.equal((await client.json("/read"))["user"], "Ada");
      assert.deepEqual(client.warnings, [
        "GET /events changed its session, and the head was sent before that was saved: await session.save() before ctx.sse()",
      ]);
    });

    test("SESSION-011: reports that changes during a stream are lost", async () => {
      const client = createClient(keeping().options);
      await client.get("/add?sku=lamp");
      assert.equal(await (await client.get("/streamed?sku=desk")).response.text(), "x");
      assert.deepEqual((await client.json("/read"))["cart"], ["lamp"]);
      assert.deepEqual(client.warnings, [
        "GET /streamed changed its session, and the head was sent before that was saved: await session.save() before ctx.sse()",
      ]);
    });

    test("SESSION-011: names the route of the loss, or its path, and ignores a client that has left", async () => {
      const late = (ctx: Context): void => {
        const events = ctx.sse();
        sessionOf(ctx).set("user", "Ada");
        events.close();
      };
      const said: unknown[] = [];
      for (const path of ["/of/1?a=1", "/none?a=1"]) {
        const { app, warnings } = created();
        app.use(new SessionMiddleware(keeping().options)).get("/of/{id}", late).onStatus(404, late);
        await (await app.request(path)).text();
        said.push(...warnings.map((line) => line.split(" changed ")[0]));
      }
      assert.deepEqual(said, ["GET /of/{id}", "GET /none"]);
      const { app, warnings } = created();
      const leaving = new AbortController();
      const statuses: number[] = [];
      app.use(new SessionMiddleware(keeping().options)).get("/", (ctx) => {
        sessionOf(ctx).set("user", "Ada");
        ctx.onComplete(({ status }) => void statuses.push(status));
        leaving.abort();
        return new Promise(() => undefined);
      });
      await Promise.resolve(app.fetch(new Request("http://h/", { signal: leaving.signal }))).catch(() => undefined);
      await until(() => statuses.length === 1);
      assert.deepEqual([statuses, warnings], [[499], []]);
    });

    test("rejects a value without JSON form when it is set", async () => {
      const client = createClient(keeping().options);
      const kinds: Readonly<Record<string, string>> = {
        nothing: '"odd" is undefined',
        function: '"odd" is function',
        symbol: '"odd" is symbol',
        promise: '"odd" is a promise',
        cycle: "Converting circular structure to JSON",
        map: "a Map at odd, which JSON writes as {}: Object.fromEntries(it)",
        inner: "a Set at odd.tags[0], which JSON writes as {}: [...it]",
        bigint: "Do not know how to serialize a BigInt",
        empty: '"odd" is object',
      };
      for (const [kind, what] of Object.entries(kinds)) {
        assert.equal((await client.get(`/odd?kind=${kind}`)).response.status, 500, kind);
        const error = client.errors.at(-1)?.error as Error & { code: unknown };
        assert.deepEqual(
          [error.code, error.message.split("\n")[0]],
          ["SESSION_VALUE", `a session holds what has a JSON form, and this has none: ${what}`],
        );
      }
      assert.deepEqual([client.jar, client.errors.length], ["", Object.keys(kinds).length]);
      const { app } = created();
      app.use(new SessionMiddleware(keeping().options)).get("/", (ctx) => {
        for (const odd of [1n, { toJSON: () => undefined }])
          assert.throws(() => sessionOf(ctx).set("odd", odd), { name: "TypeError", code: "SESSION_VALUE" });
        return sessionOf(ctx).get("odd") ?? "nothing";
      });
      const response = await app.request("/");
      assert.deepEqual([response.status, await response.text()], [200, "nothing"]);
    });

    test("SESSION-011: reports once that a value has lost its JSON form, as an error or as a late change", async () => {
      const said: unknown[] = [];
      for (const isLate of [false, true]) {
        const { app, errors, warnings } = created();
        app.use(new SessionMiddleware(keeping().options)).get("/", (ctx) => {
          const list: unknown[] = [];
          sessionOf(ctx).set("list", list);
          const events = isLate ? ctx.sse() : undefined;
          list.push(1n);
          events?.close();
          return isLate ? undefined : "x";
        });
        const response = await app.request("/");
        await response.text();
        said.push([response.status, errors.length, warnings.length]);
      }
      assert.deepEqual(said, [
        [500, 1, 0],
        [200, 0, 1],
      ]);
    });

    test("holds any name, without touching prototypes", async () => {
      const client = createClient(keeping().options);
      await client.get("/put?key=__proto__&value=1");
      await client.get("/put?key=constructor&value=2");
      assert.deepEqual(await client.json("/values?key=__proto__&key=constructor&key=toString"), ["1", "2", null]);
    });
  });

describe("SessionMiddleware", () => {
  const make =
    (options: SessionOptions): (() => unknown) =>
    () =>
      new SessionMiddleware(options);

  test("names the invalid option", () => {
    const secrets = secret;
    const own = "the option";
    const of = "of SessionMiddleware";
    const [most, longest] = [Number.MAX_SAFE_INTEGER, 2 ** 31 - 1];
    const store = new MemorySessionStore();
    const print = "text of 32 characters or more is allowed, such as openssl rand -hex 32 prints";
    const names =
      "secrets, store, cookie, idleMs, absoluteMs, rolling, onStoreError, storeTimeoutMs, crossOrigin can be set";
    const odd: readonly (readonly [options: object, message: string])[] = [
      [{}, `SessionMiddleware: a secret is undefined: ${print}`],
      [{ secrets: "abc" }, `SessionMiddleware: a secret is of 3 characters: ${print}`],
      [{ secrets, store }, `${own} secrets ${of} is given beside a store, which needs none: leave it out`],
      [{ store: {} }, `${own} store ${of} is no SessionStore: it has read, write and destroy`],
      [
        { store: { read: () => undefined, write: () => true } },
        `${own} store ${of} is no SessionStore: it has read, write and destroy`,
      ],
      [{ secrets, idleMs: 0 }, `${own} idleMs ${of} is 0: milliseconds from 1 to ${most} are allowed`],
      [{ secrets, idleMs: 1e300 }, `${own} idleMs ${of} is 1e+300: milliseconds from 1 to ${most} are allowed`],
      [{ secrets, idleMs: "60" }, `${own} idleMs ${of} is 60: milliseconds from 1 to ${most} are allowed`],
      [
        { secrets, absoluteMs: Number.NaN },
        `${own} absoluteMs ${of} is NaN: milliseconds from 1 to ${most} are allowed`,
      ],
      ...[-1, 2 ** 31].map(
        (ms) =>
          [
            { store, storeTimeoutMs: ms },
            `${own} storeTimeoutMs ${of} is ${ms}: milliseconds from 1 to ${longest} are allowed`,
          ] as const,
      ),
      [{ secrets, rolling: "yes" }, `${own} rolling ${of} is yes: true and false are allowed`],
      [{ secrets, onStoreError: "open" }, `${own} onStoreError ${of} is "open": reject and continue are allowed`],
      [{ secrets, maxAge: 1 }, `SessionMiddleware has no option maxAge: ${names}`],
      [
        { secrets, cookie: { name: "__Host-session", secure: false } },
        'the cookie "__Host-session" needs secure: true: its prefix promises that to browsers',
      ],
      ...["maxAge", "expires", "httpOnly"].map(
        (name) =>
          [
            { secrets, cookie: { [name]: false } },
            `${own} cookie ${of} has ${name}, which follows from the session: leave it out`,
          ] as const,
      ),
    ];
    for (const [options, message] of odd) assert.throws(make(options), { name: "TypeError", message });
    assert.doesNotThrow(make({ store, idleMs: 1, absoluteMs: most, storeTimeoutMs: longest, cookie: {} }));
  });

  test("calls its cookie __Host-session when browsers accept that, else session", () => {
    const nameOf = (cookie?: SessionOptions["cookie"]): string =>
      new SessionMiddleware({ secrets: secret, cookie }).securityScheme.name;
    assert.deepEqual(
      [
        nameOf(),
        nameOf({ sameSite: "strict" }),
        nameOf({ secure: false }),
        nameOf({ path: "/a" }),
        nameOf({ domain: "a.b" }),
      ],
      ["__Host-session", "__Host-session", "session", "session", "session"],
    );
    assert.deepEqual(new SessionMiddleware({ secrets: secret, cookie: { name: "s" } }).securityScheme, {
      type: "apiKey",
      in: "cookie",
      name: "s",
    });
  });

  test("gives its cookie the chosen attributes, and HttpOnly", async () => {
    const cookie = { name: "s", path: "/", sameSite: "strict", secure: false } as const;
    const client = createClient({ secrets: secret, cookie });
    const { cookie: sent = "" } = await client.get("/login?user=Ada");
    assert.match(sent, /^s=[^;]+; Path=\/; Max-Age=86400; HttpOnly; SameSite=Strict$/);
    assert.throws(make({ secrets: secret, rolling: "yes" as never }), { code: "CONFIG_INVALID" });
  });

  test("SESSION-013: throws for a session too large for a cookie, and names the store option", async () => {
    const client = createClient(sealedWith().options);
    const { response, cookie } = await client.get(`/login?user=${"x".repeat(4_000)}`);
    assert.deepEqual([response.status, cookie], [500, undefined]);
    const [{ error } = { error: undefined }] = client.errors;
    assert.equal((error as { code?: unknown }).code, "SESSION_VALUE");
    assert.match(
      String(error),
      /takes \d+ bytes as a cookie, of 4096 .*: keep less in it, or give SessionMiddleware a store/,
    );
    const stored = createClient(storedIn().options);
    assert.equal((await stored.get(`/login?user=${"x".repeat(4_000)}`)).response.status, 200);
  });

  test("gives a group a separate session, and sessionOf returns the innermost", async () => {
    const { app } = created();
    const outer = new SessionMiddleware({ secrets: secret });
    app.use(outer).use(outer);
    const inner = new SessionMiddleware({ secrets: secret, cookie: { name: "inner" } });
    app.group("/in", (group) => group.use(inner).get("/", (ctx) => void sessionOf(ctx).set("user", "Ada")));
    app.get("/out", (ctx) => void sessionOf(ctx).set("user", "Bob"));
    const namesOf = async (path: string): Promise<unknown> =>
      (await app.request(path)).headers.getSetCookie().map((line) => line.split("=")[0]);
    assert.deepEqual([await namesOf("/in"), await namesOf("/out")], [["inner"], ["__Host-session"]]);
  });

  test("names the missing middleware", async () => {
    const { app, errors } = created();
    app.get("/", (ctx) => sessionOf(ctx).get("user"));
    assert.equal((await app.request("/")).status, 500);
    assert.deepEqual(
      errors.map(({ error }) => [(error as { code?: unknown }).code, String(error)]),
      [["SESSION_MISSING", "Error: this request has no session: app.use(new SessionMiddleware({ … })) before it"]],
    );
  });
});
