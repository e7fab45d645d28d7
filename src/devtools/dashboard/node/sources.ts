/**
 * The places of beans' methods in the code, read when the calls of a bean are shown.
 *
 *   a run's calls are shown ──▶ …/api/sources, once for each process ──▶ places, by bean and method ──▶ panel.tsx
 *
 * The application describes the code that it runs now, for any shown run.
 *
 * Spec: spec/dashboard.md
 */

import { computed, signal } from "@preact/signals";
import type { Call, MethodSource } from "../../run/shapes.ts";
import { sourceSlice } from "../runs/source.ts";
import type { Use } from "../store/slice.ts";

const keyOf = ({ bean, method }: Pick<Call, "bean" | "method">): string => `${bean} ${method}`;

/** The places of methods, and the action that reads them. */
export function methodsSlice(use: Use) {
  const { read } = use(sourceSlice);
  const all = signal<readonly MethodSource[]>([]);
  const places = computed(() => new Map(all.value.map((one) => [keyOf(one), one])));
  let known: string | undefined;
  return {
    /** Every place. */
    all,
    /** The place of a call's method, or undefined if the runtime does not say. */
    placeOf: (call: Pick<Call, "bean" | "method">): MethodSource | undefined => places.value.get(keyOf(call)),
    /** Reads them, unless the last read was for a run of that process. */
    load: async (instance: string): Promise<void> => {
      if (known === instance) return;
      known = instance;
      try {
        all.value = await read("sources");
      } catch {
        known = undefined; // The next look asks again, since a call is worth showing without its line.
      }
    },
  };
}
