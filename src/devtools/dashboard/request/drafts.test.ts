/**
 * draftsSlice: what is in the editor, and that nothing takes it away.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { panelsSlice } from "../store/panels.ts";
import { selectionSlice } from "../store/selection.ts";
import { memoryStorage } from "../testing/fake-page.ts";
import { callOf, traceOf } from "../testing/fixtures.ts";
import { runOf, stage } from "../testing/stage.ts";
import { draftsSlice } from "./drafts.ts";

describe("draftsSlice", () => {
  test("keeps each route's draft over switching and reloading", async () => {
    const session = memoryStorage();
    const { use } = await stage({ session });
    const { selectRoute } = use(selectionSlice);
    const { draft, setDraft } = use(draftsSlice);
    selectRoute("GET /x/{id}");
    setDraft({ query: "a=1" });
    selectRoute("POST /x");
    assert.equal(draft.value?.query, "");
    selectRoute("GET /x/{id}");
    assert.equal(draft.value?.query, "a=1");
    const again = (await stage({ session })).use;
    again(selectionSlice).selectRoute("GET /x/{id}");
    const reloaded = again(draftsSlice);
    assert.equal(reloaded.draft.value?.query, "a=1");
    reloaded.resetDraft();
    assert.equal(reloaded.draft.value?.query, "");
  });

  test("fills the editor from a run, and says when a run has no route to edit", async () => {
    const { use } = await stage({ traces: [runOf(1)] });
    const { draft, editRun } = use(draftsSlice);
    editRun(runOf(1));
    assert.deepEqual([use(selectionSlice).routeId.value, draft.value?.params], ["GET /x/{id}", { id: "1" }]);
    editRun(traceOf([], { route: null }));
    assert.match(use(panelsSlice).notice.value ?? "", /belongs to no route/);
  });

  test("leaves the editor alone when traffic arrives", async () => {
    const { use, arrive, frame } = await stage();
    use(selectionSlice).selectRoute("POST /x");
    const { draft } = use(draftsSlice);
    const before = draft.value;
    const request = { pathParams: {}, query: { a: ["1"] }, headers: {}, body: null };
    arrive(traceOf([callOf(0, null, "Web")], { method: "POST", route: "/x", startedAt: 3, request }));
    frame();
    assert.equal(draft.value, before);
  });
});
