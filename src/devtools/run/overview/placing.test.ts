/**
 * placing: groups in columns, and lines that pass no box.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { graphOf } from "../traces.testkit.ts";
import { foldersOf } from "./groups.ts";
import { folderHeight, HEIGHTS, placing } from "./placing.ts";

const graph = graphOf({ Web1: ["Mid1", "Base"], Web2: ["Mid2", "Web1"], Mid1: ["Base"], Mid2: ["Base"], Base: [] });
const routes = ["Web1", "Web2"].map((id) => ({ method: "GET", path: `/${id}`, pathParams: [], beans: [id] }));
const controllers = {
  ...graph,
  nodes: graph.nodes.map((n) => (n.id.startsWith("Web") ? { ...n, stereotype: "controller" as const } : n)),
};
const { folders, edges } = foldersOf(controllers, routes, ({ name }) => name);
const wide = placing(folders, edges, new Set(["Web1"]), 1_000);

describe("placing", () => {
  test("places features, shared groups and base in columns without overlap, and an open group is higher", () => {
    const boxes = [...wide.places.values()];
    assert.deepEqual(
      [...wide.places].map(([name, { x }]) => [name, x]),
      [
        ["Web1", 0],
        ["Web2", 0],
        ["Mid1", 580],
        ["Mid2", 580],
        ["Base", 840],
      ],
    );
    for (const a of boxes)
      for (const b of boxes)
        assert.ok(a === b || a.x !== b.x || a.y + a.height <= b.y || b.y + b.height <= a.y, "two boxes overlap");
    assert.equal(wide.places.get("Web1")?.height, HEIGHTS.row + HEIGHTS.bean + HEIGHTS.end);
    assert.ok(boxes.every((box) => box.x + box.width <= 1_000 && box.y + box.height <= wide.height));
  });

  test("draws a line for each pair, and one past a column runs between its boxes", () => {
    assert.equal(wide.lines.length, edges.length);
    const past = wide.lines.find(({ from, to }) => from === "Web1" && to === "Base");
    const [, before = "", to = ""] = /,([\d.]+)H([\d.]+)C/.exec(past?.d ?? "") ?? [];
    const middle = ["Mid1", "Mid2"].flatMap((name) => wide.places.get(name) ?? []);
    assert.equal(Number(to), 760);
    assert.ok(middle.every(({ y, height }) => Number(before) <= y || Number(before) >= y + height));
  });

  test("draws a line between groups of a column beside them, inside the picture", () => {
    const inColumn = [
      ["Web2", "Web1"],
      ["Mid1", "Mid2"],
    ].map(([from = "", to = ""]) => ({ from, to, count: 1 }));
    const others = folders.filter(({ name }) => name !== "Base");
    const { lines, places } = placing(others, inColumn, new Set(), 1_000);
    const sides = lines.map(({ from, d }) => {
      const { x = 0, width = 0 } = places.get(from) ?? {};
      const [, start, bend] = /^M([\d.]+),[\d.]+C([\d.]+)/.exec(d) ?? [];
      return [Number(start) - x, Number(start) - x - width, Number(bend)];
    });
    assert.deepEqual(sides, [
      [500, 0, 528],
      [0, -180, 792],
    ]);
  });

  test("places all below each other, without lines, if the picture is narrow", () => {
    const { places, lines, height } = placing(folders, edges, new Set(), 358);
    assert.deepEqual(
      [...places.values()].map(({ x, width }) => [x, width]),
      Array.from({ length: 5 }, () => [0, 358]),
    );
    assert.deepEqual(lines, []);
    const heights = folders.map(({ beans }) => folderHeight(beans.length, false, false));
    assert.equal(
      height,
      heights.reduce((sum, one) => sum + one, 8 * 4),
    );
  });
});
