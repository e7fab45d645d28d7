/**
 * What Start shows: groups in order with their traffic, the heat of beans, errors, and what changed since the last start.
 *
 *   graph, routes, sources ──▶ folders ─┐
 *   minute (twice a second), runs ──────┴──▶ traffic ──▶ order, rows │ Live: the heat of each bean
 */

import { batch, computed, signal } from "@preact/signals";
import { errorKinds } from "../../run/overview/errors.ts";
import { byFolder, byStereotype, foldersOf, type BeanFolder } from "../../run/overview/groups.ts";
import { createMinute, type Traffic } from "../../run/overview/minute.ts";
import { afterStart, isSeenStarts, seenStart, type SeenStarts } from "../../run/overview/starts.ts";
import type { RouteAggregate, Trace } from "../../run/shapes.ts";
import { factsSlice } from "../app/facts.ts";
import { methodsSlice } from "../node/sources.ts";
import { recall, remember } from "../page/storage.ts";
import { earlierSlice } from "../runs/earlier.ts";
import { keptSlice } from "../runs/kept.ts";
import { minuteSlice } from "../runs/minute.ts";
import { applicationSlice } from "../store/application.ts";
import { browserSlice } from "../store/browser.ts";
import { panelsSlice } from "../store/panels.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";
import { graphSlice, MANY_BEANS } from "../graph/picture.ts";
import { HOTTEST, type BeanHeat } from "../graph/scene.ts";
import { count, duration, rate } from "../../run/format.ts";

const STARTS_KEY = "framework-dev.starts";
const SUMS_MS = 5_000;
/** So many beans fit below each other. */
const SHORT = 12;

/** The choices of the switch that stay on Start. */
export type Grouping = "Folder" | "Stereotype";
/** What the heat of a bean is. */
export const heats = ["Rate", "p95", "Errors"] as const;

const VALUES: Readonly<Record<(typeof heats)[number], (of: Traffic) => number>> = {
  Rate: ({ count: n }) => n,
  p95: ({ p95Us }) => p95Us,
  Errors: ({ errors }) => errors,
};

/** How hot, from 0 for nothing to 4 for the most. Logarithmic, since beans differ by powers of ten. */
export function heatLevel(value: number, most: number): number {
  const share = Math.log1p(value) / Math.log1p(Math.max(value, most));
  return value <= 0 ? 0 : 1 + Math.min(HOTTEST - 1, Math.floor(HOTTEST * share));
}

/** The heat of what was called in the last minute. */
export function heatOf(
  traffic: ReadonlyMap<string, Traffic>,
  by: (typeof heats)[number],
  seconds: number,
): ReadonlyMap<string, BeanHeat> {
  const most = Math.max(0, ...[...traffic.values()].map(VALUES[by]));
  return new Map(
    [...traffic].map(([name, of]) => {
      const [often, p95] = [`${rate(of.count / seconds).replace(" ", "")}/s`, duration(of.p95Us)];
      const failed = of.errors > 0 ? `, ${count(of.errors, "error")}` : "";
      const said = `, ${often}, p95 ${p95}${failed}`;
      return [name, { level: heatLevel(VALUES[by](of), most), line: `${often} ${p95}`, errors: of.errors, said }];
    }),
  );
}

const cold: ReadonlyMap<string, BeanHeat> = new Map();

/** The busiest first. Counts within a factor of two are equal, so that rows do not change places with every run. */
export function busiestFirst(
  folders: readonly BeanFolder[],
  counts: readonly ReadonlyMap<string, Traffic>[],
): BeanFolder[] {
  const rank = ({ name }: BeanFolder): number[] =>
    counts.map((traffic) => Math.ceil(Math.log2(1 + (traffic.get(name)?.count ?? 0))));
  return folders.toSorted((a, b) => {
    const other = rank(a);
    return rank(b).reduce((found, value, at) => found || value - (other[at] ?? 0), 0);
  });
}

function toggled(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const next = new Set(names);
  if (!next.delete(name)) next.add(name);
  return next;
}

/** The place *Start*. */
export function overviewSlice(use: Use) {
  const { live, routes, traces } = use(applicationSlice);
  const { followed } = use(minuteSlice);
  const methods = use(methodsSlice);
  const { starts, record } = createStarts(use);
  const wanted = signal<Grouping>("Folder");
  const switched = signal<ReadonlySet<string>>(new Set());
  const folder = computed(() => byFolder(methods.all.value));
  const groupOf = computed(() => (wanted.value === "Folder" && folder.value) || byStereotype);
  const folders = computed(() => foldersOf(live.value, routes.value, groupOf.value));
  /** The only feature is open at first if it is short, since a row alone shows too little. */
  const opened = computed(() => {
    const [only, other] = folders.value.folders.filter(({ column }) => column === "feature");
    return only && !other && only.beans.length <= SHORT ? toggled(switched.value, only.name) : switched.value;
  });
  const home = computed(() => {
    const names = new Map(folders.value.folders.flatMap(({ name, beans }) => beans.map(({ id }) => [id, name])));
    return (bean: string): string => names.get(bean) ?? "";
  });
  /** Of the last minute, and of the kept runs, both as new as the last tick. */
  const traffic = computed(() => {
    const now = followed();
    const kept = createMinute();
    kept.add(traces.peek());
    return { now: now.entering(home.value), kept: kept.entering(home.value) };
  });
  return {
    wanted,
    opened,
    find: use(graphSlice).find,
    ...createLive(use, () => traffic.value.now),
    /** Whether beans are in different folders, as far as sources are known. */
    hasFolders: computed(() => folder.value !== null),
    folders: computed(() => {
      const { now, kept } = traffic.value;
      return { ...folders.value, folders: busiestFirst(folders.value.folders, [now, kept]) };
    }),
    traffic,
    requests: computed(() => followed().requests(Date.now())),
    errors: computed(() => errorKinds(traces.value)),
    starts,
    toggle: (name: string): void => void (switched.value = toggled(switched.value, name)),
    ...createWays(use),
    follow: (): (() => void) => {
      const stops = [followFacts(use, record), use(minuteSlice).follow()];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

/** Live: how hot beans and groups are. */
function createLive(use: Use, groups: () => ReadonlyMap<string, Traffic>) {
  const { live } = use(applicationSlice);
  const { followed, seconds } = use(minuteSlice);
  const isLive = signal(false);
  const heat = signal<(typeof heats)[number]>("Rate");
  const beans = computed(() => followed().entering((bean) => bean));
  const hot = (of: () => ReadonlyMap<string, Traffic>) =>
    computed(() => (isLive.value ? heatOf(of(), heat.value, seconds()) : cold));
  return {
    isLive,
    heat,
    beans,
    /** The heat of beans and of groups; empty unless Live is on. */
    heats: hot(() => beans.value),
    groupHeats: hot(groups),
    /** Whether Live is the graph. Of more beans than it can show, groups are hot. */
    isDrawn: computed(() => isLive.value && live.value.nodes.length <= MANY_BEANS),
  };
}

/** Reads sums, start and sources with each graph, and sums again while runs arrive. */
function followFacts(use: Use, record: () => void): () => void {
  const { load, loadSums, loadMetrics } = use(factsSlice);
  const { live } = use(applicationSlice);
  const { tick } = use(minuteSlice);
  const { every } = use(browserSlice);
  // In this order, so that the graph of a new process is never taken for that of the start before it.
  const stopGraphs = live.subscribe(() => void load().then(record));
  let read = tick.peek();
  void loadMetrics();
  const stopSums = every(SUMS_MS, () => {
    void loadMetrics();
    if (tick.peek() === read) return;
    read = tick.peek();
    void loadSums();
  });
  return () => {
    stopGraphs();
    stopSums();
  };
}

/** The present start and the one before it, kept by the browser. */
function createStarts(use: Use) {
  const { live, routes, loaded, mount } = use(applicationSlice);
  const { startUp } = use(factsSlice);
  const { local } = use(browserSlice);
  const methods = use(methodsSlice);
  const starts = signal<SeenStarts | null>(null);
  return {
    starts,
    record: (): void => {
      const start = startUp.value?.current;
      if (loaded.value) void methods.load(start?.instance ?? "");
      if (!start || !loaded.value) return;
      const app = `${document.documentElement.dataset["app"] ?? ""} ${mount.value}`;
      const before = recall<SeenStarts | null>(local, STARTS_KEY, null, isSeenStarts);
      starts.value = afterStart(before, seenStart(app, start, live.value, routes.value));
      remember(local, STARTS_KEY, starts.value);
    },
  };
}

/** The ways to a run, a bean and a tab. */
function createWays(use: Use) {
  const { place, detail } = use(panelsSlice);
  const { selectTrace, selectBean, traceId } = use(selectionSlice);
  const { minute } = use(minuteSlice);
  const { open } = use(earlierSlice);
  const toWhy = (act: () => void): void =>
    batch(() => {
      act();
      place.value = "inspect";
      detail.value = "why";
    });
  const inspect = (run: Trace): void =>
    toWhy(() => {
      // Selected first, since a run older than the last hundred stays only while it is selected.
      selectTrace(run);
      use(keptSlice).merge([run]);
    });
  return {
    inspect,
    /** Opens the run with the slowest call of a bean in the last minute. */
    inspectSlowest: (bean: string): void => {
      const run = minute.slowest(bean);
      if (run) inspect(run);
    },
    /** Opens the slowest kept run of a route, which the page may lack. */
    inspectRoute: async ({ slowest }: RouteAggregate): Promise<void> => {
      await open(slowest);
      if (traceId.value === slowest) toWhy(() => undefined);
    },
    showBean: (id: string): void =>
      batch(() => {
        selectBean(id);
        place.value = "compose";
      }),
    showSums: (): void =>
      batch(() => {
        place.value = "compose";
        detail.value = "app";
      }),
    showGraph: (): void => void (place.value = "compose"),
  };
}
