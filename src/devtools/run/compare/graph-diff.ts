/**
 * Graph diff: the changes between two bean graphs, and the dependencies that a rule forbids. Pure.
 *
 *   base, head ──▶ graphDiff ──▶ beans, dependencies, and what each route reaches, added and removed
 *   rules, head ──▶ brokenRules ──▶ every dependency that a rule forbids, each with whether it is new
 *
 *   "controller -> repository"   a stereotype, a bean's name, or a name with * on each side
 *
 * A route is left out if its beans are not known on both sides. A rule with an unknown bean is rejected, because it would
 * always hold and guard nothing.
 */
import { routeKey } from "../format.ts";
import type { BeanEdge, BeanGraph, BeanNode, RouteInfo, Stereotype } from "../shapes.ts";
import { stereotypes } from "../graph/tokens.ts";
import { reachable } from "../reach.ts";

/** The bean graph with the entries of routes. `graph --json` prints it, and a later graph is compared with it. */
export interface GraphDocument {
  readonly graph: BeanGraph;
  readonly routes: readonly RouteInfo[];
}

/** A route that reaches other beans than before. */
export interface ReachChange {
  /** With its method: `GET /orders/{id}`. */
  readonly route: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** A bean in both graphs with another stereotype. */
export interface StereotypeChange {
  readonly id: string;
  readonly from: Stereotype;
  readonly to: Stereotype;
}

/** The changes. All lists are sorted. */
export interface GraphDiff {
  readonly addedBeans: readonly BeanNode[];
  readonly removedBeans: readonly BeanNode[];
  readonly changedBeans: readonly StereotypeChange[];
  readonly addedEdges: readonly BeanEdge[];
  readonly removedEdges: readonly BeanEdge[];
  readonly addedRoutes: readonly string[];
  readonly removedRoutes: readonly string[];
  readonly reach: readonly ReachChange[];
}

/** A forbidden dependency. */
export interface Rule {
  readonly text: string;
  readonly from: string;
  readonly to: string;
}

/** A dependency of the graph that a rule forbids. */
export interface BrokenRule {
  readonly rule: string;
  readonly from: string;
  readonly to: string;
  /** Whether it is missing in the earlier graph. */
  readonly isNew: boolean;
}

/** The changes from `base` to `head`. */
export function graphDiff(base: GraphDocument, head: GraphDocument): GraphDiff {
  const [oldBeans, newBeans] = [byId(base.graph), byId(head.graph)];
  const [oldEdges, newEdges] = [edgesOf(base.graph), edgesOf(head.graph)];
  const [oldRoutes, newRoutes] = [routesOf(base), routesOf(head)];
  return {
    addedBeans: missing(newBeans, oldBeans),
    removedBeans: missing(oldBeans, newBeans),
    changedBeans: [...newBeans.values()]
      .flatMap(({ id, stereotype }) => {
        const before = oldBeans.get(id)?.stereotype;
        return before === undefined || before === stereotype ? [] : [{ id, from: before, to: stereotype }];
      })
      .sort((a, b) => compare(a.id, b.id)),
    addedEdges: missing(newEdges, oldEdges),
    removedEdges: missing(oldEdges, newEdges),
    addedRoutes: [...newRoutes.keys()].filter((route) => !oldRoutes.has(route)).sort(compare),
    removedRoutes: [...oldRoutes.keys()].filter((route) => !newRoutes.has(route)).sort(compare),
    reach: reachChanges(oldRoutes, newRoutes),
  };
}

/** Whether anything changed. */
export function isChanged(diff: GraphDiff): boolean {
  return Object.values(diff).some((list: readonly unknown[]) => list.length > 0);
}

const kinds: ReadonlySet<string> = new Set(stereotypes);

/** Reads a rule, or returns a sentence that says why the text is not a rule. */
export function parseRule(text: string): Rule | string {
  const parts = text.split("->").map((part) => part.trim());
  const [from = "", to = ""] = parts;
  if (parts.length !== 2 || from === "" || to === "")
    return `${JSON.stringify(text)} is no rule: "controller -> repository" is one`;
  return { text: `${from} -> ${to}`, from, to };
}

/** The sides of rules that are neither a stereotype nor a bean of the graph. A name with `*` may match none. */
export function unknownSides(rules: readonly Rule[], { nodes }: BeanGraph): readonly string[] {
  const known = new Set(nodes.flatMap(({ id, name }) => [id, name]));
  const sides = rules.flatMap(({ from, to }) => [from, to]);
  return [...new Set(sides)].filter((side) => !side.includes("*") && !kinds.has(side) && !known.has(side));
}

/** Every dependency of `head` that a rule forbids, sorted by rule. */
export function brokenRules(rules: readonly Rule[], head: BeanGraph, base?: BeanGraph): readonly BrokenRule[] {
  const beans = byId(head);
  const before = base === undefined ? undefined : edgesOf(base);
  return rules.flatMap((rule) =>
    [...edgesOf(head)].flatMap(([key, { from, to }]) => {
      const isBroken = isMeant(rule.from, beans.get(from)) && isMeant(rule.to, beans.get(to));
      return isBroken ? [{ rule: rule.text, from, to, isNew: before !== undefined && !before.has(key) }] : [];
    }),
  );
}

function isMeant(side: string, bean: BeanNode | undefined): boolean {
  if (bean === undefined) return false;
  if (kinds.has(side)) return bean.stereotype === side;
  return matches(side, bean.id) || matches(side, bean.name);
}

/** `*` matches any characters. Without a regular expression, so each piece is searched after the one before it. */
function matches(pattern: string, name: string): boolean {
  const [head = "", ...pieces] = pattern.split("*");
  const tail = pieces.pop();
  if (tail === undefined) return head === name;
  if (!name.startsWith(head)) return false;
  let at = head.length;
  for (const piece of pieces) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return name.length - tail.length >= at && name.endsWith(tail);
}

/** The document of an application, in the same order after every start. */
export function graphDocument(graph: BeanGraph, routes: readonly RouteInfo[]): GraphDocument {
  return {
    graph: {
      nodes: graph.nodes
        .map((node) => ({ ...node, dependencies: node.dependencies.toSorted(compare) }))
        .sort((a, b) => compare(a.id, b.id)),
      edges: [...edgesOf(graph)].sort(([a], [b]) => compare(a, b)).map(([, edge]) => edge),
      unspied: graph.unspied.toSorted(compare),
    },
    // The OpenAPI document has contracts and examples, and a separate check.
    routes: routes.map(({ method, path, pathParams, version, beans }) => ({
      method,
      path,
      pathParams,
      ...(version === undefined ? {} : { version }),
      beans: beans.toSorted(compare),
    })),
  };
}

function reachChanges(
  oldRoutes: ReadonlyMap<string, ReadonlySet<string>>,
  newRoutes: ReadonlyMap<string, ReadonlySet<string>>,
): readonly ReachChange[] {
  return [...newRoutes]
    .flatMap(([route, after]) => {
      const before = oldRoutes.get(route);
      if (before === undefined || before.size === 0 || after.size === 0) return [];
      const added = [...after].filter((id) => !before.has(id)).sort(compare);
      const removed = [...before].filter((id) => !after.has(id)).sort(compare);
      return added.length + removed.length === 0 ? [] : [{ route, added, removed }];
    })
    .sort((a, b) => compare(a.route, b.route));
}

/** The beans that each route reaches, empty if its entries are not known. */
function routesOf({ graph, routes }: GraphDocument): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(routes.map((route) => [routeKey(route), reachable(graph, route.beans)]));
}

function missing<T>(from: ReadonlyMap<string, T>, than: ReadonlyMap<string, T>): readonly T[] {
  return [...from]
    .filter(([key]) => !than.has(key))
    .sort(([a], [b]) => compare(a, b))
    .map(([, value]) => value);
}

const byId = ({ nodes }: BeanGraph): ReadonlyMap<string, BeanNode> => new Map(nodes.map((node) => [node.id, node]));

const edgesOf = ({ edges }: BeanGraph): ReadonlyMap<string, BeanEdge> =>
  new Map(edges.map((edge) => [`${edge.from}\n${edge.to}`, edge]));

/** By code units, so the same everywhere. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
