/**
 * The search in the runs of the page, and the beans with hits. runs/searching.ts writes the result.
 *
 *   text ──▶ result: where each run was found, or issues ──▶ beans to light: of the selected run, else of all
 *
 * The application's devtools search, so that a hit here is also a hit in all kept runs.
 *
 * Spec: spec/dashboard.md
 */

import { computed, signal } from "@preact/signals";
import { traceKey } from "../../run/format.ts";
import type { Found } from "../../run/search/match.ts";
import type { SearchIssue, Trace } from "../../run/shapes.ts";
import { applicationSlice } from "./application.ts";
import { selectionSlice } from "./selection.ts";
import type { Use } from "./slice.ts";

/** What a search found. */
export interface SearchResult {
  /** The mistakes in the text; it then finds everything. */
  readonly issues: readonly SearchIssue[];
  /** Where each run was found, by its key; null if the text says nothing. */
  readonly found: ReadonlyMap<string, Found> | null;
  /** Why the text was not searched for. */
  readonly failure: string | null;
}

const EVERYWHERE: Found = { calls: [], leaves: [], parts: [] };
const NOTHING: SearchResult = { issues: [], found: null, failure: null };

/** The search of History. */
export function searchSlice(use: Use) {
  const { traces } = use(applicationSlice);
  const { trace } = use(selectionSlice);
  const text = signal("");
  const mine = signal<ReadonlySet<string>>(new Set());
  const result = signal(NOTHING);
  const current = computed(() => (text.value.trim() === "" ? NOTHING : result.value));
  const foundIn = (run: Trace): Found | undefined => {
    const { found } = current.value;
    return found ? found.get(traceKey(run)) : EVERYWHERE;
  };
  return {
    text,
    /** Correlation ids of the requests that this page sent. */
    mine,
    /** Of the last text that was searched for. */
    result,
    issues: computed(() => current.value.issues),
    failure: computed(() => current.value.failure),
    searching: computed(() => current.value.found !== null),
    /** Where a run matches the search. Undefined if it does not. */
    foundIn,
    /** Ids of the beans with hits in or below their calls. */
    lit: computed<ReadonlySet<string>>(() => {
      if (!current.value.found) return new Set();
      const runs = trace.value ? [trace.value] : traces.value;
      return new Set(runs.flatMap((run) => beansOf(run, foundIn(run) ?? EVERYWHERE)));
    }),
  };
}

function beansOf(run: Trace, { calls, leaves }: Found): string[] {
  const callers = run.leaves.flatMap(({ id, parentId }) => (leaves.includes(id) ? [parentId] : []));
  return run.calls.flatMap(({ id, bean }) => (calls.includes(id) || callers.includes(id) ? [bean] : []));
}
