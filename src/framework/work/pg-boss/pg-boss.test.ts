/** pg-boss on PGlite, PostgreSQL in this process. On a server: conformance/work-engines.test.ts. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { PGlite } from "@electric-sql/pglite";
import { z } from "zod";
import { appWith, until, workOfApp } from "../app.testkit.ts";
import { engineTests, numbered } from "../engine.testkit.ts";
import { job } from "../job.ts";
import { pgBossWork } from "./index.ts";

let database: PGlite;
before(async () => {
  database = await PGlite.create();
  await database.exec("create table orders (id int primary key)");
});
after(() => database.close());

const make = () => pgBossWork({ db: database, pollMs: 20 });

engineTests("pg-boss on PGlite", make, (name) =>
  database.query("update pgboss.job set start_after = now() - interval '1 s' where name = $1 and state = 'created'", [
    name,
  ]),
);

describe("pgBossWork", () => {
  test("sends in the caller's transaction: the row and its job commit together, and roll back together", async () => {
    const Number = numbered();
    const done: number[] = [];
    const { app } = appWith(make());
    const work = await workOfApp(app.job(Number, (value) => void done.push(value)));
    const order = (id: number, error?: Error): Promise<void> =>
      database.transaction(async (tx) => {
        await tx.query("insert into orders values ($1)", [id]);
        await work.send(Number, id, { tx });
        if (error !== undefined) throw error;
      });
    await order(1);
    await assert.rejects(order(2, new Error("no stock")), { message: "no stock" });
    await order(3);
    await until(() => done.length === 2);
    const { rows } = await database.query<{ id: number }>("select id from orders order by id");
    await app.stop();
    assert.deepEqual(
      [done, rows.map(({ id }) => id)],
      [
        [1, 3],
        [1, 3],
      ],
    );
  });

  test("says what a tx is", async () => {
    const Number = numbered();
    const { app } = appWith(make());
    const work = await workOfApp(app.job(Number, () => undefined));
    await assert.rejects(work.send(Number, 1, { tx: { begin: true } }), {
      code: "WORK_INVALID",
      message: /^the tx of work\.send\(number-\d+\) is \["begin"\]: a client, pool or transaction of pg, postgres\.js/,
    });
    await app.stop();
  });

  test("says how to make a queue that a transaction on one connection cannot make", async () => {
    const [Known, Unknown] = [numbered(), numbered()];
    const { app } = appWith(pgBossWork({ db: database, pollMs: 20, jobs: [Known] }));
    const work = await workOfApp(app);
    const send = (one: typeof Known): Promise<string> => database.transaction((tx) => work.send(one, 1, { tx }));
    await send(Known);
    await assert.rejects(send(Unknown), {
      code: "WORK_INVALID",
      message: new RegExp(
        `^the queue of ${Unknown.name} could not be made during the transaction: register it with app.job`,
      ),
    });
    await app.stop();
  });

  test("leaves a job of a newer version for a newer process", async () => {
    const Number = numbered();
    const { app, lines } = appWith(make());
    const work = await workOfApp(app.job(Number, () => assert.fail("it began")));
    await work.send(Number, 1, { delayMs: 60_000 });
    await database.query(
      "update pgboss.job set data = jsonb_set(data, '{v}', '2'), start_after = now() - interval '1 s' where name = $1",
      [Number.name],
    );
    await until(() => lines.length > 0);
    await until(async () => (await work.counts())[0]?.active === 0);
    const { rows } = await database.query(
      "select state, retry_count, start_after > now() as later from pgboss.job where name = $1",
      [Number.name],
    );
    await app.stop();
    assert.deepEqual(rows, [{ state: "retry", retry_count: 0, later: true }]);
    assert.match(String(lines[0]?.[1]), /^jobs of number-\d+ wait for a process with a newer version of the framework/);
  });

  test("does a job again whose process has died, when its lease is over", async () => {
    const Number = numbered({ timeoutMs: 1_000 });
    const { app } = appWith(pgBossWork({ db: database, pollMs: 20, maintenanceSeconds: 1 }));
    const attempts: number[] = [];
    const work = await workOfApp(app);
    const id = await work.send(Number, 1);
    // Another process has taken it, and its lease of 16 seconds is over.
    await database.query(
      "update pgboss.job set state = 'active', started_on = now() - interval '1 minute' where name = $1 and id = $2",
      [Number.name, id],
    );
    const other = appWith(make()).app.job(Number, (_value, run) => void attempts.push(run.attempt));
    await other.ready();
    await until(() => attempts.length === 1);
    await Promise.all([app.stop(), other.stop()]);
    assert.deepEqual(attempts, [2]);
  });

  test("stores an outcome when the database is back", async () => {
    const Number = numbered();
    let isAway = false;
    const db = {
      query: (text: string, values?: unknown[]): Promise<unknown> =>
        isAway ? Promise.reject(new Error("ECONNRESET")) : database.query(text, values),
      exec: (text: string): Promise<unknown> =>
        isAway ? Promise.reject(new Error("ECONNRESET")) : database.exec(text),
    };
    const { app, lines } = appWith(pgBossWork({ db, pollMs: 20 }));
    const work = await workOfApp(app.job(Number, () => void (isAway = true)));
    await work.send(Number, 1);
    await until(() => isAway && lines.length > 0);
    await assert.rejects(work.send(Number, 2), { status: 503, code: "WORK_AWAY" });
    isAway = false;
    await until(async () => {
      const [counts] = await work.counts();
      return counts?.active === 0 && counts.waiting === 0;
    });
    await app.stop();
    assert.deepEqual(
      lines.map(([, message]) => message),
      [
        "the engine of jobs, pg-boss, is away (ECONNRESET): jobs wait there, and sending one rejects",
        "the engine of jobs, pg-boss, is back",
      ],
    );
  });

  test("starts later when the database is away at the start", async () => {
    const Number = numbered();
    let isAway = true;
    const down = (): Promise<never> => Promise.reject(new Error("ECONNREFUSED"));
    const db = {
      query: (text: string, values?: unknown[]) => (isAway ? down() : database.query(text, values)),
      exec: (text: string) => (isAway ? down() : database.exec(text)),
    };
    const engine = pgBossWork({ db, pollMs: 20, sendTimeoutMs: 100 });
    const { app } = appWith(engine);
    const done: number[] = [];
    const work = await workOfApp(app.job(Number, (value) => void done.push(value)));
    await assert.rejects(work.send(Number, 1, { key: "k" }), { status: 503 });
    isAway = false;
    await until(() =>
      engine
        .check({ maxAgeMs: 60_000 })()
        .then(
          () => true,
          () => false,
        ),
    );
    await work.send(Number, 1, { key: "k" });
    await until(() => done.length === 1);
    await app.stop();
  });

  const wrong: Record<string, [options: object, message: RegExp]> = {
    "no database": [{ db: 7 }, /^pgBossWork's db is 7: a client, pool or transaction/],
    "an unknown option": [{ db: "", schemas: "a" }, /^pgBossWork has no option schemas/],
    "a schema that is none": [{ db: "", schema: "a b" }, /^pgBossWork has schema: "a b"/],
    "a time that is none": [{ db: "", pollMs: 1 }, /^pgBossWork has pollMs: 1; a whole number from 10/],
    "something else as a job": [{ db: "", jobs: [{}] }, /^pgBossWork, in its jobs, takes a job/],
  };
  for (const [title, [options, message]] of Object.entries(wrong))
    test(`throws on ${title}`, () =>
      assert.throws(() => pgBossWork(options as never), { code: "WORK_INVALID", message }));

  test("keeps the input of a job of any JSON", async () => {
    const Any = job("any-json", { input: z.unknown() });
    const { app } = appWith(make());
    const seen: unknown[] = [];
    const work = await workOfApp(app.job(Any, (value) => void seen.push(value)));
    for (const value of [null, "text", [1, { a: "?" }], { $1: "'" }]) await work.send(Any, value);
    await until(() => seen.length === 4);
    await app.stop();
    assert.deepEqual(seen, [null, "text", [1, { a: "?" }], { $1: "'" }]);
  });
});
