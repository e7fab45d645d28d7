/**
 * InMemoryMetricsCollector: one histogram for each method, route and status, read as a snapshot or as text.
 *
 *   record ──▶ route ▸ method ▸ status ▸ Histogram ──▶ snapshot() | prometheus()
 *
 * Recording costs three map look-ups and one bucket. All string work is done on reads. Memory is bounded: after 10,000
 * histograms everything new is counted under `_OTHER OVERFLOW`.
 *
 * Spec: spec/metrics.md, shape MetricsSnapshot
 */
import type { DeprecatedCall, MetricsCollector, Observation } from "./collector.ts";
import { type DeprecatedMetrics, exposition, type Series } from "./exposition.ts";
import { Histogram, type DurationSummary } from "./histogram.ts";
import { OTHER_METHOD, OVERFLOW, routeLabel } from "./labels.ts";
import type { RuntimeMetrics, RuntimeSource } from "./runtime/runtime-metrics.ts";

/** The figures of one route and method. */
export interface RouteMetrics {
  readonly method: string;
  /** Context path + pattern, or `UNMATCHED`, or `OVERFLOW`. */
  readonly route: string;
  readonly count: number;
  /** The number of 5xx responses. */
  readonly errors: number;
  /** The number of clients that left before the response was whole. */
  readonly aborted: number;
  /** Responses per status code. */
  readonly statuses: { readonly [code: string]: number };
  readonly durationSeconds: DurationSummary;
}

/** Everything recorded since `since`, as a copy that later requests do not change. */
export interface MetricsSnapshot {
  /** Epoch milliseconds of construction or of the last `reset()`. */
  readonly since: number;
  /** Requests begun and not over, including the one that reads this. */
  readonly activeRequests: number;
  /** Sorted by route, then by method. */
  readonly routes: readonly RouteMetrics[];
  /** The callers of deprecated routes, sorted by route, method and caller. Absent when there was none. */
  readonly deprecated?: readonly DeprecatedMetrics[];
}

/** A method of a route, with its histograms by status. */
interface Entry {
  readonly method: string;
  readonly route: string;
  readonly statuses: Map<number, Histogram>;
  aborted: number;
}

/** Options of {@link InMemoryMetricsCollector}. */
export interface InMemoryMetricsOptions {
  /** The maximum number of histograms (method, route, status). Default 10,000. */
  readonly maxSeries?: number | undefined;
}

/**
 * Keeps metrics in this process.
 *
 * @example
 * ```ts
 * const metrics = new InMemoryMetricsCollector();
 * app.use(new MetricsMiddleware(metrics));
 * app.get("/metrics", () => metrics.snapshot());
 * ```
 */
export class InMemoryMetricsCollector implements MetricsCollector {
  readonly #maxSeries: number;
  #routes: Map<string, Map<string, Entry>> = new Map();
  #deprecated: Map<string, DeprecatedMetrics> = new Map();
  #series = 0;
  #since = Date.now();
  #active = 0;
  #source: RuntimeSource | undefined;

  constructor({ maxSeries = 10_000 }: InMemoryMetricsOptions = {}) {
    if (!Number.isInteger(maxSeries) || maxSeries < 1) {
      throw new RangeError(`InMemoryMetricsCollector: maxSeries is ${maxSeries}; an integer of at least 1 is allowed`);
    }
    this.#maxSeries = maxSeries;
  }

  started(): void {
    this.#active += 1;
  }

  record({ method, route, status, durationSeconds, aborted }: Observation): void {
    if (this.#active > 0) this.#active -= 1;
    const entry = this.#entry(method, routeLabel(route), status);
    entry.statuses.get(status)?.observe(durationSeconds);
    if (aborted) entry.aborted += 1;
  }

  deprecated({ method, route, caller = "" }: DeprecatedCall): void {
    const key = `${route} ${method} ${caller}`;
    const count = (this.#deprecated.get(key)?.count ?? 0) + 1;
    this.#deprecated.set(key, { method, route, caller, count });
  }

  /** The recorded figures so far. */
  snapshot(): MetricsSnapshot {
    const deprecated = this.#deprecatedCalls();
    return {
      since: this.#since,
      activeRequests: this.#active,
      routes: this.#entries().map(routeMetrics),
      ...(deprecated.length === 0 ? {} : { deprecated }),
    };
  }

  /** The same in the Prometheus text format. Send it as `EXPOSITION_CONTENT_TYPE`. */
  prometheus(): string {
    const series = this.#entries().flatMap(seriesOf);
    return exposition(series, this.#active, this.#source?.read(), this.#deprecatedCalls());
  }

  attachRuntime(source: RuntimeSource): void {
    this.#source = source;
  }

  /** The figures of the process. Undefined unless the MetricsMiddleware has `runtime: true`. */
  readRuntime(): RuntimeMetrics | undefined {
    return this.#source?.read();
  }

  /** Forgets everything recorded. Requests in flight still count as active. */
  reset(): void {
    this.#routes = new Map();
    this.#deprecated = new Map();
    this.#series = 0;
    this.#since = Date.now();
  }

  #deprecatedCalls(): readonly DeprecatedMetrics[] {
    return [...this.#deprecated.entries()].sort(([a], [b]) => compare(a, b)).map(([, calls]) => calls);
  }

  /** The entry to count in. It has a histogram for `status`. */
  #entry(method: string, route: string, status: number): Entry {
    const known = this.#routes.get(route)?.get(method);
    if (known !== undefined && known.statuses.has(status)) return known;
    const full = this.#series >= this.#maxSeries;
    const entry = full ? this.#obtain(OTHER_METHOD, OVERFLOW) : (known ?? this.#obtain(method, route));
    if (!entry.statuses.has(status)) {
      entry.statuses.set(status, new Histogram());
      if (!full) this.#series += 1;
    }
    return entry;
  }

  #obtain(method: string, route: string): Entry {
    let methods = this.#routes.get(route);
    if (methods === undefined) this.#routes.set(route, (methods = new Map()));
    let entry = methods.get(method);
    if (entry === undefined) methods.set(method, (entry = { method, route, statuses: new Map(), aborted: 0 }));
    return entry;
  }

  #entries(): Entry[] {
    const entries = [...this.#routes.values()].flatMap((methods) => [...methods.values()]);
    return entries.sort((a, b) => compare(a.route, b.route) || compare(a.method, b.method));
  }
}

function routeMetrics({ method, route, statuses, aborted }: Entry): RouteMetrics {
  const all = new Histogram();
  let errors = 0;
  const counts: { [code: string]: number } = {};
  for (const [status, histogram] of [...statuses].sort(([a], [b]) => a - b)) {
    all.merge(histogram);
    if (status >= 500) errors += histogram.count;
    counts[status] = histogram.count;
  }
  return { method, route, count: all.count, errors, aborted, statuses: counts, durationSeconds: all.summary() };
}

function seriesOf({ method, route, statuses }: Entry): Series[] {
  const sorted = [...statuses].sort(([a], [b]) => a - b);
  return sorted.map(([status, histogram]) => ({ method, route, status, histogram }));
}

/** By code unit, so that the order is independent of the locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
