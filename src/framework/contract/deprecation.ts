/**
 * The deprecation of a route as response headers.
 *
 *   { since: "2026-11-01", sunset: "2027-05-01", link } ──▶ Deprecation: @1793491200 · Sunset: Sat, 01 May 2027 … · Link: <…>
 *
 * Spec: spec/contracts.md; RFC 9745, RFC 8594
 */
import { usageError } from "../internal/usage-errors.ts";
import type { Deprecation, RouteDocs } from "./contract.ts";

/** The deprecation of a route with dates: its own, else that of the nearest group. Undefined without dates. */
export function deprecationOf(contracts: readonly RouteDocs[]): Deprecation | undefined {
  const declared = contracts.findLast(({ deprecated }) => deprecated !== undefined)?.deprecated;
  return typeof declared === "object" ? declared : undefined;
}

/** Flat list of the headers of a deprecated route. */
export function deprecationHeaders({ since, sunset, link }: Deprecation): readonly string[] {
  return [
    "Deprecation",
    `@${Math.floor(timeOf(since) / 1000)}`,
    ...(sunset === undefined ? [] : ["Sunset", new Date(timeOf(sunset)).toUTCString()]),
    ...(link === undefined ? [] : ["Link", `<${link}>; rel="deprecation"`]),
  ];
}

/** @throws TypeError (`ROUTE_OPTIONS`) when a date is not one, the sunset is before it, or the link is not a URL. */
export function checkDeprecation(where: string, { deprecated }: RouteDocs): void {
  if (typeof deprecated !== "object") return;
  const { since, sunset, link } = deprecated;
  const invalid = (sentence: string): TypeError => usageError("ROUTE_OPTIONS", `${where}: deprecated has ${sentence}`);
  for (const [name, date] of Object.entries({ since, sunset }))
    if ((date !== undefined || name === "since") && Number.isNaN(timeOf(date)))
      throw invalid(`${name}: ${JSON.stringify(date) ?? "undefined"}, which is not a date`);
  if (sunset !== undefined && timeOf(sunset) < timeOf(since))
    throw invalid("its sunset before its since (RFC 9745 §4)");
  if (link !== undefined && !/^[!#-;=?-[\]_a-z~%]+$/.test(link))
    throw invalid(`link: ${JSON.stringify(link)}, which is not a URL`);
}

const timeOf = (date: unknown): number => new Date(date as string).getTime();
