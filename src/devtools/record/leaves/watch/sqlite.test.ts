/**
 * node:sqlite and better-sqlite3 with devtools.watch, each where it can be loaded (LEAF). Node 20 has no node:sqlite, and the
 * installation builds no native code, so coverage leaves sqlite.ts out. conformance/runtimes.test.ts runs this on newer Nodes.
 */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { describe, it } from "node:test";
import type { Leaf } from "../../../index.ts";
import { Watched } from "../watched.testkit.ts";

/** The members of a statement that both libraries have. */
interface Statement {
  run(...parameters: readonly unknown[]): { readonly changes: number | bigint };
  get(...parameters: readonly unknown[]): unknown;
  all(...parameters: readonly unknown[]): unknown[];
  iterate(...parameters: readonly unknown[]): IterableIterator<unknown>;
}
interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  close(): unknown;
}
type Open = new (path: string) => Database;

const load = createRequire(import.meta.url);
/** The class of a library, or the reason why it cannot be tested here. */
function classOf(name: string, member?: string): Open | string {
  try {
    const library = load(name) as Open & Readonly<Record<string, Open>>;
    const open = member === undefined ? library : library[member];
    if (open === undefined) return `skipped: ${name} has no ${member}`;
    new open(":memory:").close();
    return open;
  } catch {
    return member === undefined
      ? `skipped: ${name} has no native build for this Node (npm rebuild ${name})`
      : `skipped: this Node has no ${name}`;
  }
}

const shown = (leaves: readonly Leaf[]): readonly unknown[] =>
  leaves.map(({ kind, name, parentId, detail, error, durationUs }) => {
    assert.deepEqual(
      [kind, parentId, durationUs === null, "system" in detail && detail.system],
      ["sql", 0, false, "sqlite"],
    );
    const { statement, parameters, rows } = detail as { statement: string; parameters: unknown; rows: number | null };
    return [name, statement, parameters, rows, error?.message];
  });

/** The leaves of a bean that works with a watched database. */
async function leavesOf(open: Open, work: (database: Database) => unknown): Promise<readonly unknown[]> {
  const database = new open(":memory:");
  const watched: Watched = new Watched({}, (_, store) => store.load(() => work(database)));
  assert.equal(watched.devtools.watch(watched.devtools.watch(database)), database);
  const { leaves } = await watched.trace();
  assert.deepEqual(
    watched.lines.filter((line) => line.includes("could not be shown")),
    [],
  );
  database.close();
  return shown(leaves);
}

for (const [name, open] of [
  ["node:sqlite", classOf("node:sqlite", "DatabaseSync")],
  ["better-sqlite3", classOf("better-sqlite3")],
] as const)
  describe(`Devtools.watch, for ${name}`, { skip: typeof open === "string" ? open : false }, () => {
    if (typeof open === "string") return;

    it("shows statement, parameters, rows and error", async () => {
      const leaves = await leavesOf(open, (database) => {
        database.exec("create table t (a integer, b text)");
        const insert = database.prepare("insert into t values (?, ?), (2, 'y')");
        assert.equal(insert.run(1, "x").changes, 2);
        assert.deepEqual({ ...(database.prepare("select b from t where a = $a").get({ a: 1 }) as object) }, { b: "x" });
        assert.equal(database.prepare("select b from t where a = 9").get(), undefined);
        assert.equal(database.prepare("select a from t").all().length, 2);
        assert.throws(() => database.exec("select missing from t"), /no such column/);
        assert.throws(() => database.prepare("select missing from t"), /no such column/);
      });
      assert.deepEqual(leaves, [
        ["CREATE", "create table t (a integer, b text)", [], null, undefined],
        ["INSERT", "insert into t values (?, ?), (2, 'y')", [1, "x"], 2, undefined],
        ["SELECT", "select b from t where a = $a", [{ a: 1 }], 1, undefined],
        ["SELECT", "select b from t where a = 9", [], 0, undefined],
        ["SELECT", "select a from t", [], 2, undefined],
        ["SELECT", "select missing from t", [], null, "no such column: missing"],
        ["SELECT", "select missing from t", [], null, "no such column: missing"],
      ]);
    });

    it("counts the rows that an iterator has given", async () => {
      const numbers = "with recursive n (i) as (select 1 union all select i + 1 from n where i < 5) select i from n";
      const leaves = await leavesOf(open, (database) => {
        const statement = database.prepare(numbers);
        assert.equal([...statement.iterate()].length, 5);
        for (const row of statement.iterate()) {
          assert.ok(row);
          break;
        }
        const broken = database.prepare("select json_extract('no json', '$')");
        assert.throws(() => [...broken.iterate()], /malformed JSON/);
      });
      assert.deepEqual(leaves, [
        ["WITH", numbers, [], 5, undefined],
        ["WITH", numbers, [], 1, undefined],
        ["SELECT", "select json_extract('no json', '$')", [], null, "malformed JSON"],
      ]);
    });

    it("changes nothing outside of a run", async () => {
      const database = new open(":memory:");
      const watched = new Watched({}, () => undefined);
      const { exec, prepare } = watched.devtools.watch(database);
      assert.deepEqual([exec.name, prepare.name, exec.length], ["exec", "prepare", open.prototype.exec.length]);
      database.exec("create table t (a)");
      assert.deepEqual(database.prepare("select * from t").all(), []);
      database.close();
    });
  });
