/** Mutants of what devtools tell: lists of traces, one trace in them. */
import type { RequirementId } from "../../spec/requirements.ts";
import { requestsPath } from "./devtools.ts";
import { breaks, type Mutant } from "./mutant.ts";
import type { Trace } from "./traces.ts";

/** Rewrites the list of traces; undefined leaves it as it is. */
export function spoilsList(
  name: string,
  kills: readonly RequirementId[],
  change: (list: readonly Trace[]) => readonly unknown[] | undefined,
): Mutant {
  return breaks(name, kills, (exchange) => {
    const { sent, status, body } = exchange;
    if (sent.path !== requestsPath || sent.method !== "GET" || status !== 200) return exchange;
    const changed = change(JSON.parse(body) as readonly Trace[]);
    return changed === undefined ? exchange : { ...exchange, body: JSON.stringify(changed) };
  });
}

/**
 * Rewrites every trace whose query says `?about=<mark>`, while such a trace is the most recent one: later
 * cases, whose own traces are more recent, then see the list as it is.
 */
export function spoilsTrace(
  name: string,
  kills: readonly RequirementId[],
  mark: string,
  change: (trace: Trace) => object,
): Mutant {
  return spoilsList(name, kills, (list) => {
    const [first] = list;
    if (first === undefined || !isAbout(mark, first)) return undefined;
    return list.map((trace) => (isAbout(mark, trace) ? change(trace) : trace));
  });
}

/** Does the query of the traced request say `?about=<mark>`? */
export function isAbout(mark: string, { request }: Trace): boolean {
  return request.query["about"]?.[0] === mark;
}
