/**
 * A run with its parts in other services, as one trace over one graph, so that every view of a run shows all of it.
 *
 *   own run ── an http leaf that names a run ──▶ that run's calls, leaves and beans, below the leaf ──▶ and so on
 *
 * The beans of another service are a separate island with ids `service › bean`. Clocks of two processes
 * differ, so a run below a leaf is in the middle of it, and the time before and after it is that of the network.
 */

import { readReference } from "../../run/otlp/reference.ts";
import { reachable } from "../../run/reach.ts";
import type { BeanEdge, BeanGraph, BeanNode, Call, Leaf, RunReference, ServiceRun, Trace } from "../../run/shapes.ts";
import { edgeKey } from "./path.ts";

/** The run of another service, with the origins that lead to it and its id there. */
export interface RunBehind {
  readonly origins: readonly string[];
  readonly id: string;
}

/** The known runs of other services, by `behindKey`; a sentence if one was not available. */
export type KnownRuns = ReadonlyMap<string, ServiceRun | string>;

/** A run in its shown form. */
export interface WholeRun {
  readonly trace: Trace;
  /** The part of it in this application, with the same ids of calls and leaves. */
  readonly own: Trace;
  readonly graph: BeanGraph;
  /** The service of each bean that is not the application's own. */
  readonly islands: ReadonlyMap<string, string>;
  /** The edges from one service to another, by their keys. */
  readonly bridges: ReadonlyMap<string, BeanEdge>;
}

/** The most services in a row that are requested, as on the server. */
const MAX_ROW = 8;
/** The most runs of other services that are drawn with one run. */
const MAX_RUNS = 32;
/** In an island with more beans, only those on the path are drawn. */
const MANY_BEANS = 24;

/** The name of a run of another service. */
export const behindKey = ({ origins, id }: RunBehind): string => [...origins, id].join(" ");

/** The runs that a run led to, and those that known ones led to; each once, and only as many as are drawn. */
export function runsBehind(trace: Trace, known: KnownRuns): RunBehind[] {
  const found = new Map<string, RunBehind>();
  const look = [{ trace, origins: [] as readonly string[] }];
  for (const { trace: from, origins } of look)
    for (const { origin, id } of origins.length < MAX_ROW ? references(from) : []) {
      const one = { origins: [...origins, origin], id };
      const key = behindKey(one);
      if (found.has(key) || found.size >= MAX_RUNS) continue;
      found.set(key, one);
      const run = known.get(key);
      if (typeof run === "object") look.push({ trace: run.trace, origins: one.origins });
    }
  return [...found.values()];
}

const references = ({ leaves }: Trace): RunReference[] =>
  leaves.flatMap((leaf) => (leaf.kind === "http" && leaf.detail.run ? [leaf.detail.run] : []));

/** The graph of several runs: each bean, each edge and each bridge once. The same graph if none led to another service. */
export function joinedGraph(graph: BeanGraph, runs: readonly WholeRun[]): Omit<WholeRun, "trace" | "own"> {
  const abroad = runs.filter(({ islands }) => islands.size > 0);
  const [first] = abroad;
  if (first && abroad.every((one) => one === first)) return first;
  return {
    graph: abroad.length === 0 ? graph : graphOfAll([graph, ...abroad.map((one) => one.graph)]),
    islands: new Map(abroad.flatMap(({ islands }) => [...islands])),
    bridges: new Map(abroad.flatMap(({ bridges }) => [...bridges])),
  };
}

/** A call or leaf before it is renumbered. */
interface PlacedItem<T> {
  readonly one: T;
  readonly key: string;
  readonly parent: string | null;
}

interface Island {
  readonly name: string;
  graph: BeanGraph;
  readonly called: Set<string>;
  readonly roots: Set<string>;
}

/** The whole run; the run itself if it led to no known other service. */
export function wholeRun(own: Trace, graph: BeanGraph, known: KnownRuns): WholeRun {
  const plain = { trace: own, own, graph, islands: new Map<string, string>(), bridges: new Map<string, BeanEdge>() };
  if (!references(own).some(({ origin, id }) => typeof known.get(behindKey({ origins: [origin], id })) === "object"))
    return plain;
  const calls: PlacedItem<Call>[] = [];
  const leaves: PlacedItem<Leaf>[] = [];
  const islands = new Map<string, Island>();
  const bridges = new Map<string, BeanEdge>();
  let runs = 0;
  const add = (trace: Trace, origins: readonly string[], place: Place): void => {
    const [run, byId] = [runs++, new Map(trace.calls.map((call) => [call.id, call]))];
    const parentOf = ({ parentId }: Call | Leaf): string | null =>
      parentId === null ? place.parent : `${run} ${parentId}`;
    for (const call of trace.calls) {
      const one = {
        ...call,
        bean: place.bean(call.bean),
        depth: call.depth + place.depth,
        startUs: call.startUs + place.shiftUs,
      };
      calls.push({ one, key: `${run} ${call.id}`, parent: parentOf(call) });
      if (call.parentId === null && place.from !== null)
        bridges.set(edgeKey(place.from, one.bean), { from: place.from, to: one.bean });
    }
    for (const leaf of trace.leaves) {
      const one = { ...leaf, startUs: leaf.startUs + place.shiftUs };
      leaves.push({ one, key: `${run} ${leaf.id}`, parent: parentOf(leaf) });
      const behind = leaf.kind === "http" ? leaf.detail.run : null;
      if (!behind || runs > MAX_RUNS || origins.length >= MAX_ROW) continue;
      const further = [...origins, behind.origin];
      const found = known.get(behindKey({ origins: further, id: behind.id }));
      if (typeof found !== "object") continue;
      const caller = leaf.parentId === null ? undefined : byId.get(leaf.parentId);
      const wayUs = Math.max(0, (leaf.durationUs ?? 0) - found.trace.durationUs) / 2;
      const isOfSpans = readReference(behind.id) !== undefined;
      const island = islandOf(islands, isOfSpans ? `spans of ${found.name}` : behind.origin, found, isOfSpans);
      for (const { bean, parentId } of found.trace.calls) {
        island.called.add(bean);
        if (parentId === null) island.roots.add(bean);
      }
      for (const id of found.trace.entered ?? []) island.roots.add(id);
      add(found.trace, further, {
        bean: (id) => islandId(island.name, id),
        parent: parentOf(leaf),
        from: caller ? place.bean(caller.bean) : place.from,
        depth: caller ? caller.depth + place.depth + 1 : place.depth,
        shiftUs: Math.round(one.startUs + wayUs),
      });
    }
  };
  add(own, [], { bean: (id) => id, parent: null, from: null, depth: 0, shiftUs: 0 });
  return { ...numbered(own, calls, leaves), ...joined(graph, [...islands.values()], bridges), bridges };
}

interface Place {
  readonly bean: (id: string) => string;
  readonly parent: string | null;
  /** The bean that led to it. */
  readonly from: string | null;
  readonly depth: number;
  readonly shiftUs: number;
}

const islandId = (service: string, bean: string): string => `${service} › ${bean}`;

/**
 * The island of a service. Of two services with one name, the second one's name has its address. A run of spans has only the
 * beans that it called.
 */
function islandOf(
  islands: Map<string, Island>,
  origin: string,
  { name, graph }: ServiceRun,
  isOfSpans: boolean,
): Island {
  const known = islands.get(origin);
  if (known && isOfSpans) known.graph = graphOfAll([known.graph, graph]);
  if (known) return known;
  const isTaken = [...islands.values()].some((one) => one.name === name);
  const made = {
    name: isTaken ? `${name} ${origin.replace(/^https?:\/\//, "")}` : name,
    graph,
    called: new Set<string>(),
    roots: new Set<string>(),
  };
  islands.set(origin, made);
  return made;
}

/** The beans and edges of several graphs, each once. */
function graphOfAll(graphs: readonly BeanGraph[]): BeanGraph {
  const nodes = new Map(graphs.flatMap((one) => one.nodes.map((node) => [node.id, node])));
  const edges = new Map(graphs.flatMap((one) => one.edges.map((edge) => [edgeKey(edge.from, edge.to), edge])));
  const unspied = new Set(graphs.flatMap((one) => one.unspied));
  return { nodes: [...nodes.values()], edges: [...edges.values()], unspied: [...unspied] };
}

/** The run with ids in the order of starts, and the part of it in the first service. */
function numbered(
  own: Trace,
  calls: readonly PlacedItem<Call>[],
  leaves: readonly PlacedItem<Leaf>[],
): Pick<WholeRun, "trace" | "own"> {
  const inOrder = calls.toSorted((a, b) => a.one.startUs - b.one.startUs);
  const ids = new Map(inOrder.map(({ key }, id) => [key, id]));
  const place = <T extends Call | Leaf>({ one, key, parent }: PlacedItem<T>, id: number) => ({
    isOwn: key.startsWith("0 "),
    one: { ...one, id, parentId: parent === null ? null : (ids.get(parent) ?? null) },
  });
  const placed = {
    calls: inOrder.map(place),
    leaves: leaves.toSorted((a, b) => a.one.startUs - b.one.startUs).map(place),
  };
  const part = (isIn: (item: { readonly isOwn: boolean }) => boolean): Trace => ({
    ...own,
    calls: placed.calls.filter(isIn).map(({ one }) => one),
    leaves: placed.leaves.filter(isIn).map(({ one }) => one),
  });
  return { trace: part(() => true), own: part(({ isOwn }) => isOwn) };
}

function joined(
  graph: BeanGraph,
  islands: readonly Island[],
  bridges: WholeRun["bridges"],
): Pick<WholeRun, "graph" | "islands"> {
  const nodes: BeanNode[] = [...graph.nodes];
  const edges = [...graph.edges];
  const services = new Map<string, string>();
  for (const { name, graph: own, called, roots } of islands) {
    const near = reachable(own, [...roots]);
    const shown = near.size <= MANY_BEANS ? new Set([...near, ...called]) : called;
    const at = (id: string): string => islandId(name, id);
    for (const node of own.nodes) {
      if (!shown.has(node.id)) continue;
      nodes.push({ ...node, id: at(node.id), dependencies: node.dependencies.map(at) });
      services.set(at(node.id), name);
    }
    for (const { from, to } of own.edges)
      if (shown.has(from) && shown.has(to)) edges.push({ from: at(from), to: at(to) });
  }
  const known = new Set(nodes.map(({ id }) => id));
  for (const { from, to } of bridges.values()) if (known.has(from) && known.has(to)) edges.push({ from, to });
  const unspied = nodes.flatMap(({ id, traceable }) => (traceable ? [] : [id]));
  return { graph: { nodes, edges, unspied }, islands: services };
}
