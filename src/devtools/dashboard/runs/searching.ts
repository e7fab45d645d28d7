/**
 * Searches the runs of the page, which the application's devtools do (run/analyses.ts).
 *
 *   text, runs ──▶ the runs that were not searched for this text ──▶ …/api/analyses ──▶ search.result
 *
 * Until the result for a text has arrived, that of the text before stays.
 */

import { effect } from "@preact/signals";
import { messageOf, traceKey } from "../../run/format.ts";
import { applicationSlice } from "../store/application.ts";
import { searchSlice } from "../store/search.ts";
import type { Use } from "../store/slice.ts";
import { analysesSlice } from "./analyses.ts";

/** Searches until the returned function is called. */
export function followSearch(use: Use): () => void {
  const { online, traces } = use(applicationSlice);
  const { mine, result, text } = use(searchSlice);
  const analyse = use(analysesSlice);
  /** What was searched for, and in which runs. */
  let [last, asked] = ["", new Set<string>()];
  return effect(() => {
    const [q, own, runs] = [text.value, [...mine.value], traces.value];
    // With another text or other runs of its own all runs are searched again, and when the application is back.
    const now = JSON.stringify([q, own, online.value]);
    if (q.trim() === "") return void (last = "");
    const isFirst = now !== last;
    if (isFirst) [last, asked] = [now, new Set()];
    const fresh = runs.filter((run) => !asked.has(traceKey(run)));
    if (fresh.length === 0 && !isFirst) return;
    for (const run of fresh) asked.add(traceKey(run));
    analyse("search", (send) => ({ q, runs: fresh.flatMap(send), mine: own })).then(
      ({ issues, found }) => {
        if (now !== last) return;
        const before = (isFirst ? null : result.peek().found) ?? [];
        result.value = { issues, found: found && new Map([...before, ...Object.entries(found)]), failure: null };
      },
      (error: unknown) => {
        if (now === last) result.value = { issues: [], found: null, failure: messageOf(error) };
      },
    );
  });
}
