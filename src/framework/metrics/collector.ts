/**
 * The metrics SPI: the calls of MetricsMiddleware, and the interface of every collector.
 *
 *   MetricsMiddleware ──started()──▶ MetricsCollector
 *                     ──record(o)──▶   in memory | OpenTelemetry | prom-client | yours
 *
 * A collector may throw or reject. The middleware counts that, and the request is not affected.
 *
 * Spec: spec/metrics.md
 */
import type { RuntimeSource } from "./runtime/runtime-metrics.ts";

/** One finished request. */
export interface Observation {
  /** The request method, or `_OTHER` when it is unknown. */
  readonly method: string;
  /** Context path + pattern of the route (`/users/{id}`), or null when nothing matched. Never the raw path. */
  readonly route: string | null;
  /** The status that was sent, after error mapping, or 499 when the client left before the head was out. */
  readonly status: number;
  /** Monotonic, never negative. */
  readonly durationSeconds: number;
  /** True when the client left, or the connection was cut, before the response was whole. */
  readonly aborted: boolean;
  /** `http` or `https`. Undefined for a request that the parser rejected. */
  readonly scheme?: string | undefined;
  /** HTTP version, e.g. `1.1`. Undefined for a request that the parser rejected. */
  readonly httpVersion?: string | undefined;
}

/** A request to a route that is deprecated. */
export interface DeprecatedCall {
  readonly method: string;
  /** Context path + pattern. */
  readonly route: string;
  /** Who has called, by the option `caller` of MetricsMiddleware: one of 100 names, or `OVERFLOW`. Undefined without a name. */
  readonly caller: string | undefined;
}

/** A request that has begun. */
export interface StartedRequest {
  /** As received. */
  readonly method: string;
  readonly scheme?: string | undefined;
}

/**
 * Receives exactly one {@link Observation} for every request.
 *
 * @example
 * ```ts
 * const slow: MetricsCollector = { record: o => void (o.durationSeconds > 1 && alert(o.route)) };
 * app.use(new MetricsMiddleware(slow));
 * ```
 */
export interface MetricsCollector {
  /** A request has begun. `record` follows when it is over. */
  started?(request: StartedRequest): void;
  /** A request is over. */
  record(observation: Observation): void;
  /** A request to a deprecated route is over, after its `record`. */
  deprecated?(call: DeprecatedCall): void;
  /** An attempt at a job is over. */
  job?(observation: JobObservation): void;
  /** How many jobs wait, run and have failed, every 15 seconds. */
  jobs?(counts: readonly JobCounts[]): void;
  /** With `new MetricsMiddleware(collector, { runtime: true })`: where to read the figures of the process. Once for an app. */
  attachRuntime?(source: RuntimeSource): void;
}

/** One attempt at a job. */
export interface JobObservation {
  readonly job: string;
  /** The engine's name, such as `pg-boss`. */
  readonly system: string;
  /** `dead`: it has failed for good. `back`: the engine has it again, because the app stops. */
  readonly outcome: "done" | "failed" | "dead" | "back";
  /** Monotonic, never negative. */
  readonly durationSeconds: number;
}

/** The jobs of one name in the engine. */
export interface JobCounts {
  readonly job: string;
  /** Due, or in a delay. */
  readonly waiting: number;
  readonly active: number;
  /** Dead letters. */
  readonly failed: number;
  /** How long the oldest one is due, in milliseconds, or 0. */
  readonly oldestMs: number;
}
