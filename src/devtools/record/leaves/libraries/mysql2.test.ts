/** Messages of mysql2, as leaves. conformance/leaf-sources.test.ts reads them with the library and its server. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SqlDetail } from "../../../index.ts";
import { leavesOf, traced } from "./published.testkit.ts";

/** The details of statements that mysql2 has published. */
async function statements(
  ...given: readonly (readonly [begun: object, ended: object])[]
): Promise<readonly SqlDetail[]> {
  const leaves = await leavesOf(() => given.forEach(([begun, ended]) => traced("mysql2:query", begun, ended)));
  return leaves.map((leaf) => (leaf.kind === "sql" ? leaf.detail : assert.fail(leaf.kind)));
}

describe("mysql2", () => {
  it("a statement is a leaf, by query and by execute, and one that fails has its error", async () => {
    const leaves = await leavesOf(() => {
      traced("mysql2:query", { query: "select 1", values: [7] }, { result: [{ a: 1 }] });
      traced("mysql2:execute", { query: "delete from t", values: 7 }, { error: new RangeError("no table") });
    });
    assert.deepEqual(
      leaves.map(({ kind, name, detail, error }) => ({ kind, name, detail, error })),
      [
        {
          kind: "sql",
          name: "SELECT",
          error: null,
          detail: { system: "mysql", statement: "select 1", parameters: [7], rows: 1, result: [{ a: 1 }] },
        },
        {
          kind: "sql",
          name: "DELETE",
          error: { name: "RangeError", message: "no table" },
          detail: { system: "mysql", statement: "delete from t", parameters: [7], rows: null },
        },
      ],
    );
  });

  it("has the rows of a SELECT, otherwise the number of changed rows, by callback and by promise", async () => {
    const [rows, header, fields] = [[{ a: 1 }, { a: 2 }], { affectedRows: 3 }, [{ name: "a", columnType: 3 }]];
    const results: readonly (readonly [result: unknown, rows: number | null])[] = [
      [rows, 2],
      [[rows, fields], 2],
      [[rows, undefined], 2],
      [header, 3],
      [[header, undefined], 3],
      [[header, fields], 3],
      [[], 0],
      [[header], 1],
      [[[{ a: 1 }], fields, fields], 3],
      [[rows, { a: 1 }], 2],
      [
        [
          ["a", "b", "c"],
          ["d", { name: "e", columnType: 3 }, "f"],
        ],
        2,
      ],
      [
        [
          ["a", "b", "c"],
          [{ name: "e" }, "f", "g"],
        ],
        2,
      ],
      [
        [
          ["a", "b", "c"],
          [null, "e", "f"],
        ],
        2,
      ],
      [
        [
          [rows, [{ a: 3 }]],
          [fields, undefined],
        ],
        2,
      ],
      [[null, undefined], 2],
      [[7, undefined], 2],
      [[{ a: 1 }, undefined], 2],
      [{ other: 1 }, null],
      [null, null],
      [undefined, null],
      ["affectedRows", null],
    ];
    const details = await statements(...results.map(([result]) => [{ query: "select 1" }, { result }] as const));
    assert.deepEqual(
      details.map(({ rows: shown }) => shown),
      results.map(([, expected]) => expected),
    );
    assert.deepEqual([details[1]?.result, details[9]?.result], [rows, [rows, { a: 1 }]]);
    assert.deepEqual([details[0]?.parameters, details[3]?.result], [[], undefined]);
  });
});
