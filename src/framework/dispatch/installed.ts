/**
 * Installed middleware: what `use`, `wrap`, a group or a route got, and what of it stands before a request.
 *
 *   installed, outermost first ──layersOf()──▶ layers to compose
 *        below a prefix             runs where the path lies there
 *        several with one name      the innermost runs, where the outermost stands
 *
 * Spec: spec/middleware.md
 */
import { usageError } from "../internal/usage-errors.ts";
import { parsePattern } from "../routing/pattern.ts";
import type { MiddlewareLike } from "../middleware/types.ts";
import { layerOf, type Choice, type Layer } from "./composition.ts";

/** A middleware, and where it was installed. */
export interface Installed extends Choice {
  readonly middleware: MiddlewareLike;
  /** The name of which only the innermost runs. */
  readonly exclusive: string | undefined;
  /** Runs in a group or on a route for requests that no route handles too. */
  readonly unmatched: boolean;
}

/** A middleware as it is kept from its installation on. `prefix` is literal; "/" is everything. */
export function installed(middleware: MiddlewareLike, prefix: string): Installed {
  const { exclusive, unmatched } = typeof middleware === "function" ? {} : middleware;
  return { middleware, layer: layerOf(middleware), prefix, exclusive, unmatched: unmatched === true };
}

/** The prefix of `app.use(prefix, …)`. @throws TypeError when it is no pattern, or has parameters. */
export function checkedPrefix(prefix: string): string {
  const { text, names } = parsePattern(prefix);
  if (names.length === 0) return text;
  throw usageError("ROUTE_PATTERN", `app.use(${JSON.stringify(prefix)}) takes a literal prefix: no parameters`);
}

/** What stands before a request, outermost first. */
export function layersOf(all: readonly Installed[]): readonly Layer[] {
  return all.flatMap((one, index) => {
    const { exclusive } = one;
    if (typeof exclusive !== "string") return [layerAmong([one])];
    const rivals = all.filter((other) => other.exclusive === exclusive);
    return rivals[0] === all[index] ? [layerAmong(rivals.toReversed())] : [];
  });
}

/** The choices up to the first that always fits; that one alone where it comes first. */
function layerAmong(choices: readonly Choice[]): Layer {
  const always = choices.findIndex(({ prefix }) => prefix === "/");
  return (always === 0 ? choices[0]?.layer : undefined) ?? choices.slice(0, always < 0 ? choices.length : always + 1);
}
