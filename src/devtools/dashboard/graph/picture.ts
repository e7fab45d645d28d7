/**
 * The picture of the graph as it is shown: which beans are laid out and where, and which dependencies are bold.
 *
 *   selection, comparison, "Only reachable" ──▶ shown beans ──▶ layout ──▶ picture, entry pill ──▶ views, picture file
 */

import { computed, signal } from "@preact/signals";
import { comparisonSlice } from "../compare/compare.ts";
import type { Side } from "../compare/sides.ts";
import { recall, remember } from "../page/storage.ts";
import { browserSlice } from "../store/browser.ts";
import { tracePath } from "../store/path.ts";
import type { PathEdge } from "../store/path.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";
import { viewOf } from "./bean-view.ts";
import type { BeanView } from "./bean-view.ts";
import { boldPaths } from "./bold-paths.ts";
import { beanSize, placeEntry } from "./geometry.ts";
import { layout } from "./layout.ts";
import type { Drawing } from "./svg.ts";

/** Above this many beans the reachable part is laid out alone unless the user says otherwise. */
const MANY_BEANS = 60;
/** Where "Only reachable" is remembered. */
const FOCUS_KEY = "framework-dev.only-reachable";

const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";

/** What the graph shows. */
export function graphSlice(use: Use) {
  const { graph, beans, entries } = use(selectionSlice);
  const focus = createFocus(use);
  const bold = createBold(use);
  const picture = computed(() => layout(focus.shown.value, graph.value.edges, (id) => beanSize(beans.value.get(id))));
  /** The pill of the selected route, and its way to the entry beans. */
  const entry = computed(() => placeEntry(picture.value, entries.value));
  return {
    /** The text in the field "Find bean". */
    find: signal(""),
    ...focus,
    ...bold,
    picture,
    entry,
    /** Where each bold edge runs, by its key. */
    boldPaths: computed(() => boldPaths(bold.boldEdges.value, picture.value, entry.value)),
  };
}

/** Which beans are laid out. */
function createFocus(use: Use) {
  const { graph, reach } = use(selectionSlice);
  const { local } = use(browserSlice);
  const onlyReachable = signal(recall<boolean | null>(local, FOCUS_KEY, null, isBoolean));
  const focused = computed(
    () =>
      reach.value !== null && reach.value.size > 0 && (onlyReachable.value ?? graph.value.nodes.length > MANY_BEANS),
  );
  return {
    /** Is the reachable part laid out alone? */
    focused,
    /** Ids of the beans that are laid out. */
    shown: computed(() => {
      const near = reach.value;
      const ids = graph.value.nodes.map((n) => n.id);
      return focused.value && near !== null ? ids.filter((id) => near.has(id)) : ids;
    }),
    toggleOnlyReachable: (): void => {
      onlyReachable.value = !focused.value;
      remember(local, FOCUS_KEY, onlyReachable.value);
    },
  };
}

/** Which beans and dependencies stand out: those of the comparison, else of the path as far as the user has stepped. */
function createBold(use: Use) {
  const { graph, entries, trace, path, step, reach } = use(selectionSlice);
  const { comparing } = use(comparisonSlice);
  const shownPath = computed(() => {
    const [run, steps] = [trace.value, step.value];
    if (run === null || steps === null) return path.value;
    const calls = run.calls.toSorted((a, b) => a.id - b.id).slice(0, steps);
    return tracePath({ ...run, calls }, graph.value, entries.value);
  });
  return {
    boldEdges: computed<ReadonlyMap<string, PathEdge & { readonly side?: Side }>>(
      () => comparing.value?.edges ?? shownPath.value?.edges ?? new Map(),
    ),
    viewOf: (id: string): BeanView => viewOf(id, { comparing, shownPath, reach }),
  };
}

/** What a picture file shows: the graph as it is on screen. */
export function drawingOf(use: Use): Drawing {
  const { beans, reach, method, routeId } = use(selectionSlice);
  const style = getComputedStyle(document.documentElement);
  const { boldEdges, boldPaths: paths, viewOf: view, picture, entry } = use(graphSlice);
  return {
    picture: picture.value,
    beans: beans.value,
    viewOf: view,
    reach: reach.value,
    bold: new Map([...paths.value].map(([key, path]) => [key, { ...path, side: boldEdges.value.get(key)?.side }])),
    entry: entry.value,
    method: method.value,
    colour: (token) => style.getPropertyValue(`--${token}`),
    route: routeId.value,
  };
}
