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
      return found ? [{ route, params: paramsOf(found.groups ?? {}, route), rank: rank(route.path) }] : [];
    })
    .sort((a, b) => b.rank.localeCompare(a.rank))
    .map(({ route, params }) => ({ route, params }))[0];
}

/** Group names of a regular expression are more restricted than parameter names, so groups are numbered. */
function toPattern(pattern: string): RegExp {
  let at = 0;
  const source = pattern
    .split(/(\{[^{}]+\}|\*[^/]*)/)
    .map((part) =>
      part.startsWith("{")
        ? `(?<p${at++}>[^/]+)`
        : part.startsWith("*")
          ? `(?<p${at++}>.*)`
          : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"),
    )
    .join("");
  return new RegExp(`^${source}$`);
}

function paramsOf(groups: Readonly<Record<string, string>>, route: RouteInfo): Record<string, string> {
  const names = [...route.path.matchAll(/\{([^{}]+)\}|\*([^/]*)/g)].map(([, name, rest]) => name ?? rest ?? "");
  return Object.fromEntries(names.map((name, i) => [name, decoded(groups[`p${i}`] ?? "")]));
}

/** One letter a segment, so that comparing texts compares routes: fixed `c`, parameter `b`, wildcard `a`. */
function rank(pattern: string): string {
  return pattern
    .split("/")
    .map((segment) => (segment.startsWith("*") ? "a" : segment.includes("{") ? "b" : "c"))
    .join("");
}
