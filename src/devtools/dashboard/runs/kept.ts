/**
 * The runs that the page keeps: the newest, and older ones that the user holds. Pinned ones stay in this tab
 * when it is reloaded, also if the application has dropped them.
 */

import { batch, signal } from "@preact/signals";
import type { Trace } from "../../run/shapes.ts";
import { MAX_TRACES, otherRunsIn } from "../../run/wire.ts";
import { recall, remember } from "../page/storage.ts";
import { applicationSlice } from "../store/application.ts";
import { browserSlice } from "../store/browser.ts";
import { traceKey } from "../../run/format.ts";
import { isRecord, isTexts } from "../../run/values.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";
import { FORMAT } from "../../run/run-file.ts";
import { minuteSlice } from "./minute.ts";

/** With the format of a run, so that a page never reads the pins of another version. */
const PINS_KEY = `framework-dev.pins.${FORMAT}`;

const isTraces = (value: unknown): value is Trace[] =>
  Array.isArray(value) && value.every((run) => isRecord(run) && isTexts([run["instance"], run["id"]]));

/** Pins, and the ways in and out of the list of runs. */
export function keptSlice(use: Use) {
  const { traces, opened } = use(applicationSlice);
  const { trace, traceId, marks } = use(selectionSlice);
  const { session } = use(browserSlice);
  const minute = use(minuteSlice);
  const stored = recall<Trace[]>(session, PINS_KEY, [], isTraces);
  const pinned = signal<ReadonlySet<string>>(new Set(stored.map(traceKey)));
  if (stored.length > 0) traces.value = mergeTraces(traces.value, stored, pinned.value);
  /** Runs that passed while the page did not listen and that the application no longer keeps. */
  const missed = signal(0);
  /** Runs that ended before this were cleared. */
  let clearedAt = 0;
  const held = (): Set<string> => new Set([...pinned.value, ...opened.value.keys()]);
  const merge = (fresh: readonly Trace[]): void => {
    const keep = held();
    for (const key of [traceId.value, marks.value.a, marks.value.b]) if (key !== null) keep.add(key);
    traces.value = mergeTraces(traces.value, fresh, keep);
  };
  return {
    pinned,
    missed,
    merge,
    /** Merges runs from the application, except cleared ones. */
    receive: (fresh: readonly Trace[]): void => {
      minute.add(fresh);
      const wanted = fresh.filter((run) => endOf(run) > clearedAt);
      if (wanted.length > 0) merge(wanted);
    },
    togglePin: (key: string): void => {
      const next = new Set(pinned.value);
      if (!next.delete(key)) next.add(key);
      pinned.value = next;
      const runs = traces.value.filter((run) => next.has(traceKey(run)));
      remember(session, PINS_KEY, runs);
    },
    /** Removes every run that is not pinned or from a file. */
    clear: (): void =>
      batch(() => {
        const kept = held();
        const isKept = (run: Trace): boolean => kept.has(traceKey(run));
        // Those from files may have another clock.
        for (const run of traces.value) if (!isKept(run)) clearedAt = Math.max(clearedAt, endOf(run));
        traces.value = traces.value.filter(isKept);
        missed.value = 0;
        if (!trace.value) traceId.value = null;
      }),
  };
}

const isOther = ({ kind }: Trace): boolean => kind !== undefined;
const endOf = ({ startedAt, durationUs }: Trace): number => startedAt + durationUs / 1_000;

/**
 * Newest first, each once in its first version, the last MAX_TRACES of them to end and all pinned ones. Requests and other runs
 * have their shares, as in the application.
 */
export function mergeTraces(known: readonly Trace[], fresh: readonly Trace[], pinned: ReadonlySet<string>): Trace[] {
  const byKey = new Map([...fresh, ...known].map((trace) => [traceKey(trace), trace]));
  // A long run began before others that are no longer kept.
  const sorted = [...byKey.values()].sort((a, b) => endOf(b) - endOf(a) || b.sequence - a.sequence);
  const share = otherRunsIn(MAX_TRACES);
  const others = sorted.filter(isOther).length;
  const room = {
    others: Math.max(share, MAX_TRACES - (sorted.length - others)),
    requests: MAX_TRACES - Math.min(others, share),
  };
  return sorted
    .filter((trace) => room[isOther(trace) ? "others" : "requests"]-- > 0 || pinned.has(traceKey(trace)))
    .sort((a, b) => b.startedAt - a.startedAt || b.sequence - a.sequence);
}
