/**
 * Where the methods of beans are in the code: read when the calls of a bean are looked at.
 *
 *   a run's calls are shown ──▶ …/api/sources, once for each process ──▶ places, by bean and method ──▶ panel.tsx
 *
 * The application tells of the code that it runs now, whichever run is looked at.
 *
 * Spec: spec/dashboard.md
 */

import { signal } from "@preact/signals";
import type { Call, MethodSource } from "../../run/shapes.ts";
import { sourceSlice } from "../runs/source.ts";
import type { Use } from "../store/slice.ts";

const keyOf = ({ bean, method }: Pick<Call, "bean" | "method">): string => `${bean} ${method}`;

/** The places of methods, and the action that reads them. */
export function methodsSlice(use: Use) {
  const { read } = use(sourceSlice);
  const places = signal<ReadonlyMap<string, MethodSource>>(new Map());
  let known: string | undefined;
  return {
    /** Where the method of a call begins; undefined where the runtime does not tell. */
    placeOf: (call: Pick<Call, "bean" | "method">): MethodSource | undefined => places.value.get(keyOf(call)),
    /** Reads them, unless they were read for a run of that process last. */
    load: async (instance: string): Promise<void> => {
      if (known === instance) return;
      known = instance;
      try {
        places.value = new Map((await read("sources")).map((one) => [keyOf(one), one]));
      } catch {
        known = undefined; // Another look asks again: a call is worth showing without its line.
      }
    },
  };
}
