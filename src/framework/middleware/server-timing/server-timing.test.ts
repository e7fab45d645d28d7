/** The header with the times of a run: what is in it, and for whom. */
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { describe, test } from "node:test";
import { HttpError, ServerTimingMiddleware, type ServerTimingOptions } from "../../index.ts";
import { created } from "../../testing/harness.testkit.ts";

/** The times of a response by name. */
async function timesOf(path: string, options?: ServerTimingOptions): Promise<Record<string, number>> {
  const { app } = created();
  app
    .use(new ServerTimingMiddleware(options))
    .use(async (_ctx, next) => {
      await setTimeout(20);
      await next();
    })
    .get("/slow", async () => {
      await setTimeout(60);
      return "slow";
    })
    .get("/fails", () => {
      throw new HttpError(409, "taken");
    })
    .get("/own", (ctx) => ctx.setHeader("Server-Timing", 'db;desc="x"').text("own"));
  const { headers } = await app.fetch(new Request(`http://h${path}`));
  const members = headers.get("server-timing")?.split(", ") ?? [];
  return Object.fromEntries(members.map((one) => [one.split(";")[0] ?? "", Number(/dur=([\d.]+)$/.exec(one)?.[1])]));
}

describe("ServerTimingMiddleware", () => {
  test("tells middleware, handler and total, and no name of the app", async () => {
    const { middleware = 0, handler = 0, total = 0, ...others } = await timesOf("/slow");
    assert.deepEqual(others, {});
    assert.ok(handler >= 55 && middleware >= 15 && total >= 75, JSON.stringify({ middleware, handler, total }));
    assert.ok(Math.abs(middleware + handler - total) < 0.2);
  });

  test("is on errors and 404s, and stays beside a header of the handler", async () => {
    assert.deepEqual(Object.keys(await timesOf("/fails")), ["middleware", "handler", "total"]);
    assert.deepEqual(Object.keys(await timesOf("/none")), ["middleware", "handler", "total"]);
    assert.deepEqual(Object.keys(await timesOf("/own")), ["db", "middleware", "handler", "total"]);
  });

  test("is sent to the clients of when alone, and to none when that fails", async () => {
    assert.deepEqual(await timesOf("/slow", { when: (ctx) => ctx.path === "/other" }), {});
    assert.deepEqual(Object.keys(await timesOf("/slow", { when: (ctx) => ctx.path === "/slow" })).length, 3);
    const failing = (): boolean => {
      throw new Error("it fails");
    };
    assert.deepEqual(await timesOf("/slow", { when: failing }), {});
  });

  test("rejects another when, with a sentence", () => {
    assert.throws(() => new ServerTimingMiddleware({ when: true } as unknown as ServerTimingOptions), {
      code: "CONFIG_INVALID",
      message: "ServerTimingMiddleware has when: true: a function is allowed",
    });
  });
});
