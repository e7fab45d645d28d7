/**
 * sharedHeadersSlice: headers of every request of this tab.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { selectionSlice } from "../store/selection.ts";
import { memoryStorage } from "../testing/fake-page.ts";
import { stage } from "../testing/stage.ts";
import { draftsSlice } from "./drafts.ts";
import { sendSlice } from "./send.ts";
import { sharedHeadersSlice } from "./shared-headers.ts";

describe("sharedHeadersSlice", () => {
  test("DASH-041 DASH-134: go with every request, one of its own first, and stay for the tab", async () => {
    const session = memoryStorage();
    const first = await stage({ session });
    first.use(sharedHeadersSlice).headers.value = [
      ["Authorization", "Bearer a"],
      ["X-Tenant", "acme"],
      ["", "dropped"],
    ];
    const { use, sent } = await stage({ session });
    use(selectionSlice).selectRoute("GET /x/{id}");
    use(draftsSlice).setDraft({ params: { id: "5" }, headers: [["x-tenant", "own"]] });
    await use(sendSlice).send();
    assert.deepEqual(sent.at(-1)?.request.headers, [
      ["x-tenant", "own"],
      ["Authorization", "Bearer a"],
    ]);
  });

  test("start empty if something else is stored", async () => {
    for (const stored of ['"x"', '[["a"]]', "[[1,2]]", "{"]) {
      const session = memoryStorage();
      session.setItem("framework-dev.headers", stored);
      assert.deepEqual((await stage({ session })).use(sharedHeadersSlice).headers.value, [], stored);
    }
  });
});
