/**
 * Starts of an application as a page saw them, and what changed between the last two. Pure.
 *
 * Dependencies are left out. Some become known only by a run, so a missing one may only not be known yet.
 */

import { routeKey } from "../format.ts";
import type { BeanGraph, RouteInfo, StartUp } from "../shapes.ts";
import { isRecord } from "../values.ts";

/** A start, with the beans and routes that it had. */
export interface SeenStart extends Pick<StartUp, "instance" | "startedAt"> {
  /** The name of the application, since another one may use the same address. */
  readonly app: string;
  /** The stereotype of each bean by its id, and `route` for each route by its name. */
  readonly parts: Readonly<Record<string, string>>;
}

/** The present start, and the one before it if the page saw it. */
export interface SeenStarts {
  readonly current: SeenStart;
  readonly previous: SeenStart | null;
}

/** A start as the page keeps it. */
export function seenStart(
  app: string,
  { instance, startedAt }: StartUp,
  { nodes }: BeanGraph,
  routes: readonly RouteInfo[],
): SeenStart {
  const parts = [
    ...routes.map((route) => [routeKey(route), "route"]),
    ...nodes.map(({ id, stereotype }) => [id, stereotype]),
  ];
  return { app, instance, startedAt, parts: Object.fromEntries(parts) as SeenStart["parts"] };
}

/** The starts after the page has seen this one. */
export function afterStart(seen: SeenStarts | null, current: SeenStart): SeenStarts {
  if (seen?.current.app !== current.app) return { current, previous: null };
  return { current, previous: seen.current.instance === current.instance ? seen.previous : seen.current };
}

/** Each bean and route that changed since the previous start, with what happened to it; null without one. */
export function sinceLastStart({ current, previous }: SeenStarts): (readonly [what: string, name: string])[] | null {
  if (!previous) return null;
  return Object.keys({ ...current.parts, ...previous.parts }).flatMap((name) => {
    const [before, now] = [previous.parts[name], current.parts[name]];
    if (before === now) return [];
    return [[!before ? `new ${now}` : !now ? `removed ${before}` : `${before}, now ${now}`, name] as const];
  });
}

/** Whether a stored value has starts. */
export function isSeenStarts(value: unknown): value is SeenStarts {
  if (!isRecord(value)) return false;
  const { current, previous } = value;
  const isStart = (one: unknown): boolean => isRecord(one) && isRecord(one["parts"]);
  return isStart(current) && (previous === null || isStart(previous));
}
