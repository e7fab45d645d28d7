/**
 * Exposition: the Prometheus text format, version 0.0.4.
 *
 *   # HELP …
 *   # TYPE http_server_request_duration_seconds histogram
 *   http_server_request_duration_seconds_bucket{http_request_method="GET",…,le="0.005"} 7
 *
 * One family, every series once, buckets ascending and cumulative, `+Inf` equal to `_count`, and a newline at the very end.
 * `promtool check metrics` accepts it and Prometheus scrapes it.
 *
 * Spec: spec/metrics.md
 */
import type { Histogram } from "./histogram.ts";

/** The Content-Type of a route that serves the text. */
export const EXPOSITION_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";
/** The family's name, here and in prom-client. */
export const DURATION_METRIC = "http_server_request_duration_seconds";
/** The family's help text, here and in prom-client. */
export const DURATION_HELP = "Duration of HTTP server requests in seconds.";

/** One series: a histogram and its labels. */
export interface Series {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly histogram: Histogram;
}

/** The text for all series. */
export function exposition(series: Iterable<Series>): string {
  let text = `# HELP ${DURATION_METRIC} ${DURATION_HELP}\n# TYPE ${DURATION_METRIC} histogram\n`;
  for (const one of series) text += seriesText(one);
  return text;
}

function seriesText({ method, route, status, histogram }: Series): string {
  const labels =
    `http_request_method="${escapeLabel(method)}",http_route="${escapeLabel(route)}",` +
    `http_response_status_code="${status}"`;
  let text = "";
  for (const { le, count } of histogram.buckets()) {
    text += `${DURATION_METRIC}_bucket{${labels},le="${le ?? "+Inf"}"} ${count}\n`;
  }
  return `${text}${DURATION_METRIC}_sum{${labels}} ${histogram.sum}\n${DURATION_METRIC}_count{${labels}} ${histogram.count}\n`;
}

/** A label value in the format: backslash, quote and line feed escaped. */
export function escapeLabel(value: string): string {
  return value.replace(/[\\"\n]/g, (char) => (char === "\n" ? "\\n" : `\\${char}`));
}
