/**
 * The open parts of the page: the place, the list, the tab of the run, a dialog, and the sentence in the banner.
 */

import { signal } from "@preact/signals";

/** The places of the page; shell/places.tsx has their order, names and views. */
export const places = ["start", "compose", "inspect", "lanes"] as const;

/** A place of the page. */
export type Place = (typeof places)[number];

/** The tabs of a run; shell/tabs.tsx has their order and contents. */
export const detailTabs = [
  "why",
  "response",
  "request",
  "timeline",
  "logs",
  "node",
  "compare",
  "app",
  "panels",
] as const;

/** A tab of a run. */
export type DetailTab = (typeof detailTabs)[number];

/** Any room may open a panel of another one by its name, without an import of it. */
export function panelsSlice() {
  return {
    place: signal<Place>("compose"),
    list: signal<"requests" | "history">("requests"),
    detail: signal<DetailTab>("response"),
    dialog: signal<"help" | "palette" | "replay" | null>(null),
    notice: signal<string | null>(null),
  };
}
