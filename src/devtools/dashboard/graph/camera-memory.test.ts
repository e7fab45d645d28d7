/**
 * cameraSlice: the camera that the user moved, for the selection, in this tab.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { selectionSlice } from "../store/selection.ts";
import { memoryStorage } from "../testing/fake-page.ts";
import { stage } from "../testing/stage.ts";
import { cameraSlice } from "./camera-memory.ts";

describe("cameraSlice", () => {
  test("returns the camera for its selection, also after a reload, and forgets it", async () => {
    const session = memoryStorage();
    const first = await stage({ session });
    first.use(cameraSlice).keep({ scale: 1, x: 2, y: 3 });
    const { use } = await stage({ session });
    const { kept, forget } = use(cameraSlice);
    assert.deepEqual(kept(), { of: " ", scale: 1, x: 2, y: 3 });
    use(selectionSlice).selectRoute("GET /x/{id}");
    assert.equal(kept(), null);
    use(selectionSlice).routeId.value = null;
    forget();
    assert.equal(kept(), null);
  });

  test("rejects a value that is not a camera", async () => {
    const session = memoryStorage({ "framework-dev.camera": '{"of":" ","scale":"1","x":2,"y":3}' });
    const { use } = await stage({ session });
    assert.equal(use(cameraSlice).kept(), null);
  });
});
