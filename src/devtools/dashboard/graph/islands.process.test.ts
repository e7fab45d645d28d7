/**
 * islands: other services next to the application's own beans.
 */

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { setGlobals } from "../testing/fake-page.ts";
import { islandsWidth, withIslands } from "./islands.ts";
import { layout } from "../../run/graph/layout.ts";

const restore = setGlobals({ document: { createElement: () => ({ getContext: () => null }) } });
after(restore);

const size = () => ({ width: 120, height: 44 });
const own = layout(["A", "B", "Alone"], [{ from: "A", to: "B" }], size);
const service = { name: "s", layout: layout(["X", "Y"], [{ from: "X", to: "Y" }], size), from: "B" };

describe("withIslands", () => {
  test("is the same picture without any", () => assert.equal(withIslands(own, []), own));

  test("puts each right of the existing picture, its beans within its frame and none over another", () => {
    const other = { ...service, name: "t", layout: layout(["Z"], [], size), from: "Y" };
    const picture = withIslands(own, [service, other]);
    const [first, second] = picture.islands ?? [];
    assert.ok(first !== undefined && second !== undefined);
    assert.deepEqual([first.name, second.name], ["s", "t"]);
    assert.ok(first.x > own.width && second.x > first.x + first.width);
    assert.equal(picture.width, own.width + islandsWidth([service, other]));
    for (const id of ["X", "Y"]) {
      const bean = picture.beans.get(id);
      assert.ok(bean !== undefined);
      assert.ok(bean.x >= first.x && bean.x + bean.width <= first.x + first.width);
      assert.ok(bean.y >= first.y && bean.y + bean.height <= first.y + first.height);
    }
    assert.deepEqual(picture.layers, [...own.layers, ["X"], ["Y"], ...other.layout.layers]);
    assert.ok((picture.beans.get("X")?.y ?? 0) < own.shelf);
    const edge = picture.edges.find(({ from }) => from === "X");
    const x = picture.beans.get("X");
    assert.match(edge?.d ?? "", new RegExp(`^M${(x?.x ?? 0) + 120},`));
  });
});
