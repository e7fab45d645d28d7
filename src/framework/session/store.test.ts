/** Stored sessions: the calls of the store, and requests when it fails (SESSION). */
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { afterEach, describe, mock, test } from "node:test";
import { created } from "../testing/harness.testkit.ts";
import {
  MemorySessionStore,
  type Session,
  SessionMiddleware,
  sessionOf,
  type SessionOptions,
  type SessionStore,
} from "./index.ts";
import { createClient } from "./sessions.testkit.ts";

type Method = keyof SessionStore;

/** A memory store that records its calls, and fails on demand. */
class NotingStore extends MemorySessionStore {
  readonly asked: unknown[][] = [];
  readonly failing = new Map<Method, (run: () => Promise<unknown>) => unknown>();

  override read(key: string): ReturnType<SessionStore["read"]> {
    return this.#asked("read", [key], () => super.read(key));
  }
  override write(...of: Parameters<SessionStore["write"]>): ReturnType<SessionStore["write"]> {
    return this.#asked("write", of, () => super.write(...of));
  }
  override touch(...of: Parameters<MemorySessionStore["touch"]>): Promise<boolean> {
    return this.#asked("touch", of, () => super.touch(...of));
  }
  override destroy(key: string): Promise<void> {
    return this.#asked("destroy", [key], () => super.destroy(key));
  }

  #asked<T>(method: Method, of: readonly unknown[], run: () => Promise<T>): Promise<T> {
    this.asked.push([method, ...of]);
    const fail = this.failing.get(method);
    return fail === undefined ? run() : (fail(run) as Promise<T>);
  }

  /** The calls since the last time. */
  methods(): unknown[] {
    return this.asked.splice(0).map(([method]) => method);
  }
}

const noting = (options: SessionOptions = {}) => {
  const store = new NotingStore();
  return { store, client: createClient({ ...options, store }) };
};

const down = (): Promise<never> => Promise.reject(new Error("ECONNREFUSED"));
const hang = (): Promise<never> => new Promise(() => undefined);

describe("a stored session", () => {
  afterEach(() => mock.timers.reset());

  test("is in the store under a hash of its id, and its cookie holds nothing of it", async () => {
    mock.timers.enable({ apis: ["Date"], now: 1_800_000_000_000 });
    const { store, client } = noting();
    await client.get("/login?user=Ada");
    const [[method, key, text, options] = []] = store.asked;
    const id = client.jar.replace(/^__Host-session=(.{43})\..*$/, "$1");
    const hash = Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from(id))).toString("base64url");
    assert.deepEqual([method, key, options], ["write", hash, { ttlMs: 86_400_000, mode: "create" }]);
    assert.match(String(text), /^\[\d+,\d+,\{"user":"Ada"\}\]$/);
    await client.get("/add?sku=lamp");
    const [updated, sameKey, , how] = store.asked.at(-1) ?? [];
    assert.deepEqual([updated, sameKey, how], ["write", hash, { ttlMs: 86_400_000, mode: "update" }]);
  });

  test("has an id in which every byte is random", async () => {
    const values = Array.from({ length: 32 }, () => new Set<number>());
    for (let count = 0; count < 32; count += 1) {
      const { client } = noting();
      await client.get("/login?user=Ada");
      const id = Buffer.from(client.jar.replace(/^__Host-session=(.{43})\..*$/, "$1"), "base64url");
      for (const [at, byte] of id.entries()) values[at]?.add(byte);
    }
    // 32 random bytes hold 2 different ones, except one time in 2^248.
    assert.deepEqual(values.map(({ size }) => size > 1).indexOf(false), -1);
  });

  test("calls the store no more than necessary", async () => {
    mock.timers.enable({ apis: ["Date"], now: 1_800_000_000_000 });
    const { store, client } = noting({ idleMs: 1_000_000 });
    await client.get("/untouched");
    assert.deepEqual(store.methods(), []);
    await client.get("/login?user=Ada");
    assert.deepEqual(store.methods(), ["write"]);
    await client.get("/read");
    assert.deepEqual(store.methods(), ["read"]);
    mock.timers.tick(100_000);
    await client.get("/untouched");
    assert.deepEqual(store.methods(), ["read", "touch"]);
    await client.get("/login?user=Bob");
    assert.deepEqual(store.methods(), ["read", "write", "destroy"]);
    await client.get("/destroy");
    assert.deepEqual(store.methods(), ["read", "destroy"]);
  });

  test("is read once when its middleware is installed twice, and never for a foreign cookie", async () => {
    const { app } = created();
    const store = new NotingStore();
    const sessions = new SessionMiddleware({ store });
    app.use(sessions).use(sessions);
    app.get("/", (ctx) => ({ user: sessionOf(ctx).get("user") ?? null }));
    app.get("/in", (ctx) => void sessionOf(ctx).set("user", "Ada"));
    const cookie = (await app.request("/in")).headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const token = cookie.replace("__Host-session=", "");
    const users: unknown[] = [];
    for (const sent of [token, `A${token}`, `${token}A`.padEnd(60, "A"), `${token}-`])
      users.push(await (await app.request("/", { headers: { cookie: `__Host-session=${sent}` } })).json());
    assert.deepEqual(users, [{ user: "Ada" }, ...Array.from({ length: 3 }, () => ({ user: null }))]);
    assert.deepEqual(store.methods(), ["write", "read"]);
  });

  test("is written again when the store has no touch", async () => {
    mock.timers.enable({ apis: ["Date"], now: 1_800_000_000_000 });
    const { store, client } = noting({ idleMs: 1_000_000 });
    Object.assign(store, { touch: undefined });
    await client.get("/login?user=Ada");
    mock.timers.tick(900_000);
    await client.get("/untouched");
    mock.timers.tick(900_000);
    assert.equal((await client.json("/read"))["user"], "Ada");
    assert.deepEqual(store.methods(), ["write", "read", "write", "read", "write"]);
  });

  test("does not trust its client about time", async () => {
    mock.timers.enable({ apis: ["Date"], now: 1_800_000_000_000 });
    const { client } = noting({ idleMs: 1_000, rolling: false });
    await client.get("/login?user=Ada");
    const forged = client.jar.replace(/\.\w+$/, ".zzzzzzzzzz");
    client.jar = forged;
    assert.match((await client.get("/add?sku=lamp")).cookie ?? "", /Max-Age=1;/);
    mock.timers.tick(1_000);
    client.jar = forged;
    assert.equal((await client.json("/read"))["user"], null);
  });

  test("SESSION-009: is renewed when its client claims that the cookie was sent in the future", async () => {
    mock.timers.enable({ apis: ["Date"], now: 1_800_000_000_000 });
    const { store, client } = noting();
    await client.get("/login?user=Ada");
    client.jar = client.jar.replace(/\.\w+$/, ".zzzzzzzzzz");
    assert.notEqual((await client.get("/untouched")).cookie, undefined);
    assert.deepEqual(store.methods(), ["write", "read", "touch"]);
  });

  test("is written by save() once, however often that is called", async () => {
    const store = new NotingStore();
    const { app } = created();
    app.use(new SessionMiddleware({ store })).get("/", async (ctx) => {
      const session = sessionOf(ctx);
      await session.save();
      await session.set("user", "Ada").save();
      await session.save();
    });
    await app.request("/");
    assert.deepEqual(store.methods(), ["write"]);
  });

  test("SESSION-011: throws when it would begin, end or change its identity after the head was sent", async () => {
    const { app, warnings } = created();
    const store = new NotingStore();
    const changes: Readonly<Record<string, (session: Session) => unknown>> = {
      begin: (session) => session.set("user", "Ada"),
      login: (session) => session.regenerate().set("user", "Bob"),
      logout: (session) => session.destroy(),
      nothing: () => undefined,
    };
    app.use(new SessionMiddleware({ store })).get("/in", (ctx) => sessionOf(ctx).set("user", "Ada") && "in");
    app.get("/{change}", async (ctx) => {
      const events = ctx.sse();
      changes[ctx.pathParam("change")]?.(sessionOf(ctx));
      await sessionOf(ctx)
        .save()
        .catch((error: Error & { code?: unknown }) => events.send(`${String(error.code)} ${error.message}`));
      events.close();
    });
    const cookie = (await app.request("/in")).headers.getSetCookie()[0]?.split(";")[0] ?? "";
    for (const change of Object.keys(changes)) {
      const response = await app.request(`/${change}`, /begin|nothing/.test(change) ? {} : { headers: { cookie } });
      assert.equal(
        await response.text(),
        change === "nothing"
          ? ""
          : "data: RESPONSE_SENT GET /{change} saved its session when the head was out: await session.save() before ctx.sse()\n\n",
      );
    }
    assert.deepEqual([store.methods(), store.size, warnings], [["write", "read", "read"], 1, []]);
  });

  for (const [what, method, path] of [
    ["changes it", "write", "/add?sku=lamp"],
    ["only lets it live longer", "touch", "/untouched"],
  ] as const)
    test(`SESSION-016: stays destroyed, also when a slower request that ${what} ends after it`, async () => {
      mock.timers.enable({ apis: ["Date"], now: 1_800_000_000_000 });
      const { store, client } = noting({ idleMs: 1_000_000 });
      await client.get("/login?user=Ada");
      mock.timers.tick(100_000);
      const { jar } = client;
      const events = new EventEmitter();
      store.failing.set(method, async (run) => {
        events.emit("asked");
        await once(events, "destroyed");
        return run();
      });
      const asked = once(events, "asked");
      const slow = client.get(path);
      await asked;
      client.jar = jar;
      await client.get("/destroy");
      events.emit("destroyed");
      assert.deepEqual([(await slow).response.status, (await slow).cookie, store.size], [200, undefined, 0]);
    });

  test("SESSION-005: has a new identity also when regenerate is called during a save", async () => {
    const { app } = created();
    const store = new NotingStore();
    app.use(new SessionMiddleware({ store }));
    app.get("/", (ctx) => void sessionOf(ctx).set("cart", []));
    app.get("/login", async (ctx) => {
      let writes: (() => void) | undefined;
      const writing = new Promise<void>((resolve) => (writes = resolve));
      store.failing.set("write", async (run) => {
        store.failing.clear();
        writes?.();
        await new Promise(setImmediate);
        return run();
      });
      const saved = sessionOf(ctx).set("cart", ["lamp"]).save();
      await writing;
      sessionOf(ctx).regenerate().set("user", "Ada");
      await saved;
    });
    const planted = (await app.request("/")).headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const response = await app.request("/login", { headers: { cookie: planted } });
    const [id] = response.headers.getSetCookie().map((line) => line.split(".")[0]);
    assert.deepEqual([id?.startsWith("__Host-session="), id === planted.split(".")[0], store.size], [true, false, 1]);
  });

  test("keeps the later of two simultaneous changes, and both cookies refer to it", async () => {
    const { store, client } = noting();
    await client.get("/login?user=Ada");
    const { jar } = client;
    // Neither writes before both have read.
    const reads: (() => void)[] = [];
    store.failing.set("read", async (read) => {
      const found = await read();
      await new Promise<void>((resolve) => reads.push(resolve) === 2 && reads.forEach((done) => done()));
      return found;
    });
    await Promise.all([client.get("/add?sku=lamp"), client.get("/add?sku=desk")]);
    store.failing.clear();
    client.jar = jar;
    const { cart } = await client.json("/read");
    assert.ok(["lamp", "desk"].includes(String(cart)), String(cart));
    assert.equal(store.size, 1);
  });

  test("can be changed while an event stream is open", async () => {
    const { client } = noting();
    await client.get("/login?user=Ada");
    assert.equal(await (await client.get("/late?sku=lamp")).response.text(), "data: saved\n\n");
    assert.deepEqual(await client.json("/read"), { user: "Ada", cart: ["lamp"], isNew: false });
  });

  test("does not exist when the store holds another value under its key", async () => {
    const { store, client } = noting();
    await client.get("/login?user=Ada");
    for (const odd of ["", "null", "[]", "{"]) {
      store.failing.set("read", () => Promise.resolve(odd));
      assert.deepEqual(await client.json("/read"), { user: null, cart: null, isNew: true }, odd);
    }
  });
});

describe("a store that fails", () => {
  for (const [how, [fail, reason]] of Object.entries({
    rejects: [down, "ECONNREFUSED"],
    hangs: [hang, "read of the session store took longer than 20 ms"],
    throws: [
      () => {
        throw new Error("x");
      },
      "x",
    ],
  } satisfies Record<string, readonly [() => Promise<never>, string]>)) {
    test(`SESSION-017: and ${how} makes requests with a session 503 in bounded time, and no others`, async () => {
      const { store, client } = noting({ storeTimeoutMs: 20 });
      await client.get("/login?user=Ada");
      const { jar } = client;
      for (const method of ["read", "write", "touch", "destroy"] as const) store.failing.set(method, fail);
      const outcomes: unknown[] = [];
      for (const [cookie, path] of [
        [jar, "/untouched"],
        ["", "/untouched"],
        ["", "/login?user=Bob"],
      ] as const) {
        client.jar = cookie;
        const { response, cookie: sent } = await client.get(path);
        outcomes.push([response.status, response.headers.get("retry-after"), sent]);
        if (response.status === 503)
          assert.equal(((await response.json()) as { detail: string }).detail, "sessions are not available now");
      }
      store.failing.delete("read");
      client.jar = jar;
      const { response, cookie: sent } = await client.get("/destroy");
      outcomes.push([response.status, response.headers.get("retry-after"), sent]);
      assert.deepEqual(outcomes, [
        [503, "5", undefined],
        [200, null, undefined],
        [503, "5", undefined],
        [503, "5", undefined],
      ]);
      assert.equal(client.sessions.faults, 3);
      assert.deepEqual(client.warnings, [
        `SessionMiddleware: its store failed: ${reason} (further faults are only counted)`,
      ]);
      store.failing.clear();
      client.jar = jar;
      assert.equal((await client.json("/read"))["user"], "Ada", "nothing was lost");
    });
  }

  test("SESSION-017: and hangs is named with the pending call", async () => {
    for (const [method, path] of [
      ["write", "/add?sku=lamp"],
      ["touch", "/untouched"],
      ["destroy", "/destroy"],
    ] as const) {
      const { store, client } = noting({ storeTimeoutMs: 20, idleMs: 1 << 30 });
      await client.get("/login?user=Ada");
      client.jar = client.jar.replace(/\.\w+$/, ".0");
      store.failing.set(method, hang);
      assert.equal((await client.get(path)).response.status, 503);
      assert.deepEqual(client.warnings, [
        `SessionMiddleware: its store failed: ${method} of the session store took longer than 20 ms (further faults are only counted)`,
      ]);
    }
  });

  test("SESSION-018: leaves clients without a session when configured, but ends none silently", async () => {
    const { store, client } = noting({ onStoreError: "continue" });
    await client.get("/login?user=Ada");
    const { jar } = client;
    store.failing.set("read", down);
    assert.deepEqual(await client.json("/read"), { user: null, cart: null, isNew: true });
    const statuses: unknown[] = [];
    for (const path of ["/add?sku=lamp", "/destroy", "/login?user=Bob"]) {
      const { response, cookie } = await client.get(path);
      statuses.push([response.status, cookie]);
    }
    store.failing.delete("read");
    store.failing.set("write", down).set("destroy", down);
    for (const path of ["/add?sku=lamp", "/destroy", "/login?user=Bob"]) {
      const { response, cookie } = await client.get(path);
      statuses.push([response.status, cookie]);
    }
    assert.deepEqual(statuses, [
      [200, undefined],
      [503, undefined],
      [503, undefined],
      [200, undefined],
      [503, undefined],
      [503, undefined],
    ]);
    assert.equal(client.jar, jar);
    assert.equal(client.sessions.faults, 7, "a session that was lost is one fault");
    store.failing.clear();
    assert.deepEqual(await client.json("/read"), { user: "Ada", cart: null, isNew: false });
  });

  test("SESSION-018: has changed nothing that it did not save, and is annotated so", async () => {
    const { app } = created();
    const store = new NotingStore();
    const outcomes: unknown[] = [];
    app.observe({ annotation: (_ctx, _name, value) => void outcomes.push((value as { outcome: unknown }).outcome) });
    app.use(new SessionMiddleware({ store, onStoreError: "continue" }));
    app.get("/", (ctx) => void sessionOf(ctx).set("user", "Ada"));
    store.failing.set("write", down);
    assert.equal((await app.request("/")).headers.get("set-cookie"), null);
    assert.deepEqual(outcomes, ["none"]);
  });

  test("is never mistaken for an empty store when it does not save", async () => {
    const { store, client } = noting();
    store.failing.set("write", () => Promise.resolve(false));
    assert.equal((await client.get("/login?user=Ada")).response.status, 503);
    assert.deepEqual(client.warnings, [
      "SessionMiddleware: its store failed: the session store did not create a new session (further faults are only counted)",
    ]);
  });
});

describe("MemorySessionStore", () => {
  afterEach(() => mock.timers.reset());
  const create = { ttlMs: 1_000, mode: "create" } as const;
  const update = { ttlMs: 1_000, mode: "update" } as const;

  test("creates only missing ones, and updates only existing ones", async () => {
    const store = new MemorySessionStore();
    assert.deepEqual(
      [
        await store.write("a", "1", update),
        await store.write("a", "1", create),
        await store.write("a", "2", create),
        await store.write("a", "3", update),
        await store.read("a"),
        await store.touch("b", 1),
        await store.destroy("a"),
        await store.read("a"),
      ],
      [false, true, false, true, "3", false, undefined, undefined],
    );
  });

  test("keeps at most maxSessions, the most recently used, without a timer", async () => {
    mock.timers.enable({ apis: ["Date"], now: 0 });
    const store = new MemorySessionStore({ maxSessions: 3 });
    for (const key of ["a", "b", "c"]) await store.write(key, key, create);
    await store.touch("a", 1_000);
    await store.write("d", "d", create);
    assert.deepEqual([await store.read("b"), await store.read("a"), store.size], [undefined, "a", 3]);
    mock.timers.tick(1_000);
    assert.deepEqual(
      [await store.read("a"), await store.write("c", "c", update), await store.touch("d", 1)],
      [undefined, false, false],
    );
    const many = new MemorySessionStore();
    for (let at = 0; at < 500; at += 1) await many.write(`old ${at}`, "x", create);
    mock.timers.tick(1_000);
    await many.write("new 0", "x", create);
    assert.equal(many.size, 499, "a write looks at the two oldest");
    for (let at = 1; at < 500; at += 1) await many.write(`new ${at}`, "x", create);
    assert.equal(many.size, 500);
  });

  test("rejects an invalid bound", () => {
    for (const maxSessions of [0, -1, 1.5, Number.NaN, "5"])
      assert.throws(() => new MemorySessionStore({ maxSessions: maxSessions as number }), {
        code: "CONFIG_INVALID",
        message: `maxSessions of MemorySessionStore is ${maxSessions}: a whole number from 1 is allowed`,
      });
    assert.doesNotThrow(() => new MemorySessionStore({ maxSessions: 1 }));
  });
});
