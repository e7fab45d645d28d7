/**
 * Runs saved to files and opened from them.
 */

import { batch } from "@preact/signals";
import { messageOf, traceKey } from "../../run/format.ts";
import { applicationSlice } from "../store/application.ts";
import { browserSlice } from "../store/browser.ts";
import { panelsSlice } from "../store/panels.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";
import type { Trace } from "../../run/shapes.ts";
import { analysesSlice } from "./analyses.ts";
import { keptSlice } from "./kept.ts";
import type { Answers } from "../../run/analyses.ts";
import { formatRun, type SavedRun } from "../../run/run-file.ts";
import type { RunReference } from "../../run/shapes.ts";
import { behindKey, runsBehind } from "../store/across-services.ts";
import { sourceSlice } from "./source.ts";

/** Saving and opening. */
export function filesSlice(use: Use) {
  const { name } = use(browserSlice);
  const { opened, services } = use(applicationSlice);
  const { detail, notice } = use(panelsSlice);
  const { trace, islands, ownGraph, entries, selectTrace } = use(selectionSlice);
  const { merge } = use(keptSlice);
  const analyse = use(analysesSlice);
  const { remote } = use(sourceSlice);
  const show = (runs: readonly SavedRun[]): void =>
    batch(() => {
      opened.value = new Map([...opened.value, ...runs.map((run): [string, SavedRun] => [traceKey(run.trace), run])]);
      merge(runs.map((run) => run.trace));
      if (runs[0]) selectTrace(runs[0].trace);
      if (detail.value === "compare") detail.value = "response";
    });
  /** A run, or those of spans with the runs of other services that they lead to. */
  const openAll = ({ runs, behind, leftOut }: Answers["file"]): void => {
    const known = new Map(services.value);
    for (const { trace: run } of runs)
      for (let found = true; found;) {
        found = false;
        for (const one of runsBehind(run, known)) {
          const other = known.has(behindKey(one)) ? undefined : behind[one.id];
          if (other === undefined) continue;
          known.set(behindKey(one), other);
          found = true;
        }
      }
    batch(() => {
      services.value = known;
      show(runs);
    });
    if (leftOut > 0) notice.value = `The file has ${leftOut} more runs, which are not shown.`;
  };
  return {
    /** The selected run as the text of a file, or undefined without one. */
    savedRun: (): string | undefined =>
      trace.value ? formatRun({ trace: trace.value, graph: ownGraph.value, entries: entries.value }) : undefined,
    /** A run, with its parts in other services, as Markdown for an issue and as OpenTelemetry's spans in JSON. */
    formsOf: (run: Trace): Promise<Answers["forms"]> =>
      analyse("forms", () => ({ run, name: name(), services: Object.fromEntries(islands.value) })),
    /** Opens the run of another service. */
    openRemote: ({ origin, id }: RunReference): Promise<void> =>
      remote({ origins: [origin], id })
        .then((run) => show([{ ...run, entries: [] }]))
        .catch((error: unknown) => void (notice.value = messageOf(error))),
    /** Opens a saved run or a file of spans: it joins History, is selected, and is drawn on the graph it ran in. */
    openRun: async (file: Pick<File, "name" | "text">): Promise<void> => {
      try {
        const text = await file.text();
        openAll(await analyse("file", () => ({ text })));
      } catch (error) {
        notice.value = `${file.name}: ${messageOf(error)}`;
      }
    },
  };
}
