/**
 * Entries: the beans through which the requests of each route entered the graph.
 *
 *   GET /orders/{id} ──▶ what its handlers asked the container for · the beans of calls that no other call made
 *
 * Spec: spec/devtools.md
 */
import type { Context } from "framework";
import type { HostRoute } from "../host.ts";
import type { Call, Json, RouteContract, RouteInfo } from "../run/shapes.ts";

/** The entries of one application. */
export class Entries {
  /** The number of entries of all routes. It grows, and nothing else changes. */
  size = 0;
  readonly #beans = new Map<string, Map<string, Set<string>>>();

  /** Remembers the entries of an ended request. @param asked the beans that it requested outside of any call */
  add(
    { method, route, apiVersion }: Pick<Context, "method" | "route" | "apiVersion">,
    asked: readonly string[] | undefined,
    calls: readonly Call[],
  ): void {
    if (route === undefined || (asked === undefined && calls.length === 0)) return;
    const seen = this.#seenFrom(route, named(method, apiVersion));
    const before = seen.size;
    if (asked !== undefined) for (const bean of asked) seen.add(bean);
    for (const { parentId, bean } of calls) if (parentId === null) seen.add(bean);
    this.size += seen.size - before;
  }

  /** The beans of a route, empty before its first request. */
  of(route: string, method: string, version?: string): Iterable<string> {
    return this.#beans.get(route)?.get(named(method, version)) ?? [];
  }

  /** A route with the beans through which its requests entered. */
  routeOf({ example, contract, ...route }: HostRoute): RouteInfo {
    const seen = new Set([...route.beans, ...this.of(route.path, route.method, route.version)]);
    if (route.method === "GET") for (const bean of this.of(route.path, "HEAD", route.version)) seen.add(bean);
    const shown = example === undefined ? {} : { example: { ...example, body: example.body as Json | undefined } };
    const declared = contract === undefined ? {} : { contract: contract as RouteContract };
    return { ...route, beans: [...seen], ...shown, ...declared };
  }

  #seenFrom(route: string, method: string): Set<string> {
    const methods = this.#beans.get(route) ?? new Map<string, Set<string>>();
    if (methods.size === 0) this.#beans.set(route, methods);
    const seen = methods.get(method) ?? new Set();
    if (seen.size === 0) methods.set(method, seen);
    return seen;
  }
}

const named = (method: string, version: string | undefined): string =>
  version === undefined ? method : `${method} ${version}`;
