/**
 * What the tests share: the bank on a free port, with more routes, whose transactions wait, fail and nest.
 */
import { createApp } from "./app.ts"; // first: it patches pg
import { EventEmitter, once } from "node:events";
import type { TestContext } from "node:test";
import { type Context, type Framework, HttpError } from "framework";
import type { PoolConfig } from "pg";
import { AccountRepository, type Store } from "./accounts.ts";
import { Postgres } from "./postgres.ts";
import { Transactions } from "./transactions.ts";

/** A bank that runs until the test is over. */
export interface Bank {
  readonly app: Framework;
  /** A test waits for `written` and `waiting`, and sends `go`. */
  readonly events: EventEmitter;
  /** What was logged as an error, and as a warning. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  get(path: string): Promise<readonly [status: number, body: unknown]>;
  post(path: string, body?: object): Promise<readonly [status: number, body: unknown]>;
}

/** Starts a bank. */
export async function openBank(t: TestContext, database: PoolConfig, store: Store): Promise<Bank> {
  const [events, errors, warnings] = [new EventEmitter(), [] as string[], [] as string[]];
  const logger = {
    info() {},
    warn: (line: string) => void warnings.push(line),
    error: (line: string) => void errors.push(line),
  };
  const app = await createApp({ database, store, logger });
  addWaiting(app, events);
  addFailing(app);
  app.post("/broken", (ctx) => ctx.get(Postgres).query("select nothing"));
  await app.start(0);
  t.after(() => app.stop());
  const ask = async (path: string, init?: RequestInit): Promise<readonly [number, unknown]> => {
    const response = await fetch(`${app.url}${path}`, init);
    const text = await response.text();
    const type = response.headers.get("content-type") ?? "";
    return [response.status, type.includes("json") ? (JSON.parse(text) as unknown) : text];
  };
  const headers = { "Content-Type": "application/json" };
  const post: Bank["post"] = (path, body = {}) => ask(path, { method: "POST", headers, body: JSON.stringify(body) });
  return { app, events, errors, warnings, get: ask, post };
}

const run = <T>(ctx: Context, work: (accounts: AccountRepository) => Promise<T>): Promise<T> =>
  ctx.get(Transactions).run(() => work(ctx.get(AccountRepository)));

function addWaiting(app: Framework, events: EventEmitter): void {
  app.post("/waits/{owner}", (ctx) =>
    run(ctx, async (accounts) => {
      await accounts.add({ owner: ctx.params.owner, cents: 1 });
      const go = once(events, "go");
      events.emit("written");
      await go;
      throw new HttpError(418, "thrown behind the statement");
    }),
  );
  app.post("/both/{first}/{second}", (ctx) =>
    run(ctx, async (accounts) => {
      await accounts.change(ctx.params.first, 1);
      const go = once(events, "go");
      events.emit("waiting");
      await go;
      await accounts.change(ctx.params.second, 1);
      return "both";
    }),
  );
  app.post("/forgets/{owner}", async (ctx) => {
    const forgotten: Promise<unknown>[] = [];
    await run(ctx, async (accounts) => {
      forgotten.push(once(events, "go").then(() => accounts.find(ctx.params.owner)));
    });
    events.emit("go");
    const [outcome] = await Promise.allSettled(forgotten);
    return outcome?.status === "rejected" ? String(outcome.reason) : "found";
  });
}

function addFailing(app: Framework): void {
  app.post("/two/{one}/{other}", (ctx) =>
    run(ctx, async (accounts) => {
      for (const owner of [ctx.params.one, ctx.params.other]) await accounts.add({ owner, cents: 777 });
      return "two";
    }),
  );
  app.post("/swallows/{owner}", (ctx) =>
    run(ctx, async (accounts) => {
      await accounts.add({ owner: ctx.params.owner, cents: 1 });
      await accounts.add({ owner: ctx.params.owner, cents: 1 }).catch(() => undefined);
      return "kept";
    }),
  );
  app.post("/nests", (ctx) =>
    run(ctx, async (accounts) => {
      const innermost = (cents: number): Promise<void> => run(ctx, () => accounts.add({ owner: "innermost", cents }));
      const inner = (cents: number): Promise<void> =>
        run(ctx, async () => {
          await accounts.add({ owner: `inner ${cents}`, cents: 1 });
          await innermost(cents);
        });
      await accounts.add({ owner: "outer", cents: 1 });
      await inner(-1).catch(() => undefined);
      await inner(5);
      return "nested";
    }),
  );
}
