/** The steps of a request, as `app.observe({ phase })` reports them (CTX). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { CompressionMiddleware, type Context, contract, Framework, HttpError, type Phase } from "../index.ts";

/** The steps of one request, each as kind and name, inner steps first. */
async function stepsOf(
  define: (app: Framework) => unknown,
  path: string,
  init?: RequestInit,
): Promise<readonly Phase[]> {
  const steps: Phase[] = [];
  const app = Framework.create({ logger: { error: () => undefined } }).observe({
    phase: (_ctx, phase) => void steps.push(phase),
  });
  define(app);
  const response = await app.request(path, init);
  await response.text();
  return steps;
}
const named = (steps: readonly Phase[]): readonly string[] => steps.map(({ kind, name }) => `${kind} ${name}`);

const json = { method: "POST", headers: { "content-type": "application/json" }, body: '{"n":1}' };

describe("TimedContext", () => {
  test("reports each middleware, hook, the body, the contract, the handler, serialization and sending by name", async () => {
    // A bundler's name for `Auth`.
    class _Auth {
      handle(_ctx: unknown, next: () => unknown): unknown {
        return next();
      }
    }
    const steps = await stepsOf(
      (app) =>
        app
          .use(new CompressionMiddleware({ minBytes: 1 }))
          .use(new _Auth())
          .use(function audit(ctx, next) {
            ctx.onResponse(function stamp() {
              return undefined;
            });
            return next();
          })
          .use("/n", (_ctx, next) => next())
          .post("/n", contract({ body: z.object({ n: z.number() }) }), function create() {
            return { text: "long enough" };
          }),
      "/n",
      { ...json, headers: { ...json.headers, "accept-encoding": "gzip" } },
    );
    assert.deepEqual(named(steps), [
      "parsing read body",
      "parsing JSON body",
      "handler create",
      "parsing contract",
      "serialization response",
      "middleware anonymous",
      "middleware audit",
      "middleware Auth",
      "middleware CompressionMiddleware",
      "middleware stamp",
      "compression gzip",
      "sending response",
    ]);
    for (const { startedAt, endedAt } of steps) assert.ok(startedAt <= endedAt);
  });

  test("reports the time of asynchronous work from its beginning to its end, inside of the middleware around it", async () => {
    const steps = await stepsOf(
      (app) =>
        app
          .use(async function slow(_ctx, next) {
            await wait(15);
            await next();
            await wait(15);
          })
          .get("/", async function show() {
            await wait(20);
            return "x";
          }),
      "/",
    );
    const [handler, serialization, slow] = steps;
    assert.deepEqual(named(steps).slice(0, 3), ["handler show", "serialization response", "middleware slow"]);
    assert.ok(handler && slow && serialization);
    assert.ok(handler.endedAt - handler.startedAt >= 18);
    assert.ok(handler.startedAt - slow.startedAt >= 13 && slow.endedAt - serialization.endedAt >= 13);
  });

  test("reports the time from an error to its response, and a handler that throws or rejects", async () => {
    const failing = async (handler: () => unknown): Promise<readonly string[]> =>
      named(await stepsOf((app) => app.onError(RangeError, () => "mapped").get("/", handler), "/"));
    const sync = await failing(function show() {
      throw new RangeError();
    });
    const late = await failing(async function show() {
      throw new HttpError(409);
    });
    assert.deepEqual(sync, ["handler show", "serialization response", "handler error response", "sending response"]);
    assert.deepEqual(late, ["handler show", "handler error response", "sending response"]);
  });

  test("reports the serialization of ctx.json, and none without a body", async () => {
    const of = async (handler: (ctx: Context) => unknown): Promise<readonly string[]> =>
      named(await stepsOf((app) => app.get("/", handler), "/"));
    assert.deepEqual(await of((ctx) => ctx.json({})), [
      "serialization response",
      "handler anonymous",
      "sending response",
    ]);
    assert.deepEqual(await of((ctx) => ctx.status(204)), ["handler anonymous", "sending response"]);
  });

  test("does not call the `then` of a returned thenable, which may begin its work", async () => {
    let begun = 0;
    const lazy = {
      // oxlint-disable-next-line unicorn/no-thenable -- a query builder has one
      then(resolve: (value: string) => void) {
        begun += 1;
        resolve("rows");
      },
    };
    await stepsOf((app) => app.use((_ctx, next) => next()).get("/", () => lazy), "/");
    assert.equal(begun, 1);
  });

  test("ignores an observer that throws", async () => {
    const app = Framework.create().observe({
      phase() {
        throw new Error("no");
      },
    });
    app.use((_ctx, next) => next()).post("/", async (ctx) => ctx.json(await ctx.body()));
    const response = await app.request("/", json);
    assert.deepEqual([response.status, await response.json()], [200, { n: 1 }]);
  });
});
