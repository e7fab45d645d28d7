/**
 * The figures of the process: how busy its event loop is, how late, and what memory, garbage collection and CPU it takes.
 *
 *   node:perf_hooks, process, node:v8 ──▶ RuntimeMonitor ──read()──▶ RuntimeMetrics ──▶ in memory │ prom-client │ OpenTelemetry
 *
 * Between readings only Node's own timer runs, every 20 ms, and a listener of garbage collections. Figures that the platform
 * does not have are undefined.
 *
 * Spec: spec/metrics.md
 */
import { type DurationSummary, Histogram } from "../histogram.ts";

/** How late the event loop was, in seconds. Like every Node tool it includes the 20 ms between two samples. */
export interface EventLoopDelay {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly stddev: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

/** One space of V8's heap, in bytes. */
export interface HeapSpace {
  readonly name: string;
  readonly size: number;
  readonly used: number;
  readonly available: number;
  readonly physical: number;
}

/** A kind of garbage collection. */
export type GarbageKind = "major" | "minor" | "incremental" | "weakcb";

/** The pauses of one kind so far, in seconds. */
export interface GarbageCollections {
  readonly kind: GarbageKind;
  readonly seconds: DurationSummary;
}

/** One reading. Delay and utilization are those since the reading before, or of up to five seconds more. */
export interface RuntimeMetrics {
  /** The share of time in which the event loop was busy, from 0 to 1. */
  readonly eventLoopUtilization: number | undefined;
  readonly eventLoopDelaySeconds: EventLoopDelay | undefined;
  /** The time since the start of the process. */
  readonly eventLoopSeconds: { readonly active: number; readonly idle: number } | undefined;
  readonly cpuSeconds: { readonly user: number; readonly system: number };
  readonly memoryBytes: {
    readonly rss: number;
    readonly heapTotal: number;
    readonly heapUsed: number;
    readonly external: number;
  };
  readonly heapSpaces: readonly HeapSpace[];
  /** The pauses of each kind so far. */
  readonly garbageCollections: readonly GarbageCollections[];
  /** Connections of this app's engine. Undefined where the platform keeps them. */
  readonly openConnections: number | undefined;
  /** Epoch seconds. */
  readonly processStartedAt: number;
}

/** The figures of the process, as a collector gets them. */
export interface RuntimeSource {
  read(): RuntimeMetrics;
  /** The listener gets each pause of the garbage collection. */
  onGarbageCollection(listener: (kind: GarbageKind, seconds: number) => void): void;
}

/** A reading sooner than this continues the window of the one before, so that two readers both see a peak. */
const SHORTEST_WINDOW_MS = 5_000;

const hooksOf = () => globalThis.process?.getBuiltinModule?.("node:perf_hooks");
type PerfHooks = NonNullable<ReturnType<typeof hooksOf>>;
type Utilization = ReturnType<PerfHooks["performance"]["eventLoopUtilization"]>;
type DelayHistogram = ReturnType<PerfHooks["monitorEventLoopDelay"]>;

/** The types of a browser's performance entries have no detail. */
interface GarbageEntry {
  readonly duration: number;
  readonly detail?: { readonly kind?: number };
}

/** Runs what a platform may not implement. */
function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/** Reads the figures of this process until it is stopped. */
export class RuntimeMonitor implements RuntimeSource {
  readonly #hooks: PerfHooks | undefined = hooksOf();
  readonly #connections: () => number | undefined;
  readonly #delays: DelayHistogram | undefined;
  readonly #garbage: Map<GarbageKind, Histogram> = new Map();
  readonly #listeners: ((kind: GarbageKind, seconds: number) => void)[] = [];
  readonly #observer: { disconnect(): void } | undefined;
  #windowAt: number = performance.now();
  #utilizationAt: Utilization | undefined;

  /** @param connections the number of open connections, if it is known. */
  constructor(connections: () => number | undefined = () => undefined) {
    this.#connections = connections;
    this.#delays = attempt(() => this.#hooks?.monitorEventLoopDelay({ resolution: 20 }));
    attempt(() => this.#delays?.enable());
    this.#utilizationAt = attempt(() => this.#hooks?.performance.eventLoopUtilization());
    this.#observer = attempt(() => this.#observeGarbage());
  }

  /** Is it possible on this platform? */
  static get isAvailable(): boolean {
    return typeof globalThis.process?.memoryUsage === "function" && typeof globalThis.process.cpuUsage === "function";
  }

  onGarbageCollection(listener: (kind: GarbageKind, seconds: number) => void): void {
    this.#listeners.push(listener);
  }

  read(): RuntimeMetrics {
    const { rss, heapTotal, heapUsed, external } = globalThis.process.memoryUsage();
    const { user, system } = globalThis.process.cpuUsage();
    const now = attempt(() => this.#hooks?.performance.eventLoopUtilization());
    const figures: RuntimeMetrics = {
      eventLoopUtilization: this.#utilization(now),
      eventLoopDelaySeconds: this.#delay(),
      eventLoopSeconds: now && { active: now.active / 1_000, idle: now.idle / 1_000 },
      cpuSeconds: { user: user / 1e6, system: system / 1e6 },
      memoryBytes: { rss, heapTotal, heapUsed, external },
      heapSpaces: attempt(heapSpaces) ?? [],
      garbageCollections: [...this.#garbage].map(([kind, histogram]) => ({ kind, seconds: histogram.summary() })),
      openConnections: this.#connections(),
      processStartedAt: performance.timeOrigin / 1_000,
    };
    if (performance.now() - this.#windowAt >= SHORTEST_WINDOW_MS) this.#beginWindow(now);
    return figures;
  }

  /** Ends the timer and the listener. Later readings have no delay. */
  stop(): void {
    attempt(() => this.#delays?.disable());
    this.#observer?.disconnect();
  }

  #beginWindow(now: Utilization | undefined): void {
    this.#windowAt = performance.now();
    this.#utilizationAt = now;
    this.#delays?.reset();
  }

  #utilization(now: Utilization | undefined): number | undefined {
    const before = this.#utilizationAt;
    if (now === undefined || before === undefined) return undefined;
    const active = now.active - before.active;
    const all = active + now.idle - before.idle;
    return all > 0 ? active / all : 0;
  }

  #delay(): EventLoopDelay | undefined {
    const delays = this.#delays;
    if (delays === undefined) return undefined;
    const seconds = (nanoseconds: number): number => (delays.count > 0 ? nanoseconds / 1e9 : 0);
    const { min, max, mean, stddev } = delays;
    const [p50, p90, p99] = [50, 90, 99].map((percent) => seconds(delays.percentile(percent)));
    return {
      min: seconds(min),
      max: seconds(max),
      mean: seconds(mean),
      stddev: seconds(stddev),
      p50: p50 ?? 0,
      p90: p90 ?? 0,
      p99: p99 ?? 0,
    };
  }

  #observeGarbage(): { disconnect(): void } | undefined {
    if (this.#hooks === undefined) return undefined;
    const { PerformanceObserver, constants } = this.#hooks;
    const kinds: Readonly<Record<number, GarbageKind>> = {
      [constants.NODE_PERFORMANCE_GC_MAJOR]: "major",
      [constants.NODE_PERFORMANCE_GC_MINOR]: "minor",
      [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: "incremental",
      [constants.NODE_PERFORMANCE_GC_WEAKCB]: "weakcb",
    };
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as readonly GarbageEntry[]) {
        const kind = kinds[entry.detail?.kind ?? -1];
        if (kind !== undefined) this.#collected(kind, entry.duration / 1_000);
      }
    });
    observer.observe({ entryTypes: ["gc"] });
    return observer;
  }

  #collected(kind: GarbageKind, seconds: number): void {
    const histogram = this.#garbage.get(kind) ?? new Histogram();
    this.#garbage.set(kind, histogram);
    histogram.observe(seconds);
    for (const listener of this.#listeners) listener(kind, seconds);
  }
}

const heapSpaces = (): HeapSpace[] =>
  (globalThis.process?.getBuiltinModule?.("node:v8").getHeapSpaceStatistics() ?? []).map((space) => ({
    name: space.space_name,
    size: space.space_size,
    used: space.space_used_size,
    available: space.space_available_size,
    physical: space.physical_space_size,
  }));
