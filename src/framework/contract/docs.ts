/**
 * The documentation of a route, merged with that of its groups.
 *
 *   group: tags a, deprecated · route: tags b, summary ──▶ tags a, b, deprecated, summary
 *
 * Spec: spec/devtools.md
 */
import type { RouteDocs } from "./contract.ts";

/** The documentation of a route: its own text, else that of the nearest group, and all tags. */
export function docsOf(
  contracts: readonly RouteDocs[],
): Omit<RouteDocs, "operationId" | "meta" | "deprecated"> & { readonly deprecated?: boolean } {
  const last = <K extends keyof RouteDocs>(name: K): RouteDocs[K] | undefined =>
    contracts.findLast((one) => one[name] !== undefined)?.[name];
  const tags = [...new Set(contracts.flatMap((one) => one.tags ?? []))];
  const all = {
    summary: last("summary"),
    description: last("description"),
    tags: tags.length === 0 ? undefined : tags,
    deprecated: isDeprecated(last("deprecated")),
    security: last("security"),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

const isDeprecated = (declared: RouteDocs["deprecated"]): boolean | undefined =>
  typeof declared === "object" ? true : declared;
