import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { browserSlice } from "../store/browser.ts";
import { searchSlice } from "../store/search.ts";
import { stage } from "../testing/stage.ts";
import { savedSearchesSlice } from "./saved-searches.ts";

describe("savedSearchesSlice", () => {
  test("saves the text in the field once, the latest first, and forgets it", async () => {
    const { use } = await stage();
    const { text } = use(searchSlice);
    const { saved, isSaved, toggleSaved } = use(savedSearchesSlice);
    toggleSaved();
    for (const one of ["status:5xx", " tea "]) {
      text.value = one;
      toggleSaved();
    }
    assert.deepEqual([saved.value, isSaved.value], [["tea", "status:5xx"], true]);
    assert.equal(use(browserSlice).local().getItem("framework-dev.searches"), '["tea","status:5xx"]');
    toggleSaved();
    assert.deepEqual([saved.value, isSaved.value], [["status:5xx"], false]);
  });
});
