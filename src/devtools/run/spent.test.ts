/**
 * spent: the cost of leaves, by kind and by bean.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callOf, httpOf, logOf, sqlOf, traceOf } from "./traces.testkit.ts";
import { runText, spentByBean, spentByKind, spentText, leafText, outcomeOf } from "./spent.ts";

const leaves = [
  sqlOf(0, 0, "select 1", { startUs: 0, durationUs: 30 }),
  sqlOf(1, 1, "select 2", { startUs: 20, durationUs: 30 }),
  httpOf(2, 1, null, { startUs: 60, durationUs: null }),
  logOf(3, null, "done"),
];
const trace = traceOf([callOf(0, null, "Web"), callOf(1, 0, "Repo")], { leaves });

describe("spentByKind", () => {
  test("counts overlapping leaves once, and one that has not ended up to the end of the run", () => {
    assert.deepEqual(spentByKind(leaves, 100), [
      { kind: "sql", count: 2, totalUs: 50 },
      { kind: "http", count: 1, totalUs: 40 },
      { kind: "log", count: 1, totalUs: 0 },
    ]);
  });
});

describe("runText", () => {
  test("lists calls, then each kind with its time, except for log lines", () => {
    assert.equal(runText(trace), "2 calls · 2 SQL 50 µs · 1 HTTP 40 µs · 1 log line");
    assert.equal(spentText({ kind: "span", count: 2, totalUs: 1_500 }), "2 spans 1.50 ms");
  });
});

describe("spentByBean", () => {
  test("counts the leaves of the bean's own calls, and leaves the request's own out", () => {
    assert.deepEqual(
      [...spentByBean(trace)],
      [
        ["Web", [{ kind: "sql", count: 1, totalUs: 30 }]],
        [
          "Repo",
          [
            { kind: "sql", count: 1, totalUs: 30 },
            { kind: "http", count: 1, totalUs: 40 },
          ],
        ],
      ],
    );
  });
});

describe("leafText", () => {
  test("is the leaf on one line, and outcomeOf is its result", () => {
    const head = { id: 0, parentId: null, name: "n", error: null, startUs: 0, durationUs: 1 };
    const all = [
      sqlOf(0, null, "select\n  1"),
      httpOf(0, null, null),
      { ...head, kind: "cache", detail: { system: "redis", command: "GET", key: "k", args: [], hit: false } },
      logOf(0, null, "a\nb", "warn"),
      { ...head, kind: "message", detail: { system: "", operation: "send", destination: "orders", body: null } },
      { ...head, kind: "message", detail: { system: "", operation: "", destination: "", body: null } },
      { ...head, kind: "span", detail: { attributes: {}, status: "OK", spanId: null, parentSpanId: null } },
    ] as const;
    assert.deepEqual(
      all.map((leaf) => [leafText(leaf), outcomeOf(leaf)]),
      [
        ["select 1", "1 row"],
        ["GET http://a/", "200"],
        ["GET k", "miss"],
        ["a b", "warn"],
        ["send orders", ""],
        ["n", ""],
        ["n", ""],
      ],
    );
  });
});
