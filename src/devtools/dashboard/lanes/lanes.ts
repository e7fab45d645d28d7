/**
 * The state of Lanes: all kept runs, the brush over them, the selected runs, and what these share.
 *
 *   runs of the page ──┐
 *   …/api/search ──────┴──▶ runs ──▶ brush ──▶ selected │ others ──▶ …/api/analyses ──▶ what they share
 *
 * The brush is a filter of the list of runs, so the table of Inspect has it too.
 */

import { computed, effect, signal } from "@preact/signals";
import { interleavingsOf, type Interleaving } from "../../run/explain/interleaved.ts";
import { hasFailed } from "../../run/explain/last-good.ts";
import type { FactKind } from "../../run/explain/facts.ts";
import type { Shared } from "../../run/explain/share.ts";
import { traceKey } from "../../run/format.ts";
import type { Trace } from "../../run/shapes.ts";
import { createAsk } from "../page/asking.ts";
import { analysesSlice } from "../runs/analyses.ts";
import { earlierSlice, runReader } from "../runs/earlier.ts";
import { historySlice, isError, isIn, type Between } from "../runs/history.ts";
import { sourceSlice } from "../runs/source.ts";
import { applicationSlice } from "../store/application.ts";
import { browserSlice } from "../store/browser.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";
import { extentOf, newestStretch, type LaneRun } from "./layout.ts";

/** The most runs that Lanes shows, and the most of one side of a comparison. */
export const MOST_RUNS = 1_000;
/** The most runs of one side. */
export const MOST_COMPARED = 100;
/** How many are read at the same time, and at most beside a selected one. */
const AT_ONCE = 8;
const MOST_BESIDE = 20;
/** With live traffic the comparison is made again after such a pause. */
const PAUSE_MS = 300;

/** Which runs are compared with which others. */
export interface Sides {
  /** What the selected ones are: `selected`, `failed`, `slow`. */
  readonly name: string;
  readonly set: readonly LaneRun[];
  readonly rest: readonly LaneRun[];
  readonly without: ReadonlySet<FactKind>;
}

/** The result of a comparison. */
export interface Comparison {
  readonly sides: Sides;
  readonly shared: Shared;
}

/** Runs, brush, selection and comparison. */
export function lanesSlice(use: Use) {
  const { filter, setFilter } = use(historySlice);
  const { runs, commits, load, stay } = createRuns(use);
  const whole = createWhole(use);
  const dragged = signal<Between | null>(null);
  const chosen = signal<ReadonlySet<string>>(new Set());
  const extent = computed(() => extentOf(runs.value));
  const range = computed(() => dragged.value ?? filter.value.between ?? newestStretch(runs.value));
  const brushed = computed(() => {
    const now = range.value;
    return now === null ? [] : runs.value.filter((run) => isIn(run, now));
  });
  const { counts, sides } = createSides(use, brushed, chosen);
  return {
    runs,
    /** From the first run to the last. */
    extent,
    /** The brush while it is dragged. */
    dragged,
    /** The brush, or the newest stretch of time without one. */
    range,
    /** The runs in the range. */
    brushed,
    /** How many of them failed, were slow, or came from this page. */
    counts,
    sides,
    setBrush: (between: Between | null): void => setFilter({ between }),
    /** Adds a run to the selected ones, or removes it. */
    toggle: (run: LaneRun): void => {
      const next = new Set(chosen.value);
      if (!next.delete(traceKey(run))) next.add(traceKey(run));
      chosen.value = next;
    },
    clearChosen: (): void => void (chosen.value = new Set()),
    interleavings: createInterleavings(whole.known, brushed),
    select: createSelect(use, whole, runs),
    ...createComparison(use, sides, commits),
    load,
    stay,
  };
}

/** The kept runs, the oldest first. Those of the page are whole. */
function createRuns(use: Use) {
  const { traces } = use(applicationSlice);
  const { read } = use(sourceSlice);
  const kept = signal<readonly LaneRun[]>([]);
  const commits = signal<ReadonlyMap<string, string>>(new Map());
  /** Whether the application keeps runs that the page drops. */
  let isOnDisk = false;
  const runs = computed(() => merged(kept.value, traces.value));
  return {
    runs,
    commits,
    /** Reads what the application keeps. Without an answer the runs of the page remain. */
    load: async (): Promise<void> => {
      try {
        const { sessions, file } = await read("sessions");
        commits.value = new Map(
          sessions.flatMap(({ instance, commit }) => (commit === null ? [] : [[instance, commit]])),
        );
        isOnDisk = file !== null;
        const hits: LaneRun[] = [];
        let cursor: string | null = "";
        while (cursor !== null && hits.length < MOST_RUNS) {
          const page: Awaited<ReturnType<typeof read<"search">>> = await read("search", {
            q: "",
            limit: "100",
            cursor,
          });
          hits.push(...page.hits);
          cursor = page.next;
        }
        kept.value = hits;
      } catch {
        kept.value = [];
      }
    },
    /** Runs that the page drops stay in the picture while the application keeps them, until the returned function is called. */
    stay: (): (() => void) =>
      traces.subscribe((now) => {
        if (isOnDisk) kept.value = merged(kept.peek(), now.map(rowOf));
      }),
  };
}

/** The members that a lane needs, so that dropped runs cost little. */
const rowOf = ({
  instance,
  sequence,
  method,
  path,
  route,
  status,
  startedAt,
  durationUs,
  error,
  aborted,
  correlationId,
}: Trace): LaneRun => ({
  instance,
  sequence,
  method,
  path,
  route,
  status,
  startedAt,
  durationUs,
  error,
  aborted,
  correlationId,
});

/** Each run once, the later one of two; the newest of them, sorted by their start. */
function merged(one: readonly LaneRun[], other: readonly LaneRun[]): readonly LaneRun[] {
  const byKey = new Map([...one, ...other].map((run) => [traceKey(run), run]));
  return [...byKey.values()].sort((a, b) => a.startedAt - b.startedAt || a.sequence - b.sequence).slice(-MOST_RUNS);
}

/** Runs with their calls, which are read if the page lacks them. */
function createWhole(use: Use) {
  const { traces } = use(applicationSlice);
  const read = runReader(use);
  const cache = signal<ReadonlyMap<string, Trace>>(new Map());
  const known = computed(() => new Map([...cache.value, ...traces.value.map((run) => [traceKey(run), run] as const)]));
  return {
    known,
    /** Reads these. One that is no longer kept is left out. */
    readAll: async (runs: readonly LaneRun[]): Promise<Trace[]> => {
      const keys = runs.map(traceKey);
      const missing = keys.filter((key) => !known.peek().has(key));
      const fresh: Trace[] = [];
      for (let at = 0; at < missing.length; at += AT_ONCE)
        fresh.push(
          ...(await Promise.all(missing.slice(at, at + AT_ONCE).map((key) => read(key).catch(() => [])))).flat(),
        );
      const all = [...cache.peek().values(), ...fresh].slice(-3 * MOST_COMPARED);
      if (fresh.length > 0) cache.value = new Map(all.map((run) => [traceKey(run), run]));
      return keys.flatMap((key) => known.peek().get(key) ?? []);
    },
  };
}
type Whole = ReturnType<typeof createWhole>;

interface Readable<T> {
  readonly value: T;
  peek(): T;
}

function createSides(use: Use, brushed: Readable<readonly LaneRun[]>, chosen: Readable<ReadonlySet<string>>) {
  const { filter, slowUs, mine } = use(historySlice);
  const tests = {
    onlyErrors: isError,
    onlySlow: (run: LaneRun): boolean => run.durationUs > slowUs(),
    onlyMine: (run: LaneRun): boolean => mine.value.has(run.correlationId ?? ""),
  };
  const counts = computed(() => ({
    onlyErrors: brushed.value.filter(tests.onlyErrors).length,
    onlySlow: brushed.value.filter(tests.onlySlow).length,
    onlyMine: brushed.value.filter(tests.onlyMine).length,
  }));
  const sides = computed((): Sides | null => {
    const picked = chosen.value;
    const isPicked = picked.size > 0;
    const on = (["onlyErrors", "onlySlow", "onlyMine"] as const).filter((name) => filter.value[name]);
    if (!isPicked && on.length === 0) return null;
    const isOne = (run: LaneRun): boolean =>
      isPicked ? picked.has(traceKey(run)) : on.every((name) => tests[name](run));
    return {
      name: isPicked ? "selected" : on.map((name) => NAMES[name]).join(", "),
      set: brushed.value.filter(isOne),
      rest: brushed.value.filter((run) => !isOne(run)),
      // What the runs were selected by says nothing.
      without: new Set(!isPicked && filter.value.onlyErrors ? ["status", "error"] : []),
    };
  });
  return { counts, sides };
}

const NAMES = { onlyErrors: "failed", onlySlow: "slow", onlyMine: "own" } as const;

/** The failed runs of the range that another run interfered with, by key. */
function createInterleavings(known: Readable<ReadonlyMap<string, Trace>>, brushed: Readable<readonly LaneRun[]>) {
  return computed((): ReadonlyMap<string, readonly Interleaving[]> => {
    const whole = brushed.value.flatMap((run) => known.value.get(traceKey(run)) ?? []);
    const found = whole.filter(hasFailed).map((run) => [traceKey(run), interleavingsOf(run, whole)] as const);
    return new Map(found.filter(([, all]) => all.length > 0));
  });
}

/** Selects a run as everywhere, and reads those beside it if it failed. */
function createSelect(use: Use, { readAll }: Whole, runs: Readable<readonly LaneRun[]>) {
  const { open } = use(earlierSlice);
  const { runOf, selectTrace } = use(selectionSlice);
  return async (run: LaneRun): Promise<void> => {
    const held = runOf(traceKey(run));
    if (held) selectTrace(held);
    else await open(traceKey(run));
    if (!isError(run)) return;
    const beside = runs
      .peek()
      .filter(
        (one) => one.instance === run.instance && isIn(one, [run.startedAt, run.startedAt + run.durationUs / 1_000]),
      );
    await readAll(beside.slice(-MOST_BESIDE));
  };
}

/** What the selected runs share, kept up to date while somebody looks. */
function createComparison(use: Use, sides: Readable<Sides | null>, commits: Readable<ReadonlyMap<string, string>>) {
  const { wait } = use(browserSlice);
  const analyse = use(analysesSlice);
  const failure = signal<string | null>(null);
  const comparison = signal<Comparison | null>(null);
  const ask = createAsk(failure);
  const compare = (): Promise<void> =>
    ask(async () => {
      const now = sides.peek();
      if (now === null || now.set.length === 0 || now.rest.length === 0) return () => (comparison.value = null);
      const shared = await analyse("share", (send) => ({
        set: now.set.slice(-MOST_COMPARED).flatMap(send),
        rest: now.rest.slice(-MOST_COMPARED).flatMap(send),
        without: [...now.without],
        commits: Object.fromEntries(commits.peek()),
      }));
      return () => (comparison.value = { sides: now, shared });
    });
  return {
    comparison,
    /** Why it failed. */
    failure,
    /** Compares whenever the sides change, until the returned function is called. */
    follow: (): (() => void) => {
      let isWaiting = false;
      return effect(() => {
        if (sides.value === null) comparison.value = null;
        if (isWaiting) return;
        isWaiting = true;
        void wait(PAUSE_MS).then(() => {
          isWaiting = false;
          return compare();
        });
      });
    },
  };
}
