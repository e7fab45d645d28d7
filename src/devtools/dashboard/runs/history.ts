/**
 * The list of runs: keys, merging what arrives, and filters. Pure.
 */

import { MAX_TRACES } from "../../wire.ts";
import type { Trace } from "../../wire.ts";
import { traceKey } from "../store/keys.ts";

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

/** Newest first, each once as it came first, the last MAX_TRACES of them and whatever is pinned. */
export function mergeTraces(known: readonly Trace[], fresh: readonly Trace[], pinned: ReadonlySet<string>): Trace[] {
  const byKey = new Map([...fresh, ...known].map((trace) => [traceKey(trace), trace]));
  const sorted = [...byKey.values()].sort((a, b) => b.startedAt - a.startedAt || b.sequence - a.sequence);
  return sorted.filter((trace, i) => i < MAX_TRACES || pinned.has(traceKey(trace)));
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
  const text = `${trace.method} ${trace.path} ${trace.status} ${trace.id} ${calls.join(" ")}`.toLowerCase();
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
