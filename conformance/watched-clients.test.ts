/**
 * `devtools.watch` with real servers: pg, postgres.js, Drizzle, Kysely, Knex and TypeORM with PostgreSQL, node-redis with Redis.
 *
 *   eight requests at once ──▶ a bean each ──▶ the library, with fewer connections ──▶ server on a Unix socket
 *
 * Each run must have its own statements, under the call of its bean. Missing servers are skipped with that reason.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { eq, sql as raw } from "drizzle-orm";
import { drizzle as drizzlePg } from "drizzle-orm/node-postgres";
import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { drizzle as drizzlePostgres } from "drizzle-orm/postgres-js";
import knexOf from "knex";
import { Kysely, PostgresDialect } from "kysely";
import { Pool } from "pg";
import postgres from "postgres";
import { createClient, createClientPool } from "redis";
import { DataSource } from "typeorm";
import { Devtools, type Trace } from "@framework/devtools";
import { Beans, Framework, Interface } from "framework";
import { isPostgresMissing, startPostgres } from "../test/database-servers.ts";
import { isRedisMissing, startRedis } from "../test/redis-server.ts";

interface Accounts {
  use(id: number): Promise<void>;
}
const Accounts = Interface<Accounts>("Accounts");

/** Uses a library for one account: its row in the table `accounts` has the id as `cents`. */
type Use = (id: number) => Promise<unknown>;

/** The leaves of eight runs at once, in the order of their ids. Each must be over and below the bean's call. */
async function eightRuns(prepare: (devtools: Devtools) => Promise<Use> | Use): Promise<readonly (readonly string[])[]> {
  const devtools = Devtools.create();
  const use = await prepare(devtools);
  const beans = Beans.builder()
    .bind(Accounts, () => ({ use: async (id) => void (await use(id)) }))
    .instrument(devtools.recorder())
    .start();
  const app = Framework.create({ logger: { warn() {}, error: (line) => assert.fail(line) } }).beans(beans);
  app.get("/{id}", (ctx) => ctx.get(Accounts).use(Number(ctx.params.id)));
  devtools.install(app, beans);
  const send = async (id: number): Promise<void> =>
    assert.equal((await app.fetch(new Request(`http://localhost/${id}`))).status, 204);
  await Promise.all(Array.from({ length: 8 }, (_, id) => send(id + 1)));
  const list = new Request("http://localhost/framework/dev/api/requests", { headers: { host: "localhost" } });
  const traces = (await (await app.fetch(list, { peerAddress: "127.0.0.1" })).json()) as Trace[];
  await app.stop();
  return traces
    .toSorted((a, b) => Number(a.path.slice(1)) - Number(b.path.slice(1)))
    .map(({ path, leaves }) =>
      leaves.map(({ kind, parentId, durationUs, error, detail, name }) => {
        assert.deepEqual([parentId, durationUs === null, error], [0, false, null], `${path}: ${name}`);
        const own = path.slice(1);
        const values =
          "parameters" in detail ? detail.parameters : "args" in detail ? [detail.key, ...detail.args] : [];
        const rows = "rows" in detail ? ` ${detail.rows}` : "";
        return `${kind} ${name} [${values.map((value) => (String(value) === own ? "own id" : String(value))).join()}]${rows}`;
      }),
    );
}

/** Every run has these leaves. @param close closes the connections, before the server ends */
async function expectEach(
  close: () => unknown,
  prepare: Parameters<typeof eightRuns>[0],
  expected: readonly string[],
): Promise<void> {
  const runs = await eightRuns(prepare).finally(close);
  assert.deepEqual(
    runs,
    Array.from({ length: 8 }, () => expected),
  );
}

const accounts = pgTable("accounts", { owner: text().primaryKey(), cents: integer().notNull() });
interface Tables {
  readonly accounts: { readonly owner: string; readonly cents: number };
}
interface Server {
  readonly host: string;
  readonly user: string;
  readonly database: string;
}
/** Fewer connections than runs. */
const max = 2;

const libraries: Readonly<Record<string, (server: Server) => Promise<void>>> = {
  async pg(server) {
    const pool = new Pool({ ...server, max });
    const prepare = (devtools: Devtools): Use => {
      const watched = devtools.watch(pool);
      return async (id) => {
        await watched.query("select owner from accounts where cents = $1", [id]);
        const client = await watched.connect();
        await client.query("begin");
        await client.query("update accounts set owner = owner where cents = $1", [id]);
        await client.query("commit");
        client.release();
      };
    };
    await expectEach(() => pool.end(), prepare, [
      "sql SELECT [own id] 1",
      "sql BEGIN [] null",
      "sql UPDATE [own id] 1",
      "sql COMMIT [] null",
    ]);
  },

  async "postgres.js"(server) {
    const own = postgres({ path: `${server.host}/.s.PGSQL.5432`, user: server.user, database: server.database, max });
    const prepare = (devtools: Devtools): Use => {
      const sql = devtools.watch(own);
      return async (id) => {
        await sql`select owner from accounts where cents = ${id}`;
        await sql.begin((tx) => tx`update accounts set owner = owner where cents = ${id}`);
      };
    };
    await expectEach(() => own.end(), prepare, [
      "sql SELECT [own id] 1",
      "sql BEGIN [] null",
      "sql UPDATE [own id] 1",
      "sql COMMIT [] null",
    ]);
  },

  async Drizzle(server) {
    const pool = new Pool({ ...server, max });
    const prepare = (devtools: Devtools): Use => {
      const db = drizzlePg(devtools.watch(pool));
      return async (id) => {
        await db.select().from(accounts).where(eq(accounts.cents, id));
        await db.transaction(async (tx) => {
          await tx
            .update(accounts)
            .set({ owner: raw`owner` })
            .where(eq(accounts.cents, id));
        });
      };
    };
    await expectEach(() => pool.end(), prepare, [
      "sql SELECT [own id] 1",
      "sql BEGIN [] null",
      "sql UPDATE [own id] 1",
      "sql COMMIT [] null",
    ]);
  },

  async "Drizzle, with postgres.js"(server) {
    const own = postgres({ path: `${server.host}/.s.PGSQL.5432`, user: server.user, database: server.database, max });
    const prepare = (devtools: Devtools): Use => {
      const db = drizzlePostgres(devtools.watch(own));
      return (id) => db.transaction((tx) => tx.select().from(accounts).where(eq(accounts.cents, id)));
    };
    await expectEach(() => own.end(), prepare, ["sql BEGIN [] null", "sql SELECT [own id] 1", "sql COMMIT [] null"]);
  },

  async Kysely(server) {
    const pool = new Pool({ ...server, max });
    const prepare = (devtools: Devtools): Use => {
      const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: devtools.watch(pool) }) });
      return async (id) => {
        await db.selectFrom("accounts").select("owner").where("cents", "=", id).execute();
        await db
          .transaction()
          .execute((tx) => tx.updateTable("accounts").set({ cents: id }).where("cents", "=", id).execute());
      };
    };
    await expectEach(() => pool.end(), prepare, [
      "sql SELECT [own id] 1",
      "sql BEGIN [] null",
      "sql UPDATE [own id,own id] 1",
      "sql COMMIT [] null",
    ]);
  },

  async Knex(server) {
    const made: ReturnType<typeof knexOf>[] = [];
    const prepare = (devtools: Devtools): Use => {
      const afterCreate = (connection: object, done: (error: null, connection: object) => void): void =>
        done(null, devtools.watch(connection));
      const knex = knexOf({ client: "pg", connection: { ...server }, pool: { min: 0, max, afterCreate } });
      made.push(knex);
      return async (id) => {
        await knex("accounts").where({ cents: id });
        await knex.transaction((tx) => tx("accounts").where({ cents: id }).update({ cents: id }));
      };
    };
    await expectEach(() => made[0]?.destroy(), prepare, [
      "sql SELECT [own id] 1",
      "sql BEGIN [] null",
      "sql UPDATE [own id,own id] 1",
      "sql COMMIT [] null",
    ]);
  },

  async TypeORM(server) {
    const source = new DataSource({
      type: "postgres",
      host: server.host,
      username: server.user,
      database: server.database,
      poolSize: max,
    });
    await source.initialize();
    const prepare = (devtools: Devtools): Use => {
      devtools.watch((source.driver as unknown as { readonly master: Pool }).master);
      return async (id) => {
        await source.query("select owner from accounts where cents = $1", [id]);
        await source.transaction((manager) =>
          manager.query("update accounts set cents = cents where cents = $1", [id]),
        );
      };
    };
    await expectEach(() => source.destroy(), prepare, [
      "sql SELECT [own id] 1",
      "sql START [] null",
      "sql UPDATE [own id] 1",
      "sql COMMIT [] null",
    ]);
  },
};

describe("Devtools.watch, with PostgreSQL", { skip: isPostgresMissing() }, () => {
  for (const [name, expects] of Object.entries(libraries))
    test(`${name}: eight runs at once have their own statements`, async (t) => {
      const { folder, user } = await startPostgres(t);
      const server = { host: folder, user, database: "postgres" };
      const pool = new Pool(server);
      await pool.query("create table accounts (owner text primary key, cents integer not null)");
      await pool.query("insert into accounts select 'owner ' || id, id from generate_series(1, 8) id");
      await pool.end();
      await expects(server);
    });
});

describe("Devtools.watch, with Redis", { skip: isRedisMissing() }, () => {
  test("eight runs at once have their own commands, by a client and by a pool of two", async (t) => {
    const { path } = await startRedis(t);
    const options = { socket: { path, tls: false } } as const;
    const client = createClient(options);
    const pool = createClientPool(options, { minimum: 1, maximum: max });
    await client.connect();
    await pool.connect();
    const prepare = (devtools: Devtools): Use => {
      devtools.watch(client);
      devtools.watch(pool);
      return async (id) => {
        await client.set("last", `${id}`);
        await client.multi().set(`${id}`, "x").get(`${id}`).exec();
        await pool.get(`${id}`);
        await pool.multi().del(`${id}`).exec();
      };
    };
    await expectEach(() => (client.destroy(), pool.destroy()), prepare, [
      "cache SET [last,own id]",
      "cache MULTI []",
      "cache SET [own id,x]",
      "cache GET [own id]",
      "cache GET [own id]",
      "cache MULTI []",
      "cache DEL [own id]",
    ]);
  });
});
