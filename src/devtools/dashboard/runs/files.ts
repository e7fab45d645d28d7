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
import { keptSlice } from "./kept.ts";
import { isSpanFile, SpanFile } from "../../run/otlp/span-file.ts";
import { otlpText } from "../../run/otlp/write.ts";
import { runReport } from "../../run/report.ts";
import { formatRun, parseRun, type SavedRun } from "../../run/run-file.ts";
import { behindKey, runsBehind } from "../store/across-services.ts";

/** Saving and opening. */
export function filesSlice(use: Use) {
  const { name } = use(browserSlice);
  const { opened, services } = use(applicationSlice);
  const { detail, notice } = use(panelsSlice);
  const { trace, whole, islands, ownGraph, entries, selectTrace } = use(selectionSlice);
  const { merge } = use(keptSlice);
  const show = (runs: readonly SavedRun[]): void =>
    batch(() => {
      opened.value = new Map([...opened.value, ...runs.map((run): [string, SavedRun] => [traceKey(run.trace), run])]);
      merge(runs.map((run) => run.trace));
      const [first] = runs;
      if (first) selectTrace(first.trace);
      if (detail.value === "compare") detail.value = "response";
    });
  /** Spans, with the runs of other services that they lead to. */
  const openSpans = (text: string): void => {
    const file = new SpanFile(text);
    const known = new Map(services.value);
    for (const { trace: run } of file.runs)
      for (let found = true; found;) {
        found = false;
        for (const one of runsBehind(run, known)) {
          const behind = known.has(behindKey(one)) ? undefined : file.read(one.id);
          if (behind === undefined) continue;
          known.set(behindKey(one), behind);
          found = true;
        }
      }
    batch(() => {
      services.value = known;
      show(file.runs.map((run) => ({ trace: run.trace, graph: run.graph, entries: [run.name] })));
    });
    if (file.leftOut > 0) notice.value = `The file has ${file.leftOut} more runs, which are not shown.`;
  };
  return {
    /** The selected run as the text of a file, or undefined without one. */
    savedRun: (): string | undefined =>
      trace.value ? formatRun({ trace: trace.value, graph: ownGraph.value, entries: entries.value }) : undefined,
    /** The selected run, with its parts in other services, as OpenTelemetry's spans in JSON. */
    spansOfRun: (): string | undefined =>
      whole.value ? otlpText(whole.value, { name: name(), serviceOf: (bean) => islands.value.get(bean) }) : undefined,
    /** The selected run, with its parts in other services, as Markdown for an issue. */
    report: (): string | undefined => (whole.value ? runReport(whole.value) : undefined),
    /** Opens a saved run or a file of spans: it joins History, is selected, and is drawn on the graph it ran in. */
    openRun: async (file: Pick<File, "name" | "text">): Promise<void> => {
      try {
        const text = await file.text();
        if (isSpanFile(text)) openSpans(text);
        else show([parseRun(text)]);
      } catch (error) {
        notice.value = `${file.name}: ${messageOf(error)}`;
      }
    },
  };
}
