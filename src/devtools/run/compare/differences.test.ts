/** The differences of two runs as the page lists them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callOf, logOf, sqlOf, traceOf } from "../traces.testkit.ts";
import { compareLeaves, differencesOf } from "./differences.ts";

describe("differencesOf", () => {
  test("has status and body, the calls of one run alone, and those of both that differ", () => {
    const a = traceOf([callOf(0, null, "Web"), callOf(1, 0, "Db", { args: [1] }), callOf(2, 0, "Clock")], {
      response: { headers: {}, body: { n: 1 }, bytes: 7 },
    });
    const b = traceOf([callOf(0, null, "Web"), callOf(1, 0, "Cache"), callOf(2, 0, "Clock", { result: 9 })], {
      sequence: 2,
      status: 203,
      response: { headers: {}, body: { n: 2 }, bytes: 7 },
    });
    const { calls, response, leaves, statement, first } = differencesOf(a, b);
    assert.deepEqual(response, [
      { path: "$.status", kind: "changed", before: 200, after: 203 },
      { path: "$.body.n", kind: "changed", before: 1, after: 2 },
    ]);
    assert.deepEqual(
      calls.map(({ bean, side, args, differences }) => [bean, side, args, differences.length]),
      [
        ["Db", "a", [1], 0],
        ["Cache", "b", [1], 0],
        ["Clock", "both", [], 1],
      ],
    );
    assert.deepEqual([leaves, statement, first], [[], null, null]);
  });
});

describe("compareLeaves", () => {
  const run = (statements: readonly string[]) =>
    traceOf([], { leaves: statements.map((text, id) => sqlOf(id, null, text)) });

  test("has counts and times of each kind that either run has", () => {
    const b = traceOf([], { leaves: [sqlOf(0, null, "select 1"), logOf(1, null, "x")] });
    assert.deepEqual(compareLeaves(run(["select 1", "select 2"]), b), [
      { kind: "sql", a: { count: 2, totalUs: 4 }, b: { count: 1, totalUs: 2 } },
      { kind: "log", a: { count: 0, totalUs: 0 }, b: { count: 1, totalUs: 0 } },
    ]);
  });
});
