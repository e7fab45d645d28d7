/** Requests with a key that run again, or are mixed up. */
import type { Exchange } from "../kit/exchange.ts";
import { breaks, editHeader, editObject, headerOf } from "../kit/mutant.ts";

const isOnce = ({ sent }: Exchange): boolean => sent.path.startsWith("/once/");
const isReplay = (exchange: Exchange): boolean =>
  isOnce(exchange) && headerOf(exchange.headers, "idempotency-replayed") === "true";

/** The mutants of this chapter. */
export const idempotency = [
  breaks("repeated-requests-run-again", ["IDEM-001", "IDEM-003"], (exchange) =>
    isReplay(exchange) ? editObject(exchange, (body) => ({ ...body, id: crypto.randomUUID() })) : exchange,
  ),
  breaks("repeated-responses-lack-their-fields", ["IDEM-002"], (exchange) =>
    isReplay(exchange) ? editHeader(exchange, "Location", undefined) : exchange,
  ),
  breaks("conflicts-are-no-conflict", ["IDEM-003"], (exchange) =>
    isOnce(exchange) && exchange.status === 409 ? { ...exchange, status: 503 } : exchange,
  ),
  breaks("other-payloads-are-conflicts", ["IDEM-004"], (exchange) =>
    isOnce(exchange) && exchange.status === 422 ? { ...exchange, status: 409 } : exchange,
  ),
];
