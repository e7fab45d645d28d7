/**
 * The application's present and past: sums over the kept runs, its start, its jobs, its metrics and its
 * health.
 *
 *   the App tab opens ──▶ aggregates, startup: once │ metrics, health, jobs: every 2 s ──▶ signals ──▶ view.tsx
 *
 * While the tab is closed nothing is requested.
 */

import { computed, signal } from "@preact/signals";
import type { Aggregates, DeadJob, HealthView, JobsView, MetricsView, StartUpView } from "../../run/shapes.ts";
import { createAsk } from "../page/asking.ts";
import { sourceSlice } from "../runs/source.ts";
import { browserSlice } from "../store/browser.ts";
import type { Use } from "../store/slice.ts";

const LIVE_MS = 2_000;

/** The data of the App tab. */
export function factsSlice(use: Use) {
  const { read, post } = use(sourceSlice);
  const { every } = use(browserSlice);
  const aggregates = signal<Aggregates | null>(null);
  const startUp = signal<StartUpView | null>(null);
  const metrics = signal<MetricsView | null>(null);
  const health = signal<HealthView | null>(null);
  const jobs = signal<JobsView | null>(null);
  const failures = [signal<string | null>(null), signal<string | null>(null)] as const;
  let asking = false;
  const [askOnce, askAgain] = [createAsk(failures[0]), createAsk(failures[1])];
  /** Reads them unless the earlier request is still open. */
  const live = async (): Promise<void> => {
    if (asking) return;
    asking = true;
    await askAgain(async () => {
      const [m, h, j] = await Promise.all([read("metrics"), read("health"), read("jobs")]);
      return () => {
        jobs.value = j;
        metrics.value = m;
        health.value = h;
      };
    });
    asking = false;
  };
  const load = (): Promise<void> =>
    askOnce(async () => {
      const [a, s] = await Promise.all([read("aggregates"), read("startup")]);
      return () => {
        aggregates.value = a;
        startUp.value = s;
      };
    });
  const loadMetrics = (): Promise<void> => askAgain(() => read("metrics").then((m) => () => void (metrics.value = m)));
  const loadSums = (): Promise<void> =>
    askOnce(() => read("aggregates").then((a) => () => void (aggregates.value = a)));
  return {
    aggregates,
    startUp,
    metrics,
    health,
    jobs,
    /** Why the newest question of a kind has failed. A response to one of the other kind leaves it. */
    failure: computed(() => failures[0].value ?? failures[1].value),
    /** Puts a dead letter back into its engine. */
    retry: (letter: DeadJob): Promise<void> => askOnce(() => post(pathOf(letter)).then(() => () => void live())),
    load,
    /** Reads the sums alone. */
    loadSums,
    /** Reads the metrics alone. */
    loadMetrics,
    /** Reads everything, and metrics and health again and again, until the returned function is called. */
    follow: (): (() => void) => {
      void load();
      void live();
      return every(LIVE_MS, () => void (document.visibilityState === "hidden" || live()));
    },
  };
}

const pathOf = ({ job, id }: DeadJob): string => `jobs/${encodeURIComponent(job)}/${encodeURIComponent(id)}`;
