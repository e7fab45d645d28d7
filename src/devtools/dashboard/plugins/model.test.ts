import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { drawingOf, tableOf } from "./model.ts";

const width = (text: string): number => 8 * text.length;

describe("tableOf", () => {
  test("has a column for each key of any row, in order of appearance", () => {
    assert.deepEqual(
      tableOf([
        { id: "a", n: 1 },
        { n: null, more: true },
      ]),
      {
        columns: ["id", "n", "more"],
        rows: [
          ["a", "1", ""],
          ["", "null", "true"],
        ],
        cut: 0,
      },
    );
  });

  test("writes values that JSON lacks, and nested ones, in one line", () => {
    const table = tableOf([
      {
        $class: "Row",
        at: { $date: "1970-01-01T00:00:00.000Z" },
        list: [1, 2],
        one: { $class: "Money", a: 1 },
        none: [],
        $$price: 3,
      },
    ]);
    assert.deepEqual(table?.columns, ["at", "list", "one", "none", "$price"]);
    assert.deepEqual(table?.rows, [["1970-01-01T00:00:00.000Z", "2 items", "Money 1 key", "[]", "3"]]);
  });

  test("has the number of rows that are left out", () => {
    assert.deepEqual(tableOf([{ a: 1 }, { $truncated: 41 }]), { columns: ["a"], rows: [["1"]], cut: 41 });
    assert.deepEqual(tableOf([]), { columns: [], rows: [], cut: 0 });
  });

  test("is undefined for anything else", () => {
    for (const data of [null, "text", { a: 1 }, [1, 2], [[1]]]) assert.equal(tableOf(data), undefined);
  });
});

describe("drawingOf", () => {
  test("places nodes as wide as their labels, and the edges between existing ones", () => {
    const drawing = drawingOf(
      {
        nodes: [{ id: "a", label: "Alpha" }, { id: "b" }, { id: 7 }, "c"],
        edges: [{ from: "a", to: "b" }, { from: "a", to: "gone" }, { from: 1, to: "b" }, null],
      },
      width,
    );
    assert.deepEqual(
      [...(drawing?.labels ?? [])],
      [
        ["a", "Alpha"],
        ["b", "b"],
      ],
    );
    assert.deepEqual(
      [...(drawing?.picture.beans.values() ?? [])].map(({ id, width, layer }) => [id, width, layer]),
      [
        ["a", 64, 0],
        ["b", 32, 1],
      ],
    );
    assert.deepEqual(
      drawing?.picture.edges.map(({ from, to }) => [from, to]),
      [["a", "b"]],
    );
  });

  test("needs nodes, but no edges", () => {
    assert.equal(drawingOf({ edges: [] }, width), undefined);
    assert.equal(drawingOf([], width), undefined);
    assert.equal(drawingOf({ nodes: [{ id: "a" }] }, width)?.labels.size, 1);
  });
});
