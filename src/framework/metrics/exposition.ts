/**
 * Exposition: the Prometheus text format, version 0.0.4.
 *
 *   # HELP …
 *   # TYPE http_server_request_duration_seconds histogram
 *   http_server_request_duration_seconds_bucket{http_request_method="GET",…,le="0.005"} 7
 *
 * Every family and series once, buckets ascending and cumulative, `+Inf` equal to `_count`, and a newline at the very end.
 * `promtool check metrics` accepts it and Prometheus scrapes it.
 *
 * Spec: spec/metrics.md
 */
import type { Bucket, Histogram } from "./histogram.ts";
import type { Family } from "./job-families.ts";
import { ACTIVE_REQUESTS, GC_DURATION, runtimeFamilies } from "./runtime/runtime-families.ts";
import type { RuntimeMetrics } from "./runtime/runtime-metrics.ts";

/** The Content-Type of a route that serves the text. */
export const EXPOSITION_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";
/** The family's name, here and in prom-client. */
export const DURATION_METRIC = "http_server_request_duration_seconds";
/** The family's help text, here and in prom-client. */
export const DURATION_HELP = "Duration of HTTP server requests in seconds.";

/** Requests to deprecated routes: a counter by method, route and caller. */
export const DEPRECATED: Family = {
  name: "http_server_deprecated_requests_total",
  help: "Number of requests to deprecated routes.",
};

/** How often one caller has called a deprecated route. */
export interface DeprecatedMetrics {
  readonly method: string;
  readonly route: string;
  /** Empty without a name. */
  readonly caller: string;
  readonly count: number;
}

/** One series: a histogram and its labels. */
export interface Series {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly histogram: Histogram;
}

/** The text for all series, the requests in flight, deprecated routes and, if they were read, the figures of the process. */
export function exposition(
  series: Iterable<Series>,
  activeRequests: number,
  figures?: RuntimeMetrics,
  deprecated: readonly DeprecatedMetrics[] = [],
): string {
  let text = headText(DURATION_METRIC, DURATION_HELP, "histogram");
  for (const { method, route, status, histogram } of series) {
    const labels = `${routeLabels(method, route)},http_response_status_code="${status}"`;
    text += histogramText(DURATION_METRIC, labels, histogram.buckets(), histogram.sum);
  }
  const { name, help } = ACTIVE_REQUESTS;
  text += `${headText(name, help, "gauge")}${name} ${activeRequests}\n${deprecatedText(deprecated)}`;
  return figures === undefined ? text : text + runtimeText(figures);
}

function deprecatedText(deprecated: readonly DeprecatedMetrics[]): string {
  if (deprecated.length === 0) return "";
  const { name, help } = DEPRECATED;
  const lines = deprecated.map(
    ({ method, route, caller, count }) =>
      `${name}{${routeLabels(method, route)},caller="${escapeLabel(caller)}"} ${count}\n`,
  );
  return `${headText(name, help, "counter")}${lines.join("")}`;
}

const routeLabels = (method: string, route: string): string =>
  `http_request_method="${escapeLabel(method)}",http_route="${escapeLabel(route)}"`;

function runtimeText(figures: RuntimeMetrics): string {
  let text = "";
  for (const { name, help, type, value } of runtimeFamilies) {
    const figure = value(figures);
    if (figure !== undefined) text += `${headText(name, help, type)}${name} ${figure}\n`;
  }
  text += headText(GC_DURATION.name, GC_DURATION.help, "histogram");
  for (const { kind, seconds } of figures.garbageCollections)
    text += histogramText(GC_DURATION.name, `kind="${kind}"`, seconds.buckets, seconds.sum);
  return text;
}

const headText = (name: string, help: string, type: string): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;

function histogramText(name: string, labels: string, buckets: Iterable<Bucket>, sum: number): string {
  let text = "";
  let all = 0;
  for (const { le, count } of buckets) {
    text += `${name}_bucket{${labels},le="${le ?? "+Inf"}"} ${count}\n`;
    all = count;
  }
  return `${text}${name}_sum{${labels}} ${sum}\n${name}_count{${labels}} ${all}\n`;
}

/** A label value in the format: backslash, quote and line feed escaped. */
export function escapeLabel(value: string): string {
  return value.replace(/[\\"\n]/g, (char) => (char === "\n" ? "\\n" : `\\${char}`));
}
