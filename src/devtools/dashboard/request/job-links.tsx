/**
 * The other end of a run's jobs: of an attempt the run that sent it, of a run that sent jobs their attempts.
 */

import type { JSX } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { shownPath, traceKey } from "../../run/format.ts";
import { attemptWords, linkedQuery, sentWords } from "../../run/jobs.ts";
import type { RunReference, SearchHit, Trace } from "../../run/shapes.ts";
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
    if (query !== undefined)
      source.read("search", { q: query }).then(
        (page) => put(page.hits),
        () => undefined,
      );
  }, [query, newest && traceKey(newest)]);
  if (query === undefined) return null;
  const { job } = trace;
  return (
    <p class="notice calm" data-jobs>
      {job ? sentWords(trace) : hits.length > 0 ? "Jobs:" : "No attempt at its jobs so far."}{" "}
      {hits.map((hit) => (
        <button key={traceKey(hit)} type="button" class="quiet" onClick={() => void earlier.open(traceKey(hit))}>
          {hit.job ? `${hit.path} ${attemptWords(hit.job)}` : `${hit.method} ${shownPath(hit.path)}`}
        </button>
      ))}
      {job?.sender && hits.length === 0 && <Remote run={job.sender} />}
    </p>
  );
}

/** The run of another service. */
const Remote = ({ run }: { readonly run: RunReference }): JSX.Element => (
  <button type="button" class="quiet" onClick={() => void runFiles.openRemote(run)}>
    by {run.origin}
  </button>
);
