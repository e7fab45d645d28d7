/**
 * A run as a file: the trace with the graph it ran in, so that it can be read anywhere. Pure.
 *
 *   Trace + BeanGraph + entry beans ──▶ formatRun ──▶ text ──▶ parseRun, in read-run.ts ──▶ the same, or a sentence
 *
 * Redacted values were redacted before they came here.
 */

import type { ServiceRun, Trace } from "./shapes.ts";

/** A run from a file, with the graph it ran in. */
export interface SavedRun extends Omit<ServiceRun, "name"> {
  /** Ids of the beans through which the run entered the graph. */
  readonly entries: readonly string[];
}

/** The first line of every file, with its format and its version. */
export const FORMAT = "framework-run/1";

/** The text of a file. */
export function formatRun(run: SavedRun): string {
  return `${JSON.stringify({ format: FORMAT, ...run }, null, 2)}\n`;
}

/** A file's name: `run-GET-orders-7-200-14.json`. @param form the part before `.json`, if it is another form of the run */
export function runFileName(trace: Trace, form: "" | ".otlp" = ""): string {
  const path = trace.path
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 60);
  return `${["run", trace.method, path, trace.status, trace.sequence].filter((part) => part !== "").join("-")}${form}.json`;
}
