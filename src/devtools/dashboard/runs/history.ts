/**
 * The list of runs as its filters leave it.
 */

import { computed, signal } from "@preact/signals";
import type { Trace } from "../../wire.ts";
import { applicationSlice } from "../store/application.ts";
import { panelsSlice } from "../store/panels.ts";
import type { Use } from "../store/slice.ts";

/** What History shows. Empty strings and zero mean "any". */
export interface HistoryFilter {
  readonly text: string;
  readonly method: string;
  /** First digit of the status. */
  readonly status: string;
  readonly minUs: number;
  /** The id of a bean that the run called. */
  readonly bean: string;
  readonly onlyErrors: boolean;
  readonly onlyMine: boolean;
}

/** Shows everything. */
export const ANY_RUN: HistoryFilter = {
  text: "",
  method: "",
  status: "",
  minUs: 0,
  bean: "",
  onlyErrors: false,
  onlyMine: false,
};

/** The filter of History and the runs it shows. */
export function historySlice(use: Use) {
  const { traces } = use(applicationSlice);
  const { list } = use(panelsSlice);
  const filter = signal(ANY_RUN);
  const mine = signal<ReadonlySet<string>>(new Set());
  return {
    filter,
    setFilter: (change: Partial<HistoryFilter>): void => {
      filter.value = { ...filter.value, ...change };
    },
    /** Correlation ids of the requests that this page sent. */
    mine,
    shown: computed(() => filterTraces(traces.value, filter.value, mine.value)),
    /** Opens History with nothing but the runs that called a bean. */
    showRunsOf: (bean: string): void => {
      filter.value = { ...ANY_RUN, bean };
      list.value = "history";
    },
  };
}

/** The runs that a filter lets through; text also looks into arguments and results. */
export function filterTraces(traces: readonly Trace[], filter: HistoryFilter, mine: ReadonlySet<string>): Trace[] {
  const text = filter.text.trim().toLowerCase();
  return traces.filter(
    (trace) =>
      (filter.method === "" || trace.method === filter.method) &&
      (filter.status === "" || String(trace.status).startsWith(filter.status)) &&
      trace.durationUs >= filter.minUs &&
      (filter.bean === "" || trace.calls.some((call) => call.bean === filter.bean)) &&
      (!filter.onlyErrors || trace.status >= 400 || trace.error !== null || trace.aborted) &&
      (!filter.onlyMine || (trace.correlationId !== null && mine.has(trace.correlationId))) &&
      (text === "" || searchText(trace).includes(text)),
  );
}

const texts = new WeakMap<Trace, string>();

function searchText(trace: Trace): string {
  const known = texts.get(trace);
  if (known !== undefined) return known;
  const calls = trace.calls.map(
    (c) => `${c.bean}.${c.method} ${JSON.stringify(c.args)} ${JSON.stringify(c.result)} ${c.error?.message ?? ""}`,
  );
  const message = trace.kind === "websocket" ? JSON.stringify(trace.request.body) : "";
  const text =
    `${trace.method} ${trace.path} ${trace.status} ${trace.id} ${trace.event ?? ""} ${message} ${calls.join(" ")}`.toLowerCase();
  texts.set(trace, text);
  return text;
}

/** How many requests the newest process has traced, those no longer kept included. */
export function totalSeen(traces: readonly Trace[]): number {
  const [newest] = traces;
  return newest === undefined
    ? 0
    : Math.max(...traces.filter((t) => t.instance === newest.instance).map((t) => t.sequence));
}
