/** Versions that are mixed up. */
import type { Exchange } from "../kit/exchange.ts";
import { breaks, editHeader, editObject, headerOf } from "../kit/mutant.ts";

const isVersioned = ({ sent }: Exchange): boolean => sent.path.startsWith("/versions/");

/** Its Vary without the fields that name a version, or undefined if it has no others. */
function withoutVersions({ headers }: Exchange): string | undefined {
  const fields = headerOf(headers, "vary")?.split(/, */) ?? [];
  return fields.filter((one) => !/^(?:accept|api-version)$/i.test(one)).join(", ") || undefined;
}

/** The mutants of this chapter. */
export const versions = [
  breaks("every-version-is-the-first", ["VERSION-001"], (exchange) =>
    isVersioned(exchange) && exchange.status === 200
      ? editObject(exchange, (body) => ({ ...body, id: "1" }))
      : exchange,
  ),
  breaks("caches-mix-versions-up", ["VERSION-005"], (exchange) =>
    isVersioned(exchange) ? editHeader(exchange, "Vary", withoutVersions(exchange)) : exchange,
  ),
];
