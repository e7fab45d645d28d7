/**
 * Runs saved to files and opened from them.
 */

import { batch } from "@preact/signals";
import { messageOf, traceKey } from "../../run/format.ts";
import { applicationSlice } from "../store/application.ts";
import { panelsSlice } from "../store/panels.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";
import { keptSlice } from "./kept.ts";
import { formatRun, parseRun } from "./run-file.ts";

/** Saving and opening. */
export function filesSlice(use: Use) {
  const { opened } = use(applicationSlice);
  const { detail, notice } = use(panelsSlice);
  const { trace, ownGraph, entries, selectTrace } = use(selectionSlice);
  const { merge } = use(keptSlice);
  return {
    /** The selected run as the text of a file, or undefined without one. */
    savedRun: (): string | undefined =>
      trace.value ? formatRun({ trace: trace.value, graph: ownGraph.value, entries: entries.value }) : undefined,
    /** Opens a saved run: it joins History, is selected, and is drawn on the graph it ran in. */
    openRun: async (file: Pick<File, "name" | "text">): Promise<void> => {
      try {
        const run = parseRun(await file.text());
        batch(() => {
          opened.value = new Map([...opened.value, [traceKey(run.trace), run]]);
          merge([run.trace]);
          selectTrace(run.trace);
          if (detail.value === "compare") detail.value = "response";
        });
      } catch (error) {
        notice.value = `${file.name}: ${messageOf(error)}`;
      }
    },
  };
}
