/** The paths of an app that its health middleware serves, for a middleware that never rejects them. */
import type { Lifecycle } from "../types.ts";

const pathsOf: WeakMap<Lifecycle, Set<string>> = new WeakMap();

/** Adds a path, as routes compare it. */
export function addHealthPath(app: Lifecycle, path: string): void {
  const paths = pathsOf.get(app) ?? new Set();
  pathsOf.set(app, paths.add(path));
}

/** Does the health middleware of that app serve this path? */
export const isHealthPath = (app: Lifecycle, path: string): boolean =>
  pathsOf.get(app)?.has(app.comparedPath(path)) === true;
