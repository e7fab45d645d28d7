/** HookMiddleware: the calls and results that `before` may use, and whether the request then continues. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Context } from "../http/context.ts";
import { created, serving, until, wire } from "../testing/harness.testkit.ts";
import { HookMiddleware } from "./hooks.ts";

class Guard extends HookMiddleware {
  readonly #run: (ctx: Context) => unknown;

  constructor(run: (ctx: Context) => unknown) {
    super();
    this.#run = run;
  }

  before(ctx: Context): void | Promise<void> {
    return this.#run(ctx) as undefined;
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Status and body of a request after a `before`, the handler's runs, and the logged errors. */
async function behind(guard: HookMiddleware): Promise<readonly unknown[]> {
  const { app, errors } = created();
  let ran = 0;
  app.use(guard).get("/", () => ((ran += 1), "handled"));
  const response = await app.request("/");
  return [response.status, await response.text(), ran, errors.map(({ error }) => ({ ...(error as Error), error }))];
}

/** The same `before`, synchronous and asynchronous. */
const bothWays = (run: (ctx: Context) => unknown): readonly ((ctx: Context) => unknown)[] => [
  run,
  async (ctx) => {
    await turn();
    return run(ctx);
  },
];

describe("before", () => {
  const continuing: Readonly<Record<string, readonly [run: (ctx: Context) => void, status: number]>> = {
    nothing: [() => undefined, 200],
    "a header": [(ctx) => void ctx.setHeader("X-A", "1"), 200],
    "a status without a response": [(ctx) => void ctx.status(202), 202],
  };
  for (const [what, [run, status]] of Object.entries(continuing))
    it(`lets the request continue when it records ${what}`, async () => {
      for (const one of bothWays(run)) assert.deepEqual(await behind(new Guard(one)), [status, "handled", 1, []]);
    });

  const ending: Readonly<Record<string, readonly [run: (ctx: Context) => void, status: number, body: string]>> = {
    "a text": [(ctx) => void ctx.status(401).text("no"), 401, "no"],
    "a response without content": [(ctx) => void ctx.reply(204), 204, ""],
    "a redirect": [(ctx) => void ctx.redirect("/login"), 302, ""],
    "events whose head is sent at once": [(ctx) => ctx.sse().close(), 200, ""],
  };
  for (const [what, [run, status, body]] of Object.entries(ending))
    it(`ends the request when it records ${what}`, async () => {
      for (const one of bothWays(run)) assert.deepEqual(await behind(new Guard(one)), [status, body, 0, []]);
    });

  it("ends the request when its client has left while it waited", async () => {
    let [ran, begun, over] = [0, false, false];
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const guard = new Guard((ctx) => {
      ctx.onComplete(() => void (over = true));
      begun = true;
      return gate;
    });
    await serving(
      (app) => app.use(guard).get("/", () => void (ran += 1)),
      async ({ port, errors }) => {
        const { socket } = wire(port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        await until(() => begun);
        socket.destroy();
        await until(() => over);
        open();
        await turn();
        assert.deepEqual([ran, errors], [0, []]);
      },
    );
  });

  const problem = JSON.stringify({ type: "about:blank", title: "Internal Server Error", status: 500 });
  const rule = "the request continues unless a response is recorded";
  const values: Readonly<Record<string, readonly [value: unknown, code: string, message: string]>> = {
    "true, which once let the request continue": [true, "RENAMED", `before() returns nothing now: ${rule}`],
    false: [false, "MIDDLEWARE_INVALID", `before() returned a value of type boolean. It returns nothing: ${rule}`],
    "a text": ["no", "MIDDLEWARE_INVALID", `before() returned a value of type string. It returns nothing: ${rule}`],
    null: [null, "MIDDLEWARE_INVALID", `before() returned null. It returns nothing: ${rule}`],
  };
  for (const [what, [value, code, message]] of Object.entries(values))
    it(`fails the request when it returns ${what}, and names its class`, async () => {
      const unnamed = new (class extends Guard {})(() => value);
      const guards = bothWays(() => value).map((run) => new Guard(run));
      for (const [name, guard] of [
        ...guards.map((one) => ["Guard", one] as const),
        ["a HookMiddleware", unnamed] as const,
      ]) {
        const [status, body, ran, errors] = await behind(guard);
        const error = Object.assign(new TypeError(`${name}: ${message}`), { code });
        assert.deepEqual([status, body, ran, errors], [500, problem, 0, [{ code, error }]]);
      }
    });

  it("may return only undefined, as its type says", () => {
    class Values extends HookMiddleware {
      // @ts-expect-error -- true was how a request continued once
      before(): boolean {
        return true;
      }
    }
    class Later extends HookMiddleware {
      // @ts-expect-error -- nor does a promise have a value
      async before(): Promise<boolean> {
        return true;
      }
    }
    class Recorded extends HookMiddleware {
      // @ts-expect-error -- a context that has recorded a response is a value too
      before(ctx: Context): Context {
        return ctx.text("no");
      }
    }
    assert.deepEqual([Values.name, Later.name, Recorded.name], ["Values", "Later", "Recorded"]);
  });
});
