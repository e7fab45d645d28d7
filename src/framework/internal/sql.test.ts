/** What each library gets for one statement. The real libraries: conformance/work-engines.test.ts. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isStatementError, sqlOf } from "./sql.ts";

/** A library with one method, and the arguments of each call of it. */
function library(method: string, result: unknown) {
  const asked: unknown[][] = [];
  const given = { [method]: (...args: unknown[]) => (asked.push(args), Promise.resolve(result)) };
  return { asked, sql: sqlOf("tx", given, "WORK_INVALID") };
}
const rows = [{ id: 1 }];

describe("sqlOf", () => {
  test("runs a statement with values on each library, and returns its rows", async () => {
    const results = { unsafe: Object.assign([...rows], { command: "SELECT" }), query: { rows } };
    const seen: Record<string, unknown> = {};
    for (const method of ["unsafe", "executeQuery", "raw", "execute", "query"]) {
      const { sql, asked } = library(method, method === "unsafe" ? results.unsafe : results.query);
      assert.deepEqual((await sql.executeSql("select $1 ? 'a'", [{ a: 1 }])).rows, rows, method);
      seen[method] = asked[0];
    }
    assert.deepEqual(seen["raw"], [String.raw`select ? \? 'a'`, ['{"a":1}']]);
    assert.deepEqual([seen["unsafe"], seen["query"]], [seen["query"], ["select $1 ? 'a'", [{ a: 1 }]]]);
    const [compiled] = seen["executeQuery"] as [{ sql: string; parameters: unknown[] }];
    assert.deepEqual([compiled.sql, compiled.parameters], ["select $1 ? 'a'", [{ a: 1 }]]);
    const [wrapper] = seen["execute"] as [{ getSQL(): { toQuery(): unknown } }];
    assert.deepEqual(wrapper.getSQL().toQuery(), { sql: "select $1 ? 'a'", params: [{ a: 1 }] });
  });

  test("has the rows of all statements of one text, and null for an undefined value", async () => {
    const { sql, asked } = library("query", [{ rows }, { rows: [] }, { rows }]);
    assert.deepEqual((await sql.executeSql("select 1; select 2", [])).rows, [...rows, ...rows]);
    await sql.executeSql("select $1", [undefined]);
    assert.deepEqual(asked, [["select 1; select 2"], ["select $1", [null]]]);
    const knex = library("raw", { rows });
    await knex.sql.executeSql("select '?'");
    assert.deepEqual(knex.asked, [[String.raw`select '\?'`, []]]);
  });

  test("ends a failed transaction of PGlite, and of nothing else", async () => {
    const run: string[] = [];
    const failing = {
      query: () => Promise.resolve({ rows }),
      exec: async (text: string) => {
        run.push(text);
        if (text !== "rollback") throw new Error("no table");
      },
    };
    for (const text of ["BEGIN; select 1; COMMIT", "select 1; select 2"])
      await assert.rejects(sqlOf("db", failing, "WORK_INVALID").executeSql(text), { message: "no table" });
    assert.deepEqual(run, ["BEGIN; select 1; COMMIT", "rollback", "select 1; select 2"]);
  });
});

describe("isStatementError", () => {
  test("tells an error of a statement from one of the connection", () => {
    const codes = ["23505", "08006", "57P01", "53300", "ECONNRESET", undefined];
    assert.deepEqual(
      codes.map((code) => isStatementError({ code })),
      [true, false, false, false, false, false],
    );
  });
});
