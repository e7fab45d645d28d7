/**
 * The names of a route and of a run, as in links, lists and attributes. Pure.
 */

import type { RouteInfo, Trace } from "./shapes.ts";

/** A route's name in the page, e.g. `GET /users/{id}`. */
export function routeKey(route: Pick<RouteInfo, "method" | "path">): string {
  return `${route.method} ${route.path}`;
}

/** A run's name, unique for ever: `<instance>.<sequence>`. */
export function traceKey(trace: Pick<Trace, "instance" | "sequence">): string {
  return `${trace.instance}.${trace.sequence}`;
}
