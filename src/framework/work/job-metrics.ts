/**
 * JobMetrics: a collector of the metrics of jobs in this process, read as Prometheus text.
 *
 *   memoryWork({ metrics }) ──▶ each attempt, and the counts every 15 seconds ──▶ metrics.prometheus()
 *
 * Names and boundaries are those of `PromClientMetricsCollector`.
 *
 * Spec: spec/metrics.md
 */
import type { JobCounts, JobObservation } from "../metrics/collector.ts";
import { escapeLabel } from "../metrics/exposition.ts";
import { Histogram } from "../metrics/histogram.ts";
import { type Family, JOB_DURATION, JOBS, JOBS_OLDEST, jobStates } from "../metrics/job-families.ts";

/**
 * Keeps the metrics of jobs in this process.
 *
 * @example
 * ```ts
 * const metrics = new JobMetrics();
 * app.work(memoryWork({ metrics }));
 * app.get("/metrics", (ctx) => ctx.setHeader("Content-Type", EXPOSITION_CONTENT_TYPE).text(metrics.prometheus()));
 * ```
 */
export class JobMetrics {
  readonly #durations: Map<string, { readonly labels: string; readonly histogram: Histogram }> = new Map();
  #counts: readonly JobCounts[] = [];

  job({ job, outcome, durationSeconds }: JobObservation): void {
    const labels = `job="${escapeLabel(job)}",outcome="${outcome}"`;
    const series = this.#durations.get(labels) ?? { labels, histogram: new Histogram() };
    this.#durations.set(labels, series);
    series.histogram.observe(durationSeconds);
  }

  jobs(counts: readonly JobCounts[]): void {
    this.#counts = counts;
  }

  /** The text in the Prometheus format. Send it as `EXPOSITION_CONTENT_TYPE`, alone or after other text in it. */
  prometheus(): string {
    const durations = [...this.#durations.values()].flatMap(({ labels, histogram }) => [
      ...histogram.buckets().map(({ le, count }) => `_bucket{${labels},le="${le ?? "+Inf"}"} ${count}`),
      `_sum{${labels}} ${histogram.sum}`,
      `_count{${labels}} ${histogram.count}`,
    ]);
    const counts = this.#counts.flatMap((one) =>
      jobStates.map((state) => `{job="${escapeLabel(one.job)}",state="${state}"} ${one[state]}`),
    );
    const oldest = this.#counts.map(({ job, oldestMs }) => `{job="${escapeLabel(job)}"} ${oldestMs / 1_000}`);
    return (
      familyText(JOB_DURATION, "histogram", durations) +
      familyText(JOBS, "gauge", counts) +
      familyText(JOBS_OLDEST, "gauge", oldest)
    );
  }
}

const familyText = ({ name, help }: Family, type: string, samples: readonly string[]): string =>
  [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples.map((sample) => name + sample), ""].join("\n");
