/**
 * The list of runs after its filters.
 */

import { computed, signal } from "@preact/signals";
import type { Trace } from "../../run/shapes.ts";
import { applicationSlice } from "../store/application.ts";
import { browserSlice } from "../store/browser.ts";
import { panelsSlice } from "../store/panels.ts";
import { searchSlice } from "../store/search.ts";
import type { Use } from "../store/slice.ts";

/** A stretch of time, in milliseconds since 1970. */
export type Between = readonly [from: number, to: number];

/** The filter of History. Empty strings and zero mean "any"; the search is in store/search.ts. */
export interface HistoryFilter {
  readonly method: string;
  /** First digit of the status. */
  readonly status: string;
  readonly minUs: number;
  /** The id of a bean that the run called. */
  readonly bean: string;
  readonly onlyErrors: boolean;
  readonly onlySlow: boolean;
  readonly onlyMine: boolean;
  /** The brush of Lanes: runs that were in progress then. */
  readonly between: Between | null;
}

/** Shows everything. */
export const ANY_RUN: HistoryFilter = {
  method: "",
  status: "",
  minUs: 0,
  bean: "",
  onlyErrors: false,
  onlySlow: false,
  onlyMine: false,
  between: null,
};

/** The filter of History and the runs it shows. */
export function historySlice(use: Use) {
  const { traces } = use(applicationSlice);
  const { slowUs } = use(browserSlice);
  const { list } = use(panelsSlice);
  const filter = signal(ANY_RUN);
  const { text, mine, searching, foundIn } = use(searchSlice);
  return {
    filter,
    slowUs,
    setFilter: (change: Partial<HistoryFilter>): void => {
      filter.value = { ...filter.value, ...change };
    },
    /** Correlation ids of the requests that this page sent. */
    mine,
    shown: computed(() =>
      filterTraces(traces.value, filter.value, mine.value, slowUs()).filter((run) => foundIn(run) !== undefined),
    ),
    /** How many of the kept runs each of these filters alone would show. */
    counts: computed(() => {
      const of = (change: Partial<HistoryFilter>): number =>
        filterTraces(traces.value, { ...ANY_RUN, ...change }, mine.value, slowUs()).length;
      return {
        onlyErrors: of({ onlyErrors: true }),
        onlySlow: of({ onlySlow: true }),
        onlyMine: of({ onlyMine: true }),
      };
    }),
    clearFilter: (): void => {
      filter.value = ANY_RUN;
      text.value = "";
    },
    showsAll: computed(() => filter.value === ANY_RUN && !searching.value),
    /** Opens History with only the runs that called a bean. */
    showRunsOf: (bean: string): void => {
      text.value = "";
      filter.value = { ...ANY_RUN, bean };
      list.value = "history";
    },
  };
}

/** The runs that pass a filter. */
export function filterTraces(
  traces: readonly Trace[],
  filter: HistoryFilter,
  mine: ReadonlySet<string>,
  slowUs: number,
): Trace[] {
  return traces.filter(
    (trace) =>
      (filter.method === "" || trace.method === filter.method) &&
      (filter.status === "" || String(trace.status).startsWith(filter.status)) &&
      trace.durationUs >= filter.minUs &&
      (filter.bean === "" || trace.calls.some((call) => call.bean === filter.bean)) &&
      (!filter.onlyErrors || isError(trace)) &&
      (!filter.between || isIn(trace, filter.between)) &&
      (!filter.onlySlow || trace.durationUs > slowUs) &&
      (!filter.onlyMine || (trace.correlationId !== null && mine.has(trace.correlationId))),
  );
}

/** Whether a run ended with a status of 400 or more, with an error, or without its client. The last two may be unknown. */
export const isError = ({
  status,
  error,
  aborted,
}: Pick<Trace, "status"> & Partial<Pick<Trace, "error" | "aborted">>): boolean =>
  status >= 400 || (error ?? null) !== null || aborted === true;

/** Whether a run was in progress in that stretch of time. */
export const isIn = (run: Pick<Trace, "startedAt" | "durationUs">, [from, to]: Between): boolean =>
  run.startedAt <= to && run.startedAt + run.durationUs / 1_000 >= from;

/** How many requests the newest process has traced, including those no longer kept. */
export function totalSeen(traces: readonly Trace[]): number {
  const [newest] = traces;
  return newest ? Math.max(...traces.filter((t) => t.instance === newest.instance).map((t) => t.sequence)) : 0;
}
