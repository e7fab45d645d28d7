/** postgres.js with devtools.watch: a proxy that sends the same statements, and leaves for them (LEAF). */
import assert from "node:assert/strict";
import { after, before, describe, it, type TestContext } from "node:test";
import postgres from "postgres";
import type { Leaf } from "../../../index.ts";
import { Watched } from "../watched.testkit.ts";
import { postgresServer, type TestServer } from "./servers.testkit.ts";

let server: TestServer | undefined;
before(async () => {
  server = await postgresServer();
});
after(() => server?.close());

/** An application with a watched function, whose route runs the work in a bean. */
function watchedSql(t: TestContext, work: (sql: postgres.Sql, id: string) => unknown, port = server?.port): Watched {
  const watched: Watched = new Watched({}, (ctx, store) => store.load(() => work(sql, ctx.params["id"] ?? "")));
  const options = {
    host: "127.0.0.1",
    port: port ?? 0,
    user: "postgres",
    database: "postgres",
    max: 1,
    backoff: () => 0,
  };
  const sql = watched.devtools.watch(postgres({ ...options, onnotice: () => undefined }));
  t.after(() => sql.end({ timeout: 0 }));
  return watched;
}

const shown = (leaves: readonly Leaf[]): readonly unknown[] =>
  leaves.map(({ kind, parentId, detail, error, durationUs }) => {
    assert.deepEqual([kind, parentId, durationUs === null], ["sql", 0, false]);
    const { statement, parameters, rows } = detail as {
      statement: string;
      parameters: readonly unknown[];
      rows: number;
    };
    return [statement, parameters, rows, error?.message];
  });
const leavesOf = async (watched: Watched): Promise<readonly unknown[]> => shown((await watched.trace()).leaves);

describe("Devtools.watch, for postgres.js", () => {
  it("shows the text with its fragments, parameters, rows and error of each sent statement", async (t) => {
    const watched = watchedSql(t, async (sql) => {
      await sql`create temporary table t (a int, b text)`.simple();
      await sql`insert into t ${sql([{ a: 1, b: "x" }])}`;
      const bigger = sql`a > ${0}`;
      assert.deepEqual([...(await sql`select a, b from t where ${bigger} and b = ${"x"}`)], [{ a: 1, b: "x" }]);
      await sql.unsafe("update t set a = $1", [7]);
      await sql`select nothing from t`.catch(() => undefined);
      void sql`select 'never awaited, never sent'`;
    });
    assert.deepEqual(await leavesOf(watched), [
      ["create temporary table t (a int, b text)", [], null, undefined],
      ['insert into t ("a","b")values($1,$2)', ["1", "x"], 1, undefined],
      ["select a, b from t where a > $1 and b = $2", ["0", "x"], 1, undefined],
      ["update t set a = $1", ["7"], 1, undefined],
      ["select nothing from t", [], null, 'column "nothing" does not exist'],
    ]);
  });

  it("shows the statements of transactions, savepoints and reserved connections", async (t) => {
    const watched = watchedSql(t, async (sql) => {
      assert.equal(
        await sql.begin("isolation level serializable", async (tx) => {
          await tx`select 1`;
          await tx.savepoint((inner) => inner`select nothing`).catch(() => undefined);
          return 7;
        }),
        7,
      );
      await assert.rejects(
        sql.begin(() => {
          throw new RangeError("no");
        }),
        RangeError,
      );
      const reserved = await sql.reserve();
      await reserved`select 2`;
      reserved.release();
    });
    assert.deepEqual(
      (await leavesOf(watched)).map((leaf) => (leaf as unknown[])[0]),
      [
        "begin isolation level serializable",
        "select 1",
        "savepoint",
        "select nothing",
        "rollback to savepoint",
        "commit",
        "begin",
        "rollback",
        "select 2",
      ],
    );
  });

  it("ends the leaf of a cursor and of a stream of rows when it is over", async (t) => {
    const watched = watchedSql(t, async (sql) => {
      const seen: unknown[] = [];
      for await (const rows of sql`select generate_series(1, 5) as n`.cursor(2)) seen.push(rows.length);
      for await (const rows of sql`select generate_series(1, 9) as n`.cursor(2)) {
        seen.push(rows.length);
        break;
      }
      await sql`select generate_series(1, 3) as n`.forEach((row) => void seen.push(row["n"]));
      assert.deepEqual(seen, [2, 2, 1, 2, 1, 2, 3]);
    });
    assert.deepEqual(await leavesOf(watched), [
      ["select generate_series(1, 5) as n", [], null, undefined],
      ["select generate_series(1, 9) as n", [], null, undefined],
      ["select generate_series(1, 3) as n", [], 3, undefined],
    ]);
  });

  it("LEAF-009: keeps eight runs apart that wait for one connection", async (t) => {
    const watched = watchedSql(t, async (sql, id) => {
      await sql`select ${id}::text as first`;
      await sql.begin((tx) => tx`select ${id}::text as second`);
    });
    await Promise.all(Array.from({ length: 8 }, (_, id) => watched.app.fetch(new Request(`http://localhost/${id}`))));
    const traces = (await watched.traces()).toSorted((a, b) => a.path.localeCompare(b.path));
    assert.deepEqual(
      traces.map(({ leaves }) => shown(leaves)),
      Array.from({ length: 8 }, (_, id) => [
        ["select $1::text as first", [`${id}`], 1, undefined],
        ["begin", [], null, undefined],
        ["select $1::text as second", [`${id}`], 1, undefined],
        ["commit", [], null, undefined],
      ]),
    );
  });

  it("is one proxy of the function, with its members", async (t) => {
    const watched = watchedSql(t, () => undefined);
    const sql = postgres({ host: "127.0.0.1", port: 1, backoff: () => 0 });
    const proxy = watched.devtools.watch(sql);
    assert.notEqual(proxy, sql);
    assert.deepEqual([watched.devtools.watch(sql), watched.devtools.watch(proxy)], [proxy, proxy]);
    assert.deepEqual(
      [proxy.options, proxy.unsafe, proxy.PostgresError],
      [sql.options, proxy.unsafe, sql.PostgresError],
    );
    assert.equal((proxy("name") as unknown as { value: string }).value, '"name"');
  });

  it("shows a transaction that cannot begin", async (t) => {
    const watched = watchedSql(
      t,
      async (sql) => {
        await sql.begin((tx) => tx`select 1`).catch(() => undefined);
        await sql`select 2`.catch(() => undefined);
      },
      1,
    );
    const refused = "connect ECONNREFUSED 127.0.0.1:1";
    assert.deepEqual(await leavesOf(watched), [
      ["begin", [], null, refused],
      ["select 2", [], null, refused],
    ]);
  });
});
