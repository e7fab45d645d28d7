/**
 * jsonRows: a value as lines, folded if it is deep or long.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Json } from "../../run/shapes.ts";
import { findRows, jsonRows, pathOf, toggleFold, type Folds, type JsonRow } from "./rows.ts";

const none: Folds = { opened: new Set(), closed: new Set() };
const brief = (rows: readonly JsonRow[]): string[] =>
  rows.map(
    (r) =>
      `${" ".repeat(r.depth)}${r.key === null ? "" : `${r.key}: `}${r.label}${r.kind === "folded" ? `${r.text}(${r.size})` : r.text}`,
  );
const openAll = (value: Json): JsonRow[] => {
  let folds = none;
  for (;;) {
    const rows = jsonRows(value, folds, false);
    const folded = rows.filter((r) => r.kind === "folded" && r.size > 0);
    if (folded.length === 0) return rows;
    for (const row of folded) folds = toggleFold(folds, row);
  }
};

describe("jsonRows", () => {
  test("has one line a member, with its path", () => {
    const rows = jsonRows({ a: [1, "x"], "b c": null }, none, false);
    assert.deepEqual(brief(rows), ["{", " a: [", "  1", '  "x"', " ]", " b c: null", "}"]);
    assert.deepEqual(
      rows.map((r) => r.path),
      ["$", "$.a", "$.a[0]", "$.a[1]", "$.a ", '$["b c"]', "$ "],
    );
  });

  test("loses nothing of any JSON value when everything is open, and keeps its paths unique", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 7 }), (value) => {
        const rows = openAll(value as Json);
        const text = rows
          .map(
            (r) =>
              (r.key === null ? "" : `${JSON.stringify(r.key)}:`) + r.text + (r.last || r.kind === "open" ? "" : ","),
          )
          .join("");
        assert.equal(JSON.stringify(JSON.parse(text)), JSON.stringify(value));
        assert.equal(new Set(rows.map((r) => r.path)).size, rows.length);
      }),
      { numRuns: 300 },
    );
  });

  test("starts long arrays and deep nodes folded", () => {
    assert.deepEqual(brief(jsonRows({ a: Array.from({ length: 201 }, () => 0) }, none, false)), [
      "{",
      " a: [](201)",
      "}",
    ]);
    assert.deepEqual(brief(jsonRows([[[[[[1]]]]]], none, false)).at(5), "     [](1)");
  });

  test("shows recorded values in their original form", () => {
    const value: Json = {
      $class: "Order",
      at: { $date: "2026" },
      n: { $bigint: "9" },
      m: { $map: [["k", 1]] },
      y: { $stream: "Generator", $yielded: [1] },
      $$ref: true,
      cut: { $string: "abc", $truncated: 5 },
      list: [1, { $truncated: 40 }],
      $truncated: 3,
    };
    assert.deepEqual(brief(jsonRows(value, none, true)), [
      "Order{",
      " at: Date 2026",
      " n: 9n",
      " m: Map[",
      "  [",
      '   "k"',
      "   1",
      "  ]",
      " Map]",
      " y: generator[",
      "  1",
      " generator]",
      " $ref: true",
      ' cut: "abc" … 5 more characters',
      " list: [",
      "  1",
      "  … 40 more left out",
      " ]",
      " … 3 more left out",
      "Order}",
    ]);
  });
});

describe("jsonRows of an error", () => {
  test("has its causes, and the errors that it aggregates", () => {
    const cause = { $error: { name: "TypeError", message: "b", cause: "a text" } };
    const value = {
      $error: { name: "AggregateError", message: "a", cause, errors: [{ $error: { name: "E", message: "c" } }] },
    };
    const [row] = jsonRows(value, none, true);
    assert.equal(row?.text, "AggregateError: a; caused by TypeError: b; caused by a text; caused by E: c");
  });
});

describe("jsonRows of an object with private fields", () => {
  test("DASH-145: says how to show them, and does not show them as a member", () => {
    assert.deepEqual(brief(jsonRows({ $class: "Money", $private: true }, none, true)), [
      "Money{",
      " private fields; to show them: Devtools.create({ snapshot: [[Money, (value) => value.toJSON()]] })",
      "Money}",
    ]);
  });
});

describe("toggleFold", () => {
  test("closes an open node and opens it again", () => {
    const [root] = jsonRows({ a: 1 }, none, false);
    assert.ok(root);
    const closed = toggleFold(none, root);
    const [folded] = jsonRows({ a: 1 }, closed, false);
    assert.equal(folded?.kind, "folded");
    assert.ok(folded);
    assert.equal(jsonRows({ a: 1 }, toggleFold(closed, folded), false).length, 3);
  });
});

test("pathOf has the same target as a JSON pointer", () => {
  assert.deepEqual(
    ["", "/a/0/b c", "/~1~0"].map((pointer) => pathOf(pointer)),
    ["$", '$.a[0]["b c"]', '$["/~"]'],
  );
});

describe("findRows", () => {
  const rows = jsonRows({ Name: "x", list: ["NAME", 7, true], other: {} }, none, false);
  test("finds keys and values, in any case, and closing lines never", () => {
    const found = (text: string): unknown => findRows(rows, text).map((i) => rows[i]?.path);
    assert.deepEqual(
      [found("name"), found("7"), found("true"), found("]"), found("")],
      [["$.Name", "$.list[0]"], ["$.list[1]"], ["$.list[2]"], [], []],
    );
  });

  test("finds folded values when everything is open", () => {
    const deep = { a: { b: { c: { d: { e: { f: "needle" } } } } } };
    assert.deepEqual(findRows(jsonRows(deep, none, false), "needle"), []);
    assert.equal(findRows(jsonRows(deep, { ...none, all: true }, false), "needle").length, 1);
  });
});
