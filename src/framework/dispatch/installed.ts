/**
 * Installed middleware of `use`, `wrap`, a group or a route, and which of it runs before a request.
 *
 *   installed, outermost first ──layersOf()──▶ layers to compose
 *        below a prefix             runs when the path lies there
 *        several with one name      the innermost runs, at the position of the outermost
 *
 * Spec: spec/middleware.md
 */
import { usageError } from "../internal/usage-errors.ts";
import { parsePattern } from "../routing/pattern.ts";
import type { MiddlewareLike } from "../middleware/types.ts";
import { layerOf, type Choice, type Layer } from "./composition.ts";

/** A middleware and its place of installation. */
export interface Installed extends Choice {
  readonly middleware: MiddlewareLike;
  /** Only the innermost of those with this name runs. */
  readonly exclusive: string | undefined;
  /** In a group or on a route, also runs for unhandled requests. */
  readonly unmatched: boolean;
}

/** A middleware after its installation. `prefix` is literal. "/" matches everything. */
export function installed(middleware: MiddlewareLike, prefix: string): Installed {
  const { exclusive, unmatched } = typeof middleware === "function" ? {} : middleware;
  return { middleware, layer: layerOf(middleware), prefix, exclusive, unmatched: unmatched === true };
}

/** The prefix of `app.use(prefix, …)`. @throws TypeError when it is not a pattern, or has parameters. */
export function checkedPrefix(prefix: string): string {
  const { text, names } = parsePattern(prefix);
  if (names.length === 0) return text;
  throw usageError("ROUTE_PATTERN", `app.use(${JSON.stringify(prefix)}) takes a literal prefix: no parameters`);
}

/** The middleware before a request, outermost first. */
export function layersOf(all: readonly Installed[]): readonly Layer[] {
  return all.flatMap((one, index) => {
    const { exclusive } = one;
    if (typeof exclusive !== "string") return [layerAmong([one])];
    const rivals = all.filter((other) => other.exclusive === exclusive);
    return rivals[0] === all[index] ? [layerAmong(rivals.toReversed())] : [];
  });
}

/** The choices up to the first that always matches. Only that one if it comes first. */
function layerAmong(choices: readonly Choice[]): Layer {
  const always = choices.findIndex(({ prefix }) => prefix === "/");
  return (always === 0 ? choices[0]?.layer : undefined) ?? choices.slice(0, always < 0 ? choices.length : always + 1);
}
