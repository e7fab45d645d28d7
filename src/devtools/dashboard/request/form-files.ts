/**
 * The files that were chosen for forms, by route. They stay in this page: a reload forgets them, and no draft has them.
 */

import { signal } from "@preact/signals";
import type { RouteInfo } from "../../run/shapes.ts";
import { routeKey } from "../../run/names.ts";
import type { ChosenFiles } from "./draft-text.ts";

const NONE: readonly ChosenFiles[] = [];

/** The chosen files, and how they change. */
export function formFilesSlice() {
  const chosen = signal<ReadonlyMap<string, readonly ChosenFiles[]>>(new Map());
  const of = (route: RouteInfo): readonly ChosenFiles[] => chosen.value.get(routeKey(route)) ?? NONE;
  return {
    /** Those of a route, a row for each name. */
    of,
    /** Puts rows in place of those that a route had. */
    set: (route: RouteInfo, rows: readonly ChosenFiles[]): void => {
      chosen.value = new Map([...chosen.value, [routeKey(route), rows]]);
    },
    /** Chooses files for a name; none takes the name away. */
    choose: (route: RouteInfo, name: string, files: readonly File[]): void => {
      const others = of(route).filter((row) => row.name !== name);
      chosen.value = new Map([
        ...chosen.value,
        [routeKey(route), files.length === 0 ? others : [...others, { name, files }]],
      ]);
    },
  };
}
