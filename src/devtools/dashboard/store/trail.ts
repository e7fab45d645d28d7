/**
 * Trail: the places of the wanted value in the selected run, and the beans that had it.
 *
 *   wanted, run ──▶ places in order of time ──▶ bean ──▶ its number, the first one 1
 */

import { computed } from "@preact/signals";
import { occurrencesOf, type Occurrence } from "../../run/origin.ts";
import { wanted } from "../page/wanted.ts";
import { ENTRY } from "./path.ts";
import { selectionSlice } from "./selection.ts";
import type { Use } from "./slice.ts";

const nowhere: ReadonlyMap<string, number> = new Map();

/** The trail of a value. */
export function trailSlice(use: Use) {
  const { whole } = use(selectionSlice);
  const places = computed(() =>
    wanted.value === null || !whole.value ? [] : occurrencesOf(whole.value, wanted.value),
  );
  return {
    /** All places, the first one first. */
    places,
    /** The number of each bean, and of the entry. Empty if no value is wanted. */
    numbers: computed(() => (places.value.length === 0 ? nowhere : numbersOf(places.value))),
  };
}

/** What had the value: a bean, or the entry for request and response. */
export const holderOf = ({ call }: Occurrence): string => call?.bean ?? ENTRY;

/** The holders by their first place. */
export function numbersOf(places: readonly Occurrence[]): ReadonlyMap<string, number> {
  return new Map([...new Set(places.map(holderOf))].map((holder, at) => [holder, at + 1]));
}
