/** Responses that are compressed for the wrong ones, or not at all. */
import { breaks, editHeader, headerOf } from "../kit/mutant.ts";

/** The mutants of this chapter. */
export const compression = [
  breaks("nothing-is-compressed", ["COMP-001"], (exchange) =>
    exchange.sent.path === "/cached/2000"
      ? editHeader({ ...exchange, body: "x".repeat(2_000) }, "Content-Encoding", undefined)
      : exchange,
  ),
  breaks("what-is-compressed-is-damaged", ["COMP-021"], (exchange) =>
    exchange.sent.path === "/cached/2500" ? { ...exchange, body: "x".repeat(20) } : exchange,
  ),
  breaks("caches-are-not-told-of-codings", ["COMP-002"], (exchange) =>
    exchange.sent.path === "/cached/3000" ? editHeader(exchange, "Vary", "Origin") : exchange,
  ),
  breaks("caches-are-told-of-codings-where-there-is-one", ["COMP-002"], (exchange) =>
    exchange.sent.path === "/cached/3000" && headerOf(exchange.headers, "content-encoding") === undefined
      ? editHeader(exchange, "Vary", "Origin")
      : exchange,
  ),
  breaks("everybody-gets-a-coding", ["COMP-003"], (exchange) =>
    exchange.sent.path === "/cached/4000" ? editHeader(exchange, "Content-Encoding", "gzip") : exchange,
  ),
  breaks("who-takes-no-coding-gets-nothing", ["COMP-003"], (exchange) =>
    exchange.sent.path === "/cached/4000" ? { ...exchange, body: "" } : exchange,
  ),
];
