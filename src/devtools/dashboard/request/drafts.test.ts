/**
 * draftsSlice: the content of the editor, which is never lost.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { RouteInfo, Trace } from "../../run/shapes.ts";
import { jsonOf } from "../../run/values.ts";
import { applicationSlice } from "../store/application.ts";
import { panelsSlice } from "../store/panels.ts";
import { selectionSlice } from "../store/selection.ts";
import { memoryStorage } from "../testing/fake-page.ts";
import { callOf, traceOf } from "../../run/traces.testkit.ts";
import { runOf, stage } from "../testing/stage.ts";
import { draftsSlice } from "./drafts.ts";
import { sendSlice } from "./send.ts";

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

  test("DASH-170: holds the request of the selected run until the user types", async () => {
    const run = (sequence: number) =>
      runOf(sequence, { path: `/x/${sequence}`, request: { ...runOf(1).request, pathParams: { id: `${sequence}` } } });
    const { use } = await stage({ traces: [run(2), run(1)] });
    const { selectTrace, selectRoute } = use(selectionSlice);
    const { draft, setDraft, markSent, editRun } = use(draftsSlice);
    const { differs } = use(sendSlice);
    const shown = (): unknown => [draft.value?.params["id"], differs.value];
    const [newest, oldest] = use(applicationSlice).traces.value;
    assert.ok(newest && oldest);
    for (const one of [oldest, newest, oldest]) {
      selectTrace(one);
      assert.deepEqual(shown(), [String(one.sequence), false]);
    }
    setDraft({ params: { id: "typed" } });
    selectTrace(newest);
    assert.deepEqual(shown(), ["typed", true]);
    editRun(newest);
    assert.deepEqual(shown(), ["2", false]);
    setDraft({ params: { id: "typed" } });
    markSent("dev-1");
    assert.deepEqual(shown(), ["2", false]);
    selectRoute("GET /x/{id}");
    assert.deepEqual(shown(), ["typed", false]);
  });

  test("fills the editor from a run, and says when a run has no route to edit", async () => {
    const { use } = await stage({ traces: [runOf(1)] });
    const { draft, editRun } = use(draftsSlice);
    editRun(runOf(1));
    assert.deepEqual([use(selectionSlice).routeId.value, draft.value?.params], ["GET /x/{id}", { id: "1" }]);
    editRun(traceOf([], { route: null }));
    assert.match(use(panelsSlice).notice.value ?? "", /belongs to no route/);
  });

  test("takes its example from the last run that worked, or from a failed one if none has", async () => {
    const run = (id: string, status: number, sequence: number) =>
      traceOf([callOf(0, null, "Web")], {
        id,
        route: "/x/{id}",
        status,
        sequence,
        request: { pathParams: { id }, query: {}, headers: {}, body: null },
      });
    const shownOf = async (...traces: Trace[]) => {
      const { use } = await stage({ traces });
      use(selectionSlice).selectRoute("GET /x/{id}");
      return use(draftsSlice).draft.value?.params["id"];
    };
    assert.equal(await shownOf(run("older", 200, 1), run("there", 200, 2), run("missing", 404, 3)), "there");
    assert.equal(await shownOf(run("missing", 404, 1), run("broken", 500, 2)), "broken");
  });

  test("takes the declared example before a run with hidden parts", async () => {
    const body = { name: "ada", password: "[redacted]" };
    const request = { pathParams: {}, query: {}, headers: {}, body };
    const shownOf = async (route: RouteInfo) => {
      const traces = [traceOf([callOf(0, null, "Web")], { method: "POST", route: "/x", request })];
      const { use } = await stage({ traces, routes: [route] });
      use(selectionSlice).selectRoute("POST /x");
      return jsonOf(use(draftsSlice).draft.value?.body ?? "");
    };
    const route: RouteInfo = { method: "POST", path: "/x", pathParams: [], beans: [] };
    assert.deepEqual(
      await shownOf({ ...route, example: { path: {}, query: {}, headers: {}, body: { name: "eve" } } }),
      { name: "eve" },
    );
    assert.deepEqual(await shownOf(route), { name: "ada" });
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
