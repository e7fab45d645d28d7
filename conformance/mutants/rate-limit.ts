/** Rate limits that allow too much, or do not inform the client. */
import type { Exchange } from "../kit/exchange.ts";
import { breaks, editHeader, headerOf } from "../kit/mutant.ts";

const isLimited = ({ sent }: Exchange): boolean => sent.path.startsWith("/limited/");
const isRejected = (exchange: Exchange): boolean => isLimited(exchange) && exchange.status === 429;
const hasLeft = (exchange: Exchange, left: number): boolean =>
  isLimited(exchange) && headerOf(exchange.headers, "ratelimit")?.includes(`;r=${left};`) === true;

const edited = (exchange: Exchange, name: string, change: (value: string) => string): Exchange =>
  editHeader(exchange, name, change(headerOf(exchange.headers, name) ?? ""));

/** The mutants of this chapter. */
export const rateLimit = [
  breaks("limits-are-no-problem", ["RATE-001", "ERR-001"], (exchange) =>
    isRejected(exchange) ? editHeader(exchange, "Content-Type", "application/json") : exchange,
  ),
  breaks("buckets-are-never-full", ["RATE-004"], (exchange) =>
    hasLeft(exchange, 2) ? edited(exchange, "RateLimit", (value) => value.replace(/t=\d+/, "t=3600")) : exchange,
  ),
  breaks("all-clients-share-a-bucket", ["RATE-005"], (exchange) =>
    isLimited(exchange) && exchange.sent.path.endsWith("-other") ? { ...exchange, status: 429 } : exchange,
  ),
];
