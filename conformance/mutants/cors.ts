/** CORS that allows too much, or too little. */
import { breaks, editHeader, headerOf } from "../kit/mutant.ts";
import type { Exchange } from "../kit/exchange.ts";

const sentHeader = ({ sent }: Exchange, name: string): string | undefined => headerOf(sent.headers, name);

const isPreflight = (exchange: Exchange): boolean =>
  exchange.sent.method === "OPTIONS" &&
  sentHeader(exchange, "origin") !== undefined &&
  sentHeader(exchange, "access-control-request-method") !== undefined;

const varyOf = (name: string, kind: string, vary: string) =>
  breaks(name, ["CORS-006"], (exchange) =>
    exchange.sent.path === `/vary/${kind}` ? editHeader(exchange, "Vary", vary) : exchange,
  );

/** The mutants of this chapter. */
export const cors = [
  breaks("preflights-are-not-cached", ["CORS-025"], (exchange) =>
    isPreflight(exchange) ? editHeader(exchange, "Access-Control-Max-Age", undefined) : exchange,
  ),
  varyOf("texts-lose-the-vary-of-cors", "text", "Accept"),
  breaks("query-is-allowed-by-default", ["CORS-008"], (exchange) =>
    isPreflight(exchange) &&
    headerOf(exchange.headers, "access-control-allow-methods")?.includes("POST") === true &&
    sentHeader(exchange, "access-control-request-method") === "QUERY"
      ? editHeader(exchange, "Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE, QUERY")
      : exchange,
  ),
  breaks("patch-is-not-allowed-by-default", ["CORS-024"], (exchange) =>
    isPreflight(exchange) && sentHeader(exchange, "access-control-request-method") === "PATCH"
      ? editHeader(exchange, "Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE")
      : exchange,
  ),
];
