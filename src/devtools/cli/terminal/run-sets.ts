/**
 * Run sets: two groups of kept runs to compare, read from devtools.
 *
 *   a search, or ids │ another search, or all other runs ──▶ whole runs, each on one side only ──▶ whatTheyShare
 */
import type { FactKind } from "../../run/explain/facts.ts";
import { whatTheyShare, type Shared } from "../../run/explain/share.ts";
import { traceKey } from "../../run/format.ts";
import { parseQuery } from "../../run/search/index.ts";
import type { Trace } from "../../run/shapes.ts";
import type { DevtoolsClient } from "./client.ts";
import { TerminalError } from "./errors.ts";
import { runNamed } from "./named-run.ts";

/** The selected runs, as a search or by their names, and the others as a search. */
export interface Selection {
  readonly set: string;
  readonly ids: readonly string[];
  readonly against: string;
}

/** The most runs of one side. Whole runs are read one by one. */
const MOST = 100;
/** How many are read at the same time. */
const AT_ONCE = 8;

/** What the selected runs share. @throws TerminalError if a side has no run */
export async function sharedBy(client: DevtoolsClient, { set, ids, against }: Selection): Promise<Shared> {
  const chosen = ids.length > 0 ? await each(ids, (id) => runNamed(client, id)) : await found(client, set);
  if (chosen.length === 0) throw new TerminalError(`no kept run matches ${JSON.stringify(set)}`);
  const own = new Set(chosen.map(traceKey));
  const rest = (await found(client, against)).filter((run) => !own.has(traceKey(run)));
  if (rest.length === 0) throw new TerminalError("there are no other runs to compare with");
  const { sessions } = await client.read("sessions");
  const commits = new Map(sessions.map(({ instance, commit }) => [instance, commit ?? undefined]));
  return whatTheyShare(chosen, rest, {
    without: selectedBy([set, against]),
    commitOf: (instance) => commits.get(instance),
  });
}

async function found(client: DevtoolsClient, query: string): Promise<readonly Trace[]> {
  const { hits } = await client.search(query, MOST);
  const runs = await each(hits, (hit) => client.run(traceKey(hit)));
  // One may have been dropped since.
  return runs.filter((run) => run !== undefined);
}

/** The results for all items, a few at a time, in their order. */
async function each<T, R>(items: readonly T[], read: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE)
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(read))));
  return results;
}

/** The kinds of facts that the searches ask for themselves, which would be found and say nothing. */
function selectedBy(queries: readonly string[]): ReadonlySet<FactKind> {
  const terms = queries.flatMap((query) => parseQuery(query).query?.terms ?? []);
  return new Set(terms.flatMap(({ field }) => OF_FIELD[field?.name ?? ""] ?? []));
}

const OF_FIELD: Readonly<Record<string, readonly FactKind[]>> = {
  status: ["status"],
  is: ["status"],
  error: ["error", "status"],
  route: ["route"],
  session: ["instance", "commit"],
};
