/**
 * What of the graph is shown so that every name on a run's path can be read: everything, or the path with what is not on
 * it collapsed into counted groups by stereotype. Pure.
 *
 *   beans, path, screen ──▶ everything, if the path is legible in it
 *                       ├─▶ out of reach collapsed ──▶ all that is not on the path collapsed
 *                       └─▶ closer together ──▶ tall columns wrapped ──▶ the one with the fewest out of sight
 */

import type { BeanNode, Stereotype } from "../../wire.ts";
import { stereotypes } from "../page/tokens.ts";
import {
  beanSize,
  DENSE_HEIGHT,
  fitCamera,
  FOLDED_HEIGHT,
  LEGIBLE,
  MARGINS,
  MIN_SCALE,
  placeEntry,
  unseenBeans,
} from "./geometry.ts";
import type { Density } from "./geometry.ts";
import { layout, ROOMY } from "./layout.ts";
import type { Spacing } from "./layout.ts";
import type { Layout, LayoutEdge, Size } from "./shapes.ts";

/** Beans of one stereotype that are not on the path. */
export interface BeanGroup {
  readonly stereotype: Stereotype;
  /** The beans in it. */
  readonly members: readonly string[];
  /** Are they shown one by one? */
  readonly open: boolean;
  /** Can the route reach any of them? */
  readonly reach: boolean;
}

/** What is shown, and where. */
export interface Arrangement {
  readonly layout: Layout;
  readonly groups: readonly BeanGroup[];
}

/** What is to be shown. */
export interface Wanted {
  readonly ids: readonly string[];
  readonly edges: readonly LayoutEdge[];
  readonly beans: ReadonlyMap<string, BeanNode>;
  readonly entries: readonly string[];
  /** Beans on the path of the run, or of the two compared; empty where there is none. */
  readonly path: ReadonlySet<string>;
  readonly reach: ReadonlySet<string> | null;
  /** Groups that the user has opened. */
  readonly opened: ReadonlySet<string>;
  /** The size of the graph; null while nothing is on screen. */
  readonly screen: Size | null;
}

/** Above this many beans nothing is tried but groups. */
const MANY_BEANS = 60;
/** As close together as names and edges allow. */
export const DENSE: Spacing = { gap: 7, layerGap: 40, bendGap: 4, lane: 4, shelf: 900, rows: Infinity };
const NARROW: Spacing = { ...DENSE, layerGap: 28 };
/** Columns are wrapped at so many heights, at most. */
const WRAPS = 5;

/** The words on a group. */
export function groupLabel({ members, stereotype }: BeanGroup): string {
  const many = stereotype === "repository" ? "repositories" : `${stereotype}s`;
  return `+${members.length} ${members.length === 1 ? stereotype : many}`;
}

/** Arranges them; `everything` is the layout of all of `ids`. */
export function arrange(wanted: Wanted, everything: () => Layout): Arrangement {
  const { ids, path, screen, reach } = wanted;
  if (screen === null || path.size === 0) return { layout: everything(), groups: [] };
  if (ids.length <= MANY_BEANS) {
    const all = everything();
    const onPath = ids.filter((id) => path.has(id));
    if (scaleOf(all, onPath, wanted.entries, screen) >= LEGIBLE) return { layout: all, groups: [] };
  }
  let best: { readonly unseen: number; readonly found: Arrangement } | undefined;
  for (const attempt of attempts(wanted, screen, reach)) {
    const found = attempt();
    const ids = [...found.layout.beans.keys()];
    if (scaleOf(found.layout, ids, wanted.entries, screen) >= LEGIBLE) return found;
    const unseen = unseenAt(found.layout, path, wanted.entries, screen);
    if (best === undefined || unseen < best.unseen) best = { unseen, found };
  }
  return best?.found ?? { layout: everything(), groups: [] };
}

/** From the most that may be shown to the least, and from the roomiest to the densest. */
function attempts(wanted: Wanted, screen: Size, reach: ReadonlySet<string> | null): (() => Arrangement)[] {
  const { ids, path } = wanted;
  const inReach = new Set(ids.filter((id) => path.has(id) || reach?.has(id) === true));
  const shelf = Math.max(320, screen.width / LEGIBLE - 260);
  const at = (kept: ReadonlySet<string>, density: Density, spacing: Spacing) => () =>
    collapse(wanted, kept, density, { ...spacing, shelf });
  const wrapped = (density: Density, spacing: Spacing, height: number): (() => Arrangement)[] => {
    const most = Math.max(3, Math.floor(screen.height / LEGIBLE / (height + spacing.gap)));
    const counts = Array.from({ length: WRAPS }, (_, i) => most - i).filter((rows) => rows >= 3);
    return counts.flatMap((rows) => [false, true].map((late) => at(path, density, { ...spacing, rows, late })));
  };
  return [
    ...(inReach.size < ids.length && inReach.size <= MANY_BEANS ? [at(inReach, "roomy", ROOMY)] : []),
    at(path, "roomy", ROOMY),
    at(path, "dense", DENSE),
    ...wrapped("dense", DENSE, DENSE_HEIGHT),
    ...wrapped("dense", NARROW, DENSE_HEIGHT),
    at(path, "folded", NARROW),
    ...wrapped("folded", NARROW, FOLDED_HEIGHT),
  ];
}

/** Lays out what is kept and what is in open groups. */
function collapse(wanted: Wanted, kept: ReadonlySet<string>, density: Density, spacing: Spacing): Arrangement {
  const { ids, edges, beans, opened, reach } = wanted;
  const groups = groupsOf(
    ids.filter((id) => !kept.has(id)),
    beans,
    opened,
    reach,
  );
  const hidden = new Set(groups.filter((group) => !group.open).flatMap((group) => group.members));
  const shown = ids.filter((id) => !hidden.has(id));
  return { layout: layout(shown, edges, (id) => beanSize(beans.get(id), density), spacing), groups };
}

function groupsOf(
  ids: readonly string[],
  beans: ReadonlyMap<string, BeanNode>,
  opened: ReadonlySet<string>,
  reach: ReadonlySet<string> | null,
): BeanGroup[] {
  return stereotypes.flatMap((stereotype) => {
    const members = ids.filter((id) => (beans.get(id)?.stereotype ?? "bean") === stereotype);
    const isReached = members.some((id) => reach?.has(id) === true);
    return members.length === 0 ? [] : [{ stereotype, members, open: opened.has(stereotype), reach: isReached }];
  });
}

/** The scale at which these beans fill the screen. */
function scaleOf(at: Layout, ids: readonly string[], entries: readonly string[], screen: Size): number {
  return fitCamera(at, ids, placeEntry(at, entries), screen, MARGINS, MIN_SCALE)?.scale ?? 0;
}

/** How many beans of the path are out of sight where their names can be read. */
function unseenAt(at: Layout, path: ReadonlySet<string>, entries: readonly string[], screen: Size): number {
  const camera = fitCamera(at, at.beans.keys(), placeEntry(at, entries), screen, MARGINS, LEGIBLE);
  return camera === null ? path.size : unseenBeans(at, path, camera, screen).length;
}
