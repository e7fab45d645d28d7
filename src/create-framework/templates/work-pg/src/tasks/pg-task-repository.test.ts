/**
 * Tasks and jobs in a PostgreSQL that runs in this process. With DATABASE_URL the application also runs on that one.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { PGlite } from "@electric-sql/pglite";
import { Framework } from "framework";
import { Work } from "framework/work";
import { pgBossWork } from "framework/work/pg-boss";
import { createApp } from "../app.ts";
import { type Database, makeTables } from "../database.ts";
import { PgTaskRepository } from "./pg-task-repository.ts";
import { TaskChanged, type TaskEvent } from "./task-jobs.ts";
import type { Task } from "./task.ts";

const url = process.env["DATABASE_URL"] || undefined;
const milk: Task = { id: "1", title: "Buy milk", done: false };

describe("PgTaskRepository", () => {
  const events: TaskEvent[] = [];
  let pglite: PGlite;
  let database: Database;
  let app: Framework;
  let work: Work;

  before(async () => {
    pglite = await PGlite.create();
    database = pglite as Database;
    await makeTables(database);
    app = Framework.create({ logger: { warn: () => undefined } }).work(pgBossWork({ db: pglite, pollMs: 20 }));
    app.job(TaskChanged, (event) => void events.push(event));
    await app.ready();
    work = app.container?.get(Work) ?? assert.fail("the app has no beans");
  });
  after(async () => {
    await app.stop();
    await pglite.close();
  });

  const told = async (count: number): Promise<void> => {
    while (events.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it("keeps tasks in order, each change with its job", async () => {
    const tasks = new PgTaskRepository(database, work);
    await tasks.save(milk);
    await tasks.save({ id: "2", title: "Buy bread", done: false });
    await tasks.save({ ...milk, done: true });
    await told(3);
    const [first, second] = await tasks.list();
    assert.deepEqual([first, second?.id, await tasks.find("3")], [{ ...milk, done: true }, "2", undefined]);
    assert.deepEqual([await tasks.remove("2"), await tasks.remove("2")], [true, false]);
    await told(4);
    assert.deepEqual(
      events.map(({ id, change }) => `${change} ${id}`),
      ["saved 1", "saved 2", "saved 1", "removed 2"],
    );
  });

  it("keeps neither the task nor the job when the transaction fails", async () => {
    const failing: Database = {
      query: (text, values) => database.query(text, values),
      transaction: (all) =>
        database.transaction(async (tx) => {
          await all(tx);
          throw Object.assign(new Error("no space left"), { code: "54000" });
        }),
    };
    const before = events.length;
    await assert.rejects(new PgTaskRepository(failing, work).save({ ...milk, id: "9" }), { code: "54000" });
    const tasks = new PgTaskRepository(database, work);
    await tasks.save({ ...milk, id: "10" });
    await told(before + 1);
    assert.deepEqual([await tasks.find("9"), events.at(-1)], [undefined, { id: "10", change: "saved" }]);
  });

  it("responds with 503 while the database is away", async () => {
    const away = async (): Promise<never> => {
      throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    };
    const tasks = new PgTaskRepository({ query: away, transaction: away }, work);
    for (const asked of [tasks.list(), tasks.find("1"), tasks.save(milk), tasks.remove("1")])
      await assert.rejects(asked, { status: 503 });
  });
});

describe("the application", { skip: url === undefined && "no DATABASE_URL" }, () => {
  it("keeps a task in the database, and a worker has its job", async () => {
    const [web, worker] = await Promise.all(
      (["web", "worker"] as const).map((role) => createApp({ databaseUrl: url, role, log: () => undefined })),
    );
    assert.ok(web !== undefined && worker !== undefined);
    await Promise.all([web.app.ready(), worker.app.ready()]);
    const init = { method: "POST", body: '{"title":"Buy oats"}', headers: { "Content-Type": "application/json" } };
    const { id } = (await (await web.app.request("/tasks", init)).json()) as Task;
    assert.equal((await web.app.request(`/tasks/${id}`)).status, 200);
    const work = worker.beans.get(Work);
    for (let left = 1; left > 0;) {
      const [counts] = await work.counts();
      left = (counts?.waiting ?? 1) + (counts?.active ?? 1);
    }
    for (const { app, beans } of [web, worker]) {
      await app.stop();
      await beans.close();
    }
  });
});
