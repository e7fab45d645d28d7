/**
 * The files that were chosen for forms, by route. They stay in this page. A reload forgets them, and no draft has them.
 */

import { signal } from "@preact/signals";
import type { RouteInfo } from "../../run/shapes.ts";
import { routeKey } from "../../run/format.ts";
import type { ChosenFiles } from "./draft-text.ts";

const NONE: readonly ChosenFiles[] = [];

/** The chosen files, and the actions that change them. */
export function formFilesSlice() {
  const chosen = signal<ReadonlyMap<string, readonly ChosenFiles[]>>(new Map());
  const of = (route: RouteInfo): readonly ChosenFiles[] => chosen.value.get(routeKey(route)) ?? NONE;
  return {
    /** The files of a route, a row for each name. */
    of,
    set: (route: RouteInfo, rows: readonly ChosenFiles[]): void => {
      chosen.value = new Map([...chosen.value, [routeKey(route), rows]]);
    },
    /** Chooses files for a name; an empty choice removes the name. */
    choose: (route: RouteInfo, name: string, files: readonly File[]): void => {
      const others = of(route).filter((row) => row.name !== name);
      chosen.value = new Map([
        ...chosen.value,
        [routeKey(route), files.length === 0 ? others : [...others, { name, files }]],
      ]);
    },
  };
}
