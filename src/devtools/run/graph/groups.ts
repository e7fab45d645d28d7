/**
 * Selects what the graph shows so that every name on a run's path is legible: everything, or the path with the other beans
 * collapsed into counted groups by stereotype. Pure.
 *
 *   beans, path, screen ──▶ everything ──▶ out of reach collapsed ──▶ all that is not on the path collapsed
 *   each of them        ──▶ roomy ──▶ close together ──▶ tall columns wrapped ──▶ (the last) names on two lines
 *                                                                               ──▶ columns continued in rows below
 *   a path of very many ──▶ those with the least time collapsed too
 *
 * It takes the first in which all names are legible, or else the one with the fewest beans of the path out of sight.
 */

import type { BeanNode, Stereotype, BeanEdge } from "../shapes.ts";
import { banded } from "./bands.ts";
import { stereotypes } from "./tokens.ts";
import {
  beanSize,
  DENSE_HEIGHT,
  fitCamera,
  FOLDED_HEIGHT,
  LEGIBLE,
  MARGINS,
  MIN_SCALE,
  PILL,
  placeEntry,
  unseenBeans,
} from "./geometry.ts";
import type { Density } from "./geometry.ts";
import { layout, ROOMY, type Spacing } from "./layout.ts";
import type { Layout, Size } from "./shapes.ts";

/** Beans of one stereotype that are not on the path. */
export interface BeanGroup {
  readonly stereotype: Stereotype;
  readonly members: readonly string[];
  /** Whether they are shown one by one. */
  readonly open: boolean;
  /** Whether the route can reach any of them. */
  readonly reach: boolean;
  /** How many of them are on the path. */
  readonly called: number;
}

/** The shown beans and groups, and their places. */
export interface Arrangement {
  readonly layout: Layout;
  readonly groups: readonly BeanGroup[];
}

/** The input for an arrangement. */
export interface GraphContent {
  readonly ids: readonly string[];
  readonly edges: readonly BeanEdge[];
  readonly beans: ReadonlyMap<string, BeanNode>;
  readonly entries: readonly string[];
  /** Beans on the path of the run, or of the two compared. Empty without one. */
  readonly path: ReadonlySet<string>;
  /** The time of a bean on the path. */
  readonly timeOf: (id: string) => number;
  readonly reach: ReadonlySet<string> | null;
  /** Groups that the user has opened. */
  readonly opened: ReadonlySet<string>;
  /** The size of the graph, or null before it is on screen. */
  readonly screen: Size | null;
}

/** Above this many beans, showing all together is not tried. */
const MANY_BEANS = 60;
/** As close together as names and edges allow. */
export const DENSE: Spacing = { gap: 7, layerGap: 40, bendGap: 4, lane: 4, shelf: 900, rows: Infinity };
const NARROW: Spacing = { ...DENSE, layerGap: 28 };
/** Beside the rows of a picture: the margins, and what is between the pill and the first column. */
const ROOM_BESIDE = 70;
/** Columns are wrapped at this many heights at most. */
const WRAPS = 5;

/** With more beans on the path, those with the least time may be collapsed. */
const MANY_CALLED = 60;
/** The counts of collapsed beans may take a line of the screen more. */
const COUNTS_LINE = 36;
/** The shares of a path that are tried then. */
const SHARES = [0.85, 0.7, 0.6, 0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15];
/** The least room of a bean with the gap after it. */
const BEAN_ROOM: Size = { width: 180, height: DENSE_HEIGHT + 7 };

/** The text on a group. */
export function groupLabel({ members, stereotype, called }: BeanGroup): string {
  const many = stereotype === "repository" ? "repositories" : `${stereotype}s`;
  return `+${members.length} ${members.length === 1 ? stereotype : many}${called === 0 ? "" : `, ${called} called`}`;
}

/** Arranges the beans; `everything` is the roomy layout of all of `ids`. */
export function arrange(wanted: GraphContent, everything: () => Layout): Arrangement {
  const { ids, path, screen } = wanted;
  if (!screen) return { layout: everything(), groups: [] };
  const whole = ids.length <= MANY_BEANS ? [everything, ...layouts(wanted, new Set(ids), screen)] : [];
  for (const attempt of whole) {
    const all = attempt();
    if (scaleOf(all, wanted.entries, screen) >= LEGIBLE) return { layout: all, groups: [] };
  }
  if (path.size === 0) return { layout: everything(), groups: [] };
  let best: { readonly unseen: number; readonly found: Arrangement } | undefined;
  for (const [kept, attempt] of collapsed(wanted, screen)) {
    const at = attempt();
    const found = { layout: at, groups: groupsOf(wanted, kept) };
    if (scaleOf(at, wanted.entries, screen) >= LEGIBLE) return found;
    const unseen = unseenAt(at, path, wanted.entries, screen);
    if (!best || unseen < best.unseen) best = { unseen, found };
  }
  return withoutShort(wanted, screen) ?? best?.found ?? { layout: everything(), groups: [] };
}

/** Of a path of very many beans, as many of those with the most time as are legible; undefined if even few are not. */
function withoutShort(wanted: GraphContent, screen: Size): Arrangement | undefined {
  const { path, timeOf } = wanted;
  if (path.size <= MANY_CALLED) return undefined;
  const above = { ...screen, height: screen.height - COUNTS_LINE };
  const longest = [...path].sort((a, b) => timeOf(b) - timeOf(a));
  const [columns, rows] = [above.width / BEAN_ROOM.width, above.height / BEAN_ROOM.height];
  const most = (columns * rows) / LEGIBLE ** 2;
  for (const share of SHARES) {
    if (share * longest.length > most) continue;
    const kept = new Set(longest.slice(0, Math.ceil(share * longest.length)));
    for (const attempt of closest(wanted, shownWith(wanted, kept), above)) {
      const at = attempt();
      if (scaleOf(at, wanted.entries, above) >= LEGIBLE) return { layout: at, groups: groupsOf(wanted, kept) };
    }
  }
  return undefined;
}

/** These beans and those of open groups. */
function shownWith(wanted: GraphContent, kept: ReadonlySet<string>): ReadonlySet<string> {
  const hidden = new Set(groupsOf(wanted, kept).flatMap((group) => (group.open ? [] : group.members)));
  return new Set(wanted.ids.filter((id) => !hidden.has(id)));
}

/** Collapses the beans out of reach if that leaves few enough, then all beans outside of the path. */
function* collapsed(wanted: GraphContent, screen: Size): Generator<[kept: ReadonlySet<string>, attempt: () => Layout]> {
  const { ids, path, reach } = wanted;
  const inReach = new Set(ids.filter((id) => path.has(id) || reach?.has(id) === true));
  const tries = inReach.size < ids.length && inReach.size <= MANY_BEANS ? [inReach, path] : [path];
  for (const kept of tries) {
    const shown = shownWith(wanted, kept);
    yield [kept, () => layoutOf(wanted, shown, "roomy", ROOMY)];
    const attempts = kept === path ? closest(wanted, shown, screen) : layouts(wanted, shown, screen);
    for (const attempt of attempts) yield [kept, attempt];
  }
}

/** Closer and closer together, then with tall columns wrapped. */
function layouts(wanted: GraphContent, shown: ReadonlySet<string>, screen: Size): (() => Layout)[] {
  const spacings = [DENSE, ...wraps(DENSE, DENSE_HEIGHT, screen), ...wraps(NARROW, DENSE_HEIGHT, screen)];
  return spacings.map((spacing) => () => layoutOf(wanted, shown, "dense", spacing));
}

/** The same, then with columns continued in rows below, then with names on two lines. */
function closest(wanted: GraphContent, shown: ReadonlySet<string>, screen: Size): (() => Layout)[] {
  const room = screen.width / LEGIBLE - PILL.width - ROOM_BESIDE;
  const inRows = (density: Density) => (): Layout => {
    const at = layoutOf(wanted, shown, density, NARROW);
    return banded(at, room) ?? at;
  };
  const folded = [NARROW, ...wraps(NARROW, FOLDED_HEIGHT, screen)];
  return [
    ...layouts(wanted, shown, screen),
    inRows("dense"),
    ...folded.map((spacing) => () => layoutOf(wanted, shown, "folded", spacing)),
    inRows("folded"),
  ];
}

/** The same with as many rows as the screen has room for, and fewer. */
function wraps(spacing: Spacing, height: number, screen: Size): Spacing[] {
  const most = Math.max(3, Math.floor(screen.height / LEGIBLE / (height + spacing.gap)));
  const counts = Array.from({ length: WRAPS }, (_, i) => most - i).filter((rows) => rows >= 3);
  return counts.flatMap((rows) => [false, true].map((late) => ({ ...spacing, rows, late })));
}

function layoutOf(wanted: GraphContent, shown: ReadonlySet<string>, density: Density, spacing: Spacing): Layout {
  const { ids, edges, beans, screen } = wanted;
  const shelf = Math.max(320, (screen?.width ?? 0) / LEGIBLE - 260);
  const sizeOf = (id: string): Size => beanSize(beans.get(id), density);
  return layout(
    ids.filter((id) => shown.has(id)),
    edges,
    sizeOf,
    { ...spacing, shelf },
  );
}

/** The beans that are not kept, by stereotype. */
function groupsOf({ ids, beans, opened, path, reach }: GraphContent, kept: ReadonlySet<string>): BeanGroup[] {
  const rest = ids.filter((id) => !kept.has(id));
  return stereotypes.flatMap((stereotype) => {
    const members = rest.filter((id) => (beans.get(id)?.stereotype ?? "bean") === stereotype);
    const isReached = members.some((id) => reach?.has(id) === true);
    const called = members.filter((id) => path.has(id)).length;
    return members.length === 0
      ? []
      : [{ stereotype, members, open: opened.has(stereotype), reach: isReached, called }];
  });
}

/** The scale at which the whole layout fills the screen. */
function scaleOf(at: Layout, entries: readonly string[], screen: Size): number {
  return fitCamera(at, at.beans.keys(), placeEntry(at, entries), screen, MARGINS, MIN_SCALE)?.scale ?? 0;
}

/** How many beans of the path are out of sight at a legible scale. */
function unseenAt(at: Layout, path: ReadonlySet<string>, entries: readonly string[], screen: Size): number {
  const camera = fitCamera(at, at.beans.keys(), placeEntry(at, entries), screen, MARGINS, LEGIBLE);
  return camera ? unseenBeans(at, path, camera, screen).length : path.size;
}
