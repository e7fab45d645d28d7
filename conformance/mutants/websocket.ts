/** Servers that open WebSockets as they please. */
import { breaks, editHeader, editObject } from "../kit/mutant.ts";
import type { Exchange } from "../kit/exchange.ts";

const at = ({ sent }: Exchange, path: string): boolean => sent.path === path;

/** The mutants of this chapter. */
export const websocket = [
  breaks("websocket-plain-get-is-fine", ["WS-001"], (exchange) =>
    at(exchange, "/ws/plain") ? { ...exchange, status: 200 } : exchange,
  ),
  breaks("websocket-426-names-no-protocol", ["WS-001"], (exchange) =>
    at(exchange, "/ws/plain") ? editHeader(exchange, "upgrade", undefined) : exchange,
  ),
  breaks("websocket-accepts-any-key", ["WS-002"], (exchange) =>
    at(exchange, "/ws/accepted") ? editHeader(exchange, "sec-websocket-accept", "aGVsbG8=") : exchange,
  ),
  breaks("websocket-names-a-subprotocol-of-its-own", ["WS-047"], (exchange) =>
    at(exchange, "/ws/subprotocol") ? editHeader(exchange, "sec-websocket-protocol", "other") : exchange,
  ),
  breaks("websocket-knows-no-middleware", ["WS-003"], (exchange) =>
    at(exchange, "/ws/nobody") ? { ...exchange, status: 101 } : exchange,
  ),
  breaks("websocket-rejects-all-upgrades", ["WS-004"], (exchange) =>
    at(exchange, "/users/upgraded") ? { ...exchange, status: 426 } : exchange,
  ),
  breaks("websocket-changes-what-upgrades-get", ["WS-004"], (exchange) =>
    at(exchange, "/users/upgraded") ? editObject(exchange, (found) => ({ ...found, id: "other" })) : exchange,
  ),
  breaks("websocket-upgrades-to-nothing", ["WS-004"], (exchange) =>
    at(exchange, "/nothing/upgraded") ? { ...exchange, status: 400 } : exchange,
  ),
  breaks("websocket-hides-its-version", ["WS-005"], (exchange) =>
    at(exchange, "/ws/version") ? editHeader(exchange, "sec-websocket-version", undefined) : exchange,
  ),
  breaks("websocket-takes-no-key", ["WS-006"], (exchange) =>
    at(exchange, "/ws/key") ? { ...exchange, status: 101 } : exchange,
  ),
  breaks("websocket-lets-every-page-in", ["WS-007"], (exchange) =>
    at(exchange, "/ws/origin") ? { ...exchange, status: 101 } : exchange,
  ),
  breaks("websocket-lets-no-page-in", ["WS-007"], (exchange) =>
    at(exchange, "/ws/origin") ? { ...exchange, status: 403 } : exchange,
  ),
];
