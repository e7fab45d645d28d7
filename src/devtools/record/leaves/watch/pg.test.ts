/** pg with devtools.watch: leaves under the call that sent the statement, and a client that works as before (LEAF). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, it, type TestContext } from "node:test";
import { Client, Pool, type PoolConfig, Query } from "pg";
import QueryStream from "pg-query-stream";
import type { Leaf, Trace } from "../../../index.ts";
import { Watched } from "../watched.testkit.ts";
import { postgresServer } from "./servers.testkit.ts";

let [server, close]: [PoolConfig, () => unknown] = [{}, () => undefined];
before(async () => {
  const started = await postgresServer();
  server = { host: "127.0.0.1", port: started.port, user: "postgres", database: "postgres" };
  close = () => started.close();
});
after(() => close());

/** An application with a watched pool of one connection, whose route runs the work in a bean. */
function watchedPool(t: TestContext, work: (pool: Pool, id: string) => unknown): Watched {
  const watched: Watched = new Watched({}, (ctx, store) => store.load(() => work(pool, ctx.params["id"] ?? "")));
  const pool = watched.devtools.watch(new Pool({ ...server, max: 1 }));
  t.after(() => pool.end());
  return watched;
}

const leavesOf = async (watched: Watched): Promise<readonly Leaf[]> => (await watched.trace()).leaves;
const shown = (leaves: readonly Leaf[]): readonly unknown[] =>
  leaves.map(({ kind, name, parentId, detail, error, durationUs }) => {
    assert.notEqual(durationUs, null);
    const { statement, parameters, rows } = detail as { statement?: string; parameters?: unknown; rows?: number };
    return [kind, name, parentId, statement, parameters, rows, error?.message];
  });

describe("Devtools.watch, for pg", () => {
  it("shows statement, parameters, rows and error of each statement under its call", async (t) => {
    const watched = watchedPool(t, async (pool) => {
      await pool.query("create temporary table t (a int, password text)");
      await pool.query({ text: "insert into t values ($1, $2), (3, 'x')", values: [2, "hunter2"] });
      await pool.query("select a from t where a > $1", [2]);
      await pool.query("select a from t where a > 9");
      await pool.query("select nothing from t").catch(() => undefined);
      await pool.query("select 1; select 2 as b");
    });
    assert.deepEqual(shown(await leavesOf(watched)), [
      ["sql", "CREATE", 0, "create temporary table t (a int, password text)", [], null, undefined],
      ["sql", "INSERT", 0, "insert into t values ($1, $2), (3, 'x')", [2, "hunter2"], 2, undefined],
      ["sql", "SELECT", 0, "select a from t where a > $1", [2], 1, undefined],
      ["sql", "SELECT", 0, "select a from t where a > 9", [], 0, undefined],
      ["sql", "SELECT", 0, "select nothing from t", [], null, 'column "nothing" does not exist'],
      ["sql", "SELECT", 0, "select 1; select 2 as b", [], 1, undefined],
    ]);
  });

  it("LEAF-009: keeps eight runs apart that wait for one connection, and work outside of any run", async (t) => {
    const pools: Pool[] = [];
    const watched = watchedPool(t, async (pool, id) => {
      pools.push(pool);
      await pool.query("select $1::text as first", [id]);
      const client = await pool.connect();
      await client.query("select $1::text as second", [id]);
      client.release();
      await new Promise<void>((resolve, reject) =>
        pool.connect((error, one, done) => {
          if (one === undefined) return reject(error ?? new Error("no client"));
          one.query("select $1::text as third", [id], () => {
            one.query("select $1::text as fourth", [id], () => resolve(done()));
          });
        }),
      );
    });
    const requests = Array.from({ length: 8 }, (_, id) => watched.app.fetch(new Request(`http://localhost/${id}`)));
    while (pools.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const outside = pools[0]?.query("select 'outside'");
    await Promise.all([...requests, outside]);
    const traces = await watched.traces();
    assert.deepEqual(
      traces.map(({ path, leaves }: Trace) => [path, shown(leaves)]).toSorted(),
      Array.from({ length: 8 }, (_, id) => [
        `/${id}`,
        ["first", "second", "third", "fourth"].map((name) => {
          return ["sql", "SELECT", 0, `select $1::text as ${name}`, [`${id}`], 1, undefined];
        }),
      ]),
    );
  });

  it("counts the rows of a stream and of a query object, and has their error", async (t) => {
    const series = "select generate_series(1, $1) as n";
    const watched = watchedPool(t, async (pool) => {
      const client = await pool.connect();
      const rows: unknown[] = [];
      for await (const row of client.query(new QueryStream(series, [250]))) rows.push(row);
      assert.equal(rows.length, 250);
      const query = client.query(new Query("select 1 as a"));
      assert.ok(query instanceof Query);
      await once(query, "end");
      const failing = client.query(new Query("select no"));
      const [error] = (await once(failing, "error").catch((thrown: unknown) => [thrown])) as [Error];
      assert.equal(error.message, 'column "no" does not exist');
      await client.query("select 2");
      client.release();
    });
    assert.deepEqual(shown(await leavesOf(watched)), [
      ["sql", "SELECT", 0, series, ["250"], 250, undefined],
      ["sql", "SELECT", 0, "select 1 as a", [], 1, undefined],
      ["sql", "SELECT", 0, "select no", [], null, 'column "no" does not exist'],
      ["sql", "SELECT", 0, "select 2", [], 1, undefined],
    ]);
  });

  it("shows a connection that fails", async (t) => {
    const watched: Watched = new Watched({}, (_, store) =>
      store.load(async () => {
        await pool.query("select 1").catch(() => undefined);
        await pool.connect().catch(() => undefined);
      }),
    );
    const pool = watched.devtools.watch(new Pool({ ...server, port: 1 }));
    t.after(() => pool.end());
    const [first, second, ...more] = shown(await leavesOf(watched)) as unknown[][];
    for (const leaf of [first, second]) {
      assert.deepEqual(leaf?.slice(0, 3), ["span", "connect", 0]);
      assert.match(String(leaf?.[6]), /ECONNREFUSED/);
    }
    assert.deepEqual(more, []);
  });

  it("returns the same object, once watched however often, with methods that look as before", async (t) => {
    class OwnClient extends Client {
      readonly #texts: string[] = [];
      get texts(): readonly string[] {
        return this.#texts;
      }
      override query(...args: unknown[]): never {
        this.#texts.push(String(args[0]));
        return Reflect.apply(super.query, this, args) as never;
      }
    }
    const client = new OwnClient(server);
    const { query } = client;
    const watched: Watched = new Watched({}, (_, store) =>
      store.load(async () => {
        await client.query("select 1");
        const config = { text: "select 2", callback: () => undefined };
        const { callback } = config;
        client.query(config);
        await new Promise((resolve) => client.query({ text: "select 3" }, resolve as never));
        assert.equal(config.callback, callback);
        assert.throws(() => client.query(undefined), /null or undefined query/);
      }),
    );
    assert.equal(watched.devtools.watch(watched.devtools.watch(client)), client);
    assert.deepEqual(
      [client.query.name, client.query.length, Object.keys(client).includes("query")],
      ["query", query.length, false],
    );
    await client.connect();
    t.after(() => client.end());
    const leaves = await leavesOf(watched);
    assert.deepEqual(
      leaves.map(({ detail, error }) => ["statement" in detail && detail.statement, error?.name]),
      [
        ["select 1", undefined],
        ["select 2", undefined],
        ["select 3", undefined],
        ["", "TypeError"],
      ],
    );
    assert.deepEqual(client.texts, ["select 1", "[object Object]", "[object Object]", "undefined"]);
  });

  it("leaves an unhandled rejection unhandled", async (t) => {
    const watched = watchedPool(t, (pool) => void pool.query("select nothing"));
    const unhandled = once(process, "unhandledRejection");
    const kept = process.listeners("unhandledRejection").slice(0, -1);
    for (const listener of kept) process.off("unhandledRejection", listener);
    await watched.trace();
    const [error] = (await unhandled) as [Error];
    for (const listener of kept) process.on("unhandledRejection", listener);
    assert.equal(error.message, 'column "nothing" does not exist');
  });
});
