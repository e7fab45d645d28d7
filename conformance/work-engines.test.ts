/** Jobs on real servers: PostgreSQL through each of the libraries that send in a transaction. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { PGlite } from "@electric-sql/pglite";
import { drizzle } from "drizzle-orm/node-postgres";
import { sql as drizzleSql } from "drizzle-orm";
import { drizzle as drizzlePglite } from "drizzle-orm/pglite";
import knex from "knex";
import { Kysely, PostgresDialect, sql as kyselySql } from "kysely";
import { Pool } from "pg";
import postgres from "postgres";
import { Framework } from "framework";
import { job, Work } from "framework/work";
import { bullmqWork } from "framework/work/bullmq";
import { pgBossWork } from "framework/work/pg-boss";
import { Redis } from "ioredis";
import { isPostgresMissing, startPostgres } from "../test/database-servers.ts";
import { isRedisMissing, startRedis } from "../test/redis-server.ts";

const Order = job("order", {
  input: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] } as const,
});

/** A database of one library: inserts a row and sends its job in a transaction, which fails if told so. */
interface Library {
  readonly db: object | string;
  order(id: number, send: (tx: object) => Promise<unknown>, error?: Error): Promise<unknown>;
  rows(): Promise<readonly { readonly id: number }[]>;
  end(): Promise<unknown>;
}

type Connect = (server: Server) => Promise<Library>;

/** A database of the server. */
interface Server {
  readonly host: string;
  readonly user: string;
  readonly database: string;
}

const create = "create table orders (id int primary key)";
const insert = "insert into orders values ($1)";
const select = "select id from orders order by id";
const failing = (error: Error | undefined): void => {
  if (error !== undefined) throw error;
};

const libraries: Record<string, Connect> = {
  async pg(server) {
    const pool = new Pool(server);
    await pool.query(create);
    return {
      db: pool,
      async order(id, send, error) {
        const client = await pool.connect();
        try {
          await client.query("begin");
          await client.query(insert, [id]);
          await send(client);
          failing(error);
          await client.query("commit");
        } catch (failure) {
          await client.query("rollback");
          throw failure;
        } finally {
          client.release();
        }
      },
      rows: async () => (await pool.query<{ id: number }>(select)).rows,
      end: () => pool.end(),
    };
  },
  async "postgres.js"({ host, user, database }) {
    const db = postgres({ path: join(host, ".s.PGSQL.5432"), user, database, onnotice: () => undefined });
    await db.unsafe(create);
    return {
      db,
      order: (id, send, error) =>
        db.begin(async (tx) => {
          await tx`insert into orders values (${id})`;
          await send(tx);
          failing(error);
        }),
      rows: () => db<{ id: number }[]>`select id from orders order by id`,
      end: () => db.end(),
    };
  },
  async PGlite() {
    const db = await PGlite.create();
    await db.exec(create);
    return {
      db,
      order: (id, send, error) =>
        db.transaction(async (tx) => {
          await tx.query(insert, [id]);
          await send(tx);
          failing(error);
        }),
      rows: async () => (await db.query<{ id: number }>(select)).rows,
      end: () => db.close(),
    };
  },
  async Drizzle(server) {
    const pool = new Pool(server);
    const db = drizzle(pool);
    await db.execute(drizzleSql.raw(create));
    return {
      db: pool,
      order: (id, send, error) =>
        db.transaction(async (tx) => {
          await tx.execute(drizzleSql`insert into orders values (${id})`);
          await send(tx);
          failing(error);
        }),
      rows: async () => (await pool.query<{ id: number }>(select)).rows,
      end: () => pool.end(),
    };
  },
  async "Drizzle on PGlite"() {
    const client = await PGlite.create();
    const db = drizzlePglite({ client });
    await client.exec(create);
    return {
      db: client,
      order: (id, send, error) =>
        db.transaction(async (tx) => {
          await tx.execute(drizzleSql`insert into orders values (${id})`);
          await send(tx);
          failing(error);
        }),
      rows: async () => (await client.query<{ id: number }>(select)).rows,
      end: () => client.close(),
    };
  },
  async Kysely(server) {
    const db = new Kysely<object>({ dialect: new PostgresDialect({ pool: new Pool(server) }) });
    await kyselySql.raw(create).execute(db);
    return {
      db,
      order: (id, send, error) =>
        db.transaction().execute(async (tx) => {
          await kyselySql`insert into orders values (${id})`.execute(tx);
          await send(tx);
          failing(error);
        }),
      rows: async () => (await kyselySql.raw<{ id: number }>(select).execute(db)).rows,
      end: () => db.destroy(),
    };
  },
  async Knex(server) {
    const db = knex({ client: "pg", connection: { ...server } });
    await db.raw(create);
    return {
      db,
      order: (id, send, error) =>
        db.transaction(async (tx) => {
          await tx.raw("insert into orders values (?)", [id]);
          await send(tx);
          failing(error);
        }),
      rows: () => db.select<{ id: number }[]>("id").from("orders").orderBy("id"),
      end: () => db.destroy(),
    };
  },
};

/** An app with that engine, its bean, and the numbers of the orders whose jobs are done. */
async function working(t: TestContext, db: object | string): Promise<{ readonly work: Work; readonly done: number[] }> {
  const done: number[] = [];
  const app = Framework.create({ logger: { warn: () => undefined } }).work(pgBossWork({ db, pollMs: 20 }));
  app.job(Order, (input) => void done.push((input as { id: number }).id));
  await app.ready();
  t.after(() => app.stop());
  const work = app.container?.get(Work);
  assert.ok(work !== undefined);
  return { work, done };
}

async function until(holds: () => unknown): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe("pgBossWork on a server", { skip: isPostgresMissing() }, () => {
  test("commits a row and its job together, and rolls them back together", { timeout: 120_000 }, async (t) => {
    const { folder: host, user } = await startPostgres(t);
    const admin = new Pool({ host, user, database: "postgres" });
    for (const [name, connect] of Object.entries(libraries))
      await t.test(name, async (each) => {
        const database = name.replaceAll(/\W/g, "_").toLowerCase();
        await admin.query(`create database ${database}`);
        const { db, order, rows, end } = await connect({ host, user, database });
        const { work, done } = await working(each, db);
        each.after(end);
        const send = (id: number) => (tx: object) => work.send(Order, { id }, { tx, key: String(id) });
        await order(1, send(1));
        await assert.rejects(order(2, send(2), new Error("no stock")), { message: "no stock" });
        await assert.rejects(order(1, send(4)), /duplicate|Failed query/);
        await order(3, send(3));
        await until(() => done.length >= 2);
        await until(async () => (await work.counts())[0]?.active === 0);
        const [counts] = await work.counts();
        assert.deepEqual([done.toSorted(), (await rows()).map(({ id }) => id), counts?.waiting], [[1, 3], [1, 3], 0]);
      });
    await admin.end();
  });
});

describe("engines in a failure", () => {
  test("pg-boss: three processes that start at once make the tables", { skip: isPostgresMissing() }, async (t) => {
    const { folder: host, user } = await startPostgres(t);
    const pools = [1, 2, 3].map(() => new Pool({ host, user, database: "postgres" }));
    const lines: string[] = [];
    const apps = pools.map((db) =>
      Framework.create({ logger: { warn: (line) => void lines.push(line) } }).work(pgBossWork({ db })),
    );
    await Promise.all(apps.map((app) => app.ready()));
    assert.deepEqual(lines, []);
    for (const app of apps) await app.stop();
    for (const pool of pools) await pool.end();
  });

  test(
    "bullmq: a Redis that comes back empty has lost jobs and keys, and takes new ones",
    { skip: isRedisMissing() },
    async (t) => {
      const server = await startRedis(t);
      const connection = new Redis({ path: server.path, maxRetriesPerRequest: null, retryStrategy: () => 50 });
      connection.on("error", () => undefined);
      const done: unknown[] = [];
      const app = Framework.create({ logger: { warn: () => undefined } }).work(bullmqWork({ connection }));
      app.job(Order, (input) => void done.push(input));
      await app.ready();
      const work = app.container?.get(Work);
      assert.ok(work !== undefined);
      await work.send(Order, { id: 1 }, { delayMs: 60_000, key: "one" });
      await server.kill();
      await server.start();
      await until(() => connection.status === "ready");
      await until(() =>
        work.send(Order, { id: 2 }, { key: "one" }).then(
          () => true,
          () => false,
        ),
      );
      await until(() => done.length > 0);
      const [counts] = await work.counts();
      assert.deepEqual([done, counts?.waiting], [[{ id: 2 }], 0]);
      await app.stop();
      connection.disconnect();
    },
  );
});
