/**
 * The other end of a run's jobs: of an attempt the run that sent it, of a run that sent jobs their attempts.
 */

import type { JSX } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { shownPath, traceKey } from "../../run/format.ts";
import { attemptWords, linkedQuery, sentJobs, sentWords } from "../../run/jobs.ts";
import type { SearchHit, Trace } from "../../run/shapes.ts";
import { earlier, runFiles } from "../runs/page-runs.ts";
import { sourceSlice } from "../runs/source.ts";
import { application } from "../store/page-store.ts";
import { useSlice } from "../store/slice.ts";

const source = useSlice(sourceSlice);

/** Nothing for a run without jobs. */
export function JobLinks({ trace }: { readonly trace: Trace }): JSX.Element | null {
  const [hits, put] = useState<readonly SearchHit[]>([]);
  const query = linkedQuery(trace);
  const [newest] = application.traces.value;
  useLayoutEffect(() => {
    if (query !== undefined) source.read("search", { q: query }).then((page) => put(page.hits), console.warn);
  }, [query, newest && traceKey(newest)]);
  if (query === undefined) return null;
  const { job } = trace;
  const sent = sentJobs(trace).length;
  return (
    <p class="notice calm" data-jobs>
      {job && `${sentWords(trace)} `}
      {!job &&
        (hits.length > 0 ? "Jobs: " : `It sent ${sent === 1 ? "a job" : `${sent} jobs`}, not begun here so far.`)}
      {hits.map((hit) => (
        <button key={traceKey(hit)} type="button" class="quiet" onClick={() => void earlier.open(traceKey(hit))}>
          {hit.job ? `${hit.path} ${attemptWords(hit.job)}` : `${hit.method} ${shownPath(hit.path)}`}
        </button>
      ))}
      {job?.sender && hits.length === 0 && (
        <button type="button" class="quiet" onClick={() => job.sender && void runFiles.openRemote(job.sender)}>
          by a run of {job.sender.origin}
        </button>
      )}
    </p>
  );
}
