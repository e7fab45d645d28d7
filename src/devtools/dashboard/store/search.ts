/**
 * The search in the runs of the page, and the beans with hits.
 *
 *   text ──▶ query │ issues ──▶ each run ──▶ where it was found ──▶ beans to light: of the selected run, else of all
 *
 * The language is the server's (`search/`), so that a hit here is also a hit in all kept runs.
 *
 * Spec: spec/dashboard.md
 */

import { computed, signal } from "@preact/signals";
import { documentOf, type RunDocument } from "../../run/search/document.ts";
import { searchOf, type Found } from "../../run/search/match.ts";
import { parseQuery } from "../../run/search/query.ts";
import type { Trace } from "../../run/shapes.ts";
import { applicationSlice } from "./application.ts";
import { selectionSlice } from "./selection.ts";
import type { Use } from "./slice.ts";

const EVERYWHERE: Found = { calls: [], leaves: [], parts: [] };

/** The search of History. */
export function searchSlice(use: Use) {
  const { traces } = use(applicationSlice);
  const { trace } = use(selectionSlice);
  const text = signal("");
  const mine = signal<ReadonlySet<string>>(new Set());
  const parsed = computed(() => parseQuery(text.value));
  const search = computed(() => {
    const { query } = parsed.value;
    return !query || query.terms.length === 0 ? null : searchOf(query, { mine: mine.value });
  });
  const foundIn = (run: Trace): Found | undefined => (search.value ? search.value(documentFor(run)) : EVERYWHERE);
  return {
    text,
    /** Correlation ids of the requests that this page sent. */
    mine,
    /** The mistakes in the text; it then finds everything. */
    issues: computed(() => parsed.value.issues ?? []),
    searching: computed(() => search.value !== null),
    /** Where a run matches the search. Undefined if it does not. */
    foundIn,
    /** Ids of the beans with hits in or below their calls. */
    lit: computed<ReadonlySet<string>>(() => {
      if (!search.value) return new Set();
      const runs = trace.value ? [trace.value] : traces.value;
      return new Set(runs.flatMap((run) => beansOf(run, foundIn(run) ?? EVERYWHERE)));
    }),
  };
}

function beansOf(run: Trace, { calls, leaves }: Found): string[] {
  const callers = run.leaves.flatMap(({ id, parentId }) => (leaves.includes(id) ? [parentId] : []));
  return run.calls.flatMap(({ id, bean }) => (calls.includes(id) || callers.includes(id) ? [bean] : []));
}

const documents = new WeakMap<Trace, RunDocument>();

function documentFor(run: Trace): RunDocument {
  const known = documents.get(run) ?? documentOf(run);
  documents.set(run, known);
  return known;
}
