import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Framework } from "../../app/framework.ts";
import { RequestIdMiddleware } from "../request-id/request-id.ts";
import { currentLog, LogScopeMiddleware } from "./log-scope.ts";

describe("currentLog", () => {
  test("is undefined before there is a LogScopeMiddleware", () => assert.equal(currentLog(), undefined));

  test("is the log of the request that is running, through asynchronous code", async () => {
    const lines: unknown[][] = [];
    const app = Framework.create({
      logger: { info: (...line) => void lines.push(line), warn: () => undefined, error: () => undefined },
    });
    const service = async (): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      currentLog()?.info("from a service");
    };
    // Two of them are one scope.
    app
      .use(new RequestIdMiddleware())
      .use(new LogScopeMiddleware())
      .use(new LogScopeMiddleware())
      .get("/", async () => {
        await service();
        return "";
      });
    const ask = async (id: string): Promise<Response> =>
      app.fetch(new Request("http://localhost/", { headers: { "X-Request-Id": id } }));
    await Promise.all([ask("r-1"), ask("r-2")]);
    assert.equal(currentLog(), undefined);
    assert.deepEqual(lines.toSorted(), [
      ["from a service", { requestId: "r-1" }],
      ["from a service", { requestId: "r-2" }],
    ]);
  });
});

describe("LogScopeMiddleware", () => {
  for (const [name, host] of Object.entries({
    "no process": undefined,
    "no getBuiltinModule": {},
    "no node:async_hooks": { getBuiltinModule: () => undefined },
  }))
    test(`names the missing feature on a platform with ${name}`, () => {
      const { process } = globalThis;
      globalThis.process = host as unknown as NodeJS.Process;
      try {
        assert.throws(() => new LogScopeMiddleware(), {
          code: "MIDDLEWARE_INVALID",
          message:
            "LogScopeMiddleware needs AsyncLocalStorage of node:async_hooks, which this platform lacks: hand ctx.log on instead",
        });
      } finally {
        globalThis.process = process;
      }
    });
});
