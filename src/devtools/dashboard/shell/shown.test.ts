/**
 * The page-*.ts files of the rooms: views use slices of one store, the page's own.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { comparisonSlice } from "../compare/compare.ts";
import { graphSlice } from "../graph/picture.ts";
import { draftsSlice } from "../request/drafts.ts";
import { formFilesSlice } from "../request/form-files.ts";
import { issuesSlice } from "../request/issues.ts";
import { sendSlice } from "../request/send.ts";
import { sharedHeadersSlice } from "../request/shared-headers.ts";
import { earlierSlice } from "../runs/earlier.ts";
import { filesSlice } from "../runs/files.ts";
import { historySlice } from "../runs/history.ts";
import { keptSlice } from "../runs/kept.ts";
import { liveSlice } from "../runs/live.ts";
import { applicationSlice } from "../store/application.ts";
import { socketSlice } from "../request/socket.ts";
import { panelsSlice } from "../store/panels.ts";
import { searchSlice } from "../store/search.ts";
import { selectionSlice } from "../store/selection.ts";
import { useSlice, type Slice } from "../store/slice.ts";
import { setGlobals } from "../testing/fake-page.ts";

test("views use the slices of the page's own store", async () => {
  const restore = setGlobals({ location: { pathname: "/framework/dev" } });
  try {
    const { application, panels, search, selection } = await import("../store/page-store.ts");
    const { comparison } = await import("../compare/page-comparison.ts");
    const { graph } = await import("../graph/page-graph.ts");
    const { earlier, history, kept, live, runFiles } = await import("../runs/page-runs.ts");
    const { drafts, formFiles, issues, send, sharedHeaders, socket } = await import("../request/page-request.ts");
    const shown = new Map<Slice<unknown>, unknown>([
      [applicationSlice, application],
      [panelsSlice, panels],
      [searchSlice, search],
      [selectionSlice, selection],
      [comparisonSlice, comparison],
      [graphSlice, graph],
      [earlierSlice, earlier],
      [historySlice, history],
      [keptSlice, kept],
      [liveSlice, live],
      [filesSlice, runFiles],
      [draftsSlice, drafts],
      [formFilesSlice, formFiles],
      [issuesSlice, issues],
      [sendSlice, send],
      [sharedHeadersSlice, sharedHeaders],
      [socketSlice, socket],
    ]);
    for (const [slice, instance] of shown) assert.equal(instance, useSlice(slice), slice.name);
  } finally {
    restore();
  }
});
