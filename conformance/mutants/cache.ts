/** Stored responses that are mixed up, or say nothing. */
import type { Exchange } from "../kit/exchange.ts";
import { breaks, editHeader, editObject, headerOf } from "../kit/mutant.ts";

const isStored = ({ sent }: Exchange): boolean => sent.path.startsWith("/stored/");
const isHit = (exchange: Exchange): boolean =>
  isStored(exchange) && /;\s*hit\b/.test(headerOf(exchange.headers, "cache-status") ?? "");

/** The mutants of this chapter. */
export const cache = [
  breaks("responses-have-no-age", ["CACHE-001"], (exchange) =>
    isHit(exchange) ? editHeader(exchange, "Age", undefined) : exchange,
  ),
  breaks("caches-say-nothing", ["CACHE-011"], (exchange) =>
    isStored(exchange) ? editHeader(exchange, "Cache-Status", undefined) : exchange,
  ),
  breaks("each-request-runs-its-handler", ["CACHE-012"], (exchange) =>
    isStored(exchange) && exchange.sent.target.includes("ms=")
      ? editObject(exchange, (body) => ({ ...body, id: crypto.randomUUID() }))
      : exchange,
  ),
  breaks("all-queries-are-one", ["CACHE-006", "CACHE-008"], (exchange) =>
    isStored(exchange) && exchange.sent.method === "QUERY" && exchange.status === 200
      ? editObject(exchange, (body) => ({ ...body, id: "one" }))
      : exchange,
  ),
];
