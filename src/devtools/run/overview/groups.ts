/**
 * Groups of beans, for a picture of the whole application. Pure.
 *
 *   beans, the group of each ──▶ features: groups with a controller, and those that routes enter and no group uses
 *                            ──▶ shared: groups that use other groups │ base: groups that use none
 *   dependencies             ──▶ one edge for all between two groups
 */

import type { BeanGraph, BeanNode, MethodSource, RouteInfo, Stereotype } from "../shapes.ts";
import { stereotypes } from "../graph/tokens.ts";
import { groupBy } from "../values.ts";

/** The columns of the picture, from the left. */
export const columns = ["feature", "shared", "base"] as const;

/** Some beans under one name. */
export interface BeanFolder {
  readonly name: string;
  readonly column: (typeof columns)[number];
  /** By stereotype, then by name. */
  readonly beans: readonly BeanNode[];
  readonly counts: ReadonlyMap<Stereotype, number>;
  /** How many routes enter it. */
  readonly routes: number;
}

/** All dependencies from the beans of one group to those of another. */
export interface FolderEdge {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

/** The groups by name, and what they use of each other. */
export interface Folders {
  readonly folders: readonly BeanFolder[];
  readonly edges: readonly FolderEdge[];
}

/** The name of a bean's group. */
export type GroupOf = (bean: BeanNode) => string;

/** The names of the groups of stereotypes. */
export const byStereotype: GroupOf = ({ stereotype }) =>
  stereotype === "repository" ? "repositories" : `${stereotype}s`;

/** The groups of a graph. */
export function foldersOf({ nodes, edges }: BeanGraph, routes: readonly RouteInfo[], groupOf: GroupOf): Folders {
  const home = new Map(nodes.map((bean) => [bean.id, groupOf(bean)]));
  const between = new Map<string, FolderEdge>();
  for (const edge of edges) {
    const [from, to] = [home.get(edge.from), home.get(edge.to)];
    if (from === undefined || to === undefined || from === to) continue;
    const key = `${from}\n${to}`;
    between.set(key, { from, to, count: (between.get(key)?.count ?? 0) + 1 });
  }
  const entered = groupBy(
    routes.flatMap(({ beans }) => [...new Set(beans.map((id) => home.get(id)))]),
    (name) => name,
  );
  const [uses, used] = (["from", "to"] as const).map((end) => new Set([...between.values()].map((edge) => edge[end])));
  const folders = [...groupBy(nodes, (bean) => home.get(bean.id) ?? "")].map(([name, beans]): BeanFolder => {
    const own = entered.get(name)?.length ?? 0;
    const isEntry = own > 0 && used?.has(name) !== true;
    const isFeature = isEntry || beans.some(({ stereotype }) => stereotype === "controller");
    return {
      name,
      column: isFeature ? "feature" : uses?.has(name) ? "shared" : "base",
      beans: beans.toSorted((a, b) => rank(a) - rank(b) || compare(a.name, b.name)),
      counts: new Map(
        stereotypes.flatMap((one) => {
          const count = beans.filter(({ stereotype }) => stereotype === one).length;
          return count === 0 ? [] : [[one, count]];
        }),
      ),
      routes: own,
    };
  });
  return { folders: folders.sort((a, b) => compare(a.name, b.name)), edges: [...between.values()] };
}

const rank = ({ stereotype }: BeanNode): number => stereotypes.indexOf(stereotype);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * The groups by folder: the first folder below the one that has all sources. Beans without a known source of the
 * application are in the group of their stereotype. Null if no two beans are in different folders.
 */
export function byFolder(sources: readonly MethodSource[]): GroupOf | null {
  const paths = new Map<string, readonly string[]>();
  for (const { bean, file } of sources) {
    const path = file.split(/[\\/]/).slice(0, -1);
    if (!paths.has(bean) && !path.includes("node_modules")) paths.set(bean, path);
  }
  const [first = [], ...others] = paths.values();
  const differs = first.findIndex((part, at) => others.some((path) => path[at] !== part));
  const root = differs < 0 ? first.length : differs;
  const names = new Map([...paths].map(([bean, path]) => [bean, path[root] ?? path.at(-1) ?? ""]));
  if (new Set(names.values()).size < 2) return null;
  return (bean) => names.get(bean.id) || byStereotype(bean);
}
