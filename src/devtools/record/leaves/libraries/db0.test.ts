/** Statements of db0 itself, over a driver with given results, as leaves. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createDatabase } from "db0";
import { withTracing } from "db0/tracing";
import { Watched } from "../watched.testkit.ts";
import { faultsOf } from "./published.testkit.ts";

describe("db0", () => {
  it("shows a statement as a leaf, with the rows that its method returns and the error it failed with", async () => {
    const rows = [{ id: 1 }, { id: 2 }];
    const database = withTracing(
      createDatabase({
        name: "test",
        dialect: "libsql",
        getInstance: () => undefined,
        exec: (sql) => (sql.startsWith("nonsense") ? Promise.reject(new RangeError("syntax")) : Promise.resolve()),
        prepare: (sql) => ({
          bind: () => assert.fail("no statement of this test is bound"),
          all: () => Promise.resolve(rows),
          run: () => Promise.resolve({ success: true }),
          get: () => Promise.resolve(sql.includes("none") ? undefined : rows[0]),
        }),
      }),
    );
    const watched = new Watched({}, async () => {
      await database.prepare("select id from a").all(1);
      await database.prepare("select id from a limit 1").get();
      await database.prepare("select id from none").get();
      await database.sql`select id from a where id > ${0}`;
      await database.exec("delete from a");
      await assert.rejects(database.exec("nonsense"));
    });
    const { leaves } = await watched.trace();
    assert.deepEqual(faultsOf(watched), []);
    assert.deepEqual(
      leaves.map(({ kind, name, detail, error }) => [kind, name, detail, error?.message]),
      [
        ["sql", "SELECT", sql("select id from a", rows), undefined],
        ["sql", "SELECT", sql("select id from a limit 1", [rows[0]]), undefined],
        ["sql", "SELECT", sql("select id from none", []), undefined],
        ["sql", "SELECT", sql("select id from a where id > ?", rows), undefined],
        ["sql", "DELETE", sql("delete from a"), undefined],
        ["sql", "NONSENSE", sql("nonsense"), "syntax"],
      ],
    );
  });
});

/** The leaf of a statement, with its rows if they are known. */
const sql = (statement: string, result?: readonly unknown[]) => ({
  system: "sqlite",
  statement,
  parameters: [],
  rows: result?.length ?? null,
  ...(result && { result }),
});
