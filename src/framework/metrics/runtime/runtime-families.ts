/**
 * The figures of the process as Prometheus metrics, with the names and help texts of prom-client's default metrics, so that
 * dashboards and alerts for Node apply.
 *
 * Spec: spec/metrics.md
 */
import type { Family } from "../job-families.ts";
import type { EventLoopDelay, RuntimeMetrics } from "./runtime-metrics.ts";

/** A metric of the process: its value, or undefined where the platform has none. */
export interface RuntimeFamily extends Family {
  readonly type: "gauge" | "counter";
  value(figures: RuntimeMetrics): number | undefined;
}

/** Pauses of the garbage collection: a histogram by kind. */
export const GC_DURATION: Family = {
  name: "nodejs_gc_duration_seconds",
  help: "Garbage collection duration by kind, one of major, minor, incremental or weakcb.",
};
/** Requests that have begun and are not over: a gauge. */
export const ACTIVE_REQUESTS: Family = {
  name: "http_server_active_requests",
  help: "Number of active HTTP server requests.",
};

const family = (
  type: RuntimeFamily["type"],
  name: string,
  help: string,
  value: RuntimeFamily["value"],
): RuntimeFamily => ({ type, name, help, value });

const delay = (name: keyof EventLoopDelay, help: string): RuntimeFamily =>
  family("gauge", `nodejs_eventloop_lag_${name}_seconds`, help, (figures) => figures.eventLoopDelaySeconds?.[name]);

/** Every metric of the process with one value. */
export const runtimeFamilies: readonly RuntimeFamily[] = [
  family(
    "counter",
    "process_cpu_user_seconds_total",
    "Total user CPU time spent in seconds.",
    ({ cpuSeconds }) => cpuSeconds.user,
  ),
  family(
    "counter",
    "process_cpu_system_seconds_total",
    "Total system CPU time spent in seconds.",
    ({ cpuSeconds }) => cpuSeconds.system,
  ),
  family(
    "counter",
    "process_cpu_seconds_total",
    "Total user and system CPU time spent in seconds.",
    ({ cpuSeconds }) => cpuSeconds.user + cpuSeconds.system,
  ),
  family(
    "gauge",
    "process_start_time_seconds",
    "Start time of the process since unix epoch in seconds.",
    (figures) => figures.processStartedAt,
  ),
  family(
    "gauge",
    "process_resident_memory_bytes",
    "Resident memory size in bytes.",
    ({ memoryBytes }) => memoryBytes.rss,
  ),
  family(
    "gauge",
    "nodejs_heap_size_total_bytes",
    "Process heap size from Node.js in bytes.",
    ({ memoryBytes }) => memoryBytes.heapTotal,
  ),
  family(
    "gauge",
    "nodejs_heap_size_used_bytes",
    "Process heap size used from Node.js in bytes.",
    ({ memoryBytes }) => memoryBytes.heapUsed,
  ),
  family(
    "gauge",
    "nodejs_external_memory_bytes",
    "Node.js external memory size in bytes.",
    ({ memoryBytes }) => memoryBytes.external,
  ),
  delay("min", "The minimum recorded event loop delay."),
  delay("max", "The maximum recorded event loop delay."),
  delay("mean", "The mean of the recorded event loop delays."),
  delay("stddev", "The standard deviation of the recorded event loop delays."),
  delay("p50", "The 50th percentile of the recorded event loop delays."),
  delay("p90", "The 90th percentile of the recorded event loop delays."),
  delay("p99", "The 99th percentile of the recorded event loop delays."),
  family(
    "gauge",
    "nodejs_eventloop_utilization_ratio",
    "Event loop utilization",
    (figures) => figures.eventLoopUtilization,
  ),
  family(
    "gauge",
    "http_server_open_connections",
    "Number of open connections of the HTTP server.",
    (figures) => figures.openConnections,
  ),
];
