/** CORS that lets in too much, or too little. */
import { breaks, editHeader, headerOf } from "../kit/mutant.ts";
import type { Exchange } from "../kit/exchange.ts";

const sentHeader = ({ sent }: Exchange, name: string): string | undefined => headerOf(sent.headers, name);

const isPreflight = (exchange: Exchange): boolean =>
  exchange.sent.method === "OPTIONS" &&
  sentHeader(exchange, "origin") !== undefined &&
  sentHeader(exchange, "access-control-request-method") !== undefined;

const comesFrom = (exchange: Exchange, origin: string): boolean => sentHeader(exchange, "origin") === origin;

const allow = (exchange: Exchange, origin: string): Exchange =>
  editHeader(exchange, "Access-Control-Allow-Origin", origin);

const varyOf = (name: string, kind: string, vary: string) =>
  breaks(name, ["CORS-006"], (exchange) =>
    exchange.sent.path === `/vary/${kind}` ? editHeader(exchange, "Vary", vary) : exchange,
  );

const isInGroup = ({ sent }: Exchange): boolean => sent.path.startsWith("/partner/");

const isPartners = (exchange: Exchange): boolean => comesFrom(exchange, "https://partner.example");

/** The mutants of this chapter. */
export const cors = [
  breaks("preflights-stop-at-the-router", ["CORS-001"], (exchange) =>
    isPreflight(exchange) && /^\/[0-9a-f]{16}$/.test(exchange.sent.path) ? { ...exchange, status: 404 } : exchange,
  ),
  breaks("preflights-name-no-headers", ["CORS-025"], (exchange) =>
    isPreflight(exchange) ? editHeader(exchange, "Access-Control-Allow-Headers", undefined) : exchange,
  ),
  breaks("preflights-are-not-cached", ["CORS-025"], (exchange) =>
    isPreflight(exchange) ? editHeader(exchange, "Access-Control-Max-Age", undefined) : exchange,
  ),
  breaks("rejected-preflights-are-204", ["CORS-002", "CORS-013"], (exchange) =>
    isPreflight(exchange) && exchange.status === 403 && !isInGroup(exchange) && !isPartners(exchange)
      ? { ...exchange, status: 204 }
      : exchange,
  ),
  breaks("rejected-preflights-say-why", ["CORS-002"], (exchange) =>
    isPreflight(exchange) && comesFrom(exchange, "https://evil.example") && exchange.status === 403
      ? { ...exchange, body: "origin not allowed" }
      : exchange,
  ),
  breaks("rejected-preflights-carry-methods", ["CORS-002"], (exchange) =>
    isPreflight(exchange) && comesFrom(exchange, "https://evil.example") && exchange.status === 403
      ? editHeader(exchange, "Access-Control-Allow-Methods", "GET")
      : exchange,
  ),
  breaks("every-origin-is-reflected", ["CORS-003"], (exchange) =>
    exchange.sent.method === "GET" && comesFrom(exchange, "https://evil.example")
      ? allow(exchange, "https://evil.example")
      : exchange,
  ),
  breaks("other-origins-are-not-served", ["CORS-003"], (exchange) =>
    exchange.sent.method === "GET" && comesFrom(exchange, "https://evil.example") && exchange.status === 200
      ? { ...exchange, status: 403 }
      : exchange,
  ),
  breaks("the-allowed-origin-becomes-a-star", ["CORS-004", "CORS-007", "CORS-010", "GUARD-010"], (exchange) =>
    exchange.sent.method !== "OPTIONS" && comesFrom(exchange, "https://app.example") && !isInGroup(exchange)
      ? allow(exchange, "*")
      : exchange,
  ),
  breaks("preflights-name-no-origin", ["CORS-004"], (exchange) =>
    isPreflight(exchange) && exchange.status === 204 && exchange.sent.path === "/users/1"
      ? editHeader(exchange, "Access-Control-Allow-Origin", undefined)
      : exchange,
  ),
  breaks("every-options-is-a-preflight", ["CORS-005"], (exchange) =>
    exchange.sent.method === "OPTIONS" && comesFrom(exchange, "https://app.example") && !isPreflight(exchange)
      ? editHeader(exchange, "Allow", undefined)
      : exchange,
  ),
  breaks("vary-is-missing-without-an-origin", ["CORS-006"], (exchange) =>
    sentHeader(exchange, "origin") === undefined && exchange.sent.target === "/users/1"
      ? editHeader(exchange, "Vary", undefined)
      : exchange,
  ),
  varyOf("streams-lose-the-vary-of-cors", "stream", "Accept"),
  varyOf("responses-lose-the-vary-of-cors", "response", "Accept"),
  varyOf("events-lose-the-vary-of-cors", "events", "Accept"),
  varyOf("texts-lose-the-vary-of-cors", "text", "Accept"),
  varyOf("cors-replaces-the-vary-of-a-handler", "stream", "Origin"),
  breaks("errors-carry-no-cors-headers", ["CORS-007"], (exchange) =>
    exchange.status === 500 && comesFrom(exchange, "https://app.example")
      ? editHeader(exchange, "Access-Control-Allow-Origin", undefined)
      : exchange,
  ),
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
  breaks("allowed-methods-are-added-to-the-default", ["CORS-009"], (exchange) =>
    isPreflight(exchange) && headerOf(exchange.headers, "access-control-allow-methods") === "GET, QUERY"
      ? editHeader(exchange, "Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE, QUERY")
      : exchange,
  ),
  breaks("origins-are-compared-by-their-end", ["CORS-010"], (exchange) =>
    comesFrom(exchange, "https://x.app.example") ? allow(exchange, "https://x.app.example") : exchange,
  ),
  breaks("origins-are-compared-without-case", ["CORS-010"], (exchange) =>
    comesFrom(exchange, "https://APP.example") ? allow(exchange, "https://APP.example") : exchange,
  ),
  breaks("null-is-allowed", ["CORS-013"], (exchange) =>
    comesFrom(exchange, "null") ? allow(exchange, "null") : exchange,
  ),
  breaks("groups-handle-no-preflights", ["CORS-019", "CORS-020"], (exchange) =>
    isPreflight(exchange) && isPartners(exchange) && exchange.sent.path === "/partner/1"
      ? editHeader({ ...exchange, status: 403 }, "Access-Control-Allow-Origin", undefined)
      : exchange,
  ),
  breaks("groups-leave-their-404s-without-cors", ["CORS-019"], (exchange) =>
    isPartners(exchange) && exchange.status === 404
      ? editHeader(exchange, "Access-Control-Allow-Origin", undefined)
      : exchange,
  ),
  breaks("groups-leave-their-405s-without-cors", ["CORS-019"], (exchange) =>
    isPartners(exchange) && exchange.status === 405 && exchange.sent.path === "/partner/1"
      ? editHeader(exchange, "Access-Control-Allow-Origin", undefined)
      : exchange,
  ),
  breaks("groups-handle-preflights-of-other-routes", ["CORS-019"], (exchange) =>
    isPreflight(exchange) && isPartners(exchange) && exchange.sent.path === "/users/1"
      ? allow({ ...exchange, status: 204 }, "https://partner.example")
      : exchange,
  ),
  breaks("groups-speak-for-other-routes", ["CORS-019"], (exchange) =>
    isPartners(exchange) && exchange.sent.method === "GET" && exchange.sent.path === "/users/1"
      ? allow(exchange, "https://partner.example")
      : exchange,
  ),
  breaks("two-layers-say-vary-twice", ["CORS-027"], (exchange) =>
    isPartners(exchange) && exchange.sent.path === "/partner/1"
      ? editHeader(exchange, "Vary", "Origin, Origin")
      : exchange,
  ),
  breaks("two-layers-say-their-headers-twice", ["CORS-027"], (exchange) =>
    isPreflight(exchange) && isPartners(exchange) && exchange.status === 204
      ? editHeader(exchange, "Access-Control-Allow-Headers", "Content-Type, Authorization, Content-Type, Authorization")
      : exchange,
  ),
  breaks("the-outer-layer-decides", ["CORS-020"], (exchange) =>
    comesFrom(exchange, "https://app.example") && exchange.sent.path === "/partner/1"
      ? allow(exchange, "https://app.example")
      : exchange,
  ),
  breaks("the-outer-layer-handles-preflights", ["CORS-020"], (exchange) =>
    isPreflight(exchange) && comesFrom(exchange, "https://app.example") && exchange.sent.path === "/partner/1"
      ? { ...exchange, status: 204 }
      : exchange,
  ),
];
