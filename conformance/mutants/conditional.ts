/** Tags that say too little, and conditions that nobody looks at. */
import { breaks, editHeader, headerOf } from "../kit/mutant.ts";
import type { Exchange } from "../kit/exchange.ts";

const asks = ({ sent }: Exchange, name: string): boolean => headerOf(sent.headers, name) !== undefined;

/** The mutants of this chapter. */
export const conditional = [
  breaks("responses-have-no-tag", ["COND-001"], (exchange) =>
    exchange.sent.path === "/cached/10" ? editHeader(exchange, "ETag", undefined) : exchange,
  ),
  breaks("every-body-has-one-tag", ["COND-001"], (exchange) =>
    /^\/cached\/1[01]$/.test(exchange.sent.path) ? editHeader(exchange, "ETag", '"one"') : exchange,
  ),
  breaks("queries-have-one-tag", ["COND-001"], (exchange) =>
    exchange.sent.method === "QUERY" && ["a", "b"].includes(exchange.sent.body)
      ? editHeader(exchange, "ETag", '"one"')
      : exchange,
  ),
  breaks("queries-have-no-tag", ["COND-001"], (exchange) =>
    exchange.sent.method === "QUERY" && exchange.sent.body.length === 1 && exchange.sent.path === "/cached"
      ? editHeader(exchange, "ETag", undefined)
      : exchange,
  ),
  breaks("heads-have-another-tag", ["COND-001"], (exchange) =>
    exchange.sent.method === "HEAD" && exchange.sent.path === "/cached/10"
      ? editHeader(exchange, "ETag", '"head"')
      : exchange,
  ),
  breaks("what-is-known-is-sent-again", ["COND-002"], (exchange) =>
    exchange.status === 304 && exchange.sent.path === "/cached/20"
      ? { ...exchange, status: 200, body: "x".repeat(20) }
      : exchange,
  ),
  breaks("everything-is-known", ["COND-002"], (exchange) =>
    exchange.sent.path === "/cached/20" && asks(exchange, "if-none-match")
      ? { ...exchange, status: 304, body: "" }
      : exchange,
  ),
  breaks("compressed-tags-are-strong", ["COND-024"], (exchange) =>
    exchange.sent.path === "/cached/5000" ? editHeader(exchange, "ETag", '"strong"') : exchange,
  ),
  breaks("queries-are-never-known", ["COND-022"], (exchange) =>
    exchange.sent.method === "QUERY" && exchange.status === 304 ? { ...exchange, status: 200, body: "mine" } : exchange,
  ),
  breaks("if-match-is-ignored", ["COND-003"], (exchange) =>
    exchange.status === 412 && exchange.sent.path === "/cached/30" ? { ...exchange, status: 200 } : exchange,
  ),
  breaks("if-match-always-fails", ["COND-003"], (exchange) =>
    exchange.sent.path === "/cached/30" && asks(exchange, "if-match") ? { ...exchange, status: 412 } : exchange,
  ),
];
