/** Responses that are sent again: what is stored, for whom, and for how long (CACHE). */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";
import { type Context, Framework, HttpError, RequestIdMiddleware } from "framework";
import { MemoryBroadcast } from "../broadcast/index.ts";
import { CacheMiddleware, type CacheOptions, type CacheStore, cacheTags, MemoryCacheStore } from "./index.ts";

type Handler = (ctx: Context, run: number) => unknown;

/** An app with a cache, whose handlers count their runs. */
function cached(handler: Handler, options: CacheOptions = {}) {
  const runs = { count: 0 };
  const seen: unknown[] = [];
  const cache = new CacheMiddleware(options);
  const app = Framework.create({ logger: { warn: () => undefined, error: () => undefined } })
    .observe({ annotation: (_, name, value) => name === "cache" && seen.push((value as { outcome: string }).outcome) })
    .use(new RequestIdMiddleware())
    .use(cache);
  const run = (ctx: Context): unknown => handler(ctx, (runs.count += 1));
  app.get("/a", run).get("/b", run).query("/a", run).post("/a", run).put("/b", run);
  const get = (target = "/a", init: RequestInit = {}): Promise<Response> => app.request(target, init);
  /** The body, and what the cache says. */
  const ask = async (
    target = "/a",
    headers: Record<string, string> = {},
    init: RequestInit = {},
  ): Promise<unknown[]> => {
    const response = await get(target, { ...init, headers });
    return [await response.text(), response.headers.get("cache-status")?.replace(/; ttl=.*/, "")];
  };
  return { app, cache, runs, seen, get, ask };
}
const fresh =
  (value = "max-age=60"): Handler =>
  (ctx, run) =>
    ctx.setHeader("Cache-Control", value).text(String(run));
const hit = "framework; hit";
const miss = "framework; fwd=uri-miss; fwd-status=200; stored";
const settle = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 5));

beforeEach(() => mock.timers.enable({ apis: ["Date"], now: 1_800_000_000_000 }));
afterEach(() => mock.timers.reset());
const later = (seconds: number): void => mock.timers.setTime(Date.now() + seconds * 1_000);

describe("CacheMiddleware", () => {
  test("sends a fresh response again with its age, to HEAD too, and makes it again when it is stale", async () => {
    const { ask, get, seen } = cached(fresh());
    assert.deepEqual(
      [await ask(), await ask()],
      [
        ["1", miss],
        ["1", hit],
      ],
    );
    later(10);
    const head = await get("/a", { method: "HEAD" });
    assert.deepEqual(
      [
        head.headers.get("age"),
        head.headers.get("content-length"),
        head.headers.get("cache-status"),
        await head.text(),
      ],
      ["10", "1", "framework; hit; ttl=50", ""],
    );
    assert.equal(head.headers.get("date"), new Date(1_800_000_000_000).toUTCString());
    later(50);
    assert.deepEqual(await ask(), ["2", "framework; fwd=stale; fwd-status=200; stored"]);
    assert.deepEqual(seen, ["miss", "hit", "hit", "miss"]);
  });

  test("stores nothing that is of one client, or that says so", async () => {
    const handlers: Record<string, Handler> = {
      private: fresh("private, max-age=60"),
      "no-store": fresh("no-store, max-age=60"),
      "without a lifetime": (ctx) => ctx.text("1"),
      "Vary: *": (ctx, run) => (fresh()(ctx, run), ctx.setHeader("Vary", "Accept, *")),
      cookie: (ctx, run) => (ctx.setCookie("a", "b"), fresh("public, max-age=60")(ctx, run)),
      "must-understand": (ctx, run) => (ctx.status(299), fresh("max-age=60, must-understand")(ctx, run)),
      events: (ctx, run) => (ctx.setHeader("Content-Type", "text/event-stream"), fresh()(ctx, run)),
    };
    for (const [name, handler] of Object.entries(handlers)) {
      const { get, runs } = cached(handler);
      for (let at = 0; at < 2; at += 1) await (await get()).text();
      assert.equal(runs.count, 2, name);
    }
    const named = cached((ctx, run) => (ctx.setCookie("a", "b"), fresh('max-age=60, no-cache="Set-Cookie"')(ctx, run)));
    await named.get();
    const second = await named.get();
    assert.deepEqual([await second.text(), second.headers.get("set-cookie")], ["1", null]);
  });

  test("gives a response to a request with credentials only to others if it is public", async () => {
    for (const [value, count] of [
      ["max-age=60", 2],
      ["max-age=60, public", 1],
      ["s-maxage=60", 1],
      ["max-age=60, must-revalidate", 1],
    ] as const) {
      const { ask, runs } = cached(fresh(value));
      await ask("/a", { Authorization: "Bearer a" });
      await ask("/a", { Authorization: "Bearer b" });
      assert.equal(runs.count, count, value);
    }
  });

  test("keeps hosts, targets, the app's own part and what Vary names apart, however their texts join", async () => {
    const vary = cached((ctx, run) => fresh()(ctx.vary("X-A").vary("X-B"), run), {
      key: (ctx) => ctx.header("x-tenant"),
    });
    const requests = [
      ["http://one.example/a", {}],
      ["http://two.example/a", {}],
      ["http://one.example/a?", {}],
      ["http://one.example/a?a", {}],
      ["http://one.example/b", {}],
      ["http://one.example/a", { "x-tenant": "t" }],
      ["http://one.example/a", { "x-a": "1" }],
      ["http://one.example/a", { "x-b": "1" }],
      ["http://one.example/a", { "x-a": "1,x-b", "x-b": "" }],
      ["http://one.example/a", { "x-a": "1", "x-b": "1" }],
    ] as const;
    for (const pass of [1, 2])
      for (const [at, [target, headers]] of requests.entries())
        assert.equal((await vary.ask(target, headers))[0], String(at + 1), `${pass} ${target}`);
    assert.equal((await vary.ask("http://one.example/a", { "x-a": " 1 " }))[0], "7");
    const varied = cached((ctx, run) => fresh()(ctx.vary("X-A"), run));
    for (let at = 0; at < 70; at += 1) await varied.ask("/a", { "x-a": String(at) });
    // More variants than the bound: the earlier ones are forgotten, and not kept for ever.
    assert.deepEqual(
      [(await varied.ask("/a", { "x-a": "0" }))[0], (await varied.ask("/a", { "x-a": "69" }))[0]],
      ["71", "70"],
    );
  });

  test("keeps fields of middleware outside with their own request", async () => {
    const { get } = cached(fresh());
    const ids = [(await get()).headers.get("x-request-id"), (await get()).headers.get("x-request-id")];
    assert.ok(ids[0] !== null && ids[1] !== null && ids[0] !== ids[1], String(ids));
  });

  test("stores a stream at its end, and no body over the bound", async () => {
    const streamed = cached(
      (ctx, run) => {
        ctx.setHeader("Cache-Control", "max-age=60");
        return (async function* () {
          yield String(run);
          yield new Uint8Array(run === 1 ? 2 : 2_000);
        })();
      },
      { maxBodyBytes: 1_000 },
    );
    for (const at of [1, 2]) assert.equal((await (await streamed.get()).arrayBuffer()).byteLength, 3, String(at));
    assert.equal(streamed.runs.count, 1);
    for (const at of [2, 3])
      assert.equal((await (await streamed.get("/b")).arrayBuffer()).byteLength, 2_001, String(at));
    const large = cached((ctx) => ctx.setHeader("Cache-Control", "max-age=60").text("x".repeat(2_000)), {
      maxBodyBytes: 1_000,
    });
    for (let at = 0; at < 2; at += 1) await large.get();
    assert.equal(large.runs.count, 2);
  });

  test("responds to conditions and ranges from what it has stored", async () => {
    const { get, runs } = cached((ctx) =>
      ctx
        .setHeader("Cache-Control", "max-age=60")
        .setHeader("ETag", '"1"')
        .setHeader("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT")
        .text("0123456789"),
    );
    // The first one too: the handler sees no condition, so that its response can be stored.
    const asked = async (headers: Record<string, string>): Promise<unknown[]> => {
      const response = await get("/a", { headers });
      return [response.status, await response.text(), response.headers.get("content-range")];
    };
    const whole = [200, "0123456789", null];
    for (const [headers, expected] of [
      [{ "if-none-match": '"1"' }, [304, "", null]],
      [{ "if-none-match": '"2", W/"1"' }, [304, "", null]],
      [{ "if-none-match": '"2"' }, whole],
      [{ "if-modified-since": "Mon, 01 Jan 2024 00:00:00 GMT" }, [304, "", null]],
      [{ range: "bytes=2-4" }, [206, "234", "bytes 2-4/10"]],
      [{ range: "bytes=8-" }, [206, "89", "bytes 8-9/10"]],
      [{ range: "bytes=-3" }, [206, "789", "bytes 7-9/10"]],
      [{ range: "bytes=-99" }, [206, "0123456789", "bytes 0-9/10"]],
      [{ range: "bytes=0-99" }, [206, "0123456789", "bytes 0-9/10"]],
      [{ range: "bytes=10-" }, [416, "", "bytes */10"]],
      [{ range: "bytes=-0" }, [416, "", "bytes */10"]],
      [{ range: "bytes=4-2" }, whole],
      [{ range: "bytes=1-2,4-5" }, whole],
      [{ range: "lines=1-2" }, whole],
      [{ range: "bytes=1-2", "if-range": '"1"' }, [206, "12", "bytes 1-2/10"]],
      [{ range: "bytes=1-2", "if-range": 'W/"1"' }, whole],
      [{ range: "bytes=1-2", "if-range": "Mon, 01 Jan 2024 00:00:00 GMT" }, [206, "12", "bytes 1-2/10"]],
    ] as const)
      assert.deepEqual(await asked(headers as never), expected, JSON.stringify(headers));
    assert.equal(runs.count, 1);
    // A precondition is the handler's to judge.
    assert.equal((await get("/a", { headers: { "if-match": '"2"' } })).status, 200);
    assert.equal(runs.count, 2);
  });

  test("asks the handler whether a stale response is still right", async () => {
    const conditions: unknown[] = [];
    const { get, ask } = cached((ctx, run) => {
      conditions.push([ctx.header("if-none-match"), [...ctx.requestHeaders()].filter(([name]) => /^if-/i.test(name))]);
      ctx.setHeader("Cache-Control", "max-age=10").setHeader("ETag", '"1"').setHeader("X-Run", String(run));
      return run === 2 ? ctx.reply(304) : ctx.text(`body ${run}`);
    });
    await ask();
    later(10);
    const response = await get("/a", { headers: { "if-none-match": '"0"' } });
    assert.deepEqual(
      [response.status, await response.text(), response.headers.get("x-run"), response.headers.get("cache-status")],
      [200, "body 1", "2", "framework; fwd=stale; fwd-status=304; stored"],
    );
    assert.deepEqual(conditions, [
      [undefined, []],
      ['"1"', [["if-none-match", '"1"']]],
    ]);
    assert.deepEqual(await ask(), ["body 1", hit]);
    later(10);
    assert.deepEqual((await ask())[0], "body 3");
  });

  test("sends a stale response while it is made again, and when that fails, each in its time", async () => {
    const { ask, runs, seen } = cached(fresh("max-age=10, stale-while-revalidate=10"));
    await ask();
    later(15);
    assert.deepEqual(await ask(), ["1", "framework; hit; detail=stale-while-revalidate"]);
    while (runs.count < 2) await settle();
    await settle();
    assert.deepEqual([await ask(), seen.includes("stale")], [["2", hit], true]);
    later(20);
    assert.equal((await ask())[0], "3");

    const failing = cached((ctx, run) => {
      if (run > 1) throw new HttpError(503, "away");
      return fresh("max-age=10, stale-if-error=20")(ctx, run);
    });
    await failing.ask();
    later(15);
    assert.deepEqual(await failing.ask(), ["1", "framework; hit; detail=stale-if-error"]);
    later(20);
    assert.equal((await failing.get()).status, 503);
  });

  test("never sends a stale response that must be revalidated, or whose clock was set back", async () => {
    const strict = cached(fresh("max-age=10, must-revalidate, stale-while-revalidate=100, stale-if-error=100"));
    await strict.ask();
    later(11);
    assert.equal((await strict.ask())[0], "2");
    const { ask } = cached(fresh());
    await ask();
    mock.timers.setTime(Date.now() - 3_600_000);
    assert.equal((await ask())[0], "2");
  });

  test("obeys the request's directives, or ignores them", async () => {
    const { ask, get, runs } = cached(fresh());
    const failed = await get("/a", { headers: { "cache-control": "only-if-cached" } });
    assert.deepEqual([failed.status, runs.count], [504, 0]);
    await ask();
    later(10);
    for (const [value, body] of [
      ["max-age=20", "1"],
      ["min-fresh=40", "1"],
      ["max-age=5", "2"],
      ["min-fresh=100", "3"],
      ["no-cache", "4"],
      ["only-if-cached", "4"],
    ] as const)
      assert.equal((await ask("/a", { "cache-control": value }))[0], body, value);
    assert.equal((await ask("/a", { pragma: "no-cache" }))[0], "5");
    const ignoring = cached(fresh(), { requestDirectives: "ignore" });
    await ignoring.ask();
    assert.equal((await ignoring.ask("/a", { "cache-control": "no-cache" }))[0], "1");
  });

  test("makes a response once for all that want it at the same time, and lets those go whose response cannot be stored", async () => {
    let finish = (): void => undefined;
    const waiting: (() => void)[] = [];
    const slow: Handler = async (ctx, run) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        finish = () => waiting.forEach((one) => one());
      });
      return fresh()(ctx, run);
    };
    const { ask, runs } = cached(slow);
    const all = Promise.all(Array.from({ length: 100 }, () => ask()));
    await settle();
    assert.equal(runs.count, 1);
    finish();
    assert.deepEqual(new Set((await all).map(([body]) => body)), new Set(["1"]));

    waiting.length = 0;
    const own = cached(async (ctx, run) => (await slow(ctx, run), ctx.setHeader("Cache-Control", "private")));
    const first = own.ask();
    const others = [own.ask(), own.ask()];
    await settle();
    assert.equal(own.runs.count, 1);
    finish();
    await first;
    while (own.runs.count < 3) await settle();
    finish();
    await Promise.all(others);
    const next = [own.ask(), own.ask()];
    while (own.runs.count < 5) await settle();
    finish();
    await Promise.all(next);

    const late = cached(slow, { waitMs: 10 });
    waiting.length = 0;
    const both = [late.ask(), late.ask()];
    while (late.runs.count < 2) await settle();
    finish();
    await Promise.all(both);
  });

  test("forgets a target after a method that may have changed it, and what its response names", async () => {
    const handler: Handler = (ctx, run) => {
      if (ctx.method === "GET") return fresh()(ctx, run);
      if (ctx.queryParam("fail") !== undefined) throw new HttpError(409, "no");
      return ctx.setHeader("Location", ctx.queryParam("to") ?? "/none").text("done");
    };
    const { ask, get } = cached(handler);
    const bodies = async (): Promise<unknown[]> => [(await ask("/a"))[0], (await ask("/b"))[0]];
    assert.deepEqual(await bodies(), ["1", "2"]);
    await get("/a?fail", { method: "POST" });
    await get("/a?to=http://other.example/b", { method: "POST" });
    assert.deepEqual(await bodies(), ["1", "2"]);
    await get("/a", { method: "POST" });
    assert.deepEqual(await bodies(), ["6", "2"]);
    await get("/a?to=/b", { method: "POST" });
    assert.deepEqual(await bodies(), ["6", "8"]);
    await get("/b", { method: "PUT" });
    assert.deepEqual(await bodies(), ["6", "10"]);
  });

  test("goes on without its store, and counts that", async () => {
    const failing: CacheStore = {
      read: () => Promise.reject(new Error("away")),
      write: () => Promise.reject(new Error("away")),
      remove: () => Promise.reject(new Error("away")),
    };
    const { ask, get, cache } = cached(fresh(), { store: failing });
    assert.deepEqual(
      [await ask(), await ask()],
      [
        ["1", "framework; fwd=bypass"],
        ["2", "framework; fwd=bypass"],
      ],
    );
    await get("/a", { method: "POST" });
    assert.equal(cache.faults, 3);
    const hanging = cached(fresh(), {
      store: { ...failing, read: () => new Promise(() => undefined) },
      storeTimeoutMs: 10,
      status: false,
    });
    assert.deepEqual(await hanging.ask(), ["1", undefined]);
    await assert.rejects(cache.purge({ all: true }), { message: "away" });
  });

  test("uses its targeted field, a tenth of the time since the last change, and the age of caches before it, when it is told to", async () => {
    const targeted = cached(
      (ctx, run) =>
        ctx.setHeader("Shop-Cache-Control", "max-age=60").setHeader("Cache-Control", "no-store").text(String(run)),
      { target: "Shop-Cache-Control" },
    );
    await targeted.ask();
    assert.equal((await targeted.ask())[0], "1");
    const old: Handler = (ctx, run) =>
      ctx.setHeader("Last-Modified", new Date(Date.now() - 1_000_000).toUTCString()).text(String(run));
    for (const [heuristic, count] of [
      [true, 1],
      [false, 2],
    ] as const) {
      const { ask, runs } = cached(old, { heuristic });
      await ask();
      later(50);
      await ask();
      assert.equal(runs.count, count);
    }
    const aged = cached((ctx, run) => fresh()(ctx.setHeader("Age", "50"), run));
    await aged.ask();
    later(9);
    assert.equal((await aged.ask())[0], "1");
    later(1);
    assert.equal((await aged.ask())[0], "2");
  });

  test("names the invalid option", () => {
    for (const options of [
      { store: {} },
      { key: "a" },
      { query: 1 },
      { heuristic: 1 },
      { target: "a b" },
      { requestDirectives: "no" },
      { broadcast: {} },
      { status: "a b" },
      { maxBodyBytes: 0 },
      { waitMs: 1.5 },
      { unknown: 1 },
    ])
      assert.throws(() => new CacheMiddleware(options as never), { code: "CACHE" });
    assert.throws(() => new MemoryCacheStore({ maxBytes: 0 }), { code: "CACHE" });
  });
});

describe("QUERY", () => {
  const query = (app: ReturnType<typeof cached>, body: string, type = "application/json"): Promise<unknown[]> =>
    app.ask("/a", { "content-type": type }, { method: "QUERY", body });

  test("has its body in the key: JSON in one spelling, anything else byte by byte", async () => {
    const app = cached(fresh());
    const distinct: readonly (readonly [body: string, type?: string])[] = [
      ['{"a":1,"b":[1,2]}'],
      ['{"a":1,"b":[2,1]}'],
      ['{"a":"1","b":[1,2]}'],
      ['{"a":{"b":1}}'],
      ['{"a":9007199254740993}'],
      ['{"a":9007199254740992}'],
      ['{"a":1,"a":2}'],
      ['{"a":2}'],
      ["{"],
      ['{"a":1,"b":[1,2]}', "text/plain"],
      ['{ "a":1,"b":[1,2]}', "text/plain"],
      ['{"a":1,"b":[1,2]}', "application/json; charset=utf-16"],
      ['{"a":1,"b":[1,2]}', "application/x+json"],
    ];
    for (let pass = 0; pass < 2; pass += 1)
      for (const [at, [body, type]] of distinct.entries())
        assert.equal((await query(app, body, type))[0], String(at + 1), `${body} ${type}`);
    assert.equal((await query(app, ' { "b": [1, 2], "a": 1.0 } '))[0], "1");
    assert.equal((await query(app, '{"a":1,"b":[1,2]}', "Application/JSON;charset=UTF-8"))[0], "1");
    assert.equal((await app.ask())[0], String(distinct.length + 1));
  });

  test("has the meaning that the app gives to it, and is made again in the background with its body", async () => {
    const bodies: unknown[] = [];
    const app = cached(
      async (ctx, run) => {
        bodies.push(await ctx.body());
        return fresh("max-age=10, stale-while-revalidate=60")(ctx, run);
      },
      { query: async (ctx) => ({ limit: 10, ...((await ctx.body()) as object) }) },
    );
    assert.deepEqual(
      [await query(app, "{}"), await query(app, '{"limit":10}')],
      [
        ["1", miss],
        ["1", hit],
      ],
    );
    assert.equal((await query(app, '{"limit":11}'))[0], "2");
    later(20);
    assert.equal((await query(app, '{"limit":11}'))[0], "2");
    while (app.runs.count < 3) await settle();
    await settle();
    assert.deepEqual([(await query(app, '{"limit":11}'))[0], bodies], ["3", [{}, { limit: 11 }, { limit: 11 }]]);
  });

  test("is forgotten with its target", async () => {
    const app = cached((ctx, run) => (ctx.method === "POST" ? "done" : fresh()(ctx, run)));
    await query(app, "{}");
    await app.get("/a", { method: "POST" });
    assert.equal((await query(app, "{}"))[0], "3");
  });
});

describe("purge", () => {
  const tagged: Handler = (ctx, run) => {
    cacheTags(ctx, "all", ctx.path.slice(1));
    return fresh()(ctx, run);
  };

  test("forgets the responses with a tag, of a URL, or all", async () => {
    const { ask, cache } = cached(tagged);
    const bodies = async (): Promise<unknown[]> => [(await ask("/a"))[0], (await ask("/b"))[0], (await ask("/a?x"))[0]];
    assert.deepEqual(await bodies(), ["1", "2", "3"]);
    await cache.purge({ tags: ["a"] });
    assert.deepEqual(await bodies(), ["4", "2", "5"]);
    await cache.purge({ tags: ["unknown"] });
    await cache.purge({ url: "http://localhost/b" });
    assert.deepEqual(await bodies(), ["4", "6", "5"]);
    await cache.purge({ tags: ["all"] });
    assert.deepEqual(await bodies(), ["7", "8", "9"]);
    await cache.purge({ all: true });
    assert.deepEqual(await bodies(), ["10", "11", "12"]);
    await cache.purge({});
    assert.deepEqual(await bodies(), ["10", "11", "12"]);
  });

  test("keeps a response from being stored that was made before it", async () => {
    for (const what of [{ tags: ["a"] }, { url: "http://localhost/a" }, { all: true }]) {
      let finish = (): void => undefined;
      const { ask, runs, cache } = cached(async (ctx, run) => {
        cacheTags(ctx, "a");
        if (run === 1) await new Promise<void>((resolve) => (finish = resolve));
        return fresh()(ctx, run);
      });
      const before = ask();
      while (runs.count < 1) await settle();
      await cache.purge(what);
      finish();
      assert.deepEqual([(await before)[0], (await ask())[0], (await ask())[0]], ["1", "2", "2"]);
    }
  });

  test("reaches other processes over a broadcast, also that of a changed target", async () => {
    const broadcast = new MemoryBroadcast();
    const apps = [cached(tagged, { broadcast }), cached(tagged, { broadcast })];
    const [one, two] = apps as [ReturnType<typeof cached>, ReturnType<typeof cached>];
    const both = async (): Promise<unknown[]> => [(await one.ask())[0], (await two.ask())[0]];
    assert.deepEqual(await both(), ["1", "1"]);
    await one.cache.purge({ tags: ["a"] });
    await settle();
    assert.deepEqual(await both(), ["2", "2"]);
    await two.get("/a", { method: "POST" });
    await settle();
    assert.deepEqual(await both(), ["3", "4"]);
    await broadcast.publish("framework cache", "no JSON");
    await settle();
    assert.equal(one.cache.faults, 1);
    await Promise.all(apps.map(({ app }) => app.stop()));
  });

  test("rejects what is no tag, and no URL", async () => {
    const { cache, get } = cached((ctx) => {
      cacheTags(ctx, ...Array.from({ length: 33 }, (_, at) => String(at)));
    });
    for (const what of [
      { tags: [""] },
      { tags: ["*"] },
      { tags: ["x".repeat(129)] },
      { url: "/a" },
      { url: "ftp://a/" },
    ])
      await assert.rejects(cache.purge(what), { code: "CACHE" });
    assert.equal((await get()).status, 500);
  });
});
