/**
 * Reads runs that others wrote: files, and the devtools of other services. Pure.
 *
 * Data from elsewhere is checked before anything is drawn.
 */

import { FORMAT, type SavedRun } from "./run-file.ts";
import { fits, isTrace, optional } from "./search/kept-trace.ts";
import type { BeanGraph, ServiceRun } from "./shapes.ts";
import { isRecord, isText, isTexts, jsonOf } from "./values.ts";

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
