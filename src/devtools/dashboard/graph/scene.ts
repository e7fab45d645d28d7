/**
 * What the graph shows: the selection with its run or comparison, or on Start none of them but the heat of each bean.
 *
 *   selection, comparison, trail ──▶ scene ──▶ picture, camera, views        Start ──▶ live ──▶ words, fill, click
 */

import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { comparisonSlice } from "../compare/compare.ts";
import { panelsSlice } from "../store/panels.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";
import { trailSlice } from "../store/trail.ts";

/** The most heat. */
export const HOTTEST = 4;

/** How hot a bean is. */
export interface BeanHeat {
  /** From 0 for nothing to `HOTTEST`. */
  readonly level: number;
  /** Below its name. */
  readonly line: string;
  readonly errors: number;
  /** The addition to its accessible name. */
  readonly said: string;
}

/** The heat of the called beans, and what a click on one of them does. */
export interface Live {
  readonly heat: ReadonlySignal<ReadonlyMap<string, BeanHeat>>;
  readonly open: (bean: string) => void;
}

const none: ReadonlyMap<string, never> = new Map<string, never>();

/** The selection as the graph shows it. */
export function sceneSlice(use: Use) {
  const selection = use(selectionSlice);
  const { place } = use(panelsSlice);
  const { comparing } = use(comparisonSlice);
  const { numbers } = use(trailSlice);
  const unlessStart = <T, N>(one: ReadonlySignal<T>, otherwise: N): ReadonlySignal<T | N> =>
    computed(() => (place.value === "start" ? otherwise : one.value));
  const live = signal<Live | null>(null);
  const { route, trace, whole, method, path, reach, bean, entries, islands, bridges } = selection;
  return {
    ...selection,
    route: unlessStart(route, null),
    trace: unlessStart(trace, null),
    whole: unlessStart(whole, null),
    method: unlessStart(method, null),
    path: unlessStart(path, null),
    reach: unlessStart(reach, null),
    bean: unlessStart(bean, null),
    entries: unlessStart<readonly string[], readonly string[]>(entries, []),
    islands: unlessStart(islands, none),
    bridges: unlessStart(bridges, none),
    graph: computed(() => (place.value === "start" ? selection.ownGraph.value : selection.graph.value)),
    comparing: unlessStart(comparing, null),
    numbers: unlessStart(numbers, none),
    live,
    /** Shows a bean, or does what Start wants. */
    open: (id: string): void => (live.value ? live.value.open(id) : selection.selectBean(id)),
  };
}
