/** Versions that are mixed up. */
import type { Exchange } from "../kit/exchange.ts";
import { breaks, editHeader, editObject } from "../kit/mutant.ts";

const isVersioned = ({ sent }: Exchange): boolean => sent.path.startsWith("/versions/");

/** The mutants of this chapter. */
export const versions = [
  breaks("every-version-is-the-first", ["VERSION-001"], (exchange) =>
    isVersioned(exchange) && exchange.status === 200
      ? editObject(exchange, (body) => ({ ...body, id: "1" }))
      : exchange,
  ),
  breaks("caches-mix-versions-up", ["VERSION-005"], (exchange) =>
    isVersioned(exchange) ? editHeader(exchange, "Vary", undefined) : exchange,
  ),
];
