/**
 * Histogram: durations in seconds, counted in fixed buckets.
 *
 *   observe(0.03) ──▶ counts[3] += 1      boundaries 0.005 0.01 0.025 0.05 … 10 +Inf
 *
 * Count, sum, minimum and maximum are exact. Percentiles are interpolated within their bucket, between the exact minimum and
 * maximum. Counters are doubles, exact up to 2^53.
 *
 * Spec: spec/metrics.md
 */

/** Upper bounds of the buckets, in seconds, as OpenTelemetry advises for HTTP servers. The last bucket, +Inf, has none. */
export const DURATION_BOUNDARIES: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];

/** One cumulative bucket: the number of observations of at most `le` seconds. `le: null` is +Inf. */
export interface Bucket {
  readonly le: number | null;
  readonly count: number;
}

/** The figures of a histogram, in seconds. */
export interface DurationSummary {
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly buckets: readonly Bucket[];
}

/** Counts durations. */
export class Histogram {
  count = 0;
  sum = 0;
  min: number = Infinity;
  max = 0;
  /** Observations per bucket, not cumulative. The last is +Inf. */
  readonly counts: Float64Array = new Float64Array(DURATION_BOUNDARIES.length + 1);

  /** Counts one duration. Anything but a positive finite number counts as 0. */
  observe(seconds: number): void {
    const value = seconds > 0 && seconds < Infinity ? seconds : 0;
    let index = 0;
    while (index < DURATION_BOUNDARIES.length && value > (DURATION_BOUNDARIES[index] ?? Infinity)) index += 1;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.count += 1;
    this.sum += value;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
  }

  /** Adds the counts of another histogram. */
  merge(other: Histogram): void {
    for (let index = 0; index < this.counts.length; index += 1) {
      this.counts[index] = (this.counts[index] ?? 0) + (other.counts[index] ?? 0);
    }
    this.count += other.count;
    this.sum += other.sum;
    this.min = Math.min(this.min, other.min);
    this.max = Math.max(this.max, other.max);
  }

  /** Cumulative buckets, +Inf last. */
  buckets(): Bucket[] {
    let cumulative = 0;
    return Array.from(this.counts, (count, index) => {
      cumulative += count;
      return { le: DURATION_BOUNDARIES[index] ?? null, count: cumulative };
    });
  }

  /** The value below which the share `q` (0 … 1) of the observations lies, or 0 without any. */
  percentile(q: number): number {
    const rank = q * this.count;
    let below = 0;
    for (let index = 0; index < this.counts.length; index += 1) {
      const inside = this.counts[index] ?? 0;
      if (inside > 0 && below + inside >= rank) {
        const lower = Math.max(DURATION_BOUNDARIES[index - 1] ?? 0, this.min);
        const upper = Math.min(DURATION_BOUNDARIES[index] ?? Infinity, this.max);
        return lower + (upper - lower) * ((rank - below) / inside);
      }
      below += inside;
    }
    return 0;
  }

  /** All figures, as a copy. */
  summary(): DurationSummary {
    const empty = this.count === 0;
    return {
      sum: this.sum,
      min: empty ? 0 : this.min,
      max: this.max,
      mean: empty ? 0 : this.sum / this.count,
      p50: this.percentile(0.5),
      p90: this.percentile(0.9),
      p95: this.percentile(0.95),
      p99: this.percentile(0.99),
      buckets: this.buckets(),
    };
  }
}
