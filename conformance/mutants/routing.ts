/** Routers that find the wrong route. */
import { breaks } from "../kit/mutant.ts";
import type { Exchange } from "../kit/exchange.ts";

const at = (target: string, { sent, status }: Exchange, wanted = 200): boolean =>
  sent.target === target && status === wanted;

const notFound = (exchange: Exchange): Exchange => ({ ...exchange, status: 404 });

/** The mutants of this chapter. */
export const routing = [
  breaks("a-bad-escape-is-500", ["ROUTE-003"], (exchange) =>
    at("/users/%C3", exchange, 400) ? { ...exchange, status: 500 } : exchange,
  ),
  breaks("dot-segments-are-resolved", ["ROUTE-004"], (exchange) =>
    at("/files/a/../b", exchange, 400) ? { ...exchange, status: 200, body: '{"path":"b"}' } : exchange,
  ),
  breaks("a-wildcard-takes-no-encoded-slash", ["ROUTE-017"], (exchange) =>
    at("/match/a%2Fz", exchange) ? notFound(exchange) : exchange,
  ),
];
