/**
 * Finds the application's route of a path. Pure; used to fill the editor from a link or a redirect.
 */

import type { RouteInfo } from "../../run/shapes.ts";
import { decoded } from "../../run/values.ts";

/** A route and the path parameters that a path gives it. */
export interface RouteMatch {
  readonly route: RouteInfo;
  readonly params: Readonly<Record<string, string>>;
}

/** The most specific route: fixed segments before parameters before a wildcard, or undefined when none fits. */
export function matchRoute(routes: readonly RouteInfo[], method: string, path: string): RouteMatch | undefined {
  return routes
    .filter((route) => route.method === method)
    .flatMap((route) => {
      const found = toPattern(route.path).exec(path);
      return found ? [{ route, params: paramsOf(found, route), rank: rank(route.path) }] : [];
    })
    .sort((a, b) => b.rank.localeCompare(a.rank))
    .map(({ route, params }) => ({ route, params }))[0];
}

/** With a group for each parameter, in their order. */
function toPattern(pattern: string): RegExp {
  const source = pattern
    .split(/(\{[^{}]+\}|\*[^/]*)/)
    .map((part) =>
      part.startsWith("{") ? "([^/]+)" : part.startsWith("*") ? "(.*)" : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"),
    )
    .join("");
  return new RegExp(`^${source}$`);
}

const paramsOf = ([, ...values]: readonly string[], { pathParams }: RouteInfo): Record<string, string> =>
  Object.fromEntries(pathParams.map((name, i) => [name, decoded(values[i] ?? "")]));

/** One letter a segment, so that comparing texts compares routes: fixed `c`, parameter `b`, wildcard `a`. */
function rank(pattern: string): string {
  return pattern
    .split("/")
    .map((segment) => (segment.startsWith("*") ? "a" : segment.includes("{") ? "b" : "c"))
    .join("");
}
