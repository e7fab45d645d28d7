import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Context, Framework } from "framework";
import { MemoryRateLimitStore, RateLimitMiddleware, type RateLimitOptions, type RateLimitStore } from "./index.ts";

/** An app with one limit, and its warnings. */
function limited(options: Partial<RateLimitOptions>): {
  readonly middleware: RateLimitMiddleware;
  readonly warnings: string[];
  /** Its annotations for observers. */
  readonly annotations: (readonly [name: string, value: unknown])[];
  ask(address?: string, headers?: Record<string, string>): Promise<Response>;
} {
  const warnings: string[] = [];
  const logger = { warn: (line: string) => void warnings.push(line), error: () => undefined };
  const middleware = new RateLimitMiddleware({ limit: 2, windowMs: 60_000, ...options });
  const annotations: (readonly [name: string, value: unknown])[] = [];
  const app = Framework.create({ logger })
    .observe({ annotation: (_ctx, name, value) => void annotations.push([name, value]) })
    .use(middleware)
    .get("/", () => "hello");
  const ask = async (address = "192.0.2.1", headers: Record<string, string> = {}): Promise<Response> =>
    app.fetch(new Request("http://localhost/", { headers }), ...(address === "" ? [] : [{ peerAddress: address }]));
  return { middleware, warnings, annotations, ask };
}

const fields = ({ status, headers }: Response): unknown => [
  status,
  headers.get("RateLimit-Policy"),
  headers.get("RateLimit"),
  headers.get("Retry-After"),
];

const statuses = async (times: number, ask: () => Promise<Response>): Promise<number[]> => {
  const seen: number[] = [];
  for (let count = 0; count < times; count += 1) seen.push((await ask()).status);
  return seen;
};

describe("RateLimitMiddleware", () => {
  test("sends the remaining tokens on each response, and when to retry on a 429", async () => {
    const { ask } = limited({ store: new MemoryRateLimitStore({ now: () => 0 }) });
    const seen = [await ask(), await ask(), await ask()];
    assert.deepEqual(seen.map(fields), [
      [200, '"default";q=2;w=60', '"default";r=1;t=30', null],
      [200, '"default";q=2;w=60', '"default";r=0;t=60', null],
      [429, '"default";q=2;w=60', '"default";r=0;t=60', "30"],
    ]);
    assert.deepEqual(await seen[2]?.json(), {
      type: "about:blank",
      title: "Too Many Requests",
      status: 429,
      detail: "more than 2 requests in 60 s: try again in 30 s",
    });
  });

  test("RATE-002: rounds Retry-After up to whole seconds, so that a token is there by then", async () => {
    let now = 0;
    const { ask } = limited({ limit: 1, store: new MemoryRateLimitStore({ now: () => now }) });
    const seen: unknown[] = [];
    for (now of [0, 500, 1_000, 58_999, 59_999]) seen.push((await ask()).headers.get("Retry-After"));
    assert.deepEqual(seen, [null, "60", "59", "2", "1"]);
  });

  test("counts by address, by the first 64 bits for IPv6", async () => {
    const { ask } = limited({ limit: 1 });
    const seen: number[] = [];
    for (const address of ["192.0.2.1", "192.0.2.2", "192.0.2.1", "2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"])
      seen.push((await ask(address)).status);
    assert.deepEqual(seen, [200, 200, 429, 200, 429, 200]);
  });

  test("gives all clients one bucket when the platform provides no address, and warns once", async () => {
    const { ask, warnings } = limited({ limit: 1 });
    assert.deepEqual(await statuses(2, () => ask("")), [200, 429]);
    assert.deepEqual(warnings, [
      "RateLimitMiddleware: this platform does not tell who its clients are, so all share one bucket: give it a `key`",
    ]);
  });

  test("RATE-020: reports the bucket of a request and its remaining tokens to observers", async () => {
    const store = new MemoryRateLimitStore({ now: () => 0 });
    const { ask, annotations } = limited({ limit: 1, policyName: "login", store });
    for (const address of ["192.0.2.1", "192.0.2.1", ""]) await ask(address);
    const bucket = { policy: "login", limit: 1, windowMs: 60_000, burst: 1, key: "192.0.2.1" };
    const taken = { allowed: true, remaining: 0, resetMs: 60_000, retryMs: 0 };
    assert.deepEqual(annotations, [
      ["rateLimit", { ...bucket, ...taken }],
      ["rateLimit", { ...bucket, ...taken, allowed: false, retryMs: 60_000 }],
      ["rateLimit", { ...bucket, ...taken, key: "unknown" }],
    ]);
  });

  test("adds a member for each of several policies", async () => {
    const store = new MemoryRateLimitStore({ now: () => 0 });
    const app = Framework.create()
      .use(new RateLimitMiddleware({ limit: 10, windowMs: 1_000, policyName: "burst", store }))
      .group("/api", (api) =>
        api
          .use(new RateLimitMiddleware({ limit: 100, windowMs: 90_500, policyName: "day/1", burst: 2, store }))
          .get("/", () => "hello"),
      );
    const response = await app.fetch(new Request("http://localhost/api/"), { peerAddress: "192.0.2.1" });
    assert.deepEqual(fields(response), [
      200,
      '"burst";q=10;w=1, "day/1";q=100;w=91',
      '"burst";r=9;t=1, "day/1";r=1;t=1',
      null,
    ]);
  });

  test("allows or responds with 503 when the store fails, throws or is late", async () => {
    const stores: Readonly<Record<string, RateLimitStore>> = {
      rejects: { take: () => Promise.reject(new Error("down")) },
      throws: {
        take: () => {
          throw new Error("down");
        },
      },
      hangs: { take: () => new Promise(() => undefined) },
      "returns something else": { take: () => 42 as never },
    };
    const reasons = ["down", "down", "it did not reply within 5 ms"];
    for (const [at, [name, store]] of Object.entries(stores).entries()) {
      const open = limited({ store, storeTimeoutMs: 5 });
      assert.deepEqual(fields(await open.ask()), [200, '"default";q=2;w=60', null, null], name);
      const closed = limited({ store, storeTimeoutMs: 5, onStoreError: "closed" });
      const response = await closed.ask();
      assert.deepEqual(fields(response), [503, '"default";q=2;w=60', null, "1"], name);
      const { detail } = (await response.json()) as { detail: string };
      assert.equal(detail, "it is not known how often you have asked");
      const reason = reasons[at] ?? "it returned no allowed, remaining, resetMs and retryMs";
      assert.deepEqual(closed.warnings, [
        `RateLimitMiddleware "default": requests get 503: its store failed: ${reason} (further faults are only counted)`,
      ]);
    }
  });

  test("accepts a thenable of a store as a promise", async () => {
    const taken = { allowed: true, remaining: 1, resetMs: 30_000, retryMs: 0 };
    const thenable = { then: (resolve: (value: unknown) => void) => resolve(taken) };
    const { ask, middleware } = limited({ store: { take: () => thenable as never } });
    assert.deepEqual(fields(await ask()), [200, '"default";q=2;w=60', '"default";r=1;t=30', null]);
    assert.equal(middleware.faults, 0);
  });

  test("counts faults and logs the first", async () => {
    const { ask, middleware, warnings } = limited({
      store: { take: () => new Promise(() => undefined) },
      storeTimeoutMs: 2,
      key: () => {
        throw new Error("no session");
      },
    });
    await ask();
    await ask();
    assert.equal(middleware.faults, 4);
    assert.deepEqual(warnings, [
      "RateLimitMiddleware: key, cost or skip failed: no session (further faults are only counted)",
      'RateLimitMiddleware "default": requests are not limited: its store failed: it did not reply within 2 ms (further faults are only counted)',
    ]);
  });

  test("counts a skip that rejects, and a store that returns invalid numbers", async () => {
    const rejecting = limited({ skip: (() => Promise.reject(new Error("no flags"))) as never });
    assert.equal((await rejecting.ask()).status, 200);
    assert.equal(rejecting.middleware.faults, 1);
    const taken = { allowed: false, remaining: 0, resetMs: 0, retryMs: 0 };
    for (const wrong of [
      null,
      undefined,
      "taken",
      {},
      { ...taken, allowed: 0 },
      { ...taken, remaining: "1" },
      { ...taken, resetMs: Number.NaN },
      { ...taken, retryMs: Infinity },
    ]) {
      const odd = limited({ store: { take: () => wrong as never } });
      assert.deepEqual(fields(await odd.ask()), [200, '"default";q=2;w=60', null, null]);
      assert.deepEqual(odd.warnings, [
        'RateLimitMiddleware "default": requests are not limited: its store failed: it returned no allowed, remaining, resetMs and retryMs (further faults are only counted)',
      ]);
    }
  });

  test("sends Retry-After in whole seconds, at least one and rounded up, but ignores rounding errors", async () => {
    const taken = { allowed: false, remaining: 0, resetMs: 20_000.000_001, retryMs: 0.5 };
    const { ask } = limited({ store: { take: () => taken } });
    assert.deepEqual(fields(await ask()), [429, '"default";q=2;w=60', '"default";r=0;t=20', "1"]);
    for (const [retryMs, seconds] of [
      [0.000_1, "1"],
      [1_000.000_1, "1"],
      [1_001, "2"],
      [1_999, "2"],
    ] as const) {
      const later = limited({ store: { take: () => ({ ...taken, retryMs }) } });
      assert.equal((await later.ask()).headers.get("Retry-After"), seconds, `${retryMs} ms`);
    }
  });

  test("limits by the address, with one token, when key or cost fails", async () => {
    const failed = (fault: string): string[] => [
      `RateLimitMiddleware: key, cost or skip failed: ${fault} (further faults are only counted)`,
    ];
    const throwing = (): never => {
      throw new Error("thrown");
    };
    const late = (): Promise<never> => Promise.reject(new Error("late"));
    const wrong: readonly (readonly [key: () => unknown, given: string, faults: number])[] = [
      [() => "", "a text of 0 characters", 3],
      [() => 7, "number", 3],
      [() => null, "object", 3],
      [() => "x".repeat(513), "a text of 513 characters", 3],
      [() => Promise.resolve(7), "number", 3],
    ];
    for (const [key, given, faults] of wrong) {
      const { ask, middleware, warnings } = limited({ key: key as (ctx: Context) => string });
      assert.deepEqual([await statuses(3, ask), middleware.faults], [[200, 200, 429], faults]);
      assert.deepEqual(warnings, failed(`key returned ${given}: undefined or 1 to 512 characters are allowed`));
    }
    const costs: readonly (readonly [cost: () => unknown, given: string, faults: number])[] = [
      [() => Number.NaN, "NaN", 3],
      [() => -1, "-1", 3],
      [() => "1", "1", 3],
      [late, "[object Promise]", 6],
    ];
    for (const [cost, given, faults] of costs) {
      const { ask, middleware, warnings } = limited({ cost: cost as (ctx: Context) => number });
      assert.deepEqual([await statuses(3, ask), middleware.faults], [[200, 200, 429], faults]);
      assert.deepEqual(warnings, failed(`cost returned ${given}: a number from 0 on is allowed`));
    }
    const rejecting = limited({ key: late });
    assert.deepEqual([await statuses(3, rejecting.ask), rejecting.middleware.faults], [[200, 200, 429], 3]);
    assert.deepEqual(rejecting.warnings, failed("late"));
    const hanging = limited({ key: () => new Promise<string>(() => undefined), storeTimeoutMs: 2 });
    assert.deepEqual([await statuses(3, hanging.ask), hanging.middleware.faults], [[200, 200, 429], 3]);
    assert.deepEqual(hanging.warnings, failed("key did not settle within 2 ms"));
    for (const options of [{ key: throwing }, { cost: throwing }]) {
      const { ask, middleware, warnings } = limited(options);
      assert.deepEqual([await statuses(3, ask), middleware.faults], [[200, 200, 429], 3]);
      assert.deepEqual(warnings, failed("thrown"));
    }
    const free = limited({ cost: () => 0, key: () => "x".repeat(512) });
    assert.deepEqual([await statuses(3, free.ask), free.middleware.faults], [[200, 200, 200], 0]);
  });

  test("accepts a promise of a key, and of undefined", async () => {
    const { ask, middleware } = limited({ limit: 1, key: async (ctx) => ctx.header("x-user") });
    const statusOf = async (user?: string): Promise<number> =>
      (await ask("192.0.2.1", user === undefined ? {} : { "X-User": user })).status;
    assert.deepEqual(
      [await statusOf("a"), await statusOf("a"), await statusOf("b"), await statusOf(), await statusOf()],
      [200, 429, 200, 200, 200],
    );
    assert.equal(middleware.faults, 0);
  });

  test("does not limit requests that skip or key exempts", async () => {
    const skipping = limited({ limit: 1, skip: (ctx) => ctx.header("x-staff") === "yes" });
    assert.deepEqual(await statuses(3, () => skipping.ask("192.0.2.1", { "X-Staff": "yes" })), [200, 200, 200]);
    const keyless = limited({ limit: 1, key: (ctx) => ctx.header("x-user") });
    assert.deepEqual(fields(await keyless.ask()), [200, null, null, null]);
    assert.deepEqual(await statuses(2, () => keyless.ask("192.0.2.1", { "X-User": "ada" })), [200, 429]);
  });

  test("takes the request's cost in tokens, at most those of a full bucket", async () => {
    const { ask } = limited({ limit: 10, cost: (ctx) => Number(ctx.header("x-cost")) });
    assert.equal(
      (await ask("192.0.2.1", { "X-Cost": "4" })).headers.get("RateLimit")?.startsWith('"default";r=6;'),
      true,
    );
    assert.equal((await ask("192.0.2.1", { "X-Cost": "7" })).status, 429);
    assert.equal((await ask("192.0.2.1", { "X-Cost": "6" })).status, 200);
    assert.equal((await ask("192.0.2.2", { "X-Cost": "1000" })).status, 200);
  });

  test("names an invalid option", () => {
    const wrong: readonly (readonly [Partial<Record<keyof RateLimitOptions, unknown>>, string])[] = [
      [{ limit: 0 }, "limit is 0: a whole number from 1 to 2147483647 is allowed"],
      [{ windowMs: 1.5 }, "windowMs is 1.5: a whole number from 1 to 2147483647 is allowed"],
      [{ burst: "2" }, 'burst is "2": a whole number from 1 to 2147483647 is allowed'],
      [{ limit: Number.NaN }, "limit is NaN: a whole number from 1 to 2147483647 is allowed"],
      [{ windowMs: 2 ** 31 }, "windowMs is 2147483648: a whole number from 1 to 2147483647 is allowed"],
      [{ limit: undefined }, "limit is undefined: a whole number from 1 to 2147483647 is allowed"],
      [{ policyName: "" }, 'policyName is "": 1 to 64 of A-Z a-z 0-9 _ . : / - are allowed'],
      [{ policyName: "a b" }, 'policyName is "a b": 1 to 64 of A-Z a-z 0-9 _ . : / - are allowed'],
      [{ store: null }, "store is null: an object with a method take is allowed"],
      [{ cost: -1 }, "cost is -1: a number from 0 to 2, which is all that the bucket holds, is allowed"],
      [{ cost: 4, burst: 3 }, "cost is 4: a number from 0 to 3, which is all that the bucket holds, is allowed"],
      [{ policyName: 'a"b' }, 'policyName is "a\\"b": 1 to 64 of A-Z a-z 0-9 _ . : / - are allowed'],
      [{ store: {} }, "store is {}: an object with a method take is allowed"],
      [{ onStoreError: "fail" }, 'onStoreError is "fail": "open" or "closed" is allowed'],
      [{ storeTimeoutMs: 0 }, "storeTimeoutMs is 0: a whole number from 1 to 2147483647 is allowed"],
      [{ cost: 3 }, "cost is 3: a number from 0 to 2, which is all that the bucket holds, is allowed"],
    ];
    for (const [options, message] of wrong)
      assert.throws(() => new RateLimitMiddleware({ limit: 2, windowMs: 1_000, ...options } as RateLimitOptions), {
        name: "TypeError",
        code: "RATE_LIMIT",
        message: `RateLimitMiddleware: ${message}`,
      });
    const most = { limit: 2 ** 31 - 1, windowMs: 1, storeTimeoutMs: 1, burst: 1, cost: 1, policyName: "a".repeat(64) };
    for (const onStoreError of ["open", "closed"] as const)
      for (const cost of [0, 1]) assert.doesNotThrow(() => new RateLimitMiddleware({ ...most, onStoreError, cost }));
  });
});
