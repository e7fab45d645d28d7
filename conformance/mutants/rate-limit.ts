/** Rate limits that let too much through, or tell a client nothing. */
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
  breaks("nobody-is-limited", ["RATE-001", "RATE-005"], (exchange) =>
    isRejected(exchange) ? { ...exchange, status: 200 } : exchange,
  ),
  breaks("limits-are-no-problem", ["RATE-001", "ERR-001"], (exchange) =>
    isRejected(exchange) ? editHeader(exchange, "Content-Type", "application/json") : exchange,
  ),
  breaks("limits-name-no-time", ["RATE-002"], (exchange) =>
    isRejected(exchange) ? editHeader(exchange, "Retry-After", undefined) : exchange,
  ),
  breaks("limits-name-a-date", ["RATE-002"], (exchange) =>
    isRejected(exchange) ? editHeader(exchange, "Retry-After", "Fri, 07 Nov 2036 23:59:59 GMT") : exchange,
  ),
  breaks("limits-say-at-once", ["RATE-002"], (exchange) =>
    isRejected(exchange) ? editHeader(exchange, "Retry-After", "0") : exchange,
  ),
  breaks("limits-say-a-minute-too-much", ["RATE-002"], (exchange) =>
    isRejected(exchange) ? editHeader(exchange, "Retry-After", "80") : exchange,
  ),
  breaks("rejections-name-no-policy", ["RATE-003"], (exchange) =>
    isRejected(exchange) ? editHeader(exchange, "RateLimit-Policy", undefined) : exchange,
  ),
  breaks("windows-are-in-milliseconds", ["RATE-003"], (exchange) =>
    isLimited(exchange) ? edited(exchange, "RateLimit-Policy", (value) => value.replace("w=60", "w=60000")) : exchange,
  ),
  breaks("nothing-is-left-too-early", ["RATE-004"], (exchange) =>
    hasLeft(exchange, 1) ? edited(exchange, "RateLimit", (value) => value.replace("r=1", "r=0")) : exchange,
  ),
  breaks("buckets-are-full-at-once", ["RATE-004"], (exchange) =>
    hasLeft(exchange, 2) ? edited(exchange, "RateLimit", (value) => value.replace(/t=\d+/, "t=0")) : exchange,
  ),
  breaks("buckets-are-never-full", ["RATE-004"], (exchange) =>
    hasLeft(exchange, 2) ? edited(exchange, "RateLimit", (value) => value.replace(/t=\d+/, "t=3600")) : exchange,
  ),
  breaks("all-clients-share-a-bucket", ["RATE-005"], (exchange) =>
    isLimited(exchange) && exchange.sent.path.endsWith("-other") ? { ...exchange, status: 429 } : exchange,
  ),
  breaks("rejections-lose-the-name", ["RATE-004"], (exchange) =>
    isRejected(exchange) ? edited(exchange, "RateLimit", (value) => value.replace('"subject"', '"other"')) : exchange,
  ),
];
