/** Tests the comparison of expected and actual values: which values form a table, and which exchanges failed. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compare } from "./comparison.ts";
import { sent, type Exchange } from "./exchange.ts";

const got = (target: string, status: number): Exchange => ({
  sent: sent("GET", target),
  status,
  headers: [],
  body: "",
});
const [first, second] = [got("/first", 500), got("/second", 404)];

describe("compare", () => {
  it("has a row for each key of a record, and finds the exchange of each failed row", () => {
    const { comparison, failed } = compare("statuses", { a: 500, b: 404 }, { b: 404, a: 400 }, [first, second]);
    assert.deepEqual(comparison, {
      what: "statuses",
      expected: '{"b":404,"a":400}',
      seen: '{"a":500,"b":404}',
      rows: [
        { name: "a", held: false, expected: "400", seen: "500" },
        { name: "b", held: true, expected: "404", seen: "404" },
      ],
    });
    assert.deepEqual(failed, [first]);
  });

  it("has a row for each item of a list with one exchange per item, named after the exchange", () => {
    const { comparison, failed } = compare("statuses", [500, 404], [500, 200], [first, second]);
    assert.deepEqual(comparison.rows, [
      { name: "GET /first", held: true, expected: "500", seen: "500" },
      { name: "GET /second", held: false, expected: "200", seen: "404" },
    ]);
    assert.deepEqual(failed, [second]);
  });

  const noTables: Readonly<Record<string, readonly [seen: unknown, expected: unknown]>> = {
    "a value": [1, 2],
    "a list of one exchange": [
      [200, "text"],
      [200, "json"],
    ],
    "lists of different length": [[1], [1, 2]],
    "records with other keys": [{ a: 1, b: 2 }, { a: 1 }],
    "a record beside a list": [{ 0: 1, 1: 2 }, [1, 2]],
    "nothing at all": [undefined, { a: 1, b: 2 }],
  };
  for (const [what, [seen, expected]] of Object.entries(noTables)) {
    it(`makes no rows of ${what}, and counts every exchange as failed`, () => {
      const { comparison, failed } = compare("it", seen, expected, [first]);
      assert.deepEqual([comparison.rows, failed], [[], [first]]);
    });
  }
});
