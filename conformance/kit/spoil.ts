/** Mutants of the output of devtools: of lists of traces, and of one trace in them. */
import type { RequirementId } from "../../spec/requirements.ts";
import { requestsPath } from "./devtools.ts";
import { breaks, type Mutant } from "./mutant.ts";
import type { Trace } from "./traces.ts";

/** Rewrites the list of traces. Undefined leaves it unchanged. */
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
