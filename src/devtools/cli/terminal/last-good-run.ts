/**
 * Last good run: the kept run to compare another with, found by the search of devtools.
 */
import { candidatesOf, hasFailed, isSameRequest, isSameRoute } from "../../run/explain/last-good.ts";
import { traceKey } from "../../run/format.ts";
import { MAX_QUERY_CHARS } from "../../run/wire.ts";
import type { Trace } from "../../run/shapes.ts";
import type { DevtoolsClient } from "./client.ts";

/** The bodies of this many runs are read to find one with the same request. */
const READ = 10;

/**
 * The last run before this one that worked, of the same request (path, query and body), or for a run that failed also of
 * another request of its route. Not a replay, which lacks the effects of its recorded beans. A run of an earlier process takes
 * precedence over one of the same process, since code changes between processes. Undefined if none is kept.
 */
export async function lastGoodRun(client: DevtoolsClient, trace: Trace): Promise<Trace | undefined> {
  const { method, path, route } = trace;
  if (route === null) return undefined;
  const ofRoute = `route=${JSON.stringify(`${method} ${route}`)}`;
  const same = await lastOf(client, trace, `${ofRoute} path=${JSON.stringify(path)}`, isSameRequest);
  return same ?? (hasFailed(trace) ? lastOf(client, trace, ofRoute, isSameRoute) : undefined);
}

async function lastOf(
  client: DevtoolsClient,
  trace: Trace,
  of: string,
  isOne: (run: Trace, other: Trace) => boolean,
): Promise<Trace | undefined> {
  const query = `${of} status<400 -is:broken -is:failed`;
  // A path may be longer than a query may be, and is then compared with nothing.
  if (query.length > MAX_QUERY_CHARS) return undefined;
  // Later runs come before it, in any number.
  const { hits } = await client.search(query, 100, traceKey(trace));
  for (const hit of candidatesOf(hits, trace).slice(0, READ)) {
    const read = await client.run(traceKey(hit));
    if (read !== undefined && isOne(read, trace)) return read;
  }
  return undefined;
}
