/** Contexts that believe too much. */
import { breaks, editHeader, editObject } from "../kit/mutant.ts";

/** The mutants of this chapter. */
export const context = [
  breaks("text-is-sent-as-html", ["CTX-005"], (exchange) =>
    exchange.sent.path === "/returns/text" ? editHeader(exchange, "Content-Type", "text/html") : exchange,
  ),
  breaks("objects-are-sent-as-text", ["CTX-005"], (exchange) =>
    exchange.sent.path === "/returns/json" ? editHeader(exchange, "Content-Type", "text/plain") : exchange,
  ),
  breaks("bytes-are-sent-as-json", ["CTX-005"], (exchange) =>
    exchange.sent.path === "/returns/bytes" ? { ...exchange, body: '{"0":98}' } : exchange,
  ),
  breaks("streams-have-no-type", ["CTX-005"], (exchange) =>
    exchange.sent.path === "/returns/stream" ? editHeader(exchange, "Content-Type", undefined) : exchange,
  ),
  breaks("responses-lose-their-status", ["CTX-005"], (exchange) =>
    exchange.sent.path === "/returns/response" ? { ...exchange, status: 200 } : exchange,
  ),
  breaks("addresses-are-those-of-an-ipv6-socket", ["CTX-024", "SPAN-004"], (exchange) =>
    exchange.sent.path === "/__subject/evidence"
      ? editObject(exchange, (evidence) => ({
          ...evidence,
          logs: (evidence["logs"] as { readonly remoteAddress: string }[]).map((line) => ({
            ...line,
            remoteAddress: `::ffff:${line.remoteAddress}`,
          })),
        }))
      : exchange,
  ),
  breaks("proxy-headers-are-believed", ["CTX-011"], (exchange) =>
    exchange.sent.path === "/__subject/evidence"
      ? editObject(exchange, (evidence) => ({
          ...evidence,
          logs: (evidence["logs"] as { readonly path: string }[]).map((line, at, all) =>
            at > 0 && /^\/users\/[0-9a-f]{16}$/.test(line.path) && all[at - 1]?.path === line.path
              ? { ...line, remoteAddress: "203.0.113.9" }
              : line,
          ),
        }))
      : exchange,
  ),
];
