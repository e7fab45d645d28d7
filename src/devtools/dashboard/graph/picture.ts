/**
 * The shown picture of the graph: which beans are laid out and where, and which dependencies are bold.
 *
 *   selection, comparison, "Only reachable" ──▶ shown beans ──▶ arrangement ──▶ picture, entry pill ──▶ views, file
 */

import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";
import type { Side } from "../../run/compare/compare.ts";
import { spentByBean } from "../../run/spent.ts";
import { isBoolean, isTexts } from "../../run/values.ts";
import { remembered } from "../page/storage.ts";
import { browserSlice } from "../store/browser.ts";
import { stableList } from "../store/entries.ts";
import { tracePath, type PathEdge } from "../store/path.ts";
import { searchSlice } from "../store/search.ts";
import type { Use } from "../store/slice.ts";
import { timeSlice } from "../store/time.ts";
import { viewOf, type BeanView } from "./bean-view.ts";
import { boldPaths } from "./bold-paths.ts";
import { runTime } from "./run-time.ts";
import { sceneSlice } from "./scene.ts";
import { beanSize, LEGIBLE, placeEntry } from "../../run/graph/geometry.ts";
import { arrange, DENSE, type BeanGroup } from "../../run/graph/groups.ts";
import { islandsWidth, withIslands, type Service } from "./islands.ts";
import { layout } from "../../run/graph/layout.ts";
import type { Size } from "../../run/graph/shapes.ts";

/** Above this many beans, only the reachable part is laid out by default. */
export const MANY_BEANS = 60;
const FOCUS_KEY = "framework-dev.only-reachable";
const GROUPS_KEY = "framework-dev.groups";
/** At most this many hits of "Find bean" are taken out of their groups. */
const FEW_HITS = 12;

/** The content of the graph. */
export function graphSlice(use: Use) {
  const { entries } = use(sceneSlice);
  const focus = createFocus(use);
  const bold = createBold(use);
  const arranged = createArrangement(use, focus.shown);
  /** The pill of the selected route, and its path to the entry beans. */
  const entry = computed(() => placeEntry(arranged.picture.value, entries.value));
  return {
    ...focus,
    ...bold,
    ...arranged,
    entry,
    boldPaths: computed(() => boldPaths(bold.boldEdges.value, arranged.picture.value, entry.value)),
  };
}

/** The places of the beans, and which of them are collapsed into groups. */
function createArrangement(use: Use, shown: ReadonlySignal<readonly string[]>) {
  const { graph, beans, entries, reach, islands, path: run, numbers } = use(sceneSlice);
  const { session } = use(browserSlice);
  const { lit } = use(searchSlice);
  const path = pathBeans(use);
  const screen = signal<Size | null>(null);
  const find = signal("");
  const opened = remembered(session, GROUPS_KEY, [], isTexts);
  const own = computed(() => shown.value.filter((id) => !islands.value.has(id)));
  const services = computed(() => servicesOf(use));
  const everything = computed(() => layout(own.value, graph.value.edges, (id) => beanSize(beans.value.get(id))));
  const hits = computed(() => matches(find.value, shown.value));
  const found = computed(() => (hits.value.length <= FEW_HITS ? hits.value : []));
  const arrangement = computed(() => {
    const { edges } = graph.value;
    const asked = found.value.map((id) => beans.value.get(id)?.stereotype ?? "bean");
    return arrange(
      {
        ids: own.value,
        edges,
        beans: beans.value,
        entries: entries.value,
        path: path.value,
        // Beans on the trail of a value are collapsed last.
        timeOf: (id) => (numbers.value.has(id) ? Number.MAX_VALUE : (run.value?.beans.get(id)?.totalUs ?? 0)),
        reach: reach.value,
        opened: new Set([...opened.value, ...asked]),
        screen: left(screen.value, islandsWidth(services.value)),
      },
      () => everything.value,
    );
  });
  const groups = computed(() => arrangement.value.groups);
  return {
    find,
    /** The size of the graph on screen, or null before it is there. */
    screen,
    /** Ids of the beans on the path of the run, or of either of two compared. */
    pathBeans: path,
    picture: computed(() => withIslands(arrangement.value.layout, services.value)),
    groups,
    hits,
    /** Whether the text matches it, or a search of runs found something in it. */
    isFound: (id: string): boolean => hits.value.includes(id) || lit.value.has(id),
    toggleGroup: ({ stereotype, open }: BeanGroup): void => {
      opened.value = open ? opened.value.filter((one) => one !== stereotype) : [...opened.value, stereotype];
    },
    openGroupOf: (id: string): void =>
      batch(() => {
        const group = groups.value.find((one) => !one.open && one.members.includes(id));
        if (group) opened.value = [...opened.value, group.stereotype];
      }),
  };
}

/** Other services that the run led to, each laid out alone. */
function servicesOf(use: Use): Service[] {
  const { graph, beans, islands, bridges } = use(sceneSlice);
  return [...new Set(islands.value.values())].map((name) => {
    const ids = [...islands.value].flatMap(([id, service]) => (service === name ? [id] : []));
    const from = [...bridges.value.values()].find((edge) => islands.value.get(edge.to) === name)?.from ?? null;
    const own = layout(ids, graph.value.edges, (id) => beanSize(beans.value.get(id), "dense"), DENSE);
    return { name, layout: own, from };
  });
}

/** The part of the screen that islands leave, at a legible scale. */
const left = (screen: Size | null, width: number): Size | null =>
  !screen || width === 0 ? screen : { ...screen, width: Math.max(240, screen.width - width * LEGIBLE) };

function matches(text: string, ids: readonly string[]): readonly string[] {
  const wanted = text.trim().toLowerCase();
  return wanted ? ids.filter((id) => id.toLowerCase().includes(wanted)) : [];
}

/** The beans of the whole path, also during steps. */
function pathBeans(use: Use): ReadonlySignal<ReadonlySet<string>> {
  const { path, comparing } = use(sceneSlice);
  const list = stableList(() => [...(comparing.value?.beanSides ?? path.value?.beans ?? new Map()).keys()]);
  return computed(() => new Set(list.value));
}

function createFocus(use: Use) {
  const { graph, reach } = use(sceneSlice);
  const { local } = use(browserSlice);
  const path = pathBeans(use);
  const onlyReachable = remembered<boolean | null>(local, FOCUS_KEY, null, isBoolean);
  const focused = computed(
    () =>
      reach.value !== null && reach.value.size > 0 && (onlyReachable.value ?? graph.value.nodes.length > MANY_BEANS),
  );
  return {
    focused,
    shown: computed(() => {
      const near = reach.value;
      const ids = graph.value.nodes.map((n) => n.id);
      return focused.value && near ? ids.filter((id) => near.has(id) || path.value.has(id)) : ids;
    }),
    toggleOnlyReachable: (): void => {
      onlyReachable.value = !focused.value;
    },
  };
}

/** The bold beans and dependencies, from the comparison, or else from the path up to the shown moment. */
function createBold(use: Use) {
  const { graph, entries, whole, path, reach, comparing } = use(sceneSlice);
  const { begun } = use(timeSlice);
  const shownPath = computed(() => {
    const [run, steps] = [whole.value, begun.value];
    if (!run || steps === null) return path.value;
    const calls = run.calls.toSorted((a, b) => a.id - b.id).slice(0, steps);
    return tracePath({ ...run, calls }, graph.value, entries.value);
  });
  return {
    boldEdges: computed<ReadonlyMap<string, PathEdge & { readonly side?: Side }>>(
      () => comparing.value?.edges ?? shownPath.value?.edges ?? new Map(),
    ),
    viewOf: (id: string): BeanView => viewOf(id, { comparing, shownPath, reach }),
    /** The time on the path of the run, or null while runs are compared. */
    times: computed(() => (whole.value && path.value && !comparing.value ? runTime(whole.value, path.value) : null)),
    /** The leaves of each bean's calls, empty while runs are compared. */
    below: computed<ReturnType<typeof spentByBean>>(() =>
      !whole.value || comparing.value ? new Map() : spentByBean(whole.value),
    ),
  };
}
