/** `timeouts.handlerMs` and a route's `timeoutMs` for a handler that does not settle, on every host (LIFE). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Framework, type Completion, type Context, type RouteOptions } from "../index.ts";
import { hosts, type Host } from "../testing/clients.testkit.ts";
import { until } from "../testing/harness.testkit.ts";

const never = (): Promise<never> => new Promise(() => undefined);

const timeoutProblem = (ms: number): unknown => ({
  type: "about:blank",
  title: "Service Unavailable",
  status: 503,
  detail: `no response within ${ms} ms`,
  code: "HANDLER_TIMEOUT",
});

for (const [name, { engine, open }] of Object.entries(hosts))
  describe(`a handler timeout on ${name}`, () => {
    /** Serves `define` with that timeout. Returns the logged errors, and how each request ended. */
    async function timing(
      handlerMs: number,
      define: (app: Framework) => unknown,
      use: (send: Host["send"], lines: readonly string[], ended: readonly Completion[]) => Promise<void>,
    ): Promise<void> {
      const lines: string[] = [];
      const ended: Completion[] = [];
      const logger = { error: (line: string) => void lines.push(line) };
      const app = Framework.create({ host: "127.0.0.1", logger, timeouts: { handlerMs }, ...(engine && { engine }) });
      app.use((ctx, next) => {
        ctx.onComplete((completion) => void ended.push(completion));
        return next();
      });
      define(app);
      const host = await open(app);
      await use((request) => host.send(request), lines, ended).finally(() => host.close());
    }

    test("gives the client 503, aborts the signal with a TimeoutError and logs one line", async () => {
      const reasons: unknown[] = [];
      const handler = (ctx: Context): Promise<never> => {
        ctx.signal.addEventListener("abort", () => reasons.push(ctx.signal.reason.name));
        return never();
      };
      await timing(
        30,
        (app) => app.get("/{id}", handler),
        async (send, lines, ended) => {
          const { status, headers, body, torn } = await send({ target: "/a" });
          assert.deepEqual([status, headers["content-type"], torn], [503, "application/problem+json", false]);
          assert.deepEqual(JSON.parse(body), timeoutProblem(30));
          assert.deepEqual(reasons, ["TimeoutError"]);
          assert.deepEqual(lines, ["GET /{id} did not settle within 30 ms: its client gets 503"]);
          await until(() => ended.length === 1);
          assert.deepEqual([ended[0]?.status, String(ended[0]?.error)], [503, "HttpError: no response within 30 ms"]);
        },
      );
    });

    test("of a route replaces the app's, and 0 removes it", async () => {
      const route = (options: RouteOptions, handler: () => unknown) => (app: Framework) =>
        app.get("/", options, handler);
      const late = (): Promise<string> => new Promise((resolve) => setTimeout(resolve, 60, "late"));
      await Promise.all([
        timing(30_000, route({ timeoutMs: 20 }, never), async (send) =>
          assert.deepEqual(JSON.parse((await send({ target: "/" })).body), timeoutProblem(20)),
        ),
        timing(20, route({ timeoutMs: 0 }, late), async (send, lines) =>
          assert.deepEqual([(await send({ target: "/" })).body, lines], ["late", []]),
        ),
      ]);
    });

    test("does not apply to a stream that has begun", () =>
      timing(
        20,
        (app) =>
          app
            .get("/events", async (ctx) => {
              const stream = ctx.sse();
              await new Promise((resolve) => setTimeout(resolve, 60));
              stream.send("late");
              stream.close();
            })
            .get("/pieces", async function* () {
              await new Promise((resolve) => setTimeout(resolve, 60));
              yield "late";
            }),
        async (send, lines) => {
          const events = await send({ target: "/events" });
          const pieces = await send({ target: "/pieces" });
          assert.deepEqual([events.body, pieces.body, lines], ["data: late\n\n", "late", []]);
        },
      ));
  });

describe("a handler that settles after its timeout", () => {
  test("changes nothing any more, and its error is not logged again", async () => {
    const lines: string[] = [];
    let fail: (error: Error) => void = () => undefined;
    const app = Framework.create({ logger: { error: (line) => void lines.push(line) }, timeouts: { handlerMs: 10 } });
    app.get("/", () => new Promise((_, reject) => (fail = reject)));
    const { status } = await app.request("/");
    fail(new Error("too late"));
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([status, lines], [503, ["GET / did not settle within 10 ms: its client gets 503"]]);
  });

  test("sees no timeout when it settles in time, with any outcome", async () => {
    const lines: string[] = [];
    const app = Framework.create({ logger: { error: (line) => void lines.push(line) }, timeouts: { handlerMs: 15 } });
    let aborts = 0;
    const watched = (ctx: Context): void => ctx.signal.addEventListener("abort", () => (aborts += 1));
    app.get("/settles", async (ctx) => (watched(ctx), "x"));
    app.get("/rejects", async (ctx) => (watched(ctx), Promise.reject(new RangeError())));
    app.onError(RangeError, () => "mapped");
    const seen = [await (await app.request("/settles")).text(), await (await app.request("/rejects")).text()];
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.deepEqual([seen, aborts, lines], [["x", "mapped"], 0, []]);
  });

  test("keeps no timer after it has settled, with any outcome", async (t) => {
    const handlerMs = 59_999;
    const kept = new Set<unknown>();
    const { setTimeout: begin, clearTimeout: end } = globalThis;
    let begun = 0;
    t.mock.method(globalThis, "setTimeout", (run: () => void, ms?: number, ...rest: []) => {
      const timer = begin(run, ms, ...rest);
      if (ms === handlerMs) begun += kept.add(timer).size;
      return timer;
    });
    t.mock.method(globalThis, "clearTimeout", (timer: NodeJS.Timeout | undefined) => {
      kept.delete(timer);
      end(timer);
    });
    const app = Framework.create({ timeouts: { handlerMs } })
      .get("/settles", async () => "x")
      .get("/rejects", async () => Promise.reject(new RangeError()))
      .onError(RangeError, () => "mapped");
    const seen = [await (await app.request("/settles")).text(), await (await app.request("/rejects")).text()];
    assert.deepEqual([seen, begun, kept.size], [["x", "mapped"], 2, 0]);
  });
});

describe("settings of the handler timeout", () => {
  test("are rejected when they are not milliseconds", () => {
    for (const handlerMs of [-1, 1.5, 2 ** 31, Number.NaN])
      assert.throws(() => Framework.create({ timeouts: { handlerMs } }), {
        message: `timeouts.handlerMs is ${handlerMs}: a whole number from 0 to 2147483647 is allowed`,
      });
    for (const timeoutMs of [-1, 1.5, 2 ** 31, Number.NaN, "5" as unknown as number])
      assert.throws(() => Framework.create().get("/x", { timeoutMs }, () => "x"), {
        code: "ROUTE_OPTIONS",
        message: `GET /x has timeoutMs ${JSON.stringify(timeoutMs) === "null" ? "NaN" : JSON.stringify(timeoutMs)}: milliseconds from 0 to 2147483647 are allowed`,
      });
  });
});
