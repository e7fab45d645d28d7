/** Servers that do not know QUERY, or only half of it. */
import { breaks, editObject, headerOf } from "../kit/mutant.ts";
import type { Exchange } from "../kit/exchange.ts";

const isQuery = (exchange: Exchange, path: string, status = 200): boolean =>
  exchange.sent.method === "QUERY" && exchange.sent.path === path && exchange.status === status;

const typeOf = ({ sent }: Exchange): string => headerOf(sent.headers, "content-type") ?? "";

/** The mutants of this chapter. */
export const query = [
  breaks("query-takes-any-type", ["QUERY-005"], (exchange) =>
    isQuery(exchange, "/search", 415) && typeOf(exchange) === "application/jsonp"
      ? { ...exchange, status: 200 }
      : exchange,
  ),
  breaks("get-runs-the-handler-of-query", ["QUERY-008"], (exchange) =>
    exchange.sent.method === "GET" && exchange.sent.path === "/search"
      ? editObject(exchange, () => ({ method: "QUERY" }))
      : exchange,
  ),
  breaks("query-is-an-unknown-method", ["QUERY-009"], (exchange) =>
    isQuery(exchange, "/users/1", 405) ? { ...exchange, status: 501 } : exchange,
  ),
];
