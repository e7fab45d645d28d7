/**
 * A run as a file, and back: the trace with the graph it ran in, so that it can be read anywhere. Pure.
 *
 *   Trace + BeanGraph + entry beans ──▶ formatRun ──▶ text ──▶ parseRun ──▶ the same, or a sentence
 *
 * Data from a file is checked before anything is drawn. Redacted values were redacted before they came here.
 */

import { fits, isTrace, optional } from "./search/kept-trace.ts";
import type { BeanGraph, ServiceRun, Trace } from "./shapes.ts";
import { isRecord, isText, isTexts, jsonOf } from "./values.ts";

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

/**
 * The run in a file's text.
 *
 * @throws Error with a sentence when it is not a run, or not one of this version
 */
export function parseRun(text: string): SavedRun {
  const value: unknown = jsonOf(text);
  if (value === undefined) throw new Error("The file is not JSON.");
  if (!isRecord(value) || typeof value["format"] !== "string" || !value["format"].startsWith("framework-run/"))
    throw new Error("The file is not a saved run.");
  if (value["format"] !== FORMAT) throw new Error(`The file is a ${value["format"]}; this page reads ${FORMAT}.`);
  const { trace, graph, entries } = value;
  if (!isTrace(trace) || !isGraph(graph) || !isTexts(entries))
    throw new Error("The file is a saved run, but parts of it are missing or damaged.");
  return { trace, graph, entries };
}

/** Whether this is the run of a service with its graph, of this version of devtools. */
export function isServiceRun(value: unknown): value is ServiceRun {
  return isRecord(value) && isText(value["name"]) && isTrace(value["trace"]) && isGraph(value["graph"]);
}

const NODE = {
  id: "",
  name: "",
  stereotype: "",
  implementation: "",
  traceable: true,
  reason: optional(""),
  dependencies: [""],
} as const;

function isGraph(value: unknown): value is BeanGraph {
  return fits(value, { nodes: [NODE], edges: [{ from: "", to: "" }], unspied: [""] });
}
