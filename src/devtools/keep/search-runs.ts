/**
 * Search: a query over every kept run, the newest first, a page at a time.
 *
 *   ?q=bean:Orders status:5xx ──▶ read │ 400 with the place ──▶ each run ──▶ hits, and where in them
 *
 * It searches runs for a few milliseconds at a time, so that the process keeps serving.
 *
 * Spec: spec/search.md
 */
import { traceKey } from "../run/format.ts";
import { hitOf, searchOf } from "../run/search/match.ts";
import type { Query } from "../run/search/query.ts";
import type { SearchHit, SearchPage } from "../run/shapes.ts";
import type { KeptRun } from "./kept-runs.ts";

/** The parameters besides the query. */
export interface Paging {
  readonly limit: number;
  /** The key of the last run of the page before, or undefined for the first. */
  readonly cursor: string | undefined;
}

/** How long runs are searched without a pause. */
const sliceMs = 8;
const runsBetweenLooks = 64;

/** The hits among those runs, the newest first. */
export async function searchRuns(runs: readonly KeptRun[], query: Query, paging: Paging): Promise<SearchPage> {
  const startedAt = performance.now();
  const search = searchOf(query);
  const hits: SearchHit[] = [];
  const rest = after(runs, paging.cursor);
  let [searched, sliceAt] = [0, startedAt];
  let next: string | null = null;
  for (const { document } of rest) {
    searched += 1;
    const found = search(document);
    if (found !== undefined) {
      if (hits.length === paging.limit) {
        next = hits.map(traceKey).at(-1) ?? null;
        break;
      }
      hits.push(hitOf(document, found));
    }
    if (searched % runsBetweenLooks !== 0 || performance.now() - sliceAt < sliceMs) continue;
    await new Promise((resolve) => void setImmediate(resolve));
    sliceAt = performance.now();
  }
  return { hits, next, searched, tookUs: Math.round((performance.now() - startedAt) * 1_000) };
}

/** The runs after that one. If that one is no longer kept, there are none after it, since the oldest go first. */
export function after<T extends { readonly key: string }>(
  runs: readonly T[],
  cursor: string | undefined,
): readonly T[] {
  if (cursor === undefined) return runs;
  const at = runs.findIndex(({ key }) => key === cursor);
  return at < 0 ? [] : runs.slice(at + 1);
}
