/**
 * The explanation of the selected run, which the application's devtools make.
 *
 *   selected run, the one to compare it with, those at the same time ──▶ known │ asked ──▶ shown
 *
 * While a run is explained, the explanation before it stays, so that the tab does not flicker.
 */

import { computed, effect, signal } from "@preact/signals";
import type { Why } from "../../run/explain/why.ts";
import { overlaps } from "../../run/explain/interleaved.ts";
import { hasFailed, lastGood } from "../../run/explain/last-good.ts";
import { traceKey } from "../../run/format.ts";
import type { Trace } from "../../run/shapes.ts";
import { createAsk } from "../page/asking.ts";
import { analysesSlice } from "../runs/analyses.ts";
import { applicationSlice } from "../store/application.ts";
import { stableList } from "../store/entries.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";

/** A run and its explanation. */
export interface Explained {
  readonly run: Trace;
  /** The run that it was compared with. */
  readonly good: Trace | null;
  readonly why: Why;
}

/** The explanation, and why there is none. */
export function whySlice(use: Use) {
  const { online, traces } = use(applicationSlice);
  const { trace, whole, ownPart, runOf } = use(selectionSlice);
  const analyse = use(analysesSlice);
  const failure = signal<string | null>(null);
  const explained = signal<Explained | null>(null);
  const ask = createAsk(failure);
  const known = new WeakMap<Trace, Explained & { readonly beside: readonly string[] }>();
  // With live traffic the list of runs changes often, and these seldom.
  const good = computed(() => (trace.value && lastGood(traces.value, trace.value)) ?? null);
  /** Only a run that failed is compared with those at the same time. */
  const beside = stableList(() => {
    const run = trace.value;
    return run && hasFailed(run) ? traces.value.filter((one) => overlaps(run, one)).map(traceKey) : [];
  });
  const explain = async (run: Trace, own: Trace, to: Trace | null, at: readonly string[]): Promise<Explained> => {
    const before = known.get(run);
    if (before?.good === to && before.beside.join() === at.join()) return before;
    const why = await analyse("why", (send) => ({
      run: run === own ? (send(run)[0] ?? run) : run,
      own: run === own ? null : own,
      good: (to && send(to)[0]) ?? null,
      others: at.flatMap((key) => runOf(key) ?? []).flatMap(send),
    }));
    const found = { run, good: to, why, beside: at };
    known.set(run, found);
    return found;
  };
  return {
    explained,
    failure,
    /** Explains the selected run, again when the application is back, until the returned function is called. */
    follow: (): (() => void) =>
      effect(() => {
        const [run, own, to, at] = [whole.value, ownPart.value, good.value, beside.value, online.value];
        if (!run || !own) return;
        void ask(async () => {
          const found = await explain(run, own, to, at);
          return () => (explained.value = found);
        });
      }),
  };
}
