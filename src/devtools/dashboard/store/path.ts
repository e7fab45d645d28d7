/**
 * A run's path in the graph: its beans, its dependencies, and their order.
 *
 *   Trace + BeanGraph + entry beans ──▶ tracePath ──▶ { beans, edges, steps }
 *
 * A call by a bean without recorded calls is shown as a call by the nearest recorded caller. It is drawn through the beans
 * between, on the shortest dependency path, and those are marked `recorded: false`.
 */

import { coveredUs, endOf, threwHere } from "../../run/calls.ts";
import { neighbours } from "../../run/reach.ts";
import type { BeanGraph, Call, Trace } from "../../run/shapes.ts";

/** The caller of a run's first calls, which is the route itself. */
export const ENTRY = "entry";

/** A run's use of one bean. */
export interface PathBean {
  readonly id: string;
  readonly count: number;
  /** For how long at least one of its calls was running, up to the end of the request; overlapping calls count once. */
  readonly totalUs: number;
  /** An error began here. */
  readonly threw: boolean;
  /** At least one call threw, even if the error began elsewhere. */
  readonly failed: boolean;
  /** Whether the recorder saw it. False for a bean that the path only passes through. */
  readonly recorded: boolean;
}

/** A dependency in a run. */
export interface PathEdge {
  readonly from: string;
  readonly to: string;
  readonly count: number;
  /** The step that took it first. */
  readonly order: number;
  /** Whether it is a dependency of the graph. If not, the bean came by another way and the edge is drawn separately. */
  readonly declared: boolean;
}

/** The path of one run. `steps` has one entry a call, in entry order. */
export interface RunPath {
  readonly beans: ReadonlyMap<string, PathBean>;
  readonly edges: ReadonlyMap<string, PathEdge>;
  readonly steps: readonly { readonly call: Call; readonly edges: readonly string[] }[];
}

/** The key of an edge, as in `data-edge` and `data-run`. */
export function edgeKey(from: string, to: string): string {
  return `${from}>${to}`;
}

/** The shortest chain `[from, …, to]` with only beans in between that satisfy `through`, or undefined when there is none. */
export function shortestPath(
  next: ReadonlyMap<string, readonly string[]>,
  from: string,
  to: string,
  through: (id: string) => boolean,
): string[] | undefined {
  const before = new Map<string, string | undefined>([[from, undefined]]);
  for (const id of before.keys()) {
    if (id === to) {
      const chain: string[] = [];
      for (let at: string | undefined = to; at !== undefined; at = before.get(at)) chain.unshift(at);
      return chain;
    }
    if (id !== from && !through(id)) continue;
    for (const neighbour of next.get(id) ?? []) if (!before.has(neighbour)) before.set(neighbour, id);
  }
  return undefined;
}

/** The path of a run that entered the graph at `entries`. */
export function tracePath(trace: Trace, graph: BeanGraph, entries: readonly string[]): RunPath {
  const next = neighbours(graph);
  const unspied = new Set(graph.unspied);
  const calls = [...trace.calls].sort((a, b) => a.id - b.id);
  const byId = new Map(calls.map((call) => [call.id, call]));
  const beans = new Map<string, PathBean>();
  const edges = new Map<string, PathEdge>();
  const steps = calls.map((call, order) => {
    const parent = call.parentId === null ? undefined : byId.get(call.parentId);
    const chain = parent
      ? between(next, unspied, parent.bean, call.bean)
      : fromEntry(next, entries, unspied, call.bean);
    for (const id of chain.slice(1, -1)) if (!beans.has(id)) beans.set(id, passed(id));
    beans.set(call.bean, add(beans.get(call.bean), call, calls));
    const keys = chain.slice(1).map((to, i) => {
      const from = chain[i] ?? ENTRY;
      const key = edgeKey(from, to);
      const known = edges.get(key);
      const declared = from === ENTRY || (next.get(from)?.includes(to) ?? false);
      edges.set(key, known ? { ...known, count: known.count + 1 } : { from, to, count: 1, order, declared });
      return key;
    });
    return { call, edges: keys };
  });
  for (const [id, bean] of beans) {
    const own = calls.filter((call) => call.bean === id);
    beans.set(id, { ...bean, totalUs: coveredUs(own, (call) => endOf(call, trace), trace.durationUs) });
  }
  return { beans, edges, steps };
}

/** A root call: straight from the route, or through an entry bean that is not recorded. */
function fromEntry(
  next: ReadonlyMap<string, readonly string[]>,
  entries: readonly string[],
  unspied: ReadonlySet<string>,
  bean: string,
): string[] {
  const chains = entries
    .filter((entry) => unspied.has(entry))
    .flatMap((entry) => [shortestPath(next, entry, bean, (id) => unspied.has(id)) ?? []])
    .filter((chain) => chain.length > 0)
    .sort((a, b) => a.length - b.length);
  return [ENTRY, ...(chains[0] ?? [bean])];
}

function between(
  next: ReadonlyMap<string, readonly string[]>,
  unspied: ReadonlySet<string>,
  from: string,
  to: string,
): string[] {
  if (from === to) return [from, to];
  return shortestPath(next, from, to, (id) => unspied.has(id)) ?? [from, to];
}

function passed(id: string): PathBean {
  return { id, count: 0, totalUs: 0, threw: false, failed: false, recorded: false };
}

function add(known: PathBean | undefined, call: Call, calls: readonly Call[]): PathBean {
  const before = known ?? passed(call.bean);
  return {
    ...before,
    count: before.count + 1,
    threw: before.threw || threwHere(call, calls),
    failed: before.failed || call.error !== null,
    recorded: true,
  };
}
