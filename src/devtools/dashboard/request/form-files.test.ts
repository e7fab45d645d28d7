/**
 * formFilesSlice: the files that were chosen for a route's form.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { stage, stageRoutes } from "../testing/stage.ts";
import { formFilesSlice } from "./form-files.ts";

describe("formFilesSlice", () => {
  test("keeps files by route and name, and an empty choice removes the name", async () => {
    const files = (await stage()).use(formFilesSlice);
    const [first, second] = stageRoutes;
    assert.ok(first !== undefined && second !== undefined);
    const picture = new File(["a"], "a.png");
    files.choose(first, "picture", [picture]);
    files.choose(first, "scan", []);
    files.set(second, [{ name: "other", files: [] }]);
    assert.deepEqual(files.of(first), [{ name: "picture", files: [picture] }]);
    assert.deepEqual(files.of(second), [{ name: "other", files: [] }]);
    files.choose(first, "picture", []);
    assert.deepEqual(files.of(first), []);
  });
});
