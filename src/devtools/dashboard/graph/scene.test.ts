/** What the graph shows at a place. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { signal } from "@preact/signals";
import { callOf, traceOf } from "../../run/traces.testkit.ts";
import { stage } from "../testing/stage.ts";
import { panelsSlice } from "../store/panels.ts";
import { selectionSlice } from "../store/selection.ts";
import { sceneSlice } from "./scene.ts";

describe("sceneSlice", () => {
  it("has the selection, and nothing of it on Start, where Live says what a click does", async () => {
    const run = traceOf([callOf(0, null, "Web")], { sequence: 1 });
    const { use } = await stage({ traces: [run] });
    const [scene, selection] = [use(sceneSlice), use(selectionSlice)];
    selection.selectTrace(run);
    assert.deepEqual([scene.trace.value, scene.path.value?.beans.size], [run, 1]);
    use(panelsSlice).place.value = "start";
    assert.deepEqual([scene.trace.value, scene.whole.value, scene.path.value], [null, null, null]);
    assert.equal(selection.trace.value, run);
    const opened: string[] = [];
    scene.live.value = { heat: signal(new Map()), open: (bean) => opened.push(bean) };
    scene.open("Web");
    assert.deepEqual([opened, selection.bean.value], [["Web"], null]);
    scene.live.value = null;
    scene.open("Web");
    assert.equal(selection.bean.value, "Web");
  });
});
