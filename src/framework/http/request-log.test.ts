import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Framework, type Logger, RequestIdMiddleware } from "../index.ts";

/** An app with a logger that keeps its lines. */
function logging(): {
  readonly app: Framework;
  readonly lines: unknown[][];
  ask(headers?: Record<string, string>): Promise<Response>;
} {
  const lines: unknown[][] = [];
  const logger: Logger = {
    debug: (line, fields) => void lines.push(["debug", line, fields]),
    info: (line, fields) => void lines.push(["info", line, fields]),
    warn: (line, fields) => void lines.push(["warn", line, fields]),
    error: (line, error, fields) => void lines.push(["error", line, error, fields]),
  };
  const app = Framework.create({ logger });
  return { app, lines, ask: async (headers = {}) => app.fetch(new Request("http://localhost/", { headers })) };
}

const id = { "X-Request-Id": "r-1" };

describe("ctx.log", () => {
  test("carries the request's ids at the time of the line, and no field can replace them", async () => {
    const { app, lines, ask } = logging();
    app
      .use((ctx, next) => (ctx.log.debug("before", { a: 1 }), next()))
      .use(new RequestIdMiddleware())
      .get("/", (ctx) => {
        ctx.log.info("known", { requestId: "forged", b: 2 });
        ctx.attribute("traceId", "t-1").attribute("spanId", "s-1");
        ctx.log.warn("traced");
        const error = new Error("declined");
        ctx.log.error("failed", { error, order: 7 });
        return ctx.log === ctx.log;
      });
    assert.equal(await (await ask(id)).json(), true);
    const all = { requestId: "r-1", traceId: "t-1", spanId: "s-1" };
    assert.deepEqual(lines, [
      ["debug", "before", { a: 1 }],
      ["info", "known", { requestId: "r-1", b: 2 }],
      ["warn", "traced", all],
      ["error", "failed", new Error("declined"), { order: 7, ...all }],
    ]);
  });

  test("changes no response when its logger throws or rejects, or a field cannot be read", async () => {
    const unreadable = {
      get secret(): string {
        return assert.fail("a getter that throws");
      },
    };
    const broken = (): never => assert.fail("a logger that throws");
    const rejecting = (): Promise<never> => Promise.reject(new Error("a logger that rejects"));
    for (const fails of [broken, rejecting]) {
      const app = Framework.create({ logger: { info: fails, warn: fails, error: fails } }).get("/", (ctx) => {
        ctx.log.info("line", unreadable);
        ctx.log.child(unreadable).error("line", { error: unreadable });
        return "fine";
      });
      assert.equal(await (await app.fetch(new Request("http://localhost/"))).text(), "fine");
    }
    await new Promise((resolve) => setImmediate(resolve)); // An unhandled rejection would end this test.
  });

  test("adds the fields of a child to each of its lines", async () => {
    const { app, lines, ask } = logging();
    app.get("/", (ctx) => {
      const log = ctx.log.child({ order: 7, step: "a" });
      log.info("one");
      log.child({ step: "b" }).info("two", { x: 1 });
      return "";
    });
    await ask();
    assert.deepEqual(lines, [
      ["info", "one", { order: 7, step: "a" }],
      ["info", "two", { order: 7, step: "b", x: 1 }],
    ]);
  });

  test("calls the function that a listener returned after the line was written", async () => {
    const order: string[] = [];
    const app = Framework.create({ logger: { info: (line) => void order.push(line), warn() {}, error() {} } });
    app
      .observe({ log: () => () => assert.fail("what a listener returned throws") })
      .observe({
        log: ({ message }) => {
          order.push(`before ${message}`);
          return () => order.push(`after ${message}`);
        },
      })
      .get("/", (ctx) => (ctx.log.info("heard"), "fine"));
    assert.equal(await (await app.fetch(new Request("http://localhost/"))).text(), "fine");
    assert.deepEqual(order, ["before heard", "heard", "after heard"]);
  });

  test("reaches the observers of the app, which cannot change the response", async () => {
    const { app, ask } = logging();
    const heard: unknown[] = [];
    app
      .observe({ log: () => assert.fail("a listener that throws") })
      .observe({ log: (entry, ctx) => void heard.push([entry, ctx.path]) })
      .use(new RequestIdMiddleware())
      .get("/", (ctx) => (ctx.log.info("heard", { a: 1 }), "fine"));
    assert.equal(await (await ask(id)).text(), "fine");
    assert.deepEqual(heard, [[{ level: "info", message: "heard", fields: { a: 1, requestId: "r-1" } }, "/"]]);
  });
});
