/** The chain over real sockets. No failure of work that next() started is lost (MW). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ask, created, serving, until } from "../testing/harness.testkit.ts";
import { Framework, HttpError, type Context, type Middleware, type MiddlewareFunction, type Next } from "../index.ts";
import { HookMiddleware } from "../middleware/hooks.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const fail = async (): Promise<never> => {
  await null;
  throw new Error("inner");
};

/** The response and the log of one request to a failing handler after `middleware`. */
const behind = (middleware: MiddlewareFunction, handler: () => unknown = fail): Promise<unknown> =>
  serving(
    (app: Framework) => app.use(middleware).get("/", handler),
    async ({ port, errors }) => {
      const { status } = await ask(port, "GET", "/");
      return [status, ...errors.map(({ error }) => (error as Error).message)];
    },
  );

describe("a middleware that ignores the promise of next()", () => {
  const floating: Readonly<Record<string, MiddlewareFunction>> = {
    "and goes on for longer than it": async (_ctx, next) => {
      void next();
      await turn();
      await turn();
    },
    "and is over before it": async (_ctx, next) => void next(),
    "and is synchronous": (_ctx, next) => void next(),
    "and settles nothing with another promise": async (_ctx, next) => {
      void next();
      await Promise.all([turn(), turn()]);
    },
  };
  for (const [how, middleware] of Object.entries(floating))
    it(`passes its failure on: ${how}`, async () => {
      assert.deepEqual(await behind(middleware), [500, "inner"]);
    });

  it("has its failure logged in addition to its own", async () => {
    const both: MiddlewareFunction = async (_ctx, next) => {
      void next();
      await turn();
      throw new Error("outer");
    };
    const sync: MiddlewareFunction = (_ctx, next) => {
      void next();
      throw new Error("outer");
    };
    for (const middleware of [both, sync]) assert.deepEqual(await behind(middleware), [500, "inner", "outer"]);
  });
});

describe("a middleware that uses the promise of next()", () => {
  const looking: Readonly<Record<string, MiddlewareFunction>> = {
    "await in try": async (ctx, next) => {
      try {
        await next();
      } catch {
        ctx.status(202);
      }
    },
    catch: async (ctx, next) => {
      await next()?.catch(() => void ctx.status(202));
    },
    then: async (ctx, next) => {
      await next()?.then(undefined, () => void ctx.status(202));
    },
    "Promise.allSettled": async (ctx, next) => {
      await Promise.allSettled([next()]);
      ctx.status(202);
    },
  };
  for (const [how, middleware] of Object.entries(looking))
    it(`may swallow its failure by ${how}`, async () => {
      assert.deepEqual(await behind(middleware), [202]);
    });

  it("gets a promise by that class name", async () => {
    const names: unknown[] = [];
    assert.deepEqual(await behind((_ctx, next) => (names.push(String(next())), undefined)), [500, "inner"]);
    assert.deepEqual(names, ["[object Promise]"]);
  });

  it("runs finally and passes the failure on", async () => {
    let ran = 0;
    assert.deepEqual(await behind((_ctx, next) => next()?.finally(() => void (ran += 1))), [500, "inner"]);
    assert.equal(ran, 1);
  });
});

describe("next() after its middleware has settled", () => {
  /** Calls it late, for a synchronous, an asynchronous and a failed middleware. Counts the handler's runs and keeps the log. */
  const late = async (): Promise<{ readonly ran: number; readonly logged: readonly unknown[] }> => {
    let [ran, calls] = [0, 0];
    const logged: unknown[] = [];
    const calling =
      (isAsync: boolean): MiddlewareFunction =>
      (_ctx, next) => {
        setImmediate(() => {
          void next();
          calls += 1;
        });
        return isAsync ? Promise.resolve() : undefined;
      };
    const failing: MiddlewareFunction = (ctx, next) => {
      void calling(false)(ctx, next);
      throw new HttpError(409);
    };
    await serving(
      (app) =>
        app
          .get("/sync/{id}", { use: [calling(false)] }, () => void (ran += 1))
          .get("/async", { use: [calling(true)] }, () => void (ran += 1))
          .get("/failed", { use: [failing] }, () => void (ran += 1)),
      async ({ port, errors }) => {
        const statusOf = async (path: string): Promise<number> => (await ask(port, "GET", path)).status;
        const responses = [await statusOf("/sync/1"), await statusOf("/async"), await statusOf("/failed")];
        await until(() => calls === 3);
        assert.deepEqual(responses, [204, 204, 409]);
        for (const { line, error } of errors) logged.push([line, { ...(error as Error) }, (error as Error).message]);
      },
    );
    return { ran, logged };
  };

  it("runs nothing", async () => assert.equal((await late()).ran, 0));

  it("is logged, by its route", async () => {
    const { logged } = await late();
    const line = (route: string): unknown => [
      `GET ${route}: a failure beside the response`,
      { code: "NEXT_LATE" },
      "next() was called after its middleware had settled",
    ];
    assert.deepEqual(logged, [line("/sync/{id}"), line("/async"), line("/failed")]);
  });
});

describe("a middleware of hooks", () => {
  /** Notes each run, under a name. */
  class Noted extends HookMiddleware {
    readonly #outcome: (ctx: Context) => void | Promise<void>;
    readonly #note: (what: string) => void;

    constructor(name: string, ran: string[], outcome: (ctx: Context) => void | Promise<void> = () => undefined) {
      super();
      this.#note = (what) => void ran.push(`${what} ${name}`);
      this.#outcome = outcome;
    }

    before(ctx: Context): void | Promise<void> {
      this.#note("before");
      return this.#outcome(ctx);
    }
  }

  /** Handlers of each kind, with the response and the log that each causes. */
  const handlers: Readonly<Record<string, [() => unknown, number, string]>> = {
    "that returns": [() => "done", 200, "done"],
    "that returns a promise": [async () => "done", 200, "done"],
    "that throws": [
      () => {
        throw new HttpError(418, "inner");
      },
      418,
      "inner",
    ],
    "that rejects": [async () => Promise.reject(new HttpError(418, "inner")), 418, "inner"],
  };
  for (const [how, [handler, status, said]] of Object.entries(handlers))
    it(`runs before a handler ${how}, the first outermost, for any caller`, async () => {
      const ran: string[] = [];
      const outer = new Noted("outer", ran);
      const own = new Noted("own", ran);
      const byHandle: MiddlewareFunction = (ctx, next) => own.handle(ctx, next);
      const run = (app: Framework): unknown =>
        app
          .use(outer)
          .use(byHandle)
          .use(new Noted("inner", ran, turn))
          .get("/", handler);
      await serving(run, async ({ port }) => {
        const response = await ask(port, "GET", "/");
        assert.deepEqual([response.status, response.body.includes(said)], [status, true]);
      });
      assert.deepEqual(ran, ["before outer", "before own", "before inner"]);
    });

  const responding: Readonly<Record<string, (ctx: Context) => void | Promise<void>>> = {
    "at once": (ctx) => void ctx.text("kept out"),
    later: async (ctx) => {
      await turn();
      ctx.text("kept out");
    },
  };
  for (const [when, outcome] of Object.entries(responding))
    it(`responds itself ${when}, and nothing inside it runs`, async () => {
      const ran: string[] = [];
      const run = (app: Framework): unknown =>
        app
          .use(new Noted("outer", ran, outcome))
          .use(new Noted("inner", ran))
          .get("/", () => assert.fail("the handler ran"));
      await serving(run, async ({ port }) => assert.equal((await ask(port, "GET", "/")).body, "kept out"));
      assert.deepEqual(ran, ["before outer"]);
    });

  it("is called through its handle when a subclass defines or replaces it", async () => {
    const ran: string[] = [];
    class Own extends Noted {
      override handle(ctx: Context, next: Next): unknown {
        ran.push("handle own");
        return super.handle(ctx, next);
      }
    }
    const replaced = new Noted("replaced", ran);
    const { handle } = replaced;
    replaced.handle = (ctx, next) => {
      ran.push("handle replaced");
      return handle.call(replaced, ctx, next);
    };
    const run = (app: Framework): unknown =>
      app
        .use(new Own("own", ran))
        .use(replaced)
        .use("/sub", new Noted("under", ran))
        .get("/sub/x", () => "done");
    await serving(run, async ({ port }) => assert.equal((await ask(port, "GET", "/sub/x")).body, "done"));
    assert.deepEqual(ran, ["handle own", "before own", "handle replaced", "before replaced", "before under"]);
  });
});

describe("installed", () => {
  it("is called once for an app, however often and at whatever place the middleware is installed", async () => {
    let calls = 0;
    const middleware: Middleware = { installed: () => void (calls += 1), handle: (_ctx, next) => next() };
    const apps = [Framework.create(), Framework.create()];
    for (const app of apps) {
      app.use(middleware).wrap(middleware).use("/a", middleware);
      app.group("/g", (group) => group.use(middleware).get("/", { use: [middleware] }, () => "x"));
      await app.ready();
    }
    assert.equal(calls, apps.length);
  });
});

describe("the registrations of a middleware of one route", () => {
  it("apply to earlier routes too, and also when they are empty", async () => {
    const middleware: Middleware = {
      installed: (app) => app.onResponse((ctx) => void ctx.setHeader("X-Hook", ctx.path)),
      handle: (_ctx, next) => next(),
    };
    const app = Framework.create().get("/before", () => "b");
    app.get("/own", { use: [middleware] }, () => "o").get("/after", () => "a");
    for (const path of ["/before", "/own", "/after", "/nothing"])
      assert.equal((await app.request(path)).headers.get("x-hook"), path);
  });
});

describe("a middleware that is a function", () => {
  /** Status and body of `GET` after them, the handler's runs, and the logged codes. */
  async function through(target: string, ...middleware: readonly MiddlewareFunction[]): Promise<unknown> {
    const { app, errors } = created();
    let ran = 0;
    for (const one of middleware) app.use(one);
    app.get("/", () => ((ran += 1), "handled"));
    const response = await app.request(target);
    const thrown = errors.map(({ error }) => String(error));
    return [response.status, await response.text(), ran, thrown];
  }

  it("responds like a handler when it does not call next(), immediately or later", async () => {
    assert.deepEqual(await through("/", () => "mine"), [200, "mine", 0, []]);
    assert.deepEqual(await through("/", async () => "mine"), [200, "mine", 0, []]);
    const outer: MiddlewareFunction = (_ctx, next) => next();
    assert.deepEqual(await through("/", outer, () => "mine"), [200, "mine", 0, []]);
    const ignored: MiddlewareFunction = (_ctx, next) => (void next(), "ignored");
    assert.deepEqual(await through("/", ignored), [200, "handled", 1, []]);
  });

  it("cannot call next() twice: the handler runs once", async () => {
    const problem = JSON.stringify({ type: "about:blank", title: "Internal Server Error", status: 500 });
    const twice: MiddlewareFunction = (_ctx, next) => (void next(), next());
    const later: MiddlewareFunction = async (_ctx, next) => (await next(), next());
    const thrown = ["Error: next() was called twice in one middleware"];
    for (const middleware of [twice, later])
      assert.deepEqual(await through("/", middleware), [500, problem, 1, thrown]);
  });

  it("makes its failure the request's failure, with or without calling next(), after a synchronous handler", async () => {
    const denied: MiddlewareFunction = async () => {
      throw new HttpError(401);
    };
    const late: MiddlewareFunction = async (_ctx, next) => {
      void next();
      throw new HttpError(401);
    };
    const problem = JSON.stringify({ type: "about:blank", title: "Unauthorized", status: 401 });
    assert.deepEqual(await through("/", denied), [401, problem, 0, []]);
    assert.deepEqual(await through("/", late), [401, problem, 1, []]);
    assert.deepEqual(await through("/", async (_ctx, next) => void next()), [200, "handled", 1, []]);
  });

  it("may swallow a late failure of next(), and one with finally", async () => {
    const swallowing: readonly MiddlewareFunction[] = [
      async (ctx, next) => {
        await turn();
        try {
          await next();
        } catch {
          ctx.text("swallowed");
        }
      },
      async (ctx, next) => {
        await Promise.resolve(next()?.finally(() => undefined)).catch(() => ctx.text("swallowed"));
      },
    ];
    for (const middleware of swallowing) assert.deepEqual(await behind(middleware), [200]);
  });

  it("has an ignored failure of next() reported in addition to its own, once, and not when it used the promise", async () => {
    const looked: MiddlewareFunction = async (_ctx, next) => {
      await Promise.resolve(next()).catch(() => undefined);
      throw new Error("outer");
    };
    assert.deepEqual(await behind(looked), [500, "outer"]);
    const one = new Error("one");
    const same: MiddlewareFunction = async (_ctx, next) => {
      void next();
      throw one;
    };
    assert.deepEqual(await behind(same, () => Promise.reject(one)), [500, "one"]);
    const leaving: MiddlewareFunction = async (_ctx, next) => void next()?.catch(() => undefined);
    assert.deepEqual(await behind(leaving), [500, "inner"]);
  });

  it("sees the error when nothing is registered, under its prefix alone", async () => {
    const seen: unknown[] = [];
    const seeing =
      (who: string): MiddlewareFunction =>
      async (_ctx, next) => {
        try {
          await next();
        } catch (error) {
          seen.push([who, (error as HttpError).status]);
          throw error;
        }
      };
    const { app } = created();
    app.use(seeing("all")).use("/a", seeing("a"));
    const hooks = created().app.use("/b", seeing("b"));
    const statuses = ["/a/none", "/none"].map(async (path) => (await app.request(path)).status);
    assert.deepEqual(await Promise.all(statuses), [404, 404]);
    assert.equal((await hooks.request("/b")).status, 404);
    assert.deepEqual(seen.map(String).toSorted(), ["a,404", "all,404", "all,404", "b,404"]);
  });

  it("sees the error when nothing is registered, also next to a hook middleware with the same name", async () => {
    class Hooks extends HookMiddleware {
      readonly exclusive: string = "one";
      before(): void {}
    }
    const seen: unknown[] = [];
    const seeing: Middleware = {
      exclusive: "one",
      handle: async (_ctx, next) => {
        try {
          await next();
        } catch (error) {
          seen.push((error as HttpError).status);
          throw error;
        }
      },
    };
    const { app } = created();
    app.use("/a", new Hooks()).use("/b", seeing);
    assert.deepEqual([(await app.request("/b")).status, seen], [404, [404]]);
  });
});
