/** When a request is rejected, which never is, and that the end of an overload needs nothing (OVERLOAD). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Framework, HealthMiddleware, OverloadMiddleware, type OverloadOptions } from "../../index.ts";
import { created, until } from "../../testing/harness.testkit.ts";

/** Keeps the event loop busy. */
function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** An app with a route that waits, one that blocks, an exempt one and a health path behind the middleware. */
function protectedBy(options: OverloadOptions) {
  const heard: unknown[] = [];
  const overload = new OverloadMiddleware({ exempt: ["/priority"], ...options });
  const app = Framework.create().observe({ annotation: (_ctx, name, value) => void heard.push([name, value]) });
  let release = (): void => undefined;
  app
    .use(overload)
    .use(new HealthMiddleware({ liveness: "/live" }))
    .get("/", () => "served")
    .get("/priority", () => "served")
    .get("/wait", () => new Promise((resolve) => (release = () => resolve("waited"))))
    .get("/block/{ms}", (ctx) => {
      block(ctx.pathParamAsInt("ms"));
      return "blocked";
    });
  const ask = async (path: string): Promise<number> => (await app.fetch(new Request(`http://h${path}`))).status;
  return { app, ask, heard, overload, release: () => release() };
}

const problem = {
  type: "about:blank",
  title: "Service Unavailable",
  status: 503,
  detail: "there is more to do than is possible now: try again in 7 s",
  code: "OVERLOADED",
};

describe("OverloadMiddleware", () => {
  test("OVERLOAD-001 OVERLOAD-002 OVERLOAD-003: rejects what is over the limit, with a problem that says when to come back", async () => {
    const { app, ask, heard, overload, release } = protectedBy({ inFlight: 1, retryAfterSeconds: 7 });
    const waiting = ask("/wait");
    const response = await app.fetch(new Request("http://h/"));
    assert.deepEqual(
      [response.status, response.headers.get("retry-after"), await response.json()],
      [503, "7", problem],
    );
    assert.deepEqual(heard, [["overload", { by: "inFlight", limit: 1, value: 1, exempt: false }]]);
    assert.equal(overload.rejected, 1);
    release();
    assert.deepEqual([await waiting, await ask("/"), overload.rejected], [200, 200, 1]);
  });

  test("OVERLOAD-004: serves health and exempt routes, and says so", async () => {
    const { ask, heard, release } = protectedBy({ inFlight: 1 });
    const waiting = ask("/wait");
    const statuses = [await ask("/priority"), await ask("/health"), await ask("/live/"), await ask("/healthy")];
    release();
    assert.deepEqual([...statuses, await waiting], [200, 200, 200, 503, 200]);
    const exempt = ["overload", { by: "inFlight", limit: 1, value: 1, exempt: true }];
    assert.deepEqual(heard.slice(0, 3), [exempt, exempt, exempt]);
  });

  test("rejects in the same turn what the event loop is behind with, and later a share, then none", async () => {
    const { ask, heard } = protectedBy({ eventLoopDelayMs: 40 });
    await ask("/");
    const [blocked, behind] = [ask("/block/200"), ask("/")];
    assert.deepEqual([await blocked, await behind], [200, 503]);
    const [[, value]] = heard as [[string, { by: string; limit: number; value: number }]];
    assert.ok(value.by === "eventLoopDelayMs" && value.limit === 40 && value.value >= 150, JSON.stringify(value));
    // The timer has fired late: of the next requests most are rejected, and not all.
    await new Promise((resolve) => setTimeout(resolve));
    const next = await Promise.all(Array.from({ length: 10 }, () => ask("/")));
    const rejected = next.filter((status) => status === 503).length;
    assert.ok(rejected >= 5 && rejected <= 9, `${rejected} of 10 were rejected`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.deepEqual(await Promise.all(Array.from({ length: 10 }, () => ask("/"))), Array<number>(10).fill(200));
  });

  test("rejects a growing share while the event loop is too busy", async () => {
    const { ask, overload } = protectedBy({ eventLoopDelayMs: false, eventLoopUtilization: 0.5 });
    const end = performance.now() + 10_000;
    while (overload.rejected < 3 && performance.now() < end - 5_000) {
      await ask("/block/20");
      await new Promise(setImmediate);
    }
    assert.equal(overload.rejected, 3);
    // Idle again, it serves all requests.
    for (let served = 0; served < 30 && performance.now() < end;) {
      served = (await ask("/")) === 200 ? served + 1 : 0;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { rejected } = overload;
    for (let n = 0; n < 10; n += 1) await ask("/");
    assert.equal(overload.rejected, rejected);
  });

  test("rejects all while the heap is over its limit", async () => {
    const { ask } = protectedBy({ heapBytes: 1_000 });
    assert.deepEqual([await ask("/"), await ask("/priority"), await ask("/health")], [503, 200, 200]);
    const { ask: askOther } = protectedBy({ heapBytes: 2 ** 50 });
    assert.equal(await askOther("/"), 200);
  });

  test("keeps no timer without requests", async () => {
    const { ask } = protectedBy({});
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    await ask("/");
    await until(() => timers() <= before);
  });

  test("a pattern of exempt that no route has fails the start", async () => {
    const { app } = created();
    app.use(new OverloadMiddleware({ exempt: ["/prioriti"] })).get("/priority", () => "");
    await assert.rejects(Promise.resolve(app.start(0)), {
      message: 'OverloadMiddleware has exempt: "/prioriti": no route has that pattern; did you mean /priority?',
    });
  });

  for (const [message, options] of Object.entries({
    "eventLoopDelayMs: 0: a number from 1 to 60000 is allowed": { eventLoopDelayMs: 0 },
    "eventLoopDelayMs: true: a number from 1 to 60000 is allowed": { eventLoopDelayMs: true },
    "eventLoopUtilization: 98: a number from 0.01 to 1 is allowed": { eventLoopUtilization: 98 },
    "inFlight: 0.5: a whole number from 1 is allowed": { inFlight: 0.5 },
    "heapBytes: NaN: a whole number from 1 is allowed": { heapBytes: Number.NaN },
    'retryAfterSeconds: "1": a whole number from 1 is allowed': { retryAfterSeconds: "1" },
    'exempt: "x": a list of patterns of routes such as /callback/{provider} is allowed': { exempt: "x" },
  }))
    test(`rejects ${message.split(":")[0]}, with a sentence`, () =>
      assert.throws(() => new OverloadMiddleware(options as OverloadOptions), {
        code: "CONFIG_INVALID",
        message: `OverloadMiddleware has ${message}`,
      }));
});
