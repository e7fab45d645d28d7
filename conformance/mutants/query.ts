/** Servers that have not heard of QUERY, or half. */
import { breaks, editHeader, editObject, headerOf } from "../kit/mutant.ts";
import type { Exchange } from "../kit/exchange.ts";

const isQuery = (exchange: Exchange, path: string, status = 200): boolean =>
  exchange.sent.method === "QUERY" && exchange.sent.path === path && exchange.status === status;

const typeOf = ({ sent }: Exchange): string => headerOf(sent.headers, "content-type") ?? "";

/** The mutants of this chapter. */
export const query = [
  breaks("query-loses-its-body", ["QUERY-001", "QUERY-003"], (exchange) =>
    isQuery(exchange, "/search") && exchange.sent.body !== "{}"
      ? editObject(exchange, (body) => ({ ...body, body: null }))
      : exchange,
  ),
  breaks("query-loses-its-query-string", ["QUERY-001"], (exchange) =>
    isQuery(exchange, "/search") && exchange.sent.target.includes("?")
      ? editObject(exchange, (body) => ({ ...body, query: {} }))
      : exchange,
  ),
  breaks("query-in-a-group-is-405", ["QUERY-002", "QUERY-005"], (exchange) =>
    exchange.sent.method === "QUERY" && exchange.sent.path === "/api/search" ? { ...exchange, status: 405 } : exchange,
  ),
  breaks("query-in-a-group-loses-its-body", ["QUERY-002"], (exchange) =>
    isQuery(exchange, "/api/search") ? editObject(exchange, (body) => ({ ...body, body: null })) : exchange,
  ),
  breaks("query-text-is-read-as-latin1", ["QUERY-003"], (exchange) =>
    isQuery(exchange, "/lookup") && exchange.sent.body.includes("ü")
      ? editObject(exchange, (body) => ({ ...body, text: Buffer.from(String(body["text"])).toString("latin1") }))
      : exchange,
  ),
  breaks("query-without-a-type-passes-where-text-is-read", ["QUERY-004"], (exchange) =>
    isQuery(exchange, "/lookup", 400) && typeOf(exchange) === "" ? { ...exchange, status: 200 } : exchange,
  ),
  breaks("query-is-read-without-a-type", ["QUERY-010"], (exchange) =>
    exchange.sent.body === '{"typed":false}' ? { ...exchange, status: 200 } : exchange,
  ),
  breaks("query-with-a-malformed-type-is-415", ["QUERY-004"], (exchange) =>
    isQuery(exchange, "/search", 400) && typeOf(exchange) === "text/" ? { ...exchange, status: 415 } : exchange,
  ),
  breaks("query-takes-any-type", ["QUERY-005"], (exchange) =>
    isQuery(exchange, "/search", 415) && typeOf(exchange) === "application/jsonp"
      ? { ...exchange, status: 200 }
      : exchange,
  ),
  breaks("query-minds-the-charset", ["QUERY-005"], (exchange) =>
    isQuery(exchange, "/search") && typeOf(exchange).includes("charset") ? { ...exchange, status: 415 } : exchange,
  ),
  breaks("accept-query-is-only-on-415", ["QUERY-006"], (exchange) =>
    exchange.sent.path === "/search" && exchange.sent.method === "GET"
      ? editHeader(exchange, "Accept-Query", undefined)
      : exchange,
  ),
  breaks("accept-query-is-missing-on-405", ["QUERY-006"], (exchange) =>
    exchange.sent.path === "/search" && exchange.status === 405
      ? editHeader(exchange, "Accept-Query", undefined)
      : exchange,
  ),
  breaks("accept-query-is-sent-where-any-type-passes", ["QUERY-011"], (exchange) =>
    isQuery(exchange, "/lookup") && typeOf(exchange) === "text/html"
      ? editHeader(exchange, "Accept-Query", "*/*")
      : exchange,
  ),
  breaks("accept-query-is-on-options-where-any-type-passes", ["QUERY-011"], (exchange) =>
    exchange.sent.method === "OPTIONS" && exchange.sent.path === "/lookup"
      ? editHeader(exchange, "Accept-Query", "*/*")
      : exchange,
  ),
  breaks("query-hides-its-type-from-the-handler", ["QUERY-007"], (exchange) =>
    isQuery(exchange, "/lookup") && typeOf(exchange) === "image/png"
      ? editObject(exchange, (body) => ({ ...body, contentType: "application/octet-stream" }))
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
