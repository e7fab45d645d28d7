/**
 * Similar statements: which of a run's statements form a loop.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alikeStatements } from "./alike.ts";
import { callOf, sqlOf } from "../traces.testkit.ts";

describe("alikeStatements", () => {
  test("are three or more of one shape below one bean, in one call or in several", () => {
    const calls = [callOf(0, null, "Web"), callOf(1, 0, "Repo"), callOf(2, 0, "Repo"), callOf(3, 0, "Other")];
    const sent = [
      sqlOf(0, 1, "select * from a where id = 1"),
      sqlOf(1, 2, "select * from a where id = 2", { durationUs: 5 }),
      sqlOf(2, 2, "select *  from a where id = 3", { durationUs: null }),
      sqlOf(3, 3, "select * from a where id = 4"),
      sqlOf(4, null, "select * from a where id = 5"),
      sqlOf(5, 1, "select * from b where id = 6"),
      sqlOf(6, 1, "select * from b where id = 7"),
    ];
    assert.deepEqual(alikeStatements({ calls, leaves: sent }), [
      { statement: "select * from a where id = 1", bean: "Repo", ids: [0, 1, 2], isEqual: false, wastedUs: 5 },
    ]);
  });

  test("are only statements, and only three or more of one bean", () => {
    const log = { ...sqlOf(9, null, "select 1"), kind: "span" as const, detail: { statement: "select 1" } };
    const two = [sqlOf(0, null, " select\n 1"), sqlOf(1, null, "select 1")];
    assert.deepEqual(alikeStatements({ calls: [], leaves: [...two, log as unknown as (typeof two)[0]] }), []);
    const three = [...two, sqlOf(2, null, "select 2")];
    assert.deepEqual(alikeStatements({ calls: [], leaves: three }), [
      { statement: "select 1", bean: null, ids: [0, 1, 2], isEqual: false, wastedUs: 4 },
    ]);
  });

  test("are equal if their text and their parameters are the same", () => {
    const equal = (parameters: readonly (readonly unknown[])[]): boolean | undefined => {
      const leaves = parameters.map((values, id) => {
        const leaf = sqlOf(id, null, "select * from a where id = $1");
        return { ...leaf, detail: { ...leaf.detail, parameters: values } } as typeof leaf;
      });
      return alikeStatements({ calls: [], leaves })[0]?.isEqual;
    };
    assert.deepEqual([equal([[1], [1], [1]]), equal([[1], [1], [2]])], [true, false]);
  });

  test("come with the most wasteful group first; the statements of the request itself are a group", () => {
    const many = (from: number, table: string, durationUs: number) =>
      [0, 1, 2].map((i) => sqlOf(from + i, null, `select ${i} from ${table}`, { durationUs }));
    const found = alikeStatements({ calls: [], leaves: [...many(0, "a", 1), ...many(3, "b", 9)] });
    assert.deepEqual(
      found.map(({ bean, ids, wastedUs }) => [bean, ids, wastedUs]),
      [
        [null, [3, 4, 5], 18],
        [null, [0, 1, 2], 2],
      ],
    );
  });
});
